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

#define ETA .1
#define STEPS 2500

static void draw(struct trop_case *c)
{
    trop_case_default(c, "p", c->trial % 2 ? 2 : 1.75);
    trop_case_default(c, "epsilon", 0x1p-52);
    trop_md_named(c, "attsvm", (uint64_t)c->trial / 2 + 1, 1);
}

#define RUN "optimizer=nmirror p=@p eta=%g steps=%d "

static void work(struct trop_case *c)
{
    trop_md_run(c, "stable", RUN, ETA, STEPS);
    trop_md_run(c, "naive", RUN "gradient=naive gradient_epsilon=@epsilon", ETA, STEPS);
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

/* From two thirds of the steps on the gradients of the stable run are below e^-40; epsilon is
 * e^-36. */
static void is_saturated(struct trop_judge *judge, const struct trop_case *c)
{
    const double *w = trop_case_view_row(trop_case_view(c, "stable_weights"), two_thirds(c));

    trop_judge_at_least(judge, "least margin of the stable run", -1,
                        trop_md_least(c, w, trop_case_array(c, "stable_alpha")), 40, 0);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "stable: gain a step over eta", STEPS, gain(c, "stable_norm"), .95,
                        0);
    trop_judge_at_most(judge, "naive: gain a step over eta", STEPS, gain(c, "naive_norm"), .25, 0);
}

const struct trop_claim trop_md_rem_stall = {
    .id = "md-rem-stall",
    .title = "an epsilon of 2.2e-16 stops the normalised method",
    .statement = "Normalised mirror descent with 2.2e-16 added to the dual norm of its gradient "
                 "stops once the gradient is that small, and with a gradient that is exact at any "
                 "size it goes on at full speed.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Read as gains of |W|_p^(p-1) over the last third of 2500 steps: at least .95 eta a "
              "step with the stable gradient, at most .25 eta with the naive one and epsilon.",
    .inputs = "X y v z p epsilon",
    .hypotheses =
        TROP_HYPOTHESES(TROP_MD_EXPONENT,
                        { "epsilon", "an epsilon of at least 2^-52 is added",
                          .holds = "epsilon against 2^-52: epsilon >= 2^-52",
                          .broken = "epsilon = 0", .edit = "epsilon = 0" },
                        { "saturated", "margins pass the size at which gradients are below epsilon",
                          .judge = is_saturated, .late = 1,
                          .broken = "another token of input 0 is taken for the selected one",
                          .edit = "stable_alpha[0] = 7 - stable_alpha[0]" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS({ "a run with the stable gradient and no epsilon in the place of the naive one",
                      NULL, .edit = "naive_norm = stable_norm" },
                    { "the norms of the naive run in the place of those of the stable one", NULL,
                      .edit = "stable_norm = naive_norm" }),
    .trials = 10,
};
