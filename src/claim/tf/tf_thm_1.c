/* tf_thm_1.c -- enough dimensions separate every selection (theorem 1).
 *
 * With d >= max(T - 1, n), the T - 1 differences x_alpha - x_t of an input and the n queries are
 * linearly independent for almost all data: some u_i has <x_alpha - x_t, u_i> = 1 for all t, and
 * some W has W z_i = u_i. So every one of the T^n selections has a solution.
 *
 * Conclusion: for every selection the case holds a W, and its leads, evaluated from the data, are
 * at least 1 up to the rounding of these sums.
 */
#include "claim/tf/tf.h"

#include <string.h>

/* Vectors are in general position when each has this share outside the span of those before it. */
#define LEAST 1e-4

static void draw(struct trop_case *c)
{
    const int64_t n = 2 + trop_case_pick(c, 41, 0, 2), T = 2 + trop_case_pick(c, 41, 1, 2);

    trop_tf_draw(c, n, T, (n > T - 1 ? n : T - 1) + trop_case_pick(c, 41, 2, 2));
    /* Half of the draws are self-attention: the query is the first token. */
    if (c->trial % 2 == 1) {
        const struct trop_view x = trop_case_view(c, "X"), z = trop_case_view(c, "z");
        for (int64_t i = 0; i < z.rows; i++) {
            memcpy(trop_case_view_row(z, i), trop_case_view_row(x, i),
                   (size_t)z.columns * sizeof *z.at);
        }
    }
}

/* ---- hypotheses ---- */

static void dimension(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "X");

    trop_judge_at_least(judge, "d against T - 1", -1, (double)x.depth, (double)x.columns - 1, 0);
    trop_judge_at_least(judge, "d against n", -1, (double)x.depth, (double)x.rows, 0);
}

/* More vectors than dimensions are the other hypothesis. */
static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void position(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    double *differences = trop_case_scratch(c, m.T * m.d);

    trop_judge_at_least(judge, "independence of the queries", -1,
                        trop_tf_independence(c, m.data.z, least(m.n, m.d), m.d), LEAST, 0);
    for (int64_t i = 0; i < m.n; i++) {
        const double *x = m.data.x + i * m.T * m.d;
        for (int64_t k = 0; k < (m.T - 1) * m.d; k++) {
            differences[k] = x[m.d + k] - x[k % m.d];
        }
        trop_judge_at_least(judge, "independence of the differences of an input", i,
                            trop_tf_independence(c, differences, least(m.T - 1, m.d), m.d), LEAST,
                            0);
    }
}

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view all = trop_case_view(c, "all");
    struct trop_tf m = trop_tf_of(c);

    for (int64_t k = 0; k < all.rows; k++) {
        const double *w = trop_case_view_row(all, k);
        trop_tf_select(&m, k);
        trop_judge_at_least(judge, "least lead of the selected tokens", k, trop_tf_margin(&m, w), 1,
                            trop_tf_rounding(&m, w));
    }
}

const struct trop_claim trop_tf_thm_1 = {
    .id = "tf-thm-1",
    .title = "enough dimensions separate every selection",
    .statement =
        "If d >= max(T - 1, n), then for almost all tokens and queries, the query being a "
        "token of the input or not, the max-margin problem is feasible for every choice of "
        "one token per input.",
    .status = TROP_CLAIM_PROVED,
    .remark =
        "Every one of the T^n selections is solved, and its solution evaluated from the data. "
        "Almost all is read as general position by a margin of 1e-4.",
    .inputs = "X y v z",
    .hypotheses = TROP_HYPOTHESES(
        { "dimension", "d >= max(T - 1, n)", .judge = dimension,
          .broken = "one coordinate too few is kept" },
        { "general-position", "queries, and differences of tokens of an input, are independent",
          .judge = position, .broken = "two queries are equal", .edit = "z[1] = z[0]" }),
    .run = { draw, trop_tf_selections_solve, conclude },
    .spoils = TROP_SPOILS(
        { "the first solution is shorter by 1e-6", NULL, .edit = "all[0] *= 1-1e-6" },
        { "the first selection has the solution of the second", NULL, .edit = "all[0] = all[1]" }),
    .trials = 50,
};
