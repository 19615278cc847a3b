/* test_attention_saturated.c -- the stable gradient where weights have saturated, against MPFR. */
#include "attention_reference.h"

#include <float.h>

#define U 0x1p-53

/* ---- comparison ------------------------------------------------------------------------------ */

static double length_of(const double *x, int64_t n)
{
    const double most = largest(x, n); /* squares of e^-500 would underflow */
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += most > 0 ? x[k] / most * (x[k] / most) : 0;
    }
    return most * sqrt(sum);
}

/* The distance of two directions, each of any length. */
static double apart(const double *a, const double *b, int64_t n)
{
    const double one = length_of(a, n), two = length_of(b, n);
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        const double more = (one > 0 ? a[k] / one : 0) - (two > 0 ? b[k] / two : 0);
        sum += more * more;
    }
    return sqrt(sum);
}

/* The relative error of a coefficient. The largest score here is 16 (normals of up to 10 entries):
 * (8 |f| + n + 16) u of attention_gradient.c; and the error of a logit, 8 n^3 u 2^-b |key| |W| |z|
 * of attention.c with n <= 10, b = 24, below 5e-20 of their product. */
static double tolerance_of(double logits, int64_t loss)
{
    const double f = loss == LOG ? 231 : 16; /* log f, as long as f is above 1e-100 */
    const double gaps = 8e3 * U * 0x1p-24 * logits;

    /* Beyond 1 only the smallest gap is left, and it has no rival to be wrong against. */
    return (8 * f + 10 + 16) * U + (gaps < 1 ? gaps : 0);
}

static double logits_of(const struct problem *p)
{
    const struct trop_data *d = &p->sample->data;
    double most = exp(p->weights->tensor[0].log_scale);

    for (int64_t k = 0; k < 1 + (p->options->model == TROP_TRAIN_KQ); k++) {
        most *= largest(p->weights->tensor[k].values, size_of(p->weights->tensor + k));
    }
    most *= d->k
                ? largest(d->k, d->n * d->T * d->dk)
                : largest(d->x ? d->x : d->vocabulary, d->x ? d->n * d->T * d->d : d->words * d->d);
    return most * (query_of(p, 0) ? fmax(largest(d->z   ? d->z
                                                 : d->x ? d->x
                                                        : d->vocabulary,
                                                 d->z   ? d->n * d->d
                                                 : d->x ? d->n * d->T * d->d
                                                        : d->words * d->d),
                                         1)
                                  : 1);
}

static double worst; /* seen, of direction / tolerance */

static void check(const struct problem *p, struct trained *t, mpfr_prec_t bits)
{
    static struct reference reference;
    const double logits = logits_of(p), tolerance = tolerance_of(logits, p->options->loss);
    /* A logarithm is rounded itself, and split.h leaves entries from 2^960 as they are: n^2 u. */
    const double rounding = logits < 1e285 ? 8 * U : 100 * U;

    reference_make(&reference, p, bits);
    trop_attention_set(t->attention, &t->weights, NULL, 0);
    trop_attention_gradient(&t->gradient, t->attention);
    for (int k = 0; k < 1 + (p->options->model == TROP_TRAIN_KQ); k++) {
        const struct trop_tensor *g = t->gradient.tensor + k;
        const double length = length_of(g->values, size_of(g));
        if (reference.zero) {
            assert_true(length == 0 && g->log_scale == -INFINITY);
            continue;
        }
        const double distance = apart(g->values, reference.direction[k], size_of(g));
        const double bound = 2 * tolerance * reference.crowd[k];
        worst = fmax(worst, distance / bound);
        assert_near(distance, 0, bound);
        if (isinf(reference.log_norm[k])) { /* a number all the same, the lowest */
            assert_true(g->log_scale <= -1e308 && g->log_scale >= -DBL_MAX);
        } else {
            assert_near(g->log_scale + log(length), reference.log_norm[k],
                        rounding * fabs(reference.log_norm[k]) + bound);
        }
    }
    const double log_gap = trop_attention_log_gap(t->attention);
    if (reference.log_gap != log_gap) {
        assert_near(log_gap, reference.log_gap, tolerance + rounding * fabs(reference.log_gap));
    }
    for (int64_t q = 0; q < trop_attention_asks(t->attention); q++) {
        const double *log_s = trop_attention_log_weights(t->attention, q);
        for (int64_t s = 0; s < p->sample->data.T; s++) {
            if (log_s[s] > -INFINITY && log_s[s] != reference.log_s[q][s]) {
                assert_near(log_s[s], reference.log_s[q][s],
                            tolerance + rounding * fabs(reference.log_s[q][s]));
            }
        }
    }
}

/* One model at one size of its weights. */
static void check_model(const struct wish *wish, const struct trop_attention_options *o,
                        double size, const double *log_scale, mpfr_prec_t bits, uint64_t seed)
{
    static struct sample sample;
    struct trained t;

    sample_make(&sample, wish, seed);
    trained_make(&t, &sample.data, o);
    draw_weights(&t.weights, size, seed + 50);
    for (int64_t k = 0; log_scale && k < t.weights.count; k++) {
        t.weights.tensor[k].log_scale = log_scale[k];
    }
    check(&(struct problem){ &sample, o, &t.weights }, &t, bits);
    trained_free(&t);
}

static const struct wish prompt = { 4, 6, 5, 3, 0, 1, 1, 0 };
static const struct wish cross = { 6, 8, 10, 0, 1, 1, 1, 0 };
static const struct wish plain = { 3, 5, 4, 0, 0, 1, 1, 0 };
static const struct wish words = { 4, 6, 5, 0, 0, 0, 0, WORDS };

/* ---- tests --------------------------------------------------------------------------------- */

static void gradients_are_right_at_every_norm(void **state)
{
    static const double sizes[] = { 1e-3, 1, 30, 2000, 1e6, 1e9 };

    (void)state;
    worst = 0;
    for (int64_t k = 0; k < cases(1, 20); k++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const uint64_t seed = 1000 * (uint64_t)k + s;
            for (int64_t loss = LOGISTIC; loss <= CORRELATION; loss++) {
                struct trop_attention_options o = options_for(TROP_TRAIN_PROMPT, LINEAR, loss);
                check_model(&prompt, &o, sizes[s], NULL, 600, seed);
                o.model = TROP_TRAIN_CROSS;
                check_model(&cross, &o, sizes[s], NULL, 600, seed);
                o.model = TROP_TRAIN_SELF;
                check_model(&plain, &o, sizes[s], NULL, 600, seed);
                o.model = TROP_TRAIN_SEQUENCE;
                check_model(&plain, &o, sizes[s], NULL, 600, seed);
                o.mask = TROP_MASK_CAUSAL;
                check_model(&plain, &o, sizes[s], NULL, 600, seed);
            }
            struct trop_attention_options o = options_for(TROP_TRAIN_KQ, LINEAR, LOGISTIC);
            for (o.width = 1; o.width <= 4; o.width++) {
                check_model(&plain, &o, sqrt(sizes[s]), NULL, 600, seed);
            }
            for (int64_t loss = LOGISTIC; loss <= LOG; loss++) {
                o = options_for(TROP_TRAIN_CROSS, LINEAR, loss);
                check_model(&words, &o, sizes[s], NULL, 600, seed);
            }
        }
    }
    print_message("largest error of a direction: %.2g of its bound\n", worst);
}

static void gradients_are_right_where_weights_leave_double(void **state)
{
    static const double scales[][2] = { { 500, 0 },  { 708, 0 },    { 710, 1 }, { 300, 420 },
                                        { 1400, 5 }, { 3000, -20 }, { -800, 3 } };

    (void)state;
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        struct trop_attention_options o = options_for(TROP_TRAIN_PROMPT, LINEAR, LOGISTIC);
        check_model(&plain, &o, 1, scales[s], 6000, 70 + s);
        o.model = TROP_TRAIN_KQ;
        check_model(&plain, &o, 1, scales[s], 6000, 80 + s);
    }
}

static void values_of_1e300_are_as_good(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 8; k++) {
        const struct trop_attention_options o =
            options_for(TROP_TRAIN_CROSS, LINEAR, (int64_t)k % 3);
        check_model(&cross, &o, k < 4 ? 1e150 : 1e300, NULL, 2500, 90 + k);
    }
}

/* ---- special data -------------------------------------------------------------------------- */

/* A prompt with keys of its own, dimension 2, so that logits are what one writes down; d = 1 and
 * v = 1, so that tokens are scores. */
struct table {
    struct sample sample;
    struct trop_attention_options options;
    struct trained trained;
};

static void table_make(struct table *b, int64_t n, int64_t T, const double *keys,
                       const double *scores, const double *p)
{
    memset(b, 0, sizeof *b);
    memcpy(b->sample.k, keys, (size_t)(2 * n * T) * sizeof *keys);
    memcpy(b->sample.x, scores, (size_t)(n * T) * sizeof *scores);
    b->sample.v[0] = 1;
    b->sample.data = (struct trop_data){ .n = n,
                                         .T = T,
                                         .d = 1,
                                         .x = b->sample.x,
                                         .v = b->sample.v,
                                         .heads = 1,
                                         .k = b->sample.k,
                                         .dk = 2 };
    b->options = options_for(TROP_TRAIN_PROMPT, LINEAR, LOGISTIC);
    trained_make(&b->trained, &b->sample.data, &b->options);
    memcpy(b->trained.weights.tensor[0].values, p, 2 * sizeof *p);
}

static void table_check(struct table *b)
{
    check(&(struct problem){ &b->sample, &b->options, &b->trained.weights }, &b->trained, 2000);
    trained_free(&b->trained);
}

static void inputs_whose_exponents_differ_by_thousands(void **state)
{
    static struct table b;
    const double keys[] = { 1, 0, 0, 1, 0.5, 0.25, 3, 0, 0, 0.5, 0, 0, 1, 1, 1, 0.999, 0, 3 };
    const double scores[] = { 1, 0.5, 0.25, 1, 2, 3, 4, 1, -1 }, p[] = { 2000, 500 };

    (void)state;
    table_make(&b, 3, 3, keys, scores, p);
    table_check(&b);
}

static void exact_ties_of_logits(void **state)
{
    static struct table b;
    /* <k, p> = 3000 for the first three tokens, and -1000 for the last. */
    const double keys[] = { 3, 0, 0, 3, 1, 2, -1, 0 }, scores[] = { 1, 2, 4, 8 };

    (void)state;
    for (int k = 0; k < 3; k++) {
        const double size = k == 0 ? 1 : k == 1 ? 1000 : 0x1p900, p[] = { size, size };
        table_make(&b, 1, 4, keys, scores, p);
        table_check(&b);
    }
}

static void nothing_to_choose_from_gives_no_gradient(void **state)
{
    static struct table b;
    const double keys[] = { 1, 0, 0, 1, 2, 2 }, equal[] = { 7, 7, 7 }, p[] = { 3, -5 };

    (void)state;
    table_make(&b, 3, 1, keys, equal, p); /* one token */
    table_check(&b);
    table_make(&b, 1, 3, keys, equal, p); /* scores all the same */
    table_check(&b);
    const double same[] = { 1, 2, 1, 2, 1, 2 }, scores[] = { 1, 2, 3 };
    table_make(&b, 1, 3, same, scores, p); /* keys all the same */
    table_check(&b);
}

/* Two tokens have the largest logit and the same key, or the same score: what is left is e^-2000
 * or less, next to a coefficient of order 1 that pulls nowhere or is 0. */
static void duplicated_tokens_do_not_hide_the_others(void **state)
{
    static struct table b;
    const double twins[] = { 2, 0, 2, 0, 1, 0, 0.999, 0.5 }, p[] = { 2000, 1 };
    const double scores[] = { 1, 0.5, 3, 0 }, equal[] = { 1, 1, 3, 0 };

    (void)state;
    table_make(&b, 1, 4, twins, scores, p);
    table_check(&b);
    table_make(&b, 1, 4, twins, equal, p);
    table_check(&b);
    /* The second token has the score of the first and is near it; the others have e^-2000. */
    const double near[] = { 2, 0, 1.999, 0, 1, 0, 0.999, 0.5 };
    table_make(&b, 1, 4, near, equal, p);
    table_check(&b);
    assert_true(b.sample.x[0] == b.sample.x[1]);
}

/* 0.1 + 0.2 - 0.3 = 2^-55 in doubles, not the 2^-54 of their sum: a lead of two scores. */
static void scores_that_nearly_agree(void **state)
{
    static struct sample sample;
    const double x[] = { 0, 0, 0, 1, 1, 1, 0, 1, 0 }, v[] = { 0.1, 0.2, -0.3 };
    struct trop_attention_options o = options_for(TROP_TRAIN_PROMPT, LINEAR, CORRELATION);
    struct trained t;

    (void)state;
    memcpy(sample.x, x, sizeof x);
    memcpy(sample.v, v, sizeof v);
    sample.data =
        (struct trop_data){ .n = 1, .T = 3, .d = 3, .x = sample.x, .v = sample.v, .heads = 1 };
    trained_make(&t, &sample.data, &o);
    t.weights.tensor[0].values[0] = 100; /* logits 0, 60 and -40: the third token has e^-100 */
    t.weights.tensor[0].values[1] = -40;
    check(&(struct problem){ &sample, &o, &t.weights }, &t, 600);
    trained_free(&t);
}

/* ---- rounding noise ------------------------------------------------------------------------ */

/* Weights that select a token of every input with a margin: 300 steps of normalised descent. */
static void descend(struct trained *t)
{
    for (int k = 0; k < 300; k++) {
        double square = 0;
        trop_attention_set(t->attention, &t->weights, NULL, 0);
        trop_attention_gradient(&t->gradient, t->attention);
        for (int64_t e = 0; e < 100; e++) {
            square += t->gradient.memory[e] * t->gradient.memory[e];
        }
        for (int64_t e = 0; e < 100; e++) {
            t->weights.memory[e] -= t->gradient.memory[e] / sqrt(square);
        }
    }
    trop_attention_set(t->attention, &t->weights, NULL, 0);
}

static void rescale(struct trained *t, double factor)
{
    for (int64_t e = 0; e < 100; e++) {
        t->weights.memory[e] *= factor;
    }
    trop_attention_set(t->attention, &t->weights, NULL, 0);
}

/* Both orders of the straightforward gradient. */
static void naive_both(double *forth, double *back, struct trained *t)
{
    trop_attention_naive(&t->gradient, t->attention, 0);
    memcpy(forth, t->gradient.memory, 100 * sizeof *forth);
    trop_attention_naive(&t->gradient, t->attention, 1);
    memcpy(back, t->gradient.memory, 100 * sizeof *back);
}

/* The same data with the tokens of each input in reverse. */
static void turn(struct sample *out, const struct sample *sample)
{
    *out = *sample;
    for (int64_t row = 0; row < 48; row++) {
        memcpy(out->x + row * 10, sample->x + (row / 8 * 8 + 7 - row % 8) * 10,
               10 * sizeof(double));
    }
    out->data.x = out->x, out->data.z = out->z, out->data.y = out->y, out->data.v = out->v;
}

/* At |W| = 2000 the coefficient of the selected token is lost in a straightforward gradient, so
 * that its direction is wrong; where 1 - s is a few roundings, a margin of 36, the order of its
 * sums decides. The stable gradient is right, and does not know the order of the tokens. */
static void a_straightforward_gradient_follows_rounding_noise(void **state)
{
    static struct sample sample, turned;
    static struct reference reference;
    const struct trop_attention_options o = options_for(TROP_TRAIN_CROSS, LINEAR, LOGISTIC);
    struct trained t, other;
    double forth[100], back[100];

    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)cases(3, 30); seed++) {
        sample_make(&sample, &cross, 300 + seed);
        turn(&turned, &sample);
        trained_make(&t, &sample.data, &o);
        trained_make(&other, &turned.data, &o);
        descend(&t);
        double most = 0;
        for (double margin = 32; margin <= 38; margin += 0.25) {
            rescale(&t, margin / trop_attention_margin(t.attention));
            naive_both(forth, back, &t);
            most = fmax(most, apart(forth, back, 100));
        }
        assert_true(most > 0.01); /* 1e12 times what the stable gradient is allowed below */
        for (int far = 0; far < 2; far++) {
            const struct problem p = { &sample, &o, &t.weights };
            reference_make(&reference, &p, 600);
            naive_both(forth, back, &t);
            assert_true(apart(forth, reference.direction[0], 100) > 0.1);
            trop_attention_gradient(&t.gradient, t.attention);
            trop_weights_copy(&other.weights, &t.weights);
            trop_attention_set(other.attention, &other.weights, NULL, 0);
            trop_attention_gradient(&other.gradient, other.attention);
            const double bound = 2 * tolerance_of(logits_of(&p), LOGISTIC) * reference.crowd[0];
            assert_near(apart(t.gradient.memory, reference.direction[0], 100), 0, bound);
            assert_near(apart(t.gradient.memory, other.gradient.memory, 100), 0, bound);
            rescale(&t, 2000 / length_of(t.weights.memory, 100));
        }
        trained_free(&t);
        trained_free(&other);
    }
}

/* Input 0 has the query 0: its attention never saturates, and its gradient is 0. Input 1, with the
 * query (1, -1), is e^-2000 from its limit, and is all there is to follow: dL/dW is a multiple of
 * (k_1 - k_0) z' = (-1, 0)' (1, -1), whatever the sign. */
static void a_query_of_zero_hides_no_other(void **state)
{
    (void)state;
    double x[] = { 0, 0, 1, 1, 1, -1, 0, -1 }, y[] = { 1, 1 }, v[] = { -0.25, 0.75 };
    double z[] = { 0, 0, 1, -1 }, w[] = { -1503.91, -152.34, 117.19, -2148.44 };
    struct trop_data data = { .n = 2, .T = 2, .d = 2, .x = x, .y = y, .labels = 1, .v = v, .z = z };
    struct trop_attention_options o = { .model = TROP_TRAIN_CROSS };
    struct trained t;

    data.queries = 1;
    trained_make(&t, &data, &o);
    memcpy(t.weights.tensor[0].values, w, sizeof w);
    trop_attention_set(t.attention, &t.weights, NULL, 0);
    trop_attention_gradient(&t.gradient, t.attention);
    const double *g = t.gradient.tensor[0].values;
    assert_true(g[0] != 0 && g[0] == -g[1] && g[2] == 0 && g[3] == 0);
    assert_true(t.gradient.tensor[0].log_scale < -1000);
    trained_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_right_at_every_norm),
        cmocka_unit_test(gradients_are_right_where_weights_leave_double),
        cmocka_unit_test(values_of_1e300_are_as_good),
        cmocka_unit_test(inputs_whose_exponents_differ_by_thousands),
        cmocka_unit_test(exact_ties_of_logits),
        cmocka_unit_test(nothing_to_choose_from_gives_no_gradient),
        cmocka_unit_test(duplicated_tokens_do_not_hide_the_others),
        cmocka_unit_test(scores_that_nearly_agree),
        cmocka_unit_test(a_straightforward_gradient_follows_rounding_noise),
        cmocka_unit_test(a_query_of_zero_hides_no_other),
    };
    mpfr_set_emin(mpfr_get_emin_min()); /* the default is -2^30 */
    mpfr_set_emax(mpfr_get_emax_max());
    return cmocka_run_group_tests(tests, NULL, NULL);
}
