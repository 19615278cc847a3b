/* sample.h -- tables over random runs: many runs of each row of a table, in parallel.
 *
 * A sample is an entry of a case, (rows, runs, columns): what run r of row k measured. It stays in
 * the case whole, so that the conclusion takes means, shares and medians from the runs themselves,
 * with the error of sampling beside each. Two samples of N and M runs of the same law have means
 * that differ by more than 4 s sqrt(1/N + 1/M) once in 16000 cases.
 */
#ifndef TROP_CLAIM_SAMPLE_H
#define TROP_CLAIM_SAMPLE_H

#include "claim/case.h"
#include "claim/judge.h"
#include "draw/figure.h"

/* Writes the columns of one run, which it finds zero: a part of a case of its own with the entries
 * of the whole, to read them, ask for scratch, and compute with one worker. Called by several
 * threads at once. */
typedef void trop_sample_run(double *out, const struct trop_case *c, int64_t row, int64_t run);

/* Fills entry name with runs of each row, by c->threads workers; c->progress may stop it between
 * two runs. */
void trop_sample_runs(struct trop_case *c, const char *name, int64_t rows, int64_t runs,
                      int64_t columns, trop_sample_run *one);

/* A seed that no other (case, row, run) has. */
uint64_t trop_sample_seed(const struct trop_case *c, int64_t row, int64_t run);

/* Refuses an entry that a person gave in another shape; b and k 0 for axes that it has not. */
enum trop_status trop_sample_shape(const struct trop_case *c, const char *name, int64_t a,
                                   int64_t b, int64_t k);

/* few, some or all, by the effort of the case. */
int64_t trop_sample_effort(const struct trop_case *c, int64_t few, int64_t some, int64_t all);
/* A list of whole numbers as entries, unless the case has them, from least to most. */
struct trop_sample_size {
    const char *name; /* NULL ends the list */
    int64_t few, some, all, least, most;
};
void trop_sample_sizes(struct trop_case *c, const struct trop_sample_size *sizes);

/* Statistics of the runs of a row. NaN marks a run that has no such number and is left out. */
struct trop_sample_summary {
    int64_t runs;
    double mean, deviation; /* of the runs, by their number */
    double error;           /* of the mean, estimated without bias */
};

void trop_sample_summary(struct trop_sample_summary *out, const struct trop_case *c,
                         const char *name, int64_t row, int64_t column);

/* The same. */
struct trop_sample_summary trop_sample_of(const struct trop_case *c, const char *name, int64_t row,
                                          int64_t column);

/* What is published of a column: a value from so many runs, printed to a multiple of unit. least is
 * the smallest standard deviation of ours that is believed: over few runs it may be too small by
 * chance. */
struct trop_sample_published {
    double value, runs, unit, least;
};

/* Judge a line each: our mean against the published one; a share in per cent, of runs that have 1;
 * the ratio of the sums of two columns in per cent; and the median. */
void trop_sample_mean(struct trop_judge *judge, const char *line, const struct trop_case *c,
                      const char *name, int64_t row, int64_t column,
                      struct trop_sample_published published);
void trop_sample_share(struct trop_judge *judge, const char *line, const struct trop_case *c,
                       const char *name, int64_t row, int64_t column,
                       struct trop_sample_published published);
void trop_sample_ratio(struct trop_judge *judge, const char *line, const struct trop_case *c,
                       const char *name, int64_t row, int64_t over, int64_t under,
                       struct trop_sample_published published);
void trop_sample_median(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        const char *name, int64_t row, int64_t column,
                        struct trop_sample_published published);
/* The mean of few runs, whose deviation is likely too small: its unbiased estimate, and (1 + 5/N)
 * of it. */
void trop_sample_few(struct trop_judge *judge, const char *line, const struct trop_case *c,
                     const char *name, int64_t row, int64_t column,
                     struct trop_sample_published published);
/* Our mean, which decides nothing, beside the published one. */
void trop_sample_beside(struct trop_judge *judge, const char *line, const struct trop_case *c,
                        const char *name, int64_t row, int64_t column,
                        struct trop_sample_published published);
/* The runs of a column in ascending order, without NaN: out (runs); returns how many. */
int64_t trop_sample_sorted(double *out, const struct trop_case *c, const char *name, int64_t row,
                           int64_t column);

/* Means of the first rows of a column, times factor, beside the published ones, with 4 deviations;
 * at most 16 rows. */
void trop_sample_bars(struct trop_panel *panel, const struct trop_case *c, const char *name,
                      int64_t column, double factor, const double *published, const char *legend,
                      const char *const *names, int64_t rows);

/* The hypothesis of all these tables: entry "runs" is at least 20, so that means are nearly normal
 * and medians have an interval; and the spoil that takes 5. */
#define TROP_SAMPLE_ENOUGH \
    { \
        "enough-runs", "at least 20 runs, so that means are nearly normal", \
            .holds = "runs >= 20", .broken = "5 runs", .edit = "runs = 5" \
    }
/* The same with five, so that the error of a mean can be estimated. */
#define TROP_SAMPLE_FIVE(meaning) \
    { \
        "enough-runs", meaning, .holds = "runs >= 5", .broken = "a single run", .edit = "runs = 1" \
    }

#endif
