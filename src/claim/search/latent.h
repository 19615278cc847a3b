/* latent.h -- the random numbers of a draw, kept and changed.
 *
 * A draw is a function of the numbers that it asks its case for, each by a name (use, k). A table
 * of them stands in their place: a name that is not in it yet is entered with the number that the
 * generator gives, so that an instance drawn through an empty table is the plain one, bit by bit.
 * Whoever changes the table and draws again gets another instance of the same kind: clouds stay
 * symmetric and norms equal where the draw makes them so.
 */
#ifndef TROP_CLAIM_LATENT_H
#define TROP_CLAIM_LATENT_H

#include "tropism.h"

enum trop_latent_kind {
    TROP_LATENT_UNIFORM, /* inside (0, 1) */
    TROP_LATENT_NORMAL,
    TROP_LATENT_PICK /* one of 0 .. count - 1 */
};

struct trop_latent {
    int64_t kind; /* enum trop_latent_kind */
    int64_t use, k;
    int64_t count; /* of a pick, when it was asked last */
    double value;
    int64_t asked; /* the draw that asked for it last */
};

/* Zero-initialised; list is owned. */
struct trop_latents {
    struct trop_latent *list; /* in the order in which they were first asked for */
    int64_t count, capacity;
    int64_t draws; /* how often trop_latents_begin was called */
    int64_t next;  /* where the next name is, when the order is that of the last draw */
};

void trop_latents_free(struct trop_latents *table);
/* *out, which is empty, becomes a copy. */
enum trop_status trop_latents_copy(struct trop_latents *out, const struct trop_latents *table);
/* Before a draw. */
void trop_latents_begin(struct trop_latents *table);
/* The number of this name; other is what the generator gives. */
enum trop_status trop_latents_ask(double *out, struct trop_latents *table, struct trop_latent asked,
                                  double other);

#endif
