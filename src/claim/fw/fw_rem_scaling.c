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
#include "claim/tokens.h"

#include <float.h>
#include <math.h>

#define STEPS 4

/* ---- instances ---- */

/* B turns the first two coordinates and stretches, so that Q, a turn of the same plane and signs
 * elsewhere, commutes with it; B is not symmetric. */
static enum trop_status draw_map(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1), n = trop_case_size(c, "tokens", 0);
    const double angle = 6 * trop_case_uniform(c, 16, 0);
    double *q = NULL, *order = NULL;
    enum trop_status status = TROP_OK;

    if (!trop_case_has(c, "Q")) {
        status = trop_case_make(&q, c, "Q", d, d, 0);
    }
    for (int64_t a = 0; q && a < d; a++) {
        q[a * d + a] = a < 2 && d > 1 ? trop_cos(angle) : 1 - 2 * (double)(a % 2);
    }
    if (q && d > 1) {
        q[d] = trop_sin(angle);
        q[1] = -q[d];
    }
    if (status == TROP_OK && !trop_case_has(c, "order")) {
        status = trop_case_make(&order, c, "order", n, 0, 0);
    }
    for (int64_t i = 0; order && i < n; i++) {
        order[i] = (double)((i + 1) % n);
    }
    return status;
}

static enum trop_status draw_matrix(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *b = NULL;

    if (trop_case_has(c, "B")) {
        return trop_fw_draw_fits(c, "B", d);
    }
    enum trop_status status = trop_case_make(&b, c, "B", d, d, 0);
    for (int64_t a = 0; status == TROP_OK && a < d; a++) {
        b[a * d + a] = 2 * trop_case_uniform(c, 17, a < 2 ? 0 : a) - .7;
    }
    if (status == TROP_OK && d > 1) {
        b[d] = trop_case_uniform(c, 17, 8) - .5;
        b[1] = -b[d];
    }
    return status;
}

static enum trop_status draw(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_uniform(c, 4 + trop_case_pick(c, 18, 0, 8),
                            trop_fw_draw_dimension(c, 2 + trop_case_pick(c, 18, 1, 3)));

    if (status == TROP_OK) {
        status = draw_matrix(c);
    }
    if (status == TROP_OK) {
        status = draw_map(c);
    }
    if (status == TROP_OK) {
        status = trop_case_default(
            c, "s", (c->trial % 2 ? -1 : 1) * (.2 + 4 * trop_case_uniform(c, 16, 1)));
    }
    return status == TROP_OK ? trop_fw_draw_gamma(c, STEPS, .1, .9) : status;
}

static enum trop_status draw_soft(struct trop_case *c)
{
    enum trop_status status = draw(c);

    return status == TROP_OK ? trop_case_default(c, "beta", .2 + 2 * trop_case_uniform(c, 16, 2))
                             : status;
}

/* ---- work: "path", and "image" from the mapped start ---- */

/* s Q x of every token, in the order that the case has: out (n, d). */
static void map(double *out, const struct trop_case *c, const double *x)
{
    const double *q = trop_case_array(c, "Q"), *order = trop_case_array(c, "order");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double s = trop_case_number(c, "s");

    for (int64_t k = 0; k < n * d; k++) {
        const double *from = x + (int64_t)order[k / d] * d;
        out[k] = 0;
        for (int64_t a = 0; a < d; a++) {
            out[k] += q[k % d * d + a] * from[a];
        }
        out[k] *= s;
    }
}

/* Hardmax, or softmax when there is a beta. */
static enum trop_status flow(struct trop_case *c, double beta_factor)
{
    struct trop_flow_options o =
        trop_fw_work_options(c, trop_case_has(c, "beta") ? TROP_RULE_SOFTMAX : TROP_RULE_HARDMAX);

    o.beta.a *= beta_factor;
    return trop_tokens_flow(c, &o, trop_case_integer(c, "steps"));
}

/* The path from the mapped start, at beta_factor beta / s^2. */
static enum trop_status make_image(struct trop_case *c, double beta_factor)
{
    const double s = trop_case_number(c, "s");
    struct trop_case *other = NULL;
    enum trop_status status = trop_case_copy(&other, c);

    if (status == TROP_OK) {
        map(trop_case_array(other, "tokens"), c, trop_case_array(c, "tokens"));
        status = flow(other, beta_factor / (s * s));
    }
    if (status == TROP_OK) {
        status = trop_fw_work_take(c, "image", other);
    }
    trop_case_free(other);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    enum trop_status status = flow(c, 1);

    return status == TROP_OK ? make_image(c, 1) : status;
}

/* ---- hypotheses ---- */

static double matrix_norm(const struct trop_case *c)
{
    return trop_fw_norm(trop_case_array(c, "B"), trop_case_size(c, "B", 0));
}

/* |Q A Q' - A| in its largest entry; a (d, d). */
static double commutator(const double *q, const double *a, int64_t d)
{
    double largest = 0;

    for (int64_t k = 0; k < d * d; k++) {
        double sum = 0;
        for (int64_t e = 0; e < d * d; e++) {
            sum += q[k / d * d + e / d] * a[e] * q[k % d * d + e % d];
        }
        largest = fmax(largest, fabs(sum - a[k]));
    }
    return largest;
}

static enum trop_status commutes(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "B", 0);

    if (trop_case_size(c, "Q", 0) != d || trop_case_size(c, "Q", 1) != d) {
        trop_judge_truth(judge, "Q has the shape of B", -1, 0);
        return TROP_OK;
    }
    trop_judge_at_most(judge, "largest entry of Q B Q' - B", -1,
                       commutator(trop_case_array(c, "Q"), trop_case_array(c, "B"), d),
                       8 * (double)d * DBL_EPSILON * (1 + matrix_norm(c)), 0);
    return TROP_OK;
}

static enum trop_status orthogonal(struct trop_judge *judge, const struct trop_case *c)
{
    const double *q = trop_case_array(c, "Q");
    const int64_t d = trop_case_size(c, "Q", 1);

    for (int64_t k = 0; k < d * trop_case_size(c, "Q", 0); k++) {
        double sum = 0;
        for (int64_t a = 0; a < d; a++) {
            sum += q[k / d * d + a] * q[k % d * d + a];
        }
        trop_judge_at_most(judge, "an entry of Q Q' - I", -1, fabs(sum - (k % (d + 1) == 0)),
                           4 * (double)d * DBL_EPSILON, 0);
    }
    return TROP_OK;
}

/* The order is a permutation: every token appears in it once. */
static enum trop_status renumbering(struct trop_judge *judge, const struct trop_case *c)
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
    return TROP_OK;
}

/* The image of moderate tokens is moderate, and so are s^2 and beta / s^2. */
static enum trop_status moderate(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "s is from 1e-50 to 1e50 in size", -1,
                     trop_tokens_moderate(trop_case_number(c, "s")));
    return TROP_OK;
}

/* Rounding errors of the path and its image after t steps, in the size of the path. */
static double error_of(const struct trop_case *c, int64_t t)
{
    const double *path = trop_case_array(c, "path");
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double radius = trop_tokens_radius(path, n, d), one = 16 * (double)d * DBL_EPSILON,
                 beta = trop_case_has(c, "beta") ? fabs(trop_case_number(c, "beta")) : 0,
                 spread = 1 + 4 * beta * matrix_norm(c) * radius * radius;
    double error = 2 * one;

    for (int64_t k = 0; k < t; k++) {
        error = spread * error + one;
    }
    return error * radius;
}

static enum trop_status clear_leaders(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *b = trop_case_array(c, "B");
    const int64_t steps = trop_case_size(c, "path", 0) - 1;
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    const double radius = trop_tokens_radius(path, n, d);

    for (int64_t k = 0; k < steps * n; k++) {
        const double *x = path + k / n * n * d;
        double lead = 0;
        trop_fw_leader(&lead, b, x + k % n * d, x, n, d);
        trop_judge_at_least(judge, "lead of a token's leader", k / n, lead,
                            DBL_MIN + 4 * matrix_norm(c) * radius * error_of(c, k / n),
                            trop_fw_score_error(b, radius, d));
    }
    return TROP_OK;
}

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *path = trop_case_array(c, "path"), *image = trop_case_array(c, "image");
    const int64_t rows = trop_case_size(c, "path", 0);
    const int64_t n = trop_case_size(c, "path", 1), d = trop_case_size(c, "path", 2);
    struct trop_case *scratch = NULL;
    const double s = fabs(trop_case_number(c, "s")), diameter = trop_tokens_diameter(path, n, d);
    const double size = diameter > 0 ? diameter : trop_tokens_radius(path, n, d);
    double *mapped = NULL;
    enum trop_status status = trop_case_create(&scratch, 0, 0, 0, 1);

    if (status == TROP_OK) {
        status = trop_case_make(&mapped, scratch, "mapped", n, d, 0);
    }
    for (int64_t k = 0; status == TROP_OK && k < rows * n; k++) {
        if (k % n == 0) {
            map(mapped, c, path + k * d);
        }
        trop_judge_at_most(judge, "distance of the image of a token from the path of the image",
                           k / n, trop_tokens_distance(mapped + k % n * d, image + k * d, d), 0,
                           s * trop_tokens_allow(error_of(c, k / n), size));
    }
    trop_case_free(scratch);
    return status;
}

/* ---- ways to be wrong ---- */

/* The amount is relative to the size of the image. */
static enum trop_status nudge(struct trop_case *c)
{
    const int64_t rows = trop_case_size(c, "image", 0), n = trop_case_size(c, "image", 1),
                  d = trop_case_size(c, "image", 2);

    trop_case_array(c, "image")[(rows - 1) * n * d] += 1e-6 * fabs(trop_case_number(c, "s"));
    return TROP_OK;
}

static enum trop_status wrong_beta(struct trop_case *c)
{
    return make_image(c, 1 + 1e-4);
}

static enum trop_status other_matrix(struct trop_case *c)
{
    trop_case_array(c, "B")[0] += 1;
    return TROP_OK;
}

static enum trop_status no_size(struct trop_case *c)
{
    return trop_case_put(c, "s", 0);
}

static enum trop_status twice(struct trop_case *c)
{
    trop_case_array(c, "order")[0] = trop_case_array(c, "order")[1];
    return TROP_OK;
}

#define COMMUTES \
    { \
        "commutes", "Q B Q' = B, up to rounding", commutes, 0 \
    }
#define ORTHOGONAL \
    { \
        "orthogonal", "Q is orthogonal, up to rounding", orthogonal, 0 \
    }
#define MODERATE \
    { \
        "moderate", "s is not 0, and from 1e-50 to 1e50 in size", moderate, 0 \
    }
#define RENUMBERING \
    { \
        "renumbering", "order has every token once", renumbering, 0 \
    }

static const struct trop_hypothesis hypotheses[] = {
    COMMUTES,
    ORTHOGONAL,
    MODERATE,
    RENUMBERING,
    { "clear-leaders", "leads are above rounding at every step", clear_leaders, 1 },
    { 0 },
};

static const struct trop_hypothesis soft_hypotheses[] = {
    COMMUTES, ORTHOGONAL, MODERATE, RENUMBERING, { 0 }
};

static const struct trop_spoil spoils[] = {
    { "a token of the image moved by a millionth of s", NULL, nudge },
    { "an entry on the diagonal of B is larger by 1", "commutes", other_matrix },
    { "s is 0", "moderate", no_size },
    { "a token is there twice", "renumbering", twice },
    { 0 },
};

static const struct trop_spoil soft_spoils[] = {
    { "a token of the image moved by a millionth of s", NULL, nudge },
    { "beta of the image is off by 1e-4", NULL, wrong_beta },
    { "an entry on the diagonal of B is larger by 1", "commutes", other_matrix },
    { "s is 0", "moderate", no_size },
    { "a token is there twice", "renumbering", twice },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { "Q", "(d, d)", "orthogonal, commutes with B" },
    { "s", "", "factor" },
    { "order", "(n)", "which token each one becomes" },
    { 0 },
};

static const struct trop_input soft_inputs[] = {
    { "tokens", "(n, d)", "the cloud at step 0" },
    { "B", "(d, d)", "key-query matrix" },
    { "beta", "", "inverse temperature" },
    { "gamma", "(steps)", "step sizes" },
    { "steps", "", "of the flow" },
    { "Q", "(d, d)", "orthogonal, commutes with B" },
    { "s", "", "factor" },
    { "order", "(n)", "which token each one becomes" },
    { 0 },
};

const struct trop_claim trop_fw_rem_scaling = {
    .id = "fw-rem-scaling",
    .title = "symmetries of hardmax",
    .statement =
        "A hardmax path from tokens that are scaled by any s != 0, turned by an orthogonal "
        "Q that commutes with B, and renumbered, is the path scaled, turned and "
        "renumbered.",
    .status = TROP_CLAIM_PROVED,
    .remark = "The sign x -> -x is s = -1.",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_scaling_beta = {
    .id = "fw-rem-scaling-beta",
    .title = "symmetries of softmax layers",
    .statement = "A path of softmax layers at beta / s^2 from tokens that are scaled by s != 0, "
                 "turned by an orthogonal Q that commutes with B, and renumbered, is the path at "
                 "beta scaled, turned and renumbered.",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = soft_inputs,
    .hypotheses = soft_hypotheses,
    .old_draw = draw_soft,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = soft_spoils,
    .trials = 60,
};
