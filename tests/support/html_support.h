/* html_support.h -- whether a page is HTML that a browser need not mend. */
#ifndef TROP_TESTS_HTML_SUPPORT_H
#define TROP_TESTS_HTML_SUPPORT_H

#include <stdio.h>
#include <string.h>

/* Elements are closed in the order in which they were opened, attributes are in quotes, and every &
 * begins a name that ends with a semicolon. What stands in style and script is not looked at. */
static inline void assert_html(const char *page)
{
    char open[64][16];
    int depth = 0;

    assert_memory_equal(page, "<!DOCTYPE html>\n", 16);
    for (const char *at = page + 16; *at; at++) {
        if (*at == '&') {
            assert_true(at[1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz")] == ';');
        }
        if (*at != '<') {
            continue;
        }
        const int closes = at[1] == '/';
        char name[16], end[24];
        assert_int_equal(sscanf(at + 1 + closes, "%15[a-z0-9]", name), 1);
        for (at++; *at != '>'; at++) { /* to the end of the tag */
            assert_true(*at && *at != '<');
            if (*at == '"') {
                at = strchr(at + 1, '"');
                assert_non_null(at);
            }
        }
        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (strcmp(name, "meta") != 0 && strcmp(name, "img") != 0 && at[-1] != '/') {
            assert_true(depth < 64);
            snprintf(open[depth++], 16, "%s", name);
        }
        if (!closes && (strcmp(name, "style") == 0 || strcmp(name, "script") == 0)) {
            snprintf(end, sizeof end, "</%s", name);
            at = strstr(at, end) - 1;
        }
    }
    assert_int_equal(depth, 0);
}

#endif
