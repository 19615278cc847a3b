/* sample.c -- tables over random runs. */
#include "claim/sample.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "base/status.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SIGMAS 4 /* a difference of two sample means may be this many standard deviations */
#define MOST_BARS 16

/* ---- filling ---- */

struct filling {
    const struct trop_case *c;
    trop_sample_run *one;
    double *values;  /* (rows, runs, columns) */
    int64_t *failed; /* (rows, runs) */
    int64_t rows, runs, columns;
    _Atomic int64_t done;
    _Atomic int stopped;
};

/* A run is a part of a case of its own, which has the entries of the whole. */
struct run {
    const struct filling *f;
    int64_t row, run;
};

static void part_of_run(void *context, struct trop_case *c)
{
    const struct run *r = context;
    const struct filling *f = r->f;

    f->one(f->values + (r->row * f->runs + r->run) * f->columns, c, r->row, r->run);
}

static enum trop_status fill_one(const struct filling *f, int64_t k)
{
    /* Neighbouring jobs are of different rows, so that every worker gets its share of slow rows. */
    struct run r = { f, k % f->rows, k / f->rows };
    struct trop_case own = *f->c;
    own.part = NULL;
    own.progress = NULL;
    own.threads = 1;
    return trop_case_part(&own, part_of_run, &r);
}

/* Progress is asked in the thread that called, which is worker 0. */
static void fill(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct filling *f = context;

    for (int64_t k = first; k < last && !atomic_load(&f->stopped); k++) {
        f->failed[k] = fill_one(f, k) != TROP_OK;
        const int64_t done = atomic_fetch_add(&f->done, 1) + 1;
        if (worker == 0 && f->c->progress &&
            f->c->progress(f->c->context, done, f->rows * f->runs)) {
            atomic_store(&f->stopped, 1);
        }
    }
}

void trop_sample_runs(struct trop_case *c, const char *name, int64_t rows, int64_t runs,
                      int64_t columns, trop_sample_run *one)
{
    struct filling f = { .c = c,
                         .one = one,
                         .values = trop_case_zeros(c, name, rows, runs, columns),
                         .failed = trop_case_scratch_integers(c, rows * runs),
                         .rows = rows,
                         .runs = runs,
                         .columns = columns };

    trop_parallel(c->threads, rows * runs, fill, &f);
    if (atomic_load(&f.stopped) && atomic_load(&f.done) < rows * runs) {
        trop_case_try(c, trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld runs",
                                   (long long)atomic_load(&f.done), (long long)(rows * runs)));
    }
    /* The error message belongs to the thread in which the run failed, so a failed run is repeated
     * in this thread. */
    for (int64_t k = 0; k < rows * runs; k++) {
        if (f.failed[k]) {
            double *out = f.values + (k % rows * runs + k / rows) * columns;
            memset(out, 0, (size_t)columns * sizeof *out);
            trop_case_try(c, fill_one(&f, k));
        }
    }
}

uint64_t trop_sample_seed(const struct trop_case *c, int64_t row, int64_t run)
{
    return trop_rng_bits(c->seed + (uint64_t)c->trial, TROP_RNG_RUNS, (uint64_t)row, (uint64_t)run);
}

enum trop_status trop_sample_shape(const struct trop_case *c, const char *name, int64_t a,
                                   int64_t b, int64_t k)
{
    const int fits = trop_case_size(c, name, 0) == a && trop_case_size(c, name, 1) == b &&
                     trop_case_size(c, name, 2) == k;

    if (!trop_case_has(c, name) || fits) {
        return TROP_OK;
    }
    return trop_case_settle(c, trop_fail(TROP_ERR_ARG,
                                         "%s: its shape must be (%lld, %lld, %lld), 0 for no axis",
                                         name, (long long)a, (long long)b, (long long)k));
}

int64_t trop_sample_effort(const struct trop_case *c, int64_t few, int64_t some, int64_t all)
{
    return c->effort == TROP_CASE_TINY ? few : c->effort == TROP_CASE_QUICK ? some : all;
}

void trop_sample_sizes(struct trop_case *c, const struct trop_sample_size *sizes)
{
    for (; sizes->name; sizes++) {
        trop_tokens_count(c, sizes->name,
                          (double)trop_sample_effort(c, sizes->few, sizes->some, sizes->all),
                          (double)sizes->least, (double)sizes->most);
    }
}

/* ---- reading ---- */

static double at(const struct trop_case *c, const char *name, int64_t row, int64_t run,
                 int64_t column)
{
    const int64_t runs = trop_case_size(c, name, 1), columns = trop_case_size(c, name, 2);

    return trop_case_array(c, name)[(row * runs + run) * columns + column];
}

void trop_sample_summary(struct trop_sample_summary *out, const struct trop_case *c,
                         const char *name, int64_t row, int64_t column)
{
    const int64_t runs = trop_case_size(c, name, 1);
    double sum = 0, squares = 0;

    *out = (struct trop_sample_summary){ 0 };
    for (int64_t run = 0; run < runs; run++) {
        const double value = at(c, name, row, run, column);
        out->runs += !isnan(value);
        sum += isnan(value) ? 0 : value;
    }
    out->mean = sum / (double)out->runs;
    for (int64_t run = 0; run < runs; run++) {
        const double gap = at(c, name, row, run, column) - out->mean;
        squares += isnan(gap) ? 0 : gap * gap;
    }
    out->deviation = sqrt(squares / (double)out->runs);
    out->error = sqrt(squares / (double)out->runs / fmax(1, (double)out->runs - 1));
}

struct trop_sample_summary trop_sample_of(const struct trop_case *c, const char *name, int64_t row,
                                          int64_t column)
{
    struct trop_sample_summary s;

    trop_sample_summary(&s, c, name, row, column);
    return s;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int64_t trop_sample_sorted(double *out, const struct trop_case *c, const char *name, int64_t row,
                           int64_t column)
{
    int64_t count = 0;

    for (int64_t run = 0; run < trop_case_size(c, name, 1); run++) {
        const double value = at(c, name, row, run, column);
        if (!isnan(value)) {
            out[count++] = value;
        }
    }
    qsort(out, (size_t)count, sizeof *out, ascending);
    return count;
}

/* ---- lines ---- */

/* 4 s sqrt(1/N + 1/M), and half a unit of what is printed. */
static double allowance(double deviation, double runs, struct trop_sample_published published)
{
    const double spread = fmax(deviation, published.least);

    return SIGMAS * spread * sqrt(1 / runs + 1 / published.runs) + published.unit / 2;
}

void trop_sample_mean(struct trop_judge *judge, const char *line, const struct trop_case *c,
                      const char *name, int64_t row, int64_t column,
                      struct trop_sample_published published)
{
    struct trop_sample_summary s;

    trop_sample_summary(&s, c, name, row, column);
    trop_judge_near(judge, line, -1, s.mean, published.value,
                    allowance(s.deviation, (double)s.runs, published));
}

void trop_sample_share(struct trop_judge *judge, const char *line, const struct trop_case *c,
                       const char *name, int64_t row, int64_t column,
                       struct trop_sample_published published)
{
    struct trop_sample_summary s;

    trop_sample_summary(&s, c, name, row, column);
    /* Binomial, by our share or by theirs, and never below that of one run in a thousand. */
    const double theirs = published.value * (100 - published.value);
    const double ours = 1e4 * s.mean * (1 - s.mean);
    const double deviation = sqrt(fmax(fmax(theirs, ours), 10));
    trop_judge_near(judge, line, -1, 100 * s.mean, published.value,
                    allowance(deviation, (double)s.runs, published));
}

void trop_sample_ratio(struct trop_judge *judge, const char *line, const struct trop_case *c,
                       const char *name, int64_t row, int64_t over, int64_t under,
                       struct trop_sample_published published)
{
    const int64_t runs = trop_case_size(c, name, 1);
    double top = 0, bottom = 0, squares = 0;

    for (int64_t run = 0; run < runs; run++) {
        top += at(c, name, row, run, over);
        bottom += at(c, name, row, run, under);
    }
    /* The deviation of a ratio of sums is that of o - ratio u, over the mean of u. */
    for (int64_t run = 0; run < runs; run++) {
        const double rest =
            at(c, name, row, run, over) - top / bottom * at(c, name, row, run, under);
        squares += rest * rest;
    }
    const double deviation = 100 * sqrt(squares / (double)runs) / (bottom / (double)runs);
    trop_judge_near(judge, line, -1, 100 * top / bottom, published.value,
                    allowance(deviation, (double)runs, published));
}

/* The published median is inside our interval of order statistics: 2 sqrt(N) ranks are 4 binomial
 * deviations of the rank of the true one, and sqrt(1 + N/M) allows for theirs. */
void trop_sample_median(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        const char *name, int64_t row, int64_t column,
                        struct trop_sample_published published)
{
    double *sorted = trop_case_scratch(c, trop_case_size(c, name, 1));
    const int64_t runs = trop_sample_sorted(sorted, c, name, row, column);
    const double ranks = SIGMAS / 2 * sqrt((double)runs * (1 + (double)runs / published.runs));
    const int64_t middle = (runs - 1) / 2, away = (int64_t)ceil(ranks);
    const double median = runs ? (sorted[middle] + sorted[runs / 2]) / 2 : NAN;
    const int64_t low = middle - away > 0 ? middle - away : 0;
    const int64_t high = runs / 2 + away < runs ? runs / 2 + away : runs - 1;
    const double room = runs == 0                  ? NAN
                        : published.value > median ? sorted[high] - median
                                                   : median - sorted[low];
    trop_judge_near(judge, line, -1, median, published.value, room + published.unit / 2);
}

void trop_sample_few(struct trop_judge *judge, const char *line, const struct trop_case *c,
                     const char *name, int64_t row, int64_t column,
                     struct trop_sample_published published)
{
    struct trop_sample_summary s;

    trop_sample_summary(&s, c, name, row, column);
    const double n = (double)s.runs;
    trop_judge_near(judge, line, -1, s.mean, published.value,
                    SIGMAS * s.error * sqrt(1 + n / published.runs) * (1 + 5 / n) +
                        published.unit / 2);
}

void trop_sample_beside(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        const char *name, int64_t row, int64_t column,
                        struct trop_sample_published published)
{
    trop_judge_beside(judge, line, trop_sample_of(c, name, row, column).mean, published.value);
}

/* ---- bars ---- */

void trop_sample_bars(struct trop_panel *panel, const struct trop_case *c, const char *name,
                      int64_t column, double factor, const double *published, const char *legend,
                      const char *const *names, int64_t rows)
{
    const char *const legends[] = { "ours", legend };
    double values[2 * MOST_BARS], x[MOST_BARS], y[MOST_BARS], error[MOST_BARS];

    for (int64_t k = 0; k < rows && k < MOST_BARS; k++) {
        struct trop_sample_summary s;
        trop_sample_summary(&s, c, name, k, column);
        values[2 * k] = y[k] = factor * s.mean;
        values[2 * k + 1] = published[k];
        x[k] = (double)k - .2; /* the middle of the first of two bars */
        error[k] = SIGMAS * factor * s.deviation / sqrt((double)s.runs);
    }
    trop_panel_names_x(panel, names, rows);
    trop_panel_bars(panel, values, rows, 2, legends);
    trop_panel_errors(panel, x, y, error, rows, (struct trop_pen){ .colour = TROP_COLOUR_BLACK });
}
