/* fw_lem_group.c -- attention stays in its group (Frank-Wolfe paper, claim group.cluster.bound).
 *
 * Let c0 = min <v_i, v_i - v_j> and R = max |v_i| of the vertices. A token x_i = v + e that picks
 * x_j = w + f of another group, |e|, |f| <= r, has
 *
 *   a_ij <= e^(beta <x_i, x_j - x_i>),  <x_i, x_j - x_i> <= -c0 + 4 R r + r^2,
 *
 * for <v, w - v> <= -c0, <v, f - e> and <e, w - v> are at most 2 R r each, and <e, f> - |e|^2 <=
 * r^2/4. With 4 R r + 2 r^2 <= c0/2 all other groups together have at most n e^(-beta c0/2).
 *
 * The weights are the flow's own (trop_flow_weights). Rounding moves log a_ij by (2 d + 4) u |beta|
 * times the largest norm squared, and 8 u: the allowance is that much of the bound.
 */
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the instance: balls around points of a sphere ---- */

static double constant(double *radius, const struct trop_case *c)
{
    const double *v = trop_case_array(c, "vertices");
    const int64_t kappa = trop_case_size(c, "vertices", 0), d = trop_case_size(c, "vertices", 1);
    double c0 = INFINITY;

    for (int64_t i = 0; i < kappa; i++) {
        for (int64_t j = 0; j < kappa; j++) {
            const double gap =
                trop_tokens_dot(v + i * d, v + i * d, d) - trop_tokens_dot(v + i * d, v + j * d, d);
            c0 = i == j ? c0 : fmin(c0, gap);
        }
    }
    *radius = trop_tokens_radius(v, kappa, d);
    return c0;
}

/* The root of 4 R r + 2 r^2 = c0/2, times a share. */
static double radius_of(const struct trop_case *c, double share)
{
    double R = 0;
    const double c0 = constant(&R, c);

    return share * (sqrt(R * R + c0 / 4) - R);
}

static enum trop_status draw_vertices(struct trop_case *c, int64_t kappa, int64_t d)
{
    const double scale = .5 + 2 * trop_case_uniform(c, 16, 0);
    double *v = NULL;

    if (trop_case_has(c, "vertices")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&v, c, "vertices", kappa, d, 0);
    for (int64_t k = 0; k < kappa && status == TROP_OK; k++) {
        for (int64_t a = 0; a < d; a++) {
            v[k * d + a] = trop_case_normal(c, 17, k * d + a);
        }
        const double norm = sqrt(trop_tokens_dot(v + k * d, v + k * d, d));
        for (int64_t a = 0; a < d; a++) {
            v[k * d + a] *= scale / norm;
        }
    }
    return status;
}

/* Takes as vertices those of the given tokens that score highest with themselves. */
static enum trop_status choose_vertices(struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *v = NULL;
    int64_t kappa = 0;

    for (int64_t pass = 0; pass < 2; pass++) {
        kappa = 0;
        for (int64_t i = 0; i < n; i++) {
            int is_leader = 1;
            for (int64_t j = 0; j < n; j++) {
                is_leader = is_leader && (j == i || trop_tokens_dot(x + i * d, x + j * d, d) <
                                                        trop_tokens_dot(x + i * d, x + i * d, d));
            }
            if (is_leader && v) {
                memcpy(v + kappa * d, x + i * d, (size_t)d * sizeof *v);
            }
            kappa += is_leader;
        }
        enum trop_status status =
            pass == 0 ? trop_case_make(&v, c, "vertices", kappa, d, 0) : TROP_OK;
        if (status != TROP_OK) {
            return status;
        }
    }
    return kappa > 1 ? TROP_OK
                     : trop_fail(TROP_ERR_ARG, "tokens: must have two that lead themselves");
}

/* The farthest token from its vertex. */
static double farthest(const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *v = trop_case_array(c, "vertices");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double far = 0;

    for (int64_t i = 0; i < n; i++) {
        const int64_t k = (int64_t)trop_case_array(c, "labels")[i];
        if (k >= 0 && k < trop_case_size(c, "vertices", 0)) {
            far = fmax(far, trop_tokens_distance(x + i * d, v + k * d, d));
        }
    }
    return far;
}

/* Token i in the ball of radius r around vertex i mod kappa, on a random ray. */
static enum trop_status draw_tokens(struct trop_case *c, int64_t n)
{
    const int64_t kappa = trop_case_size(c, "vertices", 0), d = trop_case_size(c, "vertices", 1);
    const double *v = trop_case_array(c, "vertices"), r = trop_case_number(c, "r");
    double *x = NULL, *labels = NULL;
    enum trop_status status = trop_case_make(&labels, c, "labels", n, 0, 0);

    if (status == TROP_OK) {
        status = trop_case_make(&x, c, "tokens", n, d, 0);
    }
    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        const double share = .99 * trop_case_uniform(c, 18, i);
        labels[i] = (double)(i % kappa);
        for (int64_t a = 0; a < d; a++) {
            x[i * d + a] = trop_case_normal(c, 19, i * d + a);
        }
        const double norm = sqrt(trop_tokens_dot(x + i * d, x + i * d, d));
        for (int64_t a = 0; a < d; a++) {
            x[i * d + a] = v[i % kappa * d + a] + x[i * d + a] * share * r / norm;
        }
    }
    return status;
}

/* The nearest vertex of each token that was given. */
static enum trop_status draw_labels(struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *v = trop_case_array(c, "vertices");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    double *labels = NULL;
    enum trop_status status = trop_case_make(&labels, c, "labels", n, 0, 0);

    for (int64_t i = 0; i < n && status == TROP_OK; i++) {
        for (int64_t k = 1; k < trop_case_size(c, "vertices", 0); k++) {
            const double *best = v + (int64_t)labels[i] * d;
            if (trop_tokens_distance(x + i * d, v + k * d, d) <
                trop_tokens_distance(x + i * d, best, d)) {
                labels[i] = (double)k;
            }
        }
    }
    return status;
}

/* Around tokens that were given: vertices, labels and r that fit them, as far as they are absent.
 */
static enum trop_status draw_around(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    enum trop_status status = trop_tokens_check(c);

    if (status == TROP_OK && !trop_case_has(c, "vertices")) {
        status = choose_vertices(c);
    }
    if (status == TROP_OK) {
        status = trop_fw_beta_shape(c, "tokens", n, trop_case_size(c, "vertices", 1));
    }
    if (status == TROP_OK) {
        status = trop_fw_beta_shape(c, "labels", n, 0);
    }
    if (status == TROP_OK && !trop_case_has(c, "labels")) {
        status = draw_labels(c);
    }
    return status == TROP_OK ? trop_case_default(c, "r", farthest(c)) : status;
}

static enum trop_status draw_all(struct trop_case *c)
{
    const int64_t kappa = 2 + trop_case_pick(c, 16, 1, 4);
    enum trop_status status = draw_vertices(c, kappa, 2 + trop_case_pick(c, 16, 2, 3));

    if (status == TROP_OK) {
        status = trop_case_default(c, "r", radius_of(c, .1 + .4 * trop_case_uniform(c, 16, 3)));
    }
    return status == TROP_OK ? draw_tokens(c, kappa + trop_case_pick(c, 16, 4, 6)) : status;
}

static enum trop_status draw(struct trop_case *c)
{
    const double exponent = 8 + 20 * trop_case_uniform(c, 16, 5);
    enum trop_status status = trop_case_has(c, "tokens") ? draw_around(c) : draw_all(c);
    double R = 0;

    return status == TROP_OK ? trop_case_default(c, "beta", exponent / constant(&R, c)) : status;
}

/* "weights" (n, n) of the flow at this inverse temperature. */
static enum trop_status find_weights(struct trop_case *c, double beta)
{
    struct trop_flow_options o = trop_fw_beta_options(beta, .5);
    struct trop_flow *flow = NULL;
    double *weights = NULL;

    o.cloud.n = trop_case_size(c, "tokens", 0);
    o.cloud.d = trop_case_size(c, "tokens", 1);
    o.cloud.tokens = trop_case_array(c, "tokens");
    enum trop_status status = trop_case_make(&weights, c, "weights", o.cloud.n, o.cloud.n, 0);
    if (status == TROP_OK) {
        status = trop_flow_create(&flow, &o);
    }
    for (int64_t i = 0; i < o.cloud.n && status == TROP_OK; i++) {
        status = trop_flow_weights(weights + i * o.cloud.n, flow, i);
    }
    trop_flow_free(flow);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return find_weights(c, trop_case_number(c, "beta"));
}

/* ---- hypotheses ---- */

static int64_t label(const struct trop_case *c, int64_t i)
{
    return (int64_t)trop_case_array(c, "labels")[i];
}

static enum trop_status near_vertices(struct trop_judge *judge, const struct trop_case *c)
{
    const double *x = trop_case_array(c, "tokens"), *v = trop_case_array(c, "vertices");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const int64_t kappa = trop_case_size(c, "vertices", 0);

    for (int64_t i = 0; i < n; i++) {
        const int64_t k = label(c, i);
        if (k < 0 || k >= kappa) {
            return trop_fail(TROP_ERR_ARG, "labels: one of 0 to kappa - 1 for each token");
        }
        trop_judge_at_most(judge, "distance of a token from its vertex", -1,
                           trop_tokens_distance(x + i * d, v + k * d, d), trop_case_number(c, "r"),
                           0);
    }
    return TROP_OK;
}

static enum trop_status small_radius(struct trop_judge *judge, const struct trop_case *c)
{
    const double r = trop_case_number(c, "r");
    double R = 0;
    const double c0 = constant(&R, c);

    trop_judge_at_most(judge, "4 R r + 2 r^2", -1, 4 * R * r + 2 * r * r, c0 / 2,
                       16 * DBL_EPSILON * R * R);
    return TROP_OK;
}

static const struct trop_hypothesis hypotheses[] = {
    { "beta", "beta >= 0", trop_fw_beta_not_negative, 0 },
    { "near-vertices", "every token is within r of its vertex", near_vertices, 0 },
    { "small-radius", "4 R r + 2 r^2 <= c0/2", small_radius, 0 },
    { 0 },
};

/* ---- the conclusion ---- */

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const double *weights = trop_case_array(c, "weights");
    const int64_t n = trop_case_size(c, "tokens", 0), d = trop_case_size(c, "tokens", 1);
    const double beta = trop_case_number(c, "beta"), r = trop_case_number(c, "r");
    double R = 0;
    const double c0 = constant(&R, c);
    const double blur = DBL_EPSILON * ((double)(d + 2) * beta * (R + r) * (R + r) + 4);
    const double one = trop_exp(-beta * (c0 - 4 * R * r - r * r));
    const double all = (double)n * trop_exp(-beta * c0 / 2);

    for (int64_t i = 0; i < n; i++) {
        double other = 0;
        for (int64_t j = 0; j < n; j++) {
            if (label(c, j) != label(c, i)) {
                trop_judge_at_most(judge, "weight of a token of another group", i,
                                   weights[i * n + j], one, 4 * blur * one);
                other += weights[i * n + j];
            }
        }
        trop_judge_at_most(judge, "weight of the other groups together", i, other, all,
                           4 * blur * all);
    }
    return TROP_OK;
}

/* ---- ways to be wrong ---- */

static enum trop_status warm_weights(struct trop_case *c)
{
    return find_weights(c, trop_case_number(c, "beta") / 4);
}

/* The first weight of another group is twice its bound. */
static enum trop_status large_weight(struct trop_case *c)
{
    const double beta = trop_case_number(c, "beta"), r = trop_case_number(c, "r");
    double R = 0;
    const double c0 = constant(&R, c);
    int64_t j = 0;

    while (label(c, j) == label(c, 0)) {
        j++;
    }
    trop_case_array(c, "weights")[j] = 2 * trop_exp(-beta * (c0 - 4 * R * r - r * r));
    return TROP_OK;
}

static enum trop_status far_token(struct trop_case *c)
{
    trop_case_array(c, "tokens")[0] += 3 * trop_case_number(c, "r");
    return TROP_OK;
}

static enum trop_status large_radius(struct trop_case *c)
{
    return trop_case_put(c, "r", radius_of(c, 1.01));
}

static const struct trop_spoil spoils[] = {
    { "weights of a quarter of beta", NULL, warm_weights },
    { "a weight is twice its bound", NULL, large_weight },
    { "beta is negative", "beta", trop_fw_beta_spoil_beta },
    { "a token is moved by 3 r", "near-vertices", far_token },
    { "r is one per cent too large", "small-radius", large_radius },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "vertices", "(kappa, d)", "v_1 .. v_kappa" },
    { "tokens", "(n, d)", "the cloud" },
    { "labels", "(n)", "vertex of each token, from 0" },
    { "r", "", "radius of the balls" },
    { "beta", "", "inverse temperature" },
    { 0 },
};

const struct trop_claim trop_fw_lem_group = {
    .id = "fw-lem-group",
    .title = "attention stays in its group",
    .statement = "When tokens are within r of their vertices and 4 R r + 2 r^2 <= c0/2, each token "
                 "gives another group's token at most e^(-beta (c0 - 4 R r - r^2)) of its "
                 "attention, and other groups together at most n e^(-beta c0/2).",
    .status = TROP_CLAIM_PROVED,
    .remark = "",
    .old_inputs = inputs,
    .hypotheses = hypotheses,
    .old_draw = draw,
    .old_work = work,
    .old_conclude = conclude,
    .spoils = spoils,
    .trials = 100,
};
