/* md_real.h -- the mirror-descent paper's questions on real texts, and the runs that answer them.
 *
 * Does p = 1.1 generalise better than p = 2, are its weights sparser, does it attend to the words
 * that decide? The published runs have one split, one start, epochs that the test set chose, and
 * measures that mix sparsity with scale. Here one attention layer on trained word vectors,
 *
 *   f = v'X' softmax(X W z),  z a trained query, E, W, z and v all trained,
 *
 * learns from sentences by unnormalised mirror descent with |.|^p / p, its dual variables the
 * state, p = 1.1, 2 and 3, in two stages.
 *
 * Before anything else a tenth of the items is set aside: by their accuracy everything is chosen,
 * the step size, the scale sigma of the start and the epoch. The other items are cut into folds.
 * First, steps eta = tau (p - 1) sigma^(p - 2), whose first step is -tau g (|w| / sigma)^(2 - p)
 * for every p: tau in powers of 4, and about the best by sqrt 2, as many for each p, learning from
 * all folds but one, which nobody looks at. (Steps found on a part of the tenth are not those for
 * ten times as many items.) A best tau at the end of its grid decides nothing, nor do runs that are
 * best at their last epoch. Then each fold is tested once for every one of several fresh seeds;
 * both scales are run, each with its own step, so that it is seen whether the sign of a difference
 * depends on the start. Tests: the difference of p = 1.1 and 2 of
 *
 *   accuracy   bootstrap over items and seeds;
 *   Hoyer's sparsity of W less that of its start, at the least train loss that both runs of a fold
 *              and seed reach: with the variance of Nadeau and Bengio;
 *   AUC        of the attention of a sentence against the marks of a lexicon: as accuracy.
 *
 * Holm's correction is over these three. A run whose weights leave what double can carry ends
 * there, and its epochs before count: a step that is too large fails early. Everything that a
 * conclusion speaks of is in the case:
 *
 *   tuning_tau       (rows, taus)            row = p SCALES + scale
 *   tuning_accuracy  (rows, taus, tuning)    of the chosen epoch, and tuning_loss
 *   runs             (rows, folds seeds, columns)
 *   history          (rows folds seeds, epochs, 4)
 *   right            (rows, items, seeds)    1: the item was classified rightly when it was tested
 *   auc              (rows, items, seeds)    NaN: it has words of one kind only
 *   uniform          (2, folds, columns)     p = 1.1 and 2 without attention
 */
#ifndef TROP_CLAIM_MD_REAL_H
#define TROP_CLAIM_MD_REAL_H

#include "claim/claim.h"
#include "learn/fit/fit.h"
#include "learn/measure.h"

#define TROP_MD_REAL_EXPONENTS 3
#define TROP_MD_REAL_SCALES 2
#define TROP_MD_REAL_MOST 256 /* runs of one setting */
#define TROP_MD_REAL_ROWS (TROP_MD_REAL_EXPONENTS * TROP_MD_REAL_SCALES)
extern const double trop_md_real_exponents[TROP_MD_REAL_EXPONENTS];  /* 1.1, 2, 3 */
extern const double trop_md_real_scales[TROP_MD_REAL_SCALES];        /* .03, .1 */
extern const char *const trop_md_real_names[TROP_MD_REAL_EXPONENTS]; /* "p = 1.1", ... */

/* What is kept of a run. */
enum trop_md_real_column {
    TROP_MD_REAL_TAU,
    TROP_MD_REAL_EPOCHS, /* done */
    TROP_MD_REAL_CHOSEN,
    TROP_MD_REAL_DIVERGED,
    TROP_MD_REAL_VALIDATION, /* accuracy at the chosen epoch */
    TROP_MD_REAL_TEST,
    TROP_MD_REAL_BEST,  /* best accuracy of the test set over epochs: the paper's rule */
    TROP_MD_REAL_LAST,  /* that of the last epoch */
    TROP_MD_REAL_LOSS,  /* of train, at the chosen epoch */
    TROP_MD_REAL_AUC,   /* of the attention, over the items of the test */
    TROP_MD_REAL_FAKE,  /* the same for other words that occur as often */
    TROP_MD_REAL_VALUE, /* by |<v, e_w>| in the place of the attention */
    TROP_MD_REAL_MASS,  /* attention on words of the lexicon */
    TROP_MD_REAL_EVEN,  /* and that of uniform attention */
    TROP_MD_REAL_SATURATION,
    TROP_MD_REAL_COLUMNS
};

/* What is kept of each epoch but the last, 0 being the start. */
enum trop_md_real_record {
    TROP_MD_REAL_TRAIN,  /* loss */
    TROP_MD_REAL_HOYER,  /* of W */
    TROP_MD_REAL_SHARE,  /* of its entries that carry nine tenths of its l1 norm */
    TROP_MD_REAL_TESTED, /* accuracy of the test set */
    TROP_MD_REAL_RECORDS
};

/* ---- md_real.c: the two stages ---- */

void trop_md_real_draw(struct trop_case *c);
void trop_md_real_work(struct trop_case *c);

/* The entries of results, as above. */
struct trop_md_real_results {
    double *tau, *accuracy, *loss, *runs, *history, *right, *auc, *uniform;
};

/* Makes them for the numbers of the case and so many tested items; zero, history NaN. */
struct trop_md_real_results trop_md_real_make(struct trop_case *c, int64_t items);

/* ---- md_real_suppose.c: what tests put in the place of runs ---- */

/* Results of the whole protocol, made up, in which p = 1.1 is better, sparser and nearer to the
 * lexicon. */
void trop_md_real_suppose(struct trop_case *c);
/* The spoil of all three, an edit for what is supposed. */
#define TROP_MD_REAL_EXCHANGE \
    "swap tuning_tau[0:2] tuning_tau[2:4]; swap tuning_accuracy[0:2] tuning_accuracy[2:4]; " \
    "swap tuning_loss[0:2] tuning_loss[2:4]; swap runs[0:2] runs[2:4]; " \
    "swap history[0:50] history[50:100]; swap right[0:2] right[2:4]; swap auc[0:2] auc[2:4]"

/* ---- members of the three claims; conclude and picture are their own ---- */

#define TROP_MD_REAL_PARTS \
    .inputs = \
        "ids offsets labels lexicon items coarse fine tuning folds seeds epochs embed batch " \
        "draws", \
    .run = { trop_md_real_draw, trop_md_real_work, conclude, picture }, \
    .suppose = trop_md_real_suppose, \
    .spoils = TROP_SPOILS( \
        { "results of p = 1.1 and p = 2 change places", NULL, .edit = TROP_MD_REAL_EXCHANGE })

/* ---- md_real_run.c: one run ---- */

struct trop_md_real_run {
    struct trop_fit *fit; /* made here */
    int64_t diverged;     /* 1: after its last epoch weights left what double can carry */
    void (*look)(void *context, const struct trop_fit *fit); /* at every epoch but the last */
    int (*stop)(void *context);                              /* 1: end with TROP_ERR_STOPPED */
    void *context;
};

/* Nothing yet; with what it makes it is given back when the part ends. */
struct trop_md_real_run *trop_md_real_begin(const struct trop_case *c);
enum trop_status trop_md_real_train(struct trop_md_real_run *run,
                                    const struct trop_fit_options *options);
/* tau (p - 1) sigma^(p - 2) */
double trop_md_real_eta(double tau, double p, double sigma);

/* ---- md_real_judge.c: what the runs show ---- */

/* The best tau of a row of tuning. */
struct trop_md_real_choice {
    int64_t at; /* among its taus */
    double tau, accuracy, loss;
    int64_t edge; /* 1: at the end of its grid */
};

struct trop_md_real_choice trop_md_real_choose(const struct trop_case *c, int64_t row);
/* The row of exponent k with the better scale. */
int64_t trop_md_real_row(const struct trop_case *c, int64_t k);

enum trop_md_real_question { TROP_MD_REAL_BETTER, TROP_MD_REAL_SPARSER, TROP_MD_REAL_NEARER };

struct trop_md_real_answer {
    struct trop_measure_mean mean;     /* 95% */
    struct trop_measure_mean folds;    /* the same with the variance of folds that overlap */
    double adjusted;                   /* p-value by Holm */
    double scale[TROP_MD_REAL_SCALES]; /* both with this start, each with its own step */
    int64_t turns;                     /* 1: these are of different signs, each for certain */
    int64_t truth;                     /* 1: above 0, 0: below, -1: not decided */
};

/* All three; whole, inside: 1 when the protocol is whole and no best step is at the end. */
struct trop_md_real_answers {
    struct trop_md_real_answer of[3];
    int64_t whole, inside;
};

struct trop_md_real_answers trop_md_real_answer(const struct trop_case *c);
/* The mean of a column over the runs of a row; half the width of its 95% interval by folds. */
double trop_md_real_mean(double *half, const struct trop_case *c, int64_t row, int64_t column);
/* The same of p = 1.1 (k = 0) or 2 without attention. */
double trop_md_real_uniform(const struct trop_case *c, int64_t k, int64_t column);
/* The larger of the least train losses of a run of both rows: both reach it. */
double trop_md_real_level(const struct trop_case *c, int64_t row, int64_t other, int64_t run);
/* A record of a run when its train loss first is at most level, between two epochs by
 * interpolation, less that of the start. */
double trop_md_real_at(const struct trop_case *c, int64_t row, int64_t run, int64_t record,
                       double level);
/* Lines of one question: its answer, and what it rests on. unit: 100 for points. */
void trop_md_real_conclude(struct trop_judge *judge, const struct trop_case *c, int64_t question,
                           const char *what, double unit);
/* A number of p = 1.1, 2 or 3 (k) beside the published one or NaN: "p = 2: WHAT". */
void trop_md_real_beside(struct trop_judge *judge, int64_t k, const char *what, double value,
                         double published);
/* Published numbers that have none of ours beside them. */
void trop_md_real_published(struct trop_judge *judge, const struct trop_published *list);

#endif
