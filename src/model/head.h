/* head.h -- one head on one text: what it was given. */
#ifndef TROP_MODEL_HEAD_H
#define TROP_MODEL_HEAD_H

#include "tropism.h"

/* One head on one text: what it was given, in double. Pointers are the caller's. */
struct trop_head_input {
    int64_t n, d;            /* tokens, dimension of q, k, v */
    const double *q, *k, *v; /* (n, d) each; q and k after the rotation, where there is one */
    double scale;            /* of the scores: s_ij = scale <q_i, k_j> */
    int64_t causal;          /* 1: row i sees j <= i */
    int64_t window;          /* > 0: row i sees j > i - window (and, not causal, j < i + window) */
    /* Of a model; NULL and 0 from arrays alone. */
    int64_t width;     /* of the residual stream */
    const double *hat; /* (n, width) x^: output of the norm that feeds the head before its gain */
    const double *wq, *bq; /* (d, width), (d): q_i before the rotation = wq x^_i + bq; gain and norm
                              bias folded */
    const double *wk;      /* (d, width): key of x^_t but for a constant, before the rotation */
    const double *wo;      /* (width, d): what the head's output becomes in the residual stream */
    const double *angle;   /* (n, d / 2) of the rotation of pair p at token i; NULL: none */
    int64_t halves;        /* 1: pair p is (p, p + d/2); 0: (2p, 2p + 1) */
};

#endif
