/* fw_rem_erosion.c -- eroded dominance cones by inequalities (Frank-Wolfe paper, section 5).
 *
 *   I_i(eta) = { x in K : <v_i - v_j, x> >= eta for all j },   A - delta B = { x : x + delta B in A
 * }.
 *
 * I_i(eta) is cut out by half-planes, and a disc is inside a half-plane when its centre is delta
 * away from the line: x is in the eroded cone exactly when
 *
 *   <v_i - v_j, x> >= eta + delta |v_i - v_j| for all j, and x is at least delta inside K.
 *
 * In the plane. s_i(x) is the least slack of these inequalities, over |v_i - v_j|; t_i(x) the least
 * slack, without delta, of points on the circle of radius delta around x. Of all directions one has
 * s_i = t_i; of DIRECTIONS even ones some direction is within pi/DIRECTIONS of the worst, so that
 * t_i exceeds s_i by at most delta (1 - cos(pi/DIRECTIONS)). The labels of trop_cells must be the i
 * with s_i >= 0. Rounding: 16 u R.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/cos.h"
#include "base/math/sin.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define DIRECTIONS 64

/* A polygon with uneven angles, a token at .6 v_0, and tokens in the disc of radius .8. */
static enum trop_status draw_tokens(struct trop_case *c, int64_t kappa, int64_t inner)
{
    double *x = NULL;
    enum trop_status status = trop_case_make(&x, c, "tokens", kappa + inner, 2, 0);

    for (int64_t i = 0; i < kappa + inner && status == TROP_OK; i++) {
        const double turn = i < kappa
                                ? ((double)i + .2 * trop_case_uniform(c, 17, i)) / (double)kappa
                                : trop_case_uniform(c, 17, i);
        const double r = i < kappa ? 1 : .8 * sqrt(trop_case_uniform(c, 18, i));
        x[2 * i] = i == kappa ? .6 * x[0] : r * trop_cos(TURN * turn);
        x[2 * i + 1] = i == kappa ? .6 * x[1] : r * trop_sin(TURN * turn);
    }
    return status;
}

static enum trop_status draw(struct trop_case *c)
{
    const int64_t kappa = 3 + trop_case_pick(c, 16, 0, 5);
    enum trop_status status =
        trop_case_has(c, "tokens")
            ? trop_fw_beta_shape(c, "tokens", trop_case_size(c, "tokens", 0), 2)
            : draw_tokens(c, kappa, 10 + trop_case_pick(c, 16, 1, 20));

    if (status == TROP_OK) {
        status = trop_tokens_check(c);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "eta", .04 * trop_case_uniform(c, 16, 2));
    }
    return status == TROP_OK
               ? trop_case_default(c, "delta", .02 + .04 * trop_case_uniform(c, 16, 3))
               : status;
}

/* "eroded" (n): the token whose eroded cone each token is in, -1: none. */
static enum trop_status label(struct trop_case *c, double delta)
{
    struct trop_cells_options o = trop_cells_options_default();
    struct trop_cells *cells = NULL;
    struct trop_value value = { 0 };
    double *eroded = NULL;

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = 2;
    o.cloud.tokens = trop_case_array(c, "tokens");
    o.eta = trop_case_number(c, "eta");
    o.erode = delta;
    o.threads = 1;
    enum trop_status status = trop_cells_create(&cells, &o);
    if (status == TROP_OK) {
        status = trop_cells_value(&value, cells, "eroded");
    }
    if (status == TROP_OK && value.kind != TROP_KIND_INTEGERS) {
        status = trop_fail(TROP_ERR_NUMERIC, "the cells have no eroded cones");
    }
    if (status == TROP_OK) {
        status = trop_case_make(&eroded, c, "eroded", o.cloud.n, 0, 0);
    }
    for (int64_t i = 0; i < o.cloud.n && status == TROP_OK; i++) {
        eroded[i] = (double)value.integers[i];
    }
    trop_cells_free(cells);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return label(c, trop_case_number(c, "delta"));
}

static enum trop_status radii(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "eta", -1, trop_case_number(c, "eta"), 0, 0);
    trop_judge_at_least(judge, "delta", -1, trop_case_number(c, "delta"), 0, 0);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "radii", "eta and delta are not negative", radii, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

/* The least slack of y in the inequalities of I_i(eta) eroded by delta, over the lengths of the
 * normals. corner (count): the vertices counterclockwise. */
static double slack(const struct trop_case *c, const int64_t *corner, int64_t count, int64_t i,
                    const double y[2], double delta)
{
    const double *x = trop_case_array(c, "tokens"), eta = trop_case_number(c, "eta");
    const double *v = x + 2 * corner[i];
    double least = INFINITY;

    for (int64_t k = 0; k < count; k++) {
        const double *w = x + 2 * corner[k], *next = x + 2 * corner[(k + 1) % count];
        const double side = trop_tokens_distance(w, next, 2);
        const double inside =
            ((next[0] - w[0]) * (y[1] - w[1]) - (next[1] - w[1]) * (y[0] - w[0])) / side;
        least = fmin(least, inside - delta);
        if (k != i) {
            const double lead = (v[0] - w[0]) * y[0] + (v[1] - w[1]) * y[1];
            least = fmin(least, (lead - eta) / trop_tokens_distance(v, w, 2) - delta);
        }
    }
    return least;
}

/* The least slack of points on the circle. */
static double on_circle(const struct trop_case *c, const int64_t *corner, int64_t count, int64_t i,
                        const double y[2], double delta)
{
    double least = INFINITY;

    for (int64_t k = 0; k < DIRECTIONS; k++) {
        const double angle = TURN * (double)k / DIRECTIONS;
        const double point[2] = { y[0] + delta * trop_cos(angle), y[1] + delta * trop_sin(angle) };
        least = fmin(least, slack(c, corner, count, i, point, 0));
    }
    return least;
}

static void conclude_token(struct trop_judge *judge, const struct trop_case *c,
                           const int64_t *corner, int64_t count, int64_t at)
{
    const double *y = trop_case_array(c, "tokens") + 2 * at;
    const double delta = trop_case_number(c, "delta");
    const double radius =
        trop_tokens_radius(trop_case_array(c, "tokens"), trop_case_size(c, "tokens", 0), 2);
    const double most = radius + delta, eta = trop_case_number(c, "eta");
    double near = INFINITY; /* the nearest pair of corners, by which slacks are divided */

    for (int64_t k = 0; k < count * count; k++) {
        const double *x = trop_case_array(c, "tokens"), *v = x + 2 * corner[k / count];
        const double gap = trop_tokens_distance(v, x + 2 * corner[k % count], 2);
        near = k / count == k % count ? near : fmin(near, gap);
    }
    const double rounding = 16 * DBL_EPSILON * (most + (most * most + eta) / near);

    for (int64_t i = 0; i < count; i++) {
        const double s = slack(c, corner, count, i, y, delta);
        const double t = on_circle(c, corner, count, i, y, delta);
        trop_judge_at_least(judge, "slack on the circle", at, t, s, rounding);
        trop_judge_at_most(judge, "slack on the circle", at, t,
                           s + delta * (1 - trop_cos(TURN / (2 * DIRECTIONS))), rounding);
        if (trop_case_array(c, "eroded")[at] == (double)corner[i]) {
            trop_judge_at_least(judge, "slack of a token in the eroded cone", at, s, 0, rounding);
        } else {
            trop_judge_at_most(judge, "slack of a token outside it", at, s, 0, rounding);
        }
    }
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    struct trop_hull *hull = NULL;
    const int64_t *corner = NULL;
    enum trop_status status = trop_hull_create(&hull, trop_case_array(c, "tokens"), n, 2, 1);
    const int64_t count = status == TROP_OK ? trop_hull_outline(&corner, hull) : 0;

    for (int64_t at = 0; at < n && count > 2; at++) {
        conclude_token(judge, c, corner, count, at);
    }
    trop_hull_free(hull);
    return status;
}

/* ---- ways to be wrong ---- */

static enum trop_status not_eroded(struct trop_case *c)
{
    return label(c, 0);
}

static enum trop_status misplaced(struct trop_case *c)
{
    double *eroded = trop_case_array(c, "eroded");

    for (int64_t i = 0; i < trop_case_size(c, "eroded", 0); i++) {
        eroded[i] = -1;
    }
    return TROP_OK;
}

static enum trop_status negative(struct trop_case *c)
{
    return trop_case_put(c, "delta", -.1);
}

static const struct trop_spoil spoils[] = {
    { "cones that are not eroded", NULL, not_eroded },
    { "every token in no cone", NULL, misplaced },
    { "delta = -.1", "radii", negative },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, 2)", "the cloud" },
    { "eta", "", "of the dominance cones" },
    { "delta", "", "radius of the erosion" },
    { 0 },
};

const struct trop_claim trop_fw_rem_erosion = {
    .id = "fw-rem-erosion",
    .title = "eroded cones by inequalities",
    .statement = "A point x is in I_i(eta) eroded by delta exactly when <v_i - v_j, x> >= eta + "
                 "delta |v_i - v_j| for all j and x is at least delta inside the hull.",
    .status = TROP_CLAIM_PROVED,
    .remark = "In the plane, for every token and vertex: the inequalities against 64 points of the "
              "circle around the token, and against the library's labels.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 40,
};
