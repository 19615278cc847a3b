/* fw_rem_scaling.c -- what attention does not see: size, turns, order, sign.
 *
 * Let T x = s Q x with an orthogonal Q that commutes with B, Q B Q' = B, and s != 0. Then
 * <B T x, T y> = s^2 <B x, y>: hardmax leaders are the same, softmax weights are the same at
 * beta / s^2, and averages commute with T, so that T of a path is the path from T of its start,
 * also when tokens are numbered in another order. s = -1 is the sign.
 *
 * Rounding. Both paths and T itself round; in the norm max_i |x_i| a hardmax step does not spread
 * errors as long as leaders are the same, and each adds at most 8 u R sqrt(d): after t steps the
 * two are within E_t = 32 d (t + 2) u s R, which includes T. Leaders are the same when every lead
 * is above what such an error makes of it, 4 |B| R E_t / s: a hypothesis on the path. A softmax
 * step spreads errors by at most 1 + 4 beta |B| R^2: an error e changes logits by at most 2 beta
 * |B| R e, weights by twice that in total, and their average by R times that.
 */
#include "claim/fw/fw.h"

#include "base/math/cos.h"
#include "base/math/sin.h"

#include <float.h>
#include <math.h>

/* ---- instances ---- */

/* B turns the first two coordinates and stretches, so that Q, a turn of the same plane and signs
 * elsewhere, commutes with it; B is not symmetric. */
static void draw_matrices(struct trop_case *c, int64_t d)
{
    const double angle = 6 * trop_case_uniform(c, 16, 0);
    double *b = trop_case_absent(c, "B", d, d, 0), *q = trop_case_absent(c, "Q", d, d, 0);

    for (int64_t a = 0; b && a < d; a++) {
        b[a * d + a] = 2 * trop_case_uniform(c, 17, a < 2 ? 0 : a) - .7;
    }
    for (int64_t a = 0; q && a < d; a++) {
        q[a * d + a] = a < 2 && d > 1 ? trop_cos(angle) : 1 - 2 * (double)(a % 2);
    }
    if (b && d > 1) {
        b[d] = trop_case_uniform(c, 17, 8) - .5;
        b[1] = -b[d];
    }
    if (q && d > 1) {
        q[d] = trop_sin(angle);
        q[1] = -q[d];
    }
}

static void draw(struct trop_case *c)
{
    trop_tokens_uniform(c, 4 + trop_case_pick(c, 18, 0, 8),
                        trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));
    const int64_t n = trop_case_size(c, "tokens", 0);
    double *order = trop_case_absent(c, "order", n, 0, 0);

    for (int64_t i = 0; order && i < n; i++) {
        order[i] = (double)((i + 1) % n);
    }
    draw_matrices(c, trop_case_size(c, "tokens", 1));
    trop_case_default(c, "s", (c->trial % 2 ? -1 : 1) * (.2 + 4 * trop_case_uniform(c, 16, 1)));
    trop_fw_draw_gamma(c, 4, .1, .9);
}

static void draw_soft(struct trop_case *c)
{
    draw(c);
    trop_case_default(c, "beta", .2 + 2 * trop_case_uniform(c, 16, 2));
}

/* ---- work: "path", and "image" from the mapped start ---- */

/* s Q x of every token, in the order that the case has: out (n, d). */
static void map(double *out, const struct trop_case *c, const double *x)
{
    const double *q = trop_case_array(c, "Q"), *order = trop_case_array(c, "order");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double s = trop_case_number(c, "s");

    for (int64_t k = 0; k < n * d; k++) {
        out[k] = s * trop_tokens_dot(q + k % d * d, x + (int64_t)order[k / d] * d, d);
    }
}

/* By hardmax layers, or softmax layers when there is a beta. */
static void make_path(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"),
                   "rule=%s key_query=@B beta=@beta gamma=@gamma",
                   trop_case_has(c, "beta") ? "softmax" : "hardmax");
}

static void work(struct trop_case *c)
{
    struct trop_case *other = trop_case_aside(c);
    const double s = trop_case_number(c, "s");

    make_path(c);
    map(trop_case_array(other, "tokens"), c, trop_case_array(c, "tokens"));
    if (trop_case_has(c, "beta")) {
        trop_case_put(other, "beta", trop_case_number(c, "beta") * (1 / (s * s)));
    }
    make_path(other);
    const struct trop_view image = trop_case_view(other, "path");
    trop_case_copy_in(c, "image", image.at, image.rows, image.columns, image.depth);
}

/* ---- hypotheses ---- */

/* The largest entry of Q B Q' - B. */
static void commutes(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view b = trop_case_view(c, "B"), q = trop_case_view(c, "Q");
    const int64_t d = b.rows;
    double largest = 0;

    if (q.rows != d || q.columns != d) {
        trop_judge_truth(judge, "Q has the shape of B", -1, 0);
        return;
    }
    for (int64_t k = 0; k < d * d; k++) {
        double sum = 0;
        for (int64_t e = 0; e < d * d; e++) {
            sum += q.at[k / d * d + e / d] * b.at[e] * q.at[k % d * d + e % d];
        }
        largest = fmax(largest, fabs(sum - b.at[k]));
    }
    trop_judge_at_most(judge, "largest entry of Q B Q' - B", -1, largest,
                       8 * (double)d * DBL_EPSILON * (1 + trop_fw_norm(c)), 0);
}

static void orthogonal(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view q = trop_case_view(c, "Q");
    const int64_t d = q.columns;

    for (int64_t k = 0; k < d * q.rows; k++) {
        const double product = trop_tokens_dot(q.at + k / d * d, q.at + k % d * d, d);
        trop_judge_at_most(judge, "an entry of Q Q' - I", -1, fabs(product - (k % (d + 1) == 0)),
                           4 * (double)d * DBL_EPSILON, 0);
    }
}

/* The order is a permutation: every token appears in it once. */
static void renumbering(struct trop_judge *judge, const struct trop_case *c)
{
    const double *order = trop_case_array(c, "order");
    const int64_t n = trop_case_size(c, "tokens", 0);
    int64_t once = trop_case_size(c, "order", 0) == n;

    for (int64_t i = 0; once && i < n; i++) {
        int64_t count = 0;
        for (int64_t k = 0; k < n; k++) {
            count += order[k] == (double)i;
        }
        once = count == 1;
    }
    trop_judge_truth(judge, "order has every token once", -1, once);
}

/* Rounding errors of the path and its image after t steps, in the size of the path. */
static double error_of(const struct trop_case *c, int64_t t)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double radius = trop_tokens_radius_of(trop_case_view_part(path, 0)),
                 one = 16 * (double)path.depth * DBL_EPSILON,
                 beta = trop_case_has(c, "beta") ? fabs(trop_case_number(c, "beta")) : 0,
                 spread = 1 + 4 * beta * trop_fw_norm(c) * radius * radius;
    double error = 2 * one;

    for (int64_t k = 0; k < t; k++) {
        error = spread * error + one;
    }
    return error * radius;
}

static void clear_leaders(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const struct trop_view first = trop_case_view_part(path, 0);

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const struct trop_view x = trop_case_view_part(path, t);
        for (int64_t i = 0; i < x.rows; i++) {
            trop_judge_at_least(judge, "lead of a token's leader", t, trop_fw_lead(c, x, i),
                                DBL_MIN + 4 * trop_fw_norm(c) * trop_tokens_radius_of(first) *
                                              error_of(c, t),
                                trop_fw_error(c, first));
        }
    }
}

/* clang-format off */
#define SYMMETRY \
    { "commutes", "Q B Q' = B, up to rounding", .judge = commutes, \
      .broken = "an entry on the diagonal of B is larger by 1", .edit = "B[0,0] += 1" }, \
    { "orthogonal", "Q is orthogonal, up to rounding", .judge = orthogonal }, \
    /* The image of moderate tokens is moderate then, and so are s^2 and beta / s^2. */ \
    { "moderate", "s is not 0, and from 1e-50 to 1e50 in size", \
      .holds = "s is from 1e-50 to 1e50 in size: abs(s) >= 1e-50 and abs(s) <= 1e50", \
      .broken = "s is 0", .edit = "s = 0" }, \
    { "renumbering", "order has every token once", .judge = renumbering, \
      .broken = "a token occurs twice", .edit = "order[0] = order[1]" }
/* clang-format on */

/* ---- the conclusion ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path"), image = trop_case_view(c, "image");
    const struct trop_view first = trop_case_view_part(path, 0);
    const int64_t n = path.columns, d = path.depth;
    const double s = fabs(trop_case_number(c, "s")), diameter = trop_tokens_diameter_of(first);
    const double size = diameter > 0 ? diameter : trop_tokens_radius_of(first);
    double *mapped = trop_case_scratch(c, n * d);

    for (int64_t t = 0; t < path.rows; t++) {
        map(mapped, c, trop_case_view_row(path, t));
        for (int64_t i = 0; i < n; i++) {
            trop_judge_at_most(
                judge, "distance of the image of a token from the path of the image", t,
                trop_tokens_distance(mapped + i * d, trop_case_view_row(image, t) + i * d, d), 0,
                s * trop_tokens_allow(error_of(c, t), size));
        }
    }
}

#define NUDGE \
    { \
        "a token of the image moved by a millionth of s", NULL, \
            .edit = "image[-1,0,0] += 1e-6 * s" \
    }

const struct trop_claim trop_fw_rem_scaling = {
    .id = "fw-rem-scaling",
    .title = "symmetries of hardmax",
    .statement =
        "A hardmax path from tokens that are scaled by any s != 0, turned by an orthogonal "
        "Q that commutes with B, and renumbered, is the path scaled, turned and "
        "renumbered.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The sign x -> -x is s = -1.",
    .inputs = "tokens B gamma steps Q s order",
    .hypotheses =
        TROP_HYPOTHESES(SYMMETRY, { "clear-leaders", "leads are above rounding at every step",
                                    .judge = clear_leaders, .late = 1 }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS(NUDGE),
    .trials = 60,
};

const struct trop_claim trop_fw_rem_scaling_beta = {
    .id = "fw-rem-scaling-beta",
    .title = "symmetries of softmax layers",
    .statement = "A path of softmax layers at beta / s^2 from tokens that are scaled by s != 0, "
                 "turned by an orthogonal Q that commutes with B, and renumbered, is the path at "
                 "beta scaled, turned and renumbered.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens B beta gamma steps Q s order",
    .hypotheses = TROP_HYPOTHESES(SYMMETRY),
    .run = { draw_soft, work, conclude },
    .spoils = TROP_SPOILS(NUDGE, { "beta of the image is off by 1e-4", NULL,
                                   .edit = "work image with beta *= 1 + 1e-4" }),
    .trials = 60,
};
