/* figure_internal.h -- what the files figure_*.c and film.c share. */
#ifndef TROP_DRAW_FIGURE_INTERNAL_H
#define TROP_DRAW_FIGURE_INTERNAL_H

#include <cairo.h>

#include "draw/panel.h"

struct trop_figure {
    double width, height; /* points */
    int64_t rows, columns;
    char *title;                  /* or NULL */
    struct trop_passage *passage; /* in the place of panels; or NULL */
    struct trop_panel **panels;   /* (rows, columns), NULL where none was asked for; or NULL */
    struct trop_panel spare;      /* takes what has no panel to go to; keeps what failed */
};

/* Pixels of a picture per point. */
#define TROP_FIGURE_PIXELS 2.0

/* A file in the making. */
struct trop_figure_bytes {
    unsigned char *bytes; /* zero-ended when size > 0 */
    int64_t size, capacity;
    int failed; /* there was no memory for all of it */
};

/* 1, or 0 when there is no memory. */
int trop_figure_append(struct trop_figure_bytes *to, const unsigned char *data, int64_t size);
/* Makes the names inside an SVG its own: see figure_svg.c. */
enum trop_status trop_figure_renumber(struct trop_figure_bytes *bytes);
/* Writes beside path and renames, so that no half-written file has the name. */
enum trop_status trop_figure_store(const struct trop_figure_bytes *bytes, const char *path);

/* figure_layout.c: draws all of it, in points from the upper left corner. */
enum trop_status trop_figure_draw(struct trop_figure *figure, cairo_t *cairo);
/* The pixels of the figure on a new surface, owned by the caller. */
enum trop_status trop_figure_picture(cairo_surface_t **out, struct trop_figure *figure);

#endif
