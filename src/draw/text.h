/* text.h -- writing on a Cairo drawing. */
#ifndef TROP_DRAW_TEXT_H
#define TROP_DRAW_TEXT_H

#include <cairo.h>

#include "tropism.h"

/* Height of a capital letter or digit over the size of the font (DejaVu Sans: 0.729). */
#define TROP_TEXT_CAP 0.729

/* Where a text stands: at (x, y), turned anticlockwise by `turn` radians about that place. across
 * 0: begins there, 0.5: centred, 1: ends there. up 0: its base line there, 0.5: the middle of its
 * capitals, 1: their top. */
struct trop_text_at {
    double x, y;
    double across, up;
    double turn;
};

/* Chooses the font, and metrics that do not depend on the surface. Once per drawing. */
void trop_text_begin(cairo_t *cairo);
double trop_text_width(cairo_t *cairo, const char *text, double size);
/* In the source colour that is set. */
void trop_text_show(cairo_t *cairo, const char *text, double size, struct trop_text_at at);
/* The outline of the same text as a path. */
void trop_text_path(cairo_t *cairo, const char *text, double size, struct trop_text_at at);
/* A copy that is valid UTF-8 in one line: what is not becomes '?', control characters blanks. NULL
 * stands for ""; NULL comes back when there is no memory. Owned by the caller. */
char *trop_text_copy(const char *text);

#endif
