/* margin_support.h -- random max-margin problems for tests. */
#ifndef TROP_TESTS_MARGIN_SUPPORT_H
#define TROP_TESTS_MARGIN_SUPPORT_H

#include "support.h"

/* A problem with its arrays. Points are tokens, input after input. */
struct sample {
    struct trop_problem problem;
    double *point, *query, *right;
    int64_t *plus, *minus, *asked, *equal, *input, *token;
};

static inline void sample_free(struct sample *s)
{
    free(s->point);
    free(s->query);
    free(s->right);
    free(s->plus);
    free(s->minus);
    free(s->asked);
    free(s->equal);
    free(s->input);
    free(s->token);
}

/* Points the problem to the arrays, which may have been changed, count too. */
static inline void sample_tie(struct sample *s)
{
    s->problem.point = s->point;
    s->problem.query = s->query;
    s->problem.right = s->right;
    s->problem.plus = s->plus;
    s->problem.minus = s->minus;
    s->problem.asked = s->asked;
    s->problem.equal = s->equal;
    s->problem.input = s->input;
    s->problem.token = s->token;
}

/* Room for n inputs of T tokens in R^d and n queries in R^columns, all zero; token 0 of every
 * input is to win over the others by 1: n (T - 1) constraints. */
static inline void sample_make(struct sample *s, int64_t n, int64_t T, int64_t d, int64_t columns)
{
    int64_t count = n * (T - 1);

    *s = (struct sample){ 0 };
    s->problem.rows = d;
    s->problem.columns = columns;
    s->problem.points = n * T;
    s->problem.queries = n;
    s->problem.count = count;
    s->point = calloc((size_t)(n * T * d) + 1, sizeof *s->point);
    s->query = calloc((size_t)(n * columns) + 1, sizeof *s->query);
    s->right = calloc((size_t)count + 1, sizeof *s->right);
    s->plus = calloc((size_t)count + 1, sizeof *s->plus);
    s->minus = calloc((size_t)count + 1, sizeof *s->minus);
    s->asked = calloc((size_t)count + 1, sizeof *s->asked);
    s->equal = calloc((size_t)count + 1, sizeof *s->equal);
    s->input = calloc((size_t)count + 1, sizeof *s->input);
    s->token = calloc((size_t)count + 1, sizeof *s->token);
    for (int64_t i = 0, j = 0; i < n; i++) {
        for (int64_t t = 1; t < T; t++, j++) {
            s->plus[j] = i * T;
            s->minus[j] = i * T + t;
            s->asked[j] = i;
            s->right[j] = 1.0;
            s->input[j] = i;
            s->token[j] = t;
        }
    }
    sample_tie(s);
}

/* Cross attention: normal tokens and queries. Feasible for almost all data when
 * d >= max(T - 1, n). */
static inline void sample_cross(struct sample *s, int64_t n, int64_t T, int64_t d, uint64_t seed)
{
    sample_make(s, n, T, d, d);
    normals(s->point, n * T * d, seed);
    normals(s->query, n * d, seed + 1000003);
}

/* The prompt model: one query, the number 1, asked by all. */
static inline void sample_prompt(struct sample *s, int64_t n, int64_t T, int64_t d, uint64_t seed)
{
    sample_make(s, n, T, d, 1);
    normals(s->point, n * T * d, seed);
    s->problem.queries = 1;
    s->query[0] = 1.0;
    for (int64_t j = 0; j < s->problem.count; j++) {
        s->asked[j] = 0;
    }
}

/* A_j as (rows, columns) numbers, rounded. */
static inline void sample_row(double *out, const struct trop_problem *problem, int64_t j)
{
    const double *z = problem->query + problem->asked[j] * problem->columns;

    for (int64_t a = 0; a < problem->rows; a++) {
        double left =
            problem->plus[j] < 0 ? 0 : problem->point[problem->plus[j] * problem->rows + a];
        left -= problem->minus[j] < 0 ? 0 : problem->point[problem->minus[j] * problem->rows + a];
        for (int64_t b = 0; b < problem->columns; b++) {
            out[a * problem->columns + b] = left * z[b];
        }
    }
}

#endif
