/* quantise.h -- a picture with 256 colours. */
#ifndef TROP_DRAW_QUANTISE_H
#define TROP_DRAW_QUANTISE_H

#include "tropism.h"

#define TROP_QUANTISE_MOST 256

struct trop_quantise_palette {
    int64_t count;
    unsigned char rgb[TROP_QUANTISE_MOST][3];
};

/* pixels (count) as 0xRRGGBB; index (count) receives places in the palette. */
enum trop_status trop_quantise(struct trop_quantise_palette *palette, unsigned char *index,
                               const uint32_t *pixels, int64_t count);

#endif
