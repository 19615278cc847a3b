/* study_refused.c -- values of an axis that their options refuse by themselves.
 *
 * A point with such a value is a row with the sentence of its option, as any point that fails; what
 * can be known before the first point is told at the start. An axis that has no other values is
 * refused as a whole: nobody waits for a study of which nothing can come.
 */
#include "run/study/spec/study_read.h"

#include "base/status.h"

#include <stdio.h>

#define VALUES_MAX 1000000 /* of a range, looked at one by one */

/* 1 when what the ends of a range are allowed, all values between them are. */
static int ends_decide(const struct trop_study_axis *axis, const struct trop_setup *setup)
{
    struct trop_setup_place place;

    if (axis->texts || !trop_setup_find(&place, setup, axis->names[0])) {
        return 0;
    }
    return axis->decimals == 0 ||
           (place.option->type != TROP_TYPE_INT64 && place.option->type != TROP_TYPE_SEED &&
            place.option->type != TROP_TYPE_COUNT);
}

static enum trop_status set(struct trop_setup *setup, const struct trop_study_axis *axis,
                            int64_t value)
{
    char room[TROP_STUDY_NUMBER];
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < axis->width && status == TROP_OK; k++) {
        status = trop_setup_set(setup, axis->names[k], trop_study_spec_value(room, axis, k, value));
    }
    return status;
}

/* Marks a value, of which trop_error tells. */
static enum trop_status mark(struct trop_study_axis *axis, struct trop_study_spec *spec,
                             int64_t value)
{
    if (!axis->refused) {
        const char *sentence = trop_study_spec_copy(spec, trop_error());
        axis->refused = trop_study_spec_own(spec, axis->count, 1);
        axis->sentence = sentence;
        if (!sentence || !axis->refused) {
            axis->refused = NULL;
            return trop_fail(TROP_ERR_MEMORY, "no memory for the values of %s", axis->names[0]);
        }
    }
    axis->refused[value] = 1;
    axis->refused_count++;
    return TROP_OK;
}

enum trop_status trop_study_refused_judge(struct trop_study_axis *axis,
                                          struct trop_study_spec *spec, struct trop_setup *setup)
{
    enum trop_status status = TROP_OK;

    axis->refused = NULL;
    axis->refused_count = axis->accepted = 0;
    if (ends_decide(axis, setup)) {
        status = set(setup, axis, 0);
        status = status == TROP_OK ? set(setup, axis, axis->count - 1) : status;
        if (status != TROP_ERR_ARG || axis->count > VALUES_MAX) {
            return status;
        }
    }
    for (int64_t value = 0; value < axis->count; value++) {
        status = set(setup, axis, value);
        if (status == TROP_ERR_ARG) {
            status = mark(axis, spec, value);
        } else if (axis->refused_count == value) {
            axis->accepted = value;
        }
        if (status != TROP_OK) {
            return status;
        }
    }
    return axis->refused_count < axis->count ? TROP_OK
                                             : trop_fail(TROP_ERR_ARG, "%s", axis->sentence);
}

int trop_study_refused_point(const struct trop_study_spec *spec, int64_t point)
{
    int found = 0;

    for (int64_t a = 0; a < spec->axes_count && !found; a++) {
        found =
            spec->axes[a].refused && spec->axes[a].refused[trop_study_spec_place(spec, a, point)];
    }
    return found;
}

int64_t trop_study_refused_none(const struct trop_study_spec *spec)
{
    int64_t point = 0;

    for (int64_t a = 0; a < spec->axes_count; a++) {
        point += spec->axes[a].accepted * spec->axes[a].stride;
    }
    return point;
}

/* How many points have no refused value: of each axis its others. */
static int64_t count_accepted(const struct trop_study_spec *spec)
{
    int64_t count = 1;

    for (int64_t a = 0; a < spec->axes_count; a++) {
        count *= spec->axes[a].count - spec->axes[a].refused_count;
    }
    return count;
}

void trop_study_refused_words(char *out, int64_t size, const struct trop_study_spec *spec)
{
    const int64_t refused = spec->count - count_accepted(spec);
    char more[64];
    int64_t used = 0;

    out[0] = '\0';
    if (refused == 0) {
        return;
    }
    used = snprintf(out, (size_t)size, "%lld of %lld points will be refused", (long long)refused,
                    (long long)spec->count);
    for (int64_t a = 0, told = 0; a < spec->axes_count && used < size; a++) {
        const struct trop_study_axis *axis = spec->axes + a;
        if (!axis->refused) {
            continue;
        }
        snprintf(more, sizeof more, " (and %lld more value%s)", (long long)axis->refused_count - 1,
                 axis->refused_count == 2 ? "" : "s");
        used += snprintf(out + used, (size_t)(size - used), "%s %.400s%s", told++ ? ";" : ":",
                         axis->sentence, axis->refused_count > 1 ? more : "");
    }
}
