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

/* Eight whole numbers side by side, modulo 2^64. */
struct wholes {
    uint64_t at[8];
};

static inline struct wholes wholes_load(const uint64_t *from)
{
    struct wholes r;
    LANES_EACH
    {
        r.at[l] = from[l];
    }
    return r;
}

static inline void wholes_store(uint64_t *to, struct wholes a)
{
    LANES_EACH
    {
        to[l] = a.at[l];
    }
}

/* a_l + b_l where bit l of mask is set, a_l elsewhere. */
static inline struct wholes wholes_add(struct wholes a, struct wholes b, unsigned mask)
{
    LANES_EACH
    {
        a.at[l] += b.at[l] & (0 - (uint64_t)(mask >> l & 1));
    }
    return a;
}

#endif
