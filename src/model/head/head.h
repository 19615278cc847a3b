/* head.h -- one attention head on one text: what it was given, and what is measured of it.
 *
 * Scores are s_ij = scale <q_i, k_j> over the keys j that row i sees, weights a_ij their softmax,
 * o_i = sum_j a_ij v_j; a_i is the token with the largest score, decided without error on the
 * doubles given, the lowest of several. What is called proved below holds for the real numbers
 * that the doubles given stand for. */
#ifndef TROP_MODEL_HEAD_H
#define TROP_MODEL_HEAD_H

#include "tropism.h"

/* One head on one text: what it was given, in double. Pointers are the caller's. */
struct trop_head_input {
    int64_t n, d;            /* tokens, dimension of q, k, v */
    const double *q, *k, *v; /* (n, d) each; q and k after the rotation, where there is one */
    double scale;            /* of the scores: s_ij = scale <q_i, k_j> */
    int64_t causal;          /* 1: row i sees j <= i */
    int64_t window;          /* > 0: row i sees j > i - window (and, not causal, j < i + window) */
    /* Of a model; NULL and 0 from arrays alone. */
    int64_t width;     /* of the residual stream */
    const double *hat; /* (n, width) x^: output of the norm that feeds the head before its gain */
    const double *wq, *bq; /* (d, width), (d): q_i before the rotation = wq x^_i + bq; gain and norm
                              bias folded */
    const double *wk;      /* (d, width): key of x^_t but for a constant, before the rotation */
    const double *wo;      /* (width, d): what the head's output becomes in the residual stream */
    const double *angle;   /* (n, d / 2) of the rotation of pair p at token i; NULL: none */
    int64_t halves;        /* 1: pair p is (p, p + d/2); 0: (2p, 2p + 1) */
};

/* What is measured: a set of these. What each row selects is always there. */
enum trop_head_measures {
    TROP_HEAD_MEASURE_FLIP = 1,    /* radii that keep the selection; rounding to 16 bits */
    TROP_HEAD_MEASURE_HARDMAX = 2, /* distance from hardmax */
    TROP_HEAD_MEASURE_LEADERS = 4, /* the graph i -> a_i */
    TROP_HEAD_MEASURE_HEAT = 8,    /* effective temperature */
    TROP_HEAD_MEASURE_KEYS = 16,   /* what does not depend on the query */
    TROP_HEAD_MEASURE_REACH = 32,  /* what mixtures of the queries can select; slower */
    TROP_HEAD_MEASURE_QUICK = 31,
    TROP_HEAD_MEASURE_QUIET = 64, /* hypothetical: sets that would stay apart */
    TROP_HEAD_MEASURE_ALL = 127
};

/* Rows by what becomes of their selection when q and k are rounded to a format of 16 bits. */
struct trop_head_rounding {
    int64_t safe;    /* proved to keep it */
    int64_t flipped; /* lose it when they are rounded to the nearest */
    int64_t open;    /* neither; also rows with a number beyond the range of the format */
};

#define TROP_HEAD_BFLOAT16 1
#define TROP_HEAD_FLOAT16 2

struct trop_head_scratch;

/* Means are over rows. NaN: there is no value. Arrays that were not asked for are NULL. */
struct trop_head_result {
    int64_t n, d, width, which; /* as create was told */

    int64_t *argmax;  /* (n) a_i */
    int64_t selected; /* tokens among these */

    /* FLIP. Proved lower bounds of the least change of q_i that changes the selection, within
     * 2 (d + 16) 2^-53 of it, relatively; infinite for a row that sees one distinct key. */
    double *flip;          /* (n) */
    double flip_mean;      /* of the finite ones */
    int64_t flip_infinite; /* how many are not */
    /* The same in x^, over |x^_i|; a proved lower bound too, infinite also where W_Q or x^_i is 0.
     * NaN from arrays alone. */
    double *flip_relative; /* (n) */
    double flip_relative_mean;
    int64_t flip_relative_infinite;
    struct trop_head_rounding bfloat16, float16;
    unsigned char *safe; /* (n) TROP_HEAD_BFLOAT16, TROP_HEAD_FLOAT16: of the safe rows */

    /* HARDMAX, in the residual stream, or between values from arrays alone. */
    double *distance;        /* (n) |o_i - v_a| */
    double *distance_bound;  /* (n) (1 - a_ia) max_j |v_j - v_a|, proved not to be less */
    double *spread;          /* (n) max_j |v_j - v_a| */
    double *kappa;           /* (n) the factor of beta with which a_ia = .99 */
    double *kappa_low;       /* (n) proved bounds of it */
    double *kappa_high;      /* (n) */
    double kappa_median;     /* infinite ones count */
    double hard_rows;        /* share of rows with a_ia >= .99: kappa_high <= 1 */
    double hardmax_distance; /* mean of distance over spread, 0 where there is no spread */

    /* LEADERS. */
    int64_t *degree;    /* (n) rows that select the token */
    int64_t *sink;      /* (n) the first `selected`: tokens by falling degree, then by index */
    int64_t self_loops; /* a_i = i */
    int64_t cycles;     /* of two tokens or more */

    /* HEAT. */
    double *score_deviation; /* (n) of the scores of a row, over their number */
    double *perplexity;      /* (n) e^entropy */
    double *entropy;         /* (n) -sum a log a */
    double *min_entropy;     /* (n) -log max a */
    double *top_weight;      /* (n) max a */
    double *gap;             /* (n) max_j s_j - sum_j a_j s_j */
    double *row_logit;       /* (n) max_j s_j */
    double score_deviation_mean, perplexity_mean, top_weight_mean, gap_mean;
    double max_logit; /* of all rows */

    /* KEYS. */
    double key_only;      /* sum_t n_t c_t^2 / sum r_it^2; NaN when all scores of each row agree */
    double key_only_rows; /* share of rows whose token has the largest c_t that they see */
    double *key_mean;     /* (n) c_t */

    /* QUIET: closed sets of the graph i -> {j : s_ij = max}, and the least epsilon that leaves one
     * set when rows follow all within epsilon of their best; infinite: none does. */
    int64_t quiet_sets;
    double quiet_epsilon;

    /* REACH: rho_t of the keys that position `at` sees, of all keys without a mask. Absent, with
     * reach_there 0, for a causal head without rotation and for a window without causal mask. */
    int64_t at;          /* position of a causal head; the caller may change it. -1: the last */
    int64_t reach_there; /* 1: what follows is */
    double *rho;         /* (n) the middle of its bounds; infinite: no other key; NaN: not seen */
    double *rho_low;     /* (n) proved bounds */
    double *rho_high;    /* (n) */
    int64_t reachable;   /* rho_low >= 0 */
    int64_t unreachable; /* rho_high < 0 */
    int64_t reach_open;  /* neither is proved: rho is 0, as of keys that no query selects where a
                            mixture of the queries is 0, or within rounding of it */
    int64_t reach_steps; /* of the solver, all tokens together */
    /* What they are of: reach_rows queries, (reach_rows, d) turned to position `at`, NULL: as they
     * were given; and reach_keys keys from reach_first on. */
    const double *reach_queries;
    int64_t reach_rows, reach_first, reach_keys;
    /* The mixtures that prove it: of queries for rho_low, of keys for rho_high; each has at most
     * `reach_most` members, then weight 0. They add up to 1 but for rounding. */
    int64_t reach_most;
    int64_t *reach_query, *reach_key;        /* (n, reach_most) */
    double *reach_query_mix, *reach_key_mix; /* (n, reach_most) */

    struct trop_head_scratch *scratch;
};

/* Memory for heads of this size. width: 0 from arrays alone. which: enum trop_head_measures. */
enum trop_status trop_head_create(struct trop_head_result **out, int64_t n, int64_t d,
                                  int64_t width, int64_t which);
void trop_head_free(struct trop_head_result *head);

/* All that create was told of. v is read for HARDMAX alone. */
enum trop_status trop_head_measure(struct trop_head_result *head,
                                   const struct trop_head_input *input);

#endif
