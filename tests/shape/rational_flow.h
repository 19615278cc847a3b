/* rational_flow.h -- hardmax and localmax layers in rational numbers, sets by definition. */
#ifndef TROP_TESTS_RATIONAL_FLOW_H
#define TROP_TESTS_RATIONAL_FLOW_H

#include "attend/attend.h"

#include <gmp.h>
#include <string.h>

#define N 6 /* tokens, at most */
#define D 2 /* dimensions */

/* A model, a state and its future. */
struct scenario {
    int64_t n;
    double x[N * D], mass[N];
    int weighted;
    struct trop_rule_numbers numbers;
    struct trop_matrix b;
    double values[D * D];
    struct trop_schedule gamma, epsilon;
};

struct exact {
    mpq_t x[N * D], next[N * D], score[N], sum, weight, t;
    int in[N][N];
};

static inline void exact_create(struct exact *e, const struct scenario *s)
{
    for (int k = 0; k < N * D; k++) {
        mpq_inits(e->x[k], e->next[k], NULL);
        mpq_set_d(e->x[k], k < s->n * D ? s->x[k] : 0);
    }
    for (int j = 0; j < N; j++) {
        mpq_init(e->score[j]);
    }
    mpq_inits(e->sum, e->weight, e->t, NULL);
}

static inline void exact_free(struct exact *e)
{
    for (int k = 0; k < N * D; k++) {
        mpq_clears(e->x[k], e->next[k], NULL);
    }
    for (int j = 0; j < N; j++) {
        mpq_clear(e->score[j]);
    }
    mpq_clears(e->sum, e->weight, e->t, NULL);
}

/* score_j = <B x_i, x_j> */
static inline void exact_scores(struct exact *e, const struct scenario *s, int64_t i)
{
    for (int64_t j = 0; j < s->n; j++) {
        mpq_set_ui(e->score[j], 0, 1);
        for (int a = 0; a < D; a++) {
            for (int c = 0; c < D; c++) {
                double b = s->b.values ? s->values[a * D + c] : a == c ? s->b.scale : 0;
                mpq_set_d(e->t, b);
                mpq_mul(e->t, e->t, e->x[i * D + c]);
                mpq_mul(e->t, e->t, e->x[j * D + a]);
                mpq_add(e->score[j], e->score[j], e->t);
            }
        }
    }
}

static inline int exact_equal(const struct exact *e, int64_t i, int64_t j)
{
    return mpq_equal(e->x[i * D], e->x[j * D]) && mpq_equal(e->x[i * D + 1], e->x[j * D + 1]);
}

/* in[i][j]: j is within epsilon of the best score that i sees. */
static inline void exact_sets(struct exact *e, const struct scenario *s, double epsilon)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t visible = s->numbers.mask == TROP_MASK_CAUSAL ? i + 1 : s->n, best = 0;
        exact_scores(e, s, i);
        for (int64_t j = 1; j < visible; j++) {
            best = mpq_cmp(e->score[j], e->score[best]) > 0 ? j : best;
        }
        for (int64_t j = 0; j < s->n; j++) {
            mpq_set_d(e->t, epsilon);
            mpq_add(e->t, e->t, e->score[j]);
            e->in[i][j] = j < visible && mpq_cmp(e->t, e->score[best]) >= 0;
        }
    }
}

/* The weight of j in the average of i. */
static inline double exact_weight(const struct exact *e, const struct scenario *s, int64_t i,
                                  int64_t j)
{
    int hardmax = s->numbers.rule == &trop_rule_hardmax;

    if (!e->in[i][j]) {
        return 0;
    }
    for (int64_t l = 0; hardmax && s->numbers.ties != TROP_TIES_INDICES && l < j; l++) {
        int before = s->numbers.ties == TROP_TIES_FIRST || exact_equal(e, l, j);
        if (e->in[i][l] && before) {
            return 0;
        }
    }
    return s->weighted && !(hardmax && s->numbers.ties != TROP_TIES_INDICES) ? s->mass[j] : 1;
}

static inline void exact_step(struct exact *e, const struct scenario *s, double gamma)
{
    for (int64_t i = 0; i < s->n; i++) {
        for (int c = 0; c < D; c++) {
            mpq_set_ui(e->sum, 0, 1);
            mpq_set_ui(e->weight, 0, 1);
            for (int64_t j = 0; j < s->n; j++) {
                mpq_set_d(e->t, exact_weight(e, s, i, j));
                mpq_add(e->weight, e->weight, e->t);
                mpq_mul(e->t, e->t, e->x[j * D + c]);
                mpq_add(e->sum, e->sum, e->t);
            }
            mpq_div(e->sum, e->sum, e->weight);
            mpq_sub(e->sum, e->sum, e->x[i * D + c]);
            mpq_set_d(e->t, gamma);
            mpq_mul(e->sum, e->sum, e->t);
            mpq_add(e->next[i * D + c], e->x[i * D + c], e->sum);
        }
    }
    for (int64_t k = 0; k < s->n * D; k++) {
        mpq_swap(e->x[k], e->next[k]);
    }
}

#endif
