/* fw_lem_hull.c -- the hull of the tokens shrinks (Frank-Wolfe paper, lemma convHullDecreases).
 *
 *   x_i <- x_i + P (y_i - x_i),   y_i in K,   P = (I + V)^-1 V
 *
 * With V = h I, P = gamma I with gamma in (0, 1), and x_i' is a convex combination of two points of
 * K. With any other V it need not be one: V = diag(3/2, 7/3) gives P = diag(.6, .7), and of the
 * triangle (0, 0), (1, 0), (0, 1) with the leader e_2 for e_1 the vertex e_1 goes to (.4, .7),
 * outside.
 *
 * Conclusion: every token of step t + 1 has distance 0 from K^t. The distance that is measured is
 * the proved lower bound of trop_hull_place, so that a positive one is a proof that the token of
 * the file is outside. A step itself rounds: each coordinate by 4 u times the largest coordinate of
 * the cloud at most (a difference, a product, a sum, and the average), and P by a few u more: 32 u
 * R sqrt(d) in all, which is the allowance.
 */
#include "claim/fw/fw.h"
#include "claim/fw/fw_beta.h"
#include "claim/shown.h"

#include <float.h>
#include <math.h>

#define STEPS 12

/* ---- the instance: a Gaussian cloud, any B, P between 0 and 1 ---- */

/* V is diagonal; spread 0 makes it a multiple of the identity. */
static void draw(struct trop_case *c, double spread)
{
    trop_fw_draw_cloud(c, 4, 12, 3);
    trop_fw_draw_steps(c, STEPS);
    trop_fw_draw_any_matrix(c);
    const int64_t d = trop_case_size(c, "tokens", 1);
    double *v = trop_case_absent(c, "V", d, d, 0);
    for (int64_t a = 0; v && a < d; a++) {
        v[a * d + a] = .1 + trop_case_uniform(c, 16, 0) + spread * trop_case_uniform(c, 17, a);
    }
}

/* Every fourth V is a multiple of the identity, for which the hull does shrink. */
static void draw_general(struct trop_case *c)
{
    draw(c, c->trial % 4 == 3 ? 0 : 3);
}

static void draw_scalar(struct trop_case *c)
{
    draw(c, 0);
}

static void work(struct trop_case *c)
{
    trop_case_path(c, "path", trop_case_integer(c, "steps"), "rule=hardmax value=@V key_query=@B");
}

/* ---- hypotheses ---- */

/* Diagonal and positive: then P is diagonal with entries between 0 and 1. */
static void positive_value(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "V");

    for (int64_t k = 0; k < v.rows * v.rows; k++) {
        const int is_diagonal = k % (v.rows + 1) == 0;
        trop_judge_truth(judge, "V is diagonal and positive", -1,
                         is_diagonal ? v.at[k] > 0 : v.at[k] == 0);
    }
}

static void scalar_value(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view v = trop_case_view(c, "V");

    for (int64_t a = 0; a < v.rows; a++) {
        trop_judge_truth(judge, "V is h I", -1, v.at[a * v.rows + a] == v.at[0]);
    }
}

#define POSITIVE \
    { \
        "positive-value", "V is diagonal with positive entries", \
            .judge = positive_value, .broken = "V = -V", .edit = "V *= -1" \
    }

/* ---- the conclusion ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const struct trop_view x = trop_case_view_part(path, t);
        trop_fw_beta_judge_inside(judge, c, "distance of a token from the hull before", t + 1, x,
                                  trop_case_view_part(path, t + 1), 0,
                                  32 * DBL_EPSILON * sqrt((double)x.columns) *
                                      trop_tokens_radius_of(x));
    }
}

/* ---- a proof file: one step from "x", and a direction "w" in which token i is ahead ---- */

/* clang-format off */
static const char *const shown[] = {
    "all(V[a][a] > 0 for a in range(len(V)))",
    "all(V[a][b] == 0 for a in range(len(V)) for b in range(len(V)) if a != b)",
    "q = dot(B, x[i])",
    "S = [j for j in top([dot(q, z) for z in x]) if all(x[k] != x[j] for k in range(j))]",
    "m = sum(x[j] for j in S) / len(S)",
    "y = [x[i][a] + V[a][a] / (1 + V[a][a]) * (m[a] - x[i][a]) for a in range(len(V))]",
    "all(dot(w, z) < dot(w, y) for z in x)",
    NULL,
};
/* clang-format on */

static int show(struct trop_case *c, int64_t step)
{
    const struct trop_view path = trop_case_view(c, "path"), v = trop_case_view(c, "V"),
                           before = trop_case_view_part(path, step - 1);
    const int64_t n = before.rows, d = before.columns;
    const double error = 32 * DBL_EPSILON * sqrt((double)d) * trop_tokens_radius_of(before);
    const double *values = trop_case_copy_in(c, "x", before.at, n, d, 0);
    const struct trop_view x = { (double *)values, n, d, 1 };
    double *w = trop_case_zeros(c, "w", d, 0, 0), *y = trop_case_scratch(c, d);
    int64_t *leaders = trop_case_scratch_integers(c, n), i = 0;
    int found = 0;

    for (; i < n && !found; i++) {
        const double *at = trop_case_view_row(x, i);
        const int64_t count = trop_fw_leaders(leaders, c, at, x, 1);
        const double *mean = trop_fw_mean(c, x, leaders, count);
        for (int64_t a = 0; a < d; a++) {
            const double h = v.at[a * d + a];
            y[a] = at[a] + h / (1 + h) * (mean[a] - at[a]);
        }
        found = trop_shown_outside(w, c, x, NULL, n, y, error);
    }
    trop_case_put(c, "i", (double)(i - 1));
    return found;
}

/* ---- the counterexample, and ways to be wrong ---- */

static const struct trop_spoil spoils[] = {
    { "a token of the last step is 1e-6 beyond the farthest token before it", NULL },
    { 0 },
};

const struct trop_claim trop_fw_lem_hull = {
    .id = "fw-lem-hull",
    .title = "the hull shrinks, any V",
    .statement = "With any positive diagonal value matrix V, the convex hull of the tokens after a "
                 "hardmax layer lies in the hull before it.",
    .status = TROP_CLAIM_FALSE,
    .remark =
        "V = diag(3/2, 7/3) moves a vertex of the triangle (0,0), (1,0), (0,1) to (.4, .7). It "
        "holds for multiples of the identity.",
    .repaired = "fw-lem-hull-repaired",
    .inputs = "tokens V B steps",
    .hypotheses = TROP_HYPOTHESES(POSITIVE),
    .run = { draw_general, work, conclude },
    /* B e_1 = e_2: its leader is e_2. */
    .exhibited =
        (const char *const[]){
            "tokens = {0 0; 1 0; 0 1}; V = {(3/2) 0; 0 (7/3)}; B = {0 0; 1 0}; steps = 1" },
    .exhibits = 1,
    .shown = shown,
    .show = show,
    .spoils = spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_lem_hull_repaired = {
    .id = "fw-lem-hull-repaired",
    .title = "the hull shrinks, V = h I",
    .statement = "With V = h I, h > 0, the convex hull of the tokens after a hardmax layer lies in "
                 "the hull before it, whatever B is.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "tokens V B steps",
    .hypotheses = TROP_HYPOTHESES(
        POSITIVE, { "scalar-value", "V is a multiple of the identity", .judge = scalar_value,
                    .broken = "one entry of V is larger by 1", .edit = "V[-1,-1] += 1" }),
    .run = { draw_scalar, work, conclude },
    .spoils = spoils,
    .trials = 100,
};
