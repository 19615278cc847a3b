/* panel.h -- what a panel knows, shared by the files panel_*.c and figure_*.c.
 *
 * A panel is a list of items in the order of the calls. Drawing goes through three steps: the range
 * of each axis (panel_range.c), the ticks and the room that they and the texts need for a given
 * box (panel_axes.c), and the strokes (panel_items.c and the others). Lengths are points; y grows
 * downwards on paper.
 */
#ifndef TROP_DRAW_PANEL_H
#define TROP_DRAW_PANEL_H

#include <cairo.h>

#include "draw/figure.h"
#include "draw/ticks.h"

enum trop_panel_kind {
    TROP_PANEL_LINE,
    TROP_PANEL_STAIRS,
    TROP_PANEL_DOTS,
    TROP_PANEL_ERRORS,
    TROP_PANEL_POLYGON,
    TROP_PANEL_ARROW,
    TROP_PANEL_RAY,
    TROP_PANEL_LEVEL,
    TROP_PANEL_UPRIGHT,
    TROP_PANEL_BARS,
    TROP_PANEL_IMAGE,
    TROP_PANEL_CONTOURS,
    TROP_PANEL_TEXT,
    TROP_PANEL_CLIP
};

/* One call of trop_panel_...; members that its kind does not use are zero. */
struct trop_panel_item {
    struct trop_panel_item *next;
    int64_t kind;          /* enum trop_panel_kind */
    int64_t count;         /* of x, y, z */
    double *x, *y, *z;     /* z: errors, or values of an array */
    int64_t rows, columns; /* of an array z; groups and series of bars */
    double x0, x1, y0, y1; /* the array's rectangle */
    double low, high;      /* range of the colours */
    int64_t levels;        /* of contours */
    struct trop_pen pen;
    struct trop_dot dot;
    int64_t colour; /* filling, or of a text */
    double fade;
    int64_t across, up;
    char *text;     /* in the legend, beside a colour bar, or what is written; or NULL */
    char **legends; /* (columns) of bars, or NULL */
};

struct trop_panel_axis {
    char *label; /* NULL: none */
    int64_t scale;
    int counts; /* ticks at whole numbers alone */
    int given;  /* low and high were said */
    double low, high;
    char **names; /* (count) in place of numbers */
    int64_t count;
    double marks[TROP_TICKS_MOST]; /* where ticks stand if their texts have room */
    int64_t marked;

    double least, most; /* range of the data with a margin, or the one that was said */
    double from, to;    /* what is shown; from > to: it runs backwards */
    double start, end;  /* the same on the scale of the axis: see trop_panel_scaled */
    struct trop_ticks ticks;
    double widest;  /* of the texts at the ticks */
    int64_t stride; /* every how many names are shown */
    double turn;    /* of the texts at the ticks, radians */
};

struct trop_panel_box {
    double left, top, width, height;
};

/* How much room is needed around the box in which data are drawn. */
struct trop_panel_room {
    double left, right, top, bottom;
};

enum trop_panel_side { TROP_PANEL_INSIDE, TROP_PANEL_RIGHT, TROP_PANEL_OVER };

struct trop_panel {
    struct trop_panel_axis x, y;
    char *title;
    int equal, bare;
    struct trop_panel_item *first, *last;
    enum trop_status status; /* the first thing that failed, and its sentence */
    char sentence[256];

    double size;                  /* of the texts at the ticks; the others follow */
    struct trop_panel_box box;    /* where the data are */
    struct trop_panel_box cell;   /* the box and all room around it */
    int64_t outside;              /* where the legend stands: enum trop_panel_side */
    struct trop_panel_box legend; /* width 0: there is none */
};

/* Sizes of fonts and gaps follow that of the tick labels. */
#define TROP_PANEL_LABEL 1.125 /* axis labels, over panel->size */
#define TROP_PANEL_TITLE 1.25
#define TROP_PANEL_TICK 3.0 /* length of a tick */
#define TROP_PANEL_GAP 3.0  /* between a tick and its text */

/* panel.c */
void trop_panel_begin(struct trop_panel *panel);
void trop_panel_end(struct trop_panel *panel); /* frees what it holds, not itself */
void trop_panel_refuse(struct trop_panel *panel, enum trop_status status, const char *sentence);

/* panel_range.c: least and most of both axes, from all data. */
void trop_panel_ranges(struct trop_panel *panel);
/* From, to, start and end for the present box: least and most, wider where a text would leave the
 * box; then, when asked for, equal units. Those come by widening ranges that were not said, at most
 * by half, and then by making the box smaller, about its middle. */
void trop_panel_fit(cairo_t *cairo, struct trop_panel *panel);
int trop_panel_has(const struct trop_panel *panel, int64_t kind);
const struct trop_panel_item *trop_panel_bar_image(const struct trop_panel *panel);
/* Least and greatest of the finite values: 0 when there are none. */
int trop_panel_extent(double *low, double *high, const double *values, int64_t count);

/* panel_place.c: from data to paper. NaN where the number cannot be shown. */
double trop_panel_scaled(const struct trop_panel_axis *axis, double value);
double trop_panel_at_x(const struct trop_panel *panel, double x);
double trop_panel_at_y(const struct trop_panel *panel, double y);

/* panel_path.c: paths that are cut to the neighbourhood of the box and thinned. */
void trop_panel_polyline(cairo_t *cairo, const struct trop_panel *panel, const double *x,
                         const double *y, int64_t count);
void trop_panel_segment(cairo_t *cairo, const struct trop_panel *panel, double x0, double y0,
                        double x1, double y1); /* on paper */
/* One closed path of points (x, y) on paper. TROP_ERR_MEMORY, or TROP_OK. */
enum trop_status trop_panel_closed(cairo_t *cairo, const struct trop_panel *panel,
                                   const double *points, int64_t count);
void trop_panel_box_path(cairo_t *cairo, struct trop_panel_box box);

/* panel_pen.c: colours, dashes, marks. */
void trop_panel_ink(cairo_t *cairo, int64_t colour, double fade);
void trop_panel_stroke(cairo_t *cairo, struct trop_pen pen); /* strokes the path and forgets it */
/* Adds a mark to the path; trop_panel_paint_marks paints all that are there. */
void trop_panel_mark(cairo_t *cairo, double x, double y, struct trop_dot dot);
void trop_panel_paint_marks(cairo_t *cairo, struct trop_dot dot);
void trop_panel_patch(cairo_t *cairo, struct trop_panel_box box, int64_t series);

/* panel_items.c: the data. Returns TROP_ERR_MEMORY when there was no room for scratch. */
enum trop_status trop_panel_items(cairo_t *cairo, const struct trop_panel *panel);
/* panel_text.c, panel_bars.c, panel_image.c: one kind each. */
void trop_panel_write(cairo_t *cairo, const struct trop_panel *panel,
                      const struct trop_panel_item *item);
/* How many points beyond the sides of the box the texts reach; 0 where they do not. */
struct trop_panel_room trop_panel_text_room(cairo_t *cairo, const struct trop_panel *panel);
void trop_panel_draw_bars(cairo_t *cairo, const struct trop_panel *panel,
                          const struct trop_panel_item *item);
enum trop_status trop_panel_draw_image(cairo_t *cairo, const struct trop_panel *panel,
                                       const struct trop_panel_item *item);
enum trop_status trop_panel_draw_contours(cairo_t *cairo, const struct trop_panel *panel,
                                          const struct trop_panel_item *item);
void trop_panel_scale_bar(cairo_t *cairo, const struct trop_panel *panel);
/* Room right of the box for the bar, 0 without one. */
double trop_panel_scale_room(cairo_t *cairo, const struct trop_panel *panel);

/* panel_axes.c */
/* Chooses ticks for the present box and says what room the axes and texts need. */
struct trop_panel_room trop_panel_axes_room(cairo_t *cairo, struct trop_panel *panel);
void trop_panel_grid(cairo_t *cairo, const struct trop_panel *panel); /* behind the data */
void trop_panel_axes(cairo_t *cairo, const struct trop_panel *panel); /* before them */
/* As many ticks as stand clear of each other over this length, upright or level. */
void trop_panel_choose(cairo_t *cairo, struct trop_panel_axis *axis, double length, double size,
                       int level, int whole);

/* panel_legend.c */
/* The size of the legend's box; width 0 when no item has a legend. Over the box its entries stand
 * side by side, as many as there is room for; elsewhere below each other. */
struct trop_panel_box trop_panel_legend_size(cairo_t *cairo, const struct trop_panel *panel);
/* Finds a place for it inside the box where nothing is drawn: 1, or 0 when there is none. */
enum trop_status trop_panel_legend_place(int *found, struct trop_panel *panel, cairo_t *cairo);
void trop_panel_legend(cairo_t *cairo, const struct trop_panel *panel);

#endif
