/* fit_network_item.c -- one item of fit_network.h: its outputs, and what it leaves for the gradient
 * of its batch. */
#include "learn/fit/fit_network.h"

#include "kernel/kernel_gradient.h"
#include "kernel/kernel_linear.h"
#include "kernel/kernel_sequence.h"

#include <string.h>

/* ---- tokens ---------------------------------------------------------------------------------- */

/* x_t: rows of E or vectors, or vectors times E, plus rows of P. The padding stays 0. */
static void fill(const struct trop_fit_network *n, struct trop_fit_room *room,
                 const struct trop_fit_item *item)
{
    const int64_t d = n->shape.d, inputs = n->shape.inputs;
    const double *e = item->e, *p = n->value[TROP_FIT_LETTER_P];

    for (int64_t t = 0; t < item->T; t++) {
        double *x = room->x + t * n->stride;
        if (item->id || !e) {
            memcpy(x, item->id ? e + item->id[t] * d : item->vectors + t * inputs,
                   (size_t)d * sizeof *x);
        } else {
            n->kernel->linear->gather(x, item->vectors + t * inputs, e, d, inputs, d);
        }
        for (int64_t c = 0; p && c < d; c++) {
            x[c] += p[t * d + c];
        }
    }
}

/* ---- one query ------------------------------------------------------------------------------- */

/* u = W_h z, from the columns of W_h. */
void trop_fit_network_query(double *u, const struct trop_fit_network *n, const double *z, int64_t h)
{
    n->kernel->linear->gather(u, z, n->turned + h * n->shape.d * n->stride, n->stride, n->shape.d,
                              n->stride);
}

/* Weights s and average o of head h. */
static void attend(const struct trop_fit_network *n, struct trop_fit_room *room, int64_t T,
                   const double *u, double *o, int64_t h)
{
    const struct trop_kernel_linear *linear = n->kernel->linear;
    double *s = room->s + h * n->wide;

    linear->dots(s, room->x, n->stride, T, u, n->stride);
    n->kernel->sequence->softmax(s, T);
    linear->gather(o, s, room->x, n->stride, T, n->shape.d);
}

/* dx of head h, or what it is the sum of: s_t w + k_t u. */
static void leave(struct trop_fit_network *n, const struct trop_fit_room *room, int64_t T,
                  int64_t q, int64_t h, const double *u)
{
    const double *s = room->s + h * n->wide;
    const size_t bytes = (size_t)n->stride * sizeof *u;
    double *factor = n->factor + n->at[q] * n->terms + 2 * h;
    double *term = n->term + (q * n->terms + 2 * h) * n->stride;

    if (n->terms == 0) {
        n->kernel->sequence->spread(n->dx + n->at[q] * n->stride, n->stride, T, s, room->w,
                                    u ? room->k : room->zero, u ? u : room->zero, h > 0);
        return;
    }
    memcpy(term, room->w, bytes);
    for (int64_t t = 0; t < T; t++) {
        factor[t * n->terms] = s[t];
    }
    if (u) {
        memcpy(term + n->stride, u, bytes);
        for (int64_t t = 0; t < T; t++) {
            factor[t * n->terms + 1] = room->k[t];
        }
    }
}

/* dx and pull of head h, from w; of first dz too. */
static void attend_back(struct trop_fit_network *n, struct trop_fit_room *room, int64_t T,
                        int64_t q, int64_t h, const double *u)
{
    const struct trop_kernel_linear *linear = n->kernel->linear;
    const struct trop_kernel_sequence *sequence = n->kernel->sequence;
    const double *s = room->s + h * n->wide;
    double *pull = n->pull + (q * n->shape.heads + h) * n->stride;

    linear->dots(room->lead, room->x, n->stride, T, room->w, n->stride);
    sequence->coefficients(room->k, s, room->lead, T, 1);
    linear->gather(pull, room->k, room->x, n->stride, T, n->shape.d);
    leave(n, room, T, q, h, u);
    if (n->shape.query == TROP_FIT_FIRST) { /* the first token is also the query */
        linear->gather(room->lead, pull, n->w + h * n->shape.d * n->stride, n->stride, n->shape.d,
                       n->shape.d);
        linear->grow(n->terms > 0 ? n->dz + q * n->stride : n->dx + n->at[q] * n->stride, 1,
                     room->lead, n->shape.d);
    }
}

/* ---- every token is a query ------------------------------------------------------------------ */

void trop_fit_network_turn(const struct trop_fit_network *n, struct trop_fit_room *room,
                           const double *x, int64_t T)
{
    for (int64_t c = 0; c < n->shape.d; c++) {
        for (int64_t t = 0; t < T; t++) {
            room->turned[c * n->wide + t] = x[t * n->stride + c];
        }
    }
}

/* room->u <- X W_h', a row a query. */
static void queries(const struct trop_fit_network *n, struct trop_fit_room *room, int64_t T,
                    int64_t h)
{
    n->kernel->sequence->product(&(struct trop_kernel_sequence_product){
        .c = room->u,
        .c_stride = n->stride,
        .a = room->x,
        .a_row = n->stride,
        .a_column = 1,
        .b = n->turned + h * n->shape.d * n->stride,
        .b_stride = n->stride,
        .m = T,
        .n = n->stride,
        .inner = n->shape.d,
    });
}

static void attend_each(const struct trop_fit_network *n, struct trop_fit_room *room, int64_t T,
                        double *o, int64_t h)
{
    double *score = room->score + h * n->shape.longest * n->wide, *s = room->s + h * n->wide;

    queries(n, room, T, h);
    n->kernel->sequence->product(&(struct trop_kernel_sequence_product){
        .c = score,
        .c_stride = n->wide,
        .a = room->u,
        .a_row = n->stride,
        .a_column = 1,
        .b = room->turned,
        .b_stride = n->wide,
        .m = T,
        .n = trop_kernel_gradient_width(T),
        .inner = n->shape.d,
    });
    for (int64_t i = 0; i < T; i++) {
        n->kernel->sequence->softmax(score + i * n->wide, T);
        room->lead[i] = 1 / (double)T;
    }
    n->kernel->linear->gather(s, room->lead, score, n->wide, T, trop_kernel_gradient_width(T));
    n->kernel->linear->gather(o, s, room->x, n->stride, T, n->shape.d);
}

/* With k_it the gradient of the logits of query i: du_i = sum_t k_it x_t, dx_t = s_t w + sum_i k_it
 * u_i + W' du_t, dW = sum_i du_i x_i'. */
static void attend_each_back(struct trop_fit_network *n, struct trop_fit_room *room, int64_t T,
                             int64_t h, double *dx, double *part)
{
    const struct trop_kernel_sequence *sequence = n->kernel->sequence;
    const int64_t d = n->shape.d, at = h * d * n->stride;
    double *k = room->score + h * n->shape.longest * n->wide;
    const double *s = room->s + h * n->wide;

    n->kernel->linear->dots(room->lead, room->x, n->stride, T, room->w, n->stride);
    for (int64_t i = 0; i < T; i++) {
        sequence->coefficients(k + i * n->wide, k + i * n->wide, room->lead, T, 1 / (double)T);
    }
    if (n->shape.heads > 1) { /* u of the last head is there */
        queries(n, room, T, h);
    }
    sequence->spread(dx, n->stride, T, s, room->w, room->zero, room->zero, h > 0);
    struct trop_kernel_sequence_product product = {
        .c = room->pulled,
        .c_stride = n->stride,
        .a = k,
        .a_row = n->wide,
        .a_column = 1,
        .b = room->x,
        .b_stride = n->stride,
        .m = T,
        .n = n->stride,
        .inner = T,
    };
    sequence->product(&product); /* du */
    product.c = dx;
    product.a_row = 1;
    product.a_column = n->wide;
    product.b = room->u;
    product.add = 1;
    sequence->product(&product); /* dx += k' u */
    product.a = room->pulled;
    product.a_row = n->stride;
    product.a_column = 1;
    product.b = n->w + at;
    product.inner = d;
    sequence->product(&product); /* dx += du W */
    product.c = part + at;
    product.a_row = 1;
    product.a_column = n->stride;
    product.b = room->x;
    product.m = d;
    product.inner = T;
    sequence->product(&product); /* dW += du' x */
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Without heads: s_t = 1/T. */
static void average(const struct trop_fit_network *n, struct trop_fit_room *room, int64_t T,
                    double *o)
{
    for (int64_t t = 0; t < T; t++) {
        room->s[t] = 1 / (double)T;
    }
    n->kernel->linear->gather(o, room->s, room->x, n->stride, T, n->shape.d);
}

/* The mean weight of each token over the heads, through the layers. */
static void tell(const struct trop_fit_network *n, struct trop_fit_room *room,
                 const struct trop_fit_item *item)
{
    const int64_t heads = n->shape.heads > 0 ? n->shape.heads : 1;

    for (int64_t t = 0; t < item->T; t++) {
        double sum = 0;
        for (int64_t h = 0; h < heads; h++) {
            sum += room->s[h * n->wide + t];
        }
        item->attention[t] = sum / (double)heads;
    }
    trop_fit_network_layers_weights(n, room, item->T, item->attention);
}

static void back(struct trop_fit_network *n, struct trop_fit_room *room,
                 const struct trop_fit_item *item, int64_t q, double *part)
{
    const struct trop_kernel_linear *linear = n->kernel->linear;
    const int64_t d = n->shape.d, heads = n->shape.heads, columns = (heads > 0 ? heads : 1) * d;
    const int64_t outputs = n->shape.outputs;
    const double *slope = n->slope + q * outputs;
    const double *u = n->shape.query == TROP_FIT_PROMPT ? n->u : room->u;

    if (n->terms > 0) {
        memset(n->dz + q * n->stride, 0, (size_t)n->stride * sizeof *n->dz);
    }
    for (int64_t h = 0; h < heads || h == 0; h++) {
        linear->gather(room->w, slope, n->value[TROP_FIT_LETTER_V] + h * d, columns, outputs, d);
        if (heads == 0) {
            leave(n, room, item->T, q, 0, NULL);
        } else if (n->shape.query == TROP_FIT_EACH) {
            attend_each_back(n, room, item->T, h, n->dx + n->at[q] * n->stride, part);
        } else {
            attend_back(n, room, item->T, q, h, u + h * n->stride);
        }
    }
    if (n->shape.layers > 0) {
        n->gained[q] = trop_fit_network_layers_back(n, room, item->T, n->dx + n->at[q] * n->stride);
    }
}

void trop_fit_network_item(struct trop_fit_network *n, struct trop_fit_room *room,
                           const struct trop_fit_item *item, int64_t q, double *part)
{
    const int64_t d = n->shape.d, heads = n->shape.heads, outputs = n->shape.outputs;
    const int64_t columns = (heads > 0 ? heads : 1) * d;
    const int each = n->shape.query == TROP_FIT_EACH;
    double *o = q >= 0 ? n->o + q * columns : room->k; /* k has room for it (fit_network.c) */

    fill(n, room, item);
    trop_fit_network_layers(n, room, item->T);
    const int first = n->shape.query == TROP_FIT_FIRST;
    const double *u = first ? room->u : n->u;
    if (each && heads > 0) {
        trop_fit_network_turn(n, room, room->x, item->T);
    }
    for (int64_t h = 0; h < heads; h++) {
        if (each) {
            attend_each(n, room, item->T, o + h * d, h);
            continue;
        }
        if (first) {
            trop_fit_network_query(room->u + h * n->stride, n, room->x, h);
        }
        attend(n, room, item->T, u + h * n->stride, o + h * d, h);
    }
    if (heads == 0) {
        average(n, room, item->T, o);
    }
    n->kernel->linear->dots(item->outputs, n->value[TROP_FIT_LETTER_V], columns, outputs, o,
                            columns);
    for (int64_t r = 0; r < outputs && n->shape.bias; r++) {
        item->outputs[r] += n->value[TROP_FIT_LETTER_B][r];
    }
    if (item->attention) {
        tell(n, room, item);
    }
    if (q < 0) {
        return;
    }
    double *slope = n->slope + q * outputs;
    n->loss_of[q] = trop_fit_network_loss(slope, n, item->outputs, item->label);
    for (int64_t r = 0; r < outputs; r++) {
        slope[r] *= item->share;
    }
    if (first) {
        memcpy(n->z + q * n->stride, room->x, (size_t)n->stride * sizeof *n->z);
    }
    back(n, room, item, q, part);
}
