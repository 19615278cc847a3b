/* study.c -- a study as a handle: what it is of. */
#include "run/study/study_work.h"

#include "base/alloc.h"
#include "base/status.h"
#include "io/file.h"
#include "io/folder.h"
#include "run/study/spec/study_read.h"

#include <string.h>

#define FILE_LIMIT ((int64_t)1 << 20)

static enum trop_status no_memory(void)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a study");
}

enum trop_status trop_study_create(struct trop_study **out, const char *text, const char *name)
{
    struct trop_study *study = trop_alloc(1, sizeof *study);

    if (!study) {
        return no_memory();
    }
    enum trop_status status = trop_study_spec_read(&study->spec, text, name ? name : "study", NULL);
    if (status != TROP_OK) {
        trop_alloc_free(study);
        return status;
    }
    *out = study;
    return TROP_OK;
}

enum trop_status trop_study_read(struct trop_study **out, const char *path)
{
    unsigned char *text;
    int64_t size;

    if (trop_folder_is(path)) {
        struct trop_study *study = trop_alloc(1, sizeof *study);
        enum trop_status status = study ? trop_study_spec_open(&study->spec, path, 0) : no_memory();
        if (status != TROP_OK) {
            trop_alloc_free(study);
            return status;
        }
        *out = study;
        return TROP_OK;
    }
    enum trop_status status = trop_file_read_judged(&text, &size, path, FILE_LIMIT, trop_file_text);
    if (status == TROP_OK) {
        status = trop_study_create(out, (const char *)text, path);
        trop_alloc_free(text);
    }
    return status;
}

void trop_study_free(struct trop_study *study)
{
    if (study) {
        trop_study_spec_free(&study->spec);
        trop_alloc_free(study);
    }
}

/* ---- what it is of --------------------------------------------------------------------------- */

const char *trop_study_text(const struct trop_study *study)
{
    return study->spec.text;
}

const char *trop_study_verb(const struct trop_study *study)
{
    return study->spec.verb;
}

const char *trop_study_keep(const struct trop_study *study, int64_t k)
{
    return k >= 0 && k < study->spec.keep_count ? study->spec.keep[k] : NULL;
}

const char *trop_study_fixed(const char **text, const struct trop_study *study, int64_t k)
{
    const int is_there = k >= 0 && k < study->spec.fixed_count;

    *text = is_there ? study->spec.fixed[2 * k + 1] : NULL;
    return is_there ? study->spec.fixed[2 * k] : NULL;
}

int64_t trop_study_points(const struct trop_study *study)
{
    return study->spec.count;
}

/* NULL: there is no such axis. */
static const struct trop_study_axis *axis_of(const struct trop_study *study, int64_t axis)
{
    return axis >= 0 && axis < study->spec.axes_count ? study->spec.axes + axis : NULL;
}

int64_t trop_study_axis(const struct trop_study *study, int64_t axis)
{
    const struct trop_study_axis *found = axis_of(study, axis);

    return found ? found->count : 0;
}

const char *trop_study_axis_name(const struct trop_study *study, int64_t axis, int64_t k)
{
    const struct trop_study_axis *found = axis_of(study, axis);

    return found && k >= 0 && k < found->width ? found->names[k] : NULL;
}

int trop_study_axis_numeric(const struct trop_study *study, int64_t axis, int64_t k)
{
    return trop_study_axis_name(study, axis, k) && axis_of(study, axis)->numeric[k];
}

int64_t trop_study_axis_text(char *out, int64_t size, const struct trop_study *study, int64_t axis,
                             int64_t k, int64_t value)
{
    const struct trop_study_axis *found = axis_of(study, axis);

    if (!trop_study_axis_name(study, axis, k) || value < 0 || value >= found->count) {
        if (size > 0) {
            out[0] = '\0';
        }
        return 0;
    }
    return trop_study_spec_text(out, size, &study->spec, axis, k, value);
}

int64_t trop_study_place(const struct trop_study *study, int64_t axis, int64_t point)
{
    return axis_of(study, axis) && point >= 0 && point < study->spec.count
               ? trop_study_spec_place(&study->spec, axis, point)
               : -1;
}

const char *trop_study_notice(struct trop_study *study)
{
    trop_study_lanes_why(study->notice, sizeof study->notice, &study->spec);
    if (!study->notice[0]) {
        trop_study_code_words(study->notice, sizeof study->notice, study);
    }
    return study->notice;
}

const char *trop_study_refused(struct trop_study *study)
{
    trop_study_refused_words(study->refused, sizeof study->refused, &study->spec);
    return study->refused;
}

const char *trop_study_seedless(struct trop_study *study)
{
    trop_study_seeds_words(study->seeds, sizeof study->seeds, &study->spec);
    return study->seeds;
}

const char *trop_study_failed(struct trop_study *study, const char *folder)
{
    if (trop_study_failed_words(study->failed, sizeof study->failed, &study->spec, folder) !=
        TROP_OK) {
        study->failed[0] = '\0';
    }
    return study->failed;
}

void trop_study_text_free(char *text)
{
    trop_alloc_free(text);
}
