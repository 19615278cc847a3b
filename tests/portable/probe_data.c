/* probe_data.c -- data to train on: multiples of 2^-20 by a counter, so that no library has a part
 * in them. */
#include "probe.h"

#include <string.h>

enum { N = 6, T = 5, D = 4, WORDS = 5 };

static double number(uint64_t k)
{
    uint64_t z = (k + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (double)(int64_t)((z ^ z >> 31) >> 43) * 0x1p-20 - 1;
}

static void fill(double *out, int64_t count, uint64_t from)
{
    for (int64_t k = 0; k < count; k++) {
        out[k] = number(from + (uint64_t)k);
    }
}

struct trop_data probe_data(const char *kind)
{
    static double x[N * T * D], y[N * T], z[N * T * D], v[D], vocabulary[WORDS * D];
    static const int64_t ids[N * T] = { 0, 1, 2, 0, 1, 1, 2, 3, 1, 2, 3, 4, 0, 3, 4,
                                        2, 1, 0, 2, 1, 4, 4, 3, 2, 4, 0, 2, 1, 3, 0 };
    static const int64_t next[N] = { 1, 2, 4, 2, 3, 0 };

    fill(x, N * T * D, 0);
    fill(z, N * T * D, 1000);
    fill(v, D, 2000);
    fill(vocabulary, WORDS * D, 3000);
    for (int64_t i = 0; i < N * T; i++) {
        y[i] = number(4000 + (uint64_t)i) < 0 ? -1 : 1;
    }
    struct trop_data data = { .n = N, .T = T, .d = D, .x = x, .y = y, .labels = 1, .v = v };
    if (strcmp(kind, "cross") == 0) {
        data.z = z;
        data.queries = 1;
    } else if (strcmp(kind, "sequence") == 0) {
        data.z = z;
        data.queries = T;
        data.labels = T;
    } else if (strcmp(kind, "graph") == 0) {
        data = (struct trop_data){ .n = N,
                                   .T = T,
                                   .d = D,
                                   .vocabulary = vocabulary,
                                   .words = WORDS,
                                   .ids = ids,
                                   .next = next };
    }
    return data;
}

struct trop_sequences probe_sequences(void)
{
    enum { ITEMS = 12, LENGTH = 4 };
    static int64_t offsets[ITEMS + 1], labels[ITEMS], splits[ITEMS];
    static int32_t ids[ITEMS * LENGTH];
    int64_t count = 0;

    for (int64_t i = 0; i < ITEMS; i++) {
        const int64_t length = 1 + i % LENGTH;
        for (int64_t t = 0; t < length; t++) {
            ids[count++] = (int32_t)((i * i + 3 * t) % 9);
        }
        offsets[i + 1] = count;
        labels[i] = ids[offsets[i]] % 2;
        splits[i] = i < 8 ? TROP_SPLIT_TRAIN : i < 10 ? TROP_SPLIT_VALIDATION : TROP_SPLIT_TEST;
    }
    return (struct trop_sequences){ .n = ITEMS,
                                    .offsets = offsets,
                                    .ids = ids,
                                    .words = 9,
                                    .labels = labels,
                                    .classes = 2,
                                    .splits = splits };
}
