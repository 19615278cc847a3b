/* cells.c -- the verb cells: describes one cloud, its hull and its cells. */
#include "cli.h"

#include <math.h>
#include <stdio.h>

#define VERB "cells"
#define TABLE_MAX 24 /* cells that the summary lists one by one */

/* ---- the summary ------------------------------------------------------------------- */

static void print_number(const char *title, const struct trop_job *job, const char *name)
{
    struct trop_value value = cli_print_value(job, name);

    if (value.kind == TROP_KIND_NUMBER) {
        printf("%-13s%.6g\n", title, value.number);
    } else {
        printf("%-13snot known\n", title);
    }
}

/* How many entries of a list are equal to wanted. */
static int64_t count_of(const struct trop_value *list, int64_t wanted)
{
    int64_t count = 0;

    for (int64_t k = 0; k < list->shape[0]; k++) {
        count += list->integers[k] == wanted;
    }
    return count;
}

static double least(const struct trop_value *list)
{
    double value = INFINITY;

    for (int64_t k = 0; k < list->shape[0]; k++) {
        value = list->numbers[k] < value ? list->numbers[k] : value;
    }
    return value;
}

/* The cells one by one, in the plane and when they are few. */
static void print_cells(const struct trop_job *job)
{
    struct trop_value list = cli_print_value(job, "cells"),
                      owns = cli_print_value(job, "owns_cell");
    double whole = cli_print_value(job, "volume").number;

    if (list.kind != TROP_KIND_LIST || list.shape[0] > TABLE_MAX ||
        cli_print_value(job, "dimension").integer != 2) {
        return;
    }
    printf("\n%10s  %12s  %8s  %s\n", "vertex", "area", "share", "owns it");
    for (int64_t row = 0; row < list.shape[0]; row++) {
        double area = cli_print_cell(job, "cells", "area", row).number;
        char share[16] = "-"; /* an area outside double has none */
        if (whole > 0 && isfinite(whole)) {
            snprintf(share, sizeof share, "%.2f%%", 100 * area / whole);
        }
        printf("%10lld  %12.6g  %8s  %s\n",
               (long long)cli_print_cell(job, "cells", "vertex", row).integer, area, share,
               owns.integers[row] ? "yes" : "no");
    }
}

static void print_summary(const struct trop_job *job)
{
    struct trop_value obstacle = cli_print_value(job, "obstacle");

    printf("%-13s%lld\n", "tokens", (long long)cli_print_value(job, "labels").shape[0]);
    struct trop_value vertices = cli_print_value(job, "vertices"),
                      owns = cli_print_value(job, "owns_cell");
    printf("%-13s%lld\n", "dimension", (long long)cli_print_value(job, "dimension").integer);
    cli_print_list("vertices", &vertices);
    printf("%-13s%lld of %lld vertices\n", "own cell", (long long)count_of(&owns, 1),
           (long long)owns.shape[0]);
    print_number("diameter", job, "diameter");
    print_number(cli_print_value(job, "dimension").integer > 3 ? "width up to" : "width", job,
                 "width");
    print_number("volume", job, "volume");
    printf("%-13s%s%s\n", "generic", obstacle.kind == TROP_KIND_TEXT ? "no: " : "yes",
           obstacle.kind == TROP_KIND_TEXT ? obstacle.text : "");
    printf("%-13s%s\n", "voronoi", cli_print_value(job, "voronoi").integer ? "yes" : "no");
    /* Whether 0 is in the hull, and what proves it. */
    struct trop_value contains = cli_print_value(job, "contains_origin");
    printf("%-13s", "origin");
    if (contains.kind == TROP_KIND_NULL) {
        printf("too near the boundary of the hull to say\n");
    } else if (contains.integer) {
        printf("in the hull: a combination of %lld tokens\n",
               (long long)cli_print_value(job, "origin.atoms").shape[0]);
    } else {
        printf("outside the hull: at distance %.6g, at least %.6g\n",
               cli_print_value(job, "origin.distance").number,
               cli_print_value(job, "origin.lower").number);
    }
    print_number("c0", job, "c0");
    struct trop_value labels = cli_print_value(job, "labels"),
                      margins = cli_print_value(job, "margins");
    struct trop_value queries = cli_print_value(job, "query_labels");
    struct trop_value inside = cli_print_value(job, "query_inside");
    printf("%-13s%lld of %lld tokens\n", "on walls", (long long)count_of(&labels, -1),
           (long long)labels.shape[0]);
    printf("%-13s%.6g\n", "least margin", least(&margins));
    if (queries.kind != TROP_KIND_NULL) {
        printf("%-13s%lld: %lld on walls, %lld outside the hull\n", "queries",
               (long long)queries.shape[0], (long long)count_of(&queries, -1),
               (long long)count_of(&inside, -1));
    }
    cli_print_out(job);
    print_cells(job);
}

/* ---- the verb ------------------------------------------------------------------------ */

static const char notes[] =
    "The cell of a vertex v is the part of the hull that hardmax sends to v: the\n"
    "points x with <B x, v - w> at least 0 for every other vertex w. In the\n"
    "dominance cone of v (--eta) this must be at least ETA. Eroding the cone\n"
    "(--erode) leaves the points x whose ball of radius ERODE lies in it. A MATRIX\n"
    "is identity, a number times it, or a file (.npy, .csv, FILE.h5:/path,\n"
    "- for standard input).\n"
    "\n"
    "Exit status: 0 done; 1 a failure, or a file that cannot be read or written or\n"
    "has wrong contents; 2 a wrong command line or option value.\n";

static const struct cli_section sections[] = {
    { "", "In HDF5 these are the datasets of `/result`.", trop_cells_field_table, NULL },
    { "beside the result",
      "In JSON only. `tokens` (n, d) is there too when n d is at most 10000 or with\n"
      "`--print-tokens`; in HDF5 it is `/input/tokens`.",
      trop_job_stamp_table, NULL },
    { 0 },
};

const struct cli_verb cli_cells = {
    .name = VERB,
    .print = print_summary,
    .notes = notes,
    .examples = "tropism cells --init polygon --n 5\n"
                "tropism cells --tokens x.csv --key-query -1 --json\n"
                "tropism cells --tokens x.npy --query grid.npy --eta 0.05 --erode 0.03 \\\n"
                "  --out cells.h5\n",
    .sections = sections,
};
