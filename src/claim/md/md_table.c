/* md_table.c -- several training runs side by side, for tables and figures. */
#include "claim/md/md_tables.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const double trop_md_table_exponents[TROP_MD_TABLE_RUNS] = { 1.75, 2, 3 };

enum trop_status trop_md_table_data(struct trop_case *c)
{
    enum trop_status status = trop_examples_named(c, "attsvm", 0, 0, 0, TROP_DATASET_SEED);

    if (status == TROP_OK) {
        status = trop_md_check(c, 1);
    }
    return status == TROP_OK ? trop_md_optimal(c) : status;
}

/* ---- runs ---- */

struct runs {
    const struct trop_case *c;
    const struct trop_train_options *options;
    struct trop_train **trains; /* (count) */
    enum trop_status *statuses; /* (count) */
};

static void run_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct runs *r = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        r->statuses[k] = trop_md_trained(r->trains + k, r->c, r->options + k);
    }
}

static enum trop_status keep_all(struct trop_case *c, const struct runs *r, int64_t count)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        char prefix[16];
        snprintf(prefix, sizeof prefix, "run%d", (int)k);
        status = r->statuses[k] == TROP_OK
                     ? trop_md_history(c, r->trains[k], prefix)
                     : trop_fail(r->statuses[k], "run %lld could not be made", (long long)k);
    }
    return status;
}

enum trop_status trop_md_table_runs(struct trop_case *c, const struct trop_train_options *options,
                                    int64_t count)
{
    struct runs r = { .c = c,
                      .options = options,
                      .trains = trop_alloc(count, sizeof *r.trains),
                      .statuses = trop_alloc(count, sizeof *r.statuses) };
    enum trop_status status = TROP_ERR_MEMORY;

    if (r.trains && r.statuses) {
        trop_parallel(c->threads, count, run_some, &r);
        status = keep_all(c, &r, count);
    }
    for (int64_t k = 0; r.trains && k < count; k++) {
        trop_train_free(r.trains[k]);
    }
    trop_alloc_free(r.trains);
    trop_alloc_free(r.statuses);
    return status;
}

enum trop_status trop_md_table_solve(struct trop_case *c, const double *exponents, int64_t count)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        char name[16];
        snprintf(name, sizeof name, "mm%d", (int)k);
        status = trop_md_solve(c, exponents[k], TROP_MODEL_CROSS, name);
    }
    return status;
}

/* ---- reading ---- */

const double *trop_md_table_weights(const struct trop_case *c, int64_t k, int64_t step)
{
    char entry[32];

    snprintf(entry, sizeof entry, "run%d", (int)k);
    const int64_t row = trop_md_row(c, entry, step);
    snprintf(entry, sizeof entry, "run%d_weights", (int)k);
    return row < 0 ? NULL : trop_case_array(c, entry) + row * trop_case_size(c, entry, 1);
}

double trop_md_table_divergence(const struct trop_case *c, int64_t k, int64_t step)
{
    const double *w = trop_md_table_weights(c, k, step);
    char entry[32];

    snprintf(entry, sizeof entry, "mm%d", (int)k);
    const int64_t n = trop_case_size(c, entry, 0) * trop_case_size(c, entry, 1);
    return w ? trop_md_direction(trop_case_array(c, entry), w, n, trop_md_table_exponents[k])
             : (double)NAN;
}

void trop_md_table_name(char out[64], double p, const char *what)
{
    snprintf(out, 64, "p = %g: %s", p, what);
}

/* ---- hypotheses ---- */

enum trop_status trop_md_table_is_best(struct trop_judge *judge, const struct trop_case *c)
{
    const double *best = trop_case_array(c, "alpha");

    for (int64_t k = 0; k < TROP_CASE_ENTRIES; k++) {
        char entry[32];
        snprintf(entry, sizeof entry, "run%d_alpha", (int)k);
        const double *alpha = trop_case_array(c, entry);
        for (int64_t i = 0; alpha && i < trop_case_size(c, entry, 0); i++) {
            trop_judge_truth(judge, "the best token is selected", -1, alpha[i] == best[i]);
        }
    }
    return TROP_OK;
}

enum trop_status trop_md_table_is_published(struct trop_judge *judge, const struct trop_case *c)
{
    static const int64_t sizes[] = { 6, 8, 10 };

    for (int64_t k = 0; k < 3; k++) {
        trop_judge_near(judge, "a size of the data", -1, (double)trop_case_size(c, "X", k),
                        (double)sizes[k], 0);
    }
    return TROP_OK;
}

enum trop_status trop_md_table_spoil_alpha(struct trop_case *c)
{
    double *alpha = trop_case_array(c, "run0_alpha");

    alpha[0] += alpha[0] > 0 ? -1 : 1;
    return TROP_OK;
}

enum trop_status trop_md_table_spoil_data(struct trop_case *c)
{
    const int64_t T = trop_case_size(c, "X", 1), d = trop_case_size(c, "X", 2);
    double *x = NULL;
    struct trop_case *copy = NULL;
    enum trop_status status = trop_case_copy(&copy, c);

    if (status == TROP_OK) {
        status = trop_case_make(&x, c, "X", 5, T, d);
    }
    if (status == TROP_OK) {
        memcpy(x, trop_case_array(copy, "X"), (size_t)(5 * T * d) * sizeof *x);
    }
    trop_case_free(copy);
    return status;
}
