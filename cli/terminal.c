/* terminal.c -- what a terminal shows, and how wide texts are there.
 *
 * Widths come from the C library, which knows wide and combining characters where it has a locale
 * of UTF-8; elsewhere every character takes one column.
 */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "cli.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#define USUAL 79
#define NARROWEST 30
#define WIDEST 100 /* longer lines are hard to read */

int cli_terminal_has_colours(void)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(refused && *refused) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

int64_t cli_terminal_width(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < NARROWEST) {
        return USUAL;
    }
    return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

/* One column for each character. */
static int64_t characters(const char *text, size_t length)
{
    int64_t count = 0;

    for (size_t k = 0; k < length; k++) {
        count += ((unsigned char)text[k] & 0xc0) != 0x80;
    }
    return count;
}

int64_t cli_terminal_columns(const char *text, size_t length)
{
    static locale_t utf8;
    static int asked;
    mbstate_t state = { 0 };
    int64_t columns = 0;

    if (!asked) {
        utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        asked = 1;
    }
    if (utf8 == (locale_t)0) {
        return characters(text, length);
    }
    const locale_t before = uselocale(utf8);
    for (size_t at = 0; at < length;) {
        wchar_t letter = 0;
        const size_t bytes = mbrtowc(&letter, text + at, length - at, &state);
        if (bytes == 0 || bytes > length - at) { /* a zero, or no UTF-8 */
            columns = characters(text, length);
            break;
        }
        const int wide = wcwidth(letter);
        columns += wide > 0 ? wide : 0;
        at += bytes;
    }
    uselocale(before);
    return columns;
}
