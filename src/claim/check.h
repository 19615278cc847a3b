/* check.h -- what the files of check share. */
#ifndef TROP_CLAIM_CHECK_H
#define TROP_CLAIM_CHECK_H

#include "claim/claim.h"
#include "claim/outside/outside.h"
#include "claim/search/search.h"
#include "claim/search/shrink.h"
#include "run/proof/proof.h"
#include "run/setup/setup.h"

/* A line, and the instance it is of: a trial, or exhibit k as -1 - k. */
struct trop_check_line {
    struct trop_line line;
    int64_t trial;
};

/* How often a hypothesis was the reason why an instance proves nothing. */
struct trop_check_hypothesis {
    const char *name, *meaning; /* the claim's */
    int64_t failed, open;
};

/* A spoil of a claim of one's own, and what came of it. */
struct trop_check_spoil {
    struct trop_spoil spoil;
    int64_t caught, tried; /* tried: on so many instances */
    int64_t trial;         /* on which it was caught; -1: none */
    char reason[256];      /* why it was not, on the last one; "" when it was */
};

#define TROP_CHECK_FINE 10

struct trop_check {
    const struct trop_claim *claim;
    struct trop_outside *outside; /* the file that it is of; NULL: of a paper, or repaired */
    struct trop_case *given;      /* what the person gave */
    int64_t single;               /* 1: one instance was given, and only it is judged */
    int64_t worked;               /* 1: that instance is worked out already */
    int64_t trials, effort, threads;
    trop_progress *progress; /* of the run, asked by work that is long */
    void *context;
    char *counterexample_path; /* NULL: it is not written */

    int64_t attempted, applicable, violated, open;
    int64_t known;   /* counterexamples of the registry, which come first */
    int64_t verdict; /* enum trop_verdict */
    struct trop_check_hypothesis *hypotheses;
    int64_t hypothesis_count;
    const struct trop_hypothesis *failing; /* of a single instance; NULL: none */
    struct trop_line reason;               /* its line */
    struct trop_check_line *evidence;      /* the tightest line of each name */
    int64_t evidence_count, evidence_capacity;
    struct trop_check_line *tightest; /* of the evidence; NULL: none, or not settled yet */
    struct trop_check_line first;     /* that is violated */
    struct trop_case *counterexample; /* its case */
    struct trop_case *numbers;        /* the case of a single instance, once judged; NULL: none */
    int64_t written;                  /* 1: the file of it is there */
    struct trop_case *shown;          /* what a proof of it is about; NULL: there is none */
    const char *unshown;              /* why there is none */
    int64_t shrink;                   /* 1: it is made small before */
    struct trop_shrink_told shrunk;   /* how small it became */
    char *shrunk_text;                /* what is given of it, as edit.h reads it; NULL: it was not
                                         shrunk */
    /* Of a claim of one's own, of drawn instances: */
    int64_t fine[TROP_CHECK_FINE], fine_count; /* the first ones on which it held */
    struct trop_check_spoil *spoils;
    int64_t spoil_count, caught;
    int64_t untested;            /* 1: nothing shows that it could be violated; -1: not asked */
    struct trop_check *repaired; /* the same for the repaired form; NULL: none */
    struct trop_search search;   /* limit 0: the claim is sampled */
    char instance[512];          /* the inputs of what a search found nearest, in words */
};

/* check_given.c: what the options give, as entries of the case; refuses what the claim does not
 * take. *single is 1 when an instance is given, and not numbers alone. */
enum trop_status trop_check_given(struct trop_case *given, int64_t *single,
                                  const struct trop_claim *claim, struct trop_setup *setup);
/* 1 when an entry of the case of this name can be given. */
int trop_check_takes(const struct trop_claim *claim, const char *name);
/* check_search.c: what the options ask of a search, and the search in the place of drawn trials. */
enum trop_status trop_check_search_ask(struct trop_check *check, struct trop_setup *setup);
enum trop_status trop_check_search(struct trop_check *check, trop_progress *progress,
                                   void *context);
/* check_shrink.c: makes the counterexample small, if there is one and this is asked for. */
enum trop_status trop_check_shrink(struct trop_check *check, trop_progress *progress,
                                   void *context);
/* The claim called id, or a refusal that names the nearest; of a file ("./mine.so:ID"), *outside is
 * what the caller closes after its last use of the claim, and else as it was. */
enum trop_status trop_check_claim(const struct trop_claim **out, struct trop_outside **outside,
                                  const char *id);
/* The same of a file that is open; NULL: of the papers. */
enum trop_status trop_check_find(const struct trop_claim **out, const struct trop_outside *outside,
                                 const char *id);

/* check_proof.c: settles whether the counterexample has a proof, check->shown; its kinds. */
enum trop_status trop_check_prove(struct trop_check *check);
extern const struct trop_proof_kind trop_check_proofs[];
/* Why a result has none. */
const char *trop_check_unproved(const void *numbers);

/* check_spoils.c: tries the spoils of a claim of one's own, unless an instance was given, and
 * settles check->untested. Nothing to do for those of the papers, which tests try. */
enum trop_status trop_check_spoils(struct trop_check *check);

#endif
