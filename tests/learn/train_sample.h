/* train_sample.h -- random training data. */
#ifndef TROP_TESTS_TRAIN_SAMPLE_H
#define TROP_TESTS_TRAIN_SAMPLE_H

#include "train_support.h"

enum { N = 4, T = 5, D = 6 };

struct sample {
    double x[N * T * D], y[N], z[N * D], v[4 * D];
    struct trop_data data;
};

/* Normal tokens, queries and decoders; labels of both signs. */
static inline void sample_make(struct sample *s, uint64_t seed)
{
    normals(s->x, N * T * D, seed);
    normals(s->z, N * D, seed + 1000);
    normals(s->v, 4 * D, seed + 2000);
    for (int64_t i = 0; i < N; i++) {
        s->y[i] = i % 2 ? 1 : -1;
    }
    s->data = (struct trop_data){ .n = N,
                                  .T = T,
                                  .d = D,
                                  .x = s->x,
                                  .y = s->y,
                                  .labels = 1,
                                  .z = s->z,
                                  .queries = 1,
                                  .v = s->v,
                                  .heads = 1 };
}

static inline int64_t optimizer_of(const char *name)
{
    return place_in(trop_optimizer_names, name);
}

#endif
