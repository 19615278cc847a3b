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
 * Signs of the cone's number are decided when it is above 1e-6 |W|, the accuracy of solutions with
 * a proved gap of 1e-12; selections nearer to the edge are left out.
 */
#include "claim/tf/tf.h"

#include "claim/examples.h"
#include "claim/tokens.h"

#include <math.h>
#include <string.h>

#define EDGE 1e-6

static enum trop_status draw(struct trop_case *c)
{
    return trop_tf_draw(c, 2, 3, 2 + trop_case_pick(c, 41, 0, 2));
}

static enum trop_status draw_wide(struct trop_case *c)
{
    return trop_tf_draw(c, 2, 3, 24);
}

/* ---- hypotheses ---- */

static enum trop_status feasible(struct trop_judge *judge, const struct trop_case *c)
{
    int64_t solved = 0;

    for (int64_t k = 0; k < trop_case_size(c, "all", 0); k++) {
        solved += trop_case_array(c, "all_outcome")[k] == TROP_OUTCOME_SOLVED;
    }
    trop_judge_at_least(judge, "selections with a solution", -1, (double)solved, 1, 0);
    return TROP_OK;
}

/* The other selections with a solution, each with a best token that is a support vector. */
static enum trop_status assumption(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64], best[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(best, c);
    for (int64_t k = 0; k < trop_case_size(c, "all", 0); k++) {
        const double *w = trop_case_array(c, "all") + k * data.d * data.d;
        double nearest = INFINITY;
        trop_tf_digits(alpha, k, data.n, data.T);
        for (int64_t i = 0; i < data.n; i++) {
            nearest = alpha[i] == best[i]
                          ? nearest
                          : fmin(nearest, trop_tf_lead(&data, w, i, alpha[i], best[i]));
        }
        if (trop_case_array(c, "all_outcome")[k] == TROP_OUTCOME_SOLVED && nearest < INFINITY) {
            trop_judge_truth(judge, "some best token that is not selected is a support vector", k,
                             nearest <= 1 + 1e-7);
        }
    }
    return TROP_OK;
}

static const struct trop_hypothesis cone_hypotheses[] = {
    { "feasible", "some selection has a solution", feasible, 1 },
    { 0 },
};

static const struct trop_hypothesis d_hypotheses[] = {
    { "unique", "one token of every input scores highest", trop_tf_unique, 0 },
    { "assumption-D", "of every other selection with a solution, a best token is support",
      assumption, 1 },
    { 0 },
};

/* ---- conclusions ---- */

/* 1 when every input with higher tokens has a support vector. */
static int is_supported(const struct trop_data *data, const double *w, const int64_t *alpha)
{
    for (int64_t i = 0; i < data->n; i++) {
        double nearest = INFINITY, highest = -INFINITY;
        for (int64_t t = 0; t < data->T; t++) {
            if (t != alpha[i]) {
                nearest = fmin(nearest, trop_tf_lead(data, w, i, alpha[i], t));
                highest = fmax(highest, trop_tf_score(data, i, t));
            }
        }
        if (highest >= trop_tf_score(data, i, alpha[i]) && nearest > 1 + 1e-7) {
            return 0;
        }
    }
    return 1;
}

static enum trop_status judge_all(struct trop_judge *judge, const struct trop_case *c,
                                  int supported_only)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    for (int64_t k = 0; k < trop_case_size(c, "all", 0); k++) {
        const double *w = trop_case_array(c, "all") + k * data.d * data.d;
        const double local = trop_case_array(c, "all_local")[k];
        trop_tf_digits(alpha, k, data.n, data.T);
        const double cone =
            trop_tf_selections_cone(&data, w, alpha) / trop_tokens_norm(w, data.d * data.d);
        const int is_decided = trop_case_array(c, "all_outcome")[k] == TROP_OUTCOME_SOLVED &&
                               (local == 0 || local == 1) && fabs(cone) > EDGE;
        /* A high token that is a support vector itself is on the edge: cone = 0 up to rounding. */
        const int is_edge = trop_case_array(c, "all_outcome")[k] == TROP_OUTCOME_SOLVED &&
                            local == 0 && fabs(cone) <= EDGE;
        if ((is_decided || is_edge) && (!supported_only || is_supported(&data, w, alpha))) {
            trop_judge_truth(judge, "locally optimal exactly when in the cone", k,
                             (local == 1) == (cone > EDGE));
        }
    }
    return TROP_OK;
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    return judge_all(judge, c, 0);
}

static enum trop_status conclude_supported(struct trop_judge *judge, const struct trop_case *c)
{
    return judge_all(judge, c, 1);
}

static enum trop_status conclude_d(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64], best[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(best, c);
    for (int64_t k = 0; k < trop_case_size(c, "all", 0); k++) {
        trop_tf_digits(alpha, k, data.n, data.T);
        const int is_best = memcmp(alpha, best, (size_t)data.n * sizeof *best) == 0;
        if (trop_case_array(c, "all_outcome")[k] == TROP_OUTCOME_SOLVED) {
            trop_judge_truth(judge, "the best selection and no other is locally optimal", k,
                             trop_case_array(c, "all_local")[k] == (is_best ? 1 : 0));
        }
    }
    return TROP_OK;
}

/* ---- the counterexample, and ways to be wrong ---- */

static enum trop_status exhibit(struct trop_case *c, int64_t k)
{
    static const double values[4][8] = {
        { 1, 0, 0, 0, 0, 0, 2, 1 }, { 1, -1 }, { 1, -1 }, { 1, 0, 1, 0 }
    };
    static const char *const names[4] = { "X", "y", "v", "z" };
    static const int64_t shapes[4][3] = { { 2, 2, 2 }, { 2, 0, 0 }, { 2, 0, 0 }, { 2, 2, 0 } };
    enum trop_status status = TROP_OK;

    (void)k;
    for (int64_t e = 0; e < 4 && status == TROP_OK; e++) {
        double *out = NULL;
        status = trop_case_make(&out, c, names[e], shapes[e][0], shapes[e][1], shapes[e][2]);
        if (status == TROP_OK) {
            memcpy(out, values[e], (size_t)(e == 0 ? 8 : e == 3 ? 4 : 2) * sizeof *out);
        }
    }
    return status;
}

/* The best selection is always locally optimal, and its cone everything. */
static enum trop_status deny(struct trop_case *c)
{
    int64_t best[64], k = 0;
    const int64_t T = trop_case_size(c, "X", 1);

    trop_examples_optimal(best, c);
    for (int64_t i = trop_case_size(c, "X", 0) - 1; i >= 0; i--) {
        k = k * T + best[i];
    }
    trop_case_array(c, "all_local")[k] = 0;
    return TROP_OK;
}

/* The tokens of the lowest scores are never locally optimal where they have support. */
static enum trop_status exchange_scores(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "v", 0); k++) {
        trop_case_array(c, "v")[k] *= -1;
    }
    return TROP_OK;
}

static enum trop_status none_solved(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "all", 0); k++) {
        trop_case_array(c, "all_outcome")[k] = TROP_OUTCOME_INFEASIBLE;
    }
    return TROP_OK;
}

/* Solutions that are longer by a half have no support vectors. */
static enum trop_status longer(struct trop_case *c)
{
    for (int64_t k = 0; k < trop_case_size(c, "all", 0) * trop_case_size(c, "all", 1) *
                                trop_case_size(c, "all", 2);
         k++) {
        trop_case_array(c, "all")[k] *= 1.5;
    }
    return TROP_OK;
}

static const struct trop_spoil cone_spoils[] = {
    { "the best selection is called not locally optimal", NULL, deny },
    { "scores are exchanged after local optimality was decided", NULL, exchange_scores },
    { "every selection is called infeasible", "feasible", none_solved },
    { 0 },
};

static const struct trop_spoil d_spoils[] = {
    { "the best selection is called not locally optimal", NULL, deny },
    { "solutions are longer by a half, without support vectors", "assumption-D", longer },
    { "two tokens of an input are equal and best", "unique", trop_tf_double_best },
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
    .old_inputs = trop_tf_inputs,
    .hypotheses = cone_hypotheses,
    .old_draw = draw,
    .old_work = trop_tf_selections_solve,
    .old_conclude = conclude,
    .old_exhibit = exhibit,
    .exhibits = 1,
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
    .old_inputs = trop_tf_inputs,
    .hypotheses = cone_hypotheses,
    .old_draw = draw,
    .old_work = trop_tf_selections_solve,
    .old_conclude = conclude_supported,
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
    .remark = "",
    .old_inputs = trop_tf_inputs,
    .hypotheses = d_hypotheses,
    .old_draw = draw_wide,
    .old_work = trop_tf_selections_solve,
    .old_conclude = conclude_d,
    .spoils = d_spoils,
    .trials = 50,
};
