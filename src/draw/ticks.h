/* ticks.h -- the round numbers on an axis. */
#ifndef TROP_DRAW_TICKS_H
#define TROP_DRAW_TICKS_H

#include "tropism.h"

#define TROP_TICKS_MOST 40   /* with a label */
#define TROP_TICKS_MINOR 400 /* without */
#define TROP_TICKS_TEXT 48

struct trop_ticks {
    int64_t count;
    double at[TROP_TICKS_MOST]; /* ascending */
    char text[TROP_TICKS_MOST][TROP_TICKS_TEXT];
    int64_t minors;
    double minor[TROP_TICKS_MINOR];
};

/* At most `most` multiples (from 2 to TROP_TICKS_MOST) of 1, 2 or 5 times a power of ten in
 * [low, high], as many as that allows; whole: of whole numbers only. low < high, finite. */
void trop_ticks_linear(struct trop_ticks *ticks, double low, double high, int64_t most, int whole);
/* The same for a logarithmic axis, 0 < low < high: powers of ten; where less than two of them lie
 * in the range 1, 2 and 5 times a power; where less than two of those do, as above. whole: none of
 * them, nor a small one, below 1. */
void trop_ticks_log(struct trop_ticks *ticks, double low, double high, int64_t most, int whole);
/* number 10^exponent, as 0.25, 300, 10⁻⁶ or 1.5×10⁹; powers asks for the last two forms. */
void trop_ticks_format(char out[TROP_TICKS_TEXT], int64_t number, int64_t exponent, int powers);

#endif
