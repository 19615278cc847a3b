/* fw_rate.c -- how fast hardmax converges under theorem 4.2 of the Frank-Wolfe paper.
 *
 * What is left of a token's way to its vertex after t steps is prod (1 - gamma^r). That is
 *
 *   at most (1 - c)^t          when every gamma is at least c > 0: exponential;
 *   exp(-a t (t + 1) / 2)      for gamma^t = 1 - exp(-a (t + 1)): super-exponential;
 *   bounded away from 0        when the sum of gamma is finite: gamma^t = 2^(-t-1) leaves
 *                              .2887880950866 of the way forever.
 *
 * So "exponentially fast for gamma in (0, 1)", the printed rate, is false, and the first line is
 * its repair. The printed claim is decided on gamma^t = gamma ratio^t, where the future is known:
 * of the distance at the last step T at least 1 - gamma ratio^T / (1 - ratio) is left forever, and
 * an exponential rate has 0 for a limit.
 *
 * Rounding as in theorem 4.2: a distance is known within 8 u R sqrt(d) times the errors of the
 * steps, at most one for each.
 */
#include "claim/fw/fw.h"

#include "base/math/exp.h"
#include "base/math/pow.h"
#include "claim/shown.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STEPS 30

/* ---- distances from the vertex of each token's cell ---- */

static double way(const struct trop_case *c, int64_t owner, int64_t t, int64_t i)
{
    const struct trop_view path = trop_case_view(c, "path");

    return trop_tokens_distance(trop_case_view_row(path, t) + i * path.depth,
                                path.at + owner * path.depth, path.depth);
}

/* A bound of its rounding error. */
static double way_error(const struct trop_case *c, int64_t t)
{
    const struct trop_view x = trop_case_view_part(trop_case_view(c, "path"), 0);

    return 4 * (double)(t + 1) * DBL_EPSILON * sqrt((double)x.columns) * trop_tokens_radius_of(x);
}

/* A line at every step for each token that moves: its way against what should be left of it. */
static void judge_ways(struct trop_judge *judge, const struct trop_case *c, const char *name,
                       void (*line)(struct trop_judge *, const char *, int64_t, double, double,
                                    double),
                       double (*left)(const struct trop_case *c, int64_t t))
{
    const int64_t *owners = trop_fw_work_owners(c);

    for (int64_t i = 0; i < trop_case_size(c, "path", 1); i++) {
        for (int64_t t = 0; owners[i] != i && t < trop_case_size(c, "path", 0); t++) {
            line(judge, name, t, way(c, owners[i], t, i), left(c, t) * way(c, owners[i], 0, i),
                 way_error(c, t));
        }
    }
}

/* ---- the printed rate: gamma^t = first ratio^t; half of the draws are constant ---- */

static double geometric(const struct trop_case *c, int64_t t)
{
    return trop_case_number(c, "first") * trop_pow(trop_case_number(c, "ratio"), (double)t);
}

static void draw_printed(struct trop_case *c)
{
    trop_fw_draw_own_cells(c);
    trop_fw_draw_steps(c, 2 * STEPS);
    trop_case_default(c, "first", .2 + .4 * trop_case_uniform(c, 16, 0));
    trop_case_default(c, "ratio",
                      trop_case_pick(c, 16, 1, 2) ? 1 : .3 + .4 * trop_case_uniform(c, 16, 2));
    trop_fw_draw_schedule(c, geometric);
}

static double left_printed(const struct trop_case *c, int64_t t)
{
    return trop_pow(1 - trop_case_number(c, "first"), (double)t);
}

/* With a constant gamma, judges the bound at every step; with a finite sum of gammas, the distance
 * that remains forever. */
static void conclude_printed(struct trop_judge *judge, const struct trop_case *c)
{
    const double ratio = trop_case_number(c, "ratio");
    const int64_t steps = trop_case_size(c, "path", 0) - 1, *owners = trop_fw_work_owners(c);

    if (!(ratio < 1)) {
        judge_ways(judge, c, "distance of a token from its limit", trop_judge_at_most,
                   left_printed);
        return;
    }
    const double rest = geometric(c, steps) / (1 - ratio);
    for (int64_t i = 0; i < trop_case_size(c, "path", 1); i++) {
        if (owners[i] != i) {
            trop_judge_at_most(judge, "distance from its limit that a token keeps forever", steps,
                               way(c, owners[i], steps, i) * fmax(0, 1 - rest), 0,
                               way_error(c, steps));
        }
    }
}

/* ---- its proof file ----
 *
 * prod (1 - gamma^r) over r >= T is at least 1 - sum gamma^r = 1 - first ratio^T/(1 - ratio): what
 * is left of the way of token i forever is a positive share. Each token has one leader among all,
 * which is its own; "inside" are tokens that are none, and "atoms" others that they are a
 * combination of, so that every vertex is its own leader. */

/* clang-format off */
static const char *const shown[] = {
    "L = [top([dot(dot(B, a), b) for b in tokens]) for a in tokens]",
    "all(tokens[j] == tokens[L[k][0]] for k in range(len(tokens)) for j in L[k])",
    "all(any(k == j for j in inside) or tokens[L[k][0]] == tokens[k] for k in range(len(tokens)))",
    "all(tokens[a] != tokens[inside[k]] for k in range(len(inside)) for a in atoms[k])",
    "all(0 <= f for k in range(len(inside)) for f in solve("
        "[tokens[a] - tokens[inside[k]] for a in atoms[k] if a != atoms[k][0]], "
        "tokens[inside[k]] - tokens[atoms[k][0]]))",
    "0 < first < 1 and 0 < ratio < 1",
    "tokens[L[i][0]] != tokens[i]",
    "first * ratio**T < 1 - ratio",
    NULL,
};
/* clang-format on */

/* Tokens at other places than token i. */
static int64_t others_of(int64_t *list, struct trop_view x, int64_t i)
{
    const size_t bytes = (size_t)x.columns * sizeof *x.at;
    int64_t count = 0;

    for (int64_t j = 0; j < x.rows; j++) {
        if (memcmp(trop_case_view_row(x, j), trop_case_view_row(x, i), bytes) != 0) {
            list[count++] = j;
        }
    }
    return count;
}

/* The labels are exact, and the hypotheses have a lead beyond rounding for each. */
static int show(struct trop_case *c, int64_t step)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double ratio = trop_case_number(c, "ratio");
    const int64_t *owners = trop_fw_work_owners(c), d = x.columns;
    int64_t *others = trop_case_scratch_integers(c, x.rows), count = 0, T = 0;
    int sure = ratio < 1;

    (void)step;
    for (int64_t i = 0; i < x.rows; i++) {
        count += owners[i] != i;
    }
    if (!sure || count == 0) {
        return 0;
    }
    double *inside = trop_case_zeros(c, "inside", count, 0, 0);
    double *atoms = trop_case_zeros(c, "atoms", count, d + 1, 0);
    count = 0;
    for (int64_t i = 0; i < x.rows && sure; i++) {
        if (owners[i] != i) {
            sure = owners[i] >= 0 &&
                   trop_shown_inside(atoms + count * (d + 1), c, x, others, others_of(others, x, i),
                                     trop_case_view_row(x, i));
            inside[count++] = (double)i;
            trop_case_put(c, "i", (double)i);
        }
    }
    while (!(geometric(c, T) < .9 * (1 - ratio))) {
        T++;
    }
    trop_case_put(c, "T", (double)T);
    return sure;
}

static void geometric_steps(struct trop_judge *judge, const struct trop_case *c)
{
    const double ratio = trop_case_number(c, "ratio");

    trop_judge_truth(judge, "ratio is between 0 and 1", -1, ratio > 0 && ratio <= 1);
    for (int64_t t = 0; t < trop_case_integer(c, "steps"); t++) {
        const double wanted = geometric(c, t);
        trop_judge_truth(judge, "gamma is first ratio^t", t,
                         fabs(trop_fw_gamma(c, t) - wanted) <= 8 * DBL_EPSILON * wanted);
    }
}

/* ---- gamma at least c ---- */

static void draw_bounded(struct trop_case *c)
{
    trop_fw_draw_own_cells(c);
    trop_case_default(c, "c", .02 + .3 * trop_case_uniform(c, 16, 0));
    trop_fw_draw_gamma(c, STEPS, trop_case_number(c, "c"), .9);
}

static void bounded_below(struct trop_judge *judge, const struct trop_case *c)
{
    const double least = trop_case_number(c, "c");

    trop_judge_truth(judge, "c is positive", -1, least > 0);
    for (int64_t t = 0; t < trop_case_integer(c, "steps"); t++) {
        trop_judge_at_least(judge, "gamma", t, trop_fw_gamma(c, t), least, 0);
    }
}

static double left_bounded(const struct trop_case *c, int64_t t)
{
    return trop_pow(1 - trop_case_number(c, "c"), (double)t);
}

static void conclude_bounded(struct trop_judge *judge, const struct trop_case *c)
{
    judge_ways(judge, c, "distance of a token from its vertex", trop_judge_at_most, left_bounded);
}

/* ---- super-exponential ---- */

static double fast(const struct trop_case *c, int64_t t)
{
    return -trop_expm1(-trop_case_number(c, "a") * (double)(t + 1));
}

static void draw_super(struct trop_case *c)
{
    trop_fw_draw_own_cells(c);
    trop_case_default(c, "a", .05 + .15 * trop_case_uniform(c, 16, 0));
    trop_fw_draw_steps(c, STEPS);
    trop_fw_draw_schedule(c, fast);
}

static void super_steps(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "a is positive", -1, trop_case_number(c, "a") > 0);
    for (int64_t t = 0; t < trop_case_integer(c, "steps"); t++) {
        trop_judge_truth(judge, "gamma is 1 - exp(-a (t + 1))", t,
                         fabs(trop_fw_gamma(c, t) - fast(c, t)) <= 4 * DBL_EPSILON);
    }
}

static double left_super(const struct trop_case *c, int64_t t)
{
    return trop_exp(-trop_case_number(c, "a") * (double)t * (double)(t + 1) / 2);
}

static void conclude_super(struct trop_judge *judge, const struct trop_case *c)
{
    judge_ways(judge, c, "distance of a token from its vertex", trop_judge_near, left_super);
}

/* A gamma of 1 would break rules for gamma too. */
#define STEP_SIZES \
    { \
        "step-sizes", "every gamma is between 0 and 1", .judge = trop_fw_judge_steps \
    }

const struct trop_claim trop_fw_rate_exponential = {
    .id = "fw-rate-exponential",
    .title = "exponential rate, any step sizes",
    .statement = "Under the hypotheses of theorem 4.2 tokens converge to the vertices of their "
                 "cells at least exponentially fast, whatever the step sizes in (0, 1) are.",
    .status = TROP_CLAIM_FALSE,
    .remark = "gamma^t = 2^(-t-1) stops tokens after 71 percent of their way. Decided on geometric "
              "step sizes, for which what is left forever has a proved bound; constant ones "
              "are held to (1 - gamma)^t at every step.",
    .repaired = "fw-rate-exponential-repaired",
    .inputs = "tokens B first ratio steps",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_OWN_CELLS, TROP_FW_ONE_CELL, STEP_SIZES,
                                  { "geometric", "gamma is first ratio^t", .judge = geometric_steps,
                                    .broken = "one gamma is halved", .edit = "gamma[1] *= .5" }),
    .run = { draw_printed, trop_fw_work_path, conclude_printed },
    /* gamma^t = 2^(-t-1) on a triangle with one token inside. */
    .exhibited =
        (const char *const[]){
            "tokens = {1 0; -.5 .75; -.5 -.75; .25 .125}; B = {1 0; 0 1}; first = .5; ratio = .5" },
    .exhibits = 1,
    .shown = shown,
    .show = show,
    .spoils = TROP_SPOILS(
        { "steps of a hundredth of the length", NULL, .edit = "work with gamma *= .01" }),
    .trials = 100,
};

const struct trop_claim trop_fw_rate_exponential_repaired = {
    .id = "fw-rate-exponential-repaired",
    .title = "exponential rate, steps bounded below",
    .statement = "Under the hypotheses of theorem 4.2, and with every gamma at least c > 0, the "
                 "distance of a token from the vertex of its cell after t steps is at most "
                 "(1 - c)^t times what it was.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B gamma c steps",
    .hypotheses =
        TROP_HYPOTHESES(TROP_FW_OWN_CELLS, TROP_FW_ONE_CELL, TROP_FW_STEPS,
                        { "bounded-below", "every gamma is at least c > 0", .judge = bounded_below,
                          .broken = "one gamma is c / 2", .edit = "gamma[1] = c / 2" }),
    .run = { draw_bounded, trop_fw_work_path, conclude_bounded },
    /* Just too slow for (1 - c)^t. */
    .spoils =
        TROP_SPOILS({ "gamma = .999 c at every step", NULL, .edit = "work with gamma = .999 * c" }),
    .trials = 100,
};

const struct trop_claim trop_fw_rate_superexp = {
    .id = "fw-rate-superexp",
    .title = "super-exponential rate",
    .statement = "Under the hypotheses of theorem 4.2 and with gamma^t = 1 - exp(-a (t + 1)), the "
                 "distance of a token from the vertex of its cell after t steps is "
                 "exp(-a t (t + 1) / 2) times what it was.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Once that is below the rounding of the tokens only rounding is seen.",
    .inputs = "tokens B a steps",
    .hypotheses =
        TROP_HYPOTHESES(TROP_FW_OWN_CELLS, TROP_FW_ONE_CELL, STEP_SIZES,
                        { "fast-steps", "gamma is 1 - exp(-a (t + 1))", .judge = super_steps,
                          .broken = "one gamma is halved", .edit = "gamma[1] *= .5" }),
    .run = { draw_super, trop_fw_work_path, conclude_super },
    .spoils = TROP_SPOILS(
        { "every gamma smaller by a millionth", NULL, .edit = "work with gamma *= 1 - 1e-6" }),
    .trials = 100,
};
