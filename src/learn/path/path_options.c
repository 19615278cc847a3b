/* path_options.c -- the options of a regularisation path: defaults, table, check. */
#include "learn/path/path.h"

#include "base/list.h"
#include "base/option.h"
#include "base/status.h"
#include "learn/train.h"

#include <stddef.h>

struct trop_path_options trop_path_options_default(void)
{
    return (struct trop_path_options){
        .p = 2,
        .radius = "10,20,50,100,200,500,1000",
        .cone = 0.1,
        .starts = 4,
        .seed = 1,
        .tolerance = 1e-10,
        .iterations = 10000,
    };
}

/* In the order of the enums of tropism.h. */
static const char *const mask_names[] = { "full", "causal", NULL };
static const char *const loss_names[] = { "logistic", "exponential", "correlation", NULL };

#define AT(member) #member, offsetof(struct trop_path_options, member)
static const struct trop_option table[] = {
    { AT(data), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "the data", NULL, NULL },
    { AT(model), TROP_TYPE_CHOICE, 0, 0, 0, trop_train_model_names,
      "model that is trained: all but kq (auto: cross when the data have queries, else prompt)",
      NULL, NULL },
    { AT(mask), TROP_TYPE_CHOICE, 0, 0, 0, mask_names,
      "model sequence: which tokens a token can attend to", NULL, "model=sequence" },
    { AT(row), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "model self: the token that is the query", NULL,
      "model=self" },
    { AT(loss), TROP_TYPE_CHOICE, 0, 0, 0, loss_names, "loss as a function of the margin y v'o",
      NULL, NULL },
    { AT(p), TROP_TYPE_DOUBLE, 1, 1000, 1, NULL, "exponent of the norm of the balls", NULL, NULL },
    { AT(radius), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "radii R, ascending: numbers and ranges from:to or from:to:step, separated by commas", "LIST",
      NULL },
    { AT(decoder_radius), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "joint: radius r of the decoder for each R, or one for all; r = R when it is not given",
      "LIST", "model=joint" },
    { AT(local), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "searches in a cone around the solution for select, instead of everywhere", NULL,
      "model!=joint" },
    { AT(select), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "local paths: a token for each input, separated by commas (3,2,6), or optimal", "LIST",
      "local" },
    { AT(cone), TROP_TYPE_DOUBLE, 0, 1, 1, NULL,
      "local paths: largest directional Bregman divergence of the solution from the weights", NULL,
      "local" },
    { AT(starts), TROP_TYPE_INT64, 0, 1e6, 0, NULL,
      "random ones at every radius, beside the warm ones", NULL, NULL },
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL, "seed of random starts, and of drawn data", NULL,
      NULL },
    { AT(tolerance), TROP_TYPE_DOUBLE, 0, 1, 1, NULL,
      "1 - alignment at which a point is stationary", NULL, NULL },
    { AT(iterations), TROP_TYPE_INT64, 0, 1e12, 0, NULL,
      "largest number of iterations of each start", NULL, NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef AT

const struct trop_option *trop_path_option_table(void)
{
    return table;
}

enum trop_status trop_path_options_check(const struct trop_path_options *o)
{
    const int joint = o->model == TROP_TRAIN_JOINT;
    enum trop_status status = trop_option_check(o, table);

    if (status != TROP_OK) {
        return status;
    }
    if (!o->data) {
        return trop_fail(TROP_ERR_ARG, "data: which data?");
    }
    if (o->model == TROP_TRAIN_KQ) {
        return trop_fail(TROP_ERR_ARG, "model = kq: a path in K and Q is one of W in the nuclear "
                                       "norm; paths are for lp norms");
    }
    if (joint && !trop_loss_of(o->loss)->log_value) {
        return trop_fail(TROP_ERR_ARG,
                         "loss = %s: joint needs a loss that is bounded below: "
                         "logistic or exponential",
                         loss_names[o->loss]);
    }
    if (joint && o->local) {
        return trop_fail(TROP_ERR_ARG, "local: is for a fixed decoder, not for joint");
    }
    if (o->decoder_radius && !joint) {
        return trop_fail(TROP_ERR_ARG, "decoder_radius: is for joint");
    }
    if (o->select && !o->local) {
        return trop_fail(TROP_ERR_ARG, "select: is for local = 1");
    }
    return TROP_OK;
}
