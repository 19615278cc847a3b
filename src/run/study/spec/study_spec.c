/* study_spec.c -- the file of a study, read: what varies, what is fixed, what is kept.
 *
 *   verb: flow
 *   epsilon: 0:1:0.02        a range is an axis, and so is
 *   n: [16, 32]              a list; a list of one is a value
 *   rule: localmax           what is neither is the same at every point
 *   together: [n, d]         axes that go side by side
 *   points: FILE.csv         points one by one: a column for each option
 *   keep: [clusters]         fields of the result
 *
 * Axes stand in the order of the file, the last one fastest. What the options refuse at every point
 * is refused here; what they refuse at some points, or of each other, is a row of the study.
 */
#include "run/study/spec/study_read.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/known.h"
#include "io/yaml.h"
#include "run/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX 128
#define POINTS_FILE ((int64_t)1 << 30) /* bytes of a file of points */

/* An option of the file. */
struct entry {
    const char *name, *texts; /* one behind the other */
    int64_t items;            /* -1: one text, no list */
};

struct reader {
    struct trop_study_spec *spec;
    struct trop_setup *setup; /* for the names and rules of options */
    struct entry entries[ENTRIES_MAX];
    int64_t count;
};

/* Words of a study that are no options. */
static const char *const words[] = { "verb", "keep", "together", "points", NULL };

/* ---- room ------------------------------------------------------------------------------------ */

void *trop_study_spec_own(struct trop_study_spec *spec, int64_t count, size_t size)
{
    if (spec->owned_count == spec->owned_room) {
        const int64_t room = 2 * spec->owned_room + 64;
        void **larger = trop_alloc(room, sizeof *larger);
        if (!larger) {
            return NULL;
        }
        if (spec->owned_count > 0) {
            memcpy(larger, spec->owned, (size_t)spec->owned_count * sizeof *larger);
        }
        trop_alloc_free(spec->owned);
        spec->owned = larger;
        spec->owned_room = room;
    }
    void *made = trop_alloc(count, size);
    if (made) {
        spec->owned[spec->owned_count++] = made;
    }
    return made;
}

char *trop_study_spec_copy(struct trop_study_spec *spec, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = trop_study_spec_own(spec, (int64_t)size, 1);

    return copy ? memcpy(copy, text, size) : NULL;
}

struct trop_study_axis *trop_study_spec_axis(struct trop_study_spec *spec, int64_t width)
{
    struct trop_study_axis *axes =
        trop_study_spec_own(spec, spec->axes_count + 1, sizeof *spec->axes);
    const char **names = trop_study_spec_own(spec, width, sizeof *names);
    char *numeric = trop_study_spec_own(spec, width, 1);

    if (!axes || !names || !numeric) {
        return NULL;
    }
    if (spec->axes_count > 0) {
        memcpy(axes, spec->axes, (size_t)spec->axes_count * sizeof *axes);
    }
    spec->axes = axes;
    axes += spec->axes_count++;
    *axes = (struct trop_study_axis){ .names = names, .numeric = numeric, .width = width };
    return axes;
}

void trop_study_spec_free(struct trop_study_spec *spec)
{
    for (int64_t k = 0; k < spec->owned_count; k++) {
        trop_alloc_free(spec->owned[k]);
    }
    trop_alloc_free(spec->owned);
    *spec = (struct trop_study_spec){ 0 };
}

static enum trop_status no_memory(void)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for the options of a study");
}

/* ---- the entries of the file ----------------------------------------------------------------- */

static enum trop_status take(void *context, const char *name, const char *texts, int64_t size,
                             int64_t items)
{
    struct reader *reader = context;
    char *copy = trop_study_spec_own(reader->spec, size, 1);
    const char *own_name = trop_study_spec_copy(reader->spec, name);

    if (!copy || !own_name) {
        return no_memory();
    }
    if (reader->count == ENTRIES_MAX) {
        return trop_fail(TROP_ERR_ARG, "more than %d options", ENTRIES_MAX);
    }
    if (items == 0) {
        return trop_fail(TROP_ERR_ARG, "%s: an empty list has no point", name);
    }
    memcpy(copy, texts, (size_t)size);
    reader->entries[reader->count++] = (struct entry){ own_name, copy, items };
    return TROP_OK;
}

static const struct entry *entry_of(const struct reader *reader, const char *name)
{
    for (int64_t k = 0; k < reader->count; k++) {
        if (strcmp(reader->entries[k].name, name) == 0) {
            return reader->entries + k;
        }
    }
    return NULL;
}

static int is_word(const char *name)
{
    int found = 0;

    for (int k = 0; words[k]; k++) {
        found |= strcmp(words[k], name) == 0;
    }
    return found;
}

static enum trop_status begin(struct reader *reader)
{
    const struct entry *verb = entry_of(reader, "verb");
    const char *only[] = { "verb", NULL };

    if (!verb || verb->items >= 0) {
        for (int64_t k = 0; k < reader->count && !verb; k++) {
            if (trop_known_nearest(reader->entries[k].name, only)) {
                return trop_fail(TROP_ERR_ARG, "%s: unknown option, did you mean verb?",
                                 reader->entries[k].name);
            }
        }
        return trop_fail(TROP_ERR_ARG, "verb: must be one word, such as verb: flow");
    }
    enum trop_status status = trop_setup_create(&reader->setup, verb->texts);
    if (status != TROP_OK) {
        return status;
    }
    reader->spec->verb = reader->setup->verb->name;
    return reader->setup->verb->alone
               ? trop_fail(TROP_ERR_ARG, "verb = %s: a study is of a verb that computes numbers",
                           verb->texts)
               : TROP_OK;
}

/* ---- options --------------------------------------------------------------------------------- */

/* Options that a study has no use for, and why. */
static const struct {
    const char *name, *why;
} refused[] = {
    { "out", "the results of a study go to its own folder" },
    { "report", "the results of a study go to its own folder" },
    { "proof", "write keep, and run a point of interest with --proof" },
    { "dump", "the results of a study go to its own folder" },
    { "counterexample", "the results of a study go to its own folder" },
    { "print_tokens", "name tokens in keep" },
    { "record", "write keep: [record.NAME]" },
    { "checkpoint", "a study goes on where it was stopped" },
    { "resume", "a study goes on where it was stopped" },
    { "copies", "write seed: 1..N" },
    { "betas", "write a list or a range of beta" },
    { "time_limit", "belongs to the command line: --time-limit, and --point-limit for each point" },
    { "threads", "belongs to the command line" },
};

enum trop_status trop_study_spec_locate(struct trop_setup_place *out,
                                        const struct trop_setup *setup, const char *name)
{
    if (!trop_setup_find(out, setup, name)) {
        const char *near = trop_known_nearest(name, words);
        if (near) {
            return trop_fail(TROP_ERR_ARG, "%s: unknown option, did you mean %s?", name, near);
        }
    }
    enum trop_status status = trop_setup_locate(out, setup, name);
    for (size_t k = 0; status == TROP_OK && k < sizeof refused / sizeof refused[0]; k++) {
        if (strcmp(out->option->name, refused[k].name) == 0) {
            return trop_fail(TROP_ERR_ARG, "%s: not in a study: %s", name, refused[k].why);
        }
    }
    return status;
}

static void fix(struct trop_study_spec *spec, const char *name, const char *text)
{
    spec->fixed[2 * spec->fixed_count] = name;
    spec->fixed[2 * spec->fixed_count + 1] = text;
    spec->fixed_count++;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A value that stands in a list twice would be computed twice, and nobody means that. */
static enum trop_status refuse_twice(struct trop_study_spec *spec,
                                     const struct trop_study_axis *axis)
{
    char **sorted = trop_study_spec_own(spec, axis->count, sizeof *sorted);

    if (!sorted) {
        return no_memory();
    }
    memcpy(sorted, axis->texts, (size_t)axis->count * sizeof *sorted);
    qsort(sorted, (size_t)axis->count, sizeof *sorted, compare);
    for (int64_t k = 1; k < axis->count; k++) {
        if (strcmp(sorted[k - 1], sorted[k]) == 0) {
            return trop_fail(TROP_ERR_ARG, "%s: %.80s stands in the list twice", axis->names[0],
                             sorted[k]);
        }
    }
    return TROP_OK;
}

static enum trop_status take_list(struct reader *reader, const struct entry *entry,
                                  const char *name)
{
    struct trop_study_axis *axis = trop_study_spec_axis(reader->spec, 1);
    char **texts = trop_study_spec_own(reader->spec, entry->items, sizeof *texts);
    char *at = (char *)entry->texts; /* the spec's own */
    double number;

    if (!axis || !texts) {
        return no_memory();
    }
    axis->names[0] = name;
    axis->numeric[0] = 1;
    axis->texts = texts;
    axis->count = entry->items;
    for (int64_t k = 0; k < entry->items; k++, at += strlen(at) + 1) {
        texts[k] = at;
        axis->numeric[0] = axis->numeric[0] && trop_study_range_number(&number, at);
    }
    return trop_study_refused_judge(axis, reader->spec, reader->setup);
}

/* One text: a range, or the same at every point. */
static enum trop_status take_text(struct reader *reader, const char *texts, const char *name)
{
    struct trop_study_axis range = { 0 };
    int is_range = 0;
    enum trop_status status = trop_study_range_read(&range, &is_range, name, texts);

    if (status == TROP_OK && !is_range) {
        status = trop_setup_set(reader->setup, name, texts);
        fix(reader->spec, name, texts);
    }
    if (status != TROP_OK || !is_range) {
        return status;
    }
    struct trop_study_axis *axis = trop_study_spec_axis(reader->spec, 1);
    if (!axis) {
        return no_memory();
    }
    range.names = axis->names;
    range.numeric = axis->numeric;
    range.width = 1;
    *axis = range;
    axis->names[0] = name;
    axis->numeric[0] = 1;
    return trop_study_refused_judge(axis, reader->spec, reader->setup);
}

static enum trop_status take_option(struct reader *reader, const struct entry *entry)
{
    struct trop_setup_place place;
    enum trop_status status = trop_study_spec_locate(&place, reader->setup, entry->name);

    if (status != TROP_OK) {
        return status;
    }
    const char *name = place.option->name;
    if (entry->items < 0) {
        return take_text(reader, entry->texts, name);
    }
    if (entry->items == 1) { /* a list of one is that value, also where it looks like a range */
        fix(reader->spec, name, entry->texts);
        return trop_setup_set(reader->setup, name, entry->texts);
    }
    return take_list(reader, entry, name);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static enum trop_status take_points(struct reader *reader, const struct entry *entry,
                                    const char *points)
{
    struct trop_study_spec *spec = reader->spec;
    unsigned char *bytes = NULL;
    int64_t size;

    if (entry->items >= 0) {
        return trop_fail(TROP_ERR_ARG, "points: must be the name of one file");
    }
    enum trop_status status =
        points ? TROP_OK
               : trop_file_read_judged(&bytes, &size, entry->texts, POINTS_FILE, trop_file_text);
    if (status == TROP_OK) {
        spec->points = trop_study_spec_copy(spec, points ? points : (const char *)bytes);
        status = spec->points
                     ? trop_study_points_read(spec, reader->setup, spec->points, entry->texts)
                     : no_memory();
    }
    trop_alloc_free(bytes);
    return status;
}

/* No option may be given in two ways. */
static enum trop_status refuse_rivals(const struct trop_study_spec *spec)
{
    for (int64_t a = 0; a < spec->axes_count; a++) {
        for (int64_t k = 0; k < spec->axes[a].width; k++) {
            const char *name = spec->axes[a].names[k];
            int found = 0;
            for (int64_t f = 0; f < spec->fixed_count; f++) {
                found |= strcmp(spec->fixed[2 * f], name) == 0;
            }
            for (int64_t b = 0; b < a; b++) {
                for (int64_t l = 0; l < spec->axes[b].width; l++) {
                    found |= strcmp(spec->axes[b].names[l], name) == 0;
                }
            }
            if (found) {
                return trop_fail(TROP_ERR_ARG, "%s: is an option and a column of points", name);
            }
        }
    }
    return TROP_OK;
}

static enum trop_status count_points(struct trop_study_spec *spec)
{
    spec->count = 1;
    for (int64_t a = spec->axes_count - 1; a >= 0; a--) {
        spec->axes[a].stride = spec->count;
        if (spec->axes[a].count > TROP_STUDY_POINTS / spec->count) {
            return trop_fail(TROP_ERR_ARG, "more than %lld points", (long long)TROP_STUDY_POINTS);
        }
        spec->count *= spec->axes[a].count;
    }
    return TROP_OK;
}

static enum trop_status take_entries(struct reader *reader, const char *points)
{
    struct trop_study_spec *spec = reader->spec;
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < reader->count && status == TROP_OK; k++) {
        const char *name = reader->entries[k].name;
        status = strcmp(name, "points") == 0 ? take_points(reader, reader->entries + k, points)
                 : is_word(name)             ? TROP_OK
                                             : take_option(reader, reader->entries + k);
    }
    const struct entry *together = entry_of(reader, "together");
    if (status == TROP_OK && together) {
        status = trop_study_together(spec, reader->setup, together->texts, together->items);
    }
    for (int64_t a = 0; a < spec->axes_count && status == TROP_OK; a++) {
        status = spec->axes[a].width == 1 && spec->axes[a].texts
                     ? refuse_twice(spec, spec->axes + a)
                     : TROP_OK;
    }
    if (status == TROP_OK) {
        status = refuse_rivals(spec);
    }
    return status == TROP_OK ? count_points(spec) : status;
}

static enum trop_status read_all(struct reader *reader, const char *text, const char *points)
{
    struct trop_study_spec *spec = reader->spec;
    enum trop_status status = begin(reader);

    spec->text = trop_study_spec_copy(spec, text);
    spec->fixed = trop_study_spec_own(spec, 2 * ENTRIES_MAX + 4, sizeof *spec->fixed);
    if (status == TROP_OK && (!spec->text || !spec->fixed)) {
        status = no_memory();
    }
    if (status == TROP_OK) {
        status = take_entries(reader, points);
    }
    const struct entry *keep = entry_of(reader, "keep");
    if (status == TROP_OK) {
        status = trop_study_keep_read(spec, reader->setup, keep ? keep->texts : NULL,
                                      !keep             ? 0
                                      : keep->items < 0 ? 1
                                                        : keep->items);
    }
    spec->id = status == TROP_OK ? trop_study_change_id(spec) : 0;
    return status;
}

enum trop_status trop_study_spec_read(struct trop_study_spec *out, const char *text,
                                      const char *file, const char *points)
{
    struct trop_study_spec spec = { 0 };
    struct reader *reader = trop_alloc(1, sizeof *reader);

    if (!reader) {
        return no_memory();
    }
    reader->spec = &spec;
    enum trop_status status = trop_yaml_parse_lists((const unsigned char *)text,
                                                    (int64_t)strlen(text), file, take, reader);
    if (status == TROP_OK) {
        status = read_all(reader, text, points);
        status = status == TROP_OK ? TROP_OK : trop_fail(status, "%s: %s", file, trop_error());
    }
    trop_setup_free(reader->setup);
    trop_alloc_free(reader);
    if (status != TROP_OK) {
        trop_study_spec_free(&spec);
        return status;
    }
    *out = spec;
    return TROP_OK;
}

int64_t trop_study_spec_text(char *out, int64_t size, const struct trop_study_spec *spec,
                             int64_t axis, int64_t k, int64_t value)
{
    char room[TROP_STUDY_NUMBER];

    return snprintf(out, (size_t)size, "%s",
                    trop_study_spec_value(room, spec->axes + axis, k, value));
}

const char *trop_study_spec_value(char room[TROP_STUDY_NUMBER], const struct trop_study_axis *axis,
                                  int64_t k, int64_t value)
{
    if (axis->texts) {
        return axis->texts[value * axis->width + k];
    }
    trop_study_range_text(room, TROP_STUDY_NUMBER, axis, value);
    return room;
}

int64_t trop_study_spec_place(const struct trop_study_spec *spec, int64_t axis, int64_t point)
{
    return point / spec->axes[axis].stride % spec->axes[axis].count;
}
