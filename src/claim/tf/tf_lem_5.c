/* tf_lem_5.c -- local optimality and the separating cone (lemma 5), and assumption D.
 *
 *   cone_eps(alpha) = { W : min_i max_{t in low_i} min_{tau in high_i} (x_it - x_itau)' W z_i
 *                       >= eps |W| },
 *
 * low_i the tokens that score lower than alpha_i, high_i the others besides it; an input without
 * high tokens asks for nothing. Lemma 5 says that alpha is locally optimal exactly when W_mm(alpha)
 * is in the cone for small eps.
 *
 * In the cone, a low token leads every high one, and itself trails alpha_i by at least 1: so no
 * high token is a support vector, and alpha is locally optimal. The converse needs a support
 * vector, which trails by exactly 1. An input that has none passes the test of local optimality,
 * and need not be in the cone: of input 0 (1, 0) | (0, 0) and input 1 (0, 0) | (2, 1), the best
 * first, the selection (1, 0), (2, 1) has W_mm = (1, 0) z', the lead of input 1 is 2, and it has no
 * low token at all. The repaired form asks for a support vector in every input that has high
 * tokens.
 *
 * Assumption D (every other selection that has a solution has an input where the best token is not
 * selected but is a support vector) excludes local optimality by definition.
 *
 * A proved gap g of its length leaves W_mm a distance of sqrt(2 g) |W|, and a difference of two
 * logits that times |x_a - x_b| |z|: with g = 1e-12 at most 3e-6 |W| max |x| max |z|, besides its
 * rounding. The sign of the cone's number, a difference of logits, is decided beyond that;
 * selections nearer to the edge are left out. A lead of 1, which support vectors have, is known
 * no better: where that much is not small beside it, every selection is left out.
 */
#include "claim/tf/tf.h"

#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define SMALL 1e-3 /* beside a lead of 1 */

static void draw(struct trop_case *c)
{
    trop_tf_draw(c, 2, 3, 2 + trop_case_pick(c, 41, 0, 2));
}

static void draw_wide(struct trop_case *c)
{
    trop_tf_draw(c, 2, 3, 24);
}

static void feasible(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view outcome = trop_case_view(c, "all_outcome");
    double solved = 0;

    for (int64_t k = 0; k < outcome.rows; k++) {
        solved += outcome.at[k] == TROP_OUTCOME_SOLVED;
    }
    trop_judge_at_least(judge, "selections with a solution", -1, solved, 1, 0);
}

static const struct trop_hypothesis cone_hypotheses[] = {
    { "feasible", "some selection has a solution", .judge = feasible, .late = 1,
      .broken = "every selection is called infeasible", .edit = "all_outcome = 1" },
    { 0 },
};

/* ---- conclusions ---- */

/* How far a difference of two logits may be from that of W_mm. */
static double edge_of(const struct trop_tf *m, const double *w)
{
    return 3e-6 * trop_tokens_norm(w, m->size) * trop_tokens_radius(m->data.x, m->n * m->T, m->d) *
               trop_tokens_radius(m->data.z, m->n, m->d) +
           trop_tf_rounding(m, w);
}

/* 1 when every input with higher tokens has a support vector. */
static int is_supported(const struct trop_tf *m, const double *w)
{
    for (int64_t i = 0; i < m->n; i++) {
        double nearest = INFINITY, highest = -INFINITY;
        for (int64_t t = 0; t < m->T; t++) {
            if (t != m->alpha[i]) {
                nearest = fmin(nearest, trop_tf_lead_over(m, w, i, t));
                highest = fmax(highest, trop_tf_score(&m->data, i, t));
            }
        }
        if (highest >= trop_tf_score(&m->data, i, m->alpha[i]) && nearest > 1 + 1e-7) {
            return 0;
        }
    }
    return 1;
}

static void judge_all(struct trop_judge *judge, const struct trop_case *c, int supported_only)
{
    const struct trop_view all = trop_case_view(c, "all");
    const double *outcome = trop_case_array(c, "all_outcome");
    struct trop_tf m = trop_tf_of(c);

    for (int64_t k = 0; k < all.rows; k++) {
        const double *w = trop_case_view_row(all, k), local = trop_case_array(c, "all_local")[k];
        trop_tf_select(&m, k);
        const double cone = trop_tf_selections_cone(&m, w), edge = edge_of(&m, w);
        /* A high token that is a support vector itself is on the edge: cone = 0 up to rounding. */
        const int is_decided = edge <= SMALL && (local == 0 || (local == 1 && fabs(cone) > edge));
        if (outcome[k] == TROP_OUTCOME_SOLVED && is_decided && !isnan(cone) &&
            (!supported_only || is_supported(&m, w))) {
            trop_judge_truth(judge, "locally optimal exactly when in the cone", k,
                             (local == 1) == (cone > edge));
        }
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    judge_all(judge, c, 0);
}

static void conclude_supported(struct trop_judge *judge, const struct trop_case *c)
{
    judge_all(judge, c, 1);
}

static void conclude_d(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view outcome = trop_case_view(c, "all_outcome");
    struct trop_tf m = trop_tf_of(c);

    for (int64_t k = 0; k < outcome.rows; k++) {
        trop_tf_select(&m, k);
        const int is_best = memcmp(m.alpha, m.best, sizeof m.best) == 0;
        if (outcome.at[k] == TROP_OUTCOME_SOLVED) {
            trop_judge_truth(judge, "the best selection and no other is locally optimal", k,
                             trop_case_array(c, "all_local")[k] == is_best);
        }
    }
}

/* ---- a proof file of lemma 5 as printed ----
 *
 * X has a row for each token, T for each input; row k of the support is token `token[k]` of input
 * `input[k]`. W = sum mu_k A_k with mu >= 0 and leads of 1 on the support, at least 1 elsewhere, is
 * W_mm (Karush, Kuhn and Tucker), M are its leads. No token that scores as high as the selected one
 * has a lead of 1, and of input i no lower token leads every such one. */

/* clang-format off */
static const char *const shown[] = {
    "D = [[X[T * a + alpha[a]] - X[T * a + t] for t in range(T)] for a in range(len(z))]",
    "A = [[D[input[k]][token[k]], z[input[k]]] for k in range(len(input))]",
    "mu = solve([[dot(a[0], b[0]) * dot(a[1], b[1]) for b in A] for a in A], [1 for a in A])",
    "all(m >= 0 for m in mu)",
    "M = [[sum(mu[k] * dot(A[k][0], D[a][t]) * dot(A[k][1], z[a]) for k in range(len(mu))) "
        "for t in range(T)] for a in range(len(z))]",
    "all(M[a][t] >= 1 for a in range(len(z)) for t in range(T) if t != alpha[a])",
    "s = [[y[a] * dot(v, X[T * a + t]) for t in range(T)] for a in range(len(z))]",
    "H = [[t for t in range(T) if t != alpha[a] and s[a][t] >= s[a][alpha[a]]] "
        "for a in range(len(z))]",
    "all(M[a][t] > 1 for a in range(len(z)) for t in H[a])",
    "len(H[i]) > 0 and all(any(M[i][h] <= M[i][t] for h in H[i]) for t in range(T) "
        "if s[i][t] < s[i][alpha[i]])",
    NULL,
};
/* clang-format on */

/* The rows with multipliers, as "input" and "token". 0 where one is small, or where another row
 * leads by no more than 1 and what is not known of its lead. */
static int put_support(struct trop_case *c, const struct trop_tf *m, struct trop_margin *solved)
{
    const int64_t rows = m->n * (m->T - 1);
    double *input = trop_case_scratch(c, rows), *token = trop_case_scratch(c, rows), most = 0;
    int64_t count = 0;

    trop_case_take(c, "multipliers", trop_margin_field_table(), solved, "multipliers");
    const double *mu = trop_case_array(c, "multipliers"), *w = trop_case_array(c, "one");
    for (int64_t k = 0; k < rows; k++) {
        most = fmax(most, mu[k]);
    }
    for (int64_t k = 0; k < rows; k++) {
        const int64_t i = k / (m->T - 1), t = k % (m->T - 1) + (k % (m->T - 1) >= m->alpha[i]);
        if (mu[k] > 1e-6 * most) {
            input[count] = (double)i;
            token[count++] = (double)t;
        } else if (!(trop_tf_lead_over(m, w, i, t) > 1 + edge_of(m, w))) {
            return 0;
        }
    }
    trop_case_copy_in(c, "input", input, count, 0, 0);
    trop_case_copy_in(c, "token", token, count, 0, 0);
    return count > 0;
}

/* The largest lead of a token of input i that scores lower over all that do not, -INFINITY: none
 * scores lower; INFINITY: all do. */
static double lead_in(const struct trop_tf *m, const double *w, int64_t i)
{
    const double own = trop_tf_score(&m->data, i, m->alpha[i]);
    double low = -INFINITY, high = -INFINITY;

    for (int64_t t = 0; t < m->T; t++) {
        const double logit = -trop_tf_lead_over(m, w, i, t);
        const int is_low = trop_tf_score(&m->data, i, t) < own;
        low = t != m->alpha[i] && is_low ? fmax(low, logit) : low;
        high = t != m->alpha[i] && !is_low ? fmax(high, logit) : high;
    }
    return high > -INFINITY ? low - high : INFINITY;
}

static int show(struct trop_case *c, int64_t step)
{
    struct trop_tf m = trop_tf_of(c);
    int found = 0;

    trop_tf_select(&m, step);
    double *alpha = trop_case_zeros(c, "alpha", m.n, 0, 0);
    struct trop_margin *solved = trop_tf_solution(c, "one", m.alpha, "l2");
    const double *w = trop_case_array(c, "one");
    for (int64_t i = 0; i < m.n; i++) {
        alpha[i] = (double)m.alpha[i];
        if (!found && lead_in(&m, w, i) < -edge_of(&m, w)) {
            trop_case_put(c, "i", (double)i);
            found = 1;
        }
    }
    trop_case_put(c, "T", (double)m.T);
    return found && trop_case_number(c, "one_local") == 1 && put_support(c, &m, solved);
}

static const struct trop_spoil cone_spoils[] = {
    { "the best selection is called not locally optimal", NULL },
    { "scores are exchanged after local optimality was decided", NULL, .edit = "v *= -1" },
    { 0 },
};

const struct trop_claim trop_tf_lem_5 = {
    .id = "tf-lem-5",
    .title = "local optimality is a cone, any support",
    .statement =
        "A selection alpha with a solution is locally optimal if and only if W_mm(alpha) is "
        "in the separating cone cone_eps(alpha) for small eps > 0.",
    .status = TROP_CLAIM_FALSE,
    .remark = "An input without support vectors passes the definition of local optimality but may "
              "leave the cone: (1, 0) | (0, 0) and (0, 0) | (2, 1), best first, with the selection "
              "(1, 0), (2, 1). It holds where every input with higher tokens has a support vector.",
    .repaired = "tf-lem-5-repaired",
    .inputs = "X y v z",
    .hypotheses = cone_hypotheses,
    .run = { draw, trop_tf_selections_solve, conclude },
    .exhibited = (const char *const[]){ TROP_TF_COUNTEREXAMPLE },
    .exhibits = 1,
    .shown = shown,
    .show = show,
    .spoils = cone_spoils,
    .trials = 50,
};

const struct trop_claim trop_tf_lem_5_repaired = {
    .id = "tf-lem-5-repaired",
    .title = "local optimality is a cone, inputs with support",
    .statement = "A selection alpha with a solution, of which every input that has tokens of at "
                 "least the selected score has a support vector, is locally optimal if and only if "
                 "W_mm(alpha) is in cone_eps(alpha) for small eps > 0.",
    .status = TROP_CLAIM_PROVED,
    .remark = "On all selections of an instance that satisfy this.",
    .inputs = "X y v z",
    .hypotheses = cone_hypotheses,
    .run = { draw, trop_tf_selections_solve, conclude_supported },
    .spoils = cone_spoils,
    .trials = 50,
};

const struct trop_claim trop_tf_rem_d = {
    .id = "tf-rem-d",
    .title = "assumption D leaves one locally optimal selection",
    .statement =
        "If every selection other than the best that has a solution has an input whose best "
        "token is not selected but is a support vector, then the best selection is the only "
        "locally optimal one.",
    .status = TROP_CLAIM_PROVED,
    .inputs = "X y v z",
    .hypotheses = TROP_HYPOTHESES(TROP_TF_UNIQUE, TROP_TF_RIVALS),
    .run = { draw_wide, trop_tf_selections_solve, conclude_d },
    .spoils = TROP_SPOILS({ "the best selection is called not locally optimal", NULL }),
    .trials = 50,
};
