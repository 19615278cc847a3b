/* study_failed.c -- how many points have a row without a result, and why the first of them has. */
#include "run/study/study_work.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

struct failed {
    const struct trop_study_spec *spec;
    struct trop_study_done done;
    int64_t point; /* the first; -1: none */
    int64_t status;
    char sentence[512];
};

/* A point that failed in one run and was done in another is done. */
static enum trop_status look(void *context, const struct trop_study_source *source,
                             const struct trop_study_record *record)
{
    struct failed *f = context;
    const int is_first = f->point < 0 || record->point < f->point;

    (void)source;
    if (record->state != TROP_STUDY_DONE && is_first &&
        trop_study_done_at(&f->done, record->point) != TROP_STUDY_IS_DONE) {
        f->point = record->point;
        f->status = record->status;
        snprintf(f->sentence, sizeof f->sentence, "%s", record->sentence);
    }
    return TROP_OK;
}

static int64_t count(const struct trop_study_done *done, int64_t points)
{
    int64_t failed = 0;

    for (int64_t point = 0; point < points; point++) {
        const int64_t next = trop_study_done_skip(done, point);
        const int mark = next > point ? TROP_STUDY_NONE : trop_study_done_at(done, point);
        failed += mark == TROP_STUDY_IS_FAILED || mark == TROP_STUDY_IS_LATE;
        point = next > point ? next - 1 : point;
    }
    return failed;
}

/* Whoever has the file of a study elsewhere may have taken its folder for that of the names. */
static int is_of_a_file(const struct failed *f)
{
    return f->status == TROP_ERR_IO || strncmp(f->sentence, "data", 4) == 0;
}

static void words(char *out, int64_t size, const struct failed *f)
{
    const int64_t failed = count(&f->done, f->spec->count);

    if (f->point < 0 || failed == 0) {
        return;
    }
    snprintf(out, (size_t)size, "%lld of %lld point%s failed%s, point %lld: %s%s",
             (long long)failed, (long long)f->spec->count, f->spec->count == 1 ? "" : "s",
             failed > 1 ? "; the first" : "", (long long)f->point, f->sentence,
             is_of_a_file(f)
                 ? "; names of files are relative to the folder in which the command runs"
                 : "");
}

enum trop_status trop_study_failed_words(char *out, int64_t size,
                                         const struct trop_study_spec *spec, const char *folder)
{
    struct failed f = { .spec = spec, .done.limit = -1, .point = -1 };

    out[0] = '\0';
    enum trop_status status = trop_study_done_open(&f.done, spec->count);
    if (status == TROP_OK) {
        status = trop_study_log_each(folder, spec, 0, trop_study_done_visit, &f.done);
    }
    if (status == TROP_OK) {
        status = trop_study_log_each(folder, spec, 0, look, &f);
    }
    if (status == TROP_OK) {
        words(out, size, &f);
    }
    trop_study_done_close(&f.done);
    return status;
}
