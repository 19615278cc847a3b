/* fit_support.h -- small random sequences to learn from, and a network over them. */
#ifndef TROP_TESTS_FIT_SUPPORT_H
#define TROP_TESTS_FIT_SUPPORT_H

#include "learn/fit/fit.h"

#include "base/rng.h"
#include "support.h"

#define ITEMS 24
#define LONGEST 11
#define WORDS 9
#define INPUTS 3
#define TOKENS (ITEMS * LONGEST)

struct items {
    struct trop_sequences sequences;
    int64_t offsets[ITEMS + 1], labels[ITEMS];
    int32_t ids[TOKENS];
    double vectors[TOKENS * INPUTS];
    int64_t lexicon[WORDS];
};

/* Lengths from 1 to LONGEST, the first of them 1; words repeat within an item. */
static inline void items_make(struct items *s, int64_t classes, int vectors, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    for (int64_t i = 0; i < ITEMS; i++) {
        const uint64_t bits = trop_rng_bits(seed, TROP_RNG_TEST, (uint64_t)i, 0);
        const int64_t T = i == 0 ? 1 : 1 + (int64_t)(bits % LONGEST);
        s->offsets[i + 1] = s->offsets[i] + T;
        s->labels[i] = i % classes;
        for (int64_t t = s->offsets[i]; t < s->offsets[i + 1]; t++) {
            const uint64_t word = trop_rng_bits(seed, TROP_RNG_TEST, (uint64_t)t, 1);
            s->ids[t] = (int32_t)(word % WORDS);
            for (int64_t c = 0; c < INPUTS; c++) {
                s->vectors[t * INPUTS + c] =
                    trop_rng_normal(seed, TROP_RNG_TEST, (uint64_t)t, (uint64_t)(2 + c));
            }
        }
    }
    for (int64_t w = 0; w < WORDS; w++) {
        s->lexicon[w] = w % 3 == 0;
    }
    s->sequences = (struct trop_sequences){
        .n = ITEMS,
        .offsets = s->offsets,
        .ids = vectors ? NULL : s->ids,
        .words = vectors ? 0 : WORDS,
        .vectors = vectors ? s->vectors : NULL,
        .width = vectors ? INPUTS : 0,
        .labels = s->labels,
        .classes = classes,
    };
}

/* A fit of the options, pairs as those of trop_fit_create_from. */
static inline struct trop_fit *fit_of(const struct items *s, const char *const *pairs)
{
    struct trop_fit *fit = NULL;

    if (trop_fit_create_from(&fit, &s->sequences, pairs) != TROP_OK) {
        fail_msg("%s", trop_error());
    }
    return fit;
}

static inline int64_t size_of(const struct trop_fit_tensor *t)
{
    return t->rows * t->columns;
}

#endif
