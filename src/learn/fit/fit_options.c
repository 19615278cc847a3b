/* fit_options.c -- the options of training on sequences: defaults, table, check. */
#include "learn/fit/fit.h"

#include "base/option.h"
#include "base/status.h"

#include <math.h>
#include <stddef.h>

struct trop_fit_options trop_fit_options_default(void)
{
    struct trop_fit_options o = {
        .embed = 32,
        .heads = 1,
        .beta = 1000,
        .epochs = 20,
        .validation = 0.1,
        .test = 0.2,
        .fold = -1,
        .train = trop_train_options_default(),
    };

    o.train.optimizer = TROP_OPTIMIZER_ADAM;
    o.train.adam_epsilon = 1e-8;
    o.train.eta = 0.01;
    o.train.batch = 32;
    o.train.start = TROP_TRAIN_NORMAL;
    o.train.start_scale = 0.1;
    return o;
}

/* In the order of enum trop_fit_query. */
static const char *const query_names[] = { "prompt", "first", "each", NULL };

/* Data that are sequences: the program that reads them says so. */
#define IF "data=sequences"
#define AT(member) #member, offsetof(struct trop_fit_options, member)
static const struct trop_option table[] = {
    { AT(sequences), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "the items", NULL, NULL },
    { AT(embed), TROP_TYPE_INT64, 0, 65536, 0, NULL,
      "dimension of the vectors of words; of images and vectors: of their linear map, 0: none",
      NULL, IF },
    { AT(query), TROP_TYPE_CHOICE, 0, 0, 0, query_names,
      "what attends: a trained prompt, the first token, or each token (the mean of all outputs)",
      NULL, IF },
    { AT(heads), TROP_TYPE_INT64, 0, 1024, 0, NULL,
      "number of attention heads; 0: every token has the same weight", NULL, IF },
    { AT(positions), TROP_TYPE_FLAG, 0, 0, 0, NULL, "a trained vector is added for each place",
      NULL, IF },
    { AT(layers), TROP_TYPE_INT64, 0, 1000, 0, NULL,
      "before that, tokens attend to each other so often: x += a/(1 + a) (A(x) - x), one trained a",
      NULL, IF },
    { AT(beta), TROP_TYPE_DOUBLE, 0, 1e300, 1, NULL,
      "inverse temperature of these layers: A is the softmax of beta <x_i, x_j>", NULL, "layers" },
    { AT(bias), TROP_TYPE_FLAG, 0, 0, 0, NULL, "a trained number is added to each output", NULL,
      IF },
    { AT(trained), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "tensors that move, separated by commas, of E, P, z, W, K, Q, v, a and b; all when not given",
      "LIST", IF },
    { AT(each), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "other optimisers and step sizes for single tensors: E=adam:0.001,v=gd", "LIST", IF },
    { AT(epochs), TROP_TYPE_INT64, 0, 1e6, 0, NULL, "times that every item is learnt from", NULL,
      IF },
    { AT(patience), TROP_TYPE_INT64, 0, 1e6, 0, NULL,
      "epochs without a better validation after which a run ends; 0: none", NULL, IF },
    { AT(validation), TROP_TYPE_DOUBLE, 0, 0.999, 0, NULL,
      "share of the items that chooses the epoch, where the data have no splits", NULL, IF },
    { AT(test), TROP_TYPE_DOUBLE, 0, 0.999, 0, NULL,
      "share that is only looked at in the end, where the data have no splits", NULL,
      IF " & !folds" },
    { AT(theory), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "exponents of max-margin problems that W is compared with in the end: 1.1,2,3", "LIST",
      IF " & trained=W" },
    { AT(folds), TROP_TYPE_INT64, 0, 1000, 0, NULL,
      "runs, each tested on another part of the items; 0: one run", NULL, IF },
    { AT(fold), TROP_TYPE_INT64, -1, 999, 0, NULL, "cross-validation: the fold to run; -1: all",
      NULL, "folds" },
    { AT(show), TROP_TYPE_INT64, 0, 1e6, 0, NULL,
      "items of which the weight of every token is listed", NULL, IF },
    { 0 },
};
#undef AT

const struct trop_option *trop_fit_option_table(void)
{
    return table;
}

static enum trop_status check_train(const struct trop_train_options *o)
{
    const struct trop_optimizer *optimizer = trop_optimizer_of(o->optimizer);
    enum trop_status status = trop_option_check(o, trop_train_option_table());

    if (status != TROP_OK) {
        return status;
    }
    if (optimizer->norm->exponent == TROP_NORM_P && !optimizer->limits &&
        !(o->p > 1 && o->p <= 1000)) {
        return trop_fail(TROP_ERR_ARG, "p = %g: must be above 1 and at most 1000 for %s", o->p,
                         optimizer->name);
    }
    if (o->model != TROP_TRAIN_AUTO && o->model != TROP_TRAIN_CROSS && o->model != TROP_TRAIN_KQ) {
        return trop_fail(TROP_ERR_ARG, "model: sequences have cross (one W) and kq (K Q') alone");
    }
    if (o->start != TROP_TRAIN_NORMAL && o->start != TROP_TRAIN_UNIFORM) {
        return trop_fail(TROP_ERR_ARG,
                         "start: normal or uniform, since a product of zeros has no gradient");
    }
    return o->loss == TROP_LOSS_LOG ? trop_fail(TROP_ERR_ARG, "loss = log: is for next-token data")
                                    : TROP_OK;
}

enum trop_status trop_fit_options_check(const struct trop_fit_options *o)
{
    enum trop_status status = trop_option_check(o, table);

    if (status == TROP_OK) {
        status = check_train(&o->train);
    }
    if (status != TROP_OK) {
        return status;
    }
    if (!o->sequences) {
        return trop_fail(TROP_ERR_ARG, "sequences: which items?");
    }
    if (o->folds == 1) {
        return trop_fail(TROP_ERR_ARG, "folds = 1: must be 0 or at least 2");
    }
    if (o->folds > 0 && o->fold >= o->folds) {
        return trop_fail(TROP_ERR_ARG, "fold = %lld: must be below folds = %lld",
                         (long long)o->fold, (long long)o->folds);
    }
    if (!(o->validation + (o->folds > 0 ? 0 : o->test) < 1)) {
        return trop_fail(TROP_ERR_ARG, "validation = %g, test = %g: leave nothing to learn from",
                         o->validation, o->test);
    }
    return trop_fit_theory_check(o);
}
