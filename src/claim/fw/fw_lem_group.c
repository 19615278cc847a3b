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
#include "claim/fw/fw.h"
#include "claim/fw/fw_beta.h"

#include "base/math/exp.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* c0 and R of the vertices. */
static double c0_of(const struct trop_case *c)
{
    return trop_fw_beta_c0(trop_case_view(c, "vertices"));
}

static double radius_of(const struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "vertices");

    return trop_tokens_radius_of(v);
}

/* ---- the instance: balls around points of a sphere ---- */

static void draw_vertices(struct trop_case *c, int64_t kappa, int64_t d)
{
    const double scale = .5 + 2 * trop_case_uniform(c, 16, 0);
    double *v = trop_case_absent(c, "vertices", kappa, d, 0);

    for (int64_t k = 0; v && k < kappa; k++) {
        for (int64_t a = 0; a < d; a++) {
            v[k * d + a] = trop_case_normal(c, 17, k * d + a);
        }
        const double norm = sqrt(trop_tokens_dot(v + k * d, v + k * d, d));
        for (int64_t a = 0; a < d; a++) {
            v[k * d + a] *= scale / norm;
        }
    }
}

/* Token i in the ball of radius r around vertex i mod kappa, on a random ray. */
static void draw_tokens(struct trop_case *c, int64_t n)
{
    const struct trop_view v = trop_case_view(c, "vertices");
    const int64_t d = v.columns;
    const double r = trop_case_number(c, "r");
    double *labels = trop_case_zeros(c, "labels", n, 0, 0);
    double *x = trop_case_zeros(c, "tokens", n, d, 0);

    for (int64_t i = 0; i < n; i++) {
        const double share = .99 * trop_case_uniform(c, 18, i);
        labels[i] = (double)(i % v.rows);
        for (int64_t a = 0; a < d; a++) {
            x[i * d + a] = trop_case_normal(c, 19, i * d + a);
        }
        const double norm = sqrt(trop_tokens_dot(x + i * d, x + i * d, d));
        for (int64_t a = 0; a < d; a++) {
            x[i * d + a] = v.at[i % v.rows * d + a] + x[i * d + a] * share * r / norm;
        }
    }
}

/* The radius is a share of the root of 4 R r + 2 r^2 = c0/2. */
static void draw_all(struct trop_case *c)
{
    const int64_t kappa = 2 + trop_case_pick(c, 16, 1, 4);

    draw_vertices(c, kappa, 2 + trop_case_pick(c, 16, 2, 3));
    const double R = radius_of(c), share = .1 + .4 * trop_case_uniform(c, 16, 3);
    trop_case_default(c, "r", share * (sqrt(R * R + c0_of(c) / 4) - R));
    draw_tokens(c, kappa + trop_case_pick(c, 16, 4, 6));
}

/* ---- around tokens that were given: what fits them, as far as it is absent ---- */

/* Tokens that score highest with themselves. */
static void choose_vertices(struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t *owners = trop_fw_work_owners(c);
    double *v = trop_case_scratch(c, x.rows * x.columns);
    int64_t kappa = 0;

    for (int64_t i = 0; i < x.rows; i++) {
        if (owners[i] == i) {
            memcpy(v + kappa++ * x.columns, trop_case_view_row(x, i),
                   (size_t)x.columns * sizeof *v);
        }
    }
    if (kappa < 2) {
        trop_case_refuse(c, "tokens: must have two that lead themselves");
    }
    trop_case_copy_in(c, "vertices", v, kappa, x.columns, 0);
}

/* The distance of token i from vertex k. */
static double far(const struct trop_case *c, int64_t i, int64_t k)
{
    const struct trop_view x = trop_case_view(c, "tokens"), v = trop_case_view(c, "vertices");

    return trop_tokens_distance(trop_case_view_row(x, i), trop_case_view_row(v, k), x.columns);
}

/* The nearest vertex of each token, and the farthest distance. */
static void draw_labels(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0), kappa = trop_case_size(c, "vertices", 0);
    double *labels = trop_case_absent(c, "labels", n, 0, 0), farthest = 0;

    for (int64_t i = 0; labels && i < n; i++) {
        for (int64_t k = 1; k < kappa; k++) {
            labels[i] = far(c, i, k) < far(c, i, (int64_t)labels[i]) ? (double)k : labels[i];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = (int64_t)trop_case_array(c, "labels")[i];
        farthest = k >= 0 && k < kappa ? fmax(farthest, far(c, i, k)) : farthest;
    }
    trop_case_default(c, "r", farthest);
}

static void draw_around(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);

    trop_tokens_check(c);
    if (!trop_case_has(c, "vertices")) {
        choose_vertices(c);
    }
    trop_sample_shape(c, "tokens", n, trop_case_size(c, "vertices", 1), 0);
    trop_sample_shape(c, "labels", n, 0, 0);
    draw_labels(c);
}

static void draw(struct trop_case *c)
{
    const double exponent = 8 + 20 * trop_case_uniform(c, 16, 5);

    if (trop_case_has(c, "tokens")) {
        draw_around(c);
    } else {
        draw_all(c);
    }
    trop_case_default(c, "beta", exponent / c0_of(c));
}

/* "weights" (n, n) of the flow. */
static void work(struct trop_case *c)
{
    const int64_t n = trop_case_size(c, "tokens", 0);
    double *weights = trop_case_zeros(c, "weights", n, n, 0);
    struct trop_flow *flow = trop_case_flow(c, "rule=softmax beta=@beta gamma=.5");

    for (int64_t i = 0; i < n; i++) {
        trop_case_try(c, trop_flow_weights(weights + i * n, flow, i));
    }
}

/* ---- hypotheses ---- */

static int64_t label(const struct trop_case *c, int64_t i)
{
    return (int64_t)trop_case_array(c, "labels")[i];
}

static void near_vertices(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t i = 0; i < trop_case_size(c, "tokens", 0); i++) {
        const int64_t k = label(c, i);
        if (k < 0 || k >= trop_case_size(c, "vertices", 0)) {
            trop_case_refuse(c, "labels: one of 0 to kappa - 1 for each token");
        }
        trop_judge_at_most(judge, "distance of a token from its vertex", -1, far(c, i, k),
                           trop_case_number(c, "r"), 0);
    }
}

static void small_radius(struct trop_judge *judge, const struct trop_case *c)
{
    const double r = trop_case_number(c, "r"), R = radius_of(c);

    trop_judge_at_most(judge, "4 R r + 2 r^2", -1, 4 * R * r + 2 * r * r, c0_of(c) / 2,
                       16 * DBL_EPSILON * R * R);
}

/* ---- the conclusion ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view weights = trop_case_view(c, "weights");
    const int64_t n = weights.rows, d = trop_case_size(c, "tokens", 1);
    const double beta = trop_case_number(c, "beta"), r = trop_case_number(c, "r");
    const double c0 = c0_of(c), R = radius_of(c);
    const double blur = DBL_EPSILON * ((double)(d + 2) * beta * (R + r) * (R + r) + 4);
    const double one = trop_exp(-beta * (c0 - 4 * R * r - r * r));
    const double all = (double)n * trop_exp(-beta * c0 / 2);

    for (int64_t i = 0; i < n; i++) {
        const double *row = trop_case_view_row(weights, i);
        double other = 0;
        for (int64_t j = 0; j < n; j++) {
            if (label(c, j) != label(c, i)) {
                trop_judge_at_most(judge, "weight of a token of another group", i, row[j], one,
                                   4 * blur * one);
                other += row[j];
            }
        }
        trop_judge_at_most(judge, "weight of the other groups together", i, other, all,
                           4 * blur * all);
    }
}

const struct trop_claim trop_fw_lem_group = {
    .id = "fw-lem-group",
    .title = "attention stays in its group",
    .statement = "When tokens are within r of their vertices and 4 R r + 2 r^2 <= c0/2, each token "
                 "gives another group's token at most e^(-beta (c0 - 4 R r - r^2)) of its "
                 "attention, and other groups together at most n e^(-beta c0/2).",
    .status = TROP_CLAIM_PROVED,
    .inputs = "vertices tokens labels r beta",
    .hypotheses = TROP_HYPOTHESES(
        TROP_FW_BETA_NOT_NEGATIVE,
        { "near-vertices", "every token is within r of its vertex", .judge = near_vertices,
          .broken = "a token is moved by 3 r", .edit = "tokens[0,0] += 3 * r" },
        { "small-radius", "4 R r + 2 r^2 <= c0/2", .judge = small_radius }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "weights of a quarter of beta", NULL, .edit = "work with beta /= 4" },
                          { "a weight is twice its bound", NULL },
                          { "r is one per cent too large", "small-radius" }),
    .trials = 100,
};
