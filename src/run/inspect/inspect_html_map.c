/* inspect_html_map.c -- layers x heads maps: a picture in SVG for each number, in the page itself.
 *
 * White is where the number says that there is nothing of the kind; what no head has is left out,
 * and a head that has none is hatched. Colours go to one dark end in even steps of sRGB between
 * four colours of falling lightness, so that a print in grey keeps their order.
 */
#include "run/inspect/inspect_html.h"

#include "io/json/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEFT 34.0  /* room for numbers of layers */
#define BELOW 46.0 /* for numbers of heads and the scale */
#define BLANKS " \t\r\n"
#define COLOUR 24 /* bytes of a colour, or of the name of a pattern */

void trop_inspect_html_number(char out[32], double value)
{
    char digits[48];

    if (isnan(value) || isinf(value)) {
        snprintf(out, 32, "%s", isnan(value) ? "none" : value > 0 ? "inf" : "-inf");
        return;
    }
    snprintf(digits, sizeof digits, "%.5g", value);
    trop_json_double(out, strtod(digits, NULL));
}

/* Bytes of a character that cannot be seen, or would turn the text about it round, or that XML
 * cannot hold; 0 of any other. */
static int64_t unseen(const char *at)
{
    const unsigned char first = (unsigned char)at[0], second = (unsigned char)at[1];
    const unsigned char third = first && second ? (unsigned char)at[2] : 0;

    if (first < 0x20 || first == 0x7f) {
        return first > 0;
    }
    if (first == 0xc2 && second >= 0x80 && second < 0xa0) {
        return 2;
    }
    const int general = first == 0xe2 && second == 0x80 &&
                        (third == 0x8b || third == 0x8e || third == 0x8f || /* U+200B, E, F */
                         (third >= 0xa8 && third <= 0xae));                 /* U+2028 to 202E */
    const int format = first == 0xe2 && second == 0x81 && third >= 0xa0 && third <= 0xaf;
    const int mark = first == 0xef && ((second == 0xbb && third == 0xbf) || /* U+FEFF */
                                       (second == 0xbf && third >= 0xbe));  /* U+FFFE, F */
    return general || format || mark ? 3 : 0;
}

void trop_inspect_html_token(struct trop_html *page, const struct trop_inspect_text *text,
                             int64_t token)
{
    const char *word = text->tokens ? text->tokens[token] : NULL;

    if (!word) {
        trop_html_putf(page, "%lld", (long long)(text->ids ? text->ids[token] : token));
        return;
    }
    const char *at = word + strspn(word, BLANKS), *plain = at, *end = at + strlen(at);
    if (at == end) {
        trop_html_put(page, strchr(word, '\n') ? "⏎" : "␣");
    }
    while (end > at && strchr(BLANKS, end[-1])) {
        end--;
    }
    while (at < end) {
        const int64_t size = unseen(at);
        if (size == 0) {
            at++;
            continue;
        }
        trop_html_word(page, plain, at - plain);
        if ((unsigned char)*at < 0x20) { /* U+2400 and on have the names of control characters */
            trop_html_putf(page, "\xe2\x90%c", 0x80 + *at);
        } else {
            trop_html_put(page, "\xef\xbf\xbd");
        }
        at += size;
        plain = at;
    }
    trop_html_word(page, plain, end - plain);
}

int trop_inspect_html_has(const struct trop_inspect *inspect, int number)
{
    /* Separators are known by their words. */
    const int known = number != TROP_INSPECT_SINK_SEPARATOR || inspect->text->tokens;
    int has = 0;

    for (int64_t h = 0; h < inspect->heads && known; h++) {
        has |= !isnan(inspect->head[h].number[number].mean);
    }
    return has;
}

/* ---- colours --------------------------------------------------------------------------------- */

struct scale {
    double low, high; /* what its ends stand for */
    double white;
};

static struct scale scale_of(const struct trop_inspect *i, int number)
{
    double least = INFINITY, most = -INFINITY;

    for (int64_t h = 0; h < i->heads; h++) {
        const double value = i->head[h].number[number].mean;
        least = isfinite(value) ? fmin(least, value) : least;
        most = isfinite(value) ? fmax(most, value) : most;
    }
    if (least > most) {
        least = most = 0;
    }
    const double size = fmax(fabs(least), fabs(most));
    switch ((enum trop_inspect_scale)trop_inspect_numbers[number].scale) {
    case TROP_INSPECT_SHARE:
        return (struct scale){ fmin(least, 0), fmax(most, 1), 0 };
    case TROP_INSPECT_SIGNED:
        return (struct scale){ least < 0 ? -size : 0, size, 0 };
    case TROP_INSPECT_FROM_ONE:
        return (struct scale){ fmin(least, 1), fmax(most, 1), 1 };
    case TROP_INSPECT_BELOW_ONE:
        return (struct scale){ least, fmax(most, 1), 1 };
    case TROP_INSPECT_FROM_ZERO:
        break;
    }
    return (struct scale){ fmin(least, 0), fmax(most, 0), 0 };
}

/* Above white blue, below it orange; of what is white at 1, blue on both sides. */
static void colour_of(char out[COLOUR], const struct scale *scale, double value)
{
    static const int stops[2][4][3] = {
        { { 255, 255, 255 }, { 158, 202, 225 }, { 49, 130, 189 }, { 8, 48, 107 } },
        { { 255, 255, 255 }, { 253, 190, 133 }, { 230, 85, 13 }, { 127, 39, 4 } },
    };
    const double span =
        value >= scale->white ? scale->high - scale->white : scale->white - scale->low;
    const double off = fabs(value - scale->white);
    const double t = 3 * (off > 0 && span > 0 ? fmin(off / span, 1) : 0);
    const int side = value < scale->white && scale->white == 0, k = t < 3 ? (int)t : 2;
    int rgb[3];

    for (int c = 0; c < 3; c++) {
        const double a = stops[side][k][c], b = stops[side][k + 1][c];
        rgb[c] = (int)(a + (t - k) * (b - a) + .5);
    }
    snprintf(out, COLOUR, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255,
             (unsigned)rgb[2] & 255);
}

/* ---- one map --------------------------------------------------------------------------------- */

struct grid {
    int64_t rows, columns;
    double cell, width, height;
};

static struct grid grid_of(const struct trop_inspect *i)
{
    struct grid grid = { .columns = 1 };

    while (grid.columns < i->heads && i->head[grid.columns].layer == i->head[0].layer) {
        grid.columns++;
    }
    grid.rows = i->heads / grid.columns;
    const int64_t longer = grid.columns > grid.rows ? grid.columns : grid.rows;
    /* Four maps stand side by side up to 12 heads, and of more each head can still be hit. */
    grid.cell = longer <= 8    ? 24
                : longer <= 12 ? 16
                : longer <= 16 ? 14
                : longer <= 32 ? 11
                : longer <= 64 ? 7
                               : 4;
    grid.width = fmax(LEFT + grid.cell * (double)grid.columns + 8, 190);
    grid.height = 6 + grid.cell * (double)grid.rows + BELOW;
    return grid;
}

static void put_cell(struct trop_html *page, const struct trop_inspect *i, const struct grid *grid,
                     const struct scale *scale, int number, int64_t h)
{
    const struct trop_inspect_head *head = i->head + h;
    const struct trop_inspect_mean *value = head->number + number;
    const int64_t row = h / grid->columns, column = h % grid->columns;
    char colour[COLOUR], mean[32], deviation[32];

    if (isnan(value->mean)) {
        snprintf(colour, sizeof colour, "url(#none%d)", number);
    } else {
        colour_of(colour, scale, value->mean);
    }
    trop_inspect_html_number(mean, value->mean);
    trop_inspect_html_number(deviation, value->deviation);
    trop_html_putf(page,
                   "<rect data-h=\"%lld\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" "
                   "fill=\"%s\"><title>layer %lld, head %lld: %s",
                   (long long)h, LEFT + grid->cell * (double)column, 4 + grid->cell * (double)row,
                   grid->cell, grid->cell, colour, (long long)head->layer, (long long)head->head,
                   mean);
    if (i->texts > 1) {
        trop_html_putf(page, ", deviation over texts %s", deviation);
    }
    trop_html_put(page, "</title></rect>\n");
}

/* Numbers of layers and heads, as many as there is room for. */
static void put_axes(struct trop_html *page, const struct trop_inspect *i, const struct grid *grid)
{
    const int64_t every = grid->cell > 13 ? 1 : grid->cell > 10 ? 2 : grid->cell > 6 ? 4 : 8;
    const double foot = 4 + grid->cell * (double)grid->rows;

    for (int64_t row = 0; row < grid->rows; row += every) {
        trop_html_putf(page, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%lld</text>\n", LEFT - 4,
                       4 + grid->cell * ((double)row + .5) + 3.5,
                       (long long)i->head[row * grid->columns].layer);
    }
    for (int64_t column = 0; column < grid->columns; column += every) {
        trop_html_putf(page, "<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">%lld</text>\n",
                       LEFT + grid->cell * ((double)column + .5), foot + 11,
                       (long long)i->head[column].head);
    }
    trop_html_putf(page,
                   "<text x=\"9\" y=\"%g\" text-anchor=\"middle\" transform=\"rotate(-90 9 %g)\">"
                   "layer</text>\n",
                   4 + .5 * grid->cell * (double)grid->rows,
                   4 + .5 * grid->cell * (double)grid->rows);
    trop_html_putf(page, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">head</text>\n", LEFT - 4,
                   foot + 11);
}

/* The colours, with what their ends stand for. Twelve even steps meet those of both sides. */
static void put_scale(struct trop_html *page, const struct grid *grid, const struct scale *scale,
                      int number)
{
    const double width = fmax(fmin(grid->cell * (double)grid->columns, 120), 80),
                 y = grid->height - 22;
    char colour[COLOUR], end[32];

    trop_html_putf(page, "<defs><linearGradient id=\"scale%d\">\n", number);
    for (int k = 0; k <= 12; k++) {
        colour_of(colour, scale, scale->low + k / 12.0 * (scale->high - scale->low));
        trop_html_putf(page, "<stop offset=\"%.4f\" stop-color=\"%s\"/>\n", k / 12.0, colour);
    }
    trop_html_putf(page,
                   "</linearGradient></defs>\n<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"8\" "
                   "fill=\"url(#scale%d)\" stroke=\"#777\"/>\n",
                   LEFT, y, width, number);
    trop_inspect_html_number(end, scale->low);
    trop_html_putf(page, "<text x=\"%g\" y=\"%g\">%s</text>\n", LEFT, y + 19, end);
    trop_inspect_html_number(end, scale->high);
    trop_html_putf(page, "<text x=\"%g\" y=\"%g\" text-anchor=\"end\">%s</text>\n", LEFT + width,
                   y + 19, end);
}

static void put_map(struct trop_html *page, const struct trop_inspect *i, int number)
{
    const struct trop_inspect_told *told = trop_inspect_numbers + number;
    const struct scale scale = scale_of(i, number);
    const struct grid grid = grid_of(i);

    trop_html_putf(page, "<figure id=\"n-%s\"><h3>%s</h3>\n", told->name, told->title);
    trop_html_putf(page,
                   "<svg class=\"map\" data-name=\"%s\" width=\"%g\" height=\"%g\" viewBox=\"0 0 "
                   "%g %g\" role=\"img\" "
                   "aria-label=\"%s of each head, a row for each layer; the table of all numbers "
                   "has them too\" font-family=\"system-ui, sans-serif\" font-size=\"10\" "
                   "fill=\"#222\">\n",
                   told->name, grid.width, grid.height, grid.width, grid.height, told->title);
    trop_html_putf(page,
                   "<defs><pattern id=\"none%d\" width=\"4\" height=\"4\" "
                   "patternUnits=\"userSpaceOnUse\"><rect width=\"4\" height=\"4\" fill=\"#fff\"/>"
                   "<path d=\"M0 4L4 0\" stroke=\"#999\"/></pattern></defs>\n"
                   "<g class=\"cells\" stroke=\"#ccc\" stroke-width=\".5\">\n",
                   number);
    int missing = 0;
    for (int64_t h = 0; h < i->heads; h++) {
        put_cell(page, i, &grid, &scale, number, h);
        missing |= isnan(i->head[h].number[number].mean);
    }
    trop_html_put(page, "</g>\n");
    put_axes(page, i, &grid);
    put_scale(page, &grid, &scale, number);
    trop_html_put(page, "</svg>\n");
    trop_html_put(page, missing ? "<p class=\"remark\">Hatched: there is none.</p>\n" : "");
    trop_html_putf(page, "<details><summary>what it is</summary><p><code>%s</code>. ", told->name);
    trop_html_words(page, told->definition);
    trop_html_put(page, "</p>\n<p class=\"remark\">");
    trop_html_words(page, told->certificate);
    trop_html_put(page, "</p></details>\n<button class=\"save\" type=\"button\" hidden=\"hidden\">"
                        "save as SVG</button></figure>\n");
}

void trop_inspect_html_maps(struct trop_html *page, const struct trop_inspect *i)
{
    trop_html_putf(
        page,
        "<h2 id=\"maps\">Heads</h2>\n<p>A map for each number: a cell is a head, a row a layer. "
        "Pointing at a cell tells its number%s; a click chooses the head, which is shown "
        "<a href=\"#chosen\">below</a>. White stands for 0, or for 1 where a scale begins or ends "
        "there.</p>\n<div class=\"maps\" style=\"--map:%gpx\">\n",
        i->texts > 1 ? " (a mean over texts) and its standard deviation" : "",
        i->heads > 0 ? grid_of(i).width : 0);
    for (int number = 0; number < TROP_INSPECT_NUMBERS && i->heads > 0; number++) {
        if (trop_inspect_html_has(i, number)) {
            put_map(page, i, number);
        }
    }
    trop_html_put(page, "</div>\n");
}
