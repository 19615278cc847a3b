/* schedule_fade.c -- the sum of log(1 - s(k)) for s(k) = a b^k or a (k + 1)^-b, s falling.
 *
 * The terms are <= 0, so that a relative error of each is one of the sum; u is 2^-53. A term has
 * s = e^-v, with v in two doubles, and is log1p(-s), or log(-expm1(-v)) for s > 1/2.
 *
 * Euler and Maclaurin: with x the real index and f = log(1 - s),
 *
 *   sum_{A <= k < B} f(k) = int_A^B f + [-f/2 + f'/12 - f'''/720 + ...]_A^B   up to f^(15).
 *
 * f is singular where v = 0 (s = 1), at a distance y left of x, and where v = 2 pi i m, which lies
 * further off. A is at least 32 steps behind the first term, so y >= 32, and a step there lessens
 * s by no more than a factor e^(1/4): the term left out is below 2 (2 pi)^-18 times the largest of
 * 16! / 32^17, 4^-17 and 8 9 ... 24 / 32^17 (a power b = 8), 1e-19 of f. The terms before A are
 * added directly; when a step takes more than e^(1/4) they end, below 2^-64 of the sum, after a few
 * hundred. The derivatives are Taylor coefficients: those of s by the ratio of neighbours, those of
 * log(1 - s) by (1 - s) f' = -s'. They make up less than 1/32 of the sum, so their own error, some
 * 20 u, does not count.
 * The integral from A to the point C where s <= 1/4 runs over panels no longer than y (and
 * the length over which v grows by 1), 16 Gauss points each: the singularities are outside the
 * ellipse of sum of axes 5.8, and the error below 5^-32. y doubles from panel to panel: at most
 * 60 of them (geometric) or 1100 (power with a tiny exponent). From C on it is the series
 *
 *   -sum_m s(C)^m / m int_C^B (s(x) / s(C))^m dx,   m <= 32,
 *
 * whose integrals are elementary: L phi(m r L) with L = B - C for s = a e^(-r x), and
 * x_C l phi((m b - 1) l) with l = log(x_B / x_C) for s = a x^-b, where phi(z) = (1 - e^-z) / z.
 * Terms again of one sign. Error: 6 u in f, 4 u in the weights and nodes or 8 u in a term
 * of the series, 2 u in the additions: 12 u, 6 ulp. (v may lose digits where s comes close to 1 at
 * an index beyond 2^40: log a and b log x cancel there.)
 */
#include "base/schedule_internal.h"

#include "base/math/exp.h"

#include <math.h>
#include <stdint.h>

#define FIRST 32   /* terms before Euler and Maclaurin take over */
#define STEEP 0.25 /* the most that v = -log s may grow in a step there */
#define POINTS 8   /* half of Gauss's */
#define ENDS 8     /* derivatives of Euler and Maclaurin */
#define LN4 0x1.62e42fefa39efp+0

/* s = e^-v, with v = rate k - log a (geometric) or rate log(k + 1) - log a (power). */
struct law {
    struct pair log_a;
    struct pair rate;
    struct pair start; /* of k or k + 1, the offset 0 */
    int power;
};

/* e^-v for v > -700. */
static double decay(struct pair v)
{
    double hi, lo;
    if (v.hi > 1000.0) {
        return 0.0;
    }
    const int64_t k = trop_exp_parts(&hi, &lo, -v.hi, -v.lo);
    return trop_exp_scale(hi, k);
}

/* log(1 - e^-v). */
static double log_gap(struct pair v)
{
    if (!(v.hi >= 0.0)) {
        return NAN;
    }
    return v.hi < 0.69 ? trop_log(-trop_expm1(-v.hi)) : trop_log1p(-decay(v));
}

static struct law law_of(const struct trop_schedule *schedule, double from)
{
    const struct pair log_a = pair_log((struct pair){ schedule->a, 0.0 });
    if (schedule->kind == TROP_SCHEDULE_POWER) {
        return (struct law){ log_a, { schedule->b, 0.0 }, two_sum(from, 1.0), 1 };
    }
    const struct pair log_b = pair_log((struct pair){ schedule->b, 0.0 });
    return (struct law){ log_a, { -log_b.hi, -log_b.lo }, { from, 0.0 }, 0 };
}

static struct pair place(const struct law *law, double offset)
{
    return pair_sum(law->start, (struct pair){ offset, 0.0 });
}

/* v = -log s, so many steps after the first. 0 where s is 1 but for roundings. */
static struct pair fall(const struct law *law, double offset)
{
    const struct pair x = place(law, offset);
    const struct pair size = pair_product(law->rate, law->power ? pair_log(x) : x);
    const struct pair v = pair_sum(size, (struct pair){ -law->log_a.hi, -law->log_a.lo });
    const int one = v.hi >= -0x1p-53 && v.hi <= 0x1p-80 * fabs(law->log_a.hi);
    return one ? (struct pair){ 0.0, 0.0 } : v;
}

/* The growth of v in one step. */
static double slope(const struct law *law, double offset)
{
    return law->power ? law->rate.hi / place(law, offset).hi : law->rate.hi;
}

/* -f/2 + f'/12 - f'''/720 + ..., what an end of Euler and Maclaurin's sum adds. */
static double end_terms(const struct law *law, double offset)
{
    static const double bernoulli[ENDS] = { 1 / 12.0,  -1 / 120.0,     1 / 252.0, -1 / 240.0,
                                            1 / 132.0, -691 / 32760.0, 1 / 12.0,  -3617 / 8160.0 };
    const struct pair v = fall(law, offset);
    const double x = place(law, offset).hi, gap = -trop_expm1(-v.hi);
    double s[2 * ENDS], f[2 * ENDS]; /* Taylor coefficients of s and log(1 - s) */
    double sum = 0.0;

    s[0] = decay(v);
    for (int i = 1; i < 2 * ENDS; i++) {
        s[i] = -s[i - 1] / i * (law->power ? (law->rate.hi + (i - 1)) / x : law->rate.hi);
        double inner = 0.0;
        for (int j = 1; j < i; j++) {
            inner = fma(j * f[j], -s[i - j], inner);
        }
        f[i] = (-s[i] - inner / i) / gap;
    }
    for (int p = ENDS - 1; p >= 0; p--) {
        sum = fma(bernoulli[p], f[2 * p + 1], sum);
    }
    return sum - 0.5 * log_gap(v);
}

/* The integral of f over a panel. */
static double panel(const struct law *law, double offset, double length)
{
    static const double gauss[POINTS][2] = {
        /* the points > 0 and their weights */
        { 0x1.852bd6676a9f9p-4, 0x1.83feae80e4dfcp-3 },
        { 0x1.205cae642337cp-2, 0x1.75f8c77e0c00fp-3 },
        { 0x1.d50259a43a772p-2, 0x1.5a6ebbb5a75fcp-3 },
        { 0x1.3c5a466d5e8b8p-1, 0x1.325f61bca3cbfp-3 },
        { 0x1.82c45dda4726bp-1, 0x1.fe7af2bad386ap-4 },
        { 0x1.bb3403514e483p-1, 0x1.85c4ee79cc258p-4 },
        { 0x1.e39f56616f9b0p-1, 0x1.fdfb1a2c1265dp-5 },
        { 0x1.fa92c264d787ep-1, 0x1.bcddab4b7c211p-6 },
    };
    const double half = 0.5 * length, middle = offset + half;
    double sum = 0.0;

    for (int i = POINTS - 1; i >= 0; i--) {
        const double step = half * gauss[i][0];
        const double f = log_gap(fall(law, middle - step)) + log_gap(fall(law, middle + step));
        sum = fma(gauss[i][1], f, sum);
    }
    return clamp(half * sum);
}

/* Where the panel that begins here ends: a whole number of steps on. */
static double panel_end(const struct law *law, double offset, double v)
{
    const double x = place(law, offset).hi, rate = law->rate.hi;
    const double distance = law->power ? -x * trop_expm1(-v / rate) : v / rate;
    const double unit = law->power ? fmin(x, x / rate) : 1.0 / rate;
    return offset + floor(fmin(distance, unit));
}

/* (1 - e^-z) / z. */
static double phi(struct pair z)
{
    if (fabs(z.hi) < 0x1p-60) {
        return 1.0;
    }
    return (z.hi > -1.0 ? -trop_expm1(-z.hi) : 1.0 - decay(z)) / z.hi;
}

/* The integral of (s(x) / s(C))^m from C to B. */
static double tail_length(const struct law *law, double m, double c, double b)
{
    const struct pair x = place(law, c);
    const struct pair grown = pair_product((struct pair){ m, 0.0 }, law->rate);
    if (!law->power) {
        const struct pair length = two_sum(b, -c);
        return isinf(b) ? 1.0 / grown.hi : length.hi * phi(pair_product(grown, length));
    }
    const struct pair order = pair_sum(grown, (struct pair){ -1.0, 0.0 });
    if (isinf(b)) {
        return x.hi / order.hi;
    }
    struct pair log = { trop_log1p((b - c) / x.hi), 0.0 };
    if (b - c > x.hi) {
        const struct pair start = pair_log(x);
        log = pair_sum(pair_log(place(law, b)), (struct pair){ -start.hi, -start.lo });
    }
    return x.hi * log.hi * phi(pair_product(order, log));
}

/* The integral of f from C to B where s(C) <= 1/4. e^-v is multiplied in two halves: it may be
 * too small for a double where its product with the length is not. */
static double tail(const struct law *law, double c, double b)
{
    const struct pair v = fall(law, c);
    const double s = decay(v), root = decay((struct pair){ 0.5 * v.hi, 0.5 * v.lo });
    double sum = 0.0, share = 1.0;

    for (int m = 1; m <= 32 && share > 0x1p-64; m++) {
        sum += share / m * tail_length(law, m, c, b) * root * root;
        share *= s;
    }
    return clamp(-sum);
}

double trop_schedule_fade(const struct trop_schedule *schedule, double from, double n)
{
    const struct law rule = law_of(schedule, from), *law = &rule;
    struct pair sum = { 0.0, 0.0 };
    double at = 0.0;

    for (; at < n && (n <= TROP_SCHEDULE_SHORT || at < FIRST || slope(law, at) > STEEP); at++) {
        const double f = log_gap(fall(law, at));
        sum = add(sum, f);
        if (!isfinite(f) || (slope(law, at) > STEEP && fabs(f) <= 0x1p-64 * fabs(sum.hi))) {
            return sum.hi;
        }
    }
    if (!(at < n)) {
        return sum.hi;
    }
    sum = add(sum, -end_terms(law, at));
    sum = add(sum, isinf(n) ? 0.0 : end_terms(law, n));
    for (struct pair v = fall(law, at); v.hi < LN4 && at < n; v = fall(law, at)) {
        const double end = fmin(panel_end(law, at, v.hi), n);
        sum = add(sum, panel(law, at, end - at));
        at = end;
    }
    return at < n ? add(sum, tail(law, at, n)).hi : sum.hi;
}
