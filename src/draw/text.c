/* text.c -- writing on a Cairo drawing.
 *
 * The font is DejaVu Sans, which has the Greek letters, the raised and lowered digits and the signs
 * of mathematics. Where it is missing Fontconfig gives the nearest one. Hinting is off and metrics
 * are not rounded, so that a text is as long in a PDF as in a picture of pixels, and the layout,
 * made once, is right for all of them.
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

double trop_text_width(cairo_t *cairo, const char *text, double size)
{
    cairo_text_extents_t extents = { 0 };

    cairo_set_font_size(cairo, size);
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

static void put(cairo_t *cairo, const char *text, double size, struct trop_text_at at,
                void (*draw)(cairo_t *, const char *))
{
    double width = trop_text_width(cairo, text, size);

    cairo_save(cairo);
    cairo_translate(cairo, at.x, at.y);
    cairo_rotate(cairo, -at.turn);
    cairo_move_to(cairo, -at.across * width, at.up * TROP_TEXT_CAP * size);
    draw(cairo, text);
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
