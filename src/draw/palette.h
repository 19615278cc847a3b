/* palette.h -- colours that a reader who does not see red from green, and a print in grey, keep
 * apart: see palette.c. */
#ifndef TROP_DRAW_PALETTE_H
#define TROP_DRAW_PALETTE_H

#include "tropism.h"

#define TROP_PALETTE_COUNT 8

struct trop_palette_rgb {
    double red, green, blue; /* sRGB, in [0, 1] */
};

/* The colour of an index, which comes round again after TROP_PALETTE_COUNT, or one of
 * TROP_COLOUR_... of figure.h. NONE and what is unknown are white. */
struct trop_palette_rgb trop_palette_colour(int64_t index);
/* The sequential map, from dark (t = 0) to light (t = 1); t is cut to [0, 1], NaN is 0. */
struct trop_palette_rgb trop_palette_map(double t);
/* The diverging map, blue (t = 0), white (t = 1/2), orange (t = 1), likewise cut. */
struct trop_palette_rgb trop_palette_diverging(double t);
/* CIE L*, 0 black to 100 white: what is left of a colour in a grey print. */
double trop_palette_lightness(struct trop_palette_rgb colour);

#endif
