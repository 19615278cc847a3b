/* claim.h -- a claim of a paper: what it says, what it assumes, and the code that decides it.
 *
 * A claim is a struct trop_claim of tropism_claim.h, the header that files of other people include
 * too: one file (with its repaired form, where the printed one is false) and one line in the table
 * of its paper, list_*.c. Its functions meet in a case, as parts of it (case.h), so that they
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

/* Rows leave out what they do not have. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

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
