/* test_optimizer_mirror.c -- mirror maps and polar factors, on tensors of random numbers. */
#include "margin/dense.h"

#include "optimizer_rig.h"

/* ---- mirror maps ------------------------------------------------------------------------- */

static void mirror_with_exponent_two_is_gradient_descent(void **state)
{
    static const char *const pairs[][2] = { { "mirror", "gd" }, { "nmirror", "ngd" } };

    (void)state;
    for (int which = 0; which < 2; which++) {
        struct trop_optimizer_settings fast = settings_of(2), slow = fast;
        const struct trop_power one = { 0, 0, 1.0 }, two = { 0, 0, 2.0 };
        slow.powers[0] = slow.powers[1] = one;
        slow.powers[2] = slow.powers[3] = two;
        struct rig mirror, general, gd;
        rig_make(&mirror, pairs[which][0], &fast, 1, 8);
        rig_make(&general, pairs[which][0], &slow, 1, 8);
        rig_make(&gd, pairs[which][1], &fast, 1, 8);
        for (uint64_t k = 0; k < 1000; k++) {
            rig_step(&mirror, 0.1, -0.01 * (double)k, k + 1);
            rig_step(&general, 0.1, -0.01 * (double)k, k + 1);
            rig_step(&gd, 0.1, -0.01 * (double)k, k + 1);
            if (which == 0) {
                assert_memory_equal(mirror.w, gd.w, sizeof gd.w);
            }
            for (int64_t c = 0; c < SIZE; c++) {
                /* One rounding of the state a step, of numbers below 10; norms round by 16 u. */
                assert_near(general.w[c], gd.w[c], (double)(k + 2) * 8 * UNIT * 10);
                assert_near(mirror.w[c], gd.w[c], (double)(k + 2) * 8 * UNIT * 10);
            }
        }
    }
}

/* From W = 0 and from weights whose powers vanish every coordinate with a gradient moves its dual,
 * and its weight has the sign and the logarithm that the dual says. */
static void no_coordinate_is_dead(void **state)
{
    static const double exponents[] = { 1.01, 1.02, 1.05, 1.1, 1.5, 2, 3, 8, 16, 64 };
    static const double starts[] = { 0, 1e-300, 1e-12 };

    (void)state;
    for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
        for (size_t start = 0; start < sizeof starts / sizeof starts[0]; start++) {
            struct trop_optimizer_settings o = settings_of(exponents[e]);
            const long double p = o.powers[3].value;
            struct rig r;
            rig_make(&r, "nmirror", &o, starts[start], 9);
            double u[SIZE];
            memcpy(u, r.state[0], sizeof u);
            rig_step(&r, 1e-3, -800, 10);
            long double most = 0;
            for (int64_t c = 0; c < SIZE; c++) {
                most = fmaxl(most, fabsl(r.state[0][c]));
                assert_true(r.state[0][c] != u[c]);
                assert_true(signbit(r.state[0][c] - u[c]) != signbit(r.g[c]));
            }
            for (int64_t c = 0; c < SIZE; c++) {
                const long double at = r.state[0][c];
                const long double log_w = logl(fabsl(at)) / (p - 1);
                if (r.w[c] != 0) { /* exponents of 100: 300 roundings, of logarithms up to 1e3 */
                    assert_near(log(fabs(r.w[c])) + r.weight.log_scale, (double)log_w, 1e-11);
                    assert_true(signbit(r.w[c]) == signbit((double)at));
                } else { /* a weight that small beside the largest has no say */
                    assert_true(logl(most) / (p - 1) - log_w > 400);
                }
            }
        }
    }
}

/* |U|_q = eta k when gradients point one way, and |W|_p = |U|_q^(1/(p-1)) leaves double. */
static void norms_beyond_double_are_carried_as_logarithms(void **state)
{
    struct trop_optimizer_settings o = settings_of(1.01);
    struct rig r;

    (void)state;
    rig_make(&r, "nmirror", &o, 0, 1);
    for (int64_t k = 0; k < 1000; k++) {
        rig_step(&r, 100, -3, 2);
    }
    /* |W|_p = 1e5^100 = e^1151.29. */
    const double norm = trop_power_norm(r.w, SIZE, &o.powers[3]);
    assert_near(log(norm) + r.weight.log_scale, 100 * log(1e5), 1e-9);
    /* Its direction is that of steepest descent from 0. */
    struct rig straight;
    rig_make(&straight, "steepest", &o, 0, 1);
    rig_step(&straight, 1, -3, 2);
    for (int64_t c = 0; c < SIZE; c++) {
        assert_near(r.w[c] / norm, straight.w[c], 1e-11); /* 100 1000 u */
    }
    /* p = 1.5 from huge steps: the square of 1e200. */
    o = settings_of(1.5);
    rig_make(&r, "nmirror", &o, 0, 1);
    rig_step(&r, 1e200, -3, 2);
    const double square = trop_power_norm(r.w, SIZE, &o.powers[3]);
    assert_near(log(square) + r.weight.log_scale, 2 * log(1e200), 1e-11);
}

/* W = w+ - w- with both multiplied: hypentropy with twice the width, to rounding. */
static void exponentiated_gradient_is_hypentropy(void **state)
{
    struct trop_optimizer_settings o = settings_of(2), twice = o;
    struct rig eg, hypentropy;

    (void)state;
    twice.width = 2 * o.width;
    rig_make(&eg, "eg", &o, 1, 3);
    rig_make(&hypentropy, "hypentropy", &twice, 1, 3);
    for (uint64_t k = 0; k < 5000; k++) { /* far beyond e^710 */
        rig_step(&eg, 1, 0, k % 3 + 1);
        rig_step(&hypentropy, 1, 0, k % 3 + 1);
        assert_memory_equal(eg.w, hypentropy.w, sizeof eg.w);
        assert_true(eg.weight.log_scale == hypentropy.weight.log_scale);
    }
    assert_true(eg.weight.log_scale > 710);
}

static void hypentropy_goes_on_beyond_double(void **state)
{
    struct trop_optimizer_settings o = settings_of(2);
    struct rig r;

    (void)state;
    rig_make(&r, "hypentropy", &o, 1, 3);
    long double u[SIZE];
    for (int64_t c = 0; c < SIZE; c++) {
        u[c] = asinhl((long double)r.w[c] / o.width);
    }
    for (uint64_t k = 0; k < 1500; k++) {
        rig_step(&r, 1, -5, 17 + k % 2);
        double most = 0;
        for (int64_t c = 0; c < SIZE; c++) {
            most = fmax(most, fabs(r.g[c]));
        }
        for (int64_t c = 0; c < SIZE; c++) {
            u[c] -= (long double)r.g[c] / most;
            const long double w = o.width * sinhl(u[c]);
            const long double got = (long double)r.w[c] * expl(r.weight.log_scale);
            /* U is up to k, and has rounded k times: k^2 u, which sinh makes relative. */
            const long double lost = 2 * UNIT * powl((long double)k + 4, 2);
            const long double least = expl(r.weight.log_scale - 700); /* flushed to 0 */
            assert_true(fabsl(got - w) <= lost * (fabsl(w) + o.width) + least);
        }
    }
    assert_true(r.weight.log_scale > 710);
}

static void limits_of_the_squared_norm(void **state)
{
    struct trop_optimizer_settings o = settings_of(2);
    struct rig r, near;
    double u[SIZE] = { 0 }, sum = 0, most = 0;

    (void)state;
    /* p = infinity: U moves by eta G / |G|_1, W = |U|_1 sgn(U). */
    o = settings_of(INFINITY);
    rig_make(&r, "square", &o, 0, 1);
    struct trop_optimizer_settings large = settings_of(1e6);
    rig_make(&near, "square", &large, 0, 1);
    for (uint64_t k = 0; k < 5; k++) {
        rig_step(&r, 0.1, -3, k + 1);
        rig_step(&near, 0.1, -3, k + 1);
        double size = 0;
        for (int64_t c = 0; c < SIZE; c++) {
            size += fabs(r.g[c]);
        }
        sum = 0;
        for (int64_t c = 0; c < SIZE; c++) {
            u[c] -= 0.1 * r.g[c] / size;
            sum += fabs(u[c]);
        }
        for (int64_t c = 0; c < SIZE; c++) {
            assert_near(r.w[c], copysign(sum, u[c]), 64 * UNIT);
            assert_near(near.w[c], r.w[c], 1e-5); /* (|u| / |u|_1)^1e-6 = 1 - 1e-5 */
        }
    }
    /* p = 1: U moves by eta G / |G|_inf, W = |U|_inf at the largest |U|, shared by equals. */
    memset(u, 0, sizeof u);
    o = settings_of(1);
    rig_make(&r, "square", &o, 0, 1);
    large = settings_of(1.001);
    rig_make(&near, "square", &large, 0, 1);
    int64_t at = 0;
    for (uint64_t k = 0; k < 5; k++) {
        rig_step(&r, 0.1, -3, k + 1);
        rig_step(&near, 0.1, -3, k + 1);
        most = 0;
        for (int64_t c = 0; c < SIZE; c++) {
            most = fmax(most, fabs(r.g[c]));
        }
        at = 0;
        for (int64_t c = 0; c < SIZE; c++) {
            u[c] -= 0.1 * r.g[c] / most;
            at = fabs(u[c]) > fabs(u[at]) ? c : at;
        }
        for (int64_t c = 0; c < SIZE; c++) {
            assert_near(r.w[c], c == at ? u[at] : 0, 8 * UNIT);
        }
    }
    assert_near(near.w[at], r.w[at], 1e-2); /* norms |U|_1001 and |U|_inf: 35^(1/1001) */
    for (int64_t c = 0; c < SIZE; c++) {    /* two equal entries share */
        r.g[c] = c < 2 ? -1 : 0.5;
        r.state[0][c] = 0;
    }
    r.step.eta = 0.1;
    assert_ok(r.optimizer->step(&r.step));
    assert_near(r.w[0], 0.05, UNIT);
    assert_near(r.w[1], 0.05, UNIT);
    assert_near(r.w[2], 0, 0);
}

/* ---- polar factors ----------------------------------------------------------------------- */

/* The step as a multiple of eta. */
static void moved(double *out, struct rig *r, const double *before, double eta)
{
    for (int64_t k = 0; k < SIZE; k++) {
        out[k] = (before[k] - r->w[k]) / eta;
    }
}

/* P is the polar factor of G when P'G is symmetric and positive semidefinite, and P a partial
 * isometry onto the range of G: that determines it. */
static void the_polar_factor_is_orthogonal_on_the_range(void **state)
{
    (void)state;
    for (int64_t rank = 1; rank <= ROWS; rank++) {
        struct trop_optimizer_settings o = settings_of(2);
        struct rig r;
        double p[SIZE], pg[COLUMNS * COLUMNS], back[SIZE], pp[ROWS * ROWS];
        rig_make(&r, "spectral", &o, 0, 1);
        memset(r.g, 0, sizeof r.g);
        for (int64_t k = 0; k < rank; k++) { /* singular values fall by 100 */
            for (int64_t c = 0; c < SIZE; c++) {
                r.g[c] += normal(5, (uint64_t)(k * 100 + c / COLUMNS)) *
                          normal(6, (uint64_t)(k * 100 + c % COLUMNS)) * pow(0.01, (double)k);
            }
        }
        r.gradient.log_scale = -1e4;
        r.step.eta = 1;
        double before[SIZE] = { 0 };
        assert_ok(r.optimizer->step(&r.step));
        moved(p, &r, before, 1);
        double trace = 0, least = INFINITY, nuclear = 0;
        for (int64_t i = 0; i < COLUMNS; i++) {
            for (int64_t j = 0; j < COLUMNS; j++) {
                pg[i * COLUMNS + j] = 0;
                for (int64_t k = 0; k < ROWS; k++) {
                    pg[i * COLUMNS + j] += p[k * COLUMNS + i] * r.g[k * COLUMNS + j];
                }
            }
            trace += pg[i * COLUMNS + i];
        }
        for (int64_t i = 0; i < COLUMNS; i++) {
            for (int64_t j = 0; j < COLUMNS; j++) {
                assert_near(pg[i * COLUMNS + j], pg[j * COLUMNS + i], 1e-13);
            }
        }
        /* P P' P = P, its trace norm squared is the rank, and <P, G> is the nuclear norm. */
        trop_dense_product_turned(pp, p, p, ROWS, COLUMNS, ROWS);
        trop_dense_product(back, pp, p, ROWS, ROWS, COLUMNS);
        double square = 0;
        for (int64_t k = 0; k < SIZE; k++) {
            /* The least singular value is 1e-2 (rank - 1) of the largest: its vectors carry as
             * much more rounding, in directions that the others determine. */
            assert_near(back[k], p[k], 1e-13);
            square += p[k] * p[k];
        }
        assert_near(square, (double)rank, 1e-12);
        double a[SIZE], u[ROWS * ROWS], s[ROWS], vt[SIZE];
        memcpy(a, r.g, sizeof a);
        assert_true(trop_dense_svd(u, s, vt, a, ROWS, COLUMNS));
        for (int64_t k = 0; k < ROWS; k++) {
            nuclear += s[k];
            least = fmin(least, s[k]);
        }
        assert_near(trace, nuclear, 1e-13 * nuclear);
    }
}

/* Five steps of the published quintic bring singular values from about [.01, 1] of the largest
 * into (.5, 1.5), whatever the size of the gradient, and after means have decayed. */
static void the_polynomial_of_muon_is_nearly_orthogonal(void **state)
{
    (void)state;
    for (int64_t seed = 0; seed < cases(20, 1000); seed++) {
        struct trop_optimizer_settings o = settings_of(2);
        struct rig r;
        double before[SIZE], x[SIZE], u[ROWS * ROWS], s[ROWS], vt[SIZE];
        o.polynomial = 1;
        o.momentum = 0.95;
        rig_make(&r, "muon", &o, 1, (uint64_t)seed + 1);
        for (int64_t k = 0; k < 60; k++) {
            memcpy(before, r.w, sizeof before);
            rig_step(&r, 1, (double)(-50 * (k / 50) - 3 * (seed % 7) * k), (uint64_t)seed + 2);
        }
        moved(x, &r, before, 1);
        assert_true(trop_dense_svd(u, s, vt, x, ROWS, COLUMNS));
        for (int64_t k = 0; k < ROWS; k++) {
            assert_true(s[k] > 0.5 && s[k] < 1.5);
        }
    }
}

/* As shipped, one step from nothing in long double: M = .05 G, U = .05 G + .95 M, the quintic. */
static void the_polynomial_of_muon_is_its_formula(void **state)
{
    struct trop_optimizer_settings o = settings_of(2);
    struct rig r;
    long double x[SIZE], a[ROWS * ROWS], b[ROWS * ROWS], sum = 0;

    (void)state;
    o.polynomial = 1;
    o.momentum = 0.95;
    rig_make(&r, "muon", &o, 0, 1);
    rig_step(&r, 0.02, 0, 4);
    for (int64_t k = 0; k < SIZE; k++) {
        x[k] = r.g[k];
        sum += x[k] * x[k];
    }
    for (int64_t k = 0; k < SIZE; k++) {
        x[k] /= sqrtl(sum);
    }
    for (int round = 0; round < 5; round++) {
        long double next[SIZE];
        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t j = 0; j < ROWS; j++) {
                a[i * ROWS + j] = 0;
                for (int64_t k = 0; k < COLUMNS; k++) {
                    a[i * ROWS + j] += x[i * COLUMNS + k] * x[j * COLUMNS + k];
                }
            }
        }
        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t j = 0; j < ROWS; j++) {
                b[i * ROWS + j] = -4.7750L * a[i * ROWS + j];
                for (int64_t k = 0; k < ROWS; k++) {
                    b[i * ROWS + j] += 2.0315L * a[i * ROWS + k] * a[k * ROWS + j];
                }
            }
        }
        for (int64_t c = 0; c < SIZE; c++) {
            next[c] = 3.4445L * x[c];
            for (int64_t k = 0; k < ROWS; k++) {
                next[c] += b[c / COLUMNS * ROWS + k] * x[k * COLUMNS + c % COLUMNS];
            }
        }
        memcpy(x, next, sizeof x);
    }
    for (int64_t k = 0; k < SIZE; k++) { /* errors grow by 3.4 a round */
        assert_near(r.w[k], -0.02 * (double)x[k], 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirror_with_exponent_two_is_gradient_descent),
        cmocka_unit_test(no_coordinate_is_dead),
        cmocka_unit_test(norms_beyond_double_are_carried_as_logarithms),
        cmocka_unit_test(exponentiated_gradient_is_hypentropy),
        cmocka_unit_test(hypentropy_goes_on_beyond_double),
        cmocka_unit_test(limits_of_the_squared_norm),
        cmocka_unit_test(the_polar_factor_is_orthogonal_on_the_range),
        cmocka_unit_test(the_polynomial_of_muon_is_nearly_orthogonal),
        cmocka_unit_test(the_polynomial_of_muon_is_its_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
