/* lanes_plain.h -- eight numbers side by side, in plain C: fma() is one instruction where
 * the target has it, and a call that gives the same bits where it has not. */
#ifndef TROP_ATTEND_LANES_H
#define TROP_ATTEND_LANES_H

#include <math.h>

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

/* The first count numbers; 0 in the other lanes. */
static inline struct lanes lanes_load_some(const double *from, int64_t count)
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = l < count ? from[l] : 0;
    }
    return r;
}

static inline void lanes_store_some(double *to, struct lanes a, int64_t count)
{
    for (int l = 0; l < 8 && l < count; l++) {
        to[l] = a.at[l];
    }
}

static inline struct lanes lanes_root(struct lanes a)
{
    LANES_EACH
    {
        a.at[l] = sqrt(a.at[l]);
    }
    return a;
}

/* Lane k is the sum of a[k], by trop_kernel_tree. */
static inline struct lanes lanes_trees(const struct lanes a[8])
{
    struct lanes r;
    LANES_EACH
    {
        r.at[l] = trop_kernel_tree(a[l].at);
    }
    return r;
}

#endif
