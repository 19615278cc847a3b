/* margin.h -- what the files of the noun margin share. */
#ifndef TROP_MARGIN_MARGIN_H
#define TROP_MARGIN_MARGIN_H

#include "margin/model/data.h"
#include "margin/margin_solve.h"
#include "margin/model/picks.h"
#include "margin/model/selection.h"
#include "tropism.h"

/* Selections that are tried one by one, at most. */
#define TROP_MARGIN_COMBINATIONS 100000

/* A selection of tokens that was tried. */
struct trop_margin_trial {
    int64_t outcome; /* enum trop_outcome */
    double norm;     /* upper bound */
    int64_t local;   /* enum trop_selection_answer */
    double gap;      /* least score gap over the support */
};

/* What a solution tells beyond its norm. */
struct trop_margin_view {
    int64_t rank, rank_upper; /* -1: not known */
    double rank_tail;         /* at most this share of the norm lies beyond rank_upper directions */
    int64_t *support;         /* (supports, 2) input and token */
    int64_t supports;
    int64_t doubtful;                /* constraints that may or may not be support */
    int64_t local;                   /* enum trop_selection_answer; undecidable: not asked */
    double score_gap;                /* least, over the support; infinity when there is none */
    int64_t score_pair[2];           /* input and token that attain it */
    double theta, delta, mu, radius; /* of the cone (P1 eq. 32); NaN: not known */
    int64_t equal_scores;            /* P1 B, P2 B.2: enum trop_selection_answer, as all these */
    int64_t all_support;             /* P2 B.1 */
    double mean_margin;              /* over right sides 1, which P2 compares with 1.1 */
    int64_t first_step;              /* P2 C */
    int64_t margin_shrinks;          /* P1 C */
    double shrinkage;                /* its nu; NaN: not known */
    int64_t mixing_hurts;            /* P1 D */
    int64_t others_blocked;          /* P2 D, from an enumeration */
    int64_t *direction_alpha;        /* (inputs) of the direction; NULL: none was given */
    double direction_margin;         /* of the unit direction */
    int64_t direction_optimal;       /* neighbours all have lower scores */
    int64_t direction_neighbours;
    double direction_cosine; /* with the solution; NaN: there is none, or the direction is 0 */
    double direction_bregman;
    double direction_norm_margin;     /* over the norm of the problem */
    double direction_ratio;           /* its margin in the problem as a share of the best */
    int64_t direction_others;         /* inputs in which it does not select the token of alpha */
    struct trop_margin_trial *trials; /* (listed) selections that are locally optimal */
    int64_t *trial_alpha;             /* (listed, inputs) */
    int64_t listed;
    int64_t stopped; /* 1: not every selection was tried */
    int told;        /* 1: what a field tells of the solution by itself has been found */
};

struct trop_margin {
    struct trop_margin_options options; /* its pointers are NULL, or into what follows */
    int64_t model;                      /* enum trop_model, resolved */
    struct trop_data_copy data;         /* data.n = 0: a problem was given */
    int64_t inputs;                     /* n, or n T of sequence: each has its own selection */
    struct trop_picks picks;            /* tokens that may win; inputs = 0: none are picked */
    int64_t *allowed;                   /* (inputs) tokens that can be attended to; NULL: T */
    int64_t *alpha;                     /* (inputs) those of the answer */
    const int64_t *given;               /* (inputs) while it is made: see trop_margin_create_for */
    int tied;                           /* 1: tokens of the scores of given need not lose to it */
    int64_t *relaxed;                   /* (n) 1: right sides 0; NULL: none */
    double *weights;                    /* (n, T) of Gen-SVM; NULL: none */
    double *scores;                     /* (inputs, T); NULL: the data have no decoder */
    int scored;                         /* 1: they are there; else only which are the largest */
    double *direction;                  /* (rows, columns); NULL: none */
    struct trop_margin_solved solved;   /* the answer; before, the first problem */
    struct trop_margin_solved finite;   /* W_fin of Gen-SVM; not made otherwise */
    int64_t combinations, feasible;     /* selections tried, and those with a solution */
    int64_t chosen;                     /* which combination solved is about */
    struct trop_margin_view view;
};

/* margin.c: the problem of one selection alpha (inputs), copied; NULL: of the options. tied: tokens
 * of exactly the score of the selected one need not lose to it, since a linear head does not tell
 * them apart and no loss makes one of them win (P1 appendix D, ATT-SVM'). */
enum trop_status trop_margin_create_for(struct trop_margin **out,
                                        const struct trop_margin_options *options,
                                        const int64_t *alpha, int tied);

/* margin_options.c */
enum trop_status trop_margin_options_check(const struct trop_margin_options *options);

/* margin_make.c: everything up to the first problem. What it made before a failure is released by
 * trop_margin_free. */
enum trop_status trop_margin_make(struct trop_margin *margin);
/* The scores of all tokens, where there are any. */
enum trop_status trop_margin_make_scores(struct trop_margin *margin);

/* margin_look.c: what belongs to a solution: the direction and the selections that were asked for,
 */
enum trop_status trop_margin_look(struct trop_margin *margin,
                                  const struct trop_margin_settings *settings);
/* and its rank, its support, whether it is locally optimal, when one of these is read: what a field
 * needs before (margin: struct trop_margin). Nothing is told of a handle that has not run. */
enum trop_status trop_margin_look_told(void *margin);
void trop_margin_look_close(struct trop_margin_view *view);
/* 1 when inputs select tokens: a label or graph problem, or one as it stands, has no rivals. */
int trop_margin_look_rivals(const struct trop_margin *margin);
/* 1 when every input selects a token of the highest score; the data have scores. */
int trop_margin_look_optimal(const struct trop_margin *margin);

/* margin_direction.c: what the direction selects, and how far it is from the solution. */
enum trop_status trop_margin_direction(struct trop_margin *margin,
                                       const struct trop_margin_settings *settings);

/* margin_enumerate.c: solves for every selection and lists those that are locally optimal. */
enum trop_status trop_margin_enumerate(struct trop_margin *margin,
                                       const struct trop_margin_settings *settings);

/* What is known of the support of one solved problem. */
struct trop_margin_support {
    int64_t *kind;   /* (count) enum trop_selection_support */
    double *margins; /* (count) */
    struct trop_selection_counts counts;
};

/* margin_support.c: of a feasible solution in the norm of the settings; close releases it. */
enum trop_status trop_margin_support_open(struct trop_margin_support *out,
                                          const struct trop_margin_solved *solved,
                                          const struct trop_margin_settings *settings);
void trop_margin_support_close(struct trop_margin_support *support);

/* margin_problem.c: the problem of a selection alpha (inputs). */
enum trop_status trop_margin_problem_of(struct trop_model_problem *out,
                                        const struct trop_margin *margin, const int64_t *alpha);
struct trop_margin_settings trop_margin_settings_of(const struct trop_margin *margin,
                                                    trop_progress *progress, void *context);

#endif
