/* slow_support.h -- what the tests of slow times share: the driver, and the plain map. */
#ifndef TROP_TESTS_SLOW_SUPPORT_H
#define TROP_TESTS_SLOW_SUPPORT_H

#include "support.h"

#include "flow/slow/slow.h"

#define SLOW_TOKENS 64
#define SLOW_PI 3.14159265358979323846264338327950288L

static inline struct trop_slow_options slow_options(const double *x, int64_t n, int64_t d,
                                                    double beta)
{
    static const struct trop_matrix identity = { 1, NULL };
    return (struct trop_slow_options){
        .x = x,
        .model = { .n = n, .d = d, .beta = beta, .gamma = 0.1, .key_query = &identity },
        .tolerance = 1e-5,
        .merge = 1e-6
    };
}

static inline struct trop_slow *slow_of(const struct trop_slow_options *o)
{
    struct trop_slow *slow = NULL;
    assert_ok(trop_slow_create(&slow, o));
    return slow;
}

/* Moves until the clock is there, the event happens (or NULL), nothing moves, or one is left.
 * Returns how many moves that took. */
static inline int64_t slow_run(struct trop_slow *slow, double log_most,
                               struct trop_slow_event *event)
{
    int64_t moves = 0;
    while (!trop_slow_is_over(slow, log_most) && !slow->resting && slow->live > 1 &&
           !(event && event->happened)) {
        assert_ok(trop_slow_move(slow, log_most, event));
        assert_true(++moves < 1000000); /* it must not stall */
    }
    return moves;
}

/* step (n, d): one step's displacement of the map at x (n, d), as it is defined. */
static inline void plain_step(long double *step, const long double *x, const double *mass,
                              int64_t n, int64_t d, double beta, double gamma)
{
    for (int64_t i = 0; i < n; i++) {
        long double a[SLOW_TOKENS], sum = 0;
        for (int64_t j = 0; j < n; j++) {
            long double s = 0;
            for (int64_t c = 0; c < d; c++) {
                s += x[i * d + c] * (x[j * d + c] - x[i * d + c]);
            }
            a[j] = (mass ? mass[j] : 1) * expl(beta * s);
            sum += a[j];
        }
        for (int64_t c = 0; c < d; c++) {
            long double pull = 0;
            for (int64_t j = 0; j < n; j++) {
                pull += a[j] * (x[j * d + c] - x[i * d + c]);
            }
            step[i * d + c] = gamma * pull / sum;
        }
    }
}

#endif
