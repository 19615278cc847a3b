/* study_names.h -- the columns of a catalogue by the names that a person writes. */
#ifndef TROP_RUN_STUDY_NAMES_H
#define TROP_RUN_STUDY_NAMES_H

#include "io/sqlite.h"

enum trop_study_names_table { TROP_STUDY_POINTS, TROP_STUDY_RESULTS, TROP_STUDY_TABLES };

struct trop_study_names {
    /* Of each table; the last ones are of options that are the same at every point. */
    char **names[TROP_STUDY_TABLES + 1];  /* NULL-ended */
    char *numeric[TROP_STUDY_TABLES + 1]; /* 1: may have numbers */
    int64_t count[TROP_STUDY_TABLES + 1];
};

/* One of them. */
struct trop_study_names_pick {
    int64_t table, column;
};

enum trop_status trop_study_names_read(struct trop_study_names *out, struct trop_sqlite *db);
void trop_study_names_free(struct trop_study_names *names);
/* The names of a list, separated by commas, of the option called so. first: in which table a name
 * is looked for first. *out is owned by the caller (trop_alloc_free). */
enum trop_status trop_study_names_list(struct trop_study_names_pick **out, int64_t *count,
                                       const struct trop_study_names *names, const char *option,
                                       const char *list, int64_t first);
const char *trop_study_names_of(const struct trop_study_names *names,
                                struct trop_study_names_pick pick);
/* What stands behind the sentence about a name that there is not: the nearest, or all. */
void trop_study_names_hint(char out[400], const struct trop_study_names *names, const char *name,
                           int64_t size);

extern const char *const trop_study_names_tables[TROP_STUDY_TABLES + 1];

#endif
