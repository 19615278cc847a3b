/* attention_support.h -- data and models for the tests of src/learn/attention. */
#ifndef TROP_TESTS_ATTENTION_SUPPORT_H
#define TROP_TESTS_ATTENTION_SUPPORT_H

#include "learn/attention/attention.h"
#include "support.h"

#define N_MAX 6
#define T_MAX 8
#define D_MAX 10
#define WORDS 5

/* Training data with room for all of their arrays. */
struct sample {
    struct trop_data data;
    double x[N_MAX * T_MAX * D_MAX], k[N_MAX * T_MAX * D_MAX], z[N_MAX * T_MAX * D_MAX];
    double y[N_MAX * T_MAX], v[3 * D_MAX], vocabulary[WORDS * D_MAX];
    int64_t ids[N_MAX * T_MAX], next[N_MAX];
};

/* What a sample has: sizes of 0 are absent. */
struct wish {
    int64_t n, T, d, dk, queries, labels, heads, words;
};

static inline void sample_make(struct sample *s, const struct wish *w, uint64_t seed)
{
    normals(s->x, w->n * w->T * w->d, seed);
    normals(s->k, w->n * w->T * w->dk, seed + 1);
    normals(s->z, w->n * w->queries * w->d, seed + 2);
    normals(s->v, w->heads * w->d, seed + 3);
    normals(s->vocabulary, w->words * w->d, seed + 4);
    for (int64_t k = 0; k < w->n * w->labels; k++) {
        s->y[k] = k % 3 == 1 ? -1 : 1;
    }
    for (int64_t i = 0; i < w->n; i++) {
        for (int64_t t = 0; t < w->T; t++) {
            s->ids[i * w->T + t] =
                w->words ? whole(seed + 5, (uint64_t)(i * w->T + t), w->words) : 0;
        }
        s->next[i] = s->ids[i * w->T + whole(seed + 6, (uint64_t)i, w->T)];
    }
    s->data = (struct trop_data){
        .n = w->n,
        .T = w->T,
        .d = w->d,
        .x = w->words ? NULL : s->x,
        .y = w->labels ? s->y : NULL,
        .labels = w->labels,
        .z = w->queries ? s->z : NULL,
        .queries = w->queries,
        .v = w->heads ? s->v : NULL,
        .heads = w->heads,
        .k = w->dk ? s->k : NULL,
        .dk = w->dk,
        .vocabulary = w->words ? s->vocabulary : NULL,
        .words = w->words,
        .ids = w->words ? s->ids : NULL,
        .next = w->words ? s->next : NULL,
    };
}

enum { LINEAR, RELU, QUADRATIC, HEADS };
enum { LOGISTIC, EXPONENTIAL, CORRELATION, LOG, LOSSES };

static inline struct trop_attention_options options_for(int64_t model, int64_t head, int64_t loss)
{
    return (struct trop_attention_options){ .model = model,
                                            .mask = TROP_MASK_FULL,
                                            .row = 1,
                                            .width = 2,
                                            .head = head,
                                            .lambda = 0.3,
                                            .loss = loss,
                                            .threads = 1 };
}

/* A model with weights and a gradient of its shape. */
struct trained {
    struct trop_attention *attention;
    struct trop_weights weights, gradient;
};

static inline void trained_make(struct trained *out, const struct trop_data *data,
                                const struct trop_attention_options *options)
{
    *out = (struct trained){ 0 };
    assert_ok(trop_attention_create(&out->attention, data, options));
    assert_ok(trop_weights_create(&out->weights, trop_attention_shape(out->attention)));
    assert_ok(trop_weights_create(&out->gradient, trop_attention_shape(out->attention)));
}

static inline void trained_free(struct trained *t)
{
    trop_attention_free(t->attention);
    trop_weights_free(&t->weights);
    trop_weights_free(&t->gradient);
}

static inline int64_t size_of(const struct trop_tensor *tensor)
{
    return tensor->rows * tensor->columns;
}

/* Every tensor drawn, its largest entry of the order of size. */
static inline void draw_weights(struct trop_weights *weights, double size, uint64_t seed)
{
    for (int64_t k = 0; k < weights->count; k++) {
        normals(weights->tensor[k].values, size_of(weights->tensor + k), seed + (uint64_t)k);
        for (int64_t e = 0; e < size_of(weights->tensor + k); e++) {
            weights->tensor[k].values[e] *= size;
        }
    }
}

#endif
