/* attention.h -- models of attention that are trained: outputs, loss, gradient.
 *
 *   u = p (prompt), W z (cross, self, sequence), K Q'z (kq): a vector in the space of keys;
 *   a_t = <key_t, u>, s = softmax(a), o = sum_t s_t x_t, f = y h(o), L = mean of l(f).
 *
 * An ask is one softmax: an input, or a place of an input (sequence). */
#ifndef TROP_LEARN_ATTENTION_H
#define TROP_LEARN_ATTENTION_H

#include "learn/attention/head.h"
#include "learn/attention/loss.h"
#include "learn/weights.h"
#include "tropism.h"

struct trop_attention;

struct trop_attention_options {
    int64_t model; /* enum trop_train_model */
    int64_t mask;  /* enum trop_mask, of sequence */
    int64_t row;   /* of self: the token that is the query */
    int64_t width; /* columns of K and Q */
    int64_t head;  /* enum trop_train_head */
    double lambda; /* of the quadratic head */
    int64_t loss;  /* enum trop_train_loss */
    int64_t threads;
};

/* data is checked (margin/model/data.h) and stays the caller's, valid until trop_attention_free. */
enum trop_status trop_attention_create(struct trop_attention **out, const struct trop_data *data,
                                       const struct trop_attention_options *options);
void trop_attention_free(struct trop_attention *attention);

/* Names and shapes of the parameters, without values. */
const struct trop_weights *trop_attention_shape(const struct trop_attention *attention);
int64_t trop_attention_asks(const struct trop_attention *attention);

/* Forward pass: everything below is about the weights of the last call, which stay the caller's and
 * as they are. list: which inputs count (a mini-batch), each once; NULL: all. The mean is over the
 * asks of the list, and what is told of other asks means nothing. */
void trop_attention_set(struct trop_attention *attention, const struct trop_weights *weights,
                        const int64_t *list, int64_t count);
double trop_attention_loss(struct trop_attention *attention);
/* log(L - L*) without cancellation, L* = mean of l(best score) (linear head): -infinity when the
 * gap is 0, NaN when L* is not known. */
double trop_attention_log_gap(struct trop_attention *attention);
double trop_attention_infimum(const struct trop_attention *attention); /* L*, or NaN */
/* The least lead of a best token over another, without the scale exp(log_scale) of the weights: the
 * margin of the selection that is made; infinity when nothing competes. */
double trop_attention_margin(const struct trop_attention *attention);
/* Of ask q: the token of the largest weight, and log s_t for t = 0 .. T - 1 (masked: -infinity). */
int64_t trop_attention_best(const struct trop_attention *attention, int64_t q);
const double *trop_attention_log_weights(struct trop_attention *attention, int64_t q);
/* Scores y h(x_t) of ask q: (T). They depend on the weights when v is trained. */
const double *trop_attention_scores(const struct trop_attention *attention, int64_t q);

/* The gradient of L in the parameters exp(log_scale) values, a tensor for each. Stable: centred at
 * the largest token, in the log domain, each tensor with its own exponent factored out; exact to
 * rounding at any norm (attention_gradient.c says how exact). A gradient that is zero has
 * log_scale -infinity. */
void trop_attention_gradient(struct trop_weights *out, struct trop_attention *attention);
/* trop_attention_set and trop_attention_gradient in one pass over the data. */
void trop_attention_learn(struct trop_weights *out, struct trop_attention *attention,
                          const struct trop_weights *weights, const int64_t *list, int64_t count);
/* As a straightforward program computes it, in double, log_scale = 0. order 0: tokens ascending, 1:
 * descending: the two differ once 1 - s is below rounding. */
void trop_attention_naive(struct trop_weights *out, struct trop_attention *attention,
                          int64_t order);

#endif
