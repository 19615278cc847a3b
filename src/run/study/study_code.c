/* study_code.c -- whether points of a study run the code of a file: claims of one's own. */
#include "run/study/study_work.h"

#include "run/code.h"

#include <stdio.h>

static int of_axes(char *text, int64_t size, const struct trop_study *study)
{
    const char *name = NULL;

    for (int64_t axis = 0; trop_study_axis(study, axis) > 0; axis++) {
        for (int64_t k = 0; (name = trop_study_axis_name(study, axis, k)) != NULL; k++) {
            for (int64_t v = 0; strcmp(name, "claim") == 0 && v < trop_study_axis(study, axis);
                 v++) {
                trop_study_axis_text(text, size, study, axis, k, v);
                if (trop_code_is_file(text)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}

void trop_study_code_words(char *out, int64_t size, const struct trop_study *study)
{
    char own[600] = "";
    const char *name = NULL, *text = NULL;
    int found = of_axes(own, sizeof own, study);

    for (int64_t k = 0; !found && (name = trop_study_fixed(&text, study, k)) != NULL; k++) {
        found = strcmp(name, "claim") == 0 && trop_code_is_file(text);
        if (found) {
            snprintf(own, sizeof own, "%s", text);
        }
    }
    out[0] = '\0';
    if (found) {
        snprintf(out, (size_t)size, "%.400s: the code in this file is run", own);
    }
}
