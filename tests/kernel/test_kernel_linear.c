/* test_kernel_linear.c -- the kernels of dense linear algebra and of the judge: the same bits on
 * every instruction set, and what their headers promise against base/, exact sums and trop_pow. */
#include "attend/exact.h"
#include "kernel/kernel_judge.h"
#include "kernel/kernel_linear.h"
#include "base/math/pow.h"
#include "base/rng.h"
#include "support.h"

#include <math.h>
#include <string.h>

#define MOST 77
#define STRIDE 80
#define U 0x1p-53

/* Normal numbers, some of them 0 and some tiny. */
static void draw(double *x, int64_t n, uint64_t stream)
{
    for (int64_t i = 0; i < n; i++) {
        const double pick = trop_rng_uniform(7, TROP_RNG_TEST, stream, (uint64_t)(2 * i));
        const double value = trop_rng_normal(7, TROP_RNG_TEST, stream, (uint64_t)(2 * i + 1));
        x[i] = pick < 0.05 ? 0.0 : pick < 0.1 ? value * 0x1p-40 : value;
    }
}

/* a with the low part of a pair beside it. */
static void draw_pairs(double *high, double *low, int64_t n, uint64_t stream)
{
    draw(high, n, stream);
    draw(low, n, stream + 1000);
    for (int64_t i = 0; i < n; i++) {
        low[i] *= fabs(high[i]) * 0x1p-57;
    }
}

/* ---- bits ---------------------------------------------------------------------------------- */

/* All that the kernels make of one draw, one after the other. */
struct made {
    double values[48][STRIDE];
    double matrix[STRIDE * STRIDE];
    int64_t skipped[STRIDE];
    int count;
};

static double *next(struct made *made)
{
    assert_true(made->count < 48);
    return made->values[made->count++];
}

static void linear_make(struct made *made, const struct trop_kernel_linear *linear, int64_t n)
{
    static double a[STRIDE * STRIDE], low[STRIDE * STRIDE], x[STRIDE], floor[STRIDE];
    double *out = next(made), *out_low = next(made);

    draw_pairs(a, low, STRIDE * STRIDE, (uint64_t)n);
    draw(x, STRIDE, (uint64_t)(n + 500));
    out[0] = linear->dot(a, x, n);
    linear->dots(next(made), a, STRIDE, n, x, n);
    memcpy(next(made), x, sizeof x);
    linear->grow(made->values[made->count - 1], 0.7, a, n);
    memcpy(next(made), x, sizeof x);
    memcpy(next(made), a, sizeof x);
    linear->turn(made->values[made->count - 2], made->values[made->count - 1], 0.6, 0.8, n);
    linear->pair_dots(out, out_low, a, low, STRIDE, n, x, n);
    linear->pair_values(next(made), next(made), a, low, a + STRIDE, STRIDE, n, n);
    memcpy(next(made), x, sizeof x);
    linear->grow_size(made->values[made->count - 1], -0.3, a, n);
    double *sums = next(made);
    sums[0] = linear->dot_size(a, x, n);
    sums[1] = linear->dot_of_three(a, x, low, n);
    linear->pair_grow(out, out_low, (struct trop_dd){ 0.3, 0x1p-58 }, x, n);
    for (int64_t i = 0; i < n; i++) {
        floor[i] = fabs(x[i]);
    }
    linear->powers(next(made), floor, 1.75, n);
    double *root = next(made);
    linear->roots(root, next(made), floor, 4.0 / 3, n);
    root = next(made);
    linear->roots(root, next(made), floor, 2, n);
    linear->gather(next(made), x, a, STRIDE, n, n);
    linear->gather_size(next(made), x, a, STRIDE, n, n);
    sums[2] = linear->subtract(next(made), a, x, n);
    memcpy(next(made), x, sizeof x);
    sums[3] = linear->lacks(made->values[made->count - 1], a, low, n);
    const int64_t plus[] = { 0, 1, 2, 3, 4, 5 }, minus[] = { 3, 3, 7, 7, 7, 0 };
    linear->dots_between(next(made), a, STRIDE, plus, minus, 1 + n % 6, x, n);
    memset(made->matrix, 0, sizeof made->matrix);
    linear->gram(made->matrix, a, STRIDE, n, STRIDE);
    memset(floor, 0, sizeof floor);
    assert_true(linear->factor(made->matrix, STRIDE, n, floor, made->skipped));
    memcpy(next(made), x, sizeof x);
    linear->factor_solve(made->values[made->count - 1], made->matrix, STRIDE, n);
    for (int64_t i = 0; i < n; i++) { /* what lies left of the diagonal is anything */
        memset(made->matrix + i * STRIDE, 0, (size_t)i * sizeof(double));
    }
}

static void judge_make(struct made *made, const struct trop_kernel_judge *judge, int64_t n)
{
    static double a[STRIDE * STRIDE], low[STRIDE * STRIDE], x[STRIDE], x_low[STRIDE], size[STRIDE];
    double *out = next(made), *out_low = next(made), *moduli = next(made), *one = next(made);

    draw_pairs(a, low, STRIDE * STRIDE, (uint64_t)n);
    draw_pairs(x, x_low, STRIDE, (uint64_t)(n + 500));
    draw(size, STRIDE, (uint64_t)(n + 900));
    judge->sums(out, out_low, moduli, a, STRIDE, n, x, n);
    struct trop_dd sum = judge->sum(&one[0], a, x, n);
    one[1] = sum.high;
    one[2] = sum.low;
    sum = judge->sum_of_pairs(&one[3], a, low, x, x_low, size, n);
    one[4] = sum.high;
    one[5] = sum.low;
    one[6] = judge->dot(a, x, n);
    judge->grow(out, out_low, moduli, a, low, -1.3, n);
    judge->grow_by_pair(out, out_low, moduli, sum, 2.5, x, n);
    judge->differences(next(made), next(made), a, x, n);
    const double *plus[8], *minus[8];
    double *eight = next(made);
    for (int r = 0; r < 8; r++) {
        plus[r] = a + r * STRIDE;
        minus[r] = a + (r + 3) * STRIDE;
    }
    const int64_t some = 1 + n % 8;
    judge->sums_of_differences(eight, eight + 8, eight + 16, plus, minus, some, x, x_low, size, n);
    judge->dots_of_differences(eight + 24, eight + 32, plus, minus, some, x, size, n);
    judge->measures_of_differences(eight + 48, eight + 56, next(made), plus, minus, some, x, size,
                                   n);
    eight[40] = judge->range(&eight[41], a, n);
    judge->powers(next(made), size, 1.75, n);
    judge->turn(a, x, 0.6, 0.8, n);
    memcpy(next(made), a, sizeof x);
    memcpy(next(made), x, sizeof x);
}

static void instruction_sets_change_no_bit(void **state)
{
    static struct made first, other;

    (void)state;
    for (int64_t n = 1; n <= MOST; n += n < 20 ? 1 : 19) {
        memset(&first, 0, sizeof first);
        linear_make(&first, trop_kernel_list[0]->linear, n);
        judge_make(&first, trop_kernel_list[0]->judge, n);
        for (int k = 1; trop_kernel_list[k]; k++) {
            if (!trop_kernel_list[k]->available()) {
                continue;
            }
            memset(&other, 0, sizeof other);
            linear_make(&other, trop_kernel_list[k]->linear, n);
            judge_make(&other, trop_kernel_list[k]->judge, n);
            assert_memory_equal(&first, &other, sizeof first);
        }
    }
}

/* ---- what the headers promise -------------------------------------------------------------- */

/* |sum a_i b_i - (high + low)|, the sum without error. */
static double off(struct trop_dd value, const double *a, const double *b, int64_t n)
{
    struct trop_exact sum;

    trop_exact_clear(&sum);
    for (int64_t i = 0; i < n; i++) {
        trop_exact_add(&sum, 1, a[i], b[i]);
    }
    trop_exact_subtract(&sum, 1, 1, value.high);
    trop_exact_subtract(&sum, 1, 1, value.low);
    return fabs(trop_exact_value(&sum));
}

static void sums_are_within_their_bounds_of_exact_ones(void **state)
{
    const struct trop_kernel *kernel = trop_kernel_choose(0);
    double a[MOST], b[MOST], high[8], low[8], sizes[8], moduli, zeros[MOST] = { 0 };

    (void)state;
    for (int64_t n = 1; n <= MOST; n++) {
        draw(a, n, (uint64_t)n);
        draw(b, n, (uint64_t)(n + 100));
        assert_true(kernel->linear->dot(a, b, n) == trop_linalg_dot(a, b, n));
        const struct trop_dd sum = kernel->judge->sum(&moduli, a, b, n);
        double plain = 0;
        for (int64_t i = 0; i < n; i++) {
            plain += fabs(a[i] * b[i]);
        }
        assert_true(fabs(moduli - plain) <= 2 * (double)n * U * plain);
        assert_true(off(sum, a, b, n) <= 3 * (double)n * U * U * plain);
        kernel->judge->sums(high, low, sizes, a, 0, 8, b, n); /* eight times one row */
        assert_true(high[7] == sum.high && low[7] == sum.low && sizes[7] == moduli);
        const struct trop_dd other = kernel->linear->pair_dot(a, zeros, b, n);
        assert_true(off(other, a, b, n) <= 4 * (double)n * U * U * plain);
        kernel->linear->pair_dots(high, low, a, NULL, 0, 8, b, n);
        assert_true(high[3] == other.high && low[3] == other.low);
    }
}

/* Groups of rows give what rows give one by one, whatever their number. */
static void groups_have_the_bits_of_single_rows(void **state)
{
    const struct trop_kernel *kernel = trop_kernel_choose(0);
    static double a[8 * STRIDE], b[8 * STRIDE];
    double x[STRIDE], x_low[STRIDE], size[STRIDE], left[STRIDE], left_low[STRIDE];
    double high[8], low[8], moduli[8], plain[8], sizes[8], own;
    const double *plus[8], *minus[8];

    (void)state;
    draw_pairs(x, x_low, STRIDE, 1);
    draw(size, STRIDE, 2);
    draw(a, 8 * STRIDE, 3);
    draw(b, 8 * STRIDE, 4);
    for (int r = 0; r < 8; r++) {
        plus[r] = a + r * STRIDE;
        minus[r] = b + r * STRIDE;
    }
    for (int64_t n = 1; n <= MOST; n++) {
        const int64_t rows = 1 + n % 8;
        kernel->judge->sums_of_differences(high, low, moduli, plus, minus, rows, x, x_low, size, n);
        kernel->judge->dots_of_differences(plain, sizes, plus, minus, rows, x, size, n);
        for (int64_t r = 0; r < rows; r++) {
            kernel->judge->differences(left, left_low, plus[r], minus[r], n);
            const struct trop_dd sum =
                kernel->judge->sum_of_pairs(&own, left, left_low, x, x_low, size, n);
            assert_true(high[r] == sum.high && low[r] == sum.low && moduli[r] == own);
            assert_true(plain[r] == trop_linalg_dot(left, x, n) && sizes[r] == own);
        }
        kernel->linear->pair_values(high, low, x, x_low, a, STRIDE, rows, n);
        for (int64_t r = 0; r < rows; r++) {
            const struct trop_dd sum = kernel->linear->pair_dot(x, x_low, plus[r], n);
            assert_true(high[r] == sum.high && low[r] == sum.low);
        }
    }
}

static void ranges_and_sizes_are_those_of_plain_loops(void **state)
{
    const struct trop_kernel *kernel = trop_kernel_choose(0);
    double x[MOST], y[MOST], z[MOST], out[MOST], least;

    (void)state;
    for (int64_t n = 1; n <= MOST; n++) {
        double top = 0, low = INFINITY, sum = 0, three = 0, moduli = 0;
        draw(x, n, (uint64_t)(n + 200));
        draw(y, n, (uint64_t)(n + 300));
        draw(z, n, (uint64_t)(n + 400));
        memcpy(out, y, sizeof out);
        kernel->linear->grow_size(out, 0.7, x, n);
        for (int64_t i = 0; i < n; i++) {
            top = fmax(top, fabs(x[i]));
            low = x[i] != 0 ? fmin(low, fabs(x[i])) : low;
            sum += fabs(x[i] * y[i]);
            three += x[i] * y[i] * z[i];
            moduli += fabs(x[i] * y[i] * z[i]);
            assert_true(out[i] == fma(0.7, fabs(x[i]), y[i]));
        }
        assert_true(kernel->judge->range(&least, x, n) == top && least == low);
        assert_true(fabs(kernel->linear->dot_size(x, y, n) - sum) <= 2 * (double)n * U * sum);
        assert_true(fabs(kernel->linear->dot_of_three(x, y, z, n) - three) <=
                    2 * (double)(n + 1) * U * moduli);
        x[n / 2] = n % 2 ? NAN : -INFINITY;
        assert_true(isnan(kernel->judge->range(&least, x, n)));
    }
}

/* Against loops that have no lanes. */
static void rows_are_combined_as_by_plain_loops(void **state)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    static double a[8 * STRIDE], b[8 * STRIDE];
    double x[STRIDE], t[8], out[STRIDE], size[STRIDE], values[8];
    const int64_t plus[] = { 0, 1, 2, 3, 4, 5, 6 }, minus[] = { 7, 7, 7, 0, 1, 1, 0 };

    (void)state;
    draw(a, 8 * STRIDE, 11);
    draw(x, STRIDE, 12);
    draw(t, 8, 13);
    for (int64_t n = 1; n <= MOST; n++) {
        const int64_t rows = 1 + n % 7;
        linear->gather(out, t, a, STRIDE, rows, n);
        linear->gather_size(size, t, a, STRIDE, rows, n);
        memcpy(b, a, sizeof a);
        linear->rank_one(b, STRIDE, t, rows, x, n);
        linear->dots_between(values, a, STRIDE, plus, minus, rows, x, n);
        for (int64_t i = 0; i < n; i++) {
            double sum = 0, sizes = 0;
            for (int64_t r = 0; r < rows; r++) {
                sum = fma(t[r], a[r * STRIDE + i], sum);
                sizes = fma(t[r], fabs(a[r * STRIDE + i]), sizes);
                assert_true(b[r * STRIDE + i] == fma(t[r], x[i], a[r * STRIDE + i]));
            }
            assert_true(out[i] == sum && size[i] == sizes);
        }
        for (int64_t r = 0; r < rows; r++) {
            const double square =
                linear->subtract(out, a + plus[r] * STRIDE, a + minus[r] * STRIDE, n);
            assert_true(values[r] == trop_linalg_dot(out, x, n));
            assert_true(square == trop_linalg_dot(out, out, n));
        }
        double most = 0;
        memcpy(out, x, sizeof out);
        const double found = linear->lacks(out, a, a + STRIDE, n);
        for (int64_t i = 0; i < n; i++) {
            assert_true(out[i] == a[i] - a[STRIDE + i] * x[i]);
            most = fmax(most, out[i]);
        }
        assert_true(found == most && linear->is_finite(x, n));
        memcpy(out, x, sizeof out);
        out[n - 1] = n % 2 ? NAN : -INFINITY;
        assert_true(!linear->is_finite(out, n) && linear->is_finite(out, n - 1));
    }
}

/* a + a^e = t: of both sides nothing is left but rounding. */
static void roots_solve_their_equation(void **state)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    static const double exponents[] = { 1, 4.0 / 3, 2, 3, 63 };
    double t[MOST], a[MOST], b[MOST];

    (void)state;
    draw(t, MOST, 21);
    for (int64_t i = 0; i < MOST; i++) {
        t[i] = i == 3 ? 0 : ldexp(fabs(t[i]), (int)(i % 21) - 10);
    }
    for (int k = 0; k < 5; k++) {
        linear->roots(a, b, t, exponents[k], MOST);
        for (int64_t i = 0; i < MOST; i++) {
            /* b follows a with e times its relative error, and is a part of t. */
            assert_true(fabs(a[i] + b[i] - t[i]) <= 8 * (1 + exponents[k]) * U * t[i]);
            assert_true(fabs(b[i] - pow(a[i], exponents[k])) <= 8 * (1 + exponents[k]) * U * t[i]);
        }
    }
}

static void powers_are_those_of_pow(void **state)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    static const double exponents[] = { 0.01, 0.5, 4.0 / 3, 2, 2.7, 19, 300 };
    double x[MOST], out[MOST];

    (void)state;
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        for (int round = 0; round < 40; round++) {
            for (int i = 0; i < MOST; i++) {
                const double wide = round % 2 ? 30 : 1400;
                x[i] = trop_pow(
                    2, wide * (trop_rng_uniform(3, TROP_RNG_TEST, (uint64_t)round, (uint64_t)i) -
                               0.5));
            }
            x[0] = 0;
            x[1] = 1;
            x[2] = 0x1p-1074;
            linear->powers(out, x, exponents[e], MOST);
            for (int i = 0; i < MOST; i++) {
                const double right = trop_pow(x[i], exponents[e]);
                const double bound =
                    4 * U + fabs(exponents[e] * log(x[i] > 0 ? x[i] : 1)) * 0x1p-56;
                assert_true(out[i] == right || fabs(out[i] - right) <= bound * right + 0x1p-1070);
            }
        }
    }
}

/* ---- factors ------------------------------------------------------------------------------- */

static void factors_solve_and_skip_what_depends(void **state)
{
    const struct trop_kernel_linear *linear = trop_kernel_choose(0)->linear;
    static double x[STRIDE * STRIDE], a[STRIDE * STRIDE], u[STRIDE * STRIDE];
    double floor[STRIDE], y[STRIDE], b[STRIDE];
    int64_t skipped[STRIDE];

    (void)state;
    for (int64_t n = 2; n <= MOST; n += 15) {
        memset(u, 0, sizeof u);
        draw(x, STRIDE * STRIDE, (uint64_t)n); /* 80 coordinates of n vectors */
        for (int64_t c = 0; c < STRIDE; c++) { /* the last vector repeats the first */
            x[c * STRIDE + n - 1] = x[c * STRIDE];
        }
        linear->gram(a, x, STRIDE, n, STRIDE);
        memcpy(u, a, sizeof u);
        for (int64_t i = 0; i < n; i++) {
            floor[i] = 0x1p-40 * a[i * STRIDE + i];
            b[i] = y[i] = i == n - 1 ? 0 : 1 + (double)(i % 3);
        }
        assert_true(linear->factor(u, STRIDE, n, floor, skipped));
        linear->factor_solve(y, u, STRIDE, n);
        double most = 0;
        for (int64_t i = 0; i < n; i++) {
            assert_int_equal(skipped[i], i == n - 1);
            most = fmax(most, fabs(y[i]));
        }
        assert_true(y[n - 1] == 0);
        for (int64_t i = 0; i < n - 1; i++) {
            double sum = -b[i], size = 0;
            for (int64_t k = 0; k < n - 1; k++) {
                const double g = k < i ? a[k * STRIDE + i] : a[i * STRIDE + k];
                sum += g * y[k];
                size += sqrt(a[i * STRIDE + i] * a[k * STRIDE + k]) * most;
            }
            /* Higham, theorem 10.4: a backward error of 4 n u |U'||U|, |u_k||u_l| the lengths. */
            assert_true(fabs(sum) <= 6 * (double)n * U * size);
        }
    }
    a[0] = NAN;
    assert_false(linear->factor(a, STRIDE, 5, floor, skipped));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_change_no_bit),
        cmocka_unit_test(sums_are_within_their_bounds_of_exact_ones),
        cmocka_unit_test(groups_have_the_bits_of_single_rows),
        cmocka_unit_test(ranges_and_sizes_are_those_of_plain_loops),
        cmocka_unit_test(rows_are_combined_as_by_plain_loops),
        cmocka_unit_test(roots_solve_their_equation),
        cmocka_unit_test(powers_are_those_of_pow),
        cmocka_unit_test(factors_solve_and_skip_what_depends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
