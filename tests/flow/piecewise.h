/* piecewise.h -- what the tests of the hardmax ODE share. */
#ifndef TROP_TESTS_PIECEWISE_H
#define TROP_TESTS_PIECEWISE_H

#include "tropism.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "flow/flow.h"

#define E 2.718281828459045235

static inline struct trop_flow_options hardmax(int64_t n, int64_t d, const double *tokens,
                                               double time)
{
    struct trop_flow_options o = trop_flow_options_default();

    while (strcmp(trop_rule_names()[o.rule], "hardmax") != 0) {
        o.rule++;
    }
    o.cloud.n = n;
    o.cloud.d = d;
    o.cloud.tokens = tokens;
    o.dynamics = TROP_DYNAMICS_ODE;
    o.time = time;
    o.threads = 1;
    return o;
}

/* Runs to the end. */
static inline struct trop_flow *run(const struct trop_flow_options *o)
{
    struct trop_flow *flow = NULL;

    assert_int_equal(trop_flow_create(&flow, o), TROP_OK);
    assert_int_equal(trop_flow_run(flow, NULL, NULL), TROP_OK);
    return flow;
}

static inline void draw(double *x, int64_t count, uint64_t cloud)
{
    for (int64_t k = 0; k < count; k++) {
        x[k] = trop_rng_normal(11, TROP_RNG_TEST, cloud, (uint64_t)k);
    }
}

static inline double distance(const double *a, const double *b, int64_t count)
{
    double worst = 0;
    for (int64_t k = 0; k < count; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
    }
    return worst;
}

/* The layer map with step gamma at time -k log(1 - gamma). */
static inline void layers(double *out, const double *x, int64_t n, int64_t d, const double *b,
                          double time, int64_t steps, int64_t mask)
{
    struct trop_flow_options o = hardmax(n, d, x, 0);

    o.dynamics = TROP_DYNAMICS_LAYER;
    o.gamma = (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT,
                                      .a = -expm1(-time / (double)steps) };
    o.steps = (struct trop_count){ .value = steps, .log10 = log10((double)steps) };
    o.cloud.key_query.values = b;
    o.mask = mask;
    struct trop_flow *flow = run(&o);
    memcpy(out, trop_flow_tokens(flow), (size_t)(n * d) * sizeof *out);
    trop_flow_free(flow);
}

/* B = I. x0 = (-2, 8) leads itself; x1 = x0 + p, p = (1, 0), follows it, since
 * <x1, x0 - x1> = 1 > 0. x2 = x0 + q follows x1 while <x2, p> > 0. A chain:
 *   x1 = x0 + e^-t p,   x2 = x0 + e^-t (q + t p),   <x2, p> = -2 + e^-t (q_1 + t).
 * With q_1 = 2e - 1 that vanishes at t = 1, and falls: x2 changes to x0 there. */
static const double chain[] = { -2, 8, -1, 8, 2 * E - 3, 4 };

#endif
