/* figure.h -- a figure: panels with axes, and what is drawn in them.
 *
 * A figure is described first and drawn afterwards, as often and to as many files as one likes:
 * PDF, SVG and PNG come from the same drawing. Data are copied. Nothing fails on the way: no
 * memory, or numbers that cannot be drawn, are remembered and told when the figure is written.
 * Points that are NaN or infinite break a line and are otherwise left out; on a logarithmic axis so
 * are numbers <= 0.
 *
 * Colours are those of palette.h, by index: they differ in lightness too, and trop_figure_pen and
 * trop_figure_dot give line k a dash and a mark of its own, so that a print in grey and a reader
 * who does not see red from green lose nothing. A pen is drawn as it says: colour and dash come
 * from it alone, whatever else is in the panel. Legends stand where no data are, outside the panel
 * when there is no such place.
 */
#ifndef TROP_DRAW_FIGURE_H
#define TROP_DRAW_FIGURE_H

#include "tropism.h"

struct trop_figure;
struct trop_panel;

enum trop_scale { TROP_SCALE_LINEAR, TROP_SCALE_LOG };

#define TROP_COLOUR_BLACK (-1)
#define TROP_COLOUR_GREY (-2)
#define TROP_COLOUR_LIGHT (-3) /* grey, for what stands behind */
#define TROP_COLOUR_WHITE (-4)
#define TROP_COLOUR_NONE (-5)

/* Zero is a solid line of the first colour, one point wide. */
struct trop_pen {
    int64_t colour; /* index into the palette, which comes round again, or one of the above */
    double width;   /* points; 0: 1 */
    int64_t dash;   /* 0 solid, 1 dashed, 2 dotted, 3 dash-dot, 4 long dashes */
    double fade;    /* 0: opaque; .8: hardly to be seen */
};

enum trop_mark {
    TROP_MARK_DISC,
    TROP_MARK_CIRCLE,
    TROP_MARK_SQUARE,
    TROP_MARK_TRIANGLE,
    TROP_MARK_CROSS,
    TROP_MARK_DIAMOND,
    TROP_MARK_STAR
};

struct trop_dot {
    int64_t colour;
    int64_t mark; /* enum trop_mark */
    double size;  /* points across; 0: 5 */
    double fade;
};

/* A pen and a dot that differ from those of every other small k in colour, and in dash or mark. */
struct trop_pen trop_figure_pen(int64_t k);
struct trop_dot trop_figure_dot(int64_t k);

/* ---- the figure ---- */

/* Of this size in points, 1/72 inch, with a grid of rows x columns panels. */
enum trop_status trop_figure_create(struct trop_figure **out, double width, double height);
void trop_figure_free(struct trop_figure *figure);
/* Before the first panel; 1 x 1 when it is not said. */
void trop_figure_grid(struct trop_figure *figure, int64_t rows, int64_t columns);
/* Above all panels; "" for none. */
void trop_figure_title(struct trop_figure *figure, const char *title);
/* The panel at that place of the grid, made on first use. Never NULL: one that could not be made
 * takes everything and draws nothing. Owned by figure. */
struct trop_panel *trop_figure_panel(struct trop_figure *figure, int64_t row, int64_t column);
/* The same with a title, NULL for none, and linear axes of these labels. */
struct trop_panel *trop_figure_axes(struct trop_figure *figure, int64_t row, int64_t column,
                                    const char *title, const char *x, const char *y);

/* A text whose words are shaded by their weights. */
struct trop_passage_text {
    const char *heading, *note; /* beside it, below each other; "": none */
    int is_wrong;               /* 1: the note says so */
    const char *words;          /* separated by blanks */
    const double *weight;       /* (count) of each of them; an equal share is 1 / count */
    int64_t count;
};

/* The figure shows such texts and no panels; of a text at most so many lines. grow: 1: it becomes
 * as high as they need, 0: what has no room is left out. After the title; letters are letters in
 * SVG too. */
enum trop_status trop_figure_passage(struct trop_figure *figure,
                                     const struct trop_passage_text *texts, int64_t count,
                                     int64_t lines, int grow);
/* What is behind a word of so many times an equal share, sRGB in [0, 1]; 1: dark, letters on it are
 * white. */
int trop_passage_colour(double rgb[3], double share);

/* 1 when no space stands between two words: before a comma and its like, after an open bracket. */
int trop_passage_is_glued(const char *before, int64_t length_before, const char *word,
                          int64_t length);

/* .pdf, .svg or .png (at 2 pixels a point), by the ending. */
enum trop_status trop_figure_write(struct trop_figure *figure, const char *path);
/* The SVG as text, zero-ended; owned by the caller (trop_alloc_free). */
enum trop_status trop_figure_svg(char **out, int64_t *size, struct trop_figure *figure);

/* ---- a panel ---- */

/* Texts are UTF-8; Greek letters and subscripts of Unicode may be used. */
void trop_panel_title(struct trop_panel *panel, const char *title);
void trop_panel_x(struct trop_panel *panel, const char *label, int64_t scale); /* enum trop_scale */
void trop_panel_y(struct trop_panel *panel, const char *label, int64_t scale);
/* The same for one of both; a scale that data of the panel so far cannot be shown on is refused. */
void trop_panel_label_x(struct trop_panel *panel, const char *label);
void trop_panel_label_y(struct trop_panel *panel, const char *label);
void trop_panel_scale_x(struct trop_panel *panel, int64_t scale);
void trop_panel_scale_y(struct trop_panel *panel, int64_t scale);
/* The range that is shown; without a call, that of the data with a margin. */
void trop_panel_range_x(struct trop_panel *panel, double low, double high);
void trop_panel_range_y(struct trop_panel *panel, double low, double high);
/* Values of x, of y are counts: their ticks stand at whole numbers alone. */
void trop_panel_counts(struct trop_panel *panel, int x, int y);
/* One unit is equally long on both axes: for places in a plane. */
void trop_panel_equal(struct trop_panel *panel);
/* Neither axes nor ticks. */
void trop_panel_bare(struct trop_panel *panel);
/* Names in place of numbers below x = 0, 1, ...; count of them. */
void trop_panel_names_x(struct trop_panel *panel, const char *const *names, int64_t count);
void trop_panel_names_y(struct trop_panel *panel, const char *const *names, int64_t count);
/* Ticks at these numbers, ascending, rather than at round ones, if there is room for all. */
void trop_panel_marks_x(struct trop_panel *panel, const double *marks, int64_t count);
void trop_panel_marks_y(struct trop_panel *panel, const double *marks, int64_t count);

/* ---- what is drawn, in the order of the calls; legend NULL: none ---- */

void trop_panel_line(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                     struct trop_pen pen, const char *legend);
/* Constant from each x to the next one. */
void trop_panel_stairs(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                       struct trop_pen pen, const char *legend);
void trop_panel_dots(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                     struct trop_dot dot, const char *legend);
/* Bars up and down from y by error, for dots. */
void trop_panel_errors(struct trop_panel *panel, const double *x, const double *y,
                       const double *error, int64_t count, struct trop_pen pen);
/* Filled with colour, faded; pen for its outline. */
void trop_panel_polygon(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                        int64_t colour, double fade, struct trop_pen pen, const char *legend);
void trop_panel_arrow(struct trop_panel *panel, double x0, double y0, double x1, double y1,
                      struct trop_pen pen);
/* From edge to edge of the panel: y = y0 + slope (x - x0), and the vertical at x. They do not widen
 * the range. */
void trop_panel_ray(struct trop_panel *panel, double x0, double y0, double dx, double dy,
                    struct trop_pen pen, const char *legend); /* half a line from (x0, y0) */
void trop_panel_level(struct trop_panel *panel, double y, struct trop_pen pen, const char *legend);
void trop_panel_upright(struct trop_panel *panel, double x, struct trop_pen pen,
                        const char *legend);
/* values (groups, series): series k of group g stands beside the others at x = g. */
void trop_panel_bars(struct trop_panel *panel, const double *values, int64_t groups, int64_t series,
                     const char *const *legends);
/* values (rows, columns) as colours over [x0, x1] x [y0, y1], row 0 at y0; NaN is left out. A bar
 * with the scale stands beside it, called label; NULL: no bar, which a panel has once. low = high:
 * the range of the values. low = -high: zero is white, between blue and orange. */
void trop_panel_image(struct trop_panel *panel, const double *values, int64_t rows, int64_t columns,
                      double x0, double x1, double y0, double y1, double low, double high,
                      const char *label);
/* Lines of equal value of the same kind of array, count levels evenly between least and greatest.
 * Values stand in the middle of their cells. TROP_COLOUR_NONE: each level in its colour of the map.
 */
void trop_panel_contours(struct trop_panel *panel, const double *values, int64_t rows,
                         int64_t columns, double x0, double x1, double y0, double y1, int64_t count,
                         struct trop_pen pen);
/* At a place of the data; across -1 left of it, 0 centred, 1 right; likewise up.
 * Above everything else, whole or, where the place is not shown, not at all. */
void trop_panel_text(struct trop_panel *panel, double x, double y, const char *text, int64_t across,
                     int64_t up, int64_t colour);
/* What is drawn from now on is cut at this polygon; count 0: at the panel again. */
void trop_panel_clip(struct trop_panel *panel, const double *x, const double *y, int64_t count);

/* ---- film.c: an animated GIF ---- */

struct trop_film;

/* Frames of one size, which the first one decides. */
enum trop_status trop_film_create(struct trop_film **out, const char *path);
/* seconds: how long it stays. */
enum trop_status trop_film_add(struct trop_film *film, struct trop_figure *figure, double seconds);
/* Writes the file, unless something failed before. film is gone in any case. */
enum trop_status trop_film_close(struct trop_film *film);
void trop_film_abandon(struct trop_film *film);

#endif
