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

#include <float.h>
#include <math.h>

#define TURN 0x1.921fb54442d18p+2 /* 2 pi */
#define DIRECTIONS 64

/* A polygon with uneven angles, a token at .6 v_0, and tokens in the disc of radius .8. */
static void draw_tokens(struct trop_case *c, int64_t kappa, int64_t inner)
{
    double *x = trop_case_zeros(c, "tokens", kappa + inner, 2, 0);

    for (int64_t i = 0; i < kappa + inner; i++) {
        const double turn = i < kappa
                                ? ((double)i + .2 * trop_case_uniform(c, 17, i)) / (double)kappa
                                : trop_case_uniform(c, 17, i);
        const double r = i < kappa ? 1 : .8 * sqrt(trop_case_uniform(c, 18, i));
        x[2 * i] = i == kappa ? .6 * x[0] : r * trop_cos(TURN * turn);
        x[2 * i + 1] = i == kappa ? .6 * x[1] : r * trop_sin(TURN * turn);
    }
}

static void draw(struct trop_case *c)
{
    if (!trop_case_has(c, "tokens")) {
        draw_tokens(c, 3 + trop_case_pick(c, 16, 0, 5), 10 + trop_case_pick(c, 16, 1, 20));
    }
    trop_sample_shape(c, "tokens", trop_case_size(c, "tokens", 0), 2, 0);
    trop_tokens_check(c);
    trop_case_default(c, "eta", .04 * trop_case_uniform(c, 16, 2));
    trop_case_default(c, "delta", .02 + .04 * trop_case_uniform(c, 16, 3));
}

/* "eroded" (n): the token whose eroded cone each token is in, -1: none. */
static void work(struct trop_case *c)
{
    trop_case_take(
        c, "eroded", trop_cells_field_table(),
        trop_case_cells(c, trop_case_view(c, "tokens"), NULL, "eta=@eta erode=@delta threads=1"),
        "eroded");
}

/* ---- the conclusion ---- */

struct polygon {
    const double *x;       /* (n, 2) */
    const int64_t *corner; /* (count): the vertices counterclockwise */
    int64_t count;
    double eta, delta, radius; /* of the cones, of the disc, of the tokens */
    double near;               /* the nearest pair of corners, by which slacks are divided */
};

/* The least slack of y in the inequalities of I_i(eta) eroded by delta, over the lengths of the
 * normals. */
static double slack(const struct polygon *p, int64_t i, const double y[2], double delta)
{
    const double *v = p->x + 2 * p->corner[i];
    double least = INFINITY;

    for (int64_t k = 0; k < p->count; k++) {
        const double *w = p->x + 2 * p->corner[k];
        const double *next = p->x + 2 * p->corner[(k + 1) % p->count];
        const double side = trop_tokens_distance(w, next, 2);
        const double inside =
            ((next[0] - w[0]) * (y[1] - w[1]) - (next[1] - w[1]) * (y[0] - w[0])) / side;
        least = fmin(least, inside - delta);
        if (k != i) {
            const double lead = (v[0] - w[0]) * y[0] + (v[1] - w[1]) * y[1];
            least = fmin(least, (lead - p->eta) / trop_tokens_distance(v, w, 2) - delta);
        }
    }
    return least;
}

/* The least slack of points on the circle. */
static double on_circle(const struct polygon *p, int64_t i, const double y[2])
{
    double least = INFINITY;

    for (int64_t k = 0; k < DIRECTIONS; k++) {
        const double angle = TURN * (double)k / DIRECTIONS;
        const double point[2] = { y[0] + p->delta * trop_cos(angle),
                                  y[1] + p->delta * trop_sin(angle) };
        least = fmin(least, slack(p, i, point, 0));
    }
    return least;
}

static void conclude_token(struct trop_judge *judge, const struct polygon *p, int64_t at,
                           double eroded)
{
    const double *y = p->x + 2 * at, most = p->radius + p->delta;
    const double rounding = 16 * DBL_EPSILON * (most + (most * most + p->eta) / p->near);

    for (int64_t i = 0; i < p->count; i++) {
        const double s = slack(p, i, y, p->delta), t = on_circle(p, i, y);
        trop_judge_at_least(judge, "slack on the circle", at, t, s, rounding);
        trop_judge_at_most(judge, "slack on the circle", at, t,
                           s + p->delta * (1 - trop_cos(TURN / (2 * DIRECTIONS))), rounding);
        if (eroded == (double)p->corner[i]) {
            trop_judge_at_least(judge, "slack of a token in the eroded cone", at, s, 0, rounding);
        } else {
            trop_judge_at_most(judge, "slack of a token outside it", at, s, 0, rounding);
        }
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    struct polygon p = { .x = x.at,
                         .eta = trop_case_number(c, "eta"),
                         .delta = trop_case_number(c, "delta"),
                         .radius = trop_tokens_radius_of(x),
                         .near = INFINITY };

    p.count = trop_hull_outline(&p.corner, trop_case_hull(c, x.at, x.rows, 2));
    for (int64_t i = 0; i < p.count; i++) {
        for (int64_t k = 0; k < i; k++) {
            p.near = fmin(p.near, trop_tokens_distance(trop_case_view_row(x, p.corner[i]),
                                                       trop_case_view_row(x, p.corner[k]), 2));
        }
    }
    for (int64_t at = 0; at < x.rows && p.count > 2; at++) {
        conclude_token(judge, &p, at, trop_case_array(c, "eroded")[at]);
    }
}

const struct trop_claim trop_fw_rem_erosion = {
    .id = "fw-rem-erosion",
    .title = "eroded cones by inequalities",
    .statement = "A point x is in I_i(eta) eroded by delta exactly when <v_i - v_j, x> >= eta + "
                 "delta |v_i - v_j| for all j and x is at least delta inside the hull.",
    .status = TROP_CLAIM_PROVED,
    .remark = "In the plane, for every token and vertex: the inequalities against 64 points of the "
              "circle around the token, and against the library's labels.",
    .inputs = "tokens eta delta",
    .hypotheses = TROP_HYPOTHESES({ "radii", "eta and delta are not negative",
                                    .holds = "eta >= 0; delta >= 0", .broken = "delta = -.1",
                                    .edit = "delta = -.1" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "cones that are not eroded", NULL, .edit = "work with delta = 0" },
                          { "every token in no cone", NULL, .edit = "eroded = -1" }),
    .trials = 40,
};
