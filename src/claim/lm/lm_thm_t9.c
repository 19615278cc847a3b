/* lm_thm_t9.c -- limits that are no vertices.
 *
 * Two points v1, v2 that do not move, with a and b tokens on them, and one token z beside: with
 * zbar = (a v1 + b v2)/(a + b),
 *
 *   - zbar is at rest if and only if |<A zbar, v1 - v2>| <= eps; for a = b this is
 *     | |v1|_A^2 - |v2|_A^2 | / 2 <= eps. The score of z itself is between the two others, so z is
 *     in its own set when both points are. If one of them is not, z leaves by at least gamma/2
 * times its distance to the other;
 *   - a token that hears both points from z(0) on has c = a + b + 1 neighbours, itself one of them,
 *     and z(t) - zbar = (1 - gamma (1 - 1/c))^t (z(0) - zbar).
 *
 * The points do not move as long as <A v, v - w> > eps for the other point, for z(0) and for zbar,
 * which is linear in z, so that it holds on the way between. A is the identity or positive
 * definite. Half of the draws have norms that differ by more than eps: then zbar is not at rest.
 */
#include "claim/lm/lm.h"

#include <math.h>
#include <string.h>

enum { USE_SIZE = 32, USE_PLACE, USE_NUMBER };

#define STEPS 25

/* ---- the instance: v1 and v2 nearly opposite, z near their mean ---- */

/* Lengths b/a and 1, so that the mean by mass is near the origin, where it hears both; or 1.6 times
 * the first, which puts the mean at .3 or more, where the scores of the points are .78 apart. */
static void draw_points(struct trop_case *c, int64_t d)
{
    const double longer =
        (c->trial % 2 ? 1.6 : 1) * trop_case_number(c, "second") / trop_case_number(c, "first");
    double *v = trop_case_absent(c, "points", 2, d, 0);

    for (int64_t k = 0; v && k < 2 * d; k++) {
        v[k] = (k == 0 ? longer : k == d ? -1 : 0) + .05 * trop_case_normal(c, USE_PLACE, k);
    }
}

/* A token that starts beside the mean by an eighth of epsilon. */
static void draw_offset(struct trop_case *c, int64_t d)
{
    const double eps = trop_case_number(c, "epsilon");
    double *offset = trop_case_absent(c, "offset", d, 0, 0);

    for (int64_t a = 0; offset && a < d; a++) {
        offset[a] = eps * (trop_case_uniform(c, USE_PLACE, 64 + a) - .5) / 4;
    }
}

static void draw(struct trop_case *c)
{
    const double copies = 1 + (double)trop_case_pick(c, USE_SIZE, 0, 3);
    const double more = (double)trop_case_pick(c, USE_SIZE, 1, 2);

    trop_case_default(c, "gamma", .2 + .6 * trop_case_uniform(c, 16, 0));
    trop_case_default(c, "epsilon", .2 + .2 * trop_case_uniform(c, USE_NUMBER, 0));
    trop_tokens_count(c, "first", copies, 1, 1e3);
    trop_tokens_count(c, "second", copies + more, 1, 1e3);
    draw_points(c, 2 + c->trial % 3);
    const struct trop_view A = trop_case_view(c, "A");
    const int64_t d = trop_case_size(c, "points", 1);
    draw_offset(c, d);
    /* What a person gave must fit together. */
    if (trop_case_size(c, "points", 0) != 2 || d < 1 || trop_case_size(c, "offset", 0) != d ||
        (A.at && (A.rows != d || A.columns != d))) {
        trop_case_refuse(c, "points, offset, A: must be (2, d), (d) and (d, d)");
    }
}

/* zbar + share offset. */
static double *place(const struct trop_case *c, double share)
{
    const struct trop_view v = trop_case_view(c, "points");
    const double *offset = trop_case_array(c, "offset");
    const double a = trop_case_number(c, "first"), b = trop_case_number(c, "second");
    double *z = trop_case_scratch(c, v.columns);

    for (int64_t k = 0; k < v.columns; k++) {
        z[k] = (a * v.at[k] + b * v.at[v.columns + k]) / (a + b) + share * offset[k];
    }
    return z;
}

/* The path of a times v1, b times v2, and z. */
static void run_from(struct trop_case *c, double share, int64_t steps)
{
    const int64_t a = trop_case_integer(c, "first"), b = trop_case_integer(c, "second");
    const struct trop_view v = trop_case_view(c, "points");
    const double *z = place(c, share);
    double *x = trop_case_zeros(c, "tokens", a + b + 1, v.columns, 0);

    for (int64_t i = 0; i <= a + b; i++) {
        memcpy(x + i * v.columns, i == a + b ? z : trop_case_view_row(v, i >= a),
               (size_t)v.columns * sizeof *x);
    }
    trop_case_put(c, "steps", (double)steps);
    trop_lm_path(c);
}

/* One step from zbar, "rest", and the path from beside it. */
static void work(struct trop_case *c)
{
    run_from(c, 0, 1);
    const struct trop_view path = trop_case_view(c, "path");
    trop_case_copy_in(c, "rest", trop_lm_token(path, 1, path.columns - 1), path.depth, 0, 0);
    run_from(c, 1, STEPS);
}

/* ---- hypotheses ---- */

/* <A x, y>, before there are tokens. */
static double score(const struct trop_case *c, const double *x, const double *y)
{
    return trop_lm_form(trop_case_array(c, "A"), x, y, trop_case_size(c, "points", 1));
}

/* <A z, v1 - v2> at z = zbar + share offset. */
static double lead_of(const struct trop_case *c, double share)
{
    const struct trop_view v = trop_case_view(c, "points");
    const double *z = place(c, share);

    return score(c, z, v.at) - score(c, z, v.at + v.columns);
}

static double error_of(const struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "points");
    const double R = trop_tokens_radius_of(v);

    return 64 * 2.2e-16 * trop_lm_size(c) * R * R * (double)v.columns;
}

static void frozen(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "points");
    const double eps = trop_case_number(c, "epsilon");

    for (int64_t k = 0; k < 2; k++) {
        const double *p = trop_case_view_row(v, k), own = score(c, p, p);
        trop_judge_at_least(judge, "lead of a point over the other", -1,
                            own - score(c, p, trop_case_view_row(v, 1 - k)), eps, error_of(c));
        for (int64_t share = 0; share < 2; share++) {
            trop_judge_at_least(judge, "lead of a point over the token between", -1,
                                own - score(c, p, place(c, (double)share)), eps, error_of(c));
        }
    }
}

/* Neither zbar nor z(0) is at the edge of hearing both, and z(0) does so if zbar does. */
static void decided(struct trop_judge *judge, const struct trop_case *c)
{
    const double eps = trop_case_number(c, "epsilon");
    const double rest = eps - fabs(lead_of(c, 0)), start = eps - fabs(lead_of(c, 1));

    trop_judge_at_least(judge, "distance of zbar from the edge of hearing both", -1, fabs(rest), 0,
                        error_of(c));
    trop_judge_at_least(judge, "the same of the start", -1, rest > 0 ? start : 1, 0, error_of(c));
}

/* ---- the conclusion ---- */

static void judge_contraction(struct trop_judge *judge, const struct trop_case *c,
                              const double *zbar)
{
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns;
    double share = 1;

    for (int64_t t = 0; t < path.rows; t++) {
        trop_judge_at_most(judge, "distance from zbar + (1-gamma(1-1/c))^t (z - zbar)", t,
                           trop_lm_miss(trop_lm_token(path, t, n - 1), zbar, share,
                                        trop_lm_token(path, 0, n - 1), zbar, path.depth),
                           0, (double)(t + 1) * trop_lm_step_error(c));
        share *= 1 - trop_case_number(c, "gamma") * (1 - 1 / (double)n);
    }
}

static int is_symmetric(struct trop_view A)
{
    for (int64_t k = 0; k < A.rows * A.columns; k++) {
        if (A.at[k] != A.at[k % A.columns * A.columns + k / A.columns]) {
            return 0;
        }
    }
    return 1;
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double *v = trop_case_array(c, "points"), *w = v + path.depth, *zbar = place(c, 0);
    const double gamma = trop_case_number(c, "gamma"), error = trop_lm_step_error(c);
    const double lead = lead_of(c, 0);
    const double moved = trop_tokens_distance(trop_case_array(c, "rest"), zbar, path.depth);

    if (trop_case_number(c, "first") == trop_case_number(c, "second") &&
        is_symmetric(trop_case_view(c, "A"))) {
        /* With equal masses the condition depends on the norms alone. */
        trop_judge_near(judge, "<A zbar, v1 - v2> against half the difference of squares", -1, lead,
                        (score(c, v, v) - score(c, w, w)) / 2, error_of(c));
    }
    if (fabs(lead) > trop_case_number(c, "epsilon")) {
        trop_judge_at_least(judge, "step of zbar, not at rest", 1, moved,
                            .5 * gamma * trop_tokens_distance(lead > 0 ? v : w, zbar, path.depth),
                            error);
        return;
    }
    trop_judge_at_most(judge, "step of zbar, at rest", 1, moved, 0, error);
    judge_contraction(judge, c, zbar);
    for (int64_t i = 0; i < path.columns - 1; i++) {
        trop_judge_at_most(
            judge, "how far a point has moved", -1,
            trop_tokens_distance(trop_lm_token(path, -1, i), trop_lm_token(path, 0, i), path.depth),
            0, 0);
    }
}

const struct trop_claim trop_lm_thm_t9 = {
    .id = "lm-thm-t9",
    .title = "robust limits that are no vertices",
    .statement =
        "The mean by mass, zbar, of two points that do not move is at rest if and only if "
        "|<A zbar, v1 - v2>| <= eps, and a token beside it that attends to both and "
        "itself comes nearer by the factor 1 - gamma (1 - 1/c), c the number it attends to.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "For equal masses and a symmetric A the condition is | |v1|_A^2 - |v2|_A^2 |/2 <= eps. "
        "Both directions are drawn.",
    .inputs = "points offset first second A gamma epsilon",
    .hypotheses = TROP_HYPOTHESES(
        TROP_LM_STEP_SIZE,
        /* Points that near hear everything, and the mean hears them. */
        { "frozen", "the two points attend neither to each other nor to the token between",
          .judge = frozen, .broken = "both points within .1 of the origin",
          .edit = "points *= .05" },
        /* The start goes so far towards v2 that it hears v2 alone, and v2 does not hear it. */
        { "decided",
          "the mean is not at the edge of attending to both points, nor is the start beside it",
          .judge = decided, .broken = "the start attends to one point alone",
          .edit = "offset = .55 * (points[1] - points[0]) / 2" }),
    .run = { draw, work, conclude },
    .spoils =
        TROP_SPOILS(/* Too far if it should rest, and not far enough if it should move. */
                    { "zbar moves by 1e-6", NULL,
                      .edit = "rest = (first * points[0] + second * points[1]) / (first + second); "
                              "rest[0] += 1e-6" },
                    { "the token between is off by 1e-6 after a step", NULL,
                      .edit = "path[1,-1,0] += 1e-6" }),
    .trials = 100,
};
