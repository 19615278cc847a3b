/* train.h -- what the files of the noun train share. */
#ifndef TROP_LEARN_TRAIN_H
#define TROP_LEARN_TRAIN_H

#include "learn/attention/attention.h"
#include "learn/optimizer/optimizer.h"
#include "margin/model/data.h"
#include "tropism.h"

/* What is known of the weights after a step. Numbers that are not known are NaN. */
struct trop_train_record {
    int64_t step;
    double loss, log_gap, infimum;   /* log(L - L*); L* */
    double norm, log_norm;           /* in the optimiser's own norm; v apart */
    double saturation;               /* mean of the largest weights */
    double correlation;              /* with the l2 solution for what is selected */
    double bregman;                  /* of the lp solution and the weights */
    double margins[TROP_NORM_COUNT]; /* least margin over the norm of enum trop_margin_norm */
    int64_t local;                   /* of alpha then: enum trop_selection_answer */
    int64_t undecided;               /* asks whose largest weight is at most 1/2 */
    double near, far; /* of kq: bounds of the distance of W / |W|_* to the set of solutions */
};

/* Max-margin solutions for the selection alpha, as far as they exist. */
struct trop_train_solutions {
    int64_t *alpha;              /* (asks) they are for; alpha[0] = -2: none yet */
    struct trop_margin *l2;      /* NULL: not solved, infeasible, or not wanted; as the others */
    struct trop_margin *lp;      /* of an optimiser with an exponent other than 2 */
    struct trop_margin *nuclear; /* of kq */
};

/* Tensors that a model may have: the letters of trop_train.told. */
enum trop_train_letter {
    TROP_TRAIN_TOLD_P,
    TROP_TRAIN_TOLD_W,
    TROP_TRAIN_TOLD_K,
    TROP_TRAIN_TOLD_Q,
    TROP_TRAIN_TOLD_V,
    TROP_TRAIN_LETTERS
};

/* Several tokens of an input that keep their attention (Gen-SVM). */
struct trop_train_several {
    int64_t asked;     /* 1: some input has several tokens above 1e-3 */
    int64_t undecided; /* weights between 1e-6 and 1e-3 */
    double direction;  /* correlation of W with W_mm */
    double both;       /* with W_fin + R W_mm */
    double radius;     /* R, by least squares */
};

struct trop_train {
    struct trop_train_options options; /* its pointers are NULL, but for those to list */
    double *list;                      /* values of eta_schedule; NULL: none */
    struct trop_data_copy data;
    struct trop_attention *attention;
    trop_progress *progress; /* of the call that is under way; NULL: none */
    void *context;
    const struct trop_optimizer *optimizer;
    struct trop_optimizer_settings settings, decoder_settings; /* of all tensors but v of joint */
    struct trop_weights weights, gradient, kept; /* kept: before a step, for backtracking */
    struct trop_optimizer_step state[TROP_WEIGHTS_MAX];
    double *memory; /* of the states and their copies, and of the scratch */
    double *spare[TROP_WEIGHTS_MAX][TROP_OPTIMIZER_STATES]; /* copies of states, for backtracking */
    int64_t *order; /* (n) inputs of this epoch, in the order of their batches */
    int64_t k;      /* steps that are done */
    double shrink;  /* of the step, by backtracking */
    int64_t asks;   /* of the attention */
    int64_t *alpha; /* (asks) selected tokens; -1: undecided */
    double *w;      /* (dk, d) or (dk): one matrix of the attention, K Q' of kq */
    int64_t rows, columns;
    double log_scale; /* of w */
    struct trop_train_solutions solutions;
    struct trop_train_several several;
    double share; /* of the best margin in the norm of the optimiser, at the end; NaN: not known */
    struct trop_train_record *records; /* (capacity) */
    struct trop_train_record *last;    /* of them; NULL: none yet */
    double *history;                   /* (capacity, total) weights at records; NULL: too many */
    int64_t *alphas;                   /* (capacity, asks) selected tokens then; NULL: too many */
    int64_t count, capacity, total;
    double *shown; /* (total) weights as they are printed: unit directions beyond 1e300 */
    struct trop_tensor told[TROP_TRAIN_LETTERS]; /* shown, by letter; values NULL: no such tensor */
    struct trop_data seen;                       /* the data with the decoder as it is now */
    int64_t passing;    /* 1: the last record is of a stop, and goes when the run goes on */
    int64_t cut;        /* 1: a solver was stopped in this call: its comparison is not made */
    uint64_t start_sum; /* over the weights at the start: a state of another run is known by it */
};

/* train_options.c */
enum trop_status trop_train_options_check(const struct trop_train_options *options);
extern const char *const trop_train_model_names[];

/* train_make.c: everything before the first step; trop_train_free releases what was made. */
enum trop_status trop_train_make(struct trop_train *train);

/* train_record.c: adds what is known of the weights after step k; last: compares in any case. When
 * it fails there is no record of this step; TROP_ERR_STOPPED: it is there without a comparison. */
enum trop_status trop_train_look(struct trop_train *train, int last);
/* Fills in w, and its scale. */
void trop_train_matrix(struct trop_train *train);
/* The norms of w in the order of enum trop_margin_norm, without its scale; NaN: not asked for. */
enum trop_status trop_train_measure(double norms[TROP_NORM_COUNT], const struct trop_train *train);
/* From now on there are count records. */
void trop_train_keep(struct trop_train *train, int64_t count);
/* The steps at which there are records: 0, and records to each factor of ten. */
int64_t trop_train_next_record(int64_t step, int64_t records);

/* train_compare.c: max-margin solutions of what is selected, solved when it changes. */
enum trop_status trop_train_compare(struct trop_train *train, struct trop_train_record *record);
enum trop_status trop_train_compare_several(struct trop_train *train);
/* The margin of w as a share of the best in trop_train_compare_norm, where that is affordable. */
enum trop_status trop_train_compare_share(struct trop_train *train,
                                          const struct trop_train_record *record);
/* The norm whose margin the optimiser maximises; of kq the nuclear one. */
const struct trop_norm *trop_train_compare_norm(const struct trop_train *train);
/* The solution that the last record was compared with, of kq the nuclear one, and its norm; NULL:
 * none. */
const struct trop_margin *trop_train_compare_solution(const struct trop_norm **norm,
                                                      const struct trop_train *train);
/* Solves again what the last record was compared with, which a state that was loaded has not. */
enum trop_status trop_train_compare_again(struct trop_train *train);
void trop_train_compare_free(struct trop_train *train);

/* train_state.c: a stretch of words of the state. Numbers have least below; other words are from
 * least to most. */
enum { TROP_TRAIN_ANY = -4, TROP_TRAIN_NUMBER, TROP_TRAIN_FINITE };
struct trop_train_piece {
    const char *name;
    void *at; /* NULL: nowhere */
    int64_t count, least, most;
};
struct trop_train_pieces {
    int64_t count;
    struct trop_train_piece piece[9 + TROP_WEIGHTS_MAX * (3 + TROP_OPTIMIZER_STATES)];
};

/* Before the first step. */
void trop_train_state_begin(struct trop_train *train);
/* All pieces in their order, as the run is now. */
void trop_train_state_list(struct trop_train_pieces *list, struct trop_train *train);

#endif
