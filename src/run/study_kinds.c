/* study_kinds.c -- what a study can be: a line of the table below for each verb.
 *
 * The functions of a noun, trop_NOUN_create and so on, with their handle behind a void *.
 */
#include "run/study.h"

#include <string.h>

#define NOUN(noun) \
    static enum trop_status noun##_create(void **out, struct trop_setup *setup) \
    { \
        struct trop_##noun *made = NULL; \
        enum trop_status status = trop_##noun##_create(&made, trop_setup_##noun(setup)); \
        *out = made; \
        return status; \
    } \
    static void noun##_free(void *numbers) \
    { \
        trop_##noun##_free(numbers); \
    } \
    static const double *noun##_tokens(const void *numbers) \
    { \
        return trop_##noun##_tokens(numbers); \
    }

NOUN(cells)
NOUN(consensus)
NOUN(escape)
#undef NOUN

static enum trop_status consensus_run(void *numbers, trop_progress *progress, void *context)
{
    return trop_consensus_run(numbers, progress, context);
}

static enum trop_status escape_run(void *numbers, trop_progress *progress, void *context)
{
    return trop_escape_run(numbers, progress, context);
}

static const struct trop_study_kind kinds[] = {
    { "cells", cells_create, cells_free, NULL, cells_tokens, trop_cells_field_table },
    { "threshold", consensus_create, consensus_free, consensus_run, consensus_tokens,
      trop_consensus_field_table },
    { "escape", escape_create, escape_free, escape_run, escape_tokens, trop_escape_field_table },
};

const struct trop_study_kind *trop_study_kind(const char *verb)
{
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcmp(kinds[k].verb, verb) == 0) {
            return kinds + k;
        }
    }
    return NULL;
}
