/* quiescence_internal.h -- groups of equal neighbour sets, for the files of the certificate. */
#ifndef TROP_SHAPE_QUIESCENCE_INTERNAL_H
#define TROP_SHAPE_QUIESCENCE_INTERNAL_H

#include "shape/quiescence.h"

struct trop_quiescence_scratch {
    int64_t n, d;
    int64_t *order;  /* (n) tokens by the fingerprint of their set */
    int64_t *class;  /* (n) which set a token has */
    int64_t *first;  /* (n) of a class: its first place in order */
    int64_t *size;   /* (n) of a class: its tokens */
    int64_t *core;   /* (n) of a class: its tokens inside their own set */
    int64_t *in;     /* (n) 1 + class of the set last marked, for each token */
    int64_t *inner;  /* (n) 1: the token is in its own set */
    int64_t *closed; /* (n) of a class: 1 when its core is a closed group */
    int64_t *open;   /* (n) of a class: its first token outside a closed group, or n */
    double *share;   /* (n) of a token: its weight in an average */
    double *mean;    /* (n, d) of a class: mean of its core, weighted by share */
    double *weight;  /* (n) of a class: sum of the shares of its core */
    double *limit;   /* (n, d) of a class: where its other tokens go */
    double *query;   /* (d) */
    double q1;       /* least slack of Q1 against epsilon_low so far */
    double q1_slow;  /* the same against the bound of lm-thm-t8 where that serves */
    double q2;       /* least slack of Q2 so far */
};

/* Groups the tokens by their sets and finds every class's limit; returns how many classes
 * there are, 0 when the sets are no union of groups that quiescence.c knows. */
int64_t trop_quiescence_groups(struct trop_quiescence_scratch *scratch, struct trop_attend *attend,
                               const struct trop_attend_note *notes,
                               const struct trop_quiescence_future *future);

/* Marks in[j] for the set of class k, taken anew from its last token (which sees most),
 * and returns its size; the row stays in the attention handle's scratch. */
int64_t trop_quiescence_mark(struct trop_quiescence_scratch *scratch, struct trop_attend *attend,
                             int64_t k);

static inline int trop_quiescence_causal(const struct trop_scene *scene)
{
    return scene->numbers.mask == TROP_MASK_CAUSAL;
}

static inline int trop_quiescence_hardmax(const struct trop_scene *scene)
{
    return scene->numbers.rule->best_only;
}

#endif
