/* fw_rem_sparsity.c -- how many initial tokens a token is made of.
 *
 * A Frank-Wolfe method over a fixed set adds one atom a step: after t steps an iterate is a convex
 * combination of t + 1 atoms. Hardmax moves the set along. The leader of x_i at step t is x_l^t,
 * which is itself a combination of initial tokens:
 *
 *   x_i^{t+1} = (1 - gamma) x_i^t + gamma x_l^t,   W^{t+1}_i = (1 - gamma) W^t_i + gamma W^t_l,
 *
 * x^t = W^t x^0, so the number of tokens may double at each step. With the unit vectors of R^4 for
 * tokens and a B that sends 0 after 1, 1 after 2, 2 after 3, and x_0^1 after x_2^1, token 0 is
 * (e_0 + e_1 + e_2 + e_3)/4 after two steps of gamma = 1/2: four tokens, and not by choice, since
 * the tokens are affinely independent and the combination is the only one. What holds is 2^t; and
 * t + 1 when every leader stays where it is.
 *
 * Rounding: x^t and W^t x^0 differ by the rounding of each step, at most 8 u R sqrt(d) as in
 * theorem 4.2, and by that of W, (t + 1) u in each of its entries: 4 (t + 1) (n + 4) u R sqrt(d).
 */
#include "claim/fw/fw.h"

#include <float.h>
#include <math.h>

/* Affinely independent tokens: one more dimension than differences. By turns a B for which most
 * tokens follow themselves, and one for which none does. */
static void draw(struct trop_case *c)
{
    const int64_t n = 4 + trop_case_pick(c, 18, 0, 3);
    const int stays = c->trial % 2 == 0;

    trop_tokens_gaussian(c, n, trop_fw_draw_dimension(c, n));
    trop_fw_draw_matrix(c, stays ? .9 : -2, stays ? 1.1 : -.2);
    trop_fw_draw_gamma(c, 3, .2, .8);
}

/* ---- work: the path, and the combinations along it, "weights" (steps + 1, n, n) ---- */

static void combine(double *after, const double *before, const struct trop_case *c, int64_t t)
{
    const struct trop_view x = trop_case_view_part(trop_case_view(c, "path"), t);
    const int64_t n = x.rows;
    const double gamma = trop_fw_gamma(c, t);

    for (int64_t i = 0; i < n; i++) {
        const int64_t l = trop_fw_leader(NULL, c, trop_case_view_row(x, i), x);
        for (int64_t j = 0; j < n; j++) {
            after[i * n + j] = (1 - gamma) * before[i * n + j] + gamma * before[l * n + j];
        }
    }
}

static void work(struct trop_case *c)
{
    trop_fw_work_path(c);
    const int64_t rows = trop_case_size(c, "path", 0), n = trop_case_size(c, "path", 1);
    double *w = trop_case_zeros(c, "weights", rows, n, n);

    for (int64_t i = 0; i < n; i++) {
        w[i * n + i] = 1;
    }
    for (int64_t t = 0; t + 1 < rows; t++) {
        combine(w + (t + 1) * n * n, w + t * n * n, c, t);
    }
}

/* ---- hypotheses ---- */

/* The differences x_i - x_0 have a Gram matrix with no eigenvalue near 0. */
static void independent(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t m = x.rows - 1;

    if (m < 1) {
        trop_judge_truth(judge, "there are two tokens or more", -1, 0);
        return;
    }
    double *gram = trop_case_scratch(c, m * m);
    for (int64_t k = 0; k < m * m; k++) {
        const double *p = trop_case_view_row(x, 1 + k / m), *q = trop_case_view_row(x, 1 + k % m);
        for (int64_t a = 0; a < x.columns; a++) {
            gram[k] += (p[a] - x.at[a]) * (q[a] - x.at[a]);
        }
    }
    const struct trop_fw_range range = trop_fw_eigenvalues(c, gram, m);
    trop_judge_at_least(judge, "least over largest eigenvalue of the Gram matrix", -1,
                        range.high > 0 ? range.low / range.high : 0, 1e-8, 1e-12);
}

static void one_leader(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view path = trop_case_view(c, "path");
    const double error = 4 * trop_fw_error(c, trop_case_view_part(path, 0));

    for (int64_t t = 0; t + 1 < path.rows; t++) {
        const struct trop_view x = trop_case_view_part(path, t);
        for (int64_t i = 0; i < x.rows; i++) {
            trop_judge_at_least(judge, "lead of a token's leader", t, trop_fw_lead(c, x, i),
                                DBL_MIN, error);
        }
    }
}

#define ONE_LEADER \
    { \
        "one-leader", "every token has one leader at every step", .judge = one_leader, .late = 1 \
    }

/* ---- conclusions ---- */

/* Judges that the weights of every token yield it and form a convex combination of so many. */
static void judge_token(struct trop_judge *judge, const struct trop_case *c, int64_t t, int64_t i,
                        double most)
{
    const struct trop_view path = trop_case_view(c, "path"), x0 = trop_case_view_part(path, 0);
    const int64_t n = path.columns, d = path.depth;
    const double *x = trop_case_view_row(path, t) + i * d;
    const double *w = trop_case_view_row(trop_case_view(c, "weights"), t) + i * n;
    const double unit = 2 * (double)((t + 1) * (n + 4)) * DBL_EPSILON;
    double *gap = trop_case_scratch(c, d), sum = 0, least = INFINITY;
    int64_t count = 0;

    for (int64_t j = 0; j < n; j++) {
        for (int64_t a = 0; a < d; a++) {
            gap[a] += w[j] * trop_case_view_row(x0, j)[a];
        }
        sum += w[j];
        least = fmin(least, w[j]);
        count += w[j] != 0;
    }
    trop_judge_at_most(judge, "distance of a token from the combination", t,
                       trop_tokens_distance(gap, x, d), 0,
                       unit * sqrt((double)d) * trop_tokens_radius_of(x0));
    trop_judge_near(judge, "sum of the weights", t, sum, 1, unit);
    trop_judge_at_least(judge, "least weight", t, least, 0, 0);
    trop_judge_at_most(judge, "initial tokens in the combination", t, (double)count, most, 0);
}

static void judge_all(struct trop_judge *judge, const struct trop_case *c, int doubles)
{
    const struct trop_view path = trop_case_view(c, "path");

    for (int64_t t = 0; t < path.rows; t++) {
        for (int64_t i = 0; i < path.columns; i++) {
            judge_token(judge, c, t, i, doubles ? ldexp(1, (int)t) : (double)(t + 1));
        }
    }
}

static void conclude_fixed(struct trop_judge *judge, const struct trop_case *c)
{
    judge_all(judge, c, 0);
}

static void conclude_doubling(struct trop_judge *judge, const struct trop_case *c)
{
    judge_all(judge, c, 1);
}

/* ---- a proof file: the way of token i in exact numbers, by step sizes "g" ---- */

/* clang-format off */
static const char *const shown[] = {
    "E = [tokens[k] - tokens[0] for k in range(1, len(tokens))]",
    "least > 0 and semidefinite([[dot(E[a], E[b]) - (least if a == b else 0) "
        "for b in range(len(E))] for a in range(len(E))])",
    "all(0 < h < 1 for h in g)",
    "x = tokens",
    "W = [[1 if a == b else 0 for b in range(len(x))] for a in range(len(x))]",
    "for t in range(len(g)): L = [top([dot(dot(B, a), b) for b in x]) for a in x]; "
        "all(len(a) == 1 for a in L); "
        "x = [x[k] + g[t] * (x[L[k][0]] - x[k]) for k in range(len(x))]; "
        "W = [W[k] + g[t] * (W[L[k][0]] - W[k]) for k in range(len(x))]",
    "x[i] == sum(W[i][k] * tokens[k] for k in range(len(tokens)))",
    "all(a >= 0 for a in W[i]) and sum(W[i]) == 1",
    "sum(1 for a in W[i] if a > 0) > len(g) + 1",
    NULL,
};
/* clang-format on */

/* Token i at step t is a combination of more than t + 1; on the way every lead is beyond the
 * rounding of scores and of the path. */
static int is_sure(const struct trop_case *c, int64_t steps)
{
    const struct trop_view path = trop_case_view(c, "path"), x0 = trop_case_view_part(path, 0);
    const double R = trop_tokens_radius_of(x0);

    for (int64_t t = 0; t < steps; t++) {
        const struct trop_view x = trop_case_view_part(path, t);
        const double moved = 4 * (double)(t + 1) * DBL_EPSILON * sqrt((double)x.columns) * R;
        const double error = 4 * (trop_fw_error(c, x0) + 2 * trop_fw_norm(c) * R * moved);
        for (int64_t i = 0; i < x.rows; i++) {
            if (!(trop_fw_lead(c, x, i) > error)) {
                return 0;
            }
        }
    }
    return 1;
}

static int show(struct trop_case *c, int64_t step)
{
    const struct trop_view x = trop_case_view(c, "tokens"), w = trop_case_view(c, "weights");
    const int64_t n = x.rows, m = n - 1;
    double *gram = trop_case_scratch(c, m * m), *g = trop_case_zeros(c, "g", step, 0, 0);
    int64_t most = 0, at = 0;

    for (int64_t k = 0; k < m * m; k++) {
        const double *p = trop_case_view_row(x, 1 + k / m), *q = trop_case_view_row(x, 1 + k % m);
        for (int64_t a = 0; a < x.columns; a++) {
            gram[k] += (p[a] - x.at[a]) * (q[a] - x.at[a]);
        }
    }
    for (int64_t t = 0; t < step; t++) {
        g[t] = trop_fw_gamma(c, t);
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n; j++) {
            count += trop_case_view_row(w, step)[i * n + j] > 0;
        }
        at = count > most ? i : at;
        most = count > most ? count : most;
    }
    trop_case_put(c, "i", (double)at);
    trop_case_put(c, "least", trop_fw_eigenvalues(c, gram, m).low / 2);
    return most > step + 1 && is_sure(c, step);
}

static const struct trop_spoil spoils[] = {
    { "a token of step 1 is the mean of four", NULL,
      .edit = "path[1,0] = (path[0,0] + path[0,1] + path[0,2] + path[0,3]) / 4;"
              "weights[1,0] = 0; weights[1,0,0:4] = .25" },
    TROP_FW_NUDGE,
    { 0 },
};

const struct trop_claim trop_fw_rem_sparsity = {
    .id = "fw-rem-sparsity",
    .title = "t + 1 initial tokens after t steps",
    .statement = "After t hardmax layers every token is a convex combination of at most t + 1 "
                 "initial tokens.",
    .status = TROP_CLAIM_REFUTED,
    .source = TROP_CLAIM_DERIVED,
    .remark =
        "What is known of Frank-Wolfe over a fixed set, and suggests itself; the paper does not "
        "say it. Here leaders move and are combinations themselves: four unit vectors and a "
        "suitable B give a token that is the mean of all four after two steps. Tokens are "
        "affinely independent, so that the combination is unique.",
    .repaired = "fw-rem-sparsity-repaired",
    .inputs = "tokens B gamma steps",
    .hypotheses = TROP_HYPOTHESES(
        { "independent", "the tokens are affinely independent: combinations are unique",
          .judge = independent, .broken = "the last token is the middle of two",
          .edit = "tokens[-1] = .5 * (tokens[0] + tokens[1])" },
        TROP_FW_STEPS, ONE_LEADER),
    .run = { draw, work, conclude_fixed },
    .exhibited =
        (const char *const[]){
            "tokens = {1 0 0 0; 0 1 0 0; 0 0 1 0; 0 0 0 1}; steps = 2; gamma = .5;"
            "B = {0 0 0 0; 1 -10 0 0; 0 10 .5 0; 0 9 1 1}" },
    .exhibits = 1,
    .shown = shown,
    .show = show,
    .spoils = spoils,
    .trials = 60,
};

const struct trop_claim trop_fw_rem_sparsity_repaired = {
    .id = "fw-rem-sparsity-repaired",
    .title = "2^t initial tokens after t steps",
    .statement = "After t hardmax layers every token is a convex combination of at most 2^t "
                 "initial tokens.",
    .status = TROP_CLAIM_PROVED,
    .source = TROP_CLAIM_DERIVED,
    .inputs = "tokens B gamma steps",
    .hypotheses = TROP_HYPOTHESES(TROP_FW_STEPS, ONE_LEADER),
    .run = { draw, work, conclude_doubling },
    .spoils = spoils,
    .trials = 60,
};
