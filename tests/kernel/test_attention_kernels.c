/* test_attention_kernels.c -- the kernels of training: the same bits by every build and any number
 * of workers, and right beside sums in long double; models larger than those of the other tests. */
#include "attention_support.h"

#include "base/math/dd.h"
#include "base/linalg.h"
#include "learn/attention/attention_internal.h"
#include "margin/power.h"
#include "learn/split.h"

#define U 0x1p-53
#define MOST 72

/* ---- kernels by themselves ------------------------------------------------------------------- */

static const double *const none[2] = { NULL, NULL }; /* nothing to ask for */

/* All that the kernels make of one row of n tokens in d dimensions, in one array. */
static int64_t make_all(double *out, const struct trop_kernel_gradient *g, int64_t n, int64_t d)
{
    static double key[MOST * MOST], p[MOST], row[MOST], next[MOST];
    double *at = out;
    const int64_t width = trop_kernel_gradient_width(n), along = trop_kernel_gradient_width(d);

    normals(key, n * d, (uint64_t)(100 * n + d));
    normals(p, d, (uint64_t)(100 * n + d + 1));
    normals(next, n, 7);
    struct trop_kernel_gradient_split x = { at, at + along };
    at += 2 * along;
    g->split(&x, p, NULL, d, trop_split_shift(g->most(p, d), d));
    double *gap = at, *low = gap + width, *s = low + width, *near = s + width;
    at += 4 * width;
    g->products(gap, low, key, n, d, trop_split_shift(trop_split_most(key, n * d), d), &x, none);
    const struct trop_kernel_gradient_split many[] = { x, x, x, x, x, x, x, x, x };
    const struct trop_kernel_gradient_many nine = {
        at,   at + 9 * n, n,   key,  n, d, trop_split_shift(trop_split_most(key, n * d), d),
        many, 9,          key, n * d
    };
    g->products_many(&nine);
    at += 18 * n;
    memcpy(row, gap, (size_t)n * sizeof *row);
    *at++ = (double)g->lead(gap, low, n, 1);
    *at++ = (double)g->lead(gap, low, n, -1);
    *at++ = g->settle(row, next, n);
    g->gaps(gap, low, s, width, (const double[]){ gap[0], low[0] }, 1.25);
    *at++ = (double)g->near(near, gap, n, width);
    g->sizes(near, gap, low, width, (const double[]){ gap[n / 2], low[n / 2] }, 1.25);
    for (int64_t t = n; t < width; t++) {
        gap[t] = low[t] = s[t] = near[t] = 0;
    }
    for (int64_t t = 0; t < n; t++) {
        s[t] = fabs(s[t]);
        near[t] = near[t] > -1 ? near[t] : 0; /* weights of 0 are passed over */
    }
    *at++ = g->normalise(s, width);
    *at++ = g->dot(s, gap, width);
    *at++ = g->coefficients(near, gap, width, 0.3);
    g->pull(at, near, key, key + d, n, d);
    const struct trop_kernel_gradient_outer outer = { .out = at + along,
                                                      .columns = d,
                                                      .asks = n,
                                                      .left = key,
                                                      .left_stride = d,
                                                      .right = key,
                                                      .right_stride = d };
    g->outer(&outer, 0, d);
    at += along + d * d;
    at[2 * n] = g->values(at, at + n, key, p, n, d);
    at[3 * n + 1] = (double)g->leads(at + 2 * n + 1, at, at + n, n, n / 2, -1, 0.5);
    at += 3 * n + 2;
    memcpy(at, key, (size_t)(n * d) * sizeof *at);
    g->scale(at, next, n, d, d / 3, d);
    at += n * d;
    *at++ = g->norm(p, d);
    *at++ = (double)g->finite(key, n * d);
    for (int64_t up = 1; up <= 4; up++, at += d) {
        at[d] = g->power(at, p, d, 1.5, up);
        at++;
    }
    memcpy(at, p, (size_t)d * sizeof *at);
    g->step(at, key, d, 0.7);
    return at + d - out;
}

static void every_build_makes_the_same_bits(void **state)
{
    static double one[MOST * MOST * 4], other[MOST * MOST * 4];
    static const int64_t sizes[] = { 1, 2, 3, 7, 8, 9, 10, 16, 17, 33, 64 };
    const int64_t count = (int64_t)(sizeof sizes / sizeof *sizes);

    (void)state;
    for (int64_t k = 0; k < count * count; k++) {
        const int64_t n = sizes[k / count], d = sizes[k % count];
        memset(one, 0, sizeof one);
        const int64_t length = make_all(one, trop_kernel_list[0]->gradient, n, d);
        assert_true(length < (int64_t)(sizeof one / sizeof *one));
        for (int i = 1; trop_kernel_list[i]; i++) {
            memset(other, 0, sizeof other);
            if (trop_kernel_list[i]->available()) {
                make_all(other, trop_kernel_list[i]->gradient, n, d);
                assert_memory_equal(one, other, (size_t)length * sizeof *one);
            }
        }
    }
}

/* out + low of products is the product to 77 bits: split.h has 2 n^2 u 2^-b |a| |b|. */
static void products_are_right_to_their_bound(void **state)
{
    static double a[MOST * MOST], b[MOST], out[MOST], low[MOST], high[MOST], rest[MOST];
    const struct trop_kernel_gradient *g = trop_kernel_choose(0)->gradient;

    (void)state;
    for (int64_t n = 1; n < 70; n++) {
        struct trop_kernel_gradient_split x = { high, rest };
        normals(a, 5 * n, (uint64_t)n);
        normals(b, n, (uint64_t)n + 1000);
        const double most_a = trop_split_most(a, 5 * n), most_b = trop_split_most(b, n);
        const int bits = n <= 16 ? 24 : n <= 64 ? 23 : 22;
        g->split(&x, b, NULL, n, trop_split_shift(most_b, n));
        g->products(out, low, a, 5, n, trop_split_shift(most_a, n), &x, none);
        for (int64_t r = 0; r < 5; r++) {
            struct trop_dd sum = { 0, 0 };
            for (int64_t c = 0; c < n; c++) {
                sum = trop_dd_add(sum, trop_dd_product(a[r * n + c], b[c]));
            }
            const double error = (out[r] - sum.high) + (low[r] - sum.low);
            const double bound = 2 * (double)(n * n) * U * ldexp(1, -bits) * most_a * most_b;
            assert_true(fabs(error) <= bound);
        }
    }
}

/* Leads over token m: 0 for itself, close ones counted, and what is no number counted as close. */
static void leads_that_are_close_are_counted(void **state)
{
    const double value[] = { 3, 5, 5.25, 4, 6, NAN, 5, 8, 9, 1, 5.5 };
    const double low[] = { 0, 0.5, 0, 0, -0.25, 0, 0, 0, 0.125, 0, 0 };
    const double leads[] = { 2.5, 0, 0.25, 1.5, -0.25, NAN, 0.5, -2.5, -3.625, 4.5, 0 };
    double out[11];

    (void)state;
    for (int i = 0; trop_kernel_list[i]; i++) {
        if (!trop_kernel_list[i]->available()) {
            continue;
        }
        const struct trop_kernel_gradient *g = trop_kernel_list[i]->gradient;
        /* itself, 0.25 twice, the last one, and what is no number; 0.5 is not below 0.5 */
        assert_int_equal(g->leads(out, value, low, 11, 1, -1, 0.5), 5);
        for (int t = 0; t < 11; t++) {
            assert_true(t == 5 ? isnan(out[t]) : out[t] == leads[t]);
        }
        assert_int_equal(g->leads(out, value, low, 2, 1, -1, 0.5), 1);
    }
}

/* Columns of a range get their row's factor; a factor that is not above 0 makes zeros, whatever was
 * there. */
static void rows_are_scaled(void **state)
{
    const double factor[] = { 2, 0, -INFINITY };

    (void)state;
    for (int i = 0; trop_kernel_list[i]; i++) {
        double rows[3][5] = { { 1, 2, 3, 4, 5 }, { 1, INFINITY, NAN, 4, 5 }, { 1, 2, 3, 4, 5 } };
        const double right[3][5] = { { 1, 4, 6, 8, 5 }, { 1, 0, 0, 0, 5 }, { 1, 0, 0, 0, 5 } };
        if (trop_kernel_list[i]->available()) {
            trop_kernel_list[i]->gradient->scale(rows[0], factor, 3, 5, 1, 4);
            assert_memory_equal(rows, right, sizeof rows);
        }
    }
}

/* Many vectors at once, any number of them: the bits of one after the other. */
static void many_vectors_are_one_after_the_other(void **state)
{
    static double a[MOST * MOST], b[12 * MOST], high[12 * MOST], rest[12 * MOST];
    static double many[12 * MOST], many_low[12 * MOST], one[MOST], one_low[MOST];

    (void)state;
    for (int64_t k = 0; k < 12 * 30; k++) {
        const struct trop_kernel_gradient *g = trop_kernel_choose(0)->gradient;
        const int64_t count = k % 12 + 1, n = 1 + k / 12, rows = 1 + k % 7;
        struct trop_kernel_gradient_split x[12];
        normals(a, rows * n, (uint64_t)k);
        normals(b, count * n, (uint64_t)k + 1000);
        const double shift = trop_split_shift(trop_split_most(a, rows * n), n);
        for (int64_t m = 0; m < count; m++) {
            x[m] = (struct trop_kernel_gradient_split){ high + m * MOST, rest + m * MOST };
            g->split(x + m, b + m * n, NULL, n, trop_split_shift(g->most(b + m * n, n), n));
        }
        g->products_many(&(struct trop_kernel_gradient_many){ many, many_low, MOST, a, rows, n,
                                                              shift, x, count, NULL, 0 });
        for (int64_t m = 0; m < count; m++) {
            g->products(one, one_low, a, rows, n, shift, x + m, none);
            assert_memory_equal(one, many + m * MOST, (size_t)rows * sizeof *one);
            assert_memory_equal(one_low, many_low + m * MOST, (size_t)rows * sizeof *one);
        }
    }
}

/* out + low of values, beside long double to its own rounding, and beside pairs. */
static void values_are_right_to_their_bound(void **state)
{
    static double x[MOST * MOST], v[MOST], out[MOST], low[MOST];
    const struct trop_kernel_gradient *g = trop_kernel_choose(0)->gradient;

    (void)state;
    for (int64_t n = 1; n < 70; n++) {
        normals(x, 5 * n, (uint64_t)n);
        normals(v, n, (uint64_t)n + 1000);
        const double top = g->values(out, low, x, v, 5, n);
        double most = 0;
        for (int64_t r = 0; r < 5; r++) {
            struct trop_dd sum = { 0, 0 };
            double size = 0;
            for (int64_t c = 0; c < n; c++) {
                sum = trop_dd_add(sum, trop_dd_product(x[r * n + c], v[c]));
                size += fabs(x[r * n + c] * v[c]);
            }
            /* Pairs themselves are off by 3 u^2 in each addition. */
            const double error = (out[r] - sum.high) + (low[r] - sum.low);
            assert_true(fabs(error) <= (double)(n * n + 3 * n) * U * U * size);
            most = fmax(most, size);
        }
        assert_near(top, most, (double)n * 2 * U * most);
    }
}

/* Two logits that only their second halves tell apart, and ties. */
static void the_lead_is_that_of_the_pairs(void **state)
{
    double high[16] = { 0 }, low[16] = { 0 };
    const struct trop_kernel_gradient *g = trop_kernel_choose(0)->gradient;

    (void)state;
    for (int64_t n = 1; n <= 16; n++) {
        for (int64_t at = 0; at < n; at++) {
            for (int64_t t = 0; t < n; t++) {
                high[t] = 1;
                low[t] = t == at ? 0x1p-80 : 0;
            }
            assert_int_equal(g->lead(high, low, n, 1), at);
            assert_int_equal(g->lead(high, low, n, -1), at == 0 && n > 1 ? 1 : 0);
            low[at] = -0x1p-80;
            assert_int_equal(g->lead(high, low, n, -1), at);
            high[at] = 2;
            assert_int_equal(g->lead(high, low, n, 1), at);
        }
    }
    assert_int_equal(g->lead(high, low, 0, 1), -1);
}

static void norms_and_powers_are_those_of_single_numbers(void **state)
{
    static double x[MOST], out[MOST];
    const struct trop_kernel_gradient *g = trop_kernel_choose(0)->gradient;

    (void)state;
    for (int64_t n = 1; n < MOST; n++) {
        normals(x, n, (uint64_t)n);
        for (double scale = 1e-200; scale < 1e300; scale *= 1e100) {
            for (int64_t k = 0; k < n; k++) {
                out[k] = scale * x[k];
            }
            const double one = g->norm(out, n), two = trop_linalg_norm(out, n);
            assert_memory_equal(&one, &two, sizeof one);
        }
        for (int64_t up = 1; up <= 4; up++) {
            const struct trop_power e = trop_power_of(0.5 * (double)up);
            trop_power_all(out, x, n, &e);
            for (int64_t k = 0; k < n; k++) {
                const double one = trop_power_signed(x[k], &e);
                assert_memory_equal(&one, out + k, sizeof one);
            }
        }
        assert_int_equal(g->finite(x, n), 1);
        x[n - 1] = n % 2 ? INFINITY : NAN;
        assert_int_equal(g->finite(x, n), 0);
    }
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Data of any size: cross with queries, labels and a decoder. */
struct large {
    struct trop_data data;
    double *memory;
};

static void large_make(struct large *l, int64_t n, int64_t T, int64_t d)
{
    const int64_t tokens = n * T * d, queries = n * d;

    l->memory = malloc((size_t)(tokens + queries + n + d) * sizeof(double));
    assert_non_null(l->memory);
    normals(l->memory, tokens + queries + n + d, 11);
    double *y = l->memory + tokens + queries;
    for (int64_t i = 0; i < n; i++) {
        y[i] = y[i] > 0 ? 1 : -1;
    }
    l->data = (struct trop_data){ .n = n,
                                  .T = T,
                                  .d = d,
                                  .x = l->memory,
                                  .y = y,
                                  .labels = 1,
                                  .z = l->memory + tokens,
                                  .queries = 1,
                                  .v = y + n,
                                  .heads = 1 };
}

/* dL/dW as the formulas have it, in long double, and the sizes of the terms of the centred sum, s_t
 * |score_t - f| (|x_t| + |x_m|) |z|, added up. */
static void reference(long double *out, long double *size, const struct trop_data *data,
                      const double *w)
{
    const int64_t T = data->T, d = data->d;
    long double u[MOST], a[MOST], score[MOST];

    memset(out, 0, (size_t)(d * d) * sizeof *out);
    memset(size, 0, (size_t)(d * d) * sizeof *size);
    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->x + i * T * d, *z = data->z + i * d;
        long double top = -INFINITY, sum = 0, f = 0;
        int64_t m = 0;
        for (int64_t c = 0; c < d; c++) {
            u[c] = 0;
            for (int64_t b = 0; b < d; b++) {
                u[c] += (long double)w[c * d + b] * z[b];
            }
        }
        for (int64_t t = 0; t < T; t++) {
            a[t] = score[t] = 0;
            for (int64_t c = 0; c < d; c++) {
                a[t] += x[t * d + c] * u[c];
                score[t] += (long double)x[t * d + c] * data->v[c];
            }
            m = a[t] > top ? t : m;
            top = fmaxl(top, a[t]);
        }
        for (int64_t t = 0; t < T; t++) {
            a[t] = expl(a[t] - top);
            sum += a[t];
        }
        for (int64_t t = 0; t < T; t++) {
            a[t] /= sum;
            f += a[t] * score[t];
        }
        const long double slope = -data->y[i] / (1 + expl(data->y[i] * f)) / (long double)data->n;
        for (int64_t t = 0; t < T; t++) {
            for (int64_t e = 0; e < d * d; e++) {
                const long double weight = slope * a[t] * (score[t] - f) * z[e % d];
                const double own = x[t * d + e / d], centre = x[m * d + e / d];
                out[e] += weight * own;
                size[e] += fabsl(weight) * (fabs(own) + fabs(centre));
            }
        }
    }
}

/* A term is off by (8 |f| + n + 16) u of itself (attention_gradient.c), n its tokens, and by 3 u
 * where it is multiplied by keys and queries; adding T of them over n inputs leaves (T + n) u. The
 * largest |f| here is below 16. Gaps are right to rounding: logits are below 10. */
static void check_large(int64_t n, int64_t T, int64_t d)
{
    static long double expected[MOST * MOST], size[MOST * MOST];
    const struct trop_attention_options o = options_for(TROP_TRAIN_CROSS, LINEAR, LOGISTIC);
    struct large large;
    struct trained t;
    const double bound = (8 * 16 + (double)T + 16 + 3 + (double)(T + n)) * U;

    large_make(&large, n, T, d);
    trained_make(&t, &large.data, &o);
    draw_weights(&t.weights, 1 / (double)d, 5);
    trop_attention_learn(&t.gradient, t.attention, &t.weights, NULL, 0);
    reference(expected, size, &large.data, t.weights.tensor->values);
    long double worst = 0;
    const long double scale = expl(t.gradient.tensor->log_scale);
    for (int64_t e = 0; e < d * d; e++) {
        const long double here = scale * t.gradient.tensor->values[e] - expected[e];
        if (!(fabsl(here) <= bound * size[e])) {
            fail_msg("n = %d, T = %d, d = %d: entry %d is off by %g of its bound", (int)n, (int)T,
                     (int)d, (int)e, (double)(fabsl(here) / (bound * size[e])));
        }
        worst = fmaxl(worst, fabsl(here) / (bound * size[e]));
    }
    print_message("n = %d, T = %d, d = %d: errors to %.2g of the bound\n", (int)n, (int)T, (int)d,
                  (double)worst);
    trained_free(&t);
    free(large.memory);
}

static void gradients_of_larger_models(void **state)
{
    (void)state;
    check_large(1, 2, 1);
    check_large(3, 9, 7);
    check_large(9, 17, 33);
    check_large(17, 64, 64);
    check_large(20, 65, 71);
}

/* The gradient after some steps of descent, by so many workers and a build. */
static void descend(double *out, const struct large *large, int64_t threads, int kernel)
{
    struct trop_attention_options o = options_for(TROP_TRAIN_CROSS, LINEAR, LOGISTIC);
    struct trained t;

    o.threads = threads;
    trained_make(&t, &large->data, &o);
    t.attention->kernel = trop_kernel_list[kernel];
    draw_weights(&t.weights, 0.1, 5);
    for (int step = 0; step < 3; step++) {
        trop_attention_learn(&t.gradient, t.attention, &t.weights, NULL, 0);
        const double factor = exp(t.gradient.tensor->log_scale);
        for (int64_t e = 0; e < size_of(t.weights.tensor); e++) {
            t.weights.tensor->values[e] -= factor * t.gradient.tensor->values[e];
        }
    }
    memcpy(out, t.gradient.tensor->values, (size_t)size_of(t.weights.tensor) * sizeof *out);
    out[size_of(t.weights.tensor)] = t.gradient.tensor->log_scale;
    out[size_of(t.weights.tensor) + 1] = trop_attention_loss(t.attention);
    trained_free(&t);
}

static void workers_and_builds_change_no_bit(void **state)
{
    static double one[20 * 20 + 2], other[20 * 20 + 2];
    static const int64_t threads[] = { 2, 3, 7 };
    struct large large;

    (void)state;
    large_make(&large, 259, 21, 20); /* enough for several workers */
    assert_true(large.data.n * large.data.T * large.data.d > 100000);
    descend(one, &large, 1, 0);
    for (int k = 0; k < 3; k++) {
        descend(other, &large, threads[k], 0);
        assert_memory_equal(one, other, sizeof one);
    }
    for (int i = 1; trop_kernel_list[i]; i++) {
        if (trop_kernel_list[i]->available()) {
            descend(other, &large, 2, i);
            assert_memory_equal(one, other, sizeof one);
        }
    }
    free(large.memory);
}

/* Tokens that are the first one with two coordinates swapped, under a decoder of equal entries:
 * equal scores, whose sums round differently. p and the first token ascend, so that its logit
 * leads. */
static void equal_scores_lead_by_nothing(void **state)
{
    static struct sample sample;
    const struct trop_attention_options o = options_for(TROP_TRAIN_PROMPT, LINEAR, LOGISTIC);

    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct trained t;
        sample_make(&sample, &(struct wish){ 1, 7, 10, 0, 0, 1, 1, 0 }, seed);
        for (int64_t c = 0; c < 10; c++) {
            sample.v[c] = 0.1;
            sample.x[c] = (double)c + uniform(seed, (uint64_t)c);
        }
        for (int64_t k = 1; k < 7; k++) {
            memcpy(sample.x + 10 * k, sample.x, 10 * sizeof *sample.x);
            sample.x[10 * k] = sample.x[k];
            sample.x[10 * k + k] = sample.x[0];
        }
        trained_make(&t, &sample.data, &o);
        for (int64_t c = 0; c < 10; c++) {
            t.weights.tensor->values[c] = 0.01 * (double)c;
        }
        trop_attention_set(t.attention, &t.weights, NULL, 0);
        assert_int_equal(trop_attention_best(t.attention, 0), 0);
        for (int64_t k = 0; k < 7; k++) {
            assert_true(t.attention->lead[k] == 0);
        }
        trained_free(&t);
    }
}

/* One pass, two passes, and a gradient that is asked for again. */
static void learning_is_a_pass_and_its_gradient(void **state)
{
    static struct sample sample;
    struct trained one, two;

    (void)state;
    for (int64_t model = TROP_TRAIN_PROMPT; model <= TROP_TRAIN_JOINT; model++) {
        const struct trop_attention_options o = options_for(model, LINEAR, LOGISTIC);
        sample_make(&sample, &(struct wish){ 6, 5, 7, 0, model == TROP_TRAIN_CROSS, 1, 1, 0 }, 3);
        trained_make(&one, &sample.data, &o);
        trained_make(&two, &sample.data, &o);
        draw_weights(&one.weights, 2, 5);
        trop_weights_copy(&two.weights, &one.weights);
        trop_attention_learn(&one.gradient, one.attention, &one.weights, NULL, 0);
        for (int again = 0; again < 3; again++) {
            if (again == 0) {
                trop_attention_set(two.attention, &two.weights, NULL, 0);
            } else if (again == 2) { /* which spoils what a pass has left */
                trop_attention_naive(&two.gradient, two.attention, 0);
            }
            trop_attention_gradient(&two.gradient, two.attention);
            for (int64_t k = 0; k < one.gradient.count; k++) {
                const struct trop_tensor *a = one.gradient.tensor + k, *b = two.gradient.tensor + k;
                assert_memory_equal(a->values, b->values, (size_t)size_of(a) * sizeof(double));
                assert_memory_equal(&a->log_scale, &b->log_scale, sizeof a->log_scale);
            }
        }
        trained_free(&one);
        trained_free(&two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_build_makes_the_same_bits),
        cmocka_unit_test(products_are_right_to_their_bound),
        cmocka_unit_test(leads_that_are_close_are_counted),
        cmocka_unit_test(rows_are_scaled),
        cmocka_unit_test(many_vectors_are_one_after_the_other),
        cmocka_unit_test(values_are_right_to_their_bound),
        cmocka_unit_test(the_lead_is_that_of_the_pairs),
        cmocka_unit_test(norms_and_powers_are_those_of_single_numbers),
        cmocka_unit_test(gradients_of_larger_models),
        cmocka_unit_test(workers_and_builds_change_no_bit),
        cmocka_unit_test(equal_scores_lead_by_nothing),
        cmocka_unit_test(learning_is_a_pass_and_its_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
