/* search.h -- a claim attacked: instances that come as near to a violation as can be found.
 *
 * What is varied, how and in which order is a function of (seed, restart): with a number of
 * restarts that the clock does not cut, the result is the same on any number of threads.
 */
#ifndef TROP_CLAIM_SEARCH_H
#define TROP_CLAIM_SEARCH_H

#include "claim/claim.h"

/* A violation by so many allowances is a refutation. */
#define TROP_SEARCH_EXCESS 1e3

struct trop_search_line {
    struct trop_line line;
    double ratio;  /* violation over allowance; of a line that holds minus its slack, as a share of
                      slack and sizes: from -1 to 0 */
    int64_t trial; /* that its instance began with */
};

struct trop_search {
    const struct trop_claim *claim;
    const struct trop_case *given; /* what stays as it is; seed, effort */
    double limit;                  /* seconds; restarts that it cuts have what they found */
    int64_t most;                  /* restarts; 0: as many as there is time for */
    int64_t threads;
    trop_progress *progress; /* told seconds, in the thread of the caller */
    void *context;

    int64_t evaluations; /* instances that were drawn and judged */
    int64_t applicable;  /* of them, with every hypothesis true and a decided conclusion */
    int64_t restarts;
    double seconds;
    int64_t refuted;      /* 1: a counterexample was found, the first restart that has one */
    double refuted_after; /* seconds; no part of the result */
    struct trop_search_line best;      /* nearest to a violation, or most violated */
    struct trop_case *nearest;         /* its case, worked out; a counterexample when refuted */
    struct trop_search_line *evidence; /* the same of each name of a line */
    int64_t evidence_count, evidence_capacity;
};

/* 1 for a claim that instances can violate; 0, with a sentence: it is refused. */
enum trop_status trop_search_check(const struct trop_claim *claim);
/* Results are there also when it was stopped. */
enum trop_status trop_search_run(struct trop_search *search);
void trop_search_free(struct trop_search *search);
/* "tokens (4, 2), B (2, 2), beta = 1": the inputs of a case. */
void trop_search_describe(char *out, int64_t room, const struct trop_claim *claim,
                          const struct trop_case *c);

#endif
