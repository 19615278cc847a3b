/* reproduction.h -- what the files of reproduction share. */
#ifndef TROP_CLAIM_REPRODUCTION_H
#define TROP_CLAIM_REPRODUCTION_H

#include "claim/claim.h"
#include "claim/outside/outside.h"
#include "run/stamp.h"

enum trop_reproduction_verdict {
    TROP_REPRODUCTION_WAITING,     /* not made yet */
    TROP_REPRODUCTION_AGREES,      /* "reproduced": the published numbers */
    TROP_REPRODUCTION_INDEPENDENT, /* "independent": numbers of an independent program, which agree
                                    */
    TROP_REPRODUCTION_DIFFERS,     /* "differs" */
    TROP_REPRODUCTION_OPEN, /* "not-decidable": a hypothesis fails, a line is open, or more than
                               half of the rows allow more than the number itself */
    TROP_REPRODUCTION_NEEDS_DATA /* "needs-data" */
};

/* One figure or table. */
struct trop_reproduction_item {
    const struct trop_claim *claim;
    int64_t verdict; /* enum trop_reproduction_verdict */
    struct trop_line *rows;
    int64_t count;
    char figure[512]; /* file of the picture; "" for none */
    char *svg;        /* the picture, for the report */
    int64_t svg_size;
    double seconds;
};

struct trop_reproduction {
    uint64_t seed;
    double start; /* of the clock */
    struct trop_reproduction_item *items;
    int64_t count;
    int64_t all; /* 1: every figure and table, with a report */
    const struct trop_claim
        *claim;                   /* of the first item, which is the one when it is not all; ... */
    const struct trop_line *rows; /* ... (count of it) once it is made */
    struct trop_outside *outside; /* the file that it is of; NULL: of a paper */
    int64_t effort, threads;
    struct trop_case *given;          /* data of the person */
    struct trop_case *kept;           /* the last one that was worked out, ... */
    const struct trop_claim *kept_of; /* ... for claims that begin with the same draw and work */
    trop_progress *progress;
    void *context;
    int64_t at; /* item that is made */
    char *out;
    char report[512]; /* file of the report; "" for none */
};

extern const char *const trop_reproduction_verdicts[];

/* reproduction_report.c: rows that are compared, and those of them that agree. */
int64_t trop_reproduction_compared(const struct trop_reproduction_item *item);
int64_t trop_reproduction_agreeing(const struct trop_reproduction_item *item);

/* reproduction_html.c: report.html, with every picture in it. */
enum trop_status trop_reproduction_html(struct trop_reproduction *r, const char *path);

#endif
