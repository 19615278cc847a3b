/* md_rem_stall.c -- the epsilon of the normalised step (mirror-descent paper, its experiments).
 *
 *   U <- U - eta G / (|G|_q + 2^-52)
 *
 * |G|_q decays as e^(-margin), and once it is below 2^-52 the step is not normalised any more: it
 * decays too, and what is left of a gradient that was computed as it is written down is rounding.
 * In the dual norm, |U|_q = |W|_p^(p-1), a run that goes on gains eta for each step, nearly. Judged
 * are gains over the last third of a run of 2500 steps on the data of the paper: of the stable
 * gradient without epsilon at least .95 eta a step, of the naive one with epsilon at most a
 * quarter of eta.
 */
#include "claim/md/md.h"

#include "base/math/pow.h"

#include <math.h>
#include <string.h>

#define ETA .1
#define STEPS 2500

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status = trop_case_default(c, "p", c->trial % 2 ? 2 : 1.75);

    if (status == TROP_OK) {
        status = trop_case_default(c, "epsilon", 0x1p-52);
    }
    if (status == TROP_OK) {
        status = trop_examples_named(c, "attsvm", 0, 0, 0, (uint64_t)c->trial / 2 + 1);
    }
    return status == TROP_OK ? trop_md_check(c, 1) : status;
}

static enum trop_status train(struct trop_case *c, int64_t gradient, double epsilon,
                              const char *prefix)
{
    struct trop_train_options o = trop_md_options(trop_case_number(c, "p"), "nmirror", ETA, STEPS);

    o.gradient = gradient;
    o.gradient_epsilon = epsilon;
    return trop_md_train(c, &o, prefix);
}

static enum trop_status work(struct trop_case *c)
{
    const enum trop_status status = train(c, TROP_TRAIN_STABLE, 0, "stable");

    return status == TROP_OK ? train(c, TROP_TRAIN_NAIVE, trop_case_number(c, "epsilon"), "naive")
                             : status;
}

/* The last record before two thirds of the steps are done. */
static int64_t two_thirds(const struct trop_case *c)
{
    const double *step = trop_case_array(c, "stable_step");
    int64_t row = trop_case_size(c, "stable_step", 0) - 1;

    while (row > 0 && step[row] > STEPS * 2. / 3) {
        row--;
    }
    return row;
}

/* The growth of |W|_p^(p-1) from two thirds of the steps to the end, per step and over eta. */
static double gain(const struct trop_case *c, const char *norms)
{
    const double *norm = trop_case_array(c, norms), *step = trop_case_array(c, "stable_step");
    const double p = trop_case_number(c, "p");
    const int64_t last = trop_case_size(c, norms, 0) - 1, before = two_thirds(c);

    return (trop_pow(norm[last], p - 1) - trop_pow(norm[before], p - 1)) /
           (ETA * (step[last] - step[before]));
}

static enum trop_status is_epsilon(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "epsilon against 2^-52", -1, trop_case_number(c, "epsilon"), 0x1p-52,
                        0);
    return TROP_OK;
}

/* From two thirds of the steps on the gradients of the stable run are below e^-40; epsilon is
 * e^-36. */
static enum trop_status is_saturated(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "stable_weights", 1), row = two_thirds(c);

    trop_judge_at_least(judge, "least margin of the stable run", -1,
                        trop_md_least(c, trop_case_array(c, "stable_weights") + row * n,
                                      trop_case_array(c, "stable_alpha")),
                        40, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_MD_EXPONENT,
    { "epsilon", "an epsilon of at least 2^-52 is added", is_epsilon, 0 },
    { "saturated", "margins pass the size at which gradients are below epsilon", is_saturated, 1 },
    { 0 },
};

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "stable: gain a step over eta", STEPS, gain(c, "stable_norm"), .95,
                        0);
    trop_judge_at_most(judge, "naive: gain a step over eta", STEPS, gain(c, "naive_norm"), .25, 0);
    return TROP_OK;
}

/* The naive run without its epsilon: it follows rounding, but it moves. */
static enum trop_status no_epsilon(struct trop_case *c)
{
    return train(c, TROP_TRAIN_STABLE, 0, "naive");
}

static enum trop_status stable_stalls(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "stable_norm", 0);

    memcpy(trop_case_array(c, "stable_norm"), trop_case_array(c, "naive_norm"),
           (size_t)rows * sizeof(double));
    return TROP_OK;
}

static enum trop_status without(struct trop_case *c)
{
    return trop_case_put(c, "epsilon", 0);
}

static enum trop_status undecided(struct trop_case *c)
{
    trop_case_array(c, "stable_alpha")[0] += trop_case_array(c, "stable_alpha")[0] > 0 ? -1 : 1;
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "a run with the stable gradient and no epsilon in the place of the naive one", NULL,
      no_epsilon },
    { "the norms of the naive run in the place of those of the stable one", NULL, stable_stalls },
    { "epsilon = 0", "epsilon", without },
    { "another token of input 0 is taken for the selected one", "saturated", undecided },
    { 0 },
};

static const struct trop_input inputs[] = {
    TROP_MD_INPUTS,
    { "epsilon", "", "added to the dual norm of the naive run" },
    { 0 },
};

const struct trop_claim trop_md_rem_stall = {
    .id = "md-rem-stall",
    .title = "an epsilon of 2.2e-16 stops the normalised method",
    .statement = "Normalised mirror descent with 2.2e-16 added to the dual norm of its gradient "
                 "stops once the gradient is that small, and with a gradient that is exact at any "
                 "size it goes on at full speed.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Read as gains of |W|_p^(p-1) over the last third of 2500 steps: at least .95 eta a "
              "step with the stable gradient, at most .25 eta with the naive one and epsilon.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 10,
};
