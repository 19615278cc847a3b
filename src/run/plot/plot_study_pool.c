/* plot_study_pool.c -- which options the points of one cell of a picture differ in. */
#include "run/plot/plot_study.h"

#include "base/status.h"

#include <stdio.h>
#include <string.h>

#define ROOM 36 /* bytes on the label of an axis; more options are counted */

/* As a person may write an option: points.NAME, and '-' for '_'. */
static int is_same(const char *written, const char *name)
{
    static const char prefix[] = "points.";

    if (!written) {
        return 0;
    }
    written += strncmp(written, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0;
    for (; *written && *name; written++, name++) {
        if (*written != *name && !(*written == '-' && *name == '_')) {
            return 0;
        }
    }
    return *written == *name;
}

/* How many values, or pairs and triples of them, the points have. */
static enum trop_status count(int64_t *out, const struct trop_plot *plot, const char *by)
{
    const struct trop_study_table_options question = { .by = by,
                                                       .mean = "results.point",
                                                       .where = plot->options.where };
    struct trop_study_table *table = NULL;
    enum trop_status status = trop_study_table_create(&table, plot->folder, &question);

    *out = status == TROP_OK ? trop_study_table_rows(table) : 0;
    trop_study_table_free(table);
    return status;
}

/* An option goes with x or y where both are of one axis: a group, or the columns of a table. */
static enum trop_status varies(int *out, const struct trop_plot *plot, const char *name,
                               const char *with)
{
    int64_t alone = 1, both = 0;
    char by[600];

    snprintf(by, sizeof by, "%.250s%s%.250s", with ? with : "", with ? "," : "", name);
    enum trop_status status = count(&both, plot, by);
    if (status == TROP_OK && with) {
        status = count(&alone, plot, with);
    }
    *out = both > alone;
    return status;
}

/* found of them before. */
static void add(struct trop_plot_study *s, int64_t found, const char *name)
{
    const size_t used = strlen(s->pooled);
    char words[128];

    trop_plot_words_of(words, name, (int64_t)strlen(name));
    if (used + strlen(words) < ROOM) {
        snprintf(s->pooled + used, sizeof s->pooled - used, "%s%.99s",
                 found == 0 ? ", over " : ", ", words);
    } else {
        snprintf(s->pooled, sizeof s->pooled, ", over %lld options", (long long)found + 1);
    }
}

enum trop_status trop_plot_study_pool(struct trop_plot_study *s, const struct trop_plot *plot)
{
    struct trop_study *study = NULL;
    const char *name;
    int64_t found = 0;

    /* A catalogue alone has no study beside it. */
    enum trop_status status = trop_study_read(&study, plot->folder);
    if (status != TROP_OK) {
        return status == TROP_ERR_MEMORY ? status : TROP_OK;
    }
    for (int64_t a = 0; status == TROP_OK && trop_study_axis(study, a) > 0; a++) {
        const char *with = NULL;
        for (int64_t k = 0; (name = trop_study_axis_name(study, a, k)); k++) {
            with = is_same(plot->options.x, name) || is_same(plot->options.y, name) ? name : with;
        }
        for (int64_t k = 0; status == TROP_OK && (name = trop_study_axis_name(study, a, k)); k++) {
            int is_pooled = 0;
            if (!is_same(plot->options.x, name) && !is_same(plot->options.y, name)) {
                status = varies(&is_pooled, plot, name, with);
            }
            if (is_pooled) {
                add(s, found++, name);
            }
        }
    }
    trop_study_free(study);
    return status;
}
