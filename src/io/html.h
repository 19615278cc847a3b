/* html.h -- a page in HTML that needs no other file: its text under construction.
 *
 * That memory ran out is remembered and told by trop_html_write, so that nothing on the way has to
 * ask. Zeros are an empty page.
 */
#ifndef TROP_IO_HTML_H
#define TROP_IO_HTML_H

#include "base/status.h"

struct trop_html {
    char *text;
    int64_t length, capacity;
    int failed;
};

/* HTML as it stands. */
void trop_html_put(struct trop_html *page, const char *text);
/* At most 1,023 bytes of it. */
TROP_PRINTF(2, 3) void trop_html_putf(struct trop_html *page, const char *format, ...);
/* Any text, as the content of an element or of an attribute in double quotes: what HTML gives a
 * meaning is escaped, control characters become blanks, and what is not UTF-8 the sign of it. */
void trop_html_words(struct trop_html *page, const char *words);
/* The first size bytes of it. */
void trop_html_word(struct trop_html *page, const char *words, int64_t size);
/* An image, the SVG in base64, so that ids in two of them cannot clash. alt: what it shows. */
void trop_html_svg(struct trop_html *page, const char *svg, int64_t size, const char *alt);

/* Everything up to the first heading; style: rules of CSS beside those that all pages share. */
void trop_html_begin(struct trop_html *page, const char *title, const char *style);
/* Ends the page and writes it; what it holds is freed. */
enum trop_status trop_html_write(struct trop_html *page, const char *path);

#endif
