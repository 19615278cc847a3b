/* attend_pairs.h -- blocks of tokens that meet, each pair of blocks once, for the files of pairs.
 */
#ifndef TROP_ATTEND_ATTEND_PAIRS_H
#define TROP_ATTEND_ATTEND_PAIRS_H

#include "attend/attend_internal.h"
#include "kernel/kernel_pairs.h"

#include <stdatomic.h>

#define TROP_ATTEND_PAIRS_LEAST 8 /* blocks, so that a few workers have something to do */

struct trop_attend_pairs {
    int64_t blocks, size; /* of a block but the last: whole strips */
    struct trop_pairs *worker;
    double *out;   /* (blocks, d, TROP_PAIRS_BLOCK) */
    double *total; /* (blocks, TROP_PAIRS_BLOCK), and so are the others */
    double *top, *slack;
    uint64_t *near;
    _Atomic int64_t *done; /* (blocks) rounds in which a block has met */
    _Atomic int64_t next;  /* meeting that nobody has taken */
    /* Block low meets block high, or itself in the first round. */
    void (*meet)(struct trop_attend *attend, int64_t worker, int64_t low, int64_t high);

    /* attend_pairs_single.c */
    struct trop_pairs_single *single; /* (workers) */
    float *z, *lift;                  /* (n, padded, d) packed */
    float *half, *mass, *exponent;    /* (n, padded) */
    double unit;                      /* powers of two of <x, x> = 1: beta t log2(e) */
    double middle;                    /* what the powers of two of the masses are taken from */
    double doubt;                     /* of the error of an exponent that is compared */
};

/* Blocks of whole strips of that many tokens, at most so many in all; rounds of meetings, and the
 * rows' spans of maxima. */
void trop_attend_pairs_cut(struct trop_attend *attend, int64_t strip, int64_t most);
void trop_attend_pairs_rounds(struct trop_attend *attend);
void trop_attend_pairs_spans(struct trop_tile *tile, const struct trop_attend *attend, int64_t r,
                             double most, uint64_t near);

/* attend_pairs_single.c: 0 when there is no memory; free undoes a part. */
int trop_attend_pairs_single_create(struct trop_attend *attend);
void trop_attend_pairs_single_free(struct trop_attend *attend);
/* As trop_attend_pairs_begin and trop_attend_pairs_rows, for rows in single precision. */
int trop_attend_pairs_single_begin(struct trop_attend *attend);
void trop_attend_pairs_single_rows(const struct trop_attend_sweep *sweep, int64_t first,
                                   int64_t last, int64_t worker);

#endif
