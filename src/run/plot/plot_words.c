/* plot_words.c -- what a fit attends to: words over the corpus, and sentences with their weights.
 */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>

#define LINES 8     /* of a sentence */
#define ROW 12.2    /* points of a bar */
#define AROUND 62.0 /* points of axis, legend and edges */
#define BARS 64     /* at most */

/* A list of texts of a file; refuses what is none, and an empty one, with why. */
struct texts {
    char *text;
    int64_t rows, width;
};

static enum trop_status read_texts(struct texts *out, struct trop_plot_file *file, const char *name,
                                   const char *why)
{
    struct trop_array shape = { 0 };

    if (!trop_h5_exists(file->h5, name) ||
        trop_h5_shape(&shape, file->h5, name, TROP_KIND_NUMBERS) == TROP_OK) {
        return trop_fail(TROP_ERR_IO, "%s: has no %s; %s", file->path, name, why);
    }
    enum trop_status status = trop_h5_texts(&out->text, &out->rows, &out->width, file->h5, name);
    return status == TROP_OK && out->rows == 0
               ? trop_fail(TROP_ERR_IO, "%s: %s is empty; %s", file->path, name, why)
               : status;
}

/* The names of classes; where there are none, their numbers. */
static void class_name(char out[64], const struct texts *classes, int64_t k)
{
    if (k < classes->rows && classes->text[k * classes->width]) {
        snprintf(out, 64, "%s", classes->text + k * classes->width);
    } else {
        snprintf(out, 64, "class %lld", (long long)k);
    }
}

static void read_classes(struct texts *out, struct trop_plot_file *file)
{
    if (read_texts(out, file, "/result/classes/name", "they have no names") != TROP_OK) {
        trop_alloc_free(out->text);
        *out = (struct texts){ 0 };
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

/* A level bar in row k. */
static void draw_bar(struct trop_panel *panel, int64_t k, double length, int64_t colour,
                     const char *legend)
{
    const double x[] = { 0, length, length, 0 };
    const double y[] = { (double)k - .38, (double)k - .38, (double)k + .38, (double)k + .38 };

    trop_panel_polygon(panel, x, y, 4, colour, 0, (struct trop_pen){ .colour = TROP_COLOUR_NONE },
                       legend);
}

static void draw_words(struct trop_panel *panel, const struct texts *words,
                       const struct trop_array *attention, const struct trop_array *value,
                       const struct texts *classes, int64_t count)
{
    const char *names[BARS];
    char legends[2][80], name[64];
    int said[2] = { 0, 0 };
    double most = 1;

    for (int64_t c = 0; c < 2; c++) {
        class_name(name, classes, c);
        snprintf(legends[c], sizeof legends[c], "speaks for %s", name);
    }
    for (int64_t k = 0; k < count; k++) {
        const int known = isfinite(value->data[k]) != 0, c = known && value->data[k] > 0;
        names[k] = words->text + k * words->width;
        /* Blue for class 1, orange for class 0: their lightness differs by 26 of 100. */
        draw_bar(panel, k, attention->data[k], known ? !c : 0,
                 known && !said[c] ? legends[c] : NULL);
        said[c] |= known;
        most = fmax(most, attention->data[k]);
    }
    trop_panel_upright(panel, 1, (struct trop_pen){ .colour = TROP_COLOUR_BLACK, .dash = 1 },
                       "equal share");
    trop_panel_names_y(panel, names, count);
    trop_panel_range_y(panel, (double)count - .4, -.6);
    trop_panel_range_x(panel, 0, 1.04 * most);
    trop_panel_x(panel, "attention relative to an equal share", TROP_SCALE_LINEAR);
}

enum trop_status trop_plot_words(struct trop_figure *figure, struct trop_plot *plot)
{
    static const char why[] = "only texts have words, of at least 10 tokens each";
    struct trop_plot_file *file = plot->files;
    struct texts words = { 0 }, classes = { 0 };
    struct trop_array attention = { 0 }, value = { 0 };
    enum trop_status status = read_texts(&words, file, "/result/words/word", why);

    if (status == TROP_OK) {
        status = trop_plot_numbers(&attention, file, "/result/words/attention", 1, why);
    }
    if (status == TROP_OK) {
        status = trop_plot_numbers(&value, file, "/result/words/value", 1, why);
    }
    if (status == TROP_OK) {
        const double room = floor((plot->options.height - AROUND) / ROW);
        int64_t count = room > 1 ? room < BARS ? (int64_t)room : BARS : 1;
        count = words.rows < count ? words.rows : count;
        read_classes(&classes, file);
        draw_words(trop_figure_panel(figure, 0, 0), &words, &attention, &value, &classes, count);
    }
    TROP_FREE(words.text, classes.text);
    trop_array_free(&attention);
    trop_array_free(&value);
    return status;
}

/* ---- sentences ------------------------------------------------------------------------------- */

struct shown {
    struct texts text, classes;
    struct trop_array weights;
    int64_t *offsets, *label, *predicted, *item; /* offsets NULL: all are equally long */
    struct trop_passage_text *passages;
    char (*beside)[2][96];
};

static enum trop_status read_counts(int64_t **out, int64_t rows, struct trop_plot_file *file,
                                    const char *name)
{
    int64_t count = 0;
    enum trop_status status = trop_h5_integers(out, &count, file->h5, name);

    return status == TROP_OK && count < rows
               ? trop_fail(TROP_ERR_IO, "%s: %s has %lld numbers, must have %lld", file->path, name,
                           (long long)count, (long long)rows)
               : status;
}

static enum trop_status read_shown(struct shown *s, struct trop_plot_file *file)
{
    static const char why[] = "train on texts with --show N";
    static const char joined[] = "/result/shown/attention_offsets";
    enum trop_status status = read_texts(&s->text, file, "/result/shown/text", why);

    if (status == TROP_OK) {
        status = trop_h5_numbers(&s->weights, file->h5, "/result/shown/attention");
    }
    if (status == TROP_OK && trop_h5_exists(file->h5, joined)) {
        status = read_counts(&s->offsets, s->text.rows + 1, file, joined);
    }
    if (status == TROP_OK) {
        status = read_counts(&s->label, s->text.rows, file, "/result/shown/label");
    }
    if (status == TROP_OK) {
        status = read_counts(&s->predicted, s->text.rows, file, "/result/shown/predicted");
    }
    if (status == TROP_OK) {
        status = read_counts(&s->item, s->text.rows, file, "/result/shown/item");
    }
    if (status == TROP_OK) {
        read_classes(&s->classes, file);
        if (!TROP_ALLOC(TROP_PART(s->passages, s->text.rows), TROP_PART(s->beside, s->text.rows))) {
            status = trop_fail(TROP_ERR_MEMORY, "%s: no memory for its sentences", file->path);
        }
    }
    return status;
}

/* The sentence of a row with what is told beside it. */
static void tell(struct shown *s, int64_t row)
{
    const int64_t even = s->weights.rank == 2 ? s->weights.shape[1] : 0;
    const int64_t from = s->offsets ? s->offsets[row] : row * even;
    const int64_t to = s->offsets ? s->offsets[row + 1] : (row + 1) * even;
    const int is_right = s->label[row] == s->predicted[row];
    char name[64];

    class_name(name, &s->classes, s->label[row]);
    snprintf(s->beside[row][0], 96, "%s", name);
    class_name(name, &s->classes, s->predicted[row]);
    snprintf(s->beside[row][1], 96, "%s predicted %s", is_right ? "✓" : "✗", name);
    s->passages[row] = (struct trop_passage_text){
        .heading = s->beside[row][0],
        .note = s->beside[row][1],
        .is_wrong = !is_right,
        .words = s->text.text + row * s->text.width,
        .weight = s->weights.data + from,
        .count = to - from,
    };
}

enum trop_status trop_plot_sentences(struct trop_figure *figure, struct trop_plot *plot)
{
    struct shown s = { 0 };
    enum trop_status status = read_shown(&s, plot->files);

    for (int64_t row = 0; status == TROP_OK && row < s.text.rows; row++) {
        tell(&s, row);
    }
    if (status == TROP_OK) {
        status = trop_figure_passage(figure, s.passages, s.text.rows, LINES, plot->grows);
    }
    TROP_FREE(s.text.text, s.classes.text, s.offsets, s.label, s.predicted, s.item, s.passages,
              s.beside);
    trop_array_free(&s.weights);
    return status;
}
