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

static inline struct lanes lanes_divide(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] /= b.at[l];
    }
    return a;
}

static inline struct lanes lanes_root(struct lanes a)
{
    LANES_EACH
    {
        a.at[l] = sqrt(a.at[l]);
    }
    return a;
}

/* a where a < b, else b. */
static inline struct lanes lanes_smaller(struct lanes a, struct lanes b)
{
    LANES_EACH
    {
        a.at[l] = a.at[l] < b.at[l] ? a.at[l] : b.at[l];
    }
    return a;
}

static inline struct lanes lanes_magnitude(struct lanes a)
{
    LANES_EACH
    {
        a.at[l] = fabs(a.at[l]);
    }
    return a;
}

/* yes where a > b, else no. */
static inline struct lanes lanes_if_above(struct lanes a, struct lanes b, struct lanes yes,
                                          struct lanes no)
{
    LANES_EACH
    {
        yes.at[l] = a.at[l] > b.at[l] ? yes.at[l] : no.at[l];
    }
    return yes;
}

/* a 2^k where shifted is 1.5 * 2^52 + k: k is added to the exponent. */
static inline struct lanes lanes_raise(struct lanes a, struct lanes shifted)
{
    LANES_EACH
    {
        union {
            double value;
            uint64_t bits;
        } u = { .value = a.at[l] }, k = { .value = shifted.at[l] };
        u.bits += k.bits << 52;
        a.at[l] = u.value;
    }
    return a;
}

#endif
