/* fw_prop_dimension.c -- random vertices own their cells in high dimension (Frank-Wolfe paper, the
 * proposition on d -> infinity in section 4), and Wendel's probability of the origin.
 *
 * v_1 .. v_n independent N(0, I_d), B symmetric with eigenvalues in [low, high], low > 0: the
 * probability that all own their cells tends to 1. Quantitatively: given v_i, <B v_i, v_j> is
 * N(0, |B v_i|^2), so with Q the upper tail of N(0, 1), Q(z) <= exp(-z^2/2)/2,
 *
 *   P(<B v_i, v_j> >= <B v_i, v_i>) <= E exp(-<B v, v>^2 / (2 |B v|^2)) / 2
 *                                   <= E exp(-k |v|^2 / 2) / 2 = (1 + k)^(-d/2) / 2,
 *
 * k = 4 low high / (low + high)^2, by Kantorovich's inequality <B v, v>^2 >= k |B v|^2 |v|^2 (put
 * v = B^(-1/2) w). Over the n (n - 1) pairs: P(not all own) <= n (n - 1)/2 (1 + k)^(-d/2), which
 * tends to 0. This bound is what samples are held to, and that the fraction grows from one d to
 * the next.
 *
 * Wendel: for a law that is symmetric about 0 and has a density, 0 is in the hull of n points of
 * R^d with probability 1 - 2^(1-n) sum over k < d of C(n-1, k): of interest for theorem 3.1.
 *
 * A fraction of m runs with probability p has standard deviation sqrt(p (1 - p)/m); four of them
 * are allowed for, with p from the bound (a value of p (1 - p) at least 1/m is taken, so that a
 * fraction of 0 or 1 still allows for a few runs).
 */
#include "claim/fw/fw.h"

#include "base/math/pow.h"
#include "claim/tokens.h"

#include <math.h>

#define DIMENSIONS 5

static const double dimensions[DIMENSIONS] = { 4, 8, 16, 32, 64 };

static double deviation(double p, double runs)
{
    const double q = fmin(1, fmax(0, p));

    return sqrt(fmax(q * (1 - q), 1 / runs) / runs);
}

static double runs_of(const struct trop_case *c)
{
    return c->effort == TROP_CASE_TINY ? 200 : c->effort == TROP_CASE_QUICK ? 1000 : 20000;
}

static enum trop_status enough_runs(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "runs", -1, trop_case_number(c, "runs"), 100, 0);
    return TROP_OK;
}

static enum trop_status too_few(struct trop_case *c)
{
    return trop_case_put(c, "runs", 10);
}

/* ---- own cells ---- */

static enum trop_status draw_dimension(struct trop_case *c)
{
    enum trop_status status =
        trop_tokens_count(c, "n", (double)(4 + trop_case_pick(c, 18, 0, 8)), 1, 1e6);

    if (status == TROP_OK) {
        status = trop_tokens_count(c, "runs", runs_of(c), 1, 1e6);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "low", .5 + .5 * trop_case_uniform(c, 18, 1));
    }
    return status == TROP_OK ? trop_case_default(c, "high", 1 + trop_case_uniform(c, 18, 2))
                             : status;
}

/* Whether the n rows of v own their cells, B diagonal with entries from low to high: a rotation of
 * the axes changes neither the law nor the scores. */
static int all_own(const double *v, const struct trop_case *c, int64_t n, int64_t d)
{
    const double low = trop_case_number(c, "low"), high = trop_case_number(c, "high");

    for (int64_t k = 0; k < n * n; k++) {
        const double *x = v + k / n * d, *y = v + k % n * d;
        double lead = 0;
        for (int64_t a = 0; a < d; a++) {
            const double b = low + (high - low) * (double)a / (double)(d - 1);
            lead += b * x[a] * (x[a] - y[a]);
        }
        if (k / n != k % n && !(lead > 0)) {
            return 0;
        }
    }
    return 1;
}

/* The fraction of the clouds in which every token owns its cell. With doubled = 1 the last token is
 * a copy of the first at twice the length, which then does not own its cell. */
static enum trop_status count_own(double *out, const struct trop_case *c, int64_t which,
                                  int64_t doubled)
{
    const int64_t n = trop_case_integer(c, "n"), d = (int64_t)dimensions[which];
    const int64_t runs = trop_case_integer(c, "runs");
    struct trop_case *scratch = NULL;
    double *v = NULL;
    int64_t owned = 0;
    enum trop_status status = trop_case_create(&scratch, c->seed, c->trial, 0, 1);

    if (status == TROP_OK) {
        status = trop_case_make(&v, scratch, "v", n, d, 0);
    }
    for (int64_t r = 0; r < runs && status == TROP_OK; r++) {
        scratch->trial = c->trial * runs + r;
        for (int64_t k = 0; k < n * d; k++) {
            v[k] = trop_case_normal(scratch, 20 + which, k);
        }
        for (int64_t k = 0; k < doubled * d; k++) {
            v[(n - 1) * d + k % d] = 2 * v[k];
        }
        owned += all_own(v, c, n, d);
    }
    *out = (double)owned / (double)runs;
    trop_case_free(scratch);
    return status;
}

/* "fraction" (DIMENSIONS) that own. */
static enum trop_status fill_own(struct trop_case *c, int64_t doubled)
{
    double *fraction = NULL;
    enum trop_status status = trop_case_make(&fraction, c, "fraction", DIMENSIONS, 0, 0);

    for (int64_t k = 0; k < DIMENSIONS && status == TROP_OK; k++) {
        status = count_own(fraction + k, c, k, doubled);
    }
    return status;
}

static enum trop_status work_dimension(struct trop_case *c)
{
    return fill_own(c, 0);
}

static enum trop_status conclude_dimension(struct trop_judge *judge, const struct trop_case *c)
{
    const double *fraction = trop_case_array(c, "fraction");
    const double n = trop_case_number(c, "n"), runs = trop_case_number(c, "runs");
    const double low = trop_case_number(c, "low"), high = trop_case_number(c, "high");
    const double k = 4 * low * high / ((low + high) * (low + high));

    for (int64_t i = 0; i < DIMENSIONS; i++) {
        const double bound = fmin(1, n * (n - 1) / 2 * trop_pow(1 + k, -dimensions[i] / 2));
        trop_judge_at_most(judge, "fraction of clouds with a vertex that does not own its cell",
                           (int64_t)dimensions[i], 1 - fraction[i], bound,
                           4 * deviation(bound, runs));
        if (i > 0) {
            trop_judge_at_least(
                judge, "fraction that own, against half the dimension", (int64_t)dimensions[i],
                fraction[i], fraction[i - 1],
                4 * (deviation(fraction[i], runs) + deviation(fraction[i - 1], runs)));
        }
    }
    return TROP_OK;
}

static enum trop_status bounded(struct trop_judge *judge, const struct trop_case *c)
{
    const double low = trop_case_number(c, "low"), high = trop_case_number(c, "high");

    trop_judge_truth(judge, "0 < low <= high", -1, low > 0 && low <= high);
    return TROP_OK;
}

static enum trop_status several(struct trop_judge *judge, const struct trop_case *c)
{
    const double n = trop_case_number(c, "n");

    trop_judge_truth(judge, "n is from 2 to 1000", -1, n >= 2 && n <= 1000 && n == floor(n));
    return TROP_OK;
}

static enum trop_status one_vertex(struct trop_case *c)
{
    return trop_case_put(c, "n", 1);
}

static enum trop_status no_lower(struct trop_case *c)
{
    return trop_case_put(c, "low", -1);
}

static enum trop_status doubled_vertex(struct trop_case *c)
{
    return fill_own(c, 1);
}

/* ---- the origin ---- */

static enum trop_status draw_wendel(struct trop_case *c)
{
    const int64_t d = 2 + trop_case_pick(c, 18, 0, 3);
    enum trop_status status = trop_tokens_count(c, "d", (double)d, 1, 1e4);

    if (status == TROP_OK) {
        status = trop_tokens_count(c, "n", (double)(d + 2 + trop_case_pick(c, 18, 1, 6)), 1, 1e6);
    }
    if (status == TROP_OK) {
        status = trop_case_default(c, "shift", 0);
    }
    return status == TROP_OK ? trop_tokens_count(c, "runs", runs_of(c), 1, 1e6) : status;
}

/* 1: in the hull. A cloud for which it cannot be decided counts as half. */
static enum trop_status origin_in(double *out, const double *x, int64_t n, int64_t d)
{
    static const double origin[64] = { 0 };
    struct trop_hull *hull = NULL;
    struct trop_hull_position place;
    enum trop_status status = trop_hull_create(&hull, x, n, d, 1);

    if (status == TROP_OK) {
        status = trop_hull_place(&place, NULL, NULL, NULL, hull, origin);
    }
    if (status == TROP_OK) {
        *out = place.side == TROP_SIDE_INSIDE ? 1 : place.side == TROP_SIDE_OUTSIDE ? 0 : .5;
    }
    trop_hull_free(hull);
    return status;
}

/* "inside": the number of runs whose hull contains 0, for clouds with the mean shift (1, .., 1). */
static enum trop_status count_inside(struct trop_case *c, double shift)
{
    const int64_t n = trop_case_integer(c, "n"), d = trop_case_integer(c, "d");
    const int64_t runs = trop_case_integer(c, "runs");
    struct trop_case *scratch = NULL;
    double *x = NULL, inside = 0, one = 0;
    enum trop_status status = trop_case_create(&scratch, c->seed, c->trial, 0, 1);

    if (status == TROP_OK) {
        status = trop_case_make(&x, scratch, "x", n, d, 0);
    }
    for (int64_t r = 0; r < runs && status == TROP_OK; r++) {
        scratch->trial = c->trial * runs + r;
        for (int64_t k = 0; k < n * d; k++) {
            x[k] = shift + trop_case_normal(scratch, 20, k);
        }
        status = origin_in(&one, x, n, d);
        inside += one;
    }
    trop_case_free(scratch);
    return status == TROP_OK ? trop_case_put(c, "inside", inside) : status;
}

static enum trop_status work_wendel(struct trop_case *c)
{
    return count_inside(c, trop_case_number(c, "shift"));
}

static enum trop_status conclude_wendel(struct trop_judge *judge, const struct trop_case *c)
{
    const int64_t n = trop_case_integer(c, "n"), d = trop_case_integer(c, "d");
    const double runs = trop_case_number(c, "runs");
    double term = ldexp(1, (int)(1 - n)), outside = 0;

    for (int64_t k = 0; k < d && k < n; k++) {
        outside += term;
        term *= (double)(n - 1 - k) / (double)(k + 1);
    }
    trop_judge_near(judge, "fraction of clouds with the origin in their hull", -1,
                    trop_case_number(c, "inside") / runs, 1 - outside,
                    4 * deviation(outside, runs));
    return TROP_OK;
}

static enum trop_status centred(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "the law is symmetric about 0", -1, trop_case_number(c, "shift") == 0);
    return TROP_OK;
}

static enum trop_status small_sizes(struct trop_judge *judge, const struct trop_case *c)
{
    const double n = trop_case_number(c, "n"), d = trop_case_number(c, "d");

    trop_judge_truth(judge, "1 <= d <= 64 and 1 <= n <= 1000", -1,
                     d >= 1 && d <= 64 && n >= 1 && n <= 1000 && n == floor(n) && d == floor(d));
    return TROP_OK;
}

static enum trop_status shifted_law(struct trop_case *c)
{
    return count_inside(c, .5);
}

static enum trop_status put_shift(struct trop_case *c)
{
    return trop_case_put(c, "shift", .5);
}

static const struct trop_hypothesis dimension_hypotheses[] = {
    { "bounded-spectrum", "eigenvalues of B are between low > 0 and high, for every d", bounded,
      0 },
    { "several", "there are 2 to 1000 vertices", several, 0 },
    { "enough-runs", "at least 100 clouds for each dimension", enough_runs, 0 },
    { 0 },
};

static const struct trop_hypothesis wendel_hypotheses[] = {
    { "centred", "the law is symmetric about the origin", centred, 0 },
    { "sizes", "n and d are in range", small_sizes, 0 },
    { "enough-runs", "at least 100 clouds", enough_runs, 0 },
    { 0 },
};

static const struct trop_spoil dimension_spoils[] = {
    { "clouds in which a token is twice another one", NULL, doubled_vertex },
    { "low = -1", "bounded-spectrum", no_lower },
    { "one vertex", "several", one_vertex },
    { "10 runs", "enough-runs", too_few },
    { 0 },
};

static const struct trop_spoil wendel_spoils[] = {
    { "a law with mean 1/2 in every coordinate", NULL, shifted_law },
    { "the mean is said to be 1/2", "centred", put_shift },
    { "10 runs", "enough-runs", too_few },
    { 0 },
};

static const struct trop_input dimension_inputs[] = {
    { "n", "", "vertices" },
    { "low", "", "least eigenvalue of B" },
    { "high", "", "largest eigenvalue of B" },
    { "runs", "", "clouds for each dimension" },
    { 0 },
};

static const struct trop_input wendel_inputs[] = {
    { "n", "", "tokens" },
    { "d", "", "dimension" },
    { "runs", "", "clouds" },
    { 0 },
};

const struct trop_claim trop_fw_prop_dimension = {
    .id = "fw-prop-dimension",
    .title = "own cells in high dimension",
    .statement = "For a fixed number of independent N(0, I_d) vertices and a symmetric B with "
                 "eigenvalues between "
                 "two positive bounds the probability that every vertex owns its cell tends to 1 "
                 "as d grows.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Read as an explicit bound: the probability that one does not is at most "
              "n (n - 1)/2 (1 + k)^(-d/2), k = 4 low high / (low + high)^2; samples in dimensions "
              "4 to 64 are held to it, and to a fraction that grows, within 4 standard deviations.",
    .old_inputs = dimension_inputs,
    .hypotheses = dimension_hypotheses,
    .old_draw = draw_dimension,
    .old_work = work_dimension,
    .old_conclude = conclude_dimension,
    .spoils = dimension_spoils,
    .trials = 4,
};

const struct trop_claim trop_fw_rem_wendel = {
    .id = "fw-rem-wendel",
    .title = "how often the origin is in the hull",
    .statement = "The hull of n independent tokens of R^d from a law with a density that is "
                 "symmetric about the origin contains it with probability 1 - 2^(1-n) times the "
                 "sum of C(n-1, k) over k < d.",
    .status = TROP_CLAIM_PROVED,
    .remark = "Wendel's theorem, on Gaussian samples within 4 standard deviations; how often the "
              "hypothesis of theorem 3.1 is true.",
    .old_inputs = wendel_inputs,
    .hypotheses = wendel_hypotheses,
    .old_draw = draw_wendel,
    .old_work = work_wendel,
    .old_conclude = conclude_wendel,
    .spoils = wendel_spoils,
    .trials = 8,
};
