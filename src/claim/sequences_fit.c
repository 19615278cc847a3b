/* sequences_fit.c -- fits to the sequences of a case, by options as text. */
#include "claim/sequences.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct trop_fit_options trop_sequences_options(const struct trop_case *c,
                                               const struct trop_sequences *items,
                                               const char *format, ...)
{
    struct trop_fit_options o = trop_fit_options_default();
    char text[512], *at = text;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* Those of the training have a table of their own. */
    for (char *word = strtok_r(text, " ", &at); word; word = strtok_r(NULL, " ", &at)) {
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
        const int is_train = trop_option_find(trop_train_option_table(), name) != NULL;
        trop_case_options(c, is_train ? (void *)&o.train : (void *)&o,
                          is_train ? trop_train_option_table() : trop_fit_option_table(), "%s",
                          word);
    }
    o.sequences = items;
    o.train.threads = 1;
    return o;
}

static void free_fit(void *fit)
{
    trop_fit_free(fit);
}

struct trop_fit *trop_sequences_fit(const struct trop_case *c,
                                    const struct trop_fit_options *options)
{
    struct trop_fit *fit = NULL;

    trop_case_try(c, trop_fit_create(&fit, options));
    trop_case_keep(c, fit, free_fit);
    return fit;
}
