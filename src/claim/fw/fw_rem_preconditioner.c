/* fw_rem_preconditioner.c -- the renormalised layer (Frank-Wolfe paper, section 1.1).
 *
 *   x + P (avg - x),  P = (I + V)^-1 V,   is   (I + V)^-1 (x + V avg):
 *
 * the residual layer followed by a linear stand-in for normalisation, for (I + V)^-1 = I - P. For
 * V = h I it is gamma = h/(1 + h).
 *
 * The layer and the residual layer are steps of the library from the same tokens; (I + V) times the
 * first is compared with the second. Each column of P solves (I + V + E) P_j = V_j with an E of its
 * own, |E| <= 8 d^3 u |I + V| (LU with partial pivoting, growth included), which moves (I + V) x'
 * by 8 d^3 u |I + V| |P| |avg - x|, and the product P (avg - x) rounds by (d + 1) u |P| |avg - x|:
 * that is not |P (avg - x)|, which is much less when I + V is nearly singular. |avg - x| <= 2 R.
 * The average is off by a step's rounding and enters by |V|; products with I + V round by (d + 2) u
 * (1 + |V|) |x'|. In all: (1 + |V|) (8 d^3 u (|x| + |x'| + 4 |P| R) + 2 rounding), with Frobenius
 * norms.
 */
#include "claim/fw/fw_beta.h"

#include "claim/pivots.h"

#include <float.h>
#include <math.h>

#define PIVOT 1e-8 /* least pivot of I + V; below it rounding takes over */

static void draw_cloud(struct trop_case *c)
{
    trop_tokens_gaussian(c, 3 + trop_case_pick(c, 16, 0, 8), 1 + trop_case_pick(c, 16, 1, 4));
    trop_fw_beta_exponent(c, 4 * trop_case_uniform(c, 16, 2) - 1);
}

/* ---- any V ---- */

/* V = I/2 + a random matrix of norm below 1: I + V is far from singular. */
static void draw(struct trop_case *c)
{
    draw_cloud(c);
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *v = trop_case_absent(c, "V", d, d, 0);

    trop_sample_shape(c, "V", d, d, 0);
    for (int64_t k = 0; v && k < d * d; k++) {
        v[k] = .5 * (k % (d + 1) == 0) + (2 * trop_case_uniform(c, 17, k) - 1) / (double)d;
    }
}

static void work(struct trop_case *c)
{
    trop_case_path(c, "layer", 1, "rule=softmax dynamics=layer beta=@beta value=@V");
    trop_case_path(c, "residual", 1, "rule=softmax dynamics=residual beta=@beta value=@V");
}

static void invertible(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view V = trop_case_view(c, "V");
    double *a = trop_case_scratch(c, V.rows * V.rows);

    for (int64_t k = 0; k < V.rows * V.rows; k++) {
        a[k] = V.at[k] + (k % (V.rows + 1) == 0);
    }
    trop_judge_at_least(judge, "least pivot of I + V", -1,
                        trop_pivots_eliminate(a, V.rows, V.rows).least, PIVOT, 0);
}

/* |P|, P = I - (I + V)^-1: elimination of (I + V, I), and back. */
static double norm_of_step(const struct trop_case *c)
{
    const struct trop_view V = trop_case_view(c, "V");
    const int64_t d = V.rows, wide = 2 * d;
    double *a = trop_case_scratch(c, d * wide), squares = 0;

    for (int64_t k = 0; k < d * d; k++) {
        a[k / d * wide + k % d] = V.at[k] + (k % (d + 1) == 0);
        a[k / d * wide + d + k % d] = k % (d + 1) == 0;
    }
    trop_pivots_eliminate(a, d, wide);
    for (int64_t q = d; q < wide; q++) {
        for (int64_t r = d - 1; r >= 0; r--) {
            for (int64_t k = r + 1; k < d; k++) {
                a[r * wide + q] -= a[r * wide + k] * a[k * wide + q];
            }
            a[r * wide + q] /= a[r * wide + r];
            const double entry = (q - d == r) - a[r * wide + q];
            squares += entry * entry;
        }
    }
    return sqrt(squares);
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t n = x.rows, d = x.columns;
    const double *V = trop_case_array(c, "V");
    const double *layer = trop_case_view_row(trop_case_view(c, "layer"), 1);
    const double *residual = trop_case_view_row(trop_case_view(c, "residual"), 1);
    const double norm = 1 + sqrt(trop_tokens_dot(V, V, d * d));
    const double radius = trop_tokens_radius_of(x);
    const double reach = radius + trop_tokens_radius(layer, n, d) + 4 * norm_of_step(c) * radius;
    const double error = norm * (4 * (double)(d * d * d) * DBL_EPSILON * reach +
                                 2 * trop_fw_beta_rounding(x, trop_case_number(c, "beta")));
    const double allowance = trop_tokens_allow(error, norm * radius);

    for (int64_t i = 0; i < n; i++) {
        double squares = 0;
        for (int64_t a = 0; a < d; a++) {
            const double off = layer[i * d + a] + trop_tokens_dot(V + a * d, layer + i * d, d) -
                               residual[i * d + a];
            squares += off * off;
        }
        trop_judge_near(judge, "|(I + V) x' - (x + V avg)|", i, sqrt(squares), 0, allowance);
    }
}

const struct trop_claim trop_fw_rem_preconditioner = {
    .id = "fw-rem-preconditioner",
    .title = "the renormalised layer is a preconditioned step",
    .statement = "The layer x + (I + V)^-1 V (avg - x) is the residual layer x + V avg followed by "
                 "(I + V)^-1, for every V with I + V invertible.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens V beta",
    .hypotheses = TROP_HYPOTHESES(
        { "invertible", "I + V is invertible, with pivots of 1e-8 at least", .judge = invertible,
          .broken = "the first row of V is that of -I", .edit = "V[0] = 0; V[0,0] = -1" }),
    .run = { draw, work, conclude },
    .spoils = TROP_SPOILS({ "a layer with one entry of V larger by 1e-6", NULL,
                            .edit = "work layer with V[0,0] += 1e-6" }),
    .trials = 100,
};

/* ---- V = h I ---- */

static void draw_scalar(struct trop_case *c)
{
    draw_cloud(c);
    trop_case_default(c, "h", .05 + 4 * trop_case_uniform(c, 16, 3));
    trop_tokens_count(c, "steps", 8, 1, 1e6);
}

/* "path" with gamma, "layers" with V = h I. */
static void work_scalar(struct trop_case *c)
{
    const double h = trop_case_number(c, "h");
    const int64_t steps = trop_case_integer(c, "steps");

    trop_case_path(c, "path", steps, "rule=softmax beta=@beta gamma=%.17g", h / (1 + h));
    trop_case_path(c, "layers", steps, "rule=softmax beta=@beta value=@h");
}

static void conclude_scalar(struct trop_judge *judge, const struct trop_case *c)
{
    const double h = trop_case_number(c, "h"), *layers = trop_case_array(c, "layers");
    const struct trop_view path = trop_case_view(c, "path");
    const int64_t n = path.columns, d = path.depth;
    const double error =
        2 * trop_fw_beta_error(path, path.rows - 1, trop_case_number(c, "beta"), h / (1 + h));
    const double allowance = trop_fw_beta_allow(error, trop_case_view_part(path, 0));

    for (int64_t k = n; k < path.rows * n; k++) {
        trop_judge_near(judge, "distance of layers with V = h I from gamma", k / n,
                        trop_tokens_distance(path.at + k * d, layers + k * d, d), 0, allowance);
    }
}

const struct trop_claim trop_fw_rem_preconditioner_scalar = {
    .id = "fw-rem-step-size",
    .title = "V = h I is the step size h/(1 + h)",
    .statement = "Softmax layers with V = h I, h > 0, are the softmax flow with gamma = h/(1 + h).",
    .status = TROP_CLAIM_PROVED,
    .remark = "The paper writes V = gamma I where it means the effective step gamma; with V = "
              "gamma I the step is gamma/(1 + gamma).",
    .inputs = "tokens h beta steps",
    .hypotheses = TROP_HYPOTHESES(
        { "positive", "h > 0", .holds = "h > 0", .broken = "h = -1/4", .edit = "h = -.25" }),
    .run = { draw_scalar, work_scalar, conclude_scalar },
    .spoils = TROP_SPOILS({ "gamma of another h", NULL, .edit = "work path with h *= 1.1" },
                          TROP_FW_NUDGE),
    .trials = 100,
};
