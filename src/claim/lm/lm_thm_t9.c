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

#include "base/alloc.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

enum { USE_SIZE = 32, USE_PLACE, USE_NUMBER };

#define STEPS 25

/* ---- the instance: v1 and v2 nearly opposite, z near their mean ---- */

/* Lengths b/a and 1, so that the mean by mass is near the origin, where it hears both; or 1.6 times
 * the first, which puts the mean at .3 or more, where the scores of the points are .78 apart. */
static enum trop_status draw_points(struct trop_case *c, int64_t d)
{
    const double longer =
        (c->trial % 2 ? 1.6 : 1) * trop_case_number(c, "second") / trop_case_number(c, "first");
    double *v = NULL;
    enum trop_status status = trop_case_make(&v, c, "points", 2, d, 0);

    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
        v[a] = (a == 0 ? longer : 0) + .05 * trop_case_normal(c, USE_PLACE, a);
        v[d + a] = (a == 0 ? -1 : 0) + .05 * trop_case_normal(c, USE_PLACE, d + a);
    }
    return status;
}

/* A token that starts beside the mean by an eighth of epsilon. */
static enum trop_status draw_offset(struct trop_case *c, int64_t d)
{
    double *offset = NULL;
    enum trop_status status = trop_case_make(&offset, c, "offset", d, 0, 0);

    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
        offset[a] =
            trop_case_number(c, "epsilon") * (trop_case_uniform(c, USE_PLACE, 64 + a) - .5) / 4;
    }
    return status;
}

/* What a person gave must fit together. */
static enum trop_status check(const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "points", 1);
    const int has_shape = trop_case_size(c, "points", 0) == 2 && d > 0 &&
                          trop_case_size(c, "offset", 0) == d &&
                          (!trop_case_has(c, "A") ||
                           (trop_case_size(c, "A", 0) == d && trop_case_size(c, "A", 1) == d));

    if (!has_shape) {
        return trop_fail(TROP_ERR_ARG, "points, offset, A: must be (2, d), (d) and (d, d)");
    }
    if (!(trop_case_number(c, "first") >= 1 && trop_case_number(c, "second") >= 1)) {
        return trop_fail(TROP_ERR_ARG, "first, second: must be at least 1");
    }
    return TROP_OK;
}

static enum trop_status draw(struct trop_case *c)
{
    const int64_t d =
        trop_case_has(c, "points") ? trop_case_size(c, "points", 1) : 2 + c->trial % 3;
    const double copies = 1 + (double)trop_case_pick(c, USE_SIZE, 0, 3);
    const double more = (double)trop_case_pick(c, USE_SIZE, 1, 2);
    enum trop_status status = trop_case_default(c, "gamma", .2 + .6 * trop_case_uniform(c, 16, 0));

    if (status == TROP_OK) {
        status = trop_case_default(c, "epsilon", .2 + .2 * trop_case_uniform(c, USE_NUMBER, 0));
    }
    if (status == TROP_OK) {
        status = trop_tokens_count(c, "first", copies, 1, 1e3);
    }
    if (status == TROP_OK) {
        status = trop_tokens_count(c, "second", copies + more, 1, 1e3);
    }
    if (status == TROP_OK && !trop_case_has(c, "points")) {
        status = draw_points(c, d);
    }
    if (status == TROP_OK && !trop_case_has(c, "offset")) {
        status = draw_offset(c, d);
    }
    return status == TROP_OK ? check(c) : status;
}

/* zbar + share offset. */
static void place(double *z, const struct trop_case *c, double share)
{
    const double *v = trop_case_array(c, "points"), *offset = trop_case_array(c, "offset");
    const int64_t d = trop_case_size(c, "points", 1);
    const double a = trop_case_number(c, "first"), b = trop_case_number(c, "second");

    for (int64_t k = 0; k < d; k++) {
        z[k] = (a * v[k] + b * v[d + k]) / (a + b) + share * offset[k];
    }
}

/* "tokens": a times v1, b times v2, and z. */
static enum trop_status set_tokens(struct trop_case *c, double share)
{
    const int64_t a = trop_case_integer(c, "first"), b = trop_case_integer(c, "second");
    const int64_t d = trop_case_size(c, "points", 1);
    const double *v = trop_case_array(c, "points");
    double *x = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", a + b + 1, d, 0);

    for (int64_t i = 0; status == TROP_OK && i < a + b; i++) {
        memcpy(x + i * d, v + (i < a ? 0 : d), (size_t)d * sizeof *x);
    }
    if (status == TROP_OK) {
        place(x + (a + b) * d, c, share);
    }
    return status;
}

/* One step from zbar, "rest", and the path from beside it. */
static enum trop_status work(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "points", 1);
    double *rest = NULL;
    enum trop_status status = trop_case_put(c, "steps", 1);

    if (status == TROP_OK) {
        status = set_tokens(c, 0);
    }
    if (status == TROP_OK) {
        status = trop_lm_flow(c);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&rest, c, "rest", d, 0, 0);
    }
    if (status == TROP_OK) {
        const int64_t n = trop_case_size(c, "path", 1);
        memcpy(rest, trop_case_array(c, "path") + (2 * n - 1) * d, (size_t)d * sizeof *rest);
        status = trop_case_put(c, "steps", STEPS);
    }
    if (status == TROP_OK) {
        status = set_tokens(c, 1);
    }
    return status == TROP_OK ? trop_lm_flow(c) : status;
}

/* ---- hypotheses ---- */

static double *mean_of(const struct trop_case *c, double share)
{
    double *z = trop_alloc(trop_case_size(c, "points", 1), sizeof *z);

    if (z) {
        place(z, c, share);
    }
    return z;
}

/* <A zbar, v1 - v2> at zbar + share offset. */
static double lead_of(const struct trop_case *c, double share)
{
    const double *A = trop_case_array(c, "A"), *v = trop_case_array(c, "points");
    const int64_t d = trop_case_size(c, "points", 1);
    double *z = mean_of(c, share);
    const double lead = z ? trop_lm_form(A, z, v, d) - trop_lm_form(A, z, v + d, d) : (double)NAN;

    trop_alloc_free(z);
    return lead;
}

static double error_of(const struct trop_case *c)
{
    const double R =
        trop_tokens_radius(trop_case_array(c, "points"), 2, trop_case_size(c, "points", 1));

    return 64 * 2.2e-16 * trop_lm_size(c) * R * R * (double)trop_case_size(c, "points", 1);
}

static enum trop_status frozen(struct trop_judge *judge, const struct trop_case *c)
{
    const double *A = trop_case_array(c, "A"), *v = trop_case_array(c, "points");
    const int64_t d = trop_case_size(c, "points", 1);
    const double eps = trop_case_number(c, "epsilon");

    for (int64_t k = 0; k < 2; k++) {
        const double *p = v + k * d, own = trop_lm_form(A, p, p, d);
        trop_judge_at_least(judge, "lead of a point over the other", -1,
                            own - trop_lm_form(A, p, v + (1 - k) * d, d), eps, error_of(c));
        for (int64_t share = 0; share < 2; share++) {
            double *z = mean_of(c, (double)share);
            trop_judge_at_least(judge, "lead of a point over the token between", -1,
                                z ? own - trop_lm_form(A, p, z, d) : (double)NAN, eps, error_of(c));
            trop_alloc_free(z);
        }
    }
    return TROP_OK;
}

/* Neither zbar nor z(0) is at the edge of hearing both, and z(0) does so if zbar does. */
static enum trop_status decided(struct trop_judge *judge, const struct trop_case *c)
{
    const double eps = trop_case_number(c, "epsilon");
    const double rest = eps - fabs(lead_of(c, 0)), start = eps - fabs(lead_of(c, 1));

    trop_judge_at_least(judge, "distance of zbar from the edge of hearing both", -1, fabs(rest), 0,
                        error_of(c));
    trop_judge_at_least(judge, "the same of the start", -1, rest > 0 ? start : 1, 0, error_of(c));
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_LM_STEP_SIZE,
    { "frozen", "the two points hear neither each other nor the token between", frozen, 0 },
    { "decided", "the mean is not at the edge of hearing both points, nor is the start beside it",
      decided, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

static void judge_contraction(struct trop_judge *judge, const struct trop_case *c,
                              const double *zbar)
{
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *z = trop_case_array(c, "path") + (n - 1) * d;
    const double factor = 1 - trop_case_number(c, "gamma") * (1 - 1 / (double)n);
    double share = 1;

    for (int64_t t = 0; t <= steps; t++) {
        double squares = 0;
        for (int64_t a = 0; a < d; a++) {
            const double gap = z[t * n * d + a] - zbar[a] - share * (z[a] - zbar[a]);
            squares += gap * gap;
        }
        trop_judge_at_most(judge, "distance from zbar + (1-gamma(1-1/c))^t (z - zbar)", t,
                           sqrt(squares), 0, (double)(t + 1) * trop_lm_step_error(c));
        share *= factor;
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "points"), *A = trop_case_array(c, "A");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double *path = trop_case_array(c, "path"), gamma = trop_case_number(c, "gamma");
    const double eps = trop_case_number(c, "epsilon"), error = trop_lm_step_error(c);
    double *zbar = mean_of(c, 0);

    if (!zbar) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a point");
    }
    const double moved = trop_tokens_distance(trop_case_array(c, "rest"), zbar, d);
    if (trop_case_number(c, "first") == trop_case_number(c, "second")) {
        /* With equal masses the condition depends on the norms alone. */
        const double norms = trop_lm_form(A, v, v, d) - trop_lm_form(A, v + d, v + d, d);
        trop_judge_near(judge, "<A zbar, v1 - v2> against half the difference of squares", -1,
                        lead_of(c, 0), norms / 2, error_of(c));
    }
    if (fabs(lead_of(c, 0)) <= eps) {
        trop_judge_at_most(judge, "step of zbar, at rest", 1, moved, 0, error);
        judge_contraction(judge, c, zbar);
        for (int64_t i = 0; i < n - 1; i++) {
            const double *end = path + ((trop_case_size(c, "path", 0) - 1) * n + i) * d;
            trop_judge_at_most(judge, "how far a point has moved", -1,
                               trop_tokens_distance(end, path + i * d, d), 0, 0);
        }
    } else {
        const double *to = lead_of(c, 0) > 0 ? v : v + d;
        trop_judge_at_least(judge, "step of zbar, not at rest", 1, moved,
                            .5 * gamma * trop_tokens_distance(to, zbar, d), error);
    }
    trop_alloc_free(zbar);
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status other_rest(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "points", 1);
    double *rest = trop_case_array(c, "rest"), *zbar = mean_of(c, 0);

    if (!zbar) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a point");
    }
    /* zbar moves by 1e-6: too far if it should rest, and not far enough if it should move. */
    for (int64_t a = 0; a < d; a++) {
        rest[a] = zbar[a] + (a == 0 ? 1e-6 : 0);
    }
    trop_alloc_free(zbar);
    return TROP_OK;
}

static enum trop_status other_factor(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);

    trop_case_array(c, "path")[(2 * n - 1) * d] += 1e-6;
    return TROP_OK;
}

static enum trop_status near_points(struct trop_case *c)
{
    double *v = trop_case_array(c, "points");
    const int64_t d = trop_case_size(c, "points", 1);

    /* Both within .1 of the origin: they hear everything, and the mean hears them. */
    for (int64_t k = 0; k < 2 * d; k++) {
        v[k] *= .05;
    }
    return TROP_OK;
}

static enum trop_status one_sided(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "points", 1);
    double *offset = trop_case_array(c, "offset"), *v = trop_case_array(c, "points");

    /* The start goes so far towards v2 that it hears v2 alone, and v2 does not hear it. */
    for (int64_t a = 0; a < d; a++) {
        offset[a] = .55 * (v[d + a] - v[a]) / 2;
    }
    return TROP_OK;
}

static const struct trop_spoil spoils[] = {
    { "zbar moves by 1e-6", NULL, other_rest },
    { "the token between is off by 1e-6 after a step", NULL, other_factor },
    { "gamma = 1.25", "step-size", trop_lm_draw_wrong_gamma },
    { "both points within .1 of the origin", "frozen", near_points },
    { "the start hears one point alone", "decided", one_sided },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "points", "(2, d)", "v1 and v2" },
    { "offset", "(d)", "of the token between from the mean of the points by mass" },
    { "first", "", "tokens at v1" },
    { "second", "", "tokens at v2" },
    { "A", "(d, d)", "matrix of the scores; the identity when absent" },
    { "gamma", "", "step size" },
    { "epsilon", "", "alignment sensitivity" },
    { 0 },
};

const struct trop_claim trop_lm_thm_t9 = {
    .id = "lm-thm-t9",
    .title = "robust limits that are no vertices",
    .statement = "The mean by mass, zbar, of two points that do not move is at rest if and only if "
                 "|<A zbar, v1 - v2>| <= eps, and a token beside it that hears both and itself "
                 "comes nearer by the factor 1 - gamma (1 - 1/c), c the number it hears.",
    .status = TROP_CLAIM_PROVED,
    .remark = "For equal masses the condition is | |v1|_A^2 - |v2|_A^2 |/2 <= eps. Both directions "
              "are drawn.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
