/* lanes_plain.h -- eight numbers side by side, in plain C: fma() is one instruction where
 * the target has it, and a call that gives the same bits where it has not. */
#ifndef TROP_ATTEND_LANES_H
#define TROP_ATTEND_LANES_H

#include <math.h>
#include <stdint.h>

struct lanes {
    double at[8];
};

#define LANES_EACH for (int l = 0; l < 8; l++)

static inline struct lanes lanes_all(double value)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = value;
    }
    return r;
}

static inline struct lanes lanes_load(const double *from)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = from[l];
    }
    return r;
}

static inline void lanes_store(double *to, struct lanes a)
{
    LANES_EACH
    {
        to[l] = a.at[l];
    }
}

static inline struct lanes lanes_add(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] += b.at[l];
    }
    return a;
}

static inline struct lanes lanes_subtract(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] -= b.at[l];
    }
    return a;
}

static inline struct lanes lanes_multiply(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] *= b.at[l];
    }
    return a;
}

/* a b + c, rounded once. */
static inline struct lanes lanes_fma(struct lanes a, struct lanes b, struct lanes c)
{
    LANES_EACH
    {
        c.at[l] = fma(a.at[l], b.at[l], c.at[l]);
    }
    return c;
}

static inline struct lanes lanes_larger(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] = a.at[l] > b.at[l] ? a.at[l] : b.at[l];
    }
    return a;
}

/* Bit l is set where a_l >= b_l. */
static inline unsigned lanes_reach(struct lanes a, struct lanes b)
{
    unsigned mask = 0;
    LANES_EACH
    {
        mask |= (unsigned)(a.at[l] >= b.at[l]) << l;
    }
    return mask;
}

/* The first n lanes, 0 <= n < 8, zeros in the others. */
static inline struct lanes lanes_load_part(const double *from, int64_t n)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = l < n ? from[l] : 0;
    }
    return r;
}

/* Stores the first n lanes, 0 <= n < 8. */
static inline void lanes_store_part(double *to, struct lanes a, int64_t n)
{
    for (int64_t l = 0; l < n; l++) {
        to[l] = a.at[l];
    }
}

/* The lanes added pairwise: trop_kernel_tree. */
static inline double lanes_tree(struct lanes a)
{
    return ((a.at[0] + a.at[4]) + (a.at[2] + a.at[6])) +
           ((a.at[1] + a.at[5]) + (a.at[3] + a.at[7]));
}

#endif
