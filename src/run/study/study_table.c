/* study_table.c -- questions to the catalogue. */
#include "run/study/study.h"

#include "base/status.h"

enum trop_status trop_study_table_create(struct trop_study_table **out, const char *folder,
                                         const struct trop_study_table_options *options)
{
    (void)out;
    (void)folder;
    (void)options;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}

void trop_study_table_free(struct trop_study_table *table)
{
    (void)table;
}

int64_t trop_study_table_rows(const struct trop_study_table *table)
{
    (void)table;
    return 0;
}

const char *trop_study_table_column(const struct trop_study_table *table, int64_t k)
{
    (void)table;
    (void)k;
    return NULL;
}

enum trop_status trop_study_table_cell(struct trop_value *out, const struct trop_study_table *table,
                                       int64_t row, int64_t k)
{
    (void)out;
    (void)table;
    (void)row;
    (void)k;
    return trop_fail(TROP_ERR_UNSUPPORTED, "study: not yet in this build");
}
