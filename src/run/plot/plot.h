/* plot.h -- what the files of plot share. */
#ifndef TROP_RUN_PLOT_H
#define TROP_RUN_PLOT_H

#include "draw/figure.h"
#include "io/h5/h5.h"
#include "io/html.h"
#include "run/setup/setup.h"

#define TROP_PLOT_FILES 512

/* One result file that is open. */
struct trop_plot_file {
    char path[1024];
    char verb[32]; /* "flow" of the format "tropism flow" */
    struct trop_h5 *h5;
};

/* What is drawn, from what. */
struct trop_plot {
    struct trop_plot_options options;
    const struct trop_plot_kind *kind;
    char *out; /* name of the picture */
    struct trop_plot_file files[TROP_PLOT_FILES];
    int64_t count;
    const char *folder; /* of a study, in the place of files; NULL: none */
    int grows;          /* 1: no height was said, the picture may become as high as it needs */
};

struct trop_plot_kind {
    const char *name, *says; /* what is to be seen, in words; NULL: it draws studies alone */
    /* NULL: it draws studies alone. */
    enum trop_status (*draw)(struct trop_figure *figure, struct trop_plot *plot);
    enum trop_status (*film)(struct trop_film *film, struct trop_plot *plot);      /* NULL: none */
    enum trop_status (*study)(struct trop_figure *figure, struct trop_plot *plot); /* likewise */
    int several; /* 1: of one result, unless it has copies, there is little to be seen */
    int many;    /* 1: it draws several files in one picture */
    int any;     /* 1: it draws results of any verb, not of those alone that list it (verb.c) */
    double width, height; /* that suit it, where none is said; 0: those of the options */
};

/* ---- plot_read.c: numbers of a file ---- */

/* Refuses what is absent with the name of the file; why: what the option of the run was. */
enum trop_status trop_plot_numbers(struct trop_array *out, struct trop_plot_file *file,
                                   const char *name, int64_t rank, const char *why);
/* The text of an option of the run; "" when it has none. */
void trop_plot_option(char out[256], struct trop_plot_file *file, const char *name);
/* Refuses an option, given as --against, that a file does not have. */
enum trop_status trop_plot_check_against(struct trop_plot *plot);
/* One number; NaN when it is absent. */
double trop_plot_number(struct trop_plot_file *file, const char *name);
/* Where the row g of a joined column begins and ends. */
enum trop_status trop_plot_offsets(struct trop_array *out, struct trop_plot_file *file,
                                   const char *name);
/* (n, d) points as (n, 2): d = 2 as they are, d = 1 beside 0, above in the plane of their two
 * principal axes, which axes (2, d) holds on return (the unit vectors for d <= 2). */
void trop_plot_axes(double *axes, const double *x, int64_t n, int64_t d);
void trop_plot_project(double *px, double *py, const double *axes, const double *x, int64_t n,
                       int64_t d);

/* The name of a file without folder and ending, for legends (plot_curves.c). */
void trop_plot_stem(char out[64], const char *path);

/* The name of an option or field in words, "log10_median" as "log₁₀ median", Greek letters as
 * letters (plot_read.c). */
void trop_plot_words_of(char out[128], const char *name, int64_t length);
/* What options say of the axes of the panel that was drawn (plot.c). */
void trop_plot_dress(struct trop_figure *figure, const struct trop_plot_options *options);

/* ---- pages ---- */

/* plot.c: NULL: there is none of that name. */
const struct trop_plot_kind *trop_plot_kind_named(const char *name, size_t length);
/* Kind k = 0, 1, ... of pictures of the first file, the automatic one first; NULL behind the last.
 */
const struct trop_plot_kind *trop_plot_kind_of(struct trop_plot *plot, int64_t k);
/* plot_page.c: every picture of a result of this format, as part of a page. */
enum trop_status trop_plot_page(struct trop_html *page, struct trop_h5 *h5, const char *format);
/* Of a study in a folder: the field over x and, where it is not NULL, y. */
enum trop_status trop_plot_page_study(struct trop_html *page, const char *folder, const char *x,
                                      const char *y, const char *of);

/* ---- the kinds ---- */

enum trop_status trop_plot_paths(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_paths_film(struct trop_film *film, struct trop_plot *plot);
enum trop_status trop_plot_cells(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_energy(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_graph(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_attention(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_clusters(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_survival(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_staircase(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_training(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_column(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_outcomes(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_learning(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_sentences(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_words(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_sparsity(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_heads(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_heat(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_curve(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_study_heat(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_study_curves(struct trop_figure *figure, struct trop_plot *plot);
enum trop_status trop_plot_study_histogram(struct trop_figure *figure, struct trop_plot *plot);

#endif
