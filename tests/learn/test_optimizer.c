/* test_optimizer.c -- optimisers one by one, on tensors of random numbers.
 *
 * The judge is a plain implementation in long double of the formulas at the head of each
 * src/learn/optimizer_*.c, entry by entry, without scales. u = 2^-53 throughout. */
#include "support.h"

#include "base/linalg.h"
#include "learn/optimizer/optimizer.h"
#include "margin/dense.h"

#define UNIT 0x1p-53

enum { ROWS = 5, COLUMNS = 7, SIZE = ROWS * COLUMNS, ROOM = 4096 };

/* ---- one tensor and its optimiser -------------------------------------------------------- */

struct rig {
    const struct trop_optimizer *optimizer;
    struct trop_optimizer_settings settings;
    struct trop_tensor weight, gradient;
    struct trop_optimizer_step step;
    double w[SIZE], g[SIZE], state[TROP_OPTIMIZER_STATES][SIZE], scratch[ROOM];
};

static const struct trop_optimizer *named(const char *name)
{
    int64_t k = 0;
    while (strcmp(trop_optimizer_names[k], name) != 0) {
        k++;
    }
    return trop_optimizer_of(k);
}

static struct trop_optimizer_settings settings_of(double p)
{
    struct trop_optimizer_settings o = {
        .p = p, .momentum = 0.9, .beta1 = 0.9, .beta2 = 0.999, .width = 0.7
    };
    trop_optimizer_prepare(&o);
    return o;
}

/* Weights are scale times normal numbers. */
static void rig_make(struct rig *r, const char *name, const struct trop_optimizer_settings *o,
                     double scale, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    r->optimizer = named(name);
    r->settings = *o;
    r->weight = (struct trop_tensor){ "W", ROWS, COLUMNS, r->w, 0 };
    r->gradient = (struct trop_tensor){ "W", ROWS, COLUMNS, r->g, 0 };
    r->step = (struct trop_optimizer_step){ .settings = &r->settings,
                                            .weight = &r->weight,
                                            .gradient = &r->gradient,
                                            .state = { r->state[0], r->state[1] },
                                            .scratch = r->scratch };
    normals(r->w, SIZE, seed);
    for (int64_t k = 0; k < SIZE; k++) {
        r->w[k] *= scale;
    }
    if (r->optimizer->room) {
        assert_true(r->optimizer->room(ROWS, COLUMNS) <= ROOM);
    }
    if (r->optimizer->start) {
        r->optimizer->start(&r->step);
    }
}

/* A step of size eta along normal numbers at the scale log_scale; the first entry may be 0. */
static void rig_step(struct rig *r, double eta, double log_scale, uint64_t seed)
{
    normals(r->g, SIZE, seed);
    r->gradient.log_scale = log_scale;
    r->step.eta = eta;
    assert_ok(r->optimizer->step(&r->step));
    r->step.k++;
}

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
        cmocka_unit_test(mirror_with_exponent_two_is_gradient_descent),
        cmocka_unit_test(no_coordinate_is_dead),
        cmocka_unit_test(norms_beyond_double_are_carried_as_logarithms),
        cmocka_unit_test(exponentiated_gradient_is_hypentropy),
        cmocka_unit_test(hypentropy_goes_on_beyond_double),
        cmocka_unit_test(limits_of_the_squared_norm),
        cmocka_unit_test(the_polar_factor_is_orthogonal_on_the_range),
        cmocka_unit_test(the_polynomial_of_muon_is_nearly_orthogonal),
        cmocka_unit_test(the_polynomial_of_muon_is_its_formula),
        cmocka_unit_test(names_are_in_the_order_of_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
