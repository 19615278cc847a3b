/* md_table.c -- several training runs side by side, for tables and figures. */
#include "claim/md/md_tables.h"

#include "tropism_lab.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const double trop_md_table_exponents[TROP_MD_TABLE_RUNS] = { 1.75, 2, 3 };

void trop_md_table_draw(struct trop_case *c)
{
    trop_md_named(c, "attsvm", TROP_DATASET_SEED, 1);
    trop_md_optimal(c);
}

/* ---- runs and solutions ---- */

void trop_md_table_run(struct trop_case *c, int64_t k, const char *format, ...)
{
    char prefix[16], text[256];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(prefix, sizeof prefix, "run%d", (int)k);
    trop_md_run(c, prefix, "%s", text);
}

void trop_md_table_solutions(struct trop_case *c, const double *exponents, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        char name[16];
        snprintf(name, sizeof name, "mm%d", (int)k);
        trop_md_solution(c, name, exponents[k]);
    }
}

/* ---- reading ---- */

struct trop_view trop_md_table_view(const struct trop_case *c, const char *format, int64_t k)
{
    char entry[32];

    snprintf(entry, sizeof entry, format, (int)k);
    return trop_case_view(c, entry);
}

const double *trop_md_table_after(const struct trop_case *c, int64_t k, int64_t step)
{
    const struct trop_view steps = trop_md_table_view(c, "run%d_step", k);

    for (int64_t row = 0; row < steps.rows; row++) {
        if ((int64_t)steps.at[row] == step) {
            return trop_case_view_row(trop_md_table_view(c, "run%d_weights", k), row);
        }
    }
    return NULL;
}

double trop_md_table_distance(const struct trop_case *c, int64_t k, int64_t step)
{
    const struct trop_view solution = trop_md_table_view(c, "mm%d", k);
    const double *w = trop_md_table_after(c, k, step);

    return w ? trop_md_direction(solution.at, w, solution.rows * solution.columns,
                                 trop_md_table_exponents[k])
             : (double)NAN;
}

struct trop_dot trop_md_table_published(double size)
{
    return (struct trop_dot){ .colour = TROP_COLOUR_BLACK, .mark = TROP_MARK_CIRCLE, .size = size };
}

/* ---- hypotheses ---- */

void trop_md_table_is_best(struct trop_judge *judge, const struct trop_case *c)
{
    for (int64_t k = 0; k < TROP_CASE_ENTRIES; k++) {
        char entry[32];
        snprintf(entry, sizeof entry, "run%d_alpha", (int)k);
        trop_md_is_selected(judge, c, entry);
    }
}

void trop_md_table_is_size(struct trop_judge *judge, const struct trop_case *c, int64_t n,
                           int64_t T, int64_t d)
{
    const int64_t sizes[] = { n, T, d };

    for (int64_t k = 0; k < 3; k++) {
        trop_judge_near(judge, "a size of the data", -1, (double)trop_case_size(c, "X", k),
                        (double)sizes[k], 0);
    }
}

void trop_md_table_is_published(struct trop_judge *judge, const struct trop_case *c)
{
    trop_md_table_is_size(judge, c, 6, 8, 10);
}
