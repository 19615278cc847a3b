/* bench_catalogue.c FOLDER [POINTS] -- the catalogue of a study of 10^6 points, made of four logs.
 *
 * A study of epsilon x alpha x seed that keeps four fields (5 + 1 + 8 + 9 bytes of value a point),
 * without computing it: the logs are written here. A line each: the first merge, a merge with
 * nothing new, one with one per cent that is new, a table by two axes with a condition, in seconds
 * by the clock; bytes of the catalogue for each point, in all and beside what is kept; the largest
 * memory of the process so far, in MiB, of which 64 are SQLite's pages. */
#include "base/rng.h"
#include "run/study/catalogue/study_catalogue.h"
#include "run/study/study_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOGS 4
#define KEPT 23 /* bytes of the values of a point, as SQLite stores them */

static int64_t points;
static char folder[400], text[400];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(enum trop_status status)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s\n", trop_error());
        exit(1);
    }
}

static void write_log(const struct trop_study_spec *spec, int64_t run, int64_t worker,
                      int64_t first, int64_t last)
{
    const struct trop_study_source source = { run == 0 ? "20261119T120000-1" : "20261119T130000-1",
                                              trop_version(),
                                              "tropism study run",
                                              "host",
                                              "",
                                              run };
    struct trop_study_writer *writer = NULL;

    must(trop_study_write_create(&writer, folder, spec, &source, worker));
    for (int64_t p = first; p < last; p++) {
        const struct trop_value values[] = {
            { .kind = TROP_KIND_INTEGER, .integer = p % 60 },
            { .kind = TROP_KIND_BOOLEAN, .integer = p % 2 },
            { .kind = TROP_KIND_NUMBER, .number = trop_rng_uniform(1, 0, (uint64_t)p, 0) },
            { .kind = TROP_KIND_TEXT, .text = "consensus" },
        };
        const struct trop_study_record record = { .point = p, .sentence = "", .values = values };
        must(trop_study_write_put(writer, &record));
    }
    must(trop_study_write_close(writer, 1));
}

static void line(const char *what, double seconds)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    printf("study case=%s points=%lld seconds=%.4g memory=%ld\n", what, (long long)points, seconds,
           usage.ru_maxrss / 1024);
}

static void merge(const char *what)
{
    const double before = now();

    must(trop_study_merge(folder, NULL, NULL, NULL));
    line(what, now() - before);
}

static void table(void)
{
    const struct trop_study_table_options options = {
        .by = "epsilon,alpha", .mean = "diameter", .deviation = 1, .where = "converged = 1"
    };
    struct trop_study_table *rows = NULL;
    const double before = now();

    must(trop_study_table_create(&rows, folder, &options));
    line("table", now() - before);
    trop_study_table_free(rows);
}

int main(int count, char **words)
{
    struct trop_study_spec spec = { 0 };
    char path[500], command[500];
    struct stat about;

    points = (count > 2 ? strtoll(words[2], NULL, 10) : 1000000) / 100 * 100;
    snprintf(folder, sizeof folder, "%.300s/catalogue-%lld", count > 1 ? words[1] : ".",
             (long long)getpid());
    snprintf(text, sizeof text,
             "verb: flow\nepsilon: 0:0.9:0.1\nalpha: 0.1:1:0.1\nseed: 1..%lld\n"
             "keep: [clusters, converged, diameter, certificate.kind]\n",
             (long long)points / 100);
    mkdir(folder, 0777);
    must(trop_study_spec_read(&spec, text, "study.yaml", NULL));
    snprintf(path, sizeof path, "%s/log", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/study.yaml", folder);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        return 1;
    }
    const int64_t share = (points - points / 100) / LOGS;
    for (int64_t k = 0; k < LOGS; k++) {
        write_log(&spec, 0, k, k * share, (k + 1) * share);
    }
    merge("merge");
    merge("again");
    write_log(&spec, 1, 0, LOGS * share, points);
    merge("more");
    table();
    snprintf(path, sizeof path, "%s/catalogue.sqlite", folder);
    stat(path, &about);
    const double bytes = (double)about.st_size / (double)points;
    printf("study case=bytes points=%lld all=%.1f beside=%.1f\n", (long long)points, bytes,
           bytes - KEPT);
    trop_study_spec_free(&spec);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command) == 0 ? 0 : 1;
}
