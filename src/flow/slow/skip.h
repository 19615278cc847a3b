/* skip.h -- the random chain (SA_P) without its waiting: skips that are exact in law. */
#ifndef TROP_FLOW_SKIP_H
#define TROP_FLOW_SKIP_H

#include "tropism.h"

/* What moves: token i picks j with probability softmax_j(beta <B x_i, x_j>) and goes to
 * x_i + gamma (x_j - x_i), all tokens at once and independently. */
struct trop_skip_model {
    int64_t n, d;
    double beta; /* any finite number */
    double gamma;
    const struct trop_matrix *key_query; /* copied */
    uint64_t seed;
    double delta; /* a group of at most this diameter is frozen to one point */
};

struct trop_skip;

/* x (n, d) is copied. Equal tokens are one place from the start, and near ones are frozen. */
enum trop_status trop_skip_create(struct trop_skip **out, const struct trop_skip_model *model,
                                  const double *x);
void trop_skip_free(struct trop_skip *skip);
/* Begins again at x with another seed: for many runs in the same memory. */
void trop_skip_restart(struct trop_skip *skip, const double *x, uint64_t seed);

/* Goes on to the next change, a step at which some token picks a token of another place, over
 * the whole waiting before it; that step is taken too. While tokens relax this is the next step,
 * or nearly. Steps are counted by their natural logarithm, and it does not pass log_most: then
 * the clock stands there and nothing moved; the change stays due at its time, so that how calls
 * are cut changes no bit. One place, or one token: nothing ever happens, and the clock goes to
 * log_most, infinity too. TROP_ERR_NUMERIC when a score beta <B x_i, x_j - x_i> overflows. */
enum trop_status trop_skip_next(struct trop_skip *skip, double log_most);

/* What a chain is beside its tokens, as words: one made with the same model and start that takes
 * both goes on with the same bits. */
#define TROP_SKIP_WORDS 9
void trop_skip_save(int64_t words[TROP_SKIP_WORDS], const struct trop_skip *skip);
void trop_skip_load(struct trop_skip *skip, const double *x, const int64_t words[TROP_SKIP_WORDS]);

const double *trop_skip_tokens(const struct trop_skip *skip); /* (n, d) */
double trop_skip_log_steps(const struct trop_skip *skip);     /* -infinity at the start */
int64_t trop_skip_steps(const struct trop_skip *skip);        /* INT64_MAX when it is more */
int64_t trop_skip_changes(const struct trop_skip *skip);      /* since the start */

/* Groups are linked at distance delta; a displaced token is a group of its own until it joins
 * one. Returns how many; group[i] (n): counted from 0 in the order of their first token. */
int64_t trop_skip_groups(const int64_t **group, const struct trop_skip *skip);
int trop_skip_frozen(const struct trop_skip *skip); /* 1: every group is one point */

/* The last change: tokens that picked a token of another group, ascending, and the first token
 * of the place they went towards. Returns how many; 0 when tokens moved inside groups only. */
int64_t trop_skip_crossed(const int64_t **token, const int64_t **towards,
                          const struct trop_skip *skip);

/* log of the probability of a change in one step of the present state, -infinity when there is
 * none to come; log_token (n, or NULL): that each token picks another place. */
double trop_skip_log_hazard(double *log_token, const struct trop_skip *skip);

/* What freezing has changed of the law of all changes so far, in total variation, at most. */
double trop_skip_distance(const struct trop_skip *skip);

#endif
