/* inspect_html_depth.c -- the residual stream through the layers: how alike tokens become. */
#include "run/inspect/inspect_html.h"

#include "base/alloc.h"
#include "base/status.h"
#include "draw/figure.h"

#include <math.h>

#define FEW 13 /* layers */

static void draw_lines(struct trop_panel *panel, const struct trop_inspect *i, double *x, double *y,
                       const int *numbers, int count)
{
    for (int k = 0; k < count; k++) {
        for (int64_t l = 0; l < i->layers; l++) {
            x[l] = (double)i->layer[l].layer;
            y[l] = i->layer[l].number[numbers[k]].mean;
        }
        trop_panel_line(panel, x, y, i->layers, trop_figure_pen(k),
                        count > 1 ? trop_inspect_layer_numbers[numbers[k]].title : NULL);
        trop_panel_dots(panel, x, y, i->layers, trop_figure_dot(k), NULL);
    }
    trop_panel_x(panel, "layer whose input it is", TROP_SCALE_LINEAR);
}

static enum trop_status draw(struct trop_figure *figure, const struct trop_inspect *i)
{
    static const int cosines[] = { TROP_INSPECT_COSINE, TROP_INSPECT_COSINE_CENTRED,
                                   TROP_INSPECT_COSINE_ORDINARY };
    static const struct {
        int number;
        const char *title;
    } single[] = { { TROP_INSPECT_EFFECTIVE_RANK, "effective rank" },
                   { TROP_INSPECT_CLUSTERS, "clusters" } };
    double *x = trop_alloc(2 * i->layers, sizeof *x);

    if (!x) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld layers", (long long)i->layers);
    }
    trop_figure_grid(figure, 1, 3);
    /* Where no token is massive the third line is the first. */
    int massive = 0;
    for (int64_t l = 0; l < i->layers; l++) {
        massive |= i->layer[l].number[TROP_INSPECT_MASSIVE].mean > 0;
    }
    draw_lines(trop_figure_panel(figure, 0, 0), i, x, x + i->layers, cosines, massive ? 3 : 2);
    trop_panel_y(trop_figure_panel(figure, 0, 0), "mean cosine of tokens", TROP_SCALE_LINEAR);
    for (int k = 0; k < 2; k++) {
        struct trop_panel *panel = trop_figure_panel(figure, 0, k + 1);
        double most = 0;
        for (int64_t l = 0; l < i->layers; l++) {
            most = fmax(most, i->layer[l].number[single[k].number].mean);
        }
        draw_lines(panel, i, x, x + i->layers, &single[k].number, 1);
        trop_panel_range_y(panel, 0, 1.06 * fmax(most, 1));
        trop_panel_y(panel, single[k].title, TROP_SCALE_LINEAR);
    }
    trop_alloc_free(x);
    return TROP_OK;
}

/* Of a few layers it is there at once. */
static void put_table(struct trop_html *page, const struct trop_inspect *i)
{
    trop_html_putf(page,
                   "<details id=\"layers\"%s><summary>the numbers</summary>\n<div class=\"wide\">"
                   "<table><thead><tr><th>layer</th>",
                   i->layers <= FEW ? " open=\"open\"" : "");
    for (int k = 0; k < TROP_INSPECT_LAYER_NUMBERS; k++) {
        trop_html_putf(page, "<th><a href=\"#l-%s\">%s</a></th>",
                       trop_inspect_layer_numbers[k].name, trop_inspect_layer_numbers[k].title);
    }
    trop_html_put(page, "</tr></thead>\n");
    for (int64_t l = 0; l < i->layers; l++) {
        trop_html_putf(page, "<tr><td>%lld</td>", (long long)i->layer[l].layer);
        for (int k = 0; k < TROP_INSPECT_LAYER_NUMBERS; k++) {
            char mean[32], deviation[32];
            trop_inspect_html_number(mean, i->layer[l].number[k].mean);
            trop_inspect_html_number(deviation, i->layer[l].number[k].deviation);
            trop_html_putf(page, "<td>%s%s%s</td>", mean, i->texts > 1 ? " ± " : "",
                           i->texts > 1 ? deviation : "");
        }
        trop_html_put(page, "</tr>\n");
    }
    trop_html_put(page, "</table></div></details>\n");
}

static void put_definitions(struct trop_html *page)
{
    trop_html_put(page, "<details><summary>what they are</summary>\n<dl>\n");
    for (int k = 0; k < TROP_INSPECT_LAYER_NUMBERS; k++) {
        const struct trop_inspect_told *told = trop_inspect_layer_numbers + k;
        trop_html_putf(page, "<dt id=\"l-%s\">%s</dt><dd><span>", told->name, told->title);
        trop_html_words(page, told->definition);
        trop_html_put(page, "</span> <span class=\"remark\">");
        trop_html_words(page, told->certificate);
        trop_html_put(page, "</span></dd>\n");
    }
    trop_html_put(page, "</dl></details>\n");
}

enum trop_status trop_inspect_html_depth(struct trop_html *page, const struct trop_inspect *i)
{
    struct trop_figure *figure = NULL;
    char *svg = NULL;
    int64_t size = 0;

    if (i->layers < 1 || i->done < 1) {
        return TROP_OK;
    }
    enum trop_status status = trop_figure_create(&figure, 690, 200);
    if (status == TROP_OK) {
        status = draw(figure, i);
    }
    if (status == TROP_OK) {
        status = trop_figure_svg(&svg, &size, figure);
    }
    if (status == TROP_OK) {
        trop_html_put(page,
                      "<h2 id=\"collapse\">Through depth</h2>\n<p>How alike the tokens become "
                      "from layer to layer; the last is the output of the last layer.</p>\n"
                      "<figure class=\"depth\" id=\"depth\"><div class=\"wide\">");
        trop_html_svg(page, svg, size,
                      "Mean cosine of tokens, effective rank and clusters over layers");
        trop_html_put(page, "</div><button class=\"save\" type=\"button\" hidden=\"hidden\">"
                            "save as SVG</button></figure>\n");
        put_table(page, i);
        put_definitions(page);
    }
    trop_figure_free(figure);
    trop_alloc_free(svg);
    return status;
}
