/* attention_internal.h -- what the files of attention.h share. */
#ifndef TROP_LEARN_ATTENTION_INTERNAL_H
#define TROP_LEARN_ATTENTION_INTERNAL_H

#include "kernel/kernel_gradient.h"
#include "learn/attention/attention.h"

#define TROP_ATTENTION_BLOCK 8 /* asks that are worked on together */

/* Room of one worker, for the asks of a block. */
struct trop_attention_work {
    double *u;     /* (block, along) without its scale */
    double *u_low; /* (block, along) what u + u_low is better by */
    struct trop_kernel_gradient_split x[TROP_ATTENTION_BLOCK]; /* u, or K's part, in two */
    double *inner;                                             /* (width) Q'z */
    double *inner_low;
    double *slope; /* (heads, d) */
};

/* Rows of T numbers are stride apart, a multiple of 8; past the tokens that an ask sees gap, low,
 * lead, s and weight are 0. */
struct trop_attention {
    struct trop_attention_options options;
    const struct trop_head *head;
    const struct trop_loss *loss;
    const struct trop_kernel *kernel; /* whose exponentials are those of base/math/exp.h */
    struct trop_weights shape;
    int64_t asks, places; /* places of an input: 1, or T of sequence */
    int64_t T, d, dk;
    int64_t stride, across, along; /* T, d and dk rounded up to a multiple of 8 */
    int64_t workers;               /* for this size */
    const double *token;           /* (n, T, d) values */
    const double *key;             /* (n, T, dk) */
    const double *query;           /* (asks, d); NULL: prompt */
    struct trop_kernel_gradient_split parts_of_query; /* (asks, across) */
    const double *label;                              /* (asks) y */
    const double *fixed; /* (asks, T) scores of next-token data: 1 at the label; NULL: none */
    double *memory;      /* of the arrays above that are not the data's own, and of those below */
    struct trop_attention_work *work; /* (workers) */
    double *v;                        /* (heads, d) decoder as it is now */
    struct trop_head_parts parts;

    /* Of the last weights. */
    const struct trop_weights *weights; /* the caller's */
    int64_t counted;                    /* asks that count */
    double log_counted;
    char *counts;      /* (asks) 1: it does */
    double log_scale;  /* L, of u */
    double half;       /* exp(L / 2): exp(L) itself may leave double */
    double shift;      /* of split.h, of W or K */
    int logs;          /* 1: log_s is made */
    int pulled;        /* 1: pull is made */
    int64_t *led;      /* (asks) token that leads are relative to, when they last: -1: none */
    int64_t *best;     /* (asks) token m of the largest logit */
    int64_t *next;     /* (asks) token of the largest coefficient but for its lead; -1: none */
    double *gap;       /* (asks, stride) (a_m - a_t) without the scale, >= 0 */
    double *low;       /* (asks, stride) what gap + low is better by */
    double *s;         /* (asks, stride) weights; that of m is 0 here */
    double *weight;    /* (asks, stride) coefficients of the gradient */
    double *log_s;     /* (asks, stride) */
    double *lead;      /* (asks, stride) y <h'(o), x_t - x_m> */
    double *score;     /* (asks, stride) y h(x_t) */
    double *value;     /* (asks, stride) v'x_t, linear and not trained */
    double *value_low; /* (asks, stride) what value + value_low is better by */
    double *less;      /* (asks, stride) best score less score_t, where the infimum is known */
    double *o;         /* (asks, d) */
    double *pull;      /* (asks, along) sum of coefficients times keys */
    double *sum;       /* (asks) sum of s_t / s_m over t != m */
    double *size;      /* (asks) largest sum of |v_c x_tc| */
    double *mean;      /* (asks) sum of s_t lead_t */
    double *f;         /* (asks) y h(o) */
    double *slope;     /* (asks) |l'(f)| = slope exp(rest), slope in [1/2, 1] */
    double *rest;      /* (asks) */
    double *reach;     /* (asks) largest coefficient */
    double *scale;     /* (asks) of the pulls, in the gradient */
    int64_t longest;
    double key_shift; /* of split.h */
};

/* The logarithm of a size, -exp(L) (gap + low) + rest: differences of two of them are right where
 * exp(L) gap is 1e6, or infinite. */
struct trop_attention_size {
    double gap, low, rest;
};

/* (T, dk) keys that ask q attends to. */
static inline const double *trop_attention_key(const struct trop_attention *a, int64_t q)
{
    return a->key + q / a->places * a->T * a->dk;
}

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

/* 1: ask q can move the weights: it is counted, and its query is not 0. A query of 0 has attention
 * that never saturates, and a gradient of 0: its size is none. */
static inline int trop_attention_pulls(const struct trop_attention *a, int64_t q)
{
    int64_t c = 0;

    while (a->query && c < a->d && a->query[q * a->d + c] == 0) {
        c++;
    }
    return a->counts[q] && (!a->query || c < a->d);
}

/* 1 when token t of ask q pulls nowhere: it is m, or its key is that of m. */
static inline int trop_attention_idle(const struct trop_attention *a, int64_t q, int64_t t)
{
    const double *key = trop_attention_key(a, q);
    int64_t same = 0;

    while (a->gap[q * a->stride + t] == 0 && same < a->dk &&
           key[t * a->dk + same] == key[a->best[q] * a->dk + same]) {
        same++;
    }
    return same == a->dk;
}

/* The gradient of the attention where attention_gradient.c would lose it: pulls of all asks are
 * added to out, and their common size is returned; gap = infinity: all are zero. */
struct trop_attention_size trop_attention_tiny(struct trop_weights *out, struct trop_attention *a);
/* Adds the pull of ask q to the tensors of the attention. */
void trop_attention_add(struct trop_weights *out, struct trop_attention *a, int64_t q);
/* Scores and leads of ask q, and o where it is needed. */
void trop_attention_values(struct trop_attention *a, struct trop_attention_work *w, int64_t q);
/* Pulls of asks first to last - 1, first a multiple of 8. */
void trop_attention_pull(struct trop_attention *a, int64_t first, int64_t last);
/* Makes log_s where it is not made. */
void trop_attention_logs(struct trop_attention *a);

/* Tokens that ask q attends to: the first of its input. */
static inline int64_t trop_attention_seen(const struct trop_attention *a, int64_t q)
{
    const int causal = a->places > 1 && a->options.mask == TROP_MASK_CAUSAL;
    return causal ? q % a->places + 1 : a->T;
}

#endif
