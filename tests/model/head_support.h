/* head_support.h -- heads for the tests of their measurements. */
#ifndef TROP_TESTS_HEAD_SUPPORT_H
#define TROP_TESTS_HEAD_SUPPORT_H

#include "model/head/head.h"
#include "support.h"

#define HEAD_N 64
#define HEAD_D 16
#define HEAD_WIDTH 24

/* A head of random numbers, with a model around it. */
struct sample {
    double q[HEAD_N * HEAD_D], k[HEAD_N * HEAD_D], v[HEAD_N * HEAD_D];
    double hat[HEAD_N * HEAD_WIDTH], wq[HEAD_D * HEAD_WIDTH], bq[HEAD_D];
    double wo[HEAD_WIDTH * HEAD_D], angle[HEAD_N * HEAD_D / 2];
    struct trop_head_input input;
};

/* x turned by the angles of token i (sign 1) or back (-1), as the input says; in long double. */
static inline void turn(long double *x, const struct trop_head_input *in, int64_t i, int sign)
{
    for (int64_t p = 0; in->angle && p < in->d / 2; p++) {
        const int64_t a = in->halves ? p : 2 * p, b = in->halves ? p + in->d / 2 : 2 * p + 1;
        const long double c = cosl(in->angle[i * in->d / 2 + p]);
        const long double s = sign * sinl(in->angle[i * in->d / 2 + p]);
        const long double u = x[a], v = x[b];
        x[a] = c * u - s * v;
        x[b] = s * u + c * v;
    }
}

/* q_i = R_i (W_Q x + b). */
static inline void query_of(double *q, const struct trop_head_input *in, int64_t i,
                            const double *hat)
{
    long double x[HEAD_D];
    for (int64_t a = 0; a < in->d; a++) {
        x[a] = in->bq[a];
        for (int64_t c = 0; c < in->width; c++) {
            x[a] += (long double)in->wq[a * in->width + c] * hat[c];
        }
    }
    turn(x, in, i, 1);
    for (int64_t a = 0; a < in->d; a++) {
        q[a] = (double)x[a];
    }
}

static inline void sample_make(struct sample *s, int64_t n, int64_t d, int rotated, uint64_t seed)
{
    normals(s->k, n * d, seed);
    normals(s->v, n * d, seed + 1);
    normals(s->hat, n * HEAD_WIDTH, seed + 2);
    normals(s->wq, d * HEAD_WIDTH, seed + 3);
    normals(s->bq, d, seed + 4);
    normals(s->wo, d * HEAD_WIDTH, seed + 5);
    for (int64_t i = 0; i < n * d / 2; i++) {
        s->angle[i] = (double)(i / (d / 2 > 0 ? d / 2 : 1)) / (1.0 + (double)(i % (d / 2)));
    }
    s->input = (struct trop_head_input){
        .n = n,
        .d = d,
        .q = s->q,
        .k = s->k,
        .v = s->v,
        .scale = 1 / sqrt((double)d),
        .width = HEAD_WIDTH,
        .hat = s->hat,
        .wq = s->wq,
        .bq = s->bq,
        .wo = s->wo,
        .angle = rotated ? s->angle : NULL,
        .halves = seed % 2,
    };
    for (int64_t i = 0; i < n; i++) {
        query_of(s->q + i * d, &s->input, i, s->hat + i * HEAD_WIDTH);
    }
}

/* A head of arrays alone. */
static inline struct trop_head_input arrays(const double *q, const double *k, const double *v,
                                            int64_t n, int64_t d)
{
    return (struct trop_head_input){ .n = n, .d = d, .q = q, .k = k, .v = v, .scale = 1 };
}

static inline struct trop_head_result *measured(const struct trop_head_input *in, int64_t which)
{
    struct trop_head_result *head = NULL;
    assert_ok(trop_head_create(&head, in->n, in->d, in->width, which));
    assert_ok(trop_head_measure(head, in));
    return head;
}

static inline int is_seen(const struct trop_head_input *in, int64_t i, int64_t t)
{
    return !(in->causal && t > i) &&
           !(in->window > 0 && (t <= i - in->window || t >= i + in->window));
}

static inline long double dot_of(const double *a, const double *b, int64_t d)
{
    long double sum = 0;
    for (int64_t c = 0; c < d; c++) {
        sum += (long double)a[c] * b[c];
    }
    return sum;
}

static inline long double score_of(const struct trop_head_input *in, int64_t i, int64_t t)
{
    return in->scale * dot_of(in->q + i * in->d, in->k + t * in->d, in->d);
}

/* The largest score of a query among the keys that row i sees. */
static inline int64_t best_of(const struct trop_head_input *in, int64_t i, const double *q)
{
    int64_t best = -1;
    for (int64_t t = 0; t < in->n; t++) {
        if (is_seen(in, i, t) && (best < 0 || dot_of(q, in->k + t * in->d, in->d) >
                                                  dot_of(q, in->k + best * in->d, in->d))) {
            best = t;
        }
    }
    return best;
}

#endif
