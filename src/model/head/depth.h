/* depth.h -- the residual stream at one depth of a model: how far its tokens have come together. */
#ifndef TROP_MODEL_DEPTH_H
#define TROP_MODEL_DEPTH_H

#include "tropism.h"

/* A token is massive when it is longer than this many times the median. */
#define TROP_DEPTH_MASSIVE 10.0

struct trop_depth_scratch;

/* NaN: there is no value, because fewer than two tokens are left. */
struct trop_depth {
    int64_t n, width;
    /* Means of <x_i, x_j> / |x_i| |x_j| over pairs i < j of tokens that are not 0: of the tokens,
     * of the tokens less their mean, and both without the massive ones (which are not in that mean
     * either). */
    double cosine, cosine_centred;
    double cosine_ordinary, cosine_ordinary_centred;
    int64_t massive;       /* tokens left out there */
    double median;         /* of |x_i| */
    double effective_rank; /* e^H, H the entropy of p_k = sigma_k^2 / sum sigma^2; NaN: X = 0 */
    int64_t clusters;      /* single linkage at `tolerance` times the median length */
    int64_t *label;        /* (n) of each token, from 0 in the order of their first tokens */
    struct trop_depth_scratch *scratch;
};

enum trop_status trop_depth_create(struct trop_depth **out, int64_t n, int64_t width);
void trop_depth_free(struct trop_depth *depth);

/* x: (n, width), finite. */
enum trop_status trop_depth_measure(struct trop_depth *depth, const double *x, double tolerance);

#endif
