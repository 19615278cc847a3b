/* train_options.c -- the options of a training run: defaults, table, check. */
#include "learn/train.h"

#include "base/option.h"
#include "base/status.h"

#include <math.h>
#include <stddef.h>

struct trop_train_options trop_train_options_default(void)
{
    return (struct trop_train_options){
        .lambda = 1,
        .p = 2,
        .eta = 0.1,
        .optimizer = TROP_OPTIMIZER_NGD,
        .eta_schedule = { .kind = TROP_SCHEDULE_CONSTANT, .a = 1 },
        .momentum = 0.9,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .decoder_epsilon = -1,
        .bend = 1,
        .steps = 1000,
        .start_scale = 1,
        .seed = 1,
        .records = 10,
    };
}

/* In the order of the enums of tropism.h. */
const char *const trop_train_model_names[] = { "auto",     "prompt", "cross", "self",
                                               "sequence", "kq",     "joint", NULL };
static const char *const mask_names[] = { "full", "causal", NULL };
static const char *const gradient_names[] = { "stable", "naive", "naive-reversed", NULL };
static const char *const same_names[] = { "same", NULL };
static const char *const start_names[] = { "zeros", "normal", "uniform", "given", NULL };
static const char *const compare_names[] = { "all", "final", "none", NULL };

#define AT(member) #member, offsetof(struct trop_train_options, member)
static const struct trop_option table[] = {
    { AT(data), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "the data", NULL, NULL },
    { AT(model), TROP_TYPE_CHOICE, 0, 0, 0, trop_train_model_names,
      "model that is trained (auto: cross when the data have queries or a vocabulary, sequence "
      "when they have a query for each token, else prompt)",
      NULL, NULL },
    { AT(mask), TROP_TYPE_CHOICE, 0, 0, 0, mask_names,
      "model sequence: which tokens a token can attend to", NULL, "model=sequence" },
    { AT(row), TROP_TYPE_INT64, 0, 1e9, 0, NULL,
      "the token that is the query, where the data have none", NULL, "model=self|kq" },
    { AT(width), TROP_TYPE_INT64, 0, 1e6, 0, NULL, "columns of K and Q; 0: d", NULL, "model=kq" },
    { AT(head), TROP_TYPE_CHOICE, 0, 0, 0, trop_head_names,
      "what is computed from the attended token o: v'o, sum_k max(0, v_k'o), v'o - lambda |o|^2",
      NULL, "data!=sequences" },
    { AT(lambda), TROP_TYPE_DOUBLE, -1e6, 1e6, 0, NULL, "coefficient of the quadratic head", NULL,
      "head=quadratic" },
    { AT(loss), TROP_TYPE_CHOICE, 0, 0, 0, trop_loss_names,
      "loss as a function of the margin y h(o)", NULL, NULL },
    { AT(optimizer), TROP_TYPE_CHOICE, 0, 0, 0, trop_optimizer_names,
      "optimiser that moves the weights", NULL, NULL },
    { AT(p), TROP_TYPE_DOUBLE, 1, INFINITY, 0, NULL,
      "exponent of mirror, nmirror, steepest and square", NULL,
      "optimizer=mirror|nmirror|square|steepest" },
    { AT(eta), TROP_TYPE_DOUBLE, 0, 1e300, 1, NULL, "step size of the optimiser", NULL, NULL },
    { AT(eta_schedule), TROP_TYPE_SCHEDULE, 0, 1e300, 1, NULL,
      "factor of the step size at step t: power:1,0.5 is 1/sqrt(t+1)", NULL, NULL },
    { AT(backtrack), TROP_TYPE_FLAG, 0, 0, 0, NULL, "halve steps until the loss falls", NULL,
      "!batch & data!=sequences" },
    { AT(batch), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "inputs of a mini-batch; 0: all", NULL, NULL },
    { AT(gradient), TROP_TYPE_CHOICE, 0, 0, 0, gradient_names,
      "stable: exact at any norm; naive: as a plain program computes it", NULL, "data!=sequences" },
    { AT(gradient_epsilon), TROP_TYPE_DOUBLE, 0, 1, 0, NULL,
      "added to the norm that the gradient is divided by", NULL,
      "optimizer=ngd|nmirror|square|steepest|eg|hypentropy|cosh" },
    { AT(decoder_epsilon), TROP_TYPE_DOUBLE, 0, 1, 0, same_names,
      "the same for the decoder v (same: as gradient_epsilon)", NULL,
      "model=joint & optimizer=ngd|nmirror|square|steepest|eg|hypentropy|cosh" },
    { AT(decay), TROP_TYPE_DOUBLE, 0, 1e6, 0, NULL,
      "lambda of lambda |T|^2, which every tensor T adds to the loss that is descended; of "
      "sequences: weights, or the dual variables of mirror, shrink by 1 - eta decay in a step",
      NULL,
      "data!=sequences & optimizer!=polyak & !backtrack ; data=sequences & "
      "optimizer=gd|ngd|polyak|mirror|nmirror|steepest|sign|signum|greedy|spectral|muon|adam" },
    { AT(momentum), TROP_TYPE_DOUBLE, 0, 0.999999, 0, NULL, "momentum of signum and muon", NULL,
      "optimizer=signum|muon" },
    { AT(beta1), TROP_TYPE_DOUBLE, 0, 0.999999, 0, NULL,
      "adam: decay of the running mean of the gradient", NULL, "optimizer=adam" },
    { AT(beta2), TROP_TYPE_DOUBLE, 0, 0.9999999, 0, NULL,
      "adam: decay of the running mean of its square", NULL, "optimizer=adam" },
    { AT(adam_epsilon), TROP_TYPE_DOUBLE, 0, 1, 0, NULL,
      "adam: number that is added to the denominator", NULL, "optimizer=adam" },
    { AT(bend), TROP_TYPE_DOUBLE, 0, 1e6, 1, NULL,
      "eg and hypentropy: the size at which weights begin to grow exponentially", NULL,
      "optimizer=eg|hypentropy" },
    { AT(polynomial), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "muon: uses the Newton-Schulz polynomial as shipped instead of the exact polar factor", NULL,
      "optimizer=muon" },
    { AT(steps), TROP_TYPE_INT64, 0, 1e15, 0, NULL, "number of steps of the run", NULL,
      "data!=sequences" },
    { AT(start), TROP_TYPE_CHOICE, 0, 0, 0, start_names, "weights at the start", NULL, NULL },
    { AT(start_scale), TROP_TYPE_DOUBLE, 0, 1e300, 0, NULL, "scale of weights that are drawn", NULL,
      "start=normal|uniform ; data=sequences" },
    { AT(start_weights), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "weights at the start", NULL, NULL },
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL,
      "seed of drawn weights, of mini-batches, and of drawn data", NULL, NULL },
    { AT(records), TROP_TYPE_INT64, 1, 1000, 0, NULL,
      "number of records in each factor of ten of steps", NULL, "data!=sequences" },
    { AT(compare), TROP_TYPE_CHOICE, 0, 0, 0, compare_names,
      "when weights are compared with max-margin solutions", NULL, "data!=sequences" },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef AT

const struct trop_option *trop_train_option_table(void)
{
    return table;
}

enum trop_status trop_train_options_check(const struct trop_train_options *o)
{
    enum trop_status status = trop_option_check(o, table);

    if (status != TROP_OK) {
        return status;
    }
    const struct trop_optimizer *optimizer = trop_optimizer_of(o->optimizer);
    if (!o->data) {
        return trop_fail(TROP_ERR_ARG, "data: which data?");
    }
    if (optimizer->norm->exponent == TROP_NORM_P && !optimizer->limits &&
        !(o->p > 1 && o->p <= 1000)) {
        return trop_fail(TROP_ERR_ARG, "p = %g: must be above 1 and at most 1000 for %s", o->p,
                         optimizer->name);
    }
    if (o->start == TROP_TRAIN_GIVEN && !o->start_weights) {
        return trop_fail(TROP_ERR_ARG, "start = given: needs weights");
    }
    if (o->batch > 0 && o->backtrack) {
        return trop_fail(TROP_ERR_ARG, "backtrack: needs the loss of all inputs, not of a batch");
    }
    return TROP_OK;
}
