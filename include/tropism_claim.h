/* tropism_claim.h -- claims of your own, from a shared object.
 *
 * A claim is a statement with its hypotheses, and the code that decides it on instances. A file of
 * claims includes this header and no other of tropism, is compiled by
 *
 *   cc -shared -fPIC mine.c -o mine.so
 *
 * (with -I and the folder of this header, where the compiler does not look there), and then
 *
 *   tropism claims ./mine.so        lists what is in it
 *   tropism check ./mine.so         tests it, where it has one claim
 *   tropism check ./mine.so:ID      tests one of several
 *
 * treat its claims as they treat those of the papers. These commands run the code of the file, with
 * all rights of whoever calls them. docs/own-claims.md explains; examples/claims/mean.c is a whole
 * file to begin with.
 *
 * It is not linked with any library: the functions below are those of the program that loads it,
 * which hands them over when the file is opened. So a file and a program meet only where both were
 * made with the same TROP_CLAIM_ABI; another one is refused with both numbers.
 *
 * True for every function of a claim:
 *   - it is called by several threads at once, with a case each, and has no variables of its own
 *     between two calls; its random numbers are trop_case_uniform and its like, so that instances
 *     are functions of the seed and their number, and no result depends on threads;
 *   - what fails in a call below, because memory is refused or what a person gave does not fit, is
 *     left there, as by longjmp: nothing after that line runs. So results need no tests. In C++ no
 *     object with a destructor may live across such a call, and no exception may leave a function;
 *   - memory comes from trop_case_scratch, which gives it back by itself.
 */
#ifndef TROPISM_CLAIM_H
#define TROPISM_CLAIM_H

#include "tropism.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One more with every change of what is below. */
#define TROP_CLAIM_ABI 1

struct trop_case;   /* one instance: named numbers and arrays, what was given, drawn and computed */
struct trop_judge;  /* takes the lines of a hypothesis or of the conclusion */
struct trop_figure; /* of a figure of the papers */
struct trop_table;  /* likewise: of random runs */

/* ---- a claim ------------------------------------------------------------------------- */

enum trop_claim_status {
    TROP_CLAIM_CONJECTURED, /* stated without proof, or measured as a regularity */
    TROP_CLAIM_PROVED,
    TROP_CLAIM_FALSE,      /* as printed */
    TROP_CLAIM_ARTIFACT,   /* a published number that comes from how it was computed */
    TROP_CLAIM_NEEDS_DATA, /* outside data or networks */
    TROP_CLAIM_MEASURED,   /* a number or picture that can be made again */
    TROP_CLAIM_REFUTED     /* false, and printed by nobody: what suggests itself; derived */
};

/* Where it stands. Only numbers that a paper prints are reproduced, or artifacts. */
enum trop_claim_source {
    TROP_CLAIM_PAPER,
    TROP_CLAIM_DERIVED /* a statement of one's own; of a figure or table: the numbers are those of
                          an independent program for its set-up */
};

/* A way to make a case wrong, which shows that the judge can see it: after this, on a case that was
 * fine, the conclusion is violated or, where a hypothesis is named, that one fails and it alone. */
struct trop_spoil {
    const char *meaning;    /* "one token of step 3 moved by 1e-6"; NULL ends the list */
    const char *hypothesis; /* NULL: of the conclusion */
    const char *edit; /* what changes, a line of text (docs/own-claims.md): "path[2,0,0] += 1e-6".
                         Of a hypothesis that is not late: on the drawn case, before work; else
                         after. NULL, of the papers' claims alone: a function of the tests */
};

struct trop_hypothesis {
    const char *name;    /* one word or a few with hyphens: "own-cells"; NULL ends the list */
    const char *meaning; /* "every vertex owns its cell" */
    int64_t late; /* 1: about what work computes, judged after it; else before, and work is not
                     run when it is not true */
    void (*judge)(struct trop_judge *judge, const struct trop_case *c);
    const char *broken, *edit; /* the spoil that breaks it: its meaning and edit; broken NULL: it is
                                  among the spoils of the claim, or has none */
    const char *holds;         /* "runs >= 100", a line of text, in the place of judge */
};

/* Lists that one claim alone has, in its row: .spoils = TROP_SPOILS({ ... }, { ... }). */
/* clang-format off */
#define TROP_HYPOTHESES(...) (const struct trop_hypothesis[]){ __VA_ARGS__, { 0 } }
#define TROP_SPOILS(...) (const struct trop_spoil[]){ __VA_ARGS__, { 0 } }
#define TROP_INPUTS(...) (const struct trop_input[]){ __VA_ARGS__, { 0 } }
/* clang-format on */

/* An input that a person may give; it becomes an entry of the case. Arrays are described by their
 * axes. */
struct trop_input {
    const char *name;  /* NULL ends the list */
    const char *shape; /* "(n, d)"; "" for a number */
    const char *meaning;
};

/* A published number of an experiment that needs outside data. */
struct trop_published {
    const char *name; /* NULL ends the list */
    double value;
};

struct trop_claim_run {
    /* An instance on which every hypothesis is true, by construction or nearly always. It sets only
     * what the case does not have yet, so that what a person gave stays. */
    void (*draw)(struct trop_case *c);
    /* Runs the library on it, and puts what the conclusion speaks of into the case; NULL, of a file
     * of one's own: there is nothing to compute. */
    void (*work)(struct trop_case *c);
    /* Reads the case, and compares. It never runs what it judges: a trajectory made wrong in the
     * case is a wrong trajectory. */
    void (*conclude)(struct trop_judge *judge, const struct trop_case *c);
    void (*picture)(struct trop_figure *figure, const struct trop_case *c); /* or NULL */
};

struct trop_claim {
    const char *id;        /* "fw-thm-3.1": paper, kind, label; small letters, digits, - and . */
    const char *title;     /* a few words: "hardmax with a negative definite B" */
    const char *statement; /* one sentence of our own */
    int64_t status;        /* enum trop_claim_status */
    int64_t source;        /* enum trop_claim_source */
    const char *remark;    /* what is wrong as printed, or how the checker reads it; NULL: none */
    const char *repaired;  /* id of the form that holds; NULL: none */
    const char *inputs;    /* names that a person may set: "tokens A alpha", words of words or of
                              `tropism claims`: tokens, X, y, z, v, gamma, beta, steps, ... */
    const struct trop_input *words; /* what they mean; NULL: what they mean in its paper */
    const struct trop_hypothesis *hypotheses;
    struct trop_claim_run run;
    /* Sets the inputs of known counterexample k = 0, 1, ..., exhibits of them. They satisfy
     * every hypothesis. */
    void (*exhibit)(struct trop_case *c, int64_t k);
    int64_t exhibits;
    const char *const *exhibited; /* the same by lines of text, in the place of exhibit */
    const struct trop_spoil *spoils;
    int64_t trials; /* default of check; 0: 100, and 1 of figures and tables */
    double size[2]; /* of the picture, in points; 0: 360 x 270 */

    /* Of the claims of the papers alone. */
    const struct trop_table *table; /* of random runs (table.h): draws, works, concludes and draws
                                       the picture where there is no function above; or NULL */
    /* Of a question that experiments decide, whatever the answer: puts results into a drawn case,
     * in the place of work, on which the claim holds. What tests draw is too small to decide
     * anything. NULL: the claim is none of these. */
    void (*suppose)(struct trop_case *c);
    /* NEEDS_DATA only. Of these draw, work, conclude and picture, if there are any, are a reading
     * at a smaller scale: lines beside, which reproduce shows and nothing judges. */
    const struct trop_published *published;
};

/* An array with its shape, for reading several at once: an axis that it has not is 1, and an absent
 * entry has no rows. */
struct trop_view {
    double *at;
    int64_t rows, columns, depth;
};

#ifdef __cplusplus
}
#endif

#endif
