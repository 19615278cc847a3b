/* fit_network.h -- one layer of attention that classifies sequences, and its gradient.
 *
 * Of the tokens x_t of an item, t < T, head h makes
 *
 *   u = W_h z,  s = softmax_t <x_t, u>,  o_h = sum_t s_t x_t,  f_r = sum_h <v_rh, o_h>
 *
 * with z the first token or a trained prompt; or z = x_i for every token i, s the mean over i of
 * the rows softmax_t <x_t, W_h x_i>. x_t is a word's row of E or a given vector, times E if there
 * is one, plus the row P_t of its place; layers in which tokens attend to each other may follow
 * (fit_network_layers.c), and b_r may be added to f_r. Without heads s_t = 1/T. An item has as many
 * tokens as it has: nothing is padded that could attend or be attended to.
 *
 * The gradient, g_r = dl/df_r, quotes these lines from the end:
 *
 *   dv_rh = g_r o_h,   w_h = sum_r g_r v_rh,   k_t = s_t (<w_h, x_t> - sum s <w_h, x>)   (logits)
 *   dx_t = s_t w_h + k_t u,   pull = sum_t k_t x_t,   dW_h = pull z',   dz = W_h' pull
 *
 * With one query an item dx_t is a sum of terms of its item, w_h and u of each head, with two
 * factors of the token: these are left for the sums, and dx is never made. Of each, of vectors and
 * of layers, it is.
 *
 * The prompt is the z of all items: u is made once a batch, and dW and dz are of the sum of their
 * pulls.
 *
 * Everything is plain double with the largest logit and the largest weight taken out of the sums,
 * so that saturation costs no digits of what is above 1e-300; for norms beyond that there is
 * attention.h, which is exact at any scale.
 *
 * Bits: an item is computed by one worker; sums over items, tokens of a word and places are made
 * afterwards in the order of the batch, each entry by one worker. How many workers there are
 * changes nothing.
 */
#ifndef TROP_LEARN_FIT_NETWORK_H
#define TROP_LEARN_FIT_NETWORK_H

#include "kernel/kernel.h"
#include "learn/attention/loss.h"
#include "tropism.h"

/* The tensors that a network may have, in the order in which they are told. */
enum trop_fit_letter {
    TROP_FIT_LETTER_E, /* (words, d), or (width, d) of vectors */
    TROP_FIT_LETTER_P, /* (places, d) */
    TROP_FIT_LETTER_Z, /* (1, d) the prompt */
    TROP_FIT_LETTER_W, /* (heads d, d) */
    TROP_FIT_LETTER_K, /* (heads d, width): W_h = K_h Q_h' */
    TROP_FIT_LETTER_Q, /* (heads d, width) */
    TROP_FIT_LETTER_V, /* (outputs, heads d) */
    TROP_FIT_LETTER_A, /* (1, 1) of the layers */
    TROP_FIT_LETTER_B, /* (1, outputs) */
    TROP_FIT_LETTERS
};

extern const char *const trop_fit_network_names[]; /* "E", "P", ..., NULL-ended */

struct trop_fit_shape {
    int64_t words;   /* rows of E, of words; 0: items are vectors */
    int64_t inputs;  /* coordinates of the vectors; 0: words */
    int64_t d;       /* dimension of the tokens */
    int64_t embeds;  /* 1: there is E */
    int64_t places;  /* rows of P; 0: no P */
    int64_t heads;   /* 0: the mean */
    int64_t width;   /* of K and Q; 0: W */
    int64_t query;   /* enum trop_fit_query */
    int64_t layers;  /* of tokens that attend to each other; 0: none, no a */
    double beta;     /* of these */
    int64_t bias;    /* 1: there is b */
    int64_t outputs; /* 1 of two classes, else the classes */
    int64_t longest; /* tokens of an item, at most */
    int64_t batch;   /* items of a batch, at most */
    int64_t tokens;  /* of a batch, at most */
    int64_t threads;
    const struct trop_loss *loss; /* of two classes */
};

/* Rows of a tensor that a batch moves, and the tokens whose gradients they collect. */
struct trop_fit_rows {
    int64_t count;
    int64_t *row;   /* (count) */
    int64_t *start; /* (count + 1) of its tokens in token */
    int64_t *token; /* (tokens of the batch) places in the batch, ascending for each row */
};

/* Room of one worker. */
struct trop_fit_room {
    double *x;      /* (longest, stride) tokens */
    double *turned; /* (stride, wide) the same by coordinate, of each and of layers */
    double *u;      /* of first: (heads, stride), of each: (longest, stride) */
    double *pulled; /* of each: (longest, stride) */
    double *s;      /* (heads, wide) weights */
    double *score;  /* of each: (heads, longest, wide) weights of every query */
    double *lead;   /* (wide or stride) <w, x_t> */
    double *k;      /* (wide) gradient of the logits */
    double *w;      /* (stride) */
    double *zero;   /* (wide or stride) zeros */
    double *f;      /* (outputs) of the item that is learnt */
    /* Of layers: what each left, and scratch. */
    double *stage;  /* (layers, longest, stride) tokens at its start */
    double *drift;  /* (layers, longest, stride) averages less tokens */
    double *link;   /* (layers, longest, wide) weights */
    double *scaled; /* (longest, stride) */
    double *given;  /* (longest, stride) */
    double *slopes; /* (longest, wide) */
};

struct trop_fit_network {
    struct trop_fit_shape shape;
    const struct trop_kernel *kernel;
    int64_t stride, wide; /* d and longest rounded up to a multiple of 8 */
    int64_t groups;       /* of items whose dW is one sum, of each */
    int64_t rows[TROP_FIT_LETTERS], columns[TROP_FIT_LETTERS]; /* 0: there is no such tensor */
    const double *value[TROP_FIT_LETTERS];                     /* the caller's, as they are now */
    int64_t workers;
    struct trop_fit_room *room; /* (workers) */

    /* Of the weights as they are now. */
    double *w;      /* (heads, d, stride) W or K Q', padded */
    double *turned; /* (heads, d, stride) its transpose, of each */
    double *prompt; /* (stride) */
    double *u;      /* (heads, stride) of the prompt */
    double gain;    /* a / (1 + a) */
    int hard;       /* 1: layers take hardmax; for reading alone */

    /* Of a batch: what items leave for the sums. */
    int64_t *at;     /* (batch + 1) first token of an item in the batch */
    int64_t *slot;   /* (rows of E) place in words.row; -1: none */
    int32_t *id;     /* (tokens) of each its place in words.row */
    double *near;    /* (words.count, d) those rows of E: all that a batch reads of it */
    int64_t terms;   /* of dx_t; 0: dx is made */
    int32_t *owner;  /* (tokens) place of its item in the batch */
    double *factor;  /* (tokens, terms) s_t and k_t of each head; without heads s_t */
    double *term;    /* (batch, terms, stride) w and u of each head; without heads w */
    double *dx;      /* (tokens, stride) where there are no terms */
    double *pull;    /* (batch, heads, stride) */
    double *z;       /* (batch, stride) queries, of first */
    double *dz;      /* (batch, stride) where there are terms */
    double *o;       /* (batch, heads d) */
    double *slope;   /* (batch, outputs) g */
    double *loss_of; /* (batch) */
    double *gained;  /* (batch) derivative by gain, of layers */
    double *parts;   /* (groups, heads, d, stride) dW of groups of items, of each */
    double *sum;     /* (heads, stride) of the pulls, of the prompt */
    double *dw;      /* (heads d, stride) */
    struct trop_fit_rows words, spots; /* of E and of P */

    /* The gradient of the batch: (rows, columns), of E of words and of P (count, d) for the rows of
     * words and spots. */
    double *gradient[TROP_FIT_LETTERS];
};

enum trop_status trop_fit_network_create(struct trop_fit_network **out,
                                         const struct trop_fit_shape *shape);
void trop_fit_network_free(struct trop_fit_network *network);
/* Shapes alone: rows and columns of every tensor. */
void trop_fit_network_sizes(int64_t rows[TROP_FIT_LETTERS], int64_t columns[TROP_FIT_LETTERS],
                            const struct trop_fit_shape *shape);

/* From now on the weights are these, (TROP_FIT_LETTERS) pointers. They stay the caller's; called
 * again whenever W, K, Q or z have changed. */
void trop_fit_network_set(struct trop_fit_network *network, double *const value[TROP_FIT_LETTERS]);

/* The mean loss of the items list[0 .. count - 1] and its gradient. */
double trop_fit_network_learn(struct trop_fit_network *network,
                              const struct trop_sequences *sequences, const int64_t *list,
                              int64_t count);
/* The rows of E and P that a batch reads, before it is learnt: words and spots. */
void trop_fit_network_index(struct trop_fit_network *network,
                            const struct trop_sequences *sequences, const int64_t *list,
                            int64_t count);

/* Outputs (n, outputs) of the items list[0 .. n - 1]; list NULL: the first n. attention: as the
 * tokens of these items follow each other, the mean over heads (and queries); NULL: not wanted. */
void trop_fit_network_read(double *outputs, double *attention, struct trop_fit_network *network,
                           const struct trop_sequences *sequences, const int64_t *list, int64_t n);

/* The class that outputs f speak for: of one output 1 above 0, of several the first largest. */
int64_t trop_fit_network_class(const double *f, int64_t outputs);

/* l and, where slope is not NULL, g_r, of outputs f and the class y. */
double trop_fit_network_loss(double *slope, const struct trop_fit_network *network, const double *f,
                             int64_t y);

/* fit_network_item.c: one item, by worker. Place q of the batch: where it leaves what sums are made
 * of; q = -1: outputs only. */
struct trop_fit_item {
    const double *e;       /* E, or near */
    const int32_t *id;     /* (T) its rows; NULL: vectors */
    const double *vectors; /* (T, inputs) */
    int64_t T, label;
    double share;      /* 1 over the items of the batch */
    double *outputs;   /* (outputs) */
    double *attention; /* (T); NULL: not wanted */
};
/* u = W_h z, (stride), z (stride). */
void trop_fit_network_query(double *u, const struct trop_fit_network *network, const double *z,
                            int64_t h);
void trop_fit_network_item(struct trop_fit_network *network, struct trop_fit_room *room,
                           const struct trop_fit_item *item, int64_t q, double *part);
/* room->turned <- the tokens x (T, stride) by coordinate. */
void trop_fit_network_turn(const struct trop_fit_network *network, struct trop_fit_room *room,
                           const double *x, int64_t T);

/* fit_network_layers.c: room->x through all layers; the gradient dx (T, stride) at their end to
 * that at their start, returning the derivative by gain; and weights s (T) likewise. */
void trop_fit_network_layers(const struct trop_fit_network *network, struct trop_fit_room *room,
                             int64_t T);
double trop_fit_network_layers_back(const struct trop_fit_network *network,
                                    struct trop_fit_room *room, int64_t T, double *dx);
void trop_fit_network_layers_weights(const struct trop_fit_network *network,
                                     struct trop_fit_room *room, int64_t T, double *s);

#endif
