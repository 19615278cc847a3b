/* tf.c -- what the claims of "Transformers as Support Vector Machines" share: instances,
 * hypotheses, and the library's solutions and runs as entries of a case. */
#include "claim/tf/tf.h"

#include "base/math/exp.h"
#include "base/field.h"
#include "base/status.h"
#include "claim/examples.h"
#include "claim/tokens.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define USE_START 40 /* of the random numbers of a case */

struct trop_tf trop_tf_of(const struct trop_case *c)
{
    const struct trop_view alpha = trop_case_view(c, "alpha");
    struct trop_tf m = { 0 };

    trop_examples_data(&m.data, c);
    m.n = m.data.n;
    m.T = m.data.T;
    m.d = m.data.d;
    m.size = m.d * m.d;
    if (m.n > TROP_TF_MOST || m.T > TROP_TF_MOST || (alpha.at && alpha.rows != m.n)) {
        trop_case_refuse(c, "n = %lld, T = %lld: this claim takes at most %d, and alpha (n)",
                         (long long)m.n, (long long)m.T, TROP_TF_MOST);
    }
    trop_examples_optimal(m.best, c);
    for (int64_t i = 0; i < m.n; i++) {
        m.alpha[i] = alpha.at ? (int64_t)alpha.at[i] : m.best[i];
        if (m.alpha[i] < 0 || m.alpha[i] >= m.T) {
            trop_case_refuse(c, "alpha: %lld is no token of an input", (long long)m.alpha[i]);
        }
    }
    return m;
}

/* ---- instances ---- */

enum trop_status trop_tf_draw(struct trop_case *c, int64_t n, int64_t T, int64_t d)
{
    return trop_examples_sphere(c, n, T, d, 1);
}

void trop_tf_equal_scores(struct trop_case *c)
{
    struct trop_data data;

    trop_examples_data(&data, c);
    double *x = trop_case_array(c, "X");
    const double squares = trop_tokens_dot(data.v, data.v, data.d);
    for (int64_t k = 0; k < data.n * data.T; k++) {
        const double wanted = k % data.T == 0 ? .5 : -.25;
        double *token = x + k * data.d;
        /* Twice: the second time removes the rounding of the first. */
        for (int64_t twice = 0; twice < 2; twice++) {
            const double more =
                wanted * data.y[k / data.T] - trop_tokens_dot(data.v, token, data.d);
            for (int64_t a = 0; a < data.d; a++) {
                token[a] += more / squares * data.v[a];
            }
        }
    }
}

enum trop_status trop_tf_draw_start(struct trop_case *c, double scale)
{
    const int64_t d = trop_case_size(c, "X", 2);
    double *w = NULL;

    if (trop_case_has(c, "W0")) {
        return TROP_OK;
    }
    enum trop_status status = trop_case_make(&w, c, "W0", d, d, 0);
    for (int64_t k = 0; status == TROP_OK && k < d * d; k++) {
        w[k] = scale * trop_case_normal(c, USE_START, k);
    }
    return status;
}

void trop_tf_alpha(int64_t *out, const struct trop_case *c)
{
    const double *alpha = trop_case_array(c, "alpha");

    if (!alpha) {
        trop_examples_optimal(out, c);
    }
    for (int64_t i = 0; alpha && i < trop_case_size(c, "X", 0); i++) {
        out[i] = (int64_t)alpha[i];
    }
}

void trop_tf_digits(int64_t *out, int64_t k, int64_t n, int64_t T)
{
    for (int64_t i = 0; i < n; i++, k /= T) {
        out[i] = k % T;
    }
}

int64_t trop_tf_count(int64_t n, int64_t T)
{
    int64_t count = 1;

    for (int64_t i = 0; i < n && count <= TROP_TF_SELECTIONS; i++) {
        count *= T;
    }
    return count;
}

/* ---- solutions ---- */

static double number(const struct trop_margin *margin, const char *name, double otherwise)
{
    struct trop_value value = { 0 };

    if (trop_margin_value(&value, margin, name) != TROP_OK) {
        return otherwise;
    }
    return value.kind == TROP_KIND_NUMBER ? value.number
           : value.kind == TROP_KIND_INTEGER || value.kind == TROP_KIND_BOOLEAN
               ? (double)value.integer
               : otherwise;
}

static enum trop_status keep_number(struct trop_case *c, const char *name, const char *what,
                                    double value)
{
    char entry[64];

    snprintf(entry, sizeof entry, "%s_%s", name, what);
    return trop_case_put(c, entry, value);
}

static enum trop_status keep_solution(struct trop_case *c, const struct trop_margin *margin,
                                      const char *name)
{
    static const struct {
        const char *what, *field;
        double otherwise;
    } kept[] = { { "lower", "lower", 0 },
                 { "upper", "upper", INFINITY },
                 { "rank", "rank", -1 },
                 { "rank_upper", "rank_upper", -1 },
                 { "local", "locally_optimal", -1 },
                 { "mu", "cone.mu", NAN },
                 { "radius", "cone.radius", NAN },
                 { "first", "assumptions.first_step", -1 } };
    const struct trop_problem *problem = trop_margin_problem(margin);
    struct trop_value outcome = { 0 };
    double *w = NULL;
    enum trop_status status = trop_case_make(&w, c, name, problem->rows, problem->columns, 0);

    if (status == TROP_OK) {
        memcpy(w, trop_margin_weights(margin),
               (size_t)(problem->rows * problem->columns) * sizeof *w);
        status = trop_margin_value(&outcome, margin, "outcome");
    }
    for (size_t k = 0; status == TROP_OK && k < sizeof kept / sizeof kept[0]; k++) {
        status =
            keep_number(c, name, kept[k].what, number(margin, kept[k].field, kept[k].otherwise));
    }
    if (status == TROP_OK) {
        const int is_solved = outcome.text && strcmp(outcome.text, "solved") == 0;
        const int is_infeasible = outcome.text && strcmp(outcome.text, "infeasible") == 0;
        status = keep_number(c, name, "outcome",
                             is_solved       ? TROP_OUTCOME_SOLVED
                             : is_infeasible ? TROP_OUTCOME_INFEASIBLE
                                             : TROP_OUTCOME_STALLED);
    }
    return status;
}

enum trop_status trop_tf_solve(struct trop_case *c, const int64_t *alpha, int64_t norm,
                               const char *name)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct trop_data data;
    char select[8 * 64];
    int64_t tokens[64];

    trop_examples_data(&data, c);
    if (data.n > 64) {
        return trop_fail(TROP_ERR_UNSUPPORTED, "n = %lld: this claim takes at most 64 inputs",
                         (long long)data.n);
    }
    trop_tf_alpha(tokens, c);
    trop_examples_select(select, alpha ? alpha : tokens, data.n);
    o.select = select;
    o.data = &data;
    o.norm = norm;
    o.threads = c->threads;
    enum trop_status status = trop_margin_create(&margin, &o);
    if (status == TROP_OK) {
        status = trop_margin_run(margin, NULL, NULL);
    }
    if (status == TROP_OK || status == TROP_ERR_STOPPED) {
        status = keep_solution(c, margin, name);
    }
    trop_margin_free(margin);
    return status;
}

void trop_tf_solution(struct trop_case *c, const char *entry, const int64_t *alpha,
                      const char *norm)
{
    const struct trop_tf m = trop_tf_of(c);
    char select[8 * TROP_TF_MOST];

    trop_examples_select(select, alpha ? alpha : m.alpha, m.n);
    trop_case_solve(c, entry,
                    "outcome lower upper local=locally_optimal mu=cone.mu radius=cone.radius",
                    "norm=%s select=%s", norm, select);
}

/* ---- training ---- */

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

struct trop_train_options trop_tf_training(const char *optimizer, double eta, int64_t steps)
{
    struct trop_train_options o = trop_train_options_default();

    (void)trop_option_set(&o, trop_train_option_table(), "optimizer", optimizer);
    o.eta = eta;
    o.steps = steps;
    o.compare = TROP_TRAIN_COMPARE_NONE;
    return o;
}

static enum trop_status keep_records(struct trop_case *c, const struct trop_train *train,
                                     const char *name)
{
    const struct trop_field *table = trop_train_field_table();
    const int64_t d = trop_case_size(c, "X", 2);
    struct trop_value history = { 0 };
    double *w = NULL, *steps = NULL;
    char entry[64];

    snprintf(entry, sizeof entry, "%s_step", name);
    enum trop_status status = trop_train_value(&history, train, "history");
    if (status == TROP_OK) {
        status = trop_case_make(&w, c, name, history.shape[0], d, d);
    }
    if (status == TROP_OK) {
        status = trop_case_make(&steps, c, entry, history.shape[0], 0, 0);
    }
    for (int64_t row = 0; status == TROP_OK && row < history.shape[0]; row++) {
        struct trop_value weights;
        status = trop_field_cell(&weights, table, train, "history", "weights", row);
        if (status == TROP_OK && weights.kind != TROP_KIND_NUMBERS) {
            status = trop_fail(TROP_ERR_UNSUPPORTED, "%s: the run kept no weights", name);
        }
        if (status == TROP_OK) {
            memcpy(w + row * d * d, weights.numbers, (size_t)(d * d) * sizeof *w);
            status = trop_field_cell_number(steps + row, table, train, "history", "step", row);
        }
    }
    return status;
}

enum trop_status trop_tf_train(struct trop_case *c, const struct trop_train_options *options,
                               const char *name)
{
    struct trop_train_options o = *options;
    struct trop_train *train = NULL;
    struct trop_data data;

    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = c->threads;
    if (trop_case_has(c, "W0")) {
        o.start = TROP_TRAIN_GIVEN;
        o.start_weights = trop_case_array(c, "W0");
    }
    enum trop_status status = trop_train_create(&train, &o);
    if (status == TROP_OK) {
        status = trop_train_run(train, NULL, NULL);
    }
    if (status == TROP_OK) {
        status = keep_records(c, train, name);
    }
    trop_train_free(train);
    return status;
}

enum trop_status trop_tf_gradients(struct trop_case *c, const char *at, const char *name)
{
    const int64_t rows = trop_case_size(c, at, 0), d = trop_case_size(c, at, 2);
    struct trop_train_options o = trop_tf_training("gd", 1, 1);
    struct trop_data data;
    double *out = NULL;
    enum trop_status status = trop_case_make(&out, c, name, rows, d, d);

    trop_examples_data(&data, c);
    o.data = &data;
    o.threads = 1;
    o.start = TROP_TRAIN_GIVEN;
    for (int64_t row = 0; status == TROP_OK && row < rows; row++) {
        const double *start = trop_case_array(c, at) + row * d * d, *end = NULL;
        struct trop_train *train = NULL;
        double log_scale = 0;
        int64_t shape[2];
        o.start_weights = start;
        status = trop_train_create(&train, &o);
        if (status == TROP_OK) {
            status = trop_train_run(train, NULL, NULL);
        }
        if (status == TROP_OK && trop_train_tensor(&end, &log_scale, shape, train, 0)) {
            for (int64_t k = 0; k < d * d; k++) {
                out[row * d * d + k] = start[k] - trop_exp(log_scale) * end[k];
            }
        }
        trop_train_free(train);
    }
    return status;
}

/* ---- hypotheses ---- */

void trop_tf_has_best(struct trop_judge *judge, const struct trop_case *c)
{
    const struct trop_tf m = trop_tf_of(c);
    /* A score is a sum of d products of numbers near 1; equal tokens score exactly the same. */
    const double rounding = 16 * (double)m.d * DBL_EPSILON * trop_tokens_norm(m.data.v, m.d);

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

/* ---- the same in claims that still return a status ---- */

enum trop_status trop_tf_unique(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    for (int64_t i = 0; i < data.n; i++) {
        /* A score is a sum of d products of numbers near 1; equal tokens score exactly the same. */
        const double lead = trop_tf_score_gap(&data, i, alpha[i]);
        trop_judge_truth(
            judge, "one token of an input scores highest", i,
            lead == 0                                                                     ? 0
            : lead > 16 * (double)data.d * DBL_EPSILON * trop_tokens_norm(data.v, data.d) ? 1
                                                                                          : -1);
    }
    return TROP_OK;
}

enum trop_status trop_tf_solved(struct trop_judge *judge, const struct trop_case *c)
{
    const double outcome = trop_case_number(c, "W_mm_outcome");

    trop_judge_truth(judge, "the max-margin problem is solved", -1,
                     outcome == TROP_OUTCOME_SOLVED       ? 1
                     : outcome == TROP_OUTCOME_INFEASIBLE ? 0
                                                          : -1);
    return TROP_OK;
}

enum trop_status trop_tf_equal(struct trop_judge *judge, const struct trop_case *c)
{
    struct trop_data data;
    int64_t alpha[64];

    trop_examples_data(&data, c);
    trop_examples_optimal(alpha, c);
    for (int64_t i = 0; i < data.n; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t t = 0; t < data.T; t++) {
            low = t == alpha[i] ? low : fmin(low, trop_tf_score(&data, i, t));
            high = t == alpha[i] ? high : fmax(high, trop_tf_score(&data, i, t));
        }
        /* Equal up to the rounding of a score. */
        trop_judge_truth(judge, "the other tokens of an input score the same", i,
                         high - low <=
                             16 * (double)data.d * DBL_EPSILON * trop_tokens_norm(data.v, data.d));
    }
    return TROP_OK;
}

enum trop_status trop_tf_double_best(struct trop_case *c)
{
    const int64_t d = trop_case_size(c, "X", 2);
    double *x = trop_case_array(c, "X");
    int64_t alpha[64];

    trop_examples_optimal(alpha, c);
    memcpy(x + (alpha[0] == 0 ? 1 : 0) * d, x + alpha[0] * d, (size_t)d * sizeof *x);
    return TROP_OK;
}

const struct trop_input trop_tf_inputs[] = {
    { "X", "(n, T, d)", "tokens" },
    { "y", "(n)", "labels, 1 or -1" },
    { "v", "(d)", "decoder" },
    { "z", "(n, d)", "queries" },
    { 0 },
};
