/* test_kernel_mirror.c -- steps of mirror descent on weights of others: the same bits on every
 * instruction set and with any number of workers, those of their formulas where these are products
 * and roots, and within the stated error of them where they are powers. */
#include "support.h"

#include "kernel/kernel_mirror.h"

#include <stdlib.h>

#define BLOCK TROP_KERNEL_MIRROR_BLOCK
#define COUNT (5 * BLOCK + 3)

/* From subnormal to huge, with both signs, the edges first. */
static void draw(float *x, int64_t n, uint64_t seed)
{
    static const float edges[] = { 0.0F,    -0.0F,   1e-45F,      -1e-45F,    1.2e-38F,
                                   3.4e38F, -3e38F,  1.0F,        -1.0F,      0.5F,
                                   2.0F,    0.7071F, 1.41421354F, 1.4142134F, 1.1e-19F };

    for (int64_t k = 0; k < n; k++) {
        const double size = k % 4 == 0 ? exp(80 * uniform(seed + 1, (uint64_t)k) - 40) : 1;
        x[k] = (float)(size * normal(seed, (uint64_t)k));
    }
    for (size_t k = 0; k < sizeof edges / sizeof *edges && (int64_t)k < n; k++) {
        x[k] = edges[k];
    }
}

/* sgn(x) |x|^e for e = 1/2, 1, 3/2, 2, 5/2, ..., in float, as _powers.py has it. */
static float exact_map(float x, double e)
{
    const double less = e > 1 ? e - 1 : e;
    const float size = fabsf(x), root = less == floor(less) ? 1 : sqrtf(size);
    float square = size, product = 1;
    int begun = 0;

    for (int64_t bits = (int64_t)less; bits > 0; bits >>= 1) {
        if (bits & 1) {
            product = begun ? product * square : square;
            begun = 1;
        }
        square *= square;
    }
    product = less == floor(less) ? product : begun ? product * root : root;
    return e > 1 ? product * x : e == 1 ? x : product * (float)((x > 0) - (x < 0));
}

static void maps_have_the_bits_of_products_and_roots(void **state)
{
    static const double exponents[] = { .5, 1, 1.5, 2, 2.5, 3, 4, 7, 10, 63.5, 64 };
    static float x[COUNT], y[COUNT];
    static double wide[COUNT], wider[COUNT];

    (void)state;
    draw(x, COUNT, 3);
    for (int64_t i = 0; i < COUNT; i++) {
        wide[i] = (double)x[i];
    }
    for (const struct trop_kernel *const *k = trop_kernel_list; *k; k++) {
        for (size_t e = 0; e < sizeof exponents / sizeof *exponents && (*k)->available(); e++) {
            (*k)->mirror->map(y, x, COUNT, exponents[e]);
            (*k)->mirror->map_wide(wider, wide, COUNT, exponents[e]);
            for (int64_t i = 0; i < COUNT; i++) {
                const float want = exact_map(x[i], exponents[e]);
                assert_memory_equal(&y[i], &want, sizeof want);
                if (fabsf(want) > 1e-30F &&
                    fabsf(want) < 1e30F) { /* squares double errors: 2 e roundings */
                    assert_near(wider[i], (double)want,
                                (2 * exponents[e] + 2) * 0x1p-24 * fabs((double)want));
                }
            }
        }
    }
}

/* Half a unit for the rounding, and .01 for what comes before it. */
static void powers_are_within_their_error(void **state)
{
    static const double exponents[] = { 4.0 / 3, 1 / 1.3, 1.9, 0.1, 0.75, 7.0 / 3 };
    static float x[COUNT], y[COUNT], first[COUNT];

    (void)state;
    draw(x, COUNT, 4);
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        trop_kernel_list[0]->mirror->map(first, x, COUNT, exponents[e]);
        for (const struct trop_kernel *const *k = trop_kernel_list; *k; k++) {
            if ((*k)->available()) {
                (*k)->mirror->map(y, x, COUNT, exponents[e]);
                assert_memory_equal(y, first, sizeof y);
            }
        }
        for (int64_t i = 0; i < COUNT; i++) {
            const long double want =
                copysignl(powl(fabsl((long double)x[i]), (long double)exponents[e]), x[i]);
            int exponent;
            if (fabsl(want) > 1.2e-38L && fabsl(want) < 3.4e38L) {
                frexpl(want, &exponent);
                assert_true(fabsl((long double)y[i] - want) <= .51L * ldexpl(1, exponent - 24));
            }
            assert_true(x[i] != 0 || y[i] == 0);
        }
    }
}

static void sums_of_powers_have_one_order(void **state)
{
    static const double exponents[] = { 1.5, 7.0 / 3, 11, 2 };
    static float g[COUNT];

    (void)state;
    for (size_t e = 0; e < sizeof exponents / sizeof *exponents; e++) {
        for (int64_t n = 0; n <= COUNT; n = n < 20 ? n + 1 : 2 * n + 1) {
            const double q = exponents[e];
            long double want = 0;
            draw(g, n, 5);
            for (int64_t i = 0; i < n; i++) {
                g[i] = fabsf(g[i]) < 10 ? g[i] : 1;
                want += powl(fabsl((long double)g[i]) / 16, (long double)q);
            }
            const double sum = trop_kernel_list[0]->mirror->power_sum(g, n, 0x1p-4, q);
            assert_near(sum, (double)want, 4e-10 * (double)want);
            for (const struct trop_kernel *const *k = trop_kernel_list; *k; k++) {
                if ((*k)->available()) {
                    assert_true((*k)->mirror->power_sum(g, n, 0x1p-4, q) == sum);
                }
            }
        }
        draw(g, COUNT, 5);
        g[77] = NAN;
        assert_true(
            isnan(trop_kernel_choose(0)->mirror->power_sum(g, COUNT, 0x1p-4, exponents[e])));
    }
}

static void norms_scale_and_have_one_order(void **state)
{
    const int64_t n = 300000;
    float *g = malloc((size_t)n * sizeof *g), *scaled = malloc((size_t)n * sizeof *scaled);

    (void)state;
    assert_true(g && scaled);
    for (int64_t i = 0; i < n; i++) {
        g[i] = (float)normal(8, (uint64_t)i);
        scaled[i] = 0x1p-90F * g[i];
    }
    for (int64_t some = 1; some <= n; some *= 7) {
        const double norm = trop_mirror_norm(g, some, 7.0 / 3, 1);
        long double sum = 0;
        for (int64_t i = 0; i < some; i++) {
            sum += powl(fabsl((long double)g[i]), 7.0L / 3);
        }
        assert_near(norm, (double)powl(sum, 3.0L / 7), 4e-10 * norm);
        assert_true(trop_mirror_norm(scaled, some, 7.0 / 3, 1) == 0x1p-90 * norm);
        assert_true(trop_mirror_norm(g, some, 7.0 / 3, 2) == norm);
        assert_true(trop_mirror_norm(g, some, 7.0 / 3, 5) == norm);
    }
    g[n - 1] = (float)INFINITY;
    assert_true(isnan(trop_mirror_norm(g, n, 3, 1)));
    memset(g, 0, (size_t)n * sizeof *g);
    assert_true(trop_mirror_norm(g, n, 3, 1) == 0 && trop_mirror_norm(g, 0, 3, 1) == 0);
    free(g);
    free(scaled);
}

/* Blocks 1 and 4 were changed by others, block 2 holds NaN in both and was not. */
static void changed_blocks_are_left_and_then_stepped(void **state)
{
    static float g[COUNT], before[COUNT], u[COUNT], w[COUNT], kept[COUNT];
    static float first_u[COUNT], first_w[COUNT];
    static const double law[3] = { 4.0 / 3, 0.125, 0 };
    int begun = 0;

    (void)state;
    draw(g, COUNT, 6);
    draw(before, COUNT, 7);
    for (const struct trop_kernel *const *k = trop_kernel_list; *k; k++) {
        const struct trop_kernel_mirror *mirror = (*k)->mirror;
        if (!(*k)->available()) {
            continue;
        }
        memcpy(u, before, sizeof u);
        u[2 * BLOCK + 9] = NAN;
        mirror->map(w, u, COUNT, law[0]);
        memcpy(kept, w, sizeof w);
        w[BLOCK + 5] += 1;
        w[COUNT - 1] = nextafterf(w[COUNT - 1], 100);
        w[4 * BLOCK] = NAN;
        struct trop_kernel_mirror_step step = {
            .u = u, .w = w, .kept = kept, .g = g, .e = law[0], .lr = law[1]
        };
        assert_int_equal(mirror->step(&step, 0, COUNT), 3);
        for (int64_t i = 0; i < COUNT; i++) {
            const int is_left = i / BLOCK == 1 || i / BLOCK >= 4;
            const float moved = is_left ? before[i] : fmaf(-0.125F, g[i], before[i]);
            assert_true(u[i] == moved || i == 2 * BLOCK + 9);
        }
        step.changed = 1;
        assert_int_equal(mirror->step(&step, 0, COUNT), 3);
        for (int64_t i = 0; i < COUNT; i++) {
            assert_true(w[i] == kept[i] || isnan(w[i]));
        }
        u[2 * BLOCK + 9] = w[2 * BLOCK + 9] = 0;
        if (begun++ == 0) {
            memcpy(first_u, u, sizeof u);
            memcpy(first_w, w, sizeof w);
        }
        assert_memory_equal(u, first_u, sizeof u);
        assert_memory_equal(w, first_w, sizeof w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_have_the_bits_of_products_and_roots),
        cmocka_unit_test(powers_are_within_their_error),
        cmocka_unit_test(sums_of_powers_have_one_order),
        cmocka_unit_test(norms_scale_and_have_one_order),
        cmocka_unit_test(changed_blocks_are_left_and_then_stepped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
