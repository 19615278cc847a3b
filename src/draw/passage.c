/* passage.c -- texts whose words are shaded by their weights.
 *
 * The shade of a word is white up to an equal share of the weight, 1 / count, and grows with the
 * logarithm from there to eight times that: the same for every text of every length, so that texts
 * can be compared, and one that looks everywhere alike stays white. Words are measured in the font
 * of text.c; an SVG says how long each is, so that another font fills the same room.
 */
#include "draw/passage.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/status.h"
#include "draw/palette.h"
#include "draw/text.h"

#define EDGE 8.0 /* white around everything */
#define SIZE 9.0 /* of the words, points */
#define TITLE 11.6
#define NOTE 7.5    /* of what stands beside them */
#define LINE 15.0   /* from one line to the next */
#define GAP 7.0     /* between texts */
#define COLUMN 10.0 /* between what stands beside a text and the text */
#define PAD 1.3     /* of a shaded word, left and right */
#define SPACE 3.4   /* between words; marks such as commas stand without one */
#define MOST 8.0    /* times an equal share that are as dark as can be */
#define DARK 0.85   /* shade from which on white letters have more contrast than black ones */
#define DOTS "..."
#define WRONG 4 /* vermilion of the palette */

/* One word where it stands. */
struct piece {
    double x, y, width, size; /* y: its base line */
    int64_t colour;
    double share, weight; /* share: times an equal one; below 0: not shaded */
    const char *text;
};

struct trop_passage {
    struct piece *pieces;
    int64_t count, room;
    char **owned; /* (owners) copies of the texts */
    int64_t owners;
};

/* Where the next word goes. */
struct pen {
    cairo_t *cairo;
    struct trop_passage *passage;
    double left, right, x, y;
    int64_t line; /* from 0 */
};

void trop_passage_free(struct trop_passage *passage)
{
    if (!passage) {
        return;
    }
    for (int64_t k = 0; passage->owned && k < passage->owners; k++) {
        trop_alloc_free(passage->owned[k]);
    }
    TROP_FREE(passage->owned, passage->pieces, passage);
}

/* ---- shades ---------------------------------------------------------------------------------- */

int trop_passage_colour(double rgb[3], double share)
{
    const struct trop_palette_rgb full = trop_palette_colour(0);
    /* What is not above 1, NaN too, has no shade. */
    const double t = share > 1.0 ? fmin(trop_log(share) / trop_log(MOST), 1.0) : 0.0;

    rgb[0] = 1.0 + t * (full.red - 1.0);
    rgb[1] = 1.0 + t * (full.green - 1.0);
    rgb[2] = 1.0 + t * (full.blue - 1.0);
    return t > DARK;
}

static int64_t ink_on(double share)
{
    double rgb[3];

    return trop_passage_colour(rgb, share) ? TROP_COLOUR_WHITE : TROP_COLOUR_BLACK;
}

/* ---- places ---------------------------------------------------------------------------------- */

static void add(struct pen *pen, struct piece piece)
{
    struct trop_passage *p = pen->passage;

    piece.width = trop_text_width(pen->cairo, piece.text, piece.size);
    if (p->count < p->room) {
        p->pieces[p->count++] = piece;
    }
}

/* A word that is wider than the column loses its end. There are more bytes than the dots take. */
static void shorten(struct pen *pen, char *word)
{
    const double room = pen->right - pen->left;
    size_t length = strlen(word);

    if (length < 8 || trop_text_width(pen->cairo, word, SIZE) <= room) {
        return;
    }
    for (length -= 3; length > 1; length--) {
        if (((unsigned char)word[length] & 0xc0) != 0x80) {
            memcpy(word + length, DOTS, sizeof DOTS);
            if (trop_text_width(pen->cairo, word, SIZE) <= room) {
                return;
            }
        }
    }
}

/* 1 for a comma and its like, which belong to the word before; brackets that open, to the next. */
static int is_mark(const char *word, int64_t length, const char *marks)
{
    return length > 0 && (int64_t)strspn(word, marks) >= length;
}

int trop_passage_is_glued(const char *before, int64_t length_before, const char *word,
                          int64_t length)
{
    return is_mark(word, length, ".,;:!?)]}%") || is_mark(before, length_before, "([{$");
}

/* A word of a text on its way. */
struct word {
    const char *text; /* the rest of the text, from this word on */
    char *copy;       /* of the word */
    size_t length;
    int is_glued; /* no space before it */
    double share, weight;
};

/* How wide the word is with all that must not be parted from it. */
static double width_of_group(struct pen *pen, const struct word *word)
{
    double width = trop_text_width(pen->cairo, word->copy, SIZE);
    const char *before = word->text, *at = before + word->length;
    size_t length = word->length;

    while (*at == ' ') {
        const size_t next = strcspn(at + 1, " ");
        if (next > 31 || !trop_passage_is_glued(before, (int64_t)length, at + 1, (int64_t)next)) {
            break;
        }
        char text[32];
        snprintf(text, sizeof text, "%.*s", (int)next, at + 1);
        width += trop_text_width(pen->cairo, text, SIZE) + PAD;
        before = at + 1;
        length = next;
        at = before + next;
    }
    return width;
}

/* 1 when the word stands; 0 when the dots do, behind the last line. */
static int add_word(struct pen *pen, const struct word *word, int64_t lines)
{
    const double dots = trop_text_width(pen->cairo, DOTS, SIZE) + SPACE;
    const double space = pen->x <= pen->left ? 0.0 : word->is_glued ? PAD : SPACE;
    const double room =
        pen->right - (pen->line + 1 >= lines && strchr(word->text, ' ') ? dots : 0.0);

    if (space > PAD && pen->x + space + width_of_group(pen, word) > room) {
        if (pen->line + 1 >= lines) {
            add(pen, (struct piece){ .x = pen->x + SPACE,
                                     .y = pen->y,
                                     .size = SIZE,
                                     .colour = TROP_COLOUR_GREY,
                                     .share = -1.0,
                                     .text = DOTS });
            return 0;
        }
        pen->x = pen->left;
        pen->y += LINE;
        pen->line++;
    } else {
        pen->x += space;
    }
    add(pen, (struct piece){ .x = pen->x,
                             .y = pen->y,
                             .size = SIZE,
                             .colour = ink_on(word->share),
                             .share = word->share,
                             .weight = word->weight,
                             .text = word->copy });
    pen->x += trop_text_width(pen->cairo, word->copy, SIZE);
    return 1;
}

/* The words of a text; copy gets a zero behind each of them. */
static void add_words(struct pen *pen, const struct trop_passage_text *text, char *copy,
                      int64_t lines)
{
    struct word word = { .text = text->words };
    int stands = 1;

    pen->x = pen->left;
    pen->line = 0;
    for (int64_t k = 0; stands && k < text->count && *word.text; k++) {
        const char *before = word.text - (k > 0 ? word.length + 1 : 0);
        const size_t length = k > 0 ? word.length : 0;
        word.length = strcspn(word.text, " ");
        word.copy = copy + (word.text - text->words);
        word.copy[word.length] = 0;
        word.is_glued =
            trop_passage_is_glued(before, (int64_t)length, word.text, (int64_t)word.length);
        word.weight = text->weight[k];
        word.share = fmax(word.weight, 0.0) * (double)text->count;
        shorten(pen, word.copy);
        stands = add_word(pen, &word, lines);
        word.text += word.length + (word.text[word.length] == ' ');
    }
}

/* What the shades mean, and where it ends. */
static double add_legend(struct pen *pen)
{
    static const struct {
        const char *text;
        double share;
    } steps[] = { { "1", 1.0 }, { "2", 2.0 }, { "4", 4.0 }, { "8 or more", MOST } };
    static const char says[] = "attention relative to an equal share:";

    pen->x = EDGE;
    add(pen, (struct piece){ .x = pen->x,
                             .y = pen->y,
                             .size = NOTE,
                             .colour = TROP_COLOUR_GREY,
                             .share = -1.0,
                             .text = says });
    pen->x += trop_text_width(pen->cairo, says, NOTE) + 6.0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        const double width = trop_text_width(pen->cairo, steps[k].text, NOTE);
        if (pen->x > EDGE && pen->x + width > pen->right) {
            pen->x = EDGE;
            pen->y += LINE;
        }
        add(pen, (struct piece){ .x = pen->x,
                                 .y = pen->y,
                                 .size = NOTE,
                                 .colour = ink_on(steps[k].share),
                                 .share = steps[k].share,
                                 .weight = NAN,
                                 .text = steps[k].text });
        pen->x += width + 2.0 * PAD + 4.0;
    }
    return pen->y + 0.4 * LINE;
}

/* How wide the column beside the texts is. */
static double beside(cairo_t *cairo, char *const *copies, int64_t count, double width)
{
    double most = 0.0;

    for (int64_t k = 0; k < count; k++) {
        most = fmax(most, trop_text_width(cairo, copies[3 * k], SIZE));
        most = fmax(most, trop_text_width(cairo, copies[3 * k + 1], NOTE));
    }
    return fmin(most, 0.35 * width);
}

/* Centred over everything, smaller where it is too long. */
static void add_title(struct pen *pen, const char *title, double width)
{
    const double length = trop_text_width(pen->cairo, title, TITLE);
    const double size = TITLE * fmin(1.0, (width - 2.0 * EDGE) / fmax(length, 1.0));

    pen->y += 1.3 * TITLE;
    add(pen, (struct piece){ .x = 0.5 * (width - trop_text_width(pen->cairo, title, size)),
                             .y = pen->y - GAP,
                             .size = size,
                             .colour = TROP_COLOUR_BLACK,
                             .share = -1.0,
                             .text = title });
}

/* Everything with so many lines a text; where it ends. */
static double place(struct pen *pen, const struct trop_passage_page *page,
                    const struct trop_passage_text *texts, int64_t count, int64_t lines)
{
    char *const *copies = pen->passage->owned;

    pen->passage->count = 0;
    pen->y = EDGE + SIZE;
    if (page->title) {
        add_title(pen, copies[pen->passage->owners - 1], page->width);
    }
    for (int64_t k = 0; k < count; k++) {
        const double y = pen->y;
        add(pen, (struct piece){ .x = EDGE,
                                 .y = y,
                                 .size = SIZE,
                                 .colour = TROP_COLOUR_BLACK,
                                 .share = -1.0,
                                 .text = copies[3 * k] });
        add(pen, (struct piece){ .x = EDGE,
                                 .y = y + 0.75 * LINE,
                                 .size = NOTE,
                                 .colour = texts[k].is_wrong ? WRONG : TROP_COLOUR_GREY,
                                 .share = -1.0,
                                 .text = copies[3 * k + 1] });
        add_words(pen, texts + k, copies[3 * k + 2], lines);
        pen->y = fmax(pen->y, y + 0.75 * LINE) + LINE + GAP;
    }
    return add_legend(pen);
}

/* ---- making ---------------------------------------------------------------------------------- */

static enum trop_status copy_texts(struct trop_passage *passage, const char *title,
                                   const struct trop_passage_text *texts, int64_t count)
{
    passage->owners = 3 * count + 1;
    passage->owned = trop_alloc(passage->owners, sizeof *passage->owned);
    passage->room = 8 + 4 * count;
    for (int64_t k = 0; k < count && passage->owned; k++) {
        passage->owned[3 * k] = trop_text_copy(texts[k].heading);
        passage->owned[3 * k + 1] = trop_text_copy(texts[k].note);
        passage->owned[3 * k + 2] = trop_text_copy(texts[k].words);
        passage->room += texts[k].count;
    }
    if (passage->owned) {
        passage->owned[3 * count] = trop_text_copy(title);
    }
    int whole = passage->owned != NULL;
    for (int64_t k = 0; whole && k < passage->owners; k++) {
        whole = passage->owned[k] != NULL;
    }
    passage->pieces = whole ? trop_alloc(passage->room, sizeof *passage->pieces) : NULL;
    return passage->pieces ? TROP_OK
                           : trop_fail(TROP_ERR_MEMORY, "no memory for %lld texts of a figure",
                                       (long long)count);
}

enum trop_status trop_passage_create(struct trop_passage **out, double *bottom,
                                     const struct trop_passage_page *page,
                                     const struct trop_passage_text *texts, int64_t count,
                                     int64_t lines)
{
    struct trop_passage *passage = trop_alloc(1, sizeof *passage);
    enum trop_status status = passage ? copy_texts(passage, page->title, texts, count)
                                      : trop_fail(TROP_ERR_MEMORY, "no memory for a passage");

    if (status != TROP_OK) {
        trop_passage_free(passage);
        return status;
    }
    /* A surface to measure on: metrics do not depend on it. */
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
    cairo_t *cairo = cairo_create(surface);
    trop_text_begin(cairo);
    struct pen pen = { .cairo = cairo, .passage = passage, .right = page->width - EDGE };
    pen.left = EDGE + beside(cairo, passage->owned, count, page->width) + COLUMN;
    double end = place(&pen, page, texts, count, lines);
    /* Where there is not the room: fewer lines of each, then fewer texts. */
    while (page->height > 0.0 && end > page->height && (lines > 1 || count > 1)) {
        if (lines > 1) {
            lines--;
        } else {
            count--;
        }
        end = place(&pen, page, texts, count, lines);
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    *bottom = end;
    *out = passage;
    return TROP_OK;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static struct trop_panel_box shade_of(const struct piece *piece)
{
    return (struct trop_panel_box){ piece->x - PAD, piece->y - 0.95 * piece->size,
                                    piece->width + 2.0 * PAD, 1.3 * piece->size };
}

void trop_passage_draw(cairo_t *cairo, const struct trop_passage *passage)
{
    for (int64_t k = 0; k < passage->count; k++) {
        const struct piece *piece = passage->pieces + k;
        const struct trop_panel_box box = shade_of(piece);
        double rgb[3];
        if (piece->share >= 0.0) {
            trop_passage_colour(rgb, piece->share);
            cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
            cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
            cairo_fill(cairo);
        }
        trop_panel_ink(cairo, piece->colour, 0.0);
        trop_text_show(cairo, piece->text, piece->size,
                       (struct trop_text_at){ .x = piece->x, .y = piece->y });
    }
}

/* ---- SVG ------------------------------------------------------------------------------------- */

TROP_PRINTF(2, 3)
static void put(struct trop_figure_bytes *out, const char *format, ...)
{
    char line[512];
    va_list arguments;

    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    trop_figure_append(out, (const unsigned char *)line, length);
}

static void escape(struct trop_figure_bytes *out, const char *text)
{
    for (; *text; text++) {
        const char *escaped = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;";
        const int is_plain = *text != '<' && *text != '>' && *text != '&';
        trop_figure_append(out, (const unsigned char *)(is_plain ? text : escaped),
                           is_plain ? 1 : (int64_t)strlen(escaped));
    }
}

static int level(double part)
{
    return (int)(255.0 * part + 0.5);
}

static void put_piece(struct trop_figure_bytes *out, const struct piece *piece)
{
    const struct trop_palette_rgb ink = trop_palette_colour(piece->colour);
    const struct trop_panel_box box = shade_of(piece);
    double rgb[3];

    if (piece->share > 1.0) {
        trop_passage_colour(rgb, piece->share);
        put(out,
            "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%02x%02x%02x\"/>",
            box.left, box.top, box.width, box.height, level(rgb[0]), level(rgb[1]), level(rgb[2]));
    }
    put(out, "<text x=\"%.2f\" y=\"%.2f\" textLength=\"%.2f\" font-size=\"%g\"", piece->x, piece->y,
        piece->width, piece->size);
    put(out, " lengthAdjust=\"spacingAndGlyphs\" fill=\"#%02x%02x%02x\">", level(ink.red),
        level(ink.green), level(ink.blue));
    if (piece->share >= 0.0 && isfinite(piece->weight)) {
        put(out, "<title>%.3g, %.3g of an equal share</title>", piece->weight, piece->share);
    }
    escape(out, piece->text);
    put(out, "</text>\n");
}

void trop_passage_svg(struct trop_figure_bytes *out, const struct trop_passage *passage)
{
    put(out, "<g font-family=\"'DejaVu Sans',Verdana,sans-serif\">\n");
    for (int64_t k = 0; k < passage->count; k++) {
        if (passage->pieces[k].text[0]) {
            put_piece(out, passage->pieces + k);
        }
    }
    put(out, "</g>\n");
}
