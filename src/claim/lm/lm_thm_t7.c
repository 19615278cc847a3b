/* lm_thm_t7.c -- the energy inequality.
 *
 * A symmetric positive semidefinite, J(x) = <A x, x> / 2:
 *
 *   J(x_i(t+1)) - J(x_i(t)) >= |dx_i|_A^2 / 2 - gamma eps(t) (1 - 1/|C_i(t)|),
 *
 * since J(x + dx) - J(x) = <A x, dx> + |dx|_A^2 / 2 and <A x_i, dx_i> is gamma times the mean over
 * C_i of S_ij - S_ii, where one score is the largest and the others are at most eps below it.
 * Summed,
 *
 *   sum_t |dx_i|_A^2 <= 2 (max_{K(0)} J - J(x_i(0)) + gamma sum_t eps(t)).
 *
 * |C_i| is counted here; a pair in doubt counts as in, which makes the bound lower. Rounding: J and
 * the form of dx are within trop_lm_score_error each, and what the step rounds moves J by |A| R
 * times that.
 */
#include "claim/lm/lm.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>

enum { USE_SIZE = 32, USE_KIND, USE_RATIO };

/* A third of the draws each: constant epsilon, 0, and epsilon ratio^t, which is summable. */
static enum trop_status draw(struct trop_case *c)
{
    const int64_t kind = c->trial % 3;
    enum trop_status status = trop_lm_draw_cloud(c, 5 + trop_case_pick(c, USE_SIZE, 0, 8),
                                                 2 + trop_case_pick(c, USE_SIZE, 1, 3),
                                                 kind == 1 ? 0 : .05, kind == 1 ? 0 : .4);

    if (status == TROP_OK && kind == 2) {
        status = trop_case_default(c, "ratio", .5 + .45 * trop_case_uniform(c, USE_RATIO, 0));
    }
    if (status == TROP_OK && trop_case_pick(c, USE_KIND, 0, 2)) {
        status = trop_lm_draw_definite(c);
    }
    return status;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    TROP_LM_EPSILON,
    TROP_LM_DEFINITE,
    { 0 },
};

/* ---- the conclusion ---- */

static double energy(const struct trop_case *c, const double *x)
{
    return .5 * trop_lm_form(trop_case_array(c, "A"), x, x, trop_case_size(c, "path", 2));
}

static double square_step(const struct trop_case *c, const double *x, const double *y, double *room)
{
    const int64_t d = trop_case_size(c, "path", 2);

    for (int64_t a = 0; a < d; a++) {
        room[a] = y[a] - x[a];
    }
    return trop_lm_form(trop_case_array(c, "A"), room, room, d);
}

static double allowance_of(const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double R = trop_tokens_radius(trop_case_array(c, "tokens"), n, d);

    return 8 * trop_lm_score_error(c) + 4 * trop_lm_size(c) * R * trop_lm_step_error(c);
}

static void judge_step(struct trop_judge *judge, const struct trop_case *c, const int64_t *sets,
                       double *sums, double *room, int64_t t)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *x = trop_case_array(c, "path") + t * n * d, *y = x + n * d;
    const double fall = trop_case_number(c, "gamma") * trop_lm_epsilon(c, t);

    for (int64_t i = 0; i < n; i++) {
        const double moved = square_step(c, x + i * d, y + i * d, room);
        double count = 0;
        for (int64_t j = 0; j < n; j++) {
            count += sets[i * n + j] != 0;
        }
        sums[i] += moved;
        trop_judge_at_least(judge, "rise of the energy of a token", t + 1,
                            energy(c, y + i * d) - energy(c, x + i * d),
                            .5 * moved - fall * (1 - 1 / count), allowance_of(c));
    }
}

/* Judges the sums over the path. J is convex, so its maximum over K(0) is at a token. */
static void judge_sums(struct trop_judge *judge, const struct trop_case *c, const double *sums)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *x = trop_case_array(c, "path");
    double top = 0, total = 0;

    for (int64_t t = 0; t < steps; t++) {
        total += trop_lm_epsilon(c, t);
    }
    for (int64_t i = 0; i < n; i++) {
        top = fmax(top, energy(c, x + i * d));
    }
    for (int64_t i = 0; i < n; i++) {
        trop_judge_at_most(judge, "sum of squared steps of a token", steps, sums[i],
                           2 * (top - energy(c, x + i * d) + trop_case_number(c, "gamma") * total),
                           2 * (double)(steps + 1) * allowance_of(c));
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    int64_t *sets = trop_alloc(n * n, sizeof *sets);
    double *sums = trop_alloc(n + d, sizeof *sums);
    enum trop_status status = TROP_OK;

    if (!sets || !sums) {
        status = trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)n);
    }
    for (int64_t t = 0; t < steps && status == TROP_OK; t++) {
        trop_lm_sets(sets, c, trop_case_array(c, "path") + t * n * d, trop_lm_epsilon(c, t));
        judge_step(judge, c, sets, sums, sums + n, t);
    }
    if (status == TROP_OK) {
        judge_sums(judge, c, sums);
    }
    trop_alloc_free(sets);
    trop_alloc_free(sums);
    return status;
}

/* ---- ways to be wrong ---- */

/* The path with epsilon + 1, under which the token of largest energy is drawn inwards. */
static enum trop_status other_epsilon(struct trop_case *c)
{
    const double epsilon = trop_case_number(c, "epsilon");
    enum trop_status status = trop_case_put(c, "epsilon", epsilon + 1);

    if (status == TROP_OK) {
        status = trop_lm_flow(c);
    }
    return status == TROP_OK ? trop_case_put(c, "epsilon", epsilon) : status;
}

/* A token jumps back to the origin in the last step. */
static enum trop_status fall_back(struct trop_case *c)
{
    const int64_t last = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    double *x = trop_case_array(c, "path") + last * n * d;
    int64_t far = 0;

    for (int64_t i = 1; i < n; i++) {
        far = energy(c, x + i * d) > energy(c, x + far * d) ? i : far;
    }
    for (int64_t a = 0; a < d; a++) {
        x[far * d + a] = 0;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "the path of epsilon + 1", NULL, other_epsilon },
    { "the token of most energy is at the origin in the last step", NULL, fall_back },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "epsilon = -.1", "epsilon", trop_lm_draw_wrong_epsilon },
    { "A = diag(1, ..., 1, -1)", "definite", trop_lm_draw_wrong_definite },
    { 0 },
};

const struct trop_claim trop_lm_thm_t7 = {
    .id = "lm-thm-t7",
    .title = "energy inequality",
    .statement = "With A symmetric positive semidefinite the energy <A x, x>/2 of a token rises in "
                 "a step by at least half its squared A-length, less gamma eps (1 - 1/|C_i|).",
    .status = TROP_CLAIM_PROVED,
    .remark = "Drawn with A positive definite. The sum of squared steps is compared with its bound "
              "2 (max J - J_i + gamma sum eps) as well.",
    .old_inputs = trop_lm_judge_inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = trop_lm_flow,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
