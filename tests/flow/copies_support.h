/* copies_support.h -- copies by texts of options, for tests. */
#ifndef TROP_TESTS_COPIES_SUPPORT_H
#define TROP_TESTS_COPIES_SUPPORT_H

#include "support.h"

#include "flow/copies/copies.h"

/* "name=value name=value": options of a flow as text. */
static inline void set_all(struct trop_flow_options *o, const char *text)
{
    char words[512];

    snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        assert_ok(trop_option_set(o, trop_flow_option_table(), word, value));
    }
}

static inline struct trop_copies_options copies_of(int64_t n, int64_t d, int64_t copies,
                                                   const char *text)
{
    struct trop_copies_options o = trop_copies_options_default();

    o.flow.cloud.n = n;
    o.flow.cloud.d = d;
    o.flow.threads = 1;
    o.copies = copies;
    set_all(&o.flow, text);
    return o;
}

#endif
