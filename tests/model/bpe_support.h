/* bpe_support.h -- tokenizers from texts in the test, and what they make of a text. */
#ifndef TROP_TESTS_BPE_SUPPORT_H
#define TROP_TESTS_BPE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_failing.c"
#include "base/status.h"
#include "model/text/tokenizer.h"

/* low, lower, and what they are made of: Ġ (U+0120) is a blank. */
#define BPE_VOCAB \
    "{\"l\":0,\"o\":1,\"w\":2,\"e\":3,\"r\":4,\"\xc4\xa0\":5,\"lo\":6,\"low\":7,\"er\":8," \
    "\"\xc4\xa0low\":9,\"lower\":11}"
#define BPE_MERGES "[\"l o\",\"lo w\",[\"e\",\"r\"],\"\xc4\xa0 low\"]"
#define BPE_BYTES "{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"trim_offsets\":true}"
#define BPE_MODEL(more) \
    "\"model\":{\"type\":\"BPE\",\"vocab\":" BPE_VOCAB ",\"merges\":" BPE_MERGES more "}"
#define BPE_FILE(more) "{" more "\"pre_tokenizer\":" BPE_BYTES "," BPE_MODEL("") "}"

static inline struct trop_tokenizer *bpe_open(const char *json)
{
    struct trop_tokenizer *t = NULL;

    if (trop_tokenizer_parse(&t, (const unsigned char *)json, (int64_t)strlen(json), "t.json", 0)) {
        print_message("%s\n", trop_error());
    }
    assert_non_null(t);
    return t;
}

/* Numbers, a blank behind each, and forms in brackets. */
static inline void bpe_expect(const struct trop_tokenizer *t, const char *text, const char *ids,
                              const char *forms)
{
    struct trop_tokenizer_list list = { 0 };
    char found[1000] = "", shown[1000] = "";

    if (trop_tokenizer_encode(&list, t, text, (int64_t)strlen(text))) {
        print_message("%s\n", trop_error());
        fail();
    }
    for (int64_t k = 0; k < list.count; k++) {
        snprintf(found + strlen(found), 20, "%d ", (int)list.token[k].id);
        snprintf(shown + strlen(shown), 40, "[%s]", list.forms + list.token[k].form);
        assert_int_equal(strlen(list.forms + list.token[k].form), list.token[k].size);
        assert_true(list.token[k].first <= list.token[k].last);
    }
    assert_string_equal(found, ids);
    if (forms) {
        assert_string_equal(shown, forms);
    }
    trop_tokenizer_release(&list);
}

static inline void bpe_refuse_size(const char *bytes, int64_t size, const char *name, int64_t limit,
                                   const char *sentence)
{
    struct trop_tokenizer *t = NULL;

    assert_int_equal(trop_tokenizer_parse(&t, (const unsigned char *)bytes, size, name, limit),
                     TROP_ERR_IO);
    assert_null(t);
    assert_int_equal(alloc_live, 0);
    if (sentence) {
        assert_string_equal(trop_error(), sentence);
    }
}

static inline void bpe_refuse(const char *json, const char *sentence)
{
    bpe_refuse_size(json, (int64_t)strlen(json), "t.json", 0, sentence);
}

static inline char *bpe_path(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/tests/data/%s", getenv("TROP_SOURCE"), name);
    return path;
}

#endif
