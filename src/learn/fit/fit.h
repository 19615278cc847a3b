/* fit.h -- what the files of the noun fit share. */
#ifndef TROP_LEARN_FIT_H
#define TROP_LEARN_FIT_H

#include "learn/fit/fit_network.h"
#include "learn/fit/fit_tensor.h"

#define TROP_FIT_SPLITS 3
#define TROP_FIT_THEORIES 16
#define TROP_FIT_PRUNED 6 /* shares of the attention's entries that are kept */

/* What a split is like over the epochs, 0 being the start. */
struct trop_fit_split {
    const char *name;
    int64_t items;
    int64_t *list;           /* (items) */
    double *loss, *accuracy; /* (epochs + 1) NaN: not there yet, or no items */
    double chosen_loss, chosen_accuracy;
    double hard_loss, hard_accuracy; /* the same with hardmax in the layers; NaN: no layers */
};

struct trop_fit_class {
    const char *name; /* NULL: it has none */
    int64_t items;
};

/* A run of several, each tested on other items. */
struct trop_fit_fold {
    int64_t fold, epochs, chosen;
    double validation, test, loss; /* accuracies at the chosen epoch; loss of the test */
};

struct trop_fit_sparsity {
    const char *name;
    double hoyer, hoyer_start, share, share_start;
};

struct trop_fit_pruned {
    double share, accuracy;
};

/* W against the max-margin solution of one exponent. */
struct trop_fit_theory {
    double p, norm, divergence, cosine;
    int64_t constraints;
};

struct trop_fit_word {
    const char *text;
    int64_t id, count;
    double attention; /* mean of T times its weight: 1 is uniform */
    double value;     /* <v, e_w>; of several heads their mean; NaN: several classes */
};

struct trop_fit_shown {
    int64_t item, label, predicted, tokens;
    double *attention; /* in trop_fit.attention */
    char *text;        /* words separated by blanks; NULL: they have none */
};

/* Attention against marked words, and what the same says of controls. */
struct trop_fit_lexicon {
    int64_t items;             /* that have words of both kinds */
    double auc, mass, uniform; /* mass: mean share of the weight; uniform: of the tokens */
    double fake, value;        /* AUC of marks of the same counts; of |<v, e_w>| */
};

struct trop_fit {
    struct trop_fit_options options; /* its texts are copies */
    const struct trop_sequences *sequences;
    struct trop_fit_shape shape;
    struct trop_fit_network *network;
    struct trop_fit_tensor tensor[TROP_FIT_LETTERS];
    double *value[TROP_FIT_LETTERS]; /* of the tensors, for the network */
    char *texts[3];                  /* trained, each, theory */
    double *schedule;                /* values of eta_schedule; NULL: none */
    int64_t *part;                   /* (n) enum trop_split of this run */
    int64_t *order;                  /* (n) the items of an epoch */
    double *outputs;                 /* (n, outputs) */
    struct trop_fit_split *split;    /* (TROP_FIT_SPLITS) by enum trop_split */
    int64_t split_count;
    struct trop_fit_class *classes; /* (class_count) */
    int64_t class_count;
    char *touched; /* (rows of E) 1: in the items of train */

    int64_t fold; /* that is under way */
    int64_t epoch, k;
    int64_t recorded;      /* epochs, the start among them */
    int64_t chosen, since; /* epoch of the best validation; epochs since */
    double best[2];        /* its accuracy and loss */
    int ended;             /* 1: this run is, its chosen weights are set */
    struct trop_fit_fold *folds;
    int64_t fold_count;
    double test_mean, test_deviation; /* accuracies of the folds */

    /* Of the chosen weights: fit_measure.c. */
    double *attention;                  /* (tokens) of every item */
    int64_t *counted;                   /* (words) tokens of each */
    struct trop_fit_sparsity *sparsity; /* (TROP_FIT_LETTERS) */
    int64_t sparsity_count;
    struct trop_fit_pruned *pruned; /* (TROP_FIT_PRUNED) */
    int64_t pruned_count;
    struct trop_fit_theory *theory; /* (TROP_FIT_THEORIES) */
    int64_t theory_count;
    struct trop_fit_word *words;
    int64_t word_count;
    struct trop_fit_shown *shown;
    int64_t shown_count;
    char *shown_texts;
    struct trop_fit_lexicon lexicon;
    double saturation; /* mean of the largest weights of the items that are looked at */
    int64_t decided;   /* of them: the largest is above 1/2 */
    int64_t looked;    /* how many they are: those of test, else all */
};

/* fit_options.c */
enum trop_status trop_fit_options_check(const struct trop_fit_options *options);

/* fit_make.c: network, tensors and splits. */
enum trop_status trop_fit_make(struct trop_fit *fit);
/* Splits, weights and records at the start of a fold. */
enum trop_status trop_fit_begin(struct trop_fit *fit);
/* Marks the rows of E that an item of train moves: those of the words that it has. */
void trop_fit_touch(struct trop_fit *fit);
/* fit.c: what is told of a run that has ended, from its chosen weights. */
enum trop_status trop_fit_tell(struct trop_fit *fit);

/* fit_split.c: which items are learnt from, of a fold. */
void trop_fit_split_draw(struct trop_fit *fit);

/* fit_measure.c: everything that is told of the chosen weights. */
enum trop_status trop_fit_measure(struct trop_fit *fit);
/* fit_words.c: the parts of it that are about words. */
enum trop_status trop_fit_words(struct trop_fit *fit);
/* fit_theory.c: refuses what it cannot compare; the comparison. */
enum trop_status trop_fit_theory_check(const struct trop_fit_options *options);
enum trop_status trop_fit_theory(struct trop_fit *fit);
/* Items that are looked at: those of test; all when there are none. */
int trop_fit_looks(const struct trop_fit *fit, int64_t item);

/* The state of a run that is under way, array by array, for checkpoints: visit is given a name, the
 * numbers (one of the two pointers) and how many; its failure ends the walk. Exported for
 * libtropism-lab. */
typedef enum trop_status trop_fit_visit(void *context, const char *name, double *numbers,
                                        int64_t *integers, int64_t count);
TROP_API enum trop_status trop_fit_walk(struct trop_fit *fit, trop_fit_visit *visit, void *context);
/* After a walk that changed the state. */
TROP_API enum trop_status trop_fit_resume(struct trop_fit *fit);
/* Epochs until the next stop, at most; *done: 1 when the run is at its end. */
TROP_API enum trop_status trop_fit_step(int *done, struct trop_fit *fit, int64_t epochs,
                                        trop_progress *progress, void *context);

#endif
