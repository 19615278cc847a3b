/* tokens.h -- clouds by name: what a run starts from when it is given no tokens. */
#ifndef TROP_SHAPE_TOKENS_H
#define TROP_SHAPE_TOKENS_H

#include "tropism.h"

extern const char *const trop_tokens_name[]; /* NULL-ended, by enum trop_init */

/* out (n, d) by enum trop_init; polygon needs d = 2. */
enum trop_status trop_tokens_draw(double *out, int64_t init, int64_t n, int64_t d, uint64_t seed);

#endif
