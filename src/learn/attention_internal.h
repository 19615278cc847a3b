/* attention_internal.h -- what the files of attention.h share. */
#ifndef TROP_LEARN_ATTENTION_INTERNAL_H
#define TROP_LEARN_ATTENTION_INTERNAL_H

#include "attend/kernel.h"
#include "learn/attention.h"

struct trop_attention {
    struct trop_attention_options options;
    const struct trop_head *head;
    const struct trop_loss *loss;
    const struct trop_kernel *kernel; /* whose exponentials are those of base/exp.h */
    struct trop_weights shape;
    int64_t asks, places; /* places of an input: 1, or T of sequence */
    int64_t T, d, dk;
    const double *token; /* (n, T, d) values */
    const double *key;   /* (n, T, dk) */
    const double *query; /* (asks, d); NULL: prompt */
    const double *label; /* (asks) y */
    const double *fixed; /* (asks, T) scores of next-token data: 1 at the label; NULL: none */
    double *memory;      /* of the arrays above that are not the data's own, and of those below */
    double *v;           /* (heads, d) decoder as it is now */
    struct trop_head_parts parts;

    /* Of the last weights. */
    const struct trop_weights *weights; /* the caller's */
    int64_t counted;                    /* asks that count */
    char *counts;                       /* (asks) 1: it does */
    double log_scale;                   /* L, of u */
    double half;                        /* exp(L / 2): exp(L) itself may leave double */
    int64_t *led;   /* (asks) token that leads are relative to, when they last: -1: none */
    int64_t *best;  /* (asks) token m of the largest logit */
    double *u;      /* (dk) of the ask at hand, without its scale */
    double *u_low;  /* (dk) what u + u_low is better by */
    double *gap;    /* (asks, T) (a_m - a_t) without the scale, >= 0 */
    double *low;    /* (asks, T) what gap + low is better by */
    double *s;      /* (asks, T) weights; that of m is not kept. Padded for the kernel */
    double *weight; /* (asks, T) exp(e_qt - M) of the gradient, padded */
    double *log_s;  /* (asks, T) */
    double *lead;   /* (asks, T) y <h'(o), x_t - x_m> */
    double *o;      /* (asks, d) */
    double *f;      /* (asks) y h(o) */
    double *score;  /* (asks, T) y h(x_t) */
    double *less;   /* (asks, T) best score less score_t, where the infimum is known */
    double *rest;   /* (asks) log|l'(f)| + log s_m */
    double *slope;  /* (heads, d) scratch */
    double *inner;  /* (width) scratch */
    double *inner_low;
    double *pull; /* (dk) scratch */
    double *high; /* (2, longest) scratch of split.h */
    int64_t longest;
    double key_shift, query_shift; /* of split.h */
};

/* The logarithm of a size, -exp(L) (gap + low) + rest: differences of two of them are right where
 * exp(L) gap is 1e6, or infinite. */
struct trop_attention_size {
    double gap, low, rest;
};

/* exp(L) gap; 0 stays 0 when the scale is infinite. */
static inline double trop_attention_spread(const struct trop_attention *a, double gap)
{
    return gap == 0 ? 0 : gap * a->half * a->half;
}

/* size less other, as one number. */
static inline double trop_attention_below(const struct trop_attention *a,
                                          const struct trop_attention_size *size,
                                          const struct trop_attention_size *other)
{
    const double more = (size->gap - other->gap) + (size->low - other->low);

    return (size->rest - other->rest) - trop_attention_spread(a, more);
}

/* 1 when token t of ask q pulls nowhere: it is m, or its key is that of m. */
static inline int trop_attention_idle(const struct trop_attention *a, int64_t q, int64_t t)
{
    const double *key = a->key + q / a->places * a->T * a->dk;
    int64_t same = 0;

    while (a->gap[q * a->T + t] == 0 && same < a->dk &&
           key[t * a->dk + same] == key[a->best[q] * a->dk + same]) {
        same++;
    }
    return same == a->dk;
}

/* The gradient of the attention where attention_gradient.c would lose it: pulls of all asks are
 * added to out, and their common size is returned; gap = infinity: all are zero. */
struct trop_attention_size trop_attention_tiny(struct trop_weights *out, struct trop_attention *a);
/* Adds a->pull of ask q to the tensors of the attention. */
void trop_attention_add(struct trop_weights *out, struct trop_attention *a, int64_t q);

/* Tokens that ask q attends to: the first of its input. */
static inline int64_t trop_attention_seen(const struct trop_attention *a, int64_t q)
{
    const int causal = a->places > 1 && a->options.mask == TROP_MASK_CAUSAL;
    return causal ? q % a->places + 1 : a->T;
}

#endif
