/* study_seeds.c -- whether the seeds of a study of trainings draw anything. */
#include "run/study/spec/study_read.h"
#include "run/study/study_work.h"

#include <stdio.h>
#include <string.h>

/* An option beside seed that decides whether a training draws. */
static int decides(const char *name)
{
    static const char *const names[] = { "data", "start", "batch", "n", "T", "d" };
    int found = 0;

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        found |= strcmp(name, names[k]) == 0;
    }
    return found;
}

void trop_study_seeds_words(char *out, int64_t size, const struct trop_study_spec *spec)
{
    struct trop_setup *setup = NULL;
    int has_seed = 0, is_open = 0; /* whether points decide for themselves */

    out[0] = '\0';
    for (int64_t a = 0; a < spec->axes_count; a++) {
        for (int64_t k = 0; k < spec->axes[a].width; k++) {
            has_seed |= strcmp(spec->axes[a].names[k], "seed") == 0 && spec->axes[a].count > 1;
            is_open |= decides(spec->axes[a].names[k]);
        }
    }
    if (!has_seed || is_open || strcmp(spec->verb, "train") != 0) {
        return;
    }
    if (trop_study_point_setup(&setup, spec, trop_study_refused_none(spec), 1) != TROP_OK) {
        return;
    }
    if (trop_setup_resolve(setup) == TROP_OK && trop_setup_draws_nothing(setup)) {
        snprintf(out, (size_t)size,
                 "seed: has no effect: data, start and batches are given, nothing is drawn; points "
                 "that differ in seed alone have the same result");
    }
    trop_setup_free(setup);
}
