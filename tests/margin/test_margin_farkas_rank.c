/* test_margin_farkas_rank.c -- contradictions of data that lie exactly in a subspace are proved,
 * and are not any more when one number is off by its last bit. */
#include "margin/check/margin_check.h"

#include "margin/farkas/margin_farkas_internal.h"
#include "margin/farkas/margin_farkas_prime.h"
#include "margin_support.h"

#include <gmp.h>

#include "alloc_failing.c"

#define MOST 64

/* ---- rows that are dependent in just one way ------------------------------------------------- */

/* Points of rank `rank` in R^rows, queries of rank `asks` in R^columns. */
struct shape {
    int64_t rows, rank, columns, asks;
    int64_t slopes; /* 0: whole, 1: halves, 2: both and others, 3: any of 20 bits */
};

/* 20 bits, below 8, so that products with a slope of 20 bits, and sums of a few, are exact. */
static double grid(double x)
{
    return floor(fmin(fmax(x, -7.0), 7.0) * 0x1p17) * 0x1p-17;
}

static double slope(int64_t slopes, uint64_t seed, uint64_t i)
{
    const double sizes[3][4] = { { 1, -1, 2, -3 }, { 0.5, -0.5, 1.5, -2.5 }, { 3, -0.5, 0.25, 7 } };
    return slopes == 3 ? grid(normal(seed, i)) : sizes[slopes][whole(seed, i, 4)];
}

/* n vectors in R^d, coordinates from `rank` on combinations of those before; turned round by
 * `turn` so that any of them may be the dependent ones. */
static void flat(double *out, int64_t n, int64_t d, int64_t rank, int64_t slopes, uint64_t seed)
{
    const int64_t turn = whole(seed, 1, d);

    for (int64_t i = 0; i < n; i++) {
        for (int64_t a = 0; a < d; a++) {
            double sum = 0.0;
            for (int64_t c = 0; a >= rank && c < rank; c++) {
                sum += slope(slopes, seed + 5, (uint64_t)(a * d + c)) * out[i * d + (c + turn) % d];
            }
            out[i * d + (a + turn) % d] =
                a < rank ? grid(normal(seed, (uint64_t)(100 + i * d + a))) : sum;
        }
    }
}

/* The vector with combination 0 of n + 1 rows of n numbers, the last of it 1; 0: it is not told
 * clearly, or has an entry near 0. m: (n + 1, n), overwritten. */
static int null_vector(double *out, double *m, int64_t n)
{
    for (int64_t c = 0; c < n; c++) { /* equations c, unknowns are rows */
        int64_t at = c;
        for (int64_t e = c; e < n; e++) {
            at = fabs(m[c * n + e]) > fabs(m[c * n + at]) ? e : at;
        }
        if (fabs(m[c * n + at]) < 1e-6) {
            return 0;
        }
        for (int64_t i = 0; i <= n; i++) {
            const double keep = m[i * n + at];
            m[i * n + at] = m[i * n + c];
            m[i * n + c] = keep;
        }
        for (int64_t e = 0; e < n; e++) {
            const double factor = e == c ? 0.0 : m[c * n + e] / m[c * n + c];
            for (int64_t i = 0; i <= n; i++) {
                m[i * n + e] -= factor * m[i * n + c];
            }
        }
    }
    out[n] = 1.0;
    for (int64_t i = 0; i < n; i++) {
        out[i] = -m[n * n + i] / m[i * n + i];
        if (!(fabs(out[i]) > 1e-5 && fabs(out[i]) < 1e5)) {
            return 0;
        }
    }
    return 1;
}

/* Turns the points of the first n + 1 rows so that these contradict each other in the only way they
 * can; chosen: (n) coordinates that determine them. lambda: the multipliers. */
static int turn_round(struct sample *s, double *lambda, int64_t n, const int64_t *chosen)
{
    double m[MOST * MOST], row[MOST];

    for (int64_t j = 0; j <= n; j++) {
        sample_row(row, &s->problem, j);
        for (int64_t c = 0; c < n; c++) {
            m[j * n + c] = row[chosen[c]];
        }
    }
    if (!null_vector(lambda, m, n)) {
        return 0;
    }
    for (int64_t j = 0; j <= n; j++) {
        for (int64_t a = 0; a < s->problem.rows && lambda[j] < 0.0; a++) {
            s->point[2 * j * s->problem.rows + a] *= -1.0;
        }
        lambda[j] = fabs(lambda[j]);
    }
    return 1;
}

/* rank asks + 1 rows that contradict each other; 0: drawn badly, nothing is kept. Queries: each
 * row its own, or the number 1 for all (columns = 1). */
static int circuit(struct sample *s, double *lambda, struct shape shape, uint64_t seed)
{
    const int64_t n = shape.rank * shape.asks, d = shape.rows, columns = shape.columns;
    const int64_t turn = whole(seed, 1, d), other = whole(seed + 7, 1, columns);
    double points[MOST * 8];
    int64_t chosen[MOST];

    sample_make(s, n + 1, 2, d, columns);
    flat(points, n + 1, d, shape.rank, shape.slopes, seed);
    flat(s->query, n + 1, columns, shape.asks, shape.slopes, seed + 7);
    for (int64_t j = 0; j <= n; j++) {
        memcpy(s->point + 2 * j * d, points + j * d, (size_t)d * sizeof *points);
        s->asked[j] = columns == 1 ? 0 : j;
    }
    s->query[0] = columns == 1 ? 1.0 : s->query[0];
    for (int64_t c = 0; c < n; c++) {
        chosen[c] = (c / shape.asks + turn) % d * columns + (c % shape.asks + other) % columns;
    }
    if (!turn_round(s, lambda, n, chosen)) {
        sample_free(s);
        return 0;
    }
    return 1;
}

static int64_t kind_of(const struct trop_problem *p, const double *lambda)
{
    int64_t rows[MOST];
    double weights[MOST];
    struct trop_margin_farkas found;

    assert_ok(trop_margin_farkas(&found, rows, weights, p, lambda));
    assert_true(found.kind == TROP_MARGIN_FARKAS_NONE || found.tau < 1e-12);
    return found.kind;
}

static const struct shape shapes[] = {
    { 3, 2, 1, 1, 0 }, { 5, 4, 1, 1, 0 }, { 6, 4, 1, 1, 0 }, { 5, 4, 3, 3, 0 },
    { 4, 3, 4, 3, 0 }, { 3, 3, 4, 2, 0 }, { 4, 2, 5, 3, 0 },
};
#define SHAPES ((int64_t)(sizeof shapes / sizeof *shapes))

/* Every shape and slope, `each` times; off: the last bit of one number is changed. */
static void assert_kinds(int64_t each, int off)
{
    for (int64_t k = 0; k < SHAPES * 4; k++) {
        struct shape shape = shapes[k / 4];
        shape.slopes = k % 4;
        uint64_t seed = (uint64_t)(1000000 * k);
        for (int64_t done = 0; done < each; seed++) {
            struct sample s;
            double lambda[MOST];
            if (!circuit(&s, lambda, shape, seed)) {
                continue;
            }
            done++;
            if (off) {
                const int64_t j = whole(seed, 2, s.problem.count);
                const int64_t in_query = shape.asks < shape.columns &&
                                         (shape.rank == shape.rows || whole(seed, 3, 2) == 0);
                double *x = in_query ? s.query + j * shape.columns : s.point + 2 * j * shape.rows;
                x += whole(seed, 4, in_query ? shape.columns : shape.rows);
                *x = nextafter(*x, whole(seed, 5, 2) ? 100.0 : -100.0);
            }
            const int64_t kind = kind_of(&s.problem, lambda);
            assert_int_equal(kind == TROP_MARGIN_FARKAS_NONE, off);
            sample_free(&s);
        }
    }
}

static void test_contradictions_in_a_subspace_are_proved(void **state)
{
    assert_kinds(cases(10, 500), 0);
    (void)state;
}

/* Then the rows are independent, and A W = 1 has a solution: the vectorised rows other than j span
 * the products of the two subspaces, and row j is not among them any more. */
static void test_one_bit_off_a_subspace_proves_nothing(void **state)
{
    assert_kinds(cases(10, 500), 1);
    (void)state;
}

/* Points equal to the queries: A_j is symmetric, though points and queries have full rank. */
static void test_dependencies_of_products_alone_are_found(void **state)
{
    const int64_t chosen[] = { 0, 1, 2, 4, 5, 8 };
    int64_t done = 0;

    for (uint64_t seed = 0; done < cases(20, 1000); seed++) {
        struct sample s;
        double lambda[MOST];
        sample_make(&s, 7, 2, 3, 3);
        for (int64_t k = 0; k < 21; k++) {
            s.query[k] = grid(normal(seed, (uint64_t)k));
            s.point[k / 3 * 6 + k % 3] = s.query[k];
        }
        if (turn_round(&s, lambda, 6, chosen)) {
            assert_int_not_equal(kind_of(&s.problem, lambda), TROP_MARGIN_FARKAS_NONE);
            s.point[6 * (seed % 7)] = nextafter(s.point[6 * (seed % 7)], 100.0);
            assert_int_equal(kind_of(&s.problem, lambda), TROP_MARGIN_FARKAS_NONE);
            done++;
        }
        sample_free(&s);
    }
    (void)state;
}

/* Others lead out of the subspace, to one side of it, so that they contradict nothing. */
static void test_rows_in_a_subspace_are_found_among_others(void **state)
{
    const int64_t chosen[] = { 0, 1, 2 };
    int64_t done = 0;

    for (uint64_t seed = 0; done < cases(20, 1000); seed++) {
        struct sample s;
        double lambda[MOST];
        sample_prompt(&s, 10, 2, 5, seed);
        memset(s.point, 0, 100 * sizeof *s.point);
        for (int64_t j = 0; j < 10; j++) {
            double *x = s.point + 10 * j;
            for (int64_t a = 0; a < 3; a++) {
                x[a] = grid(normal(seed, (uint64_t)(3 * j + a)));
            }
            x[3] = x[0] + 2.0 * x[1] - x[2] + (j < 4 ? 0.0 : 1.0 + uniform(seed, (uint64_t)j));
            x[4] = j < 4 ? 0.5 * x[1] + x[2] : normal(seed, (uint64_t)(80 + j));
        }
        if (turn_round(&s, lambda, 3, chosen)) {
            for (int64_t j = 4; j < 10; j++) {
                lambda[j] = 1.0; /* misleading */
            }
            assert_int_not_equal(kind_of(&s.problem, lambda), TROP_MARGIN_FARKAS_NONE);
            s.point[4] = nextafter(s.point[4], 100.0); /* rows 0 to 3 are independent */
            assert_int_equal(kind_of(&s.problem, lambda), TROP_MARGIN_FARKAS_NONE);
            done++;
        }
        sample_free(&s);
    }
    (void)state;
}

/* ---- feasible problems ----------------------------------------------------------------------- */

/* Independent rows of R^d that nearly cancel, |w| up to 1e13, with further coordinates that are
 * exact combinations: everything is on the grid of 2^-46, below 2^6. */
static void test_feasible_data_in_a_subspace_are_never_refuted(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(300, 10000); seed++) {
        struct sample s;
        double lambda[MOST], last[8] = { 0 };
        const int64_t d = 2 + whole(seed, 1, 4), wide = d + 1 + whole(seed, 2, 2);
        const double least = pow(10.0, -13.0 * uniform(seed, 999));
        sample_prompt(&s, d, 2, wide, seed);
        memset(s.point, 0, (size_t)(2 * d * wide) * sizeof *s.point);
        for (int64_t j = 0; j < d; j++) {
            double *x = s.point + 2 * j * wide;
            lambda[j] = j + 1 < d ? 0.5 + uniform(seed, (uint64_t)j) : 1.0;
            for (int64_t a = 0; a < d; a++) {
                x[a] = a + 1 == d   ? least * (0.5 + uniform(seed, (uint64_t)(j + 50)))
                       : j + 1 == d ? last[a]
                                    : grid(normal(seed, (uint64_t)(j * d + a)));
                x[a] = ceil(x[a] * 0x1p46) * 0x1p-46;
                last[a] -= x[a] * lambda[j];
            }
            for (int64_t a = d; a < wide; a++) {
                x[a] = x[0] + (a == d ? 0.5 : -1.0) * x[d - 1];
            }
        }
        assert_int_equal(kind_of(&s.problem, lambda), TROP_MARGIN_FARKAS_NONE);
        sample_free(&s);
    }
    (void)state;
}

/* Products of low rank, every row turned to satisfy <A_j, W> > 0 for a W that is known. */
static void test_feasible_products_of_low_rank_are_never_refuted(void **state)
{
    for (uint64_t seed = 0; seed < (uint64_t)cases(300, 10000); seed++) {
        struct sample s;
        double lambda[MOST], row[MOST], w[MOST];
        const int64_t d = 3 + whole(seed, 1, 2), n = d * d + 3;
        sample_make(&s, n, 2, d, d);
        flat(s.point, 2 * n, d, d - 1, (int64_t)(seed % 4), seed);
        flat(s.query, n, d, seed % 3 == 0 ? d : d - 1, (int64_t)(seed % 4), seed + 9);
        normals(w, d * d, seed + 11);
        for (int64_t j = 0; j < n; j++) {
            sample_row(row, &s.problem, j);
            double inner = 0.0;
            for (int64_t c = 0; c < d * d; c++) {
                inner += row[c] * w[c];
            }
            const int64_t keep = s.plus[j];
            s.plus[j] = inner < 0.0 ? s.minus[j] : keep;
            s.minus[j] = inner < 0.0 ? keep : s.minus[j];
            assert_true(fabs(inner) > 1e-9); /* far above rounding: a multiple of W is feasible */
            lambda[j] = uniform(seed + 13, (uint64_t)j);
        }
        assert_int_equal(kind_of(&s.problem, lambda), TROP_MARGIN_FARKAS_NONE);
        sample_free(&s);
    }
    (void)state;
}

/* ---- the rank itself ------------------------------------------------------------------------- */

/* The rank of differences of points (n, d), minus those of point 2 j + 1, in rationals. */
static int64_t rational_rank(const double *point, int64_t n, int64_t d)
{
    mpq_t m[16][8], x, y;
    int64_t rank = 0;

    mpq_inits(x, y, NULL);
    for (int64_t k = 0; k < n * d; k++) {
        mpq_init(m[k / d][k % d]);
        mpq_set_d(x, point[k / d * 2 * d + k % d]);
        mpq_set_d(y, point[(k / d * 2 + 1) * d + k % d]);
        mpq_sub(m[k / d][k % d], x, y);
    }
    for (int64_t c = 0; c < d && rank < n; c++) {
        int64_t at = rank;
        while (at < n && mpq_sgn(m[at][c]) == 0) {
            at++;
        }
        if (at == n) {
            continue;
        }
        for (int64_t e = 0; e < d; e++) {
            mpq_swap(m[at][e], m[rank][e]);
        }
        for (int64_t i = rank + 1; i < n; i++) {
            mpq_div(x, m[i][c], m[rank][c]);
            for (int64_t e = c; e < d; e++) {
                mpq_mul(y, x, m[rank][e]);
                mpq_sub(m[i][e], m[i][e], y);
            }
        }
        rank++;
    }
    for (int64_t k = 0; k < n * d; k++) {
        mpq_clear(m[k / d][k % d]);
    }
    mpq_clears(x, y, NULL);
    return rank;
}

/* Ranks of points in subspaces, some off by a bit, on scales of 2^-300 to 2^300. */
static void test_ranks_are_those_of_rational_arithmetic(void **state)
{
    int64_t lower = 0;

    for (uint64_t seed = 0; seed < (uint64_t)cases(500, 20000); seed++) {
        const int64_t n = 2 + whole(seed, 1, 9), d = 2 + whole(seed, 2, 6);
        const int scale = seed % 3 == 0 ? 300 : 3;
        struct sample s;
        double sign[16], values[256], query = 0.5;
        int64_t list[8], row[16], count = d;
        int independent;
        sample_make(&s, n, 2, d, 1);
        flat(s.point, 2 * n, d, 1 + whole(seed, 3, d), whole(seed, 4, 4), seed);
        for (int64_t k = 0; k < 2 * n * d; k++) { /* both points of a row alike */
            const int64_t e = whole(seed + 1, (uint64_t)(k / (2 * d)), 2 * scale) - scale;
            s.point[k] = ldexp(s.point[k], (int)e);
        }
        if (seed % 2 == 0) {
            double *x = s.point + whole(seed, 5, 2 * n * d);
            *x = nextafter(*x, 1e300);
        }
        struct trop_margin_check_data data = { .problem = &s.problem };
        data.point.memory = values;
        data.query.memory = &query;
        assert_true(trop_margin_check_scale(&data.point, s.point, 2 * n * d));
        struct trop_margin_farkas_set set = { .data = &data, .count = n, .row = row, .sign = sign };
        for (int64_t i = 0; i < 16; i++) {
            row[i] = i;
            list[i % 8] = i % 8;
        }
        assert_ok(trop_margin_farkas_rank_side(list, &count, &independent, &set, 0));
        const int64_t rank = rational_rank(s.point, n, d);
        assert_int_equal(count, rank);
        assert_int_equal(independent, rank == n);
        lower += rank < n && rank < d;
        sample_free(&s);
    }
    assert_true(lower > cases(100, 4000));
    (void)state;
}

/* x_plus - x_minus = value, below 2^64, in two doubles. */
static void put_whole(double *plus, double *minus, const mpz_t value)
{
    mpz_t high;

    mpz_init(high);
    mpz_fdiv_q_2exp(high, value, 11);
    mpz_mul_2exp(high, high, 11);
    *plus = mpz_get_d(high);
    mpz_sub(high, high, value);
    *minus = mpz_get_d(high);
    mpz_clear(high);
}

/* Coordinates that are kept of two rows of two whole numbers. */
static int64_t kept_of(mpz_t numbers[4])
{
    struct sample s;
    double values[8], sign[2] = { 1.0, 1.0 };
    int64_t row[2] = { 0, 1 }, list[2] = { 0, 1 }, count = 2;
    int independent;

    sample_prompt(&s, 2, 2, 2, 0);
    for (int64_t k = 0; k < 4; k++) {
        put_whole(&s.point[k / 2 * 4 + k % 2], &s.point[k / 2 * 4 + k % 2 + 2], numbers[k]);
    }
    struct trop_margin_check_data data = { .problem = &s.problem };
    data.point.memory = values;
    assert_true(trop_margin_check_scale(&data.point, s.point, 8));
    const struct trop_margin_farkas_set set = {
        .data = &data, .count = 2, .row = row, .sign = sign
    };
    assert_ok(trop_margin_farkas_rank_side(list, &count, &independent, &set, 0));
    sample_free(&s);
    return count;
}

/* Rows (a, b) and (c, d) with a d - b c the product of the first, fourth, fifth and sixth of the
 * primes that are used and a that of the second and third: modulo the first six of them the rank
 * is 1 or nothing can be said, but it is 2. And (1, 0), (0, p q), which is 0 modulo the first two.
 */
static void test_multiples_of_the_first_primes_are_not_taken_for_zero(void **state)
{
    struct trop_margin_farkas_prime prime = { .p = 0x7fffffffU };
    mpz_t numbers[4], product, p[6];

    mpz_init(product);
    for (int64_t k = 0; k < 6; k++) {
        trop_margin_farkas_prime_below(&prime, prime.p);
        mpz_init_set_ui(p[k], prime.p);
    }
    mpz_inits(numbers[0], numbers[1], numbers[2], numbers[3], NULL);
    mpz_mul(numbers[3], p[0], p[1]);
    mpz_set_ui(numbers[0], 1);
    assert_int_equal(kept_of(numbers), 2);
    mpz_mul(product, p[0], p[3]);
    mpz_mul(product, product, p[4]);
    mpz_mul(product, product, p[5]);
    mpz_mul(numbers[0], p[1], p[2]);
    mpz_ui_pow_ui(numbers[1], 2, 61); /* below a, which so is the pivot */
    mpz_sub_ui(numbers[1], numbers[1], 1);
    assert_int_equal(mpz_invert(numbers[3], numbers[0], numbers[1]) != 0, 1);
    mpz_mul(numbers[3], numbers[3], product); /* d = product / a modulo b */
    mpz_fdiv_r(numbers[3], numbers[3], numbers[1]);
    mpz_mul(numbers[2], numbers[0], numbers[3]);
    mpz_sub(numbers[2], numbers[2], product); /* c = (a d - product) / b */
    mpz_divexact(numbers[2], numbers[2], numbers[1]);
    assert_int_equal(kept_of(numbers), 2);
    for (int64_t k = 0; k < 2; k++) { /* twice the first row */
        mpz_fdiv_q_2exp(numbers[k], numbers[k], 2);
        mpz_mul_ui(numbers[k + 2], numbers[k], 2);
    }
    assert_int_equal(kept_of(numbers), 1);
    for (int64_t k = 0; k < 6; k++) {
        mpz_clear(p[k]);
    }
    mpz_clears(product, numbers[0], numbers[1], numbers[2], numbers[3], NULL);
    (void)state;
}

/* Against GMP: the primes, one after the other, and residues of doubles of any size. */
static void test_primes_and_residues_are_those_of_gmp(void **state)
{
    struct trop_margin_farkas_prime prime = { .p = 0x7fffffffU };
    mpz_t x, above;

    mpz_inits(x, above, NULL);
    for (int64_t k = 0; k < cases(50, 3000); k++) {
        mpz_set_ui(above, prime.p);
        trop_margin_farkas_prime_below(&prime, prime.p);
        mpz_set_ui(x, prime.p);
        assert_int_equal(mpz_probab_prime_p(x, 30) > 0, 1);
        mpz_nextprime(x, x);
        assert_int_equal(mpz_cmp(x, above), 0);
        for (uint64_t i = 0; i < 40; i++) {
            const uint64_t seed = (uint64_t)k;
            const int e = (int)whole(seed, 2 * i, 2097) - 1074;
            const double value = i == 0 ? 0.0 : ldexp(normal(seed, 2 * i + 1), e > 1020 ? 1020 : e);
            int power;
            mpz_set_d(x, ldexp(frexp(value, &power), 53)); /* whole */
            if (value != 0.0) {
                mpz_mul_2exp(x, x, (mp_bitcnt_t)(power - 53 + 1127));
            }
            assert_int_equal(trop_margin_farkas_prime_residue(&prime, value),
                             mpz_fdiv_ui(x, prime.p));
            uint32_t row[1] = { (uint32_t)whole(seed, i + 100, prime.p) };
            const uint32_t own = row[0], factor = (uint32_t)whole(seed, i + 200, prime.p);
            const uint32_t other[1] = { i < 2 ? prime.p - 1
                                              : (uint32_t)whole(seed, i + 300, prime.p) };
            trop_margin_farkas_prime_eliminate(&prime, row, other, i == 1 ? prime.p - 1 : factor,
                                               1);
            mpz_set_ui(x, i == 1 ? prime.p - 1 : factor);
            mpz_mul_ui(x, x, other[0]);
            mpz_ui_sub(x, own, x);
            assert_int_equal(row[0], mpz_fdiv_ui(x, prime.p));
            if (factor != 0) {
                const uint32_t over = trop_margin_farkas_prime_over(&prime, factor);
                assert_int_equal(trop_margin_farkas_prime_times(&prime, over, factor), 1);
            }
        }
    }
    mpz_clears(x, above, NULL);
    (void)state;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct sample refused;
static double refused_lambda[MOST];

static enum trop_status attempt(void)
{
    int64_t rows[MOST];
    double weights[MOST];
    struct trop_margin_farkas found;
    return trop_margin_farkas(&found, rows, weights, &refused.problem, refused_lambda);
}

static void test_every_refused_allocation_is_reported(void **state)
{
    const struct shape shape = { 4, 3, 4, 3, 3 };

    for (uint64_t seed = 0; !circuit(&refused, refused_lambda, shape, seed); seed++) {
    }
    alloc_refuse_each(attempt);
    refused.point[0] = nextafter(refused.point[0], 100.0);
    alloc_refuse_each(attempt);
    sample_free(&refused);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contradictions_in_a_subspace_are_proved),
        cmocka_unit_test(test_one_bit_off_a_subspace_proves_nothing),
        cmocka_unit_test(test_dependencies_of_products_alone_are_found),
        cmocka_unit_test(test_rows_in_a_subspace_are_found_among_others),
        cmocka_unit_test(test_feasible_data_in_a_subspace_are_never_refuted),
        cmocka_unit_test(test_feasible_products_of_low_rank_are_never_refuted),
        cmocka_unit_test(test_ranks_are_those_of_rational_arithmetic),
        cmocka_unit_test(test_multiples_of_the_first_primes_are_not_taken_for_zero),
        cmocka_unit_test(test_primes_and_residues_are_those_of_gmp),
        cmocka_unit_test(test_every_refused_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
