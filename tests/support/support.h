/* support.h -- what the tests of the numbers share. */
#ifndef TROP_TESTS_SUPPORT_H
#define TROP_TESTS_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "tropism.h"

/* A count of random cases: few by default, the issue's own number in `make test-full`. */
static inline int64_t cases(int64_t few, int64_t full)
{
    return getenv("TROP_TEST_FULL") ? full : few;
}

static inline double normal(uint64_t seed, uint64_t i)
{
    return trop_rng_normal(seed, TROP_RNG_TEST, i, 0);
}

static inline double uniform(uint64_t seed, uint64_t i)
{
    return trop_rng_uniform(seed, TROP_RNG_TEST, i, 1);
}

/* A whole number in [0, n). */
static inline int64_t whole(uint64_t seed, uint64_t i, int64_t n)
{
    return (int64_t)(trop_rng_bits(seed, TROP_RNG_TEST, i, 2) % (uint64_t)n);
}

static inline void normals(double *out, int64_t count, uint64_t seed)
{
    for (int64_t k = 0; k < count; k++) {
        out[k] = normal(seed, (uint64_t)k);
    }
}

#define assert_near(a, b, tolerance) \
    do { \
        double near_a = (a), near_b = (b), near_t = (tolerance); \
        if (!(fabs(near_a - near_b) <= near_t)) { \
            fail_msg("%s = %.17g, %s = %.17g: off by %.3g, more than %.3g", #a, near_a, #b, \
                     near_b, fabs(near_a - near_b), near_t); \
        } \
    } while (0)

#define assert_ok(call) \
    do { \
        if ((call) != TROP_OK) { \
            fail_msg("%s: %s", #call, trop_error()); \
        } \
    } while (0)

static inline int64_t rule_index(const char *name)
{
    int64_t k = 0;
    while (strcmp(trop_rule_names()[k], name) != 0) {
        k++;
    }
    return k;
}

/* The options of a flow of the given tokens. */
static inline struct trop_flow_options options_of(const double *tokens, int64_t n, int64_t d,
                                                  const char *rule)
{
    struct trop_flow_options o = trop_flow_options_default();
    o.cloud.tokens = tokens;
    o.cloud.n = n;
    o.cloud.d = d;
    o.rule = rule_index(rule);
    o.threads = 1;
    return o;
}

static inline struct trop_schedule constant(double a)
{
    return (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = a };
}

static inline struct trop_flow *flow_of(const struct trop_flow_options *options)
{
    struct trop_flow *flow = NULL;
    assert_ok(trop_flow_create(&flow, options));
    return flow;
}

static inline double number_of(const struct trop_flow *flow, const char *name)
{
    double value = NAN;
    assert_ok(trop_flow_number(&value, flow, name));
    return value;
}

static inline const char *text_of(const struct trop_flow *flow, const char *name)
{
    struct trop_value value;
    assert_ok(trop_flow_value(&value, flow, name));
    assert_int_equal(value.kind, TROP_KIND_TEXT);
    return value.text;
}

/* Options changed, one run to its end, and the tokens copied out. */
static inline void run_to(double *out, const struct trop_flow_options *options)
{
    struct trop_flow *flow = flow_of(options);
    assert_ok(trop_flow_run(flow, NULL, NULL));
    memcpy(out, trop_flow_tokens(flow),
           (size_t)(options->cloud.n * options->cloud.d) * sizeof *out);
    trop_flow_free(flow);
}

#endif
