/* test_optimizer.c -- optimisers one by one, on tensors of random numbers.
 *
 * The judge is a plain implementation in long double of the formulas at the head of each file in
 * src/learn/optimizer, entry by entry, without scales. u = 2^-53 throughout. */
#include "base/linalg.h"

#include "optimizer_rig.h"

/* ---- the plain implementation ------------------------------------------------------------ */

struct plain {
    const char *name;
    const struct trop_optimizer_settings *o;
    long double w[SIZE], u[SIZE], m[SIZE], v[SIZE], plus[SIZE], minus[SIZE];
    long double mass[SIZE]; /* |U(0)| + sum of |steps|: what rounding errors of U are relative to */
    int64_t k;
};

static long double spow(long double x, long double e)
{
    return x == 0 ? 0 : copysignl(powl(fabsl(x), e), x);
}

static long double norm_of(const long double *x, long double e)
{
    long double sum = 0, most = 0;
    for (int64_t k = 0; k < SIZE; k++) {
        most = fmaxl(most, fabsl(x[k]));
        sum += isinf(e) ? 0 : powl(fabsl(x[k]), e);
    }
    return isinf(e) ? most : powl(sum, 1 / e);
}

static int is(const struct plain *q, const char *name)
{
    return strcmp(q->name, name) == 0;
}

static void plain_make(struct plain *q, const struct rig *r)
{
    memset(q, 0, sizeof *q);
    q->name = r->optimizer->name;
    q->o = &r->settings;
    const long double p = q->o->p, b = q->o->width;
    for (int64_t k = 0; k < SIZE; k++) {
        q->w[k] = r->w[k];
    }
    const long double norm = norm_of(q->w, p);
    for (int64_t k = 0; k < SIZE; k++) {
        const long double w = q->w[k];
        q->u[k] = is(q, "square")       ? spow(w, p - 1) * powl(norm, 2 - p)
                  : is(q, "hypentropy") ? asinhl(w / b)
                  : is(q, "cosh")       ? sinhl(w)
                                        : spow(w, p - 1);
        q->mass[k] = fabsl(q->u[k]);
        /* w+ w- = b^2, w+ - w- = w. */
        q->plus[k] = w / 2 + sqrtl(w * w / 4 + b * b);
        q->minus[k] = b * b / q->plus[k];
    }
}

/* G divided by its dual norm, epsilon added. */
static void plain_normal(long double *out, const struct plain *q, const long double *g,
                         long double e)
{
    const long double norm = norm_of(g, e) + q->o->epsilon;
    for (int64_t k = 0; k < SIZE; k++) {
        out[k] = g[k] / norm;
    }
}

static void plain_average(struct plain *q, const long double *g)
{
    const long double b1 = is(q, "adam") ? q->o->beta1 : q->o->momentum, b2 = q->o->beta2;
    for (int64_t k = 0; k < SIZE; k++) {
        q->m[k] = b1 * q->m[k] + (1 - b1) * g[k];
        q->v[k] = b2 * q->v[k] + (1 - b2) * g[k] * g[k];
    }
}

static void plain_step(struct plain *q, const struct rig *r, long double log_gap)
{
    const long double p = q->o->p, dual = p / (p - 1), eta = r->step.eta, b = q->o->width;
    long double g[SIZE], n[SIZE], norm = 0;
    int64_t best = 0;

    for (int64_t k = 0; k < SIZE; k++) {
        g[k] = (long double)r->g[k] * expl(r->gradient.log_scale);
        best = fabsl(g[k]) > fabsl(g[best]) ? k : best;
    }
    plain_normal(n, q, g,
                 is(q, "ngd")                         ? 2
                 : is(q, "hypentropy") || is(q, "eg") ? (long double)INFINITY
                 : is(q, "cosh")                      ? 1
                                                      : dual);
    plain_average(q, g);
    const long double m_hat = 1 - powl(q->o->beta1, (long double)q->k + 1);
    const long double v_hat = 1 - powl(q->o->beta2, (long double)q->k + 1);
    for (int64_t k = 0; k < SIZE; k++) {
        const long double move = eta * (is(q, "mirror") ? g[k] : n[k]);
        q->u[k] -= move;
        q->mass[k] += fabsl(move);
        q->plus[k] *= expl(-move);
        q->minus[k] *= expl(move);
    }
    norm = norm_of(q->u, dual);
    for (int64_t k = 0; k < SIZE; k++) {
        q->w[k] = is(q, "gd")       ? q->w[k] - eta * g[k]
                  : is(q, "ngd")    ? q->w[k] - eta * n[k]
                  : is(q, "polyak") ? q->w[k] - eta * expl(log_gap) * g[k] / powl(norm_of(g, 2), 2)
                  : is(q, "steepest") ? q->w[k] - eta * spow(n[k], dual - 1)
                  : is(q, "sign")     ? q->w[k] - copysignl(eta, g[k])
                  : is(q, "signum")   ? q->w[k] - copysignl(eta, q->m[k])
                  : is(q, "greedy")   ? q->w[k] - (k == best ? copysignl(eta, g[k]) : 0)
                  : is(q, "adam")     ? q->w[k] - eta * (q->m[k] / m_hat) /
                                                  (sqrtl(q->v[k] / v_hat) + q->o->adam_epsilon)
                  : is(q, "square")     ? spow(q->u[k] / norm, dual - 1) * norm
                  : is(q, "hypentropy") ? b * sinhl(q->u[k])
                  : is(q, "eg")         ? q->plus[k] - q->minus[k]
                  : is(q, "cosh")       ? asinhl(q->u[k])
                                        : spow(q->u[k], 1 / (p - 1));
    }
    q->k++;
}

/* What a few roundings may do to entry k: those of U, relative to its mass, through the inverse map
 * with exponent 1/(p - 1), powers by repeated products having as many roundings as the exponent. */
static long double allowed(const struct plain *q, int64_t k)
{
    const long double p = q->o->p, e = 1 / (p - 1), w = fabsl(q->w[k]);

    if (is(q, "mirror") || is(q, "nmirror") || is(q, "square")) {
        const long double lost = q->mass[k] / fabsl(q->u[k]);
        return UNIT * w * (8 + e) * (8 + p) * (1 + lost);
    }
    if (is(q, "hypentropy") || is(q, "eg")) { /* d(b sinh u) = b cosh u du */
        return 64 * UNIT * (w + q->o->width) * (1 + q->mass[k]);
    }
    if (is(q, "cosh")) {
        return 64 * UNIT * (w + q->mass[k] / sqrtl(1 + q->u[k] * q->u[k]));
    }
    /* Entries of order 1 and a handful of steps. */
    return 64 * UNIT * (w + 4 + (8 + e) * (8 + p));
}

static void compare(const struct rig *r, const struct plain *q)
{
    for (int64_t k = 0; k < SIZE; k++) {
        const long double w = (long double)r->w[k] * expl(r->weight.log_scale);
        if (!(fabsl(w - q->w[k]) <= allowed(q, k))) {
            fail_msg("%s, p = %g, epsilon = %g, step %d: entry %d is %.17Lg, should be %.17Lg; off "
                     "by %.3Lg, allowed %.3Lg",
                     q->name, q->o->p, q->o->epsilon, (int)q->k, (int)k, w, q->w[k],
                     fabsl(w - q->w[k]), allowed(q, k));
        }
    }
}

/* ---- formulas ---------------------------------------------------------------------------- */

static const char *const entrywise[] = { "gd",     "ngd",      "polyak",     "mirror", "nmirror",
                                         "square", "steepest", "sign",       "signum", "greedy",
                                         "adam",   "eg",       "hypentropy", "cosh" };

static void follow(const char *name, const struct trop_optimizer_settings *o, uint64_t seed)
{
    struct rig r;
    struct plain q;

    rig_make(&r, name, o, 1, seed);
    plain_make(&q, &r);
    for (uint64_t k = 0; k < 6; k++) {
        const double log_scale = -0.4 * (double)k;
        r.step.log_gap = -0.3 - 0.5 * (double)k;
        rig_step(&r, 0.2, log_scale, seed + 100 * (k + 1));
        plain_step(&q, &r, r.step.log_gap);
        compare(&r, &q);
    }
}

static void a_step_is_its_formula(void **state)
{
    static const double exponents[] = { 1.01, 1.05, 1.1, 1.25, 1.3, 1.5,  1.75, 2,
                                        2.2,  3,    4,   8,    16,  32.5, 64 };
    (void)state;
    for (size_t e = 0; e < sizeof entrywise / sizeof entrywise[0]; e++) {
        for (size_t k = 0; k < sizeof exponents / sizeof exponents[0]; k++) {
            struct trop_optimizer_settings o = settings_of(exponents[k]);
            for (int64_t seed = 0; seed < cases(4, 200); seed++) {
                follow(entrywise[e], &o, (uint64_t)seed + 1);
            }
        }
    }
}

/* Gradients of norm near epsilon: about half of a step is left. */
static void epsilon_is_added_to_the_dual_norm(void **state)
{
    static const char *const names[] = { "ngd", "nmirror",    "square", "steepest",
                                         "eg",  "hypentropy", "cosh" };
    (void)state;
    for (size_t e = 0; e < sizeof names / sizeof names[0]; e++) {
        for (int64_t seed = 0; seed < cases(4, 200); seed++) {
            struct trop_optimizer_settings o = settings_of(seed % 2 ? 1.75 : 3);
            o.epsilon = 0.8;
            follow(names[e], &o, (uint64_t)seed + 1);
            o.epsilon = 1e-12;
            follow(names[e], &o, (uint64_t)seed + 1);
        }
    }
}

/* The norm is e^-40 = 4e-18 and epsilon 2.2e-16: an unnormalised step of length eta / 50. */
static void epsilon_stalls_small_gradients(void **state)
{
    struct trop_optimizer_settings o = settings_of(2);
    struct rig r;

    (void)state;
    o.epsilon = 0x1p-52;
    rig_make(&r, "ngd", &o, 0, 1);
    rig_step(&r, 0.1, -40, 7);
    const double norm = trop_linalg_norm(r.g, SIZE);
    for (int64_t k = 0; k < SIZE; k++) {
        const double size = exp(-40) * norm;
        assert_near(r.w[k], -0.1 * r.g[k] / norm * (size / (size + 0x1p-52)), 1e-15);
    }
    /* At e^-1e6 nothing is left, and nothing is NaN. */
    rig_make(&r, "ngd", &o, 1, 1);
    double before[SIZE];
    memcpy(before, r.w, sizeof before);
    rig_step(&r, 0.1, -1e6, 7);
    assert_memory_equal(before, r.w, sizeof before);
}

static void adam_with_and_without_epsilon(void **state)
{
    static const double epsilons[] = { 0, 1e-8, 0.1 }, keeps[] = { 0, 0.5, 0.9 };
    (void)state;
    for (int64_t seed = 0; seed < cases(6, 300); seed++) {
        struct trop_optimizer_settings o = settings_of(2);
        o.adam_epsilon = epsilons[seed % 3];
        o.beta1 = keeps[seed / 3 % 3];
        o.beta2 = seed % 2 ? 0.999 : 0.95;
        follow("adam", &o, (uint64_t)seed + 1);
    }
}

/* Published update of Muon's first momentum step is the gradient itself: signum from 0 too. */
static void the_first_step_of_a_mean_is_that_of_the_gradient(void **state)
{
    struct trop_optimizer_settings o = settings_of(2);
    struct rig a, b;

    (void)state;
    rig_make(&a, "signum", &o, 1, 3);
    rig_make(&b, "sign", &o, 1, 3);
    rig_step(&a, 0.1, -5, 4);
    rig_step(&b, 0.1, -5, 4);
    assert_memory_equal(a.w, b.w, sizeof a.w);
    rig_make(&a, "muon", &o, 1, 3);
    rig_make(&b, "spectral", &o, 1, 3);
    rig_step(&a, 0.1, -5, 4);
    rig_step(&b, 0.1, -5, 4);
    for (int64_t k = 0; k < SIZE; k++) { /* .1 G and G have one polar factor, to rounding */
        assert_near(a.w[k], b.w[k], 1e-14);
    }
}

/* ---- the size of gradients --------------------------------------------------------------- */

static void normalised_steps_do_not_depend_on_the_scale(void **state)
{
    static const double scales[] = { 0, 300, -700, -1e6, -1e300 };
    (void)state;
    for (int64_t k = 0; trop_optimizer_names[k]; k++) {
        struct trop_optimizer_settings o = settings_of(1.75);
        struct rig first;
        for (size_t e = 0; e < sizeof scales / sizeof scales[0]; e++) {
            struct rig r;
            rig_make(&r, trop_optimizer_names[k], &o, 1, 5);
            const double before = r.w[3];
            r.step.log_gap = scales[e]; /* of Polyak: falls with the square of the gradient */
            rig_step(&r, 0.1, scales[e], 6);
            assert_true(isfinite(r.w[3]));
            if (e == 0) {
                first = r;
                assert_true(r.w[3] != before || strcmp(r.optimizer->name, "greedy") == 0);
            } else if (r.optimizer->normalised || r.optimizer->wants_gap) {
                assert_memory_equal(r.w, first.w, sizeof r.w);
            } else if (scales[e] < -700) {
                rig_make(&first, trop_optimizer_names[k], &o, 1, 5);
                rig_step(&first, 0.1, -INFINITY, 6);
                assert_memory_equal(r.w, first.w, sizeof r.w); /* no step at all */
            }
        }
    }
}

/* Gradients fall by e^-0.05 a step, through e^-745 where means without scales end. In units of the
 * gradient of the moment means are m <- keep e^0.05 m + (1 - keep) G, which long double carries. */
static void means_follow_gradients_down(void **state)
{
    struct trop_optimizer_settings o = settings_of(2);
    const int64_t steps = cases(20000, 100000);
    struct rig sign, adam;
    long double m[SIZE] = { 0 }, v[SIZE] = { 0 };

    (void)state;
    o.beta1 = 0.8;
    o.beta2 = 0.85; /* .85 e^.1 < 1 */
    rig_make(&sign, "signum", &o, 0, 1);
    rig_make(&adam, "adam", &o, 0, 1);
    for (int64_t k = 0; k < steps; k++) {
        double before[SIZE], at[SIZE];
        memcpy(before, sign.w, sizeof before);
        memcpy(at, adam.w, sizeof at);
        const uint64_t seed = (uint64_t)(k % 7) + 11;
        rig_step(&sign, 0.1, -0.05 * (double)k, seed);
        rig_step(&adam, 0.1, -0.05 * (double)k, seed);
        const long double rise = expl(0.05L);
        for (int64_t c = 0; c < SIZE; c++) {
            const long double g = sign.g[c];
            m[c] = 0.9L * rise * m[c] + 0.1L * g;
            v[c] = 0.85L * rise * rise * v[c] + 0.15L * g * g;
            /* Signs of means that are not near 0. */
            if (fabsl(m[c]) > 1e-6L) {
                assert_near(sign.w[c] - before[c], -copysign(0.1, (double)m[c]),
                            1e-15 * (1 + fabs(before[c])));
            }
        }
        (void)v;
    }
    /* Adam's last step, its means being relative to the last gradient; b1 = .8. */
    long double mean[SIZE] = { 0 };
    for (int64_t k = steps - 300; k < steps; k++) { /* .8 e^.05 = .84: the rest is forgotten */
        double g[SIZE];
        normals(g, SIZE, (uint64_t)(k % 7) + 11);
        for (int64_t c = 0; c < SIZE; c++) {
            mean[c] = 0.8L * expl(0.05L) * mean[c] + 0.2L * (long double)g[c];
        }
    }
    double last[SIZE];
    memcpy(last, adam.w, sizeof last);
    rig_step(&adam, 0.1, -0.05 * (double)(steps - 1), (uint64_t)((steps - 1) % 7) + 11);
    for (int64_t c = 0; c < SIZE; c++) {
        /* One more of the same gradient, which did not fall. */
        const long double g = adam.g[c];
        const long double top = 0.8L * mean[c] + 0.2L * g;
        const long double root = sqrtl(0.85L * v[c] + 0.15L * g * g);
        /* Scales of 1e3 to 5e3 carry 5e3 u of their own. */
        assert_near(adam.w[c] - last[c], -0.1 * (double)(top / root), 1e-11);
    }
}

/* Adam moves every coordinate by about eta, however small its gradient is beside others. */
static void adam_has_no_dead_coordinates(void **state)
{
    struct trop_optimizer_settings o = settings_of(2);
    struct rig r;

    (void)state;
    rig_make(&r, "adam", &o, 0, 1);
    for (int64_t k = 0; k < SIZE; k++) {
        r.g[k] = k == 0 ? 1 : 1e-170 * (double)k;
    }
    r.step.eta = 0.1;
    assert_ok(r.optimizer->step(&r.step));
    for (int64_t k = 0; k < SIZE; k++) {
        assert_near(r.w[k], -0.1, 1e-15);
    }
}

static void nothing_moves_without_a_gradient(void **state)
{
    (void)state;
    for (int64_t k = 0; trop_optimizer_names[k]; k++) {
        for (int variant = 0; variant < 3; variant++) {
            struct trop_optimizer_settings o = settings_of(1.5);
            struct rig r, was;
            o.epsilon = variant == 2 ? 1e-3 : 0;
            o.polynomial = variant;
            rig_make(&r, trop_optimizer_names[k], &o, variant == 1, 5);
            r.step.log_gap = -INFINITY;
            r.step.eta = 0.1;
            if (variant == 1) { /* the scale alone says zero */
                normals(r.g, SIZE, 1);
                r.gradient.log_scale = -INFINITY;
            }
            was = r;
            assert_ok(r.optimizer->step(&r.step));
            for (int64_t c = 0; c < SIZE; c++) {
                /* A map and its inverse may round, no more; zero stays zero. */
                assert_near(r.w[c], was.w[c], 4 * UNIT * fabs(was.w[c]));
                assert_near(r.state[0][c], was.state[0][c], 0);
            }
            assert_true(r.weight.log_scale == 0);
        }
    }
}

/* ---- the table --------------------------------------------------------------------------- */

static void names_are_in_the_order_of_the_table(void **state)
{
    int64_t count = 0;

    (void)state;
    for (; trop_optimizer_names[count]; count++) {
        const struct trop_optimizer *at = trop_optimizer_of(count);
        assert_string_equal(at->name, trop_optimizer_names[count]);
        assert_true(strlen(at->meaning) > 10);
        assert_true(at->states <= TROP_OPTIMIZER_STATES);
        assert_ptr_equal(trop_norm_of(trop_norm_id(at->norm)), at->norm);
    }
    assert_int_equal(count, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_its_formula),
        cmocka_unit_test(epsilon_is_added_to_the_dual_norm),
        cmocka_unit_test(epsilon_stalls_small_gradients),
        cmocka_unit_test(adam_with_and_without_epsilon),
        cmocka_unit_test(the_first_step_of_a_mean_is_that_of_the_gradient),
        cmocka_unit_test(normalised_steps_do_not_depend_on_the_scale),
        cmocka_unit_test(means_follow_gradients_down),
        cmocka_unit_test(adam_has_no_dead_coordinates),
        cmocka_unit_test(nothing_moves_without_a_gradient),
        cmocka_unit_test(names_are_in_the_order_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
