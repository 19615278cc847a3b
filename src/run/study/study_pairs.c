/* study_pairs.c -- runs of studies and questions to them, asked by texts. */
#include "run/study/study.h"

#include "base/option.h"
#include "base/status.h"

#include <math.h>
#include <stddef.h>

#define AT(type, member) #member, offsetof(struct type, member)
#define WHOLE(member) \
    { \
        AT(trop_study_run_options, member), TROP_TYPE_INT64, 0, 9e18, 0, NULL, "", NULL, NULL \
    }
#define SECONDS(member) \
    { \
        AT(trop_study_run_options, member), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL, "", NULL, NULL \
    }
#define TEXT(type, member) \
    { \
        AT(type, member), TROP_TYPE_TEXT, 0, 0, 0, NULL, "", NULL, NULL \
    }

static const struct trop_option run_table[] = {
    WHOLE(first),
    WHOLE(last),
    WHOLE(shard),
    WHOLE(shards),
    SECONDS(point_limit),
    SECONDS(time_limit),
    { AT(trop_study_run_options, extend), TROP_TYPE_FLAG, 0, 0, 0, NULL, "", NULL, NULL },
    TROP_OPTION_THREADS(AT(trop_study_run_options, threads)),
    TEXT(trop_study_run_options, command),
    { AT(trop_study_run_options, proof), TROP_TYPE_FLAG, 0, 0, 0, NULL, "", NULL, NULL },
    { 0 },
};

static const struct trop_option table_table[] = {
    TEXT(trop_study_table_options, by),
    TEXT(trop_study_table_options, mean),
    { AT(trop_study_table_options, deviation), TROP_TYPE_FLAG, 0, 0, 0, NULL, "", NULL, NULL },
    TEXT(trop_study_table_options, where),
    { 0 },
};

static void tell(double counts[TROP_STUDY_COUNTS], const struct trop_study_counts *found)
{
    counts[0] = (double)found->points;
    counts[1] = (double)found->done;
    counts[2] = (double)found->failed;
    counts[3] = (double)found->late;
    counts[4] = (double)found->left;
    counts[5] = found->seconds;
    counts[6] = (double)found->proofs;
}

enum trop_status trop_study_run_from(double counts[TROP_STUDY_COUNTS], struct trop_study *study,
                                     const char *folder, const char *const *pairs,
                                     trop_progress *progress, void *context)
{
    struct trop_study_run_options options = trop_study_run_options_default();
    struct trop_study_counts found = { 0 };
    enum trop_status status = trop_option_pairs(&options, run_table, pairs);

    if (status == TROP_OK) {
        status = trop_study_run(&found, study, folder, &options, progress, context);
    }
    tell(counts, &found); /* also of a run that was stopped */
    return status;
}

enum trop_status trop_study_count_numbers(double counts[TROP_STUDY_COUNTS], const char *folder)
{
    struct trop_study_counts found = { 0 };
    const enum trop_status status = trop_study_count(&found, folder);

    if (status == TROP_OK) {
        tell(counts, &found);
    }
    return status;
}

enum trop_status trop_study_block_create_from(struct trop_study_block **out,
                                              struct trop_study *study, const char *const *pairs,
                                              trop_progress *progress, void *context)
{
    struct trop_study_run_options options = trop_study_run_options_default();
    const enum trop_status status = trop_option_pairs(&options, run_table, pairs);

    return status == TROP_OK ? trop_study_block_create(out, study, &options, progress, context)
                             : status;
}

enum trop_status trop_study_table_create_from(struct trop_study_table **out, const char *folder,
                                              const char *const *pairs)
{
    struct trop_study_table_options options = trop_study_table_options_default();
    const enum trop_status status = trop_option_pairs(&options, table_table, pairs);

    return status == TROP_OK ? trop_study_table_create(out, folder, &options) : status;
}
