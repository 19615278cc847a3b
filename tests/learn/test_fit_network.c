/* test_fit_network.c -- the network of training on sequences: outputs against a plain program,
 * gradients against central differences, and bits against workers and kernels. */
#include "fit_support.h"

#include "kernel/kernel_sequence.h"

/* ---- the plain program ------------------------------------------------------------------------
 */

struct plain {
    const struct trop_fit *fit;
    const struct items *items;
    double *const *value; /* by letter */
};

static long double token_at(const struct plain *p, int64_t i, int64_t t, int64_t c)
{
    const struct trop_fit_shape *s = &p->fit->shape;
    const struct trop_sequences *q = &p->items->sequences;
    const double *e = p->value[TROP_FIT_LETTER_E], *at = p->value[TROP_FIT_LETTER_P];
    const int64_t j = q->offsets[i] + t;
    long double x = 0;

    if (q->ids) {
        x = e[q->ids[j] * s->d + c];
    } else if (!e) {
        x = q->vectors[j * INPUTS + c];
    } else {
        for (int64_t k = 0; k < INPUTS; k++) {
            x += (long double)q->vectors[j * INPUTS + k] * e[k * s->d + c];
        }
    }
    return at ? x + at[t * s->d + c] : x;
}

static long double w_at(const struct plain *p, int64_t h, int64_t r, int64_t c)
{
    const struct trop_fit_shape *s = &p->fit->shape;
    const int64_t d = s->d, width = s->width;
    long double sum = 0;

    if (width == 0) {
        return p->value[TROP_FIT_LETTER_W][(h * d + r) * d + c];
    }
    for (int64_t k = 0; k < width; k++) {
        sum += (long double)p->value[TROP_FIT_LETTER_K][(h * d + r) * width + k] *
               p->value[TROP_FIT_LETTER_Q][(h * d + c) * width + k];
    }
    return sum;
}

#define DIMENSIONS 8
struct cloud {
    int64_t T;
    long double x[LONGEST][DIMENSIONS];
};

/* Adds share times the softmax of a to s; hard: that of beta without bound. */
static void plain_softmax(long double *s, const long double *a, int64_t T, long double share,
                          int hard)
{
    long double top = -INFINITY, sum = 0, e[LONGEST];

    for (int64_t t = 0; t < T; t++) {
        top = fmaxl(top, a[t]);
    }
    for (int64_t t = 0; t < T; t++) {
        e[t] = hard ? a[t] == top : expl(a[t] - top);
        sum += e[t];
    }
    for (int64_t t = 0; t < T; t++) {
        s[t] += share * e[t] / sum;
    }
}

/* Every token x_i becomes (x_i + a sum_j s_ij x_j) / (1 + a). */
static void plain_layer(struct cloud *out, const struct plain *p, const struct cloud *in, int hard)
{
    const long double a = *p->value[TROP_FIT_LETTER_A], beta = p->fit->shape.beta;

    *out = *in;
    for (int64_t i = 0; i < in->T; i++) {
        long double score[LONGEST] = { 0 }, s[LONGEST] = { 0 };
        for (int64_t j = 0; j < in->T; j++) {
            for (int64_t c = 0; c < p->fit->shape.d; c++) {
                score[j] += beta * in->x[i][c] * in->x[j][c];
            }
        }
        plain_softmax(s, score, in->T, 1, hard);
        for (int64_t c = 0; c < p->fit->shape.d; c++) {
            long double mean = 0;
            for (int64_t j = 0; j < in->T; j++) {
                mean += s[j] * in->x[j][c];
            }
            out->x[i][c] = (in->x[i][c] + a * mean) / (1 + a);
        }
    }
}

static void plain_tokens(struct cloud *out, const struct plain *p, int64_t i, int hard)
{
    out->T = p->items->offsets[i + 1] - p->items->offsets[i];
    for (int64_t t = 0; t < out->T; t++) {
        for (int64_t c = 0; c < p->fit->shape.d; c++) {
            out->x[t][c] = token_at(p, i, t, c);
        }
    }
    for (int64_t l = 0; l < p->fit->shape.layers; l++) {
        const struct cloud before = *out;
        plain_layer(out, p, &before, hard);
    }
}

/* Adds softmax_t <x_t, W_h z> times share to s, z the query: a token, or -1 for the prompt. */
static void plain_weights(long double *s, const struct plain *p, const struct cloud *cloud,
                          int64_t h, int64_t query, long double share)
{
    const int64_t d = p->fit->shape.d;
    long double a[LONGEST] = { 0 };

    for (int64_t t = 0; t < cloud->T; t++) {
        for (int64_t r = 0; r < d; r++) {
            for (int64_t c = 0; c < d; c++) {
                const long double z =
                    query < 0 ? p->value[TROP_FIT_LETTER_Z][c] : cloud->x[query][c];
                a[t] += cloud->x[t][r] * w_at(p, h, r, c) * z;
            }
        }
    }
    plain_softmax(s, a, cloud->T, share, 0);
}

static void plain_outputs(long double *f, const struct plain *p, int64_t i, int hard)
{
    const struct trop_fit_shape *s = &p->fit->shape;
    const int64_t heads = s->heads > 0 ? s->heads : 1;
    struct cloud cloud;

    plain_tokens(&cloud, p, i, hard);
    const int64_t T = cloud.T;
    for (int64_t r = 0; r < s->outputs; r++) {
        f[r] = s->bias ? p->value[TROP_FIT_LETTER_B][r] : 0;
    }
    for (int64_t h = 0; h < heads; h++) {
        long double weight[LONGEST] = { 0 };
        for (int64_t t = 0; s->heads == 0 && t < T; t++) {
            weight[t] = 1 / (long double)T;
        }
        for (int64_t q = 0; s->heads > 0 && q < (s->query == TROP_FIT_EACH ? T : 1); q++) {
            plain_weights(weight, p, &cloud, h, s->query == TROP_FIT_PROMPT ? -1 : q,
                          s->query == TROP_FIT_EACH ? 1 / (long double)T : 1);
        }
        for (int64_t r = 0; r < s->outputs; r++) {
            for (int64_t t = 0; t < T; t++) {
                for (int64_t c = 0; c < s->d; c++) {
                    f[r] += weight[t] * cloud.x[t][c] *
                            p->value[TROP_FIT_LETTER_V][(r * heads + h) * s->d + c];
                }
            }
        }
    }
}

static long double plain_loss(const struct plain *p)
{
    const int64_t outputs = p->fit->shape.outputs;
    long double sum = 0;

    for (int64_t i = 0; i < ITEMS; i++) {
        long double f[8], all = 0;
        plain_outputs(f, p, i, 0);
        for (int64_t r = 0; r < outputs; r++) {
            all += expl(f[r]);
        }
        const int64_t y = p->items->labels[i];
        sum += outputs > 1 ? logl(all) - f[y] : log1pl(expl(y == 1 ? -f[0] : f[0]));
    }
    return sum / ITEMS;
}

/* ---- models -----------------------------------------------------------------------------------
 */

static const struct model {
    int64_t classes;
    int vectors;
    const char *pairs[20];
} models[] = {
    { 2, 0, { "embed", "5", "start_scale", "0.7", "batch", "0", NULL } },
    { 2, 0, { "embed", "8", "query", "first", "start_scale", "0.7", "batch", "0", NULL } },
    { 2, 0, { "embed", "5", "query", "each", "start_scale", "0.7", "batch", "0", NULL } },
    { 3,
      0,
      { "embed", "4", "heads", "3", "query", "each", "start_scale", "0.6", "batch", "0",
        "positions", "yes", NULL } },
    { 3,
      0,
      { "embed", "4", "heads", "2", "query", "first", "start_scale", "0.8", "batch", "0", "model",
        "kq", "width", "3", NULL } },
    { 2,
      0,
      { "embed", "6", "heads", "2", "query", "each", "start_scale", "0.6", "batch", "0", "model",
        "kq", "width", "2", NULL } },
    { 2, 0, { "embed", "3", "heads", "0", "start_scale", "0.8", "batch", "0", NULL } },
    { 2, 1, { "embed", "0", "heads", "1", "start_scale", "0.8", "batch", "0", NULL } },
    { 4,
      1,
      { "embed", "5", "heads", "2", "query", "first", "positions", "yes", "start_scale", "0.5",
        "batch", "0", NULL } },
    { 2,
      0,
      { "embed", "2", "heads", "0", "layers", "3", "beta", "2", "bias", "yes", "start_scale", "0.7",
        "batch", "0", NULL } },
    { 3,
      0,
      { "embed", "4", "heads", "2", "query", "first", "layers", "2", "beta", "1.5", "bias", "yes",
        "start_scale", "0.6", "batch", "0", NULL } },
    { 2,
      1,
      { "embed", "3", "query", "each", "layers", "1", "beta", "0.7", "positions", "yes",
        "start_scale", "0.6", "batch", "0", NULL } },
    { 2,
      0,
      { "embed", "8", "layers", "2", "beta", "3", "start_scale", "0.5", "batch", "0", NULL } },
};
#define MODELS ((int64_t)(sizeof models / sizeof models[0]))

static struct trop_fit *model_of(struct items *items, const struct model *m)
{
    items_make(items, m->classes, m->vectors, 7);
    return fit_of(items, m->pairs);
}

static void all_items(int64_t list[ITEMS])
{
    for (int64_t i = 0; i < ITEMS; i++) {
        list[i] = i;
    }
}

static double learn(struct trop_fit *fit)
{
    int64_t list[ITEMS];

    all_items(list);
    trop_fit_network_index(fit->network, fit->sequences, list, ITEMS);
    trop_fit_network_set(fit->network, fit->value);
    return trop_fit_network_learn(fit->network, fit->sequences, list, ITEMS);
}

static void outputs_and_losses_are_those_of_a_plain_program(void **state)
{
    (void)state;
    for (int64_t k = 0; k < MODELS; k++) {
        struct items items;
        struct trop_fit *fit = model_of(&items, models + k);
        const struct plain p = { fit, &items, fit->value };
        double f[ITEMS * 8], attention[TOKENS];

        trop_fit_network_set(fit->network, fit->value);
        trop_fit_network_read(f, attention, fit->network, &items.sequences, NULL, ITEMS);
        for (int64_t i = 0; i < ITEMS; i++) {
            long double exact[8], sum = 0;
            plain_outputs(exact, &p, i, 0);
            for (int64_t r = 0; r < fit->shape.outputs; r++) {
                assert_near(f[i * fit->shape.outputs + r], (double)exact[r], 1e-14);
            }
            for (int64_t t = items.offsets[i]; t < items.offsets[i + 1]; t++) {
                sum += attention[t];
            }
            assert_near((double)sum, 1, 1e-15 * LONGEST);
        }
        assert_near(learn(fit), (double)plain_loss(&p), 1e-14);
        trop_fit_free(fit);
    }
}

/* Of one head and one output f is the sum of the words' <v, x> by the weights that are told,
 * through every layer. */
static void weights_are_those_of_the_words(void **state)
{
    int64_t found = 0;

    (void)state;
    for (int64_t k = 0; k < MODELS; k++) {
        struct items items;
        struct trop_fit *fit = model_of(&items, models + k);
        const struct plain p = { fit, &items, fit->value };
        double f[ITEMS * 8], attention[TOKENS];

        trop_fit_network_set(fit->network, fit->value);
        trop_fit_network_read(f, attention, fit->network, &items.sequences, NULL, ITEMS);
        for (int64_t i = 0; i < ITEMS && fit->shape.heads <= 1 && fit->shape.outputs == 1; i++) {
            long double sum = fit->shape.bias ? *fit->value[TROP_FIT_LETTER_B] : 0;
            for (int64_t t = items.offsets[i]; t < items.offsets[i + 1]; t++) {
                for (int64_t c = 0; c < fit->shape.d; c++) {
                    sum += attention[t] * token_at(&p, i, t - items.offsets[i], c) *
                           fit->value[TROP_FIT_LETTER_V][c];
                }
            }
            assert_near(f[i], (double)sum, 1e-14);
            found += fit->shape.layers > 0;
        }
        trop_fit_free(fit);
    }
    assert_int_equal(found, 3 * ITEMS);
}

/* Words repeat within items, so that there are ties. */
static void hardmax_layers_are_those_of_a_plain_program(void **state)
{
    (void)state;
    for (int64_t k = 0; k < MODELS; k++) {
        struct items items;
        struct trop_fit *fit = model_of(&items, models + k);
        const struct plain p = { fit, &items, fit->value };
        double f[ITEMS * 8];

        trop_fit_network_set(fit->network, fit->value);
        fit->network->hard = 1;
        trop_fit_network_read(f, NULL, fit->network, &items.sequences, NULL, ITEMS);
        for (int64_t i = 0; i < ITEMS; i++) {
            long double exact[8];
            plain_outputs(exact, &p, i, 1);
            for (int64_t r = 0; r < fit->shape.outputs; r++) {
                assert_near(f[i * fit->shape.outputs + r], (double)exact[r], 1e-14);
            }
        }
        trop_fit_free(fit);
    }
}

/* The gradient of letter k as one tensor. */
static void dense_gradient(double *out, const struct trop_fit *fit, int k)
{
    const struct trop_fit_tensor *t = fit->tensor + k;
    const struct trop_fit_rows *rows =
        k == TROP_FIT_LETTER_E ? &fit->network->words : &fit->network->spots;

    memset(out, 0, (size_t)size_of(t) * sizeof *out);
    if (!t->some) {
        memcpy(out, fit->network->gradient[k], (size_t)size_of(t) * sizeof *out);
        return;
    }
    for (int64_t r = 0; r < rows->count; r++) {
        memcpy(out + rows->row[r] * t->columns, fit->network->gradient[k] + r * t->columns,
               (size_t)t->columns * sizeof *out);
    }
}

/* In long double a central difference at 1e-5 is off by some 1e-10 (third derivatives of these
 * losses are of order 1) and 1e-19 / 1e-5. */
static void gradients_are_central_differences(void **state)
{
    (void)state;
    for (int64_t m = 0; m < MODELS; m++) {
        struct items items;
        struct trop_fit *fit = model_of(&items, models + m);
        const struct plain p = { fit, &items, fit->value };

        learn(fit);
        for (int k = 0; k < TROP_FIT_LETTERS; k++) {
            const struct trop_fit_tensor *t = fit->tensor + k;
            double gradient[512];
            if (!t->name) {
                continue;
            }
            assert_true(size_of(t) <= 512);
            dense_gradient(gradient, fit, k);
            for (int64_t e = 0; e < size_of(t); e++) {
                const double step = 0x1p-17, was = t->values[e];
                t->values[e] = was + step;
                const long double above = plain_loss(&p);
                t->values[e] = was - step;
                const long double below = plain_loss(&p);
                t->values[e] = was;
                assert_near(gradient[e], (double)((above - below) / (2 * step)), 2e-10);
            }
        }
        trop_fit_free(fit);
    }
}

/* ---- bits -------------------------------------------------------------------------------------
 */

static void workers_change_no_bit(void **state)
{
    (void)state;
    for (int64_t m = 0; m < MODELS; m++) {
        struct items items;
        struct trop_fit *one = model_of(&items, models + m);
        struct trop_fit *more = model_of(&items, models + m);

        trop_fit_free(one);
        struct trop_fit_options options = trop_fit_options_default();
        options = more->options;
        options.sequences = &items.sequences;
        trop_fit_free(more);
        for (int64_t threads = 1; threads <= 5; threads += 2) {
            struct trop_fit *fit = NULL;
            static double first[TROP_FIT_LETTERS][512];
            options.trained = options.each = NULL;
            options.train.threads = threads;
            options.train.batch = 7;
            options.epochs = 3;
            assert_int_equal(trop_fit_create(&fit, &options), TROP_OK);
            assert_int_equal(trop_fit_run(fit, NULL, NULL), TROP_OK);
            for (int k = 0; k < TROP_FIT_LETTERS; k++) {
                const size_t bytes = (size_t)size_of(fit->tensor + k) * sizeof(double);
                if (threads == 1 && bytes > 0) {
                    memcpy(first[k], fit->tensor[k].values, bytes);
                } else if (bytes > 0) {
                    assert_memory_equal(first[k], fit->tensor[k].values, bytes);
                }
            }
            trop_fit_free(fit);
        }
    }
}

#define ROWS_MOST 13
#define WIDE_MOST 40

/* Every kernel of this machine against the slowest, by bits, at sizes around groups and lanes. */
static void kernels_change_no_bit(void **state)
{
    double x[ROWS_MOST * WIDE_MOST], s[WIDE_MOST], g[WIDE_MOST], one[ROWS_MOST * WIDE_MOST],
        two[ROWS_MOST * WIDE_MOST];

    (void)state;
    for (int64_t k = 1; trop_kernel_list[k]; k++) {
        if (!trop_kernel_list[k]->available()) {
            continue;
        }
        for (int64_t n = 1; n <= WIDE_MOST; n++) {
            const struct trop_kernel_sequence *q[2] = { trop_kernel_list[0]->sequence,
                                                        trop_kernel_list[k]->sequence };
            const int64_t wide = (n + 7) / 8 * 8;
            double *out[2] = { one, two };
            for (int64_t e = 0; e < ROWS_MOST * WIDE_MOST; e++) {
                x[e] = trop_rng_normal(n == 3 ? 1 : 2, TROP_RNG_TEST, (uint64_t)e, 9) *
                       (n == 3 ? 300 : 1);
            }
            for (int j = 0; j < 2; j++) {
                memcpy(out[j], x, sizeof x);
                q[j]->softmax(out[j], n);
            }
            assert_memory_equal(one, two, (size_t)wide * sizeof *one);
            memcpy(s, one, sizeof s);
            memcpy(g, x + WIDE_MOST, sizeof g);
            for (int j = 0; j < 2; j++) {
                q[j]->coefficients(out[j], s, g, n, 0.3);
            }
            assert_memory_equal(one, two, (size_t)wide * sizeof *one);
            const int64_t list[] = { 3, 0, ROWS_MOST - 1 };
            for (int j = 0; j < 2; j++) {
                q[j]->collect(out[j], x, WIDE_MOST, list, 3, n);
            }
            assert_memory_equal(one, two, (size_t)n * sizeof *one);
            for (int64_t m = 1; m <= ROWS_MOST; m++) {
                for (int j = 0; j < 2; j++) {
                    memcpy(out[j], x, sizeof x);
                    q[j]->spread(out[j], wide, m < 3 ? m : 3, x, x + WIDE_MOST, x + 5,
                                 x + 2 * WIDE_MOST, (int)(m & 1));
                }
                assert_memory_equal(one, two, sizeof one);
                for (int j = 0; j < 2; j++) {
                    memcpy(out[j], x, sizeof x);
                    q[j]->product(
                        &(struct trop_kernel_sequence_product){ .c = out[j],
                                                                .c_stride = WIDE_MOST,
                                                                .a = x,
                                                                .a_row = m & 1 ? 1 : WIDE_MOST,
                                                                .a_column = m & 1 ? WIDE_MOST : 1,
                                                                .b = x,
                                                                .b_stride = WIDE_MOST,
                                                                .m = m,
                                                                .n = wide,
                                                                .inner = ROWS_MOST,
                                                                .add = (int)(m & 2) });
                }
                assert_memory_equal(one, two, sizeof one);
            }
        }
    }
}

/* One token has all the weight but 1e-300: what the other would be moved by is not lost. */
static void saturation_loses_nothing_that_double_has(void **state)
{
    double s[8] = { 0, -690 }, g[8] = { 3, 5 }, k[8];

    (void)state;
    trop_kernel_choose(0)->sequence->softmax(s, 2);
    assert_true(s[0] == 1 && s[1] > 0 && s[1] < 1e-299);
    trop_kernel_choose(0)->sequence->coefficients(k, s, g, 2, 1);
    assert_near(k[1] / s[1], 2, 1e-15);
    assert_near(k[0] / s[1], -2, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_and_losses_are_those_of_a_plain_program),
        cmocka_unit_test(weights_are_those_of_the_words),
        cmocka_unit_test(hardmax_layers_are_those_of_a_plain_program),
        cmocka_unit_test(gradients_are_central_differences),
        cmocka_unit_test(workers_change_no_bit),
        cmocka_unit_test(kernels_change_no_bit),
        cmocka_unit_test(saturation_loses_nothing_that_double_has),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
