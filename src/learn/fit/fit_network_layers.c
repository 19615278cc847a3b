/* fit_network_layers.c -- layers in which the tokens of an item attend to each other (Alcalde,
 * Fantuzzi and Zuazua 2024), before the attention that classifies.
 *
 * All of them are alike and share one trained number a, g = a / (1 + a):
 *
 *   S = softmax by rows of beta X X',   Y = S X - X,   X <- X + g Y
 *
 * With hardmax in the place of softmax S_i is uniform over the j of the largest <x_i, x_j>; copies
 * of a word are one point and tie to the last bit, since every product is one chain of fma.
 *
 * Backwards, D the gradient at a layer's end:
 *
 *   dg = sum D Y,   K = gradient of the logits from g D X' (kernel coefficients),
 *   dX = (1 - g) D + S' (g D) + beta (K + K') X
 *
 * A layer is linear in X once S is fixed, so weights s of the tokens at its end are weights
 * (1 - g) s + g S' s of those at its start: sums that the attention of all layers together makes of
 * the words are told exactly, and their total stays 1.
 */
#include "learn/fit/fit_network.h"

#include "kernel/kernel_gradient.h"
#include "kernel/kernel_linear.h"
#include "kernel/kernel_sequence.h"

#include <math.h>
#include <string.h>

/* What layer l left. */
static double *stage_of(const struct trop_fit_network *n, const struct trop_fit_room *room,
                        int64_t l)
{
    return room->stage + l * n->shape.longest * n->stride;
}

static double *drift_of(const struct trop_fit_network *n, const struct trop_fit_room *room,
                        int64_t l)
{
    return room->drift + l * n->shape.longest * n->stride;
}

static double *link_of(const struct trop_fit_network *n, const struct trop_fit_room *room,
                       int64_t l)
{
    return room->link + l * n->shape.longest * n->wide;
}

/* to <- by X, over the tokens. */
static void scale(double *to, double by, const double *x, int64_t count)
{
    for (int64_t e = 0; e < count; e++) {
        to[e] = by * x[e];
    }
}

/* c <- a X', a row a query: a (T, stride), X in turned. */
static void pairs(double *c, const struct trop_fit_network *n, const struct trop_fit_room *room,
                  const double *a, int64_t T)
{
    n->kernel->sequence->product(&(struct trop_kernel_sequence_product){
        .c = c,
        .c_stride = n->wide,
        .a = a,
        .a_row = n->stride,
        .a_column = 1,
        .b = room->turned,
        .b_stride = n->wide,
        .m = T,
        .n = trop_kernel_gradient_width(T),
        .inner = n->shape.d,
    });
}

/* y <- M x, or y + M' x: M (T, wide), x and y (T, stride). */
static void spread(double *y, const struct trop_fit_network *n, const double *m, int turned,
                   const double *x, int64_t T, int add)
{
    n->kernel->sequence->product(&(struct trop_kernel_sequence_product){
        .c = y,
        .c_stride = n->stride,
        .a = m,
        .a_row = turned ? 1 : n->wide,
        .a_column = turned ? n->wide : 1,
        .b = x,
        .b_stride = n->stride,
        .m = T,
        .n = n->stride,
        .inner = T,
        .add = add,
    });
}

/* Uniform over the largest of the first T scores; the padding becomes 0. */
static void hardmax(double *row, int64_t T)
{
    const int64_t width = trop_kernel_gradient_width(T);
    double top = row[0], count = 0;

    for (int64_t t = 1; t < T; t++) {
        top = fmax(top, row[t]);
    }
    for (int64_t t = 0; t < T; t++) {
        count += row[t] == top;
    }
    for (int64_t t = 0; t < width; t++) {
        row[t] = t < T && row[t] == top ? 1 / count : 0;
    }
}

void trop_fit_network_layers(const struct trop_fit_network *n, struct trop_fit_room *room,
                             int64_t T)
{
    const int64_t count = T * n->stride;

    for (int64_t l = 0; l < n->shape.layers; l++) {
        double *x = stage_of(n, room, l), *y = drift_of(n, room, l), *s = link_of(n, room, l);
        memcpy(x, room->x, (size_t)count * sizeof *x);
        trop_fit_network_turn(n, room, x, T);
        scale(room->scaled, n->shape.beta, x, count);
        pairs(s, n, room, room->scaled, T);
        for (int64_t i = 0; i < T; i++) {
            if (n->hard) {
                hardmax(s + i * n->wide, T);
            } else {
                n->kernel->sequence->softmax(s + i * n->wide, T);
            }
        }
        spread(y, n, s, 0, x, T, 0);
        for (int64_t e = 0; e < count; e++) {
            y[e] -= x[e];
            room->x[e] = fma(n->gain, y[e], x[e]);
        }
    }
}

double trop_fit_network_layers_back(const struct trop_fit_network *n, struct trop_fit_room *room,
                                    int64_t T, double *dx)
{
    const int64_t count = T * n->stride;
    double gained = 0;

    for (int64_t l = n->shape.layers - 1; l >= 0; l--) {
        const double *x = stage_of(n, room, l), *y = drift_of(n, room, l), *s = link_of(n, room, l);
        for (int64_t e = 0; e < count; e++) {
            gained = fma(dx[e], y[e], gained);
        }
        trop_fit_network_turn(n, room, x, T);
        scale(room->given, n->gain, dx, count);
        pairs(room->slopes, n, room, room->given, T);
        for (int64_t i = 0; i < T; i++) {
            double *k = room->slopes + i * n->wide;
            n->kernel->sequence->coefficients(k, s + i * n->wide, k, T, 1);
        }
        scale(room->scaled, n->shape.beta, x, count);
        scale(dx, 1 - n->gain, dx, count);
        spread(dx, n, s, 1, room->given, T, 1);
        spread(dx, n, room->slopes, 0, room->scaled, T, 1);
        spread(dx, n, room->slopes, 1, room->scaled, T, 1);
    }
    return gained;
}

void trop_fit_network_layers_weights(const struct trop_fit_network *n, struct trop_fit_room *room,
                                     int64_t T, double *s)
{
    for (int64_t l = n->shape.layers - 1; l >= 0; l--) {
        n->kernel->linear->gather(room->lead, s, link_of(n, room, l), n->wide, T, T);
        for (int64_t t = 0; t < T; t++) {
            s[t] = fma(n->gain, room->lead[t] - s[t], s[t]);
        }
    }
}
