/* flow_witness.h -- what a proof that neighbour sets last consists of, for proof files. */
#ifndef TROP_FLOW_WITNESS_H
#define TROP_FLOW_WITNESS_H

#include "flow/flow.h"

struct trop_flow_witness {
    int64_t live, step; /* tokens, and the step at which they stood there */
    const double *x;    /* (live, d); the flow's */
    const double *mass; /* (live), the flow's; NULL: all 1 */
    int64_t points;     /* 1: averages are over distinct points, not by mass */
    int64_t groups;     /* closed groups */
    struct trop_quiescence_future later;
    int64_t *class;  /* (live) which class a token is in */
    int64_t *inside; /* (live) 1: it hears itself */
    int64_t *hears;  /* (pairs, 2) an open class, and a class whose closed group it hears */
    int64_t pairs;
    int exact; /* 1: the limits of open classes are their means to the last bit */
};

/* 1 when the proof that the flow found holds for the real numbers that tokens and B stand for, and
 * has the form of docs/proofs.md: no rounded query or limit is in it that could have turned a sign.
 * Cheap, but for tokens that listen to several groups, whose witness is made. */
TROP_API int trop_flow_witness_exists(const struct trop_flow *flow);
/* 1 when B x is exact: B is a power of two times the identity, or 0. */
TROP_API int trop_flow_witness_plain(const struct trop_flow *flow);
/* The same groups as the proof had, found again from its tokens. */
TROP_API enum trop_status trop_flow_witness_create(struct trop_flow_witness **out,
                                                   const struct trop_flow *flow);
TROP_API void trop_flow_witness_free(struct trop_flow_witness *witness);

#endif
