/* row.h -- one token looking at the others: scores, the exact maximum, weights.
 *
 * A row is what a rule sees. The driver (attend_rows.c) fills in the scores and the
 * exact maximisers; the rule turns scores into weights, in place.
 */
#ifndef TROP_ATTEND_ROW_H
#define TROP_ATTEND_ROW_H

#include "kernel/kernel.h"

struct trop_rule;

/* What the rules are told; the same for every row of a step. */
struct trop_rule_numbers {
    const struct trop_rule *rule;
    double beta;       /* not negative: a negative one has turned B into -B */
    double epsilon;    /* in the units of exact scores, form = probability resolved */
    int64_t form;      /* enum trop_form */
    int64_t k;         /* of topk */
    double a;          /* of entmax */
    double confidence; /* radius */
    int64_t ties;      /* enum trop_ties */
    int64_t mask;      /* enum trop_mask */
};

/* The tokens as the rows of one step see them. Scores are computed on copies scaled
 * by powers of two (1 but for extreme data), decisions on the tokens themselves. */
struct trop_scene {
    int64_t n, d, stride;
    const double *x;     /* (n, d) tokens */
    const double *xt;    /* (d, stride) tokens by coordinate, times 2^-scale_x */
    const double *keys;  /* (n, d) what scores are taken on: x, or unit vectors */
    const double *keyst; /* (d, stride) the same by coordinate, times 2^-scale_k */
    const double *y;     /* (n, d) queries B keys_i */
    const double *mass;  /* (stride) or NULL: all 1 */
    const double *reach; /* (d) max_j |keyst_cj| */
    int scale_x, scale_k, scale_y;
    const struct trop_kernel *kernel;
    struct trop_rule_numbers numbers;
};

struct trop_row {
    const struct trop_scene *scene;
    int64_t i;       /* this token */
    int64_t n;       /* visible tokens are 0 .. n-1 */
    const double *y; /* (d) its query */
    double *anchor;  /* (d) scratch */
    double *weight;  /* (n, padded) scores, times 2^-(scale_k + scale_y); then weights */
    double top;      /* the largest of the computed scores */
    double bound;    /* |computed - exact| of every score in weight: two that are more than 2 bounds
                        apart are in their true order */

    int64_t *tied; /* (n) every exact maximiser, ascending; scratch of a rule that does not set
                      in_order */
    int64_t ties;  /* how many */
    int64_t best;  /* the lowest of them */
    int distinct;  /* 1: the maximisers are one point */

    /* What the rule leaves behind. */
    int64_t *support; /* (n) columns with a weight, ascending unless in_order */
    int64_t count;    /* of support; -1: every visible column, and the rule sets total itself */
    int in_order; /* 1: sum the support in its order, from its first point: a weight is then that of
                     all tied tokens at its point (hardmax) */
    double total; /* sum of the weights; 0: an empty row, the token stays */
    const char *trouble; /* not NULL: what is wrong with this row */
};

/* Fills tied, ties, best and distinct from the scores. */
void trop_row_maximise(struct trop_row *row);
/* The same, where tied already lists that many candidates, ascending, and no other column
 * can be a maximiser. */
void trop_row_settle(struct trop_row *row, int64_t candidates);

/* support <- the visible j with s_j - m + shift + delta m >= 0, exactly; m the
 * maximum. */
void trop_row_neighbours(struct trop_row *row, double shift, double delta);

/* Whether column j is in that set, as far as the computed score s_j tells: below
 * cut - slack it is not, above cut + slack it is. Times 2^-(scale_k + scale_y). */
void trop_row_cut(double *cut, double *slack, const struct trop_row *row, double shift,
                  double delta);

/* The factor that turns a difference of computed scores into a logit. */
double trop_row_beta(const struct trop_row *row);

/* 1 when the rounding of scores, times beta, is an error of the logits that matters:
 * differences from a maximiser are then taken by trop_decide_difference. */
int trop_row_coarse(const struct trop_row *row);
/* beta (s_j - M), from the row's scores, or coarse: from the exact difference. */
double trop_row_logit(const struct trop_row *row, int coarse, int64_t j);

/* weight_j <- mass_j exp(beta (s_j - m)) on the support, and the total. */
void trop_row_soften(struct trop_row *row);
/* weight_j <- mass_j on the support, and the total. */
void trop_row_level(struct trop_row *row);

/* The sum of weight_j over the support, in the kernel's order. */
double trop_row_total(const struct trop_row *row);

/* out (d) = sum_j w_j x_j / sum_j w_j - x_i, the displacement of an average. */
void trop_row_displace(double *out, const struct trop_row *row);

/* The weights by token, sum 1: out (scene->n). */
void trop_row_report(double *out, const struct trop_row *row);

static inline double trop_row_mass(const struct trop_row *row, int64_t j)
{
    return row->scene->mass ? row->scene->mass[j] : 1.0;
}

/* 1 when token a stands before b, for trop_sort: by places in lexicographic order, then by index.
 * context is the struct trop_scene. */
int trop_row_before(const void *context, int64_t a, int64_t b);

#endif
