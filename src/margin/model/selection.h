/* selection.h -- which tokens attention selects: by a direction, by scores, at a solution.
 *
 * Nothing here solves; solutions and what is proved of them come from outside. Scores are
 * gamma_it = y_i <v, x_it> (trop_model_scores) or those of any other head. P1 is Ataee
 * Tarzanagh, Li, Zhang, Oymak, "Max-margin token selection in attention mechanism", P2 is Ataee
 * Tarzanagh, Li, Thrampoulidis, Oymak, "Transformers as support vector machines" (both 2023).
 *
 * Numbers that are not exact are compared with a doubt: two scores that differ by no more than
 * the doubt cannot be told apart. With doubt 0 the scores are taken as they are, and equal
 * ones are equal: right for trop_model_scores, which keeps order and ties of the reals. */
#ifndef TROP_MARGIN_SELECTION_H
#define TROP_MARGIN_SELECTION_H

#include "tropism.h"

/* An answer to a question about reals. */
enum trop_selection_answer {
    TROP_SELECTION_NO,
    TROP_SELECTION_YES,
    TROP_SELECTION_AMBIGUOUS,  /* within doubt or rounding */
    TROP_SELECTION_UNDECIDABLE /* no test is known for these data */
};

/* An answer as a field tells it: true, false, "ambiguous", or null. */
void trop_selection_told(struct trop_value *out, const void *answer);

/* Both: no beats undecidable beats ambiguous beats yes. */
int64_t trop_selection_both(int64_t a, int64_t b);

/* Whether a lead in score is positive: with doubt 0 yes or no, else ambiguous up to the doubt. */
int64_t trop_selection_passes(double gap, double doubt);

/* ---- tokens, as a model of attention sees them ----------------------------------------------- */

/* The logit of token t of input i is key_it' W query_i. In sequences every place is an input
 * of its own: n T inputs, T after another with the same tokens. */
struct trop_selection_view {
    int64_t inputs, T;     /* T tokens of each input */
    int64_t rows, columns; /* of W */
    int64_t places;        /* inputs that share their tokens: 1, or T of sequences */
    int64_t causal;        /* 1: place k sees tokens 0 .. k */
    const double *key;     /* (inputs / places, T, rows) */
    const double *query;   /* query of input i at query + i step; NULL: the number 1 */
    int64_t step;
};

/* Of data that trop_model_check has accepted for the model, which is prompt, cross, self (row:
 * the token that asks) or sequence. The arrays remain the data's. */
struct trop_selection_view trop_selection_view_of(const struct trop_data *data, int64_t model,
                                                  int64_t mask, int64_t row);
/* Tokens 0 .. seen - 1 can be attended to by input i. */
int64_t trop_selection_seen(const struct trop_selection_view *view, int64_t i);

/* ---- what a direction selects (P1, definition 3) --------------------------------------------- */

struct trop_selection_direction {
    int64_t undecided;    /* inputs whose largest logit several tokens share */
    double margin;        /* least lead of a selected token; 0 with ties, infinity without rivals */
    int64_t neighbours;   /* pairs that attain the margin; none with ties */
    int64_t optimal;      /* neighbours have lower scores than the selected; enum
                             trop_selection_answer, undecidable without scores or with ties */
    double gap;           /* least lead in score over neighbours; infinity, without any */
    int64_t input, token; /* the neighbour with that gap; -1: none */
};

/* Arrays that trop_selection_look fills; each may be NULL. */
struct trop_selection_found {
    int64_t *alpha;     /* (inputs) selected tokens, right for the reals; -1: a tie */
    double *margins;    /* (inputs, T) leads over the others, 0 over itself; NaN: masked, or tie */
    int64_t *neighbour; /* (inputs, T) 1: attains the margin */
};

/* w: (rows, columns). Leads are divided by norm, the norm of W, if it is positive. A pair
 * attains the margin when its lead exceeds it by no more than tolerance relatively, or by
 * rounding. scores: (inputs, T) or NULL. */
enum trop_status trop_selection_look(struct trop_selection_direction *out,
                                     const struct trop_selection_found *found,
                                     const struct trop_selection_view *view, const double *w,
                                     double norm, double tolerance, const double *scores,
                                     double doubt);

/* ---- what scores select (selection_scores.c) ------------------------------------------------- */

/* Scores of the tokens that are not best: whether they are equal, and below the best. */
struct trop_selection_level {
    int64_t answer; /* assumption B of P1, B.2 of P2: enum trop_selection_answer */
    double spread;  /* largest difference between two of an input */
    double gap;     /* least lead of the best token over another; infinity without others */
};
void trop_selection_level(struct trop_selection_level *out, const struct trop_selection_view *view,
                          const double *scores, double doubt);

/* Assumption D of P1 (mixing hurts), for heads that are linear: the loss lies between
 * low and high times the largest mass on tokens that are not best; see selection_scores.c. */
struct trop_selection_mixing {
    int64_t answer;   /* enum trop_selection_answer */
    double low, high; /* least lead of a best token, largest spread of an input */
};
void trop_selection_mixing(struct trop_selection_mixing *out,
                           const struct trop_selection_view *view, const double *scores,
                           double doubt);

/* Assumption C of P1 (the label margin shrinks when tokens mix) by its sufficient example: y_i
 * x_i,alpha_i is one vector a for all i, and |x_it| < |a| otherwise: then the shrinkage nu is
 * |a| - max |x_it|. For decoders of the lp norm these are lq norms, q = p / (p - 1): q is from 1 to
 * infinity, 2 in P1. Data of another form: undecidable. */
struct trop_selection_shrinkage {
    int64_t answer; /* yes, ambiguous or undecidable */
    double nu;      /* NaN unless yes */
};
void trop_selection_shrinkage(struct trop_selection_shrinkage *out, const struct trop_data *data,
                              const int64_t *alpha, double q);

/* All selections, the last input varying fastest. How many: -1 when there are more than limit. */
int64_t trop_selection_count(const struct trop_selection_view *view, int64_t limit);
/* The selection after alpha (inputs), which starts at zeros; 0 when it was the last, and alpha
 * is zeros again. */
int trop_selection_next(int64_t *alpha, const struct trop_selection_view *view);

/* ---- a solution of a max-margin problem (selection_support.c) -------------------------------- */

/* What is proved of a solution (W, lambda). */
struct trop_selection_proof {
    const double *w;      /* (rows, columns), scaled to be feasible: divided by its least margin */
    const double *lambda; /* (count); NULL: not known */
    double scale;         /* |A' lambda|_dual scale <= 1: lambda times scale is dual feasible */
    double lower, upper;  /* r' lambda scale >= lower, and |W| <= upper */
    double far;           /* |W - W*| <= far in the norm, see trop_selection_far */
    const double *size;   /* (count) |A_j| in the dual norm; NULL: Frobenius */
    double near;  /* a computed margin that exceeds its right side by no more is support, proved or
                     not: so weakly active constraints are found; 0: only what is proved */
    double clear; /* with own: a margin that exceeds its right side by more is no support; at least
                     near and the tolerance */
    int64_t own;  /* 1: the support of W itself is asked for, as where optima are many: only margins
                     are read, and the multipliers of right sides 0 */
    int64_t open; /* 1: nothing is known of W but that it is feasible: every inequality is open */
};

/* A bound of |W - W*|, W feasible with |W| <= upper and W* the optimum >= lower, in the lp norm:
 * Frobenius for p = 2. Infinity unless 1 < p < infinity: solutions need not be unique. */
double trop_selection_far(double p, double lower, double upper);

enum trop_selection_support {
    TROP_SELECTION_NOT,     /* proved: (A W*)_j > r_j, the right side; or an equality */
    TROP_SELECTION_SUPPORT, /* proved: (A W*)_j <= r_j + tolerance; or near */
    TROP_SELECTION_EITHER   /* neither */
};

struct trop_selection_counts {
    int64_t support, either, others;
    double average; /* margin of the inequalities with right side 1; NaN without any */
};

/* support (count): enum trop_selection_support, of inequalities with right sides 1 or 0; margins
 * (count): A W. The counts are of both. */
enum trop_status trop_selection_support(struct trop_selection_counts *out, int64_t *support,
                                        double *margins, const struct trop_problem *problem,
                                        const struct trop_selection_proof *proof, double tolerance);

/* Local optimality: the selected token has a strictly higher score than every support token. */
struct trop_selection_local {
    int64_t answer;       /* enum trop_selection_answer */
    double gap;           /* least lead over a token that is or may be support; infinity */
    int64_t input, token; /* where; -1: no support token */
    int64_t doubtful;     /* of those that may be support: with a lead that does not pass */
};
/* alpha: (inputs). scores: (inputs, T); inputs and tokens are those of the problem. */
void trop_selection_local(struct trop_selection_local *out, const struct trop_problem *problem,
                          const int64_t *support, const int64_t *alpha, const double *scores,
                          int64_t T, double doubt);

/* The cone around a locally optimal solution in which gradient descent stays (P1 equation 32,
 * P2 equation 67): direction within mu, norm at least R. */
struct trop_selection_cone {
    double theta; /* 1 / |W|_F */
    double delta; /* half the least margin of a token that is none, less 1; infinity; NaN where one
                     may be either */
    double A;     /* largest |key| |query| / theta */
    double mu;    /* (min(1/2, delta) / A)^2 / 8; NaN for W = 0, and where delta is */
    double gamma; /* largest spread of the scores of an input */
    double gap;   /* least lead in score over support tokens */
    double R;     /* (max(2, 1/delta) / theta) log(64 T gamma A / gap); NaN unless gap > 0 */
};
/* In gap tokens that may be support count as support; margins are those of trop_selection_support.
 * norm: |W|_F. With one selected token of every input that is not relaxed. */
void trop_selection_cone(struct trop_selection_cone *out, const struct trop_selection_view *view,
                         const struct trop_problem *problem, const int64_t *support,
                         const double *margins, const int64_t *alpha, const double *scores,
                         double norm);

/* Assumption B.1 of P2: every token is a support token. From counts. */
int64_t trop_selection_all_support(const struct trop_selection_counts *counts);

/* Assumption D of P2 for one selection alpha that is not opt, both (inputs), and the support of its
 * solution: somewhere alpha differs from opt and the optimal token is a support token. It holds
 * when every feasible alpha but opt says yes: join the answers by trop_selection_both. */
int64_t trop_selection_blocked(const struct trop_problem *problem, const int64_t *support,
                               const int64_t *alpha, const int64_t *opt);

/* ---- the first step (selection_step.c) ------------------------------------------------------- */

/* Assumption C of P2: the gradient at W = 0 separates, (x_it - x_i,opt)' grad L(0) z_i > 0 for
 * every token that is not optimal. */
struct trop_selection_step {
    int64_t answer;       /* enum trop_selection_answer */
    double least;         /* of these numbers; infinity without any */
    int64_t input, token; /* where; -1: nowhere */
};
/* scores: (inputs, T), each within an ulp. opt: (inputs). slope: l'(u), within 4 ulp and falling
 * by no more than |l'(u)| per unit of u; NULL: that of the logistic loss log(1 + exp(-u)). */
enum trop_status trop_selection_step(struct trop_selection_step *out,
                                     const struct trop_selection_view *view, const double *scores,
                                     const int64_t *opt, double (*slope)(double u));

#endif
