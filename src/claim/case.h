/* case.h -- one instance that a claim is about: named numbers and arrays.
 *
 * A case holds everything that a checker looks at: what was given or drawn (tokens, gamma, data)
 * and what was computed from it (a trajectory, a solution). The judge of a claim reads nothing
 * else, so that a case written to a file reproduces its verdict, and a case spoilt on purpose shows
 * that the judge can see it. Everything is double; whole numbers below 2^53 are exact.
 *
 * The functions of a claim (draw, work, judges, conclude) run as parts of a case. A part that
 * fails, because memory is refused or what a person gave does not fit, is left where it fails, as a
 * longjmp does: nothing after that line runs, what the part had asked for is given back, and the
 * status is that of trop_case_part. So these functions return nothing, test nothing, and free
 * nothing.
 */
#ifndef TROP_CLAIM_CASE_H
#define TROP_CLAIM_CASE_H

#define TROP_CLAIM_PROGRAM /* whose functions are these */
#include "tropism_claim.h"

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

struct trop_case_part; /* that runs */
struct trop_latents;

struct trop_case {
    uint64_t seed;           /* what is drawn is a function of seed and trial */
    int64_t trial;           /* 0, 1, ... */
    int64_t effort;          /* enum trop_case_effort */
    int64_t threads;         /* that its work may use; never changes a result */
    trop_progress *progress; /* asked by work that is long, in the thread it was called in, with its
                                own count of what is done, 0 of 1 where there is none; NULL: nobody
                                asks */
    void *context;           /* of progress */
    struct trop_case_part *part;  /* NULL: none */
    struct trop_latents *latents; /* of a draw that is searched, owned elsewhere (latent.h); NULL:
                                     random numbers are those of the generator */
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

struct trop_view trop_case_view(const struct trop_case *c, const char *name);
/* Where a row begins; the last one is -1. */
double *trop_case_view_row(struct trop_view view, int64_t row);
/* A row as an array of its own: step t of a path (steps + 1, n, d) is a cloud (n, d). */
struct trop_view trop_case_view_part(struct trop_view view, int64_t row);

/* ---- writing: an entry of that name is replaced ----
 *
 * In a part these are left when they fail; elsewhere they return why. */

enum trop_status trop_case_put(struct trop_case *c, const char *name, double value);
/* The same unless there is one already: what a draw does, so that what a person gave stays. */
enum trop_status trop_case_default(struct trop_case *c, const char *name, double value);
/* Zeros, of which the caller fills in the values; axes after the last one are 0. */
enum trop_status trop_case_make(double **out, struct trop_case *c, const char *name, int64_t a,
                                int64_t b, int64_t k);
void trop_case_drop(struct trop_case *c, const char *name);

/* ---- in a part ---- */

/* Zeros, never NULL. */
double *trop_case_zeros(struct trop_case *c, const char *name, int64_t a, int64_t b, int64_t k);
/* The same for a draw to fill in; NULL when there is such an entry already. */
double *trop_case_absent(struct trop_case *c, const char *name, int64_t a, int64_t b, int64_t k);
/* A copy of values. */
double *trop_case_copy_in(struct trop_case *c, const char *name, const double *values, int64_t a,
                          int64_t b, int64_t k);
/* Zeros that are given back when the part ends, never NULL. */
double *trop_case_scratch(const struct trop_case *c, int64_t count);
int64_t *trop_case_scratch_integers(const struct trop_case *c, int64_t count);
/* A copy of the case that is freed when the part ends. */
struct trop_case *trop_case_aside(const struct trop_case *c);
/* The same without its entries, for a run with data of its own. */
struct trop_case *trop_case_apart(const struct trop_case *c);
/* Calls release with handle when the part ends: its functions have returned by then, so that the
 * handle is none of their variables. */
void trop_case_keep(const struct trop_case *c, void *handle, void (*release)(void *handle));
/* Gives back what was asked for since the mark, in a loop that asks for much. */
void *trop_case_mark(const struct trop_case *c);
void trop_case_release(const struct trop_case *c, void *mark);
/* Leaves the part unless status is TROP_OK: the library's refusals are the part's. */
void trop_case_try(const struct trop_case *c, enum trop_status status);
/* The same where status may also be returned, outside of a part. */
enum trop_status trop_case_settle(const struct trop_case *c, enum trop_status status);
/* Refuses what a person gave, TROP_ERR_ARG, with a sentence. */
void trop_case_refuse(const struct trop_case *c, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));

/* Runs a part from its beginning to its end, or to where it fails; parts of one case may stand in
 * one another. */
enum trop_status trop_case_part(struct trop_case *c,
                                void (*part)(void *context, struct trop_case *c), void *context);
/* Runs parts k = 0 .. count - 1 side by side by c->threads workers, each in a copy of the case with
 * a worker of its own. What it adds or changes there becomes the case's. */
void trop_case_side_by_side(struct trop_case *c, int64_t count,
                            void (*part)(struct trop_case *c, int64_t k));

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
