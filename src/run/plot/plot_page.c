/* plot_page.c -- every picture of one result, for its page.
 *
 * Those that the verb lists, a matrix of weights where the result is one, and a curve for each
 * number that was recorded. What cannot be drawn of this result is told with its reason.
 */
#include "run/plot/plot.h"

#include "base/alloc.h"
#include "base/field.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#define CURVES 8 /* of records */

static void begin_plot(struct trop_plot *plot, struct trop_h5 *h5, const char *verb)
{
    plot->options = trop_plot_options_default();
    plot->count = 1;
    plot->files[0].h5 = h5;
    snprintf(plot->files[0].path, sizeof plot->files[0].path, "this result");
    snprintf(plot->files[0].verb, sizeof plot->files[0].verb, "%s", verb);
}

/* One picture; out NULL: it cannot be drawn, and trop_error() says why. */
static void draw(char **out, int64_t *size, struct trop_plot *plot,
                 const struct trop_plot_kind *kind)
{
    const struct trop_plot_options *o = &plot->options;
    struct trop_figure *figure = NULL;
    enum trop_status status = trop_figure_create(&figure, kind->width > 0 ? kind->width : o->width,
                                                 kind->height > 0 ? kind->height : o->height);

    plot->kind = kind;
    plot->grows = 1;
    if (status == TROP_OK) {
        status = (plot->folder ? kind->study : kind->draw)(figure, plot);
    }
    if (status == TROP_OK) {
        status = trop_figure_svg(out, size, figure);
    }
    if (status != TROP_OK) {
        *out = NULL;
    }
    trop_figure_free(figure);
}

static void put_figure(struct trop_html *page, const char *name, const char *says, const char *svg,
                       int64_t size)
{
    trop_html_put(page, "<figure>\n");
    trop_html_svg(page, svg, size, says);
    trop_html_put(page, "<figcaption><code>");
    trop_html_words(page, name);
    trop_html_put(page, "</code>: ");
    trop_html_words(page, says);
    trop_html_put(page, "</figcaption>\n</figure>\n");
}

/* What was recorded step by step, against the step. */
static int put_records(struct trop_html *page, struct trop_plot *plot)
{
    const struct trop_plot_kind *curve = trop_plot_kind_named("curve", 5);
    int shown = 0;

    for (const struct trop_field *f = trop_flow_watch_table(); f->name && shown < CURVES; f++) {
        struct trop_array shape = { 0 };
        char name[80], *svg = NULL;
        int64_t size = 0;
        snprintf(name, sizeof name, "/record/%s", f->name);
        if (strcmp(f->name, "step") == 0 || !trop_h5_exists(plot->files[0].h5, name) ||
            trop_h5_shape(&shape, plot->files[0].h5, name, TROP_KIND_NUMBERS) != TROP_OK ||
            shape.rank != 1) {
            continue;
        }
        plot->options.x = "/record/step";
        plot->options.y = name;
        draw(&svg, &size, plot, curve);
        if (svg) {
            put_figure(page, name, f->meaning, svg, size);
            shown++;
        }
        trop_alloc_free(svg);
    }
    return shown;
}

/* Copies against each option that they differ in. */
static int put_copies(struct trop_html *page, struct trop_plot *plot)
{
    static const char *const lists[][2] = {
        { "betas", "beta" }, { "epsilons", "epsilon" }, { "alphas", "alpha" }, { "gammas", "gamma" }
    };
    int shown = 0;

    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        char text[256], *svg = NULL;
        int64_t size = 0;
        trop_plot_option(text, plot->files, lists[k][0]);
        plot->options.against = lists[k][1];
        if (*text) {
            draw(&svg, &size, plot, trop_plot_kind_named("clusters", 8));
        }
        if (svg) {
            put_figure(page, lists[k][1], "how many clusters are left, against this option", svg,
                       size);
            shown++;
        }
        trop_alloc_free(svg);
    }
    plot->options.against = NULL;
    return shown;
}

/* The pictures of the verb; 1 when the kind was drawn. */
static int put_kind(struct trop_html *page, struct trop_html *refused, struct trop_plot *plot,
                    const struct trop_plot_kind *kind, const char *says)
{
    char *svg = NULL;
    int64_t size = 0;

    draw(&svg, &size, plot, kind);
    if (svg) {
        put_figure(page, kind->name, says, svg, size);
        trop_alloc_free(svg);
        return 1;
    }
    trop_html_put(refused, "<dt><code>");
    trop_html_words(refused, kind->name);
    trop_html_put(refused, "</code></dt><dd>");
    trop_html_words(refused, trop_error());
    trop_html_put(refused, "</dd>\n");
    return 0;
}

/* What there is no picture of, and why; releases it. */
static enum trop_status put_refused(struct trop_html *page, struct trop_html *refused, int shown)
{
    if (refused->length > 0) {
        trop_html_put(page, "<details><summary>Pictures that this result does not have</summary>\n"
                            "<dl>\n");
        trop_html_put(page, refused->text);
        trop_html_put(page, "</dl></details>\n");
    } else if (!shown) {
        trop_html_put(page, "<p>There is no picture of this result.</p>\n");
    }
    const enum trop_status status =
        refused->failed ? trop_fail(TROP_ERR_MEMORY, "no memory for the pictures of a page")
                        : TROP_OK;
    trop_alloc_free(refused->text);
    return status;
}

enum trop_status trop_plot_page(struct trop_html *page, struct trop_h5 *h5, const char *format)
{
    struct trop_plot *plot = trop_alloc(1, sizeof *plot);
    struct trop_html refused = { 0 };
    char verb[32];

    if (!plot) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the pictures of a page");
    }
    snprintf(verb, sizeof verb, "%.*s", (int)strcspn(format + 8, " "), format + 8);
    begin_plot(plot, h5, verb);
    trop_html_put(page, "<h2>Pictures</h2>\n");
    const struct trop_plot_kind *kind;
    int shown = 0;
    for (int64_t k = 0; (kind = trop_plot_kind_of(plot, k)); k++) {
        shown += put_kind(page, &refused, plot, kind, kind->says);
    }
    shown += put_copies(page, plot);
    shown += put_records(page, plot);
    const enum trop_status status = put_refused(page, &refused, shown);
    trop_alloc_free(plot);
    return status;
}

enum trop_status trop_plot_page_study(struct trop_html *page, const char *folder, const char *x,
                                      const char *y, const char *of)
{
    static const char *const kinds[][2] = { { "heat", "the mean over two options" },
                                            { "curves", "the mean over an option" },
                                            { "histogram", "how many points have which value" } };
    struct trop_plot *plot = trop_alloc(1, sizeof *plot);
    struct trop_html refused = { 0 };
    int shown = 0;

    if (!plot) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the pictures of a page");
    }
    plot->options = trop_plot_options_default();
    plot->folder = folder;
    plot->options.of = of;
    for (int k = y ? 0 : 1; k < 3; k++) {
        char says[400];
        snprintf(says, sizeof says, "%s: %.120s%s%.60s%s%.60s", kinds[k][1], of,
                 k < 2 ? " over " : "", k < 2 ? x : "", k == 0 ? " and " : "", k == 0 ? y : "");
        plot->options.x = k < 2 ? x : NULL;
        plot->options.y = k == 0 ? y : NULL;
        shown += put_kind(page, &refused, plot,
                          trop_plot_kind_named(kinds[k][0], strlen(kinds[k][0])), says);
    }
    const enum trop_status status = put_refused(page, &refused, shown);
    trop_alloc_free(plot);
    return status;
}
