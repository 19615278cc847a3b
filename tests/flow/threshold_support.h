/* threshold_support.h -- searches for the least epsilon of consensus and reads the answer. */
#ifndef TROP_TESTS_THRESHOLD_SUPPORT_H
#define TROP_TESTS_THRESHOLD_SUPPORT_H

#include "support.h"

#define MOST 64

static double x[MOST * 4];

static inline double field(const struct trop_threshold *c, const char *name)
{
    double value = NAN;
    assert_ok(trop_threshold_number(&value, c, name));
    return value;
}

static inline int is_null(const struct trop_threshold *c, const char *name)
{
    struct trop_value value;
    assert_ok(trop_threshold_value(&value, c, name));
    return value.kind == TROP_KIND_NULL;
}

/* Options of the cloud x, to the last bit. */
static inline struct trop_threshold_options options_for(int64_t n, int64_t d)
{
    struct trop_threshold_options o = trop_threshold_options_default();
    o.cloud.n = n;
    o.cloud.d = d;
    o.cloud.tokens = x;
    o.width = 0;
    o.threads = 1;
    return o;
}

static inline struct trop_threshold *searched(const struct trop_threshold_options *o)
{
    struct trop_threshold *c = NULL;
    assert_ok(trop_threshold_create(&c, o));
    assert_ok(trop_threshold_run(c, NULL, NULL));
    return c;
}

static inline void fill_uniform(int64_t count, uint64_t seed)
{
    for (int64_t k = 0; k < count; k++) {
        x[k] = 2 * uniform(seed, (uint64_t)k) - 1;
    }
}

#endif
