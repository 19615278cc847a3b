/* text.c -- writing on a Cairo drawing.
 *
 * The font is DejaVu Sans, which has the Greek letters, the raised and lowered digits and the signs
 * of mathematics. Where it is missing Fontconfig gives the nearest one. Hinting is off and metrics
 * are not rounded, so that a text is as long in a PDF as in a picture of pixels, and the layout,
 * made once, is right for all of them.
 *
 * The raised and lowered letters of Unicode are drawn as small ordinary ones, moved: the font's own
 * are meant for running text and look heavy beside the numbers of an axis.
 */
#include "draw/text.h"

#include <string.h>

#include "base/alloc.h"

void trop_text_begin(cairo_t *cairo)
{
    cairo_font_options_t *options = cairo_font_options_create();

    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
}

/* ---- raised and lowered letters ---- */

struct shifted {
    const char *text, *plain;
    int raised; /* 1 above, -1 below the line */
};

static const struct shifted letters[] = {
    { "⁰", "0", 1 },  { "¹", "1", 1 },  { "²", "2", 1 },  { "³", "3", 1 },  { "⁴", "4", 1 },
    { "⁵", "5", 1 },  { "⁶", "6", 1 },  { "⁷", "7", 1 },  { "⁸", "8", 1 },  { "⁹", "9", 1 },
    { "⁺", "+", 1 },  { "⁻", "−", 1 },  { "ⁿ", "n", 1 },  { "ⁱ", "i", 1 },  { "ᵏ", "k", 1 },
    { "ᵗ", "t", 1 },  { "ᵀ", "T", 1 },  { "₀", "0", -1 }, { "₁", "1", -1 }, { "₂", "2", -1 },
    { "₃", "3", -1 }, { "₄", "4", -1 }, { "₅", "5", -1 }, { "₆", "6", -1 }, { "₇", "7", -1 },
    { "₈", "8", -1 }, { "₉", "9", -1 }, { "₊", "+", -1 }, { "₋", "−", -1 }, { "ᵢ", "i", -1 },
    { "ⱼ", "j", -1 }, { "ₖ", "k", -1 }, { "ₙ", "n", -1 }, { "ₘ", "m", -1 }, { "ₚ", "p", -1 },
    { "ₜ", "t", -1 }, { "ₐ", "a", -1 }, { "ₑ", "e", -1 }, { "ₒ", "o", -1 }, { "ₓ", "x", -1 },
};

#define SMALL 0.7  /* size of a raised or lowered letter */
#define RAISE 0.36 /* how far up, over the size of the text */
#define LOWER 0.16

/* A piece of a text that is drawn at once. */
struct run {
    char text[64];
    int raised;
};

static const struct shifted *shifted_at(const char *text)
{
    for (size_t k = 0; k < sizeof letters / sizeof *letters; k++) {
        if (strncmp(text, letters[k].text, strlen(letters[k].text)) == 0) {
            return &letters[k];
        }
    }
    return NULL;
}

/* The next run of *text, which moves on; 0 at the end. The text is valid UTF-8. */
static int next_run(struct run *run, const char **text)
{
    size_t used = 0;

    run->raised = 0;
    for (; **text && used + 8 < sizeof run->text;) {
        const struct shifted *letter = shifted_at(*text);
        int raised = letter ? letter->raised : 0;
        if (used > 0 && raised != run->raised) {
            break;
        }
        run->raised = raised;
        const char *from = letter ? letter->plain : *text;
        size_t bytes = 1;
        while (((unsigned char)from[bytes] & 0xc0) == 0x80) {
            bytes++;
        }
        memcpy(run->text + used, from, bytes);
        used += bytes;
        *text += letter ? strlen(letter->text) : bytes;
    }
    run->text[used] = 0;
    return used > 0;
}

static double run_size(const struct run *run, double size)
{
    return run->raised ? SMALL * size : size;
}

double trop_text_width(cairo_t *cairo, const char *text, double size)
{
    cairo_text_extents_t extents = { 0 };
    double width = 0.0;
    struct run run;

    while (next_run(&run, &text)) {
        cairo_set_font_size(cairo, run_size(&run, size));
        cairo_text_extents(cairo, run.text, &extents);
        width += extents.x_advance;
    }
    return width;
}

static void put(cairo_t *cairo, const char *text, double size, struct trop_text_at at,
                void (*draw)(cairo_t *, const char *))
{
    double x = -at.across * trop_text_width(cairo, text, size);
    double y = at.up * TROP_TEXT_CAP * size;
    cairo_text_extents_t extents = { 0 };
    struct run run;

    cairo_save(cairo);
    cairo_translate(cairo, at.x, at.y);
    cairo_rotate(cairo, -at.turn);
    while (next_run(&run, &text)) {
        double shift = run.raised > 0 ? -RAISE : run.raised < 0 ? LOWER : 0.0;
        cairo_set_font_size(cairo, run_size(&run, size));
        cairo_text_extents(cairo, run.text, &extents);
        cairo_move_to(cairo, x, y + shift * size);
        draw(cairo, run.text);
        x += extents.x_advance;
    }
    cairo_restore(cairo);
}

void trop_text_show(cairo_t *cairo, const char *text, double size, struct trop_text_at at)
{
    put(cairo, text, size, at, cairo_show_text);
    cairo_new_path(cairo);
}

void trop_text_path(cairo_t *cairo, const char *text, double size, struct trop_text_at at)
{
    put(cairo, text, size, at, cairo_text_path);
}

/* ---- copies ---- */

/* Bytes of the well-formed character at text (RFC 3629), or 0. */
static int64_t character(const unsigned char *text)
{
    static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    int64_t length = *text < 0x80 ? 1 : *text < 0xc2 ? 0 : *text < 0xe0 ? 2 : *text < 0xf0 ? 3 : 4;

    if (length == 0 || *text > 0xf4) {
        return 0;
    }
    uint32_t code = length == 1 ? *text : *text & (0x7fU >> length);
    for (int64_t k = 1; k < length; k++) {
        if ((text[k] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[k] & 0x3f);
    }
    /* Longer than need be, half of a pair, or beyond the last one. */
    if (code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) {
        return 0;
    }
    return length;
}

char *trop_text_copy(const char *text)
{
    int64_t length = text ? (int64_t)strlen(text) : 0;
    char *copy = trop_alloc(length + 1, 1);

    for (int64_t k = 0; copy && k < length;) {
        const unsigned char *at = (const unsigned char *)text + k;
        int64_t bytes = character(at);
        if (bytes == 0 || *at < 0x20 || *at == 0x7f) {
            copy[k++] = bytes == 0 ? '?' : ' ';
            continue;
        }
        memcpy(copy + k, at, (size_t)bytes);
        k += bytes;
    }
    return copy;
}
