/* claim.h -- a claim of a paper: what it says, what it assumes, and the code that decides it.
 *
 * A claim is one file (with its repaired form, where the printed one is false) and one line in the
 * table of its paper, list_*.c. Its functions meet in a case, as parts of it (case.h), so that they
 * return nothing:
 *
 *   draw      an instance on which every hypothesis is true, by construction or nearly always. It
 *             sets only what the case does not have yet (trop_case_default, trop_case_has), so that
 *             a person's tokens, data or gamma stay and the rest is drawn around them;
 *   work      runs the library on it and puts what the conclusion speaks of into the case;
 *   judge     of each hypothesis: reads the case, says whether it holds;
 *   conclude  reads the case, and compares. It never runs what it judges: a trajectory made wrong
 *             in the case is a wrong trajectory.
 *
 * For a figure or table, draw sets the sizes (by effort), work computes its numbers, conclude
 * compares them with the published ones by trop_judge_near, a line for each, and picture draws it.
 */
#ifndef TROP_CLAIM_CLAIM_H
#define TROP_CLAIM_CLAIM_H

#include "claim/case.h"
#include "claim/judge.h"
#include "draw/figure.h"

enum trop_claim_status {
    TROP_CLAIM_PROVED,
    TROP_CLAIM_CONJECTURED, /* stated without proof, or measured as a regularity */
    TROP_CLAIM_FALSE,       /* as printed */
    TROP_CLAIM_ARTIFACT,    /* a published number that comes from how it was computed */
    TROP_CLAIM_NEEDS_DATA,  /* outside data or networks */
    TROP_CLAIM_MEASURED,    /* a number or picture that can be made again */
    TROP_CLAIM_REFUTED      /* false, and printed by nobody: what suggests itself; derived */
};

/* Where it stands. Only numbers that a paper prints are reproduced, or artifacts. */
enum trop_claim_source {
    TROP_CLAIM_PAPER,
    TROP_CLAIM_DERIVED /* our own statement about its model; of a figure or table: the numbers are
                          those of an independent program for its set-up */
};

/* A way to make a case wrong, for the test that the judge can see it: after this, on a case that
 * was fine, the conclusion is violated or, where a hypothesis is named, that one fails and it
 * alone. */
struct trop_spoil {
    const char *meaning;    /* "one token of step 3 moved by 1e-6"; NULL ends the list */
    const char *hypothesis; /* NULL: of the conclusion */
    const char *edit; /* what changes, see edit.h; NULL: a function of tests/claim/spoils_*.c. Of a
                         hypothesis that is not late: on the drawn case, before work; else after */
};

struct trop_hypothesis {
    const char *name;    /* one word or a few with hyphens: "own-cells"; NULL ends the list */
    const char *meaning; /* "every vertex owns its cell" */
    int64_t late; /* 1: about what work computes, judged after it; else before, and work is not
                     run when it is not true */
    void (*judge)(struct trop_judge *judge, const struct trop_case *c);
    const char *broken, *edit; /* the spoil that breaks it: its meaning and edit; broken NULL: it is
                                  among the spoils of the claim */
    const char *holds;         /* "runs >= 100", see edit.h; in the place of judge */
};

/* Lists that one claim alone has, in its row: .spoils = TROP_SPOILS({ ... }, { ... }). */
/* clang-format off */
#define TROP_HYPOTHESES(...) (const struct trop_hypothesis[]){ __VA_ARGS__, { 0 } }
#define TROP_SPOILS(...) (const struct trop_spoil[]){ __VA_ARGS__, { 0 } }
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

/* Rows leave out what they do not have. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct trop_claim_run {
    void (*draw)(struct trop_case *c);
    void (*work)(struct trop_case *c);
    void (*conclude)(struct trop_judge *judge, const struct trop_case *c);
    void (*picture)(struct trop_figure *figure, const struct trop_case *c); /* or NULL */
};

struct trop_claim {
    const char *id;        /* "fw-thm-3.1": paper, kind, label */
    const char *title;     /* a few words: "hardmax with a negative definite B" */
    const char *statement; /* one sentence of our own */
    int64_t status;        /* enum trop_claim_status */
    int64_t source;        /* enum trop_claim_source */
    const char *remark;    /* what is wrong as printed, or how the checker reads it; NULL: none */
    const char *repaired;  /* id of the form that holds; NULL: none */
    const char *inputs;    /* names, of the words of its paper (vocabulary.c): "tokens A alpha" */
    const struct trop_hypothesis *hypotheses;
    struct trop_claim_run run;
    /* Sets the inputs of known counterexample k = 0, 1, ..., exhibits of them. They satisfy
     * every hypothesis. */
    void (*exhibit)(struct trop_case *c, int64_t k);
    int64_t exhibits;
    const char *const *exhibited;   /* the same by edits (edit.h), in the place of exhibit */
    const struct trop_table *table; /* of random runs (table.h): draws, works, concludes and draws
                                       the picture where there is no function above; or NULL */
    const struct trop_spoil *spoils;
    /* Of a question that experiments decide, whatever the answer: puts results into a drawn case,
     * in the place of work, on which the claim holds. What tests draw is too small to decide
     * anything. NULL: the claim is none of these. */
    void (*suppose)(struct trop_case *c);
    /* NEEDS_DATA only. Of these draw, work, conclude and picture, if there are any, are a reading
     * at a smaller scale: lines beside, which reproduce shows and nothing judges. */
    const struct trop_published *published;
    int64_t trials; /* default of check; 0: 1, as of figures and tables */
    double size[2]; /* of the picture, in points; 0: 360 x 270 */
};

/* ---- claim.c ---- */

int64_t trop_claim_count(void);
const struct trop_claim *trop_claim_at(int64_t k);
/* NULL when there is none. */
const struct trop_claim *trop_claim_find(const char *id);
/* "fw" of "fw-thm-3.1", "theorem", and "proved". */
void trop_claim_paper(char out[8], const struct trop_claim *claim);
const char *trop_claim_kind(const struct trop_claim *claim);
extern const char *const trop_claim_statuses[], *const trop_claim_sources[]; /* NULL-ended */
/* A form of fields: the id of a member that points to a claim. */
void trop_claim_told(struct trop_value *out, const void *member);
/* 1 for figures and tables: what reproduce makes. */
int trop_claim_is_shown(const struct trop_claim *claim);
/* 1 for experiments with outside data or networks, which nothing here decides. */
int trop_claim_needs_data(const struct trop_claim *claim);

/* Input k = 0, 1, ... of a claim, as its paper describes it; 0 when there are no more. */
int trop_claim_input(struct trop_input *out, const struct trop_claim *claim, int64_t k);
/* Spoil k = 0, 1, ...: those of the claim, then those of its hypotheses; 0 when there are no more.
 */
int trop_claim_spoil(struct trop_spoil *out, const struct trop_claim *claim, int64_t k);
/* The default of check. */
int64_t trop_claim_trials(const struct trop_claim *claim);
int trop_claim_has_work(const struct trop_claim *claim);
int trop_claim_has_picture(const struct trop_claim *claim);
/* 1 for a question that experiments decide: it has suppose. */
int trop_claim_is_asked(const struct trop_claim *claim);
/* 1 when both begin with the same draw and work. */
int trop_claim_begins_as(const struct trop_claim *a, const struct trop_claim *b);

/* The words of each paper, and those of all of them, NULL-ended. */
extern const struct trop_input trop_vocabulary[], trop_list_fw_words[], trop_list_lm_words[],
    trop_list_afz_words[], trop_list_mm_words[], trop_list_tf_words[], trop_list_md_words[],
    trop_list_sp_words[];

/* ---- claim_run.c: the functions of a claim, as parts of a case ---- */

enum trop_status trop_claim_draw(const struct trop_claim *claim, struct trop_case *c);
enum trop_status trop_claim_work(const struct trop_claim *claim, struct trop_case *c);
enum trop_status trop_claim_suppose(const struct trop_claim *claim, struct trop_case *c);
enum trop_status trop_claim_exhibit(const struct trop_claim *claim, struct trop_case *c, int64_t k);
enum trop_status trop_claim_assume(const struct trop_hypothesis *hypothesis,
                                   struct trop_judge *judge, struct trop_case *c);
enum trop_status trop_claim_conclude(const struct trop_claim *claim, struct trop_judge *judge,
                                     struct trop_case *c);
enum trop_status trop_claim_picture(const struct trop_claim *claim, struct trop_figure *figure,
                                    struct trop_case *c);

/* The tables, NULL-ended, in the order in which claims are listed. */
extern const struct trop_claim *const trop_list_fw[],
    *const trop_list_fw_beta[], *const trop_list_fw_figures[],
                                    *const trop_list_lm[],
                                        *const trop_list_lm_tables[],
                                            *const trop_list_afz[],
                                                *const trop_list_mm[],
                                                    *const trop_list_mm_figures[],
                                                        *const trop_list_tf[],
                                                            *const trop_list_tf_figures[],
                                                                *const trop_list_md[],
                                                                    *const trop_list_md_tables[],
                                                                        *const trop_list_sp[];

/* ---- trial.c: one instance from its draw to its verdict ---- */

enum trop_verdict {
    TROP_VERDICT_HOLDS,
    TROP_VERDICT_VIOLATED,
    TROP_VERDICT_HYPOTHESIS, /* hypothesis-fails */
    TROP_VERDICT_OPEN        /* not-decidable */
};

/* Zero-initialised; judge is owned and released by trop_trial_free. */
struct trop_trial {
    int64_t verdict;                          /* enum trop_verdict */
    const struct trop_hypothesis *hypothesis; /* that fails or is open, the first; NULL */
    int64_t hypotheses_failing;               /* how many are false */
    struct trop_line reason;                  /* its line */
    struct trop_judge judge; /* of the conclusion; set judge.keep before the call */
};

/* Judges a case that is drawn (worked 0), or worked out already (1). */
enum trop_status trop_trial_run(struct trop_trial *trial, const struct trop_claim *claim,
                                struct trop_case *c, int worked);
void trop_trial_free(struct trop_trial *trial);

#endif
