/* case.h -- one instance that a claim is about: named numbers and arrays.
 *
 * A case holds everything that a checker looks at: what was given or drawn (tokens, gamma, data)
 * and what was computed from it (a trajectory, a solution). The judge of a claim reads nothing
 * else, so that a case written to a file reproduces its verdict, and a case spoilt on purpose shows
 * that the judge can see it. Everything is double; whole numbers below 2^53 are exact.
 */
#ifndef TROP_CLAIM_CASE_H
#define TROP_CLAIM_CASE_H

#include "tropism.h"

#define TROP_CASE_ENTRIES 64
#define TROP_CASE_RANK 3

enum trop_case_effort {
    TROP_CASE_TINY,  /* seconds for all claims together: what tests take */
    TROP_CASE_QUICK, /* reproduce --quick, and check */
    TROP_CASE_FULL   /* the sizes of the papers */
};

struct trop_case_entry {
    char name[32];
    double *values;
    int64_t rank; /* 0: one number */
    int64_t shape[TROP_CASE_RANK];
};

struct trop_case {
    uint64_t seed;           /* what is drawn is a function of seed and trial */
    int64_t trial;           /* 0, 1, ... */
    int64_t effort;          /* enum trop_case_effort */
    int64_t threads;         /* that its work may use; never changes a result */
    trop_progress *progress; /* asked by work that is long, in the thread it was called in, with its
                                own count of what is done; NULL: nobody asks */
    void *context;           /* of progress */
    int64_t count;
    struct trop_case_entry entries[TROP_CASE_ENTRIES];
};

enum trop_status trop_case_create(struct trop_case **out, uint64_t seed, int64_t trial,
                                  int64_t effort, int64_t threads);
void trop_case_free(struct trop_case *c);
enum trop_status trop_case_copy(struct trop_case **out, const struct trop_case *c);

/* ---- reading: of what is absent, 0, NULL, NaN and 0 ---- */

int trop_case_has(const struct trop_case *c, const char *name);
double *trop_case_array(const struct trop_case *c, const char *name);
double trop_case_number(const struct trop_case *c, const char *name);
int64_t trop_case_integer(const struct trop_case *c, const char *name);
/* Length along an axis. */
int64_t trop_case_size(const struct trop_case *c, const char *name, int64_t axis);

/* ---- writing: an entry of that name is replaced ---- */

enum trop_status trop_case_put(struct trop_case *c, const char *name, double value);
/* The same unless there is one already: what a draw does, so that what a person gave stays. */
enum trop_status trop_case_default(struct trop_case *c, const char *name, double value);
/* Zeros, of which the caller fills in the values; axes after the last one are 0. */
enum trop_status trop_case_make(double **out, struct trop_case *c, const char *name, int64_t a,
                                int64_t b, int64_t k);
void trop_case_drop(struct trop_case *c, const char *name);

/* ---- random numbers of this case ---- */

/* use parts the draws of one case: (use, k) names a draw, both below 2^24. */
double trop_case_uniform(const struct trop_case *c, int64_t use, int64_t k); /* on (0, 1) */
double trop_case_normal(const struct trop_case *c, int64_t use, int64_t k);
/* One of 0 .. count - 1. */
int64_t trop_case_pick(const struct trop_case *c, int64_t use, int64_t k, int64_t count);

/* ---- files: .h5, every entry a dataset /NAME ---- */

enum trop_status trop_case_write(const struct trop_case *c, const char *path, const char *id);
/* Refuses the file of another claim. */
enum trop_status trop_case_read(struct trop_case *c, const char *path, const char *id);

#endif
