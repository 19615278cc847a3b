/* passage.h -- texts whose words are shaded by their weights: what a figure shows in the place of
 * panels. */
#ifndef TROP_DRAW_PASSAGE_H
#define TROP_DRAW_PASSAGE_H

#include <cairo.h>

#include "draw/figure_internal.h"

struct trop_passage;

/* Where it is drawn. */
struct trop_passage_page {
    const char *title; /* NULL: none */
    double width;
    double height; /* 0: there is room for everything */
};

/* Places every word; of a text at most so many lines. *bottom: where the last thing ends. */
enum trop_status trop_passage_create(struct trop_passage **out, double *bottom,
                                     const struct trop_passage_page *page,
                                     const struct trop_passage_text *texts, int64_t count,
                                     int64_t lines);
void trop_passage_free(struct trop_passage *passage);
void trop_passage_draw(cairo_t *cairo, const struct trop_passage *passage);
/* As elements of an SVG: letters are letters, and a word tells its weight. */
void trop_passage_svg(struct trop_figure_bytes *out, const struct trop_passage *passage);

#endif
