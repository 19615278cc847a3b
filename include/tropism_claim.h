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
 * all rights of whoever calls them. docs/own-claims.md explains; examples/claims/diameter.c is a
 * whole file to begin with.
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

#if defined(__GNUC__)
#define TROP_CLAIM_PRINTF(at) __attribute__((format(printf, at, at + 1)))
#define TROP_CLAIM_REFUSES __attribute__((noreturn, format(printf, 2, 3)))
#define TROP_CLAIM_HIDDEN __attribute__((visibility("hidden")))
#else
#define TROP_CLAIM_PRINTF(at)
#define TROP_CLAIM_REFUSES
#define TROP_CLAIM_HIDDEN
#endif

/* One more with every change of what is below. */
#define TROP_CLAIM_ABI 2

struct trop_case;   /* one instance: named numbers and arrays, what was given, drawn and computed */
struct trop_judge;  /* takes the lines of a hypothesis or of the conclusion */
struct trop_figure; /* what reproduce draws of a figure or table */
struct trop_panel;  /* axes in a figure */
struct trop_table;  /* of the papers' claims: of random runs */

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
    /* 1: about a limit, which conclude reads at a finite time, early enough for what draw makes. An
     * instance that fails may only be slow, so a search does not call it a refutation. */
    int64_t asymptotic;
    double size[2]; /* of the picture, in points; 0: 360 x 270 */
    /* What a counterexample comes to in exact numbers, for a proof file (docs/proofs.md): formulas
     * about entries of the case, definitions and then statements, NULL-ended. NULL: no file. */
    const char *const *shown;
    /* Puts the entries that they are about into a copy of the case, whose conclusion fails first at
     * this step (-1: at none). 0: rounding leaves open whether the statements are true of these.
     * NULL: they are there, and the statements are true wherever the conclusion fails. */
    int (*show)(struct trop_case *c, int64_t step);

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

/* ---- what the program does for a file of claims ------------------------------------------
 *
 * Called by the names further below: trop_case_put(c, "gamma", .5). Entries have names of at most
 * 31 letters, and a case has room for 64 of them. */

struct trop_claim_api {
    int64_t abi, size; /* TROP_CLAIM_ABI and the bytes of this struct, of the program */

    /* Reading an entry: of what is absent 0, NULL, NaN and 0. Everything is double; whole numbers
     * below 2^53 are exact. size is the length along an axis. */
    int (*case_has)(const struct trop_case *c, const char *name);
    double *(*case_array)(const struct trop_case *c, const char *name);
    double (*case_number)(const struct trop_case *c, const char *name);
    int64_t (*case_integer)(const struct trop_case *c, const char *name);
    int64_t (*case_size)(const struct trop_case *c, const char *name, int64_t axis);
    struct trop_view (*case_view)(const struct trop_case *c, const char *name);
    /* Where a row begins, the last one is -1; and a row as an array of its own: step t of a path
     * (steps + 1, n, d) is a cloud (n, d). */
    double *(*case_view_row)(struct trop_view view, int64_t row);
    struct trop_view (*case_view_part)(struct trop_view view, int64_t row);

    /* Writing: an entry of that name is replaced. default only sets what is not there. Arrays have
     * up to three axes, and 0 for those that they have not; zeros are for the caller to fill in;
     * absent is NULL when there is such an entry already. */
    enum trop_status (*case_put)(struct trop_case *c, const char *name, double value);
    enum trop_status (*case_default)(struct trop_case *c, const char *name, double value);
    double *(*case_zeros)(struct trop_case *c, const char *name, int64_t a, int64_t b, int64_t k);
    double *(*case_absent)(struct trop_case *c, const char *name, int64_t a, int64_t b, int64_t k);
    double *(*case_copy_in)(struct trop_case *c, const char *name, const double *values, int64_t a,
                            int64_t b, int64_t k);
    void (*case_drop)(struct trop_case *c, const char *name);

    /* Zeros that are given back when the function of the claim ends, never NULL; in a loop what was
     * asked for since the mark may be given back sooner. */
    double *(*case_scratch)(const struct trop_case *c, int64_t count);
    int64_t *(*case_scratch_integers)(const struct trop_case *c, int64_t count);
    void *(*case_mark)(const struct trop_case *c);
    void (*case_release)(const struct trop_case *c, void *mark);
    /* A copy of the case for a computation aside, and one without entries; given back likewise. */
    struct trop_case *(*case_aside)(const struct trop_case *c);
    struct trop_case *(*case_apart)(const struct trop_case *c);
    /* Calls release with handle when the function ends, however it ends. */
    void (*case_keep)(const struct trop_case *c, void *handle, void (*release)(void *handle));
    /* Refuses what a person gave, with a sentence as printf writes it. */
    void (*case_refuse)(const struct trop_case *c, const char *format, ...) TROP_CLAIM_REFUSES;
    /* Runs parts k = 0 .. count - 1 side by side, each in a copy of the case with a worker of its
     * own. What it adds or changes there becomes the case's. */
    void (*case_side_by_side)(struct trop_case *c, int64_t count,
                              void (*part)(struct trop_case *c, int64_t k));

    /* Random numbers of this case: (use, k), both below 2^24, names a draw; uses below 16 are those
     * of the functions below that draw. On (0, 1); N(0, 1); one of 0 .. count - 1. */
    double (*case_uniform)(const struct trop_case *c, int64_t use, int64_t k);
    double (*case_normal)(const struct trop_case *c, int64_t use, int64_t k);
    int64_t (*case_pick)(const struct trop_case *c, int64_t use, int64_t k, int64_t count);

    /* Lines of a judge: measured should be at most (at least, near) bound, and rounding or sampling
     * may have moved the two by allowance. step -1: the line is about no step. A conclusion is
     * violated when it fails by more than its allowance; a hypothesis is true only when it holds by
     * at least that. NaN is open. truth: 1, 0, or -1 for undecided. */
    void (*judge_at_most)(struct trop_judge *judge, const char *name, int64_t step, double measured,
                          double bound, double allowance);
    void (*judge_at_least)(struct trop_judge *judge, const char *name, int64_t step,
                           double measured, double bound, double allowance);
    void (*judge_near)(struct trop_judge *judge, const char *name, int64_t step, double measured,
                       double bound, double allowance);
    void (*judge_truth)(struct trop_judge *judge, const char *name, int64_t step, int64_t truth);
    /* An estimate, with half the width of its interval as allowance, and what a test says. */
    void (*judge_above)(struct trop_judge *judge, const char *name, double measured, double bound,
                        double allowance, int64_t truth);
    /* A number that decides nothing, beside a published one or NaN. */
    void (*judge_beside)(struct trop_judge *judge, const char *name, double measured,
                         double published);
    /* A name as printf writes it, for the next line. */
    const char *(*judge_name)(struct trop_judge *judge, const char *format,
                              ...)TROP_CLAIM_PRINTF(2);

    /* Clouds "tokens" (n, d), unless the case has them: N(0, I); on [-1, 1]^d; on the sphere; 2
     * half points x and -x; kappa vertices on the sphere, each of which owns its cell, and n -
     * kappa tokens inside. check refuses sizes that rounding cannot serve: a draw that places
     * tokens itself calls it. count is trop_case_default of a whole number from least to most. */
    void (*tokens_gaussian)(struct trop_case *c, int64_t n, int64_t d);
    void (*tokens_uniform)(struct trop_case *c, int64_t n, int64_t d);
    void (*tokens_sphere)(struct trop_case *c, int64_t n, int64_t d);
    void (*tokens_symmetric)(struct trop_case *c, int64_t half, int64_t d);
    void (*tokens_own_cells)(struct trop_case *c, int64_t kappa, int64_t n, int64_t d);
    void (*tokens_check)(const struct trop_case *c);
    enum trop_status (*tokens_count)(struct trop_case *c, const char *name, double value,
                                     double least, double most);
    /* Without overflow or underflow on the way; diameter: the largest distance of two tokens,
     * radius: the largest norm. */
    double (*tokens_dot)(const double *x, const double *y, int64_t d);
    double (*tokens_norm)(const double *x, int64_t d);
    double (*tokens_distance)(const double *x, const double *y, int64_t d);
    double (*tokens_diameter)(const double *x, int64_t n, int64_t d);
    double (*tokens_radius)(const double *x, int64_t n, int64_t d);

    /* What the library computes for a case. Options are words NAME=TEXT as the command line takes
     * them, as printf writes them; @ENTRY stands for an entry of the case, and where it is not
     * there, its option is left out: "rule=hardmax gamma=@gamma key_query=@B". Handles are given
     * back when the function ends. */

    /* A flow of "tokens", each step kept: entry (steps + 1, n, d). */
    void (*case_path)(struct trop_case *c, const char *entry, int64_t steps, const char *format,
                      ...) TROP_CLAIM_PRINTF(4);
    /* One that has not moved, for trop_case_take. */
    struct trop_flow *(*case_flow)(const struct trop_case *c, const char *format,
                                   ...)TROP_CLAIM_PRINTF(2);
    struct trop_escape *(*case_escape)(const struct trop_case *c, const char *format,
                                       ...)TROP_CLAIM_PRINTF(2);
    /* Cells of points, with an entry (m, d) as queries, or NULL. */
    struct trop_cells *(*case_cells)(const struct trop_case *c, struct trop_view points,
                                     const char *queries, const char *format,
                                     ...)TROP_CLAIM_PRINTF(4);
    struct trop_hull *(*case_hull)(const struct trop_case *c, const double *points, int64_t n,
                                   int64_t d);
    /* Where a point is: its side, its distance, and proved bounds of that. */
    struct trop_hull_position (*case_place)(const struct trop_case *c, struct trop_hull *hull,
                                            const double *point);
    /* Of the training data X, y, v, z, K of the case: a max-margin problem, whose weights become
     * entry, and fields "upper local=locally_optimal" entry_upper and entry_local; a training to
     * its end, and columns of its history, "weights=run step=run_step"; the row of a step; a
     * regularisation path with columns of its radii. */
    struct trop_margin *(*case_solve)(struct trop_case *c, const char *entry, const char *fields,
                                      const char *format, ...)TROP_CLAIM_PRINTF(4);
    struct trop_train *(*case_train)(const struct trop_case *c, const char *format,
                                     ...)TROP_CLAIM_PRINTF(2);
    void (*case_records)(struct trop_case *c, const struct trop_train *train, const char *columns);
    int64_t (*case_row)(const struct trop_case *c, const char *steps, int64_t step);
    struct trop_path *(*case_radii)(struct trop_case *c, const char *columns, const char *format,
                                    ...)TROP_CLAIM_PRINTF(3);
    /* A field of a result as entry: trop_case_take(c, "hull", trop_cells_field_table(), cells,
     * "vertices"); as a number; columns of a list as entries. Another shape for an entry. */
    void (*case_take)(struct trop_case *c, const char *entry, const struct trop_field *table,
                      const void *handle, const char *field);
    double (*case_told)(const struct trop_case *c, const struct trop_field *table,
                        const void *handle, const char *field);
    void (*case_take_list)(struct trop_case *c, const struct trop_field *table, const void *handle,
                           const char *list, const char *columns);
    void (*case_reshape)(struct trop_case *c, const char *entry, int64_t a, int64_t b, int64_t k);
    const struct trop_field *(*flow_field_table)(void);
    const struct trop_field *(*escape_field_table)(void);
    const struct trop_field *(*cells_field_table)(void);
    const struct trop_field *(*margin_field_table)(void);
    const struct trop_field *(*train_field_table)(void);
    const struct trop_field *(*path_field_table)(void);

    /* The picture of a figure or table (-fig- or -tab- in its id), which reproduce draws: axes at a
     * place of the grid (1 x 1 unless grid says another before), with a title or NULL; curve k,
     * dots k and a level over the whole width, with a legend or NULL, in the colours 0, 1, ...;
     * axes with logarithms (1) or without; a text at a place of the data. */
    void (*picture_grid)(struct trop_figure *figure, int64_t rows, int64_t columns);
    struct trop_panel *(*picture_axes)(struct trop_figure *figure, int64_t row, int64_t column,
                                       const char *title, const char *x, const char *y);
    void (*picture_logs)(struct trop_panel *panel, int x, int y);
    void (*picture_curve)(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                          int64_t k, const char *legend);
    void (*picture_dots)(struct trop_panel *panel, const double *x, const double *y, int64_t count,
                         int64_t k, const char *legend);
    void (*picture_level)(struct trop_panel *panel, double y, int64_t k, const char *legend);
    void (*picture_text)(struct trop_panel *panel, double x, double y, const char *text);
};

/* ---- what a file hands to the program -------------------------------------------------- */

struct trop_claim_file {
    int64_t abi, size; /* TROP_CLAIM_ABI and the bytes of this struct, of the file */
    int64_t api_size, claim_size, hypothesis_size, spoil_size, input_size; /* likewise */
    int64_t count;
    const struct trop_claim *const *claims; /* (count) */
};

/* The one function that the program looks for. */
TROP_API const struct trop_claim_file *tropism_claims(const struct trop_claim_api *api);

#ifndef TROP_CLAIM_PROGRAM /* which has these functions itself */

extern const struct trop_claim_api *trop_claim_host TROP_CLAIM_HIDDEN;

/* At the end of one file of a shared object: TROP_CLAIMS(&one, &other); */
#define TROP_CLAIMS(...) \
    const struct trop_claim_file *tropism_claims(const struct trop_claim_api *api) \
    { \
        static const struct trop_claim *const claims[] = { __VA_ARGS__ }; \
        static const struct trop_claim_file file = { \
            TROP_CLAIM_ABI, \
            (int64_t)sizeof(struct trop_claim_file), \
            (int64_t)sizeof(struct trop_claim_api), \
            (int64_t)sizeof(struct trop_claim), \
            (int64_t)sizeof(struct trop_hypothesis), \
            (int64_t)sizeof(struct trop_spoil), \
            (int64_t)sizeof(struct trop_input), \
            (int64_t)(sizeof claims / sizeof claims[0]), \
            claims, \
        }; \
        if (api->abi == TROP_CLAIM_ABI && api->size == (int64_t)sizeof *api) { \
            if (trop_claim_host != api) { /* threads that have it read it */ \
                trop_claim_host = api; \
            } \
        } \
        return &file; \
    } \
    const struct trop_claim_api *trop_claim_host

#define trop_case_has (trop_claim_host->case_has)
#define trop_case_array (trop_claim_host->case_array)
#define trop_case_number (trop_claim_host->case_number)
#define trop_case_integer (trop_claim_host->case_integer)
#define trop_case_size (trop_claim_host->case_size)
#define trop_case_view (trop_claim_host->case_view)
#define trop_case_view_row (trop_claim_host->case_view_row)
#define trop_case_view_part (trop_claim_host->case_view_part)
#define trop_case_put (trop_claim_host->case_put)
#define trop_case_default (trop_claim_host->case_default)
#define trop_case_zeros (trop_claim_host->case_zeros)
#define trop_case_absent (trop_claim_host->case_absent)
#define trop_case_copy_in (trop_claim_host->case_copy_in)
#define trop_case_drop (trop_claim_host->case_drop)
#define trop_case_scratch (trop_claim_host->case_scratch)
#define trop_case_scratch_integers (trop_claim_host->case_scratch_integers)
#define trop_case_mark (trop_claim_host->case_mark)
#define trop_case_release (trop_claim_host->case_release)
#define trop_case_aside (trop_claim_host->case_aside)
#define trop_case_apart (trop_claim_host->case_apart)
#define trop_case_keep (trop_claim_host->case_keep)
#define trop_case_refuse (trop_claim_host->case_refuse)
#define trop_case_side_by_side (trop_claim_host->case_side_by_side)
#define trop_case_uniform (trop_claim_host->case_uniform)
#define trop_case_normal (trop_claim_host->case_normal)
#define trop_case_pick (trop_claim_host->case_pick)
#define trop_judge_at_most (trop_claim_host->judge_at_most)
#define trop_judge_at_least (trop_claim_host->judge_at_least)
#define trop_judge_near (trop_claim_host->judge_near)
#define trop_judge_truth (trop_claim_host->judge_truth)
#define trop_judge_above (trop_claim_host->judge_above)
#define trop_judge_beside (trop_claim_host->judge_beside)
#define trop_judge_name (trop_claim_host->judge_name)
#define trop_tokens_gaussian (trop_claim_host->tokens_gaussian)
#define trop_tokens_uniform (trop_claim_host->tokens_uniform)
#define trop_tokens_sphere (trop_claim_host->tokens_sphere)
#define trop_tokens_symmetric (trop_claim_host->tokens_symmetric)
#define trop_tokens_own_cells (trop_claim_host->tokens_own_cells)
#define trop_tokens_check (trop_claim_host->tokens_check)
#define trop_tokens_count (trop_claim_host->tokens_count)
#define trop_tokens_dot (trop_claim_host->tokens_dot)
#define trop_tokens_norm (trop_claim_host->tokens_norm)
#define trop_tokens_distance (trop_claim_host->tokens_distance)
#define trop_tokens_diameter (trop_claim_host->tokens_diameter)
#define trop_tokens_radius (trop_claim_host->tokens_radius)
#define trop_case_path (trop_claim_host->case_path)
#define trop_case_flow (trop_claim_host->case_flow)
#define trop_case_escape (trop_claim_host->case_escape)
#define trop_case_cells (trop_claim_host->case_cells)
#define trop_case_hull (trop_claim_host->case_hull)
#define trop_case_place (trop_claim_host->case_place)
#define trop_case_solve (trop_claim_host->case_solve)
#define trop_case_train (trop_claim_host->case_train)
#define trop_case_records (trop_claim_host->case_records)
#define trop_case_row (trop_claim_host->case_row)
#define trop_case_radii (trop_claim_host->case_radii)
#define trop_case_take (trop_claim_host->case_take)
#define trop_case_told (trop_claim_host->case_told)
#define trop_case_take_list (trop_claim_host->case_take_list)
#define trop_case_reshape (trop_claim_host->case_reshape)
#define trop_flow_field_table (trop_claim_host->flow_field_table)
#define trop_escape_field_table (trop_claim_host->escape_field_table)
#define trop_cells_field_table (trop_claim_host->cells_field_table)
#define trop_margin_field_table (trop_claim_host->margin_field_table)
#define trop_train_field_table (trop_claim_host->train_field_table)
#define trop_path_field_table (trop_claim_host->path_field_table)
#define trop_picture_grid (trop_claim_host->picture_grid)
#define trop_picture_axes (trop_claim_host->picture_axes)
#define trop_picture_logs (trop_claim_host->picture_logs)
#define trop_picture_curve (trop_claim_host->picture_curve)
#define trop_picture_dots (trop_claim_host->picture_dots)
#define trop_picture_level (trop_claim_host->picture_level)
#define trop_picture_text (trop_claim_host->picture_text)

#endif

#ifdef __cplusplus
}
#endif

#endif
