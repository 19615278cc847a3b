/* test_html.c -- pages: what is escaped, pictures in base64, and memory. */
#include "support.h"

#include "alloc_failing.c"
#include "io/file.h"
#include "io/html.h"
#include "scratch.h"

static void assert_words(const char *words, const char *expected)
{
    struct trop_html page = { 0 };

    trop_html_words(&page, words);
    assert_int_equal(page.length, (int64_t)strlen(expected));
    assert_memory_equal(page.text ? page.text : "", expected, strlen(expected));
    trop_alloc_free(page.text);
}

static void what_html_gives_a_meaning_is_escaped(void **state)
{
    (void)state;
    assert_words("a < b & \"c\" > 'd'", "a &lt; b &amp; &quot;c&quot; &gt; 'd'");
    assert_words("line\n\ttab\x7f", "line  tab ");
    assert_words("für 映画 \xf0\x9f\x98\x80", "für 映画 \xf0\x9f\x98\x80");
    assert_words("", "");
}

/* RFC 3629: what is no character is one sign of replacement a byte. */
static void what_is_no_utf8_is_replaced(void **state)
{
#define SIGN "\xef\xbf\xbd"
    (void)state;
    assert_words("a\xff"
                 "b",
                 "a" SIGN "b");
    assert_words("\xc3", SIGN);                            /* cut */
    assert_words("\xc0\xaf", SIGN SIGN);                   /* longer than need be */
    assert_words("\xe0\x80\xaf", SIGN SIGN SIGN);          /* likewise */
    assert_words("\xed\xa0\x80", SIGN SIGN SIGN);          /* half of a pair */
    assert_words("\xf4\x90\x80\x80", SIGN SIGN SIGN SIGN); /* beyond the last */
    assert_words("\xc2\x85", " ");                         /* a control character */
#undef SIGN
}

/* RFC 4648, section 10. */
static void pictures_are_base64(void **state)
{
    static const char *const pairs[][2] = { { "f", "Zg==" },         { "fo", "Zm8=" },
                                            { "foo", "Zm9v" },       { "foob", "Zm9vYg==" },
                                            { "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" } };

    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        struct trop_html page = { 0 };
        char expected[128];
        snprintf(expected, sizeof expected,
                 "<img alt=\"&quot;x&quot;\" src=\"data:image/svg+xml;base64,%s\">\n", pairs[k][1]);
        trop_html_svg(&page, pairs[k][0], (int64_t)strlen(pairs[k][0]), "\"x\"");
        assert_int_equal(page.length, (int64_t)strlen(expected));
        assert_memory_equal(page.text, expected, strlen(expected));
        trop_alloc_free(page.text);
    }
}

static enum trop_status write_page(void)
{
    struct trop_html page = { 0 };
    char long_text[9000];

    memset(long_text, '&', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    trop_html_begin(&page, "a < b", "p{color:red}");
    trop_html_putf(&page, "<p>%d</p>", 7);
    trop_html_words(&page, long_text);
    return trop_html_write(&page, scratch("page.html"));
}

static void a_page_is_whole_or_refused(void **state)
{
    unsigned char *bytes = NULL;
    int64_t size = 0;

    (void)state;
    alloc_refuse_each(write_page);
    assert_ok(trop_file_read(&bytes, &size, scratch("page.html")));
    const char *text = (const char *)bytes;
    assert_true(size > 5 * 8999);
    assert_memory_equal(text, "<!DOCTYPE html>\n<html", 21);
    assert_memory_equal(text + size - 15, "</body></html>\n", 15);
    trop_alloc_free(bytes);
    unlink(scratch("page.html"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_html_gives_a_meaning_is_escaped),
        cmocka_unit_test(what_is_no_utf8_is_replaced),
        cmocka_unit_test(pictures_are_base64),
        cmocka_unit_test(a_page_is_whole_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
