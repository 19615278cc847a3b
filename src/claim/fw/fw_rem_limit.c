/* fw_rem_limit.c -- hardmax as the limit of softmax (Frank-Wolfe paper, section 1.2).
 *
 * Let s_j be the scores of a token, m the largest, L the tokens that attain it, and a the mean of
 * the points of L over tokens. The softmax average is within
 *
 *   D (1/#L) sum over j not in L of exp(-beta (m - s_j))
 *
 * of a, D the diameter: the weights of L are equal, and what is not on L has that total at most.
 * So softmax tends to the mean over the tokens of L, in which a point that is there three times
 * counts three times. The paper's hardmax takes the mean over the distinct points of L, which is
 * the limit only where tied points occur equally often: (1, 0) among (2, 1), (2, 1), (2, -1) has
 * the limit (2, 1/3), not (2, 0). Both readings are the same without ties.
 *
 * Rounding: a score errs by e (trop_fw_score_error), which changes the weights by 2 beta e in
 * total, and the average by D times that. Equal tokens have equal scores; scores of others tie only
 * where B x and the products with it are exact in double, since a rounded B x, in another order of
 * additions, has another maximum. Averages of n tokens round by 4 n u R.
 */
#include "claim/fw/fw.h"

#include "base/math/exp.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- instances ---- */

/* (1, 0), the points (2, 1) and (2, -1) some number of times each, and others that score less. */
static void draw_tied(struct trop_case *c)
{
    const int64_t up = 1 + trop_case_pick(c, 18, 0, 3), down = 1 + trop_case_pick(c, 18, 1, 3);
    const int64_t n = 1 + up + down + trop_case_pick(c, 18, 2, 4);
    double *x = trop_case_zeros(c, "tokens", n, 2, 0);

    trop_case_copy_in(c, "B", (const double[]){ 1, 0, 0, 1 }, 2, 2, 0);
    x[0] = 1;
    for (int64_t i = 1; i < n; i++) {
        const int is_tied = i <= up + down;
        x[2 * i] = is_tied ? 2 : trop_case_uniform(c, 19, i) - .5;
        x[2 * i + 1] = is_tied ? (i <= up ? 1 : -1) : .25 + .5 * trop_case_uniform(c, 20, i);
    }
}

static void draw(struct trop_case *c)
{
    if (c->trial % 2 == 1 && !trop_case_has(c, "tokens") && !trop_case_has(c, "B")) {
        draw_tied(c);
    }
    trop_fw_draw_cloud(c, 4, 8, 3);
    trop_fw_draw_any_matrix(c);
    trop_case_default(c, "beta", 64);
}

/* ---- work: "soft" and "hard" (n, d), by layers with gamma = 1 ---- */

static void layer(struct trop_case *c, const char *name, const char *options)
{
    trop_case_path(c, "path", 1, "key_query=@B gamma=1 %s", options);
    const struct trop_view after = trop_case_view_part(trop_case_view(c, "path"), 1);
    trop_case_copy_in(c, name, after.at, after.rows, after.columns, 0);
    trop_case_drop(c, "path");
}

static void work_points(struct trop_case *c)
{
    layer(c, "hard", "rule=hardmax ties=points");
    layer(c, "soft", "rule=softmax beta=@beta");
}

static void work_indices(struct trop_case *c)
{
    layer(c, "hard", "rule=hardmax ties=indices");
    layer(c, "soft", "rule=softmax beta=@beta");
}

/* ---- the hypotheses: what is not tied is behind by a margin; it is cold ---- */

/* How far the score of token j is behind the largest one of token i. */
static double behind(const struct trop_case *c, int64_t i, int64_t j)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const double *xi = trop_case_view_row(x, i);
    const double *leader = trop_case_view_row(x, trop_fw_leader(NULL, c, xi, x));

    return trop_fw_score(c, xi, leader) - trop_fw_score(c, xi, trop_case_view_row(x, j));
}

/* The unit of the last bit of p q that is set, infinity of 0; 0: the product is rounded. */
static double least_bit(double p, double q)
{
    const double product = p * q;
    int exponent = 0;

    if (p == 0 || q == 0) {
        return INFINITY;
    }
    if (!(fabs(product) > 1e-280) || fma(p, q, -product) != 0) {
        return 0;
    }
    const int64_t whole = (int64_t)(fabs(frexp(product, &exponent)) * 0x1p53);
    return ldexp((double)(whole & -whole), exponent - 53);
}

/* Whether <p, q> comes without rounding in any order: all terms are multiples of a unit, and their
 * sizes sum to less than 2^53 of it. */
static int is_exact(const double *p, const double *q, int64_t d)
{
    double unit = INFINITY, total = 0;

    for (int64_t k = 0; k < d; k++) {
        unit = fmin(unit, least_bit(p[k], q[k]));
        total += fabs(p[k] * q[k]);
    }
    return total < unit * 0x1p52;
}

/* Whether <B x, y> does. */
static int is_score_exact(const struct trop_case *c, const double *x, const double *y)
{
    const struct trop_view b = trop_case_view(c, "B");
    double *query = trop_case_scratch(c, b.rows);
    int exact = 1;

    for (int64_t a = 0; a < b.rows; a++) {
        exact = exact && is_exact(trop_case_view_row(b, a), x, b.columns);
        query[a] = trop_tokens_dot(trop_case_view_row(b, a), x, b.columns);
    }
    return exact && is_exact(query, y, b.rows);
}

static void no_near_ties(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const size_t size = (size_t)x.columns * sizeof *x.at;
    const double error = trop_fw_error(c, x);

    for (int64_t k = 0; k < x.rows * x.rows; k++) {
        const double *xi = trop_case_view_row(x, k / x.rows),
                     *xj = trop_case_view_row(x, k % x.rows);
        const double *leader = trop_case_view_row(x, trop_fw_leader(NULL, c, xi, x));
        const double gap = behind(c, k / x.rows, k % x.rows);
        const int is_tied =
            memcmp(xj, leader, size) == 0 ||
            (gap == 0 && is_score_exact(c, xi, xj) && is_score_exact(c, xi, leader));
        trop_judge_truth(judge, "a score ties exactly or is behind", -1,
                         is_tied || gap > 8 * error);
    }
}

static const struct trop_hypothesis hypotheses[] = {
    { "no-near-ties", "scores tie, in numbers without rounding, or differ beyond it",
      .judge = no_near_ties, .broken = "two leaders that differ by four ulps",
      .edit = "tokens = {1 0; 2 1; 2 -1}; tokens[2,0] -= 4 * 2^-52; B = {1 0; 0 1}" },
    { "cold", "beta is at least 1", .holds = "beta >= 1", .broken = "beta is 1/2",
      .edit = "beta = .5" },
    { 0 },
};

/* ---- the conclusion ---- */

static void conclude(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t n = x.rows, d = x.columns;
    const double *soft = trop_case_array(c, "soft"), *hard = trop_case_array(c, "hard");
    const double beta = trop_case_number(c, "beta"), diameter = trop_tokens_diameter_of(x);
    const double radius = trop_tokens_radius_of(x);
    const double allowance = trop_tokens_allow(2 * beta * trop_fw_error(c, x) * diameter +
                                                   4 * (double)n * DBL_EPSILON * radius,
                                               diameter > 0 ? diameter : radius);

    for (int64_t i = 0; i < n; i++) {
        double rest = 0, tied = 0;
        for (int64_t j = 0; j < n; j++) {
            const double gap = behind(c, i, j);
            tied += gap == 0;
            rest += gap == 0 ? 0 : trop_exp(-beta * gap);
        }
        trop_judge_at_most(judge, "distance of the softmax average from hardmax", 1,
                           trop_tokens_distance(soft + i * d, hard + i * d, d),
                           diameter * rest / tied, allowance);
    }
}

/* ---- a proof file, about token i ---- */

/* clang-format off */
static const char *const shown[] = {
    "beta >= 1",
    "s = [dot(dot(B, tokens[i]), a) for a in tokens]",
    "L = top(s)",
    "S = [j for j in L if all(tokens[k] != tokens[j] for k in range(j))]",
    "printed = sum(tokens[j] for j in S) / len(S)",
    "limit = sum(tokens[j] for j in L) / len(L)",
    "limit != printed",
    "K = [exp(beta * (a - s[L[0]])) for a in s]",
    "average = sum(K[j] * tokens[j] for j in range(len(K))) / sum(K)",
    "dot(average - printed, average - printed) > "
        "max(dot(a - b, a - b) for a in tokens for b in tokens) * "
        "((sum(K) - len(L)) / len(L))**2",
    NULL,
};
/* clang-format on */

/* Both conclusions, by more than the allowance of the check. */
static int show(struct trop_case *c, int64_t step)
{
    const struct trop_view x = trop_case_view(c, "tokens");
    const int64_t n = x.rows, d = x.columns;
    const double beta = trop_case_number(c, "beta"), diameter = trop_tokens_diameter_of(x);
    const double allowance = 2 * beta * trop_fw_error(c, x) * diameter +
                             4 * (double)n * DBL_EPSILON * trop_tokens_radius_of(x);
    int64_t *list = trop_case_scratch_integers(c, n);
    int found = 0;

    (void)step;
    for (int64_t i = 0; i < n && !found; i++) {
        const double *at = trop_case_view_row(x, i), *soft = trop_case_array(c, "soft") + i * d;
        const int64_t tied = trop_fw_leaders(list, c, at, x, 0);
        const double *limit = trop_fw_mean(c, x, list, tied);
        const double best = trop_fw_score(c, at, trop_case_view_row(x, list[0]));
        double rest = 0;
        for (int64_t j = 0, k = 0; j < n; j++) {
            const int is_tied = k < tied && list[k] == j;
            const double gap = best - trop_fw_score(c, at, trop_case_view_row(x, j));
            k += is_tied;
            rest += is_tied ? 0 : trop_exp(-beta * gap);
        }
        const double *printed = trop_fw_mean(c, x, list, trop_fw_leaders(list, c, at, x, 1));
        found = trop_tokens_distance(limit, printed, d) > allowance &&
                trop_tokens_distance(soft, printed, d) > diameter * rest / (double)tied + allowance;
        trop_case_put(c, "i", (double)i);
    }
    return found;
}

static const struct trop_spoil spoils[] = {
    { "softmax at beta/64", NULL, .edit = "work with beta /= 64" },
    { 0 },
};

const struct trop_claim trop_fw_rem_limit = {
    .id = "fw-rem-limit",
    .title = "hardmax over points is the limit of softmax",
    .statement = "As beta grows the softmax average of a token tends to the mean of the distinct "
                 "points that attain its largest score, exponentially fast.",
    .status = TROP_CLAIM_FALSE,
    .remark = "Where tied points occur equally often, as without ties, it holds; (1,0) with (2,1) "
              "twice and (2,-1) once tends to (2, 1/3), not (2, 0). Read as a bound for "
              "each beta: the diameter times the sum of exp(-beta times how far a score is behind) "
              "over the tokens that are, over the number of those that are not.",
    .repaired = "fw-rem-limit-repaired",
    .inputs = "tokens B beta",
    .hypotheses = hypotheses,
    .run = { draw, work_points, conclude },
    .exhibited = (const char *const[]){ "tokens = {1 0; 2 1; 2 1; 2 -1}; B = {1 0; 0 1}" },
    .exhibits = 1,
    .shown = shown,
    .show = show,
    .spoils = spoils,
    .trials = 100,
};

const struct trop_claim trop_fw_rem_limit_repaired = {
    .id = "fw-rem-limit-repaired",
    .title = "hardmax over tokens is the limit of softmax",
    .statement =
        "As beta grows the softmax average of a token tends to the mean of the tokens that "
        "attain its largest score, each counted, exponentially fast.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read as the bound of fw-rem-limit.",
    .inputs = "tokens B beta",
    .hypotheses = hypotheses,
    .run = { draw, work_indices, conclude },
    .spoils = spoils,
    .trials = 100,
};
