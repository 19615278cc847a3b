/* tf.c -- what the claims of "Transformers as Support Vector Machines" share: instances,
 * hypotheses, and the library's solutions and runs as entries of a case. */
#include "claim/tf/tf.h"

#include "base/math/exp.h"
#include "claim/examples.h"
#include "claim/sample.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define USE_START 40 /* of the random numbers of a case */

/* Everything that is there fits the tokens. */
static int fits(const struct trop_case *c, const struct trop_tf *m)
{
    const struct trop_view y = trop_case_view(c, "y"), v = trop_case_view(c, "v"),
                           z = trop_case_view(c, "z"), alpha = trop_case_view(c, "alpha");

    return m->n > 0 && m->n <= TROP_TF_MOST && m->T > 0 && m->T <= TROP_TF_MOST && y.rows == m->n &&
           v.rows == m->d && z.rows == m->n && z.columns == m->d &&
           (!alpha.at || alpha.rows == m->n);
}

struct trop_tf trop_tf_of(const struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "alpha");
    struct trop_tf m = { 0 };

    trop_examples_data(&m.data, c);
    m.n = m.data.n;
    m.T = m.data.T;
    m.d = m.data.d;
    m.size = m.d * m.d;
    if (!fits(c, &m)) {
        trop_case_refuse(c,
                         "X, y, v, z and alpha: must be (n, T, d), (n), (d), (n, d) and (n), n "
                         "and T at most %d",
                         TROP_TF_MOST);
    }
    trop_examples_optimal(m.best, c);
    for (int64_t i = 0; i < m.n; i++) {
        if (alpha && !(alpha[i] >= 0 && alpha[i] < (double)m.T)) {
            trop_case_refuse(c, "alpha: %g is no token of an input", alpha[i]);
        }
        m.alpha[i] = alpha ? (int64_t)alpha[i] : m.best[i];
    }
    return m;
}

/* ---- instances ---- */

void trop_tf_draw(struct trop_case *c, int64_t n, int64_t T, int64_t d)
{
    trop_examples_sphere(c, n, T, d, 1);
    const struct trop_tf m = trop_tf_of(c);
    trop_sample_shape(c, "W0", m.d, m.d, 0);
}

void trop_tf_equal_scores(struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    const double *v = m.data.v, squares = trop_tokens_dot(v, v, m.d);

    for (int64_t k = 0; k < m.n * m.T; k++) {
        const double wanted = k % m.T == 0 ? .5 : -.25;
        double *token = trop_case_array(c, "X") + k * m.d;
        /* Twice: the second time removes the rounding of the first. */
        for (int64_t twice = 0; twice < 2; twice++) {
            const double more = wanted * m.data.y[k / m.T] - trop_tokens_dot(v, token, m.d);
            for (int64_t a = 0; a < m.d; a++) {
                token[a] += more / squares * v[a];
            }
        }
    }
}

void trop_tf_draw_start(struct trop_case *c, double scale)
{
    const int64_t d = trop_case_size(c, "X", 2);

    if (trop_case_has(c, "W0")) {
        return;
    }
    double *w = trop_case_zeros(c, "W0", d, d, 0);
    for (int64_t k = 0; k < d * d; k++) {
        w[k] = scale * trop_case_normal(c, USE_START, k);
    }
}

/* ---- what the library finds ---- */

struct trop_margin *trop_tf_solution(struct trop_case *c, const char *entry, const int64_t *alpha,
                                     const char *norm)
{
    const struct trop_tf m = trop_tf_of(c);
    char select[8 * TROP_TF_MOST];

    trop_examples_select(select, alpha ? alpha : m.alpha, m.n);
    return trop_case_solve(
        c, entry, "outcome lower upper local=locally_optimal mu=cone.mu radius=cone.radius",
        "norm=%s select=%s", norm, select);
}

void trop_tf_path(struct trop_case *c, const char *entry, const char *format, ...)
{
    const int64_t d = trop_case_size(c, "X", 2);
    char options[256], columns[96];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(options, sizeof options, format, arguments);
    va_end(arguments);
    struct trop_train *train = trop_case_train(c, "start_weights=@W0 %s", options);
    snprintf(columns, sizeof columns, "weights=%s step=%s_step", entry, entry);
    trop_case_records(c, train, columns);
    trop_case_reshape(c, entry, trop_case_size(c, entry, 0), d, d);
}

void trop_tf_gradients(struct trop_case *c, const char *entry, const char *at)
{
    const struct trop_view w = trop_case_view(c, at);
    const int64_t d = w.depth;
    double *out = trop_case_zeros(c, entry, w.rows, d, d);
    struct trop_case *aside = trop_case_aside(c);

    for (int64_t row = 0; row < w.rows; row++) {
        const double *end = NULL, *start = trop_case_view_row(w, row);
        double log_scale = 0;
        int64_t shape[2];
        trop_case_copy_in(aside, "start", start, d, d, 0);
        trop_train_tensor(&end, &log_scale, shape,
                          trop_case_train(aside, "optimizer=gd eta=1 steps=1 start_weights=@start"),
                          0);
        for (int64_t k = 0; k < d * d; k++) {
            out[row * d * d + k] = start[k] - trop_exp(log_scale) * end[k];
        }
    }
}

/* ---- hypotheses ---- */

void trop_tf_has_best(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    const double rounding = trop_tf_score_rounding(&m); /* equal tokens score exactly the same */

    for (int64_t i = 0; i < m.n; i++) {
        const double lead = trop_tf_score_gap(&m.data, i, m.best[i]);
        trop_judge_truth(judge, "one token of an input scores highest", i,
                         lead == 0         ? 0
                         : lead > rounding ? 1
                                           : -1);
    }
}

void trop_tf_is_feasible(struct trop_judge *judge, const struct trop_case *c)
{
    const double outcome = trop_case_number(c, "W_mm_outcome");

    trop_judge_truth(judge, "the max-margin problem is solved", -1,
                     outcome == TROP_OUTCOME_SOLVED       ? 1
                     : outcome == TROP_OUTCOME_INFEASIBLE ? 0
                                                          : -1);
}

void trop_tf_is_local(struct trop_judge *judge, const struct trop_case *c)
{
    const double value = trop_case_number(c, "W_mm_local");

    trop_judge_truth(judge, "alpha is locally optimal", -1, value == 1 ? 1 : value == 0 ? 0 : -1);
}

void trop_tf_is_orthonormal(struct trop_judge *judge, const char *line, const double *vectors,
                            int64_t count, int64_t d)
{
    for (int64_t k = 0; k < count * count; k++) {
        const double *a = vectors + k / count * d, *b = vectors + k % count * d;
        trop_judge_truth(judge, line, k,
                         fabs(trop_tokens_dot(a, b, d) - (k / count == k % count)) <= 1e-12);
    }
}
