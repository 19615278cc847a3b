/* study_kinds.c -- what a study can be: a line of the table below for each verb.
 *
 * The functions of a noun, trop_NOUN_create and so on, with their handle behind a void *.
 */
#include "run/dump.h"
#include "run/study.h"

#include "base/status.h"

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
    }
#define CLOUD(noun) \
    static const double *noun##_tokens(const void *numbers) \
    { \
        return trop_##noun##_tokens(numbers); \
    }

NOUN(cells)
NOUN(consensus)
NOUN(escape)
NOUN(margin)
NOUN(train)
NOUN(path)
CLOUD(cells)
CLOUD(consensus)
CLOUD(escape)
#undef NOUN
#undef CLOUD

static enum trop_status consensus_run(void *numbers, trop_progress *progress, void *context)
{
    return trop_consensus_run(numbers, progress, context);
}

static enum trop_status escape_run(void *numbers, trop_progress *progress, void *context)
{
    return trop_escape_run(numbers, progress, context);
}

static enum trop_status train_run(void *numbers, trop_progress *progress, void *context)
{
    return trop_train_run(numbers, progress, context);
}

static enum trop_status path_run(void *numbers, trop_progress *progress, void *context)
{
    return trop_path_run(numbers, progress, context);
}

static enum trop_status margin_run(void *numbers, trop_progress *progress, void *context)
{
    return trop_margin_run(numbers, progress, context);
}

/* The dump is there before the solver starts, for the case that it does not come back. */
static enum trop_status margin_begin(const void *numbers, struct trop_setup *setup)
{
    const char *path = trop_setup_study(setup)->dump;
    const struct trop_margin_options *o = trop_setup_margin(setup);
    struct trop_value several = { 0 };

    if (!path) {
        return TROP_OK;
    }
    trop_margin_value(&several, numbers, "combinations");
    if (several.integer > 1) {
        return trop_fail(TROP_ERR_ARG,
                         "dump: %lld selections are problems of their own: name one token for each "
                         "input",
                         (long long)several.integer);
    }
    enum trop_status status = trop_dump_write(path, trop_margin_problem(numbers), o->norm, o->p);
    return status == TROP_OK ? TROP_OK : trop_fail(status, "dump: %s", trop_error());
}

static enum trop_status margin_put(struct trop_h5 *h5, const void *numbers)
{
    return trop_dump_put(h5, "/input/problem/", trop_margin_problem(numbers));
}

static const struct trop_study_kind kinds[] = {
    { .verb = "cells",
      .create = cells_create,
      .free = cells_free,
      .tokens = cells_tokens,
      .fields = trop_cells_field_table },
    { .verb = "threshold",
      .create = consensus_create,
      .free = consensus_free,
      .run = consensus_run,
      .tokens = consensus_tokens,
      .fields = trop_consensus_field_table },
    { .verb = "escape",
      .create = escape_create,
      .free = escape_free,
      .run = escape_run,
      .tokens = escape_tokens,
      .fields = trop_escape_field_table },
    { .verb = "margin",
      .create = margin_create,
      .free = margin_free,
      .begin = margin_begin,
      .run = margin_run,
      .fields = trop_margin_field_table,
      .put = margin_put },
    { .verb = "train",
      .create = train_create,
      .free = train_free,
      .run = train_run,
      .fields = trop_train_field_table },
    { .verb = "path",
      .create = path_create,
      .free = path_free,
      .run = path_run,
      .fields = trop_path_field_table },
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
