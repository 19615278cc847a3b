/* test_kernel_activation.c -- the activations: the same bits on every instruction set, those of the
 * scalar functions, and their formulas by libm. */
#include "support.h"

#include "base/math/erf.h"
#include "base/math/exp.h"
#include "kernel/kernel_activation.h"

#define COUNT 4096

/* From tiny to huge, with both signs, and the edges of the branches. */
static void draw(double *x)
{
    static const double edges[] = { 0.0,  -0.0,  0x1p-1074, -1e300, 1e300, 1e160, -1e160, 700.0,
                                    -700, -701., -38.6,     38.6,   -40.0, 1.0,   -1.0,   3.0 };

    for (int64_t k = 0; k < COUNT; k++) {
        const double size = k % 3 == 0 ? 40.0 : k % 3 == 1 ? 3.0 : 0.01;
        x[k] = size * (2 * uniform(5, (uint64_t)k) - 1);
    }
    memcpy(x, edges, sizeof edges);
    for (int k = 0; k < 16;
         k++) { /* where erfc changes its polynomial: |x| = sqrt 2 and 3 sqrt 2 */
        x[16 + k] = (k % 2 ? -1 : 1) * (k < 8 ? 1 : 3) * sqrt(2) * (1 + (k % 8 - 4) * 0x1p-52);
    }
}

static void every_build_has_the_bits_of_the_scalar_functions(void **state)
{
    static double x[COUNT], gelu[COUNT], tanh_gelu[COUNT], silu[COUNT];

    (void)state;
    draw(x);
    for (const struct trop_kernel *const *k = trop_kernel_list; *k; k++) {
        if (!(*k)->available()) {
            continue;
        }
        memcpy(gelu, x, sizeof x);
        memcpy(tanh_gelu, x, sizeof x);
        memcpy(silu, x, sizeof x);
        (*k)->activation->gelu(gelu, COUNT);
        (*k)->activation->gelu_tanh(tanh_gelu, COUNT);
        (*k)->activation->silu(silu, COUNT);
        for (int64_t i = 0; i < COUNT; i++) {
            const double v = x[i];
            const double u = 0x1.9884533d43651p+0 * fma(0.044715 * v, v * v, v);
            assert_true(gelu[i] == 0.5 * v * trop_erfc(-v * 0x1.6a09e667f3bcdp-1));
            assert_true(silu[i] == v / (1 + trop_exp(-v < 700 ? -v : 700)));
            assert_true(tanh_gelu[i] == v / (1 + trop_exp(-u < 700 ? -u : 700)));
        }
    }
}

static void activations_follow_their_formulas(void **state)
{
    static double x[COUNT], y[COUNT];
    const struct trop_kernel_activation *activation = trop_kernel_choose(0)->activation;

    (void)state;
    draw(x);
    memcpy(y, x, sizeof x);
    activation->gelu(y, COUNT);
    for (int64_t i = 0; i < COUNT; i++) { /* -x / sqrt 2, rounded twice here and twice there, moves
                                             erfc by x^2 times as much */
        const double want = 0.5 * x[i] * erfc(-x[i] / sqrt(2));
        assert_near(y[i], want, fabs(want) * (1e-15 + 4.5e-16 * fmin(x[i] * x[i], 1600)) + 1e-300);
    }
    memcpy(y, x, sizeof x);
    activation->gelu_tanh(y, COUNT);
    for (int64_t i = 0; i < COUNT; i++) {
        const double u = sqrt(2 / acos(-1)) * (x[i] + 0.044715 * x[i] * x[i] * x[i]);
        assert_near(y[i], 0.5 * x[i] * (1 + tanh(u)), 4e-16 * fabs(x[i]));
    }
    memcpy(y, x, sizeof x);
    activation->silu(y, COUNT);
    for (int64_t i = 0; i < COUNT; i++) {
        const double want = x[i] / (1 + exp(-x[i]));
        assert_near(y[i], want, 1e-15 * fabs(want) + 1e-300 * (1 + fabs(x[i]) * 1e-4));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_build_has_the_bits_of_the_scalar_functions),
        cmocka_unit_test(activations_follow_their_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
