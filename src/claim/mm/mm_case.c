/* mm_case.c -- instances of the max-margin paper in a case: data, solutions, trajectories, and the
 * hypotheses and spoils that several claims have. */
#include "claim/mm/mm.h"

#include <math.h>

#define ONE_STEP "model=prompt eta=1 steps=1 start_weights=@from"

enum use { USE_KEYS = 32, USE_SCORES, USE_LABELS, USE_UNIT };

/* ---- drawing ---- */

/* Scores of an input. With equal 1 one token is best and the rest score the same; else they are a
 * random order of (rank + u / 2) / T. */
static double score(const struct trop_case *c, int64_t i, int64_t t, int64_t T, int equal)
{
    const double rank = trop_case_uniform(c, USE_SCORES, i * T + t);
    int64_t below = 0;

    for (int64_t s = 0; s < T; s++) {
        below += trop_case_uniform(c, USE_SCORES, i * T + s) < rank;
    }
    if (equal) {
        return below == T - 1 ? 1 + rank : trop_case_uniform(c, USE_LABELS, 1000 + i);
    }
    return ((double)below + rank / 2) / (double)T;
}

void trop_mm_draw(struct trop_case *c, int64_t n, int64_t T, int64_t dk, int equal)
{
    if (trop_case_has(c, "X")) {
        trop_case_try(c, trop_examples_sphere(c, n, T, dk, 0));
        return;
    }
    double *x = trop_case_zeros(c, "X", n, T, dk + 1), *key = trop_case_zeros(c, "K", n, T, dk);
    double *y = trop_case_zeros(c, "y", n, 0, 0), *v = trop_case_zeros(c, "v", dk + 1, 0, 0);
    v[dk] = 1;
    for (int64_t at = 0; at < n * T; at++) {
        const int64_t i = at / T;
        y[i] = trop_case_uniform(c, USE_LABELS, i) < .5 ? -1 : 1;
        for (int64_t k = 0; k < dk; k++) {
            key[at * dk + k] = trop_case_normal(c, USE_KEYS, at * dk + k);
            x[at * (dk + 1) + k] = key[at * dk + k];
        }
        x[at * (dk + 1) + dk] = y[i] * score(c, i, at % T, T, equal);
    }
}

void trop_mm_normals(struct trop_case *c, const char *name, int64_t use, double scale, int64_t a,
                     int64_t b, int64_t k)
{
    double *x = trop_case_absent(c, name, a, b, k);

    for (int64_t at = 0; x && at < a * (b > 0 ? b : 1) * (k > 0 ? k : 1); at++) {
        x[at] = scale * trop_case_normal(c, use, at);
    }
}

void trop_mm_unit(double *out, const struct trop_case *c, int64_t k, int64_t d)
{
    for (int64_t a = 0; a < d; a++) {
        out[a] = trop_case_normal(c, USE_UNIT, k * d + a);
    }
    const double size = trop_tokens_norm(out, d);
    for (int64_t a = 0; a < d; a++) {
        out[a] /= size;
    }
}

void trop_mm_alpha(struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    if (m.alpha) {
        return;
    }
    double *alpha = trop_case_zeros(c, "alpha", m.n, 0, 0);
    for (int64_t i = 0; i < m.n; i++) {
        alpha[i] = (double)trop_mm_optimal(&m, i);
    }
}

void trop_mm_select(struct trop_case *c, const double *p)
{
    const struct trop_mm m = trop_mm_of(c);
    double *alpha = trop_case_zeros(c, "alpha", m.n, 0, 0);

    for (int64_t i = 0; i < m.n; i++) {
        alpha[i] = (double)trop_mm_selected(&m, i, p);
    }
}

/* ---- solutions ---- */

void trop_mm_solve(struct trop_case *c)
{
    trop_case_solve(c, "p_mm", TROP_MM_SOLVED, "model=prompt select=@alpha");
}

/* A point with 1 - cos = turn to p_mm and this norm: cos e + sin f, f a random unit vector across.
 */
void trop_mm_place(double *out, const struct trop_case *c, int64_t k, double turn, double norm)
{
    const double *p = trop_case_array(c, "p_mm");
    const int64_t dk = trop_case_size(c, "p_mm", 0);
    const double size = trop_tokens_norm(p, dk);

    trop_mm_unit(out, c, k, dk);
    const double along = trop_tokens_dot(out, p, dk) / (size * size);
    for (int64_t a = 0; a < dk; a++) {
        out[a] -= along * p[a];
    }
    const double across = trop_tokens_norm(out, dk), sine = sqrt(turn * (2 - turn));
    for (int64_t a = 0; a < dk; a++) {
        /* On a line there is nothing across, and rounding is no direction. */
        out[a] = across > 1e-8 ? norm * ((1 - turn) * p[a] / size + sine * out[a] / across)
                               : norm * p[a] / size;
    }
}

void trop_mm_moves(struct trop_case *c, const char *points, const char *moves,
                   const char *optimizer)
{
    const struct trop_view p = trop_case_view(c, points);
    double *out = trop_case_zeros(c, moves, p.rows, p.columns, 0);

    for (int64_t j = 0; j < p.rows; j++) {
        void *mark = trop_case_mark(c);
        const double *from =
            trop_case_copy_in(c, "from", trop_case_view_row(p, j), p.columns, 0, 0);
        const double *to = NULL;
        double log_scale = 0;
        int64_t shape[2] = { 0 };
        trop_train_tensor(&to, &log_scale, shape,
                          trop_case_train(c, ONE_STEP " optimizer=%s", optimizer), 0);
        for (int64_t k = 0; k < p.columns; k++) {
            out[j * p.columns + k] = to[k] - from[k];
        }
        trop_case_release(c, mark);
    }
    trop_case_drop(c, "from");
}

/* ---- hypotheses ---- */

void trop_mm_equal_others(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    for (int64_t i = 0; i < m.n; i++) {
        const int64_t a = trop_mm_optimal(&m, i);
        const int64_t other = a > 0 ? 0 : m.T - 1;
        for (int64_t t = 0; t < m.T && m.T > 1; t++) {
            if (t != a) {
                trop_judge_truth(judge, "score that is not the best, same as the others", i,
                                 trop_mm_score(&m, i, t) == trop_mm_score(&m, i, other));
            }
        }
        trop_judge_at_least(judge, "lead of the best score", i,
                            trop_mm_score(&m, i, a) - trop_mm_score(&m, i, other), 0, 1e-6);
    }
}

void trop_mm_one_input(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "there is one input", -1, trop_case_size(c, "X", 0) == 1);
}

void trop_mm_separable(struct trop_judge *judge, const struct trop_case *c)
{
    const double outcome = trop_case_number(c, "p_mm_outcome");

    trop_judge_truth(judge, "the max-margin problem has a solution", -1,
                     outcome == TROP_OUTCOME_SOLVED       ? 1
                     : outcome == TROP_OUTCOME_INFEASIBLE ? 0
                                                          : -1);
}

void trop_mm_small_step(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_mm m = trop_mm_of(c);

    trop_judge_at_most(judge, "step size times L_p", -1,
                       trop_case_number(c, "eta") * trop_mm_smoothness(&m, .25, 1), 1, 1e-9);
}
