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
#include "claim/sample.h"

#include <math.h>

#define DIMENSIONS 5

static const double dimensions[DIMENSIONS] = { 4, 8, 16, 32, 64 };

static double deviation(double p, double runs)
{
    const double q = fmin(1, fmax(0, p));

    return sqrt(fmax(q * (1 - q), 1 / runs) / runs);
}

static void draw_runs(struct trop_case *c)
{
    trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 200, 1000, 20000), 1, 1e6);
}

/* The random numbers of one run are those of a case that no other run has. */
static struct trop_case *begin_runs(const struct trop_case *c)
{
    struct trop_case *run = trop_case_apart(c);

    run->trial = c->trial * trop_case_integer(c, "runs");
    return run;
}

/* ---- own cells ---- */

static void draw_dimension(struct trop_case *c)
{
    trop_tokens_count(c, "n", (double)(4 + trop_case_pick(c, 18, 0, 8)), 1, 1e6);
    draw_runs(c);
    trop_case_default(c, "low", .5 + .5 * trop_case_uniform(c, 18, 1));
    trop_case_default(c, "high", 1 + trop_case_uniform(c, 18, 2));
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

/* "fraction" (DIMENSIONS) of the clouds in which every token owns its cell. */
static void work_dimension(struct trop_case *c)
{
    const int64_t n = trop_case_integer(c, "n"), runs = trop_case_integer(c, "runs");
    double *fraction = trop_case_zeros(c, "fraction", DIMENSIONS, 0, 0);
    double *v = trop_case_scratch(c, n * (int64_t)dimensions[DIMENSIONS - 1]);

    for (int64_t which = 0; which < DIMENSIONS; which++) {
        const int64_t d = (int64_t)dimensions[which];
        struct trop_case *run = begin_runs(c);
        int64_t owned = 0;
        for (int64_t r = 0; r < runs; r++, run->trial++) {
            for (int64_t k = 0; k < n * d; k++) {
                v[k] = trop_case_normal(run, 20 + which, k);
            }
            owned += all_own(v, c, n, d);
        }
        fraction[which] = (double)owned / (double)runs;
    }
}

static void conclude_dimension(struct trop_judge *judge, const struct trop_case *c)
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
}

/* ---- the origin ---- */

static void draw_wendel(struct trop_case *c)
{
    const int64_t d = 2 + trop_case_pick(c, 18, 0, 3);

    trop_tokens_count(c, "d", (double)d, 1, 1e4);
    trop_tokens_count(c, "n", (double)(d + 2 + trop_case_pick(c, 18, 1, 6)), 1, 1e6);
    trop_case_default(c, "shift", 0);
    draw_runs(c);
}

/* 1: in the hull. A cloud for which it cannot be decided counts as half. */
static double origin_in(const struct trop_case *c, const double *x, int64_t n, int64_t d)
{
    static const double origin[64] = { 0 };
    const int64_t side = trop_case_place(c, trop_case_hull(c, x, n, d), origin).side;

    return side == TROP_SIDE_INSIDE ? 1 : side == TROP_SIDE_OUTSIDE ? 0 : .5;
}

/* "inside": the number of runs whose hull contains 0, for clouds with the mean shift (1, .., 1). */
static void work_wendel(struct trop_case *c)
{
    const int64_t n = trop_case_integer(c, "n"), d = trop_case_integer(c, "d");
    const double shift = trop_case_number(c, "shift");
    struct trop_case *run = begin_runs(c);
    double *x = trop_case_scratch(c, n * d), inside = 0;

    for (int64_t r = 0; r < trop_case_integer(c, "runs"); r++, run->trial++) {
        void *mark = trop_case_mark(c);
        for (int64_t k = 0; k < n * d; k++) {
            x[k] = shift + trop_case_normal(run, 20, k);
        }
        inside += origin_in(c, x, n, d);
        trop_case_release(c, mark);
    }
    trop_case_put(c, "inside", inside);
}

static void conclude_wendel(struct trop_judge *judge, const struct trop_case *c)
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
}

#define ENOUGH(meaning) \
    { \
        "enough-runs", meaning, .holds = "runs >= 100", .broken = "10 runs", .edit = "runs = 10" \
    }

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
    .inputs = "n low high runs",
    .hypotheses = TROP_HYPOTHESES(
        { "bounded-spectrum", "eigenvalues of B are between low > 0 and high, for every d",
          .holds = "low > 0 and low <= high", .broken = "low = -1", .edit = "low = -1" },
        { "several", "there are 2 to 1000 vertices",
          .holds = "n >= 2 and n <= 1000 and n == floor(n)", .broken = "one vertex",
          .edit = "n = 1" },
        ENOUGH("at least 100 clouds for each dimension")),
    .run = { draw_dimension, work_dimension, conclude_dimension },
    .spoils = TROP_SPOILS({ "clouds in which a token is twice another one, so that not all own",
                            NULL, .edit = "fraction = 0" }),
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
    .inputs = "n d runs",
    .hypotheses = TROP_HYPOTHESES(
        { "centred", "the law is symmetric about the origin", .holds = "shift == 0",
          .broken = "the mean is said to be 1/2", .edit = "shift = .5" },
        { "sizes", "n and d are in range",
          .holds =
              "d >= 1 and d <= 64 and d == floor(d) and n >= 1 and n <= 1000 and n == floor(n)" },
        ENOUGH("at least 100 clouds")),
    .run = { draw_wendel, work_wendel, conclude_wendel },
    .spoils = TROP_SPOILS(
        { "a law with mean 1/2 in every coordinate", NULL, .edit = "work with shift = .5" }),
    .trials = 8,
};
