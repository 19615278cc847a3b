/* skip.h -- the random chain (SA_P) without its waiting: skips that are exact in law. */
#ifndef TROP_FLOW_SKIP_H
#define TROP_FLOW_SKIP_H

#include "tropism.h"

/* What moves: token i picks j with probability softmax_j(beta <B x_i, x_j>) and goes to
 * x_i + gamma (x_j - x_i), all tokens at once and independently. */
struct trop_skip_model {
    int64_t n, d;
    double beta, gamma;
    const struct trop_matrix *key_query;
    uint64_t seed;
    double delta; /* a group of at most this diameter is frozen to one point */
};

struct trop_skip;

/* x (n, d) is copied. Bitwise equal tokens are one group from the start. */
enum trop_status trop_skip_create(struct trop_skip **out, const struct trop_skip_model *model,
                                  const double *x);
void trop_skip_free(struct trop_skip *skip);
/* Begins again at x with another seed: for many runs in the same memory. */
void trop_skip_restart(struct trop_skip *skip, const double *x, uint64_t seed);

/* Goes on to the next change: one step while some group is not one point, otherwise over the
 * whole waiting to the step at which some token crosses, taken too. Steps are counted by their
 * natural logarithm; it does not pass log_most: then the clock stands there and nothing moved
 * (the chain forgets its waiting, so going on later is exact too). */
enum trop_status trop_skip_next(struct trop_skip *skip, double log_most);

const double *trop_skip_tokens(const struct trop_skip *skip); /* (n, d) */
double trop_skip_log_steps(const struct trop_skip *skip);     /* -infinity at the start */
int64_t trop_skip_steps(const struct trop_skip *skip);        /* INT64_MAX when it is more */
int trop_skip_frozen(const struct trop_skip *skip);           /* 1: every group is one point */
/* The last change: tokens that crossed to another group, ascending, and which token's place
 * each went towards; returns how many, 0 after a step of relaxing without crossing. */
int64_t trop_skip_crossed(const int64_t **token, const int64_t **towards,
                          const struct trop_skip *skip);
/* log of the probability that some token crosses in one step of the present frozen state, and
 * of log_token[i] (n, or NULL) for each. */
double trop_skip_log_hazard(double *log_token, const struct trop_skip *skip);
/* What freezing has changed of the law so far, in total variation, at most. */
double trop_skip_distance(const struct trop_skip *skip);

#endif
