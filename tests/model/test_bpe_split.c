/* test_bpe_split.c -- where texts are parted: by hand, and against the package tokenizers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/text/tokenizer_internal.h"
#include "split_cases.h"

static void pieces(enum trop_tokenizer_split split, const char *text, const char *parted)
{
    const int64_t size = (int64_t)strlen(text);
    char found[200] = "";

    for (int64_t at = 0; at < size;) {
        const int64_t end = trop_tokenizer_piece(split, text, at, size);
        assert_true(end > at && end <= size);
        snprintf(found + strlen(found), 100, "%s%.*s", at ? "|" : "", (int)(end - at), text + at);
        at = end;
    }
    assert_string_equal(found, parted);
}

static void digits_are_told_apart_by_pattern(void **state)
{
    (void)state;
    pieces(TROP_TOKENIZER_GPT2, "a 12345", "a| 12345");
    pieces(TROP_TOKENIZER_LLAMA3, "a 12345", "a| |123|45");
    pieces(TROP_TOKENIZER_QWEN2, "a 123", "a| |1|2|3");
    pieces(TROP_TOKENIZER_WHOLE, "a 12345", "a 12345");
}

static void blanks_and_line_ends_go_with_what_the_pattern_says(void **state)
{
    (void)state;
    pieces(TROP_TOKENIZER_GPT2, "a   b", "a|  | b");
    pieces(TROP_TOKENIZER_GPT2, "a \n b  ", "a| \n| b|  ");
    pieces(TROP_TOKENIZER_LLAMA3, "a \n b.\n\nc", "a| \n| b|.\n\n|c");
    pieces(TROP_TOKENIZER_LLAMA3, "a\t\tb", "a|\t|\tb");
    pieces(TROP_TOKENIZER_GPT2, "a\xc2\x85.", "a|\xc2\x85|."); /* NEL is a blank */
}

static void contractions_without_case_know_the_long_s(void **state)
{
    (void)state;
    pieces(TROP_TOKENIZER_GPT2, "I'll IT'S", "I|'ll| IT|'|S");
    pieces(TROP_TOKENIZER_LLAMA3, "I'LL IT'S", "I|'LL| IT|'S");
    pieces(TROP_TOKENIZER_LLAMA3, "x'\xc5\xbfy", "x|'\xc5\xbf|y");
    pieces(TROP_TOKENIZER_GPT2, "x'\xc5\xbfy", "x|'|\xc5\xbfy");
}

static void marks_begin_pieces(void **state)
{
    (void)state;
    pieces(TROP_TOKENIZER_BLANKS,
           "a\xe2\x96\x81\xe2\x96\x81"
           "b",
           "a|\xe2\x96\x81|\xe2\x96\x81"
           "b");
}

static void patterns_agree_with_tokenizers(void **state)
{
    (void)state;
    static const enum trop_tokenizer_split splits[] = { TROP_TOKENIZER_GPT2, TROP_TOKENIZER_LLAMA3,
                                                        TROP_TOKENIZER_QWEN2 };
    const int cases = (int)(sizeof split_cases / sizeof *split_cases);

    assert_true(cases >= 100);
    for (int k = 0; k < cases * 3; k++) {
        const char *text = split_cases[k / 3].text;
        const unsigned char *wanted = split_cases[k / 3].pieces[k % 3];
        const int64_t size = (int64_t)strlen(text);
        for (int64_t at = 0; at < size; wanted++) {
            const int64_t end = trop_tokenizer_piece(splits[k % 3], text, at, size);
            if (end - at != *wanted) {
                print_message("pattern %d, byte %d: %s\n", k % 3, (int)at, text);
            }
            assert_int_equal(end - at, *wanted);
            at = end;
        }
        assert_int_equal(*wanted, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_are_told_apart_by_pattern),
        cmocka_unit_test(blanks_and_line_ends_go_with_what_the_pattern_says),
        cmocka_unit_test(contractions_without_case_know_the_long_s),
        cmocka_unit_test(marks_begin_pieces),
        cmocka_unit_test(patterns_agree_with_tokenizers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
