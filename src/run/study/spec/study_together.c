/* study_together.c -- lists of a study that go side by side: several axes as one. */
#include "run/study/spec/study_read.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

#define SIDE_BY_SIDE 1000000 /* values of a range that stand beside others */
#define GROUP_MAX 32

/* The axis of a name; refuses one that has none of its own. */
static enum trop_status find(int64_t *out, const struct trop_study_spec *spec,
                             const struct trop_setup *setup, const char *name)
{
    struct trop_setup_place place;

    if (trop_setup_locate(&place, setup, name) != TROP_OK) {
        return trop_fail(TROP_ERR_ARG, "together: %s", trop_error());
    }
    for (int64_t a = 0; a < spec->axes_count; a++) {
        for (int64_t k = 0; k < spec->axes[a].width; k++) {
            if (strcmp(spec->axes[a].names[k], place.option->name) == 0) {
                *out = a;
                return spec->axes[a].width == 1
                           ? TROP_OK
                           : trop_fail(TROP_ERR_ARG, "together: %s already goes with others", name);
            }
        }
    }
    return trop_fail(TROP_ERR_ARG, "together: %s has no list of its own in the file", name);
}

static enum trop_status texts_of(char **out, struct trop_study_spec *spec, int64_t axis)
{
    const struct trop_study_axis *from = spec->axes + axis;
    char text[64];

    for (int64_t v = 0; v < from->count; v++) {
        if (from->texts) {
            out[v] = from->texts[v];
            continue;
        }
        trop_study_range_text(text, sizeof text, from, v);
        out[v] = trop_study_spec_copy(spec, text);
        if (!out[v]) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for values side by side");
        }
    }
    return TROP_OK;
}

/* The axes of a group become the first of them. */
static enum trop_status merge(struct trop_study_spec *spec, struct trop_setup *setup,
                              const int64_t *member, int64_t width)
{
    int64_t place = member[0];
    const int64_t count = spec->axes[member[0]].count;
    char **column = trop_study_spec_own(spec, count, sizeof *column);
    char **texts = trop_study_spec_own(spec, count * width, sizeof *texts);
    struct trop_study_axis *axis = trop_study_spec_axis(spec, width);
    enum trop_status status = column && texts && axis
                                  ? TROP_OK
                                  : trop_fail(TROP_ERR_MEMORY, "no memory for values side by side");

    for (int64_t k = 0; k < width && status == TROP_OK; k++) {
        axis->names[k] = spec->axes[member[k]].names[0];
        axis->numeric[k] = spec->axes[member[k]].numeric[0];
        place = member[k] < place ? member[k] : place;
        status = texts_of(column, spec, member[k]);
        for (int64_t v = 0; v < count && status == TROP_OK; v++) {
            texts[v * width + k] = column[v];
        }
    }
    if (status != TROP_OK) {
        return status;
    }
    axis->texts = texts;
    axis->count = count;
    status = trop_study_refused_judge(axis, spec, setup);
    spec->axes[place] = *axis;
    int64_t kept = 0;
    for (int64_t a = 0; a < spec->axes_count - 1; a++) {
        int gone = 0;
        for (int64_t k = 0; k < width; k++) {
            gone |= member[k] == a && a != place;
        }
        if (!gone) {
            spec->axes[kept++] = spec->axes[a];
        }
    }
    spec->axes_count = kept;
    return status;
}

static enum trop_status gather(struct trop_study_spec *spec, struct trop_setup *setup,
                               const char *const *names, int64_t width)
{
    int64_t member[GROUP_MAX];

    for (int64_t k = 0; k < width; k++) {
        enum trop_status status = find(member + k, spec, setup, names[k]);
        if (status != TROP_OK) {
            return status;
        }
        const int64_t count = spec->axes[member[k]].count, first = spec->axes[member[0]].count;
        if (count != first) {
            return trop_fail(TROP_ERR_ARG, "together: %s has %lld values, %s has %lld", names[0],
                             (long long)first, names[k], (long long)count);
        }
        if (count > SIDE_BY_SIDE) {
            return trop_fail(TROP_ERR_ARG, "together: %s has %lld values: at most 1000000",
                             names[k], (long long)count);
        }
        for (int64_t l = 0; l < k; l++) {
            if (member[l] == member[k]) {
                return trop_fail(TROP_ERR_ARG, "together: %s is given twice", names[k]);
            }
        }
    }
    return width > 1 ? merge(spec, setup, member, width)
                     : trop_fail(TROP_ERR_ARG, "together: %s stands alone: name two or more",
                                 width == 1 ? names[0] : "a list");
}

/* The names of a text, separated by commas; copies that the spec owns. */
static enum trop_status split(const char **names, int64_t *width, struct trop_study_spec *spec,
                              const char *group)
{
    char *copy = trop_study_spec_copy(spec, group);

    if (!copy) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for values side by side");
    }
    for (char *at = copy; at;) {
        char *comma = strchr(at, ',');
        if (*width == GROUP_MAX) {
            return trop_fail(TROP_ERR_ARG, "together: more than %d names", GROUP_MAX);
        }
        names[(*width)++] = at + strspn(at, " ");
        if (comma) {
            *comma++ = '\0';
        }
        at = comma;
    }
    return TROP_OK;
}

enum trop_status trop_study_together(struct trop_study_spec *spec, struct trop_setup *setup,
                                     const char *groups, int64_t items)
{
    const char *names[GROUP_MAX];
    int64_t width = 0;
    enum trop_status status = TROP_OK;
    int is_nested = 0;

    if (items < 0) {
        return trop_fail(TROP_ERR_ARG, "together: must be a list of names, [n, d]");
    }
    const char *at = groups;
    for (int64_t k = 0; k < items; k++, at += strlen(at) + 1) {
        is_nested |= strchr(at, ',') != NULL;
    }
    at = groups;
    for (int64_t k = 0; k < items && status == TROP_OK; k++, at += strlen(at) + 1) {
        width = is_nested ? 0 : width;
        status = split(names, &width, spec, at);
        if (status == TROP_OK && is_nested) {
            status = gather(spec, setup, names, width);
        }
    }
    return status == TROP_OK && !is_nested ? gather(spec, setup, names, width) : status;
}
