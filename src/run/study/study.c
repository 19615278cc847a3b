/* study.c -- a verb at every point of a product of axes. */
#include "run/study/study.h"

#include "base/status.h"

enum trop_status trop_study_create(struct trop_study **out, const char *text, const char *name)
{
    (void)out;
    (void)text;
    (void)name;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}

enum trop_status trop_study_read(struct trop_study **out, const char *path)
{
    (void)out;
    (void)path;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}

void trop_study_free(struct trop_study *study)
{
    (void)study;
}

const char *trop_study_text(const struct trop_study *study)
{
    (void)study;
    return NULL;
}

const char *trop_study_verb(const struct trop_study *study)
{
    (void)study;
    return NULL;
}

const char *trop_study_keep(const struct trop_study *study, int64_t k)
{
    (void)study;
    (void)k;
    return NULL;
}

const char *trop_study_fixed(const char **text, const struct trop_study *study, int64_t k)
{
    (void)text;
    (void)study;
    (void)k;
    return NULL;
}

int64_t trop_study_points(const struct trop_study *study)
{
    (void)study;
    return 0;
}

int64_t trop_study_axis(const struct trop_study *study, int64_t axis)
{
    (void)study;
    (void)axis;
    return 0;
}

const char *trop_study_axis_name(const struct trop_study *study, int64_t axis, int64_t k)
{
    (void)study;
    (void)axis;
    (void)k;
    return NULL;
}

int trop_study_axis_numeric(const struct trop_study *study, int64_t axis, int64_t k)
{
    (void)study;
    (void)axis;
    (void)k;
    return 0;
}

int64_t trop_study_axis_text(char *out, int64_t size, const struct trop_study *study, int64_t axis,
                             int64_t k, int64_t value)
{
    (void)out;
    (void)size;
    (void)study;
    (void)axis;
    (void)k;
    (void)value;
    return 0;
}

int64_t trop_study_place(const struct trop_study *study, int64_t axis, int64_t point)
{
    (void)study;
    (void)axis;
    (void)point;
    return 0;
}

enum trop_status trop_study_run(struct trop_study_counts *counts, struct trop_study *study,
                                const char *folder, const struct trop_study_run_options *options,
                                trop_progress *progress, void *context)
{
    (void)counts;
    (void)study;
    (void)folder;
    (void)options;
    (void)progress;
    (void)context;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}

const char *trop_study_notice(const struct trop_study *study)
{
    (void)study;
    return NULL;
}

enum trop_status trop_study_count(struct trop_study_counts *out, const char *folder)
{
    (void)out;
    (void)folder;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}

enum trop_status trop_study_block_create(struct trop_study_block **out, struct trop_study *study,
                                         const struct trop_study_run_options *options,
                                         trop_progress *progress, void *context)
{
    (void)out;
    (void)study;
    (void)options;
    (void)progress;
    (void)context;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}

void trop_study_block_free(struct trop_study_block *block)
{
    (void)block;
}

int64_t trop_study_block_rows(const struct trop_study_block *block)
{
    (void)block;
    return 0;
}

int64_t trop_study_block_point(const struct trop_study_block *block, int64_t row)
{
    (void)block;
    (void)row;
    return 0;
}

int64_t trop_study_block_state(const struct trop_study_block *block, int64_t row)
{
    (void)block;
    (void)row;
    return 0;
}

const char *trop_study_block_sentence(const struct trop_study_block *block, int64_t row)
{
    (void)block;
    (void)row;
    return NULL;
}

enum trop_status trop_study_block_value(struct trop_value *out,
                                        const struct trop_study_block *block, int64_t row,
                                        int64_t k)
{
    (void)out;
    (void)block;
    (void)row;
    (void)k;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}

void trop_study_text_free(char *text)
{
    (void)text;
}
