/* model.c -- the constraints of every model of attention but next-token graphs.
 *
 *   prompt     (k_ia - k_it)' p >= 1                                 (P1, ATT-SVM)
 *   cross      (x_ia - x_it)' W z_i >= 1                             (P2, Att-SVM)
 *   self       the same with z_i = x_i,row
 *   sequence   (x_ia - x_it)' W z_ik >= 1, a = a_ik                  (P2, SAtt-SVM)
 *   label      y_i v' x_ia >= 1                                      (P1, SVM)
 *
 * for every token t but the selected one, a, of every input i (and query k of it); a causal
 * mask leaves the tokens t <= k. Inputs that are relaxed ask >= 0 (P1, equation 10). P1 is
 * Ataee Tarzanagh, Li, Zhang, Oymak, "Max-margin token selection in attention mechanism"
 * (2023); P2 is Ataee Tarzanagh, Li, Thrampoulidis, Oymak, "Transformers as support vector
 * machines" (2023).
 *
 * With weights (P2, section 6, Gen-SVM) the tokens of weight > 0 share the attention of their
 * input, and select is not read. Equal logits within them and a lead of 1 over every other
 * follow from one of them, the anchor a: (x_t - x_a)' W z = 0 for the others that share, and
 * (x_a - x_t)' W z >= 1 for those that do not. The finite part asks instead, of those that
 * share, (x_t - x_a)' W z = log(s_t / s_a).
 *
 * Points are the tokens, input after input: token t of input i is point i T + t. Constraints
 * come in the order of inputs, queries, tokens. In sequence problems input[] counts queries,
 * i T + k. An input of one token asks nothing.
 */
#include "margin/model/model_internal.h"

#include "base/alloc.h"
#include "base/math/dd.h"
#include "base/math/log.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* How a model of attention reads the data. */
struct view {
    const struct trop_data *data;
    const struct trop_model_choice *choice;
    int64_t model;     /* resolved */
    const double *key; /* (n, T, dk) what the logits are linear in */
    int64_t dk;
    const double *query; /* (n, asks, columns); NULL: rows of the tokens, or the number 1 */
    int64_t columns;
    int64_t asks; /* queries of an input */
};

/* Tokens that query k of an input may attend to: 0 .. tokens - 1. */
static int64_t tokens_of(const struct view *view, int64_t k)
{
    int causal = view->model == TROP_MODEL_SEQUENCE && view->choice->mask == TROP_MASK_CAUSAL;

    return causal ? k + 1 : view->data->T;
}

/* Which query of the problem is query k of input i. */
static int64_t asked_of(const struct view *view, int64_t i, int64_t k)
{
    return view->model == TROP_MODEL_PROMPT ? 0 : i * view->asks + k;
}

/* The right side of the inequalities of input i. */
static double right_of(const struct trop_model_choice *choice, int64_t i)
{
    return choice->relaxed && choice->relaxed[i] ? 0.0 : 1.0;
}

/* ---- refusals ------------------------------------------------------------------------------ */

static enum trop_status check_select(const struct view *view)
{
    if (!view->choice->select) {
        return trop_fail(TROP_ERR_ARG, "select: missing, the %s model needs a token of each input",
                         trop_model_names[view->model]);
    }
    for (int64_t q = 0; q < view->data->n * view->asks; q++) {
        const int64_t i = q / view->asks, k = q % view->asks, tokens = tokens_of(view, k);
        const int64_t chosen = view->choice->select[q];
        if (chosen >= 0 && chosen < tokens) {
            continue;
        }
        if (view->asks == 1) {
            return trop_fail(TROP_ERR_ARG,
                             "select: input %lld has token %lld, must be from 0 to %lld",
                             (long long)i, (long long)chosen, (long long)(tokens - 1));
        }
        return trop_fail(
            TROP_ERR_ARG,
            "select: query %lld of input %lld has token %lld, must be from 0 to %lld%s",
            (long long)k, (long long)i, (long long)chosen, (long long)(tokens - 1),
            tokens < view->data->T ? " (causal mask)" : "");
    }
    return TROP_OK;
}

/* Weights that are not negative, one of every input positive. */
static enum trop_status check_weights(const struct view *view)
{
    const int64_t T = view->data->T;

    for (int64_t i = 0; i < view->data->n; i++) {
        int64_t positive = 0;
        for (int64_t t = 0; t < T; t++) {
            const double weight = view->choice->weights[i * T + t];
            if (!(weight >= 0 && weight <= HUGE_VAL) || isinf(weight)) {
                return trop_fail(TROP_ERR_ARG,
                                 "weights: token %lld of input %lld has %g, must be finite and not "
                                 "negative",
                                 (long long)t, (long long)i, weight);
            }
            positive += weight > 0;
        }
        if (positive == 0) {
            return trop_fail(TROP_ERR_ARG, "weights: input %lld has no token of positive weight",
                             (long long)i);
        }
    }
    return TROP_OK;
}

static enum trop_status refuse(const char *option, int64_t model)
{
    return trop_fail(TROP_ERR_ARG, "%s: not for the %s model", option, trop_model_names[model]);
}

/* Options that a model has no meaning for. */
static enum trop_status check_options(const struct trop_data *data,
                                      const struct trop_model_choice *choice, int64_t model)
{
    const int attends =
        model == TROP_MODEL_PROMPT || model == TROP_MODEL_CROSS || model == TROP_MODEL_SELF;

    if (choice->weights && !attends) {
        return refuse("weights", model);
    }
    if (choice->relaxed && !attends && model != TROP_MODEL_SEQUENCE) {
        return refuse("relaxed", model);
    }
    if (choice->mask != TROP_MASK_FULL && choice->mask != TROP_MASK_CAUSAL) {
        return trop_fail(TROP_ERR_ARG, "mask = %lld: must be 0 or 1", (long long)choice->mask);
    }
    if (choice->mask == TROP_MASK_CAUSAL && model != TROP_MODEL_SEQUENCE) {
        return refuse("causal mask", model);
    }
    if (model == TROP_MODEL_SELF && (choice->row < 0 || choice->row >= data->T)) {
        return trop_fail(TROP_ERR_ARG, "row = %lld: must be from 0 to %lld", (long long)choice->row,
                         (long long)(data->T - 1));
    }
    return TROP_OK;
}

static enum trop_status check(const struct view *view)
{
    enum trop_status status = check_options(view->data, view->choice, view->model);
    const int64_t *relaxed = view->choice->relaxed;

    for (int64_t i = 0; status == TROP_OK && relaxed && i < view->data->n; i++) {
        if (relaxed[i] != 0 && relaxed[i] != 1) {
            return trop_fail(TROP_ERR_ARG, "relaxed: input %lld has %lld, must be 0 or 1",
                             (long long)i, (long long)relaxed[i]);
        }
    }
    if (status == TROP_OK) {
        status = view->choice->weights ? check_weights(view) : check_select(view);
    }
    return status;
}

/* ---- attention ----------------------------------------------------------------------------- */

/* Points and queries as the view has them, the former in place, with room for count constraints. */
static enum trop_status begin(struct trop_model_problem *made, const struct view *view,
                              int64_t count)
{
    const struct trop_data *data = view->data;
    const int64_t n = data->n, T = data->T, columns = view->columns;
    const int prompt = view->model == TROP_MODEL_PROMPT;
    struct trop_model_sizes sizes = { view->dk, columns,  n * T, prompt ? 1 : n * view->asks,
                                      count,    view->key };
    enum trop_status status = trop_model_begin(made, &sizes);

    if (status != TROP_OK) {
        return status;
    }
    double *query = trop_model_queries(made);
    if (prompt) {
        query[0] = 1.0;
    }
    for (int64_t q = 0; !prompt && q < sizes.queries; q++) {
        const double *from = view->model == TROP_MODEL_SELF
                                 ? data->x + (q * T + view->choice->row) * columns
                                 : view->query + q * columns;
        memcpy(query + q * columns, from, (size_t)columns * sizeof *query);
    }
    return TROP_OK;
}

/* The selected token of query k of input i wins over every other that is not masked. */
static void add_wins(struct trop_model_problem *made, const struct view *view, int64_t i, int64_t k)
{
    const int64_t T = view->data->T, won = view->choice->select[i * view->asks + k];

    for (int64_t t = 0; t < tokens_of(view, k); t++) {
        struct trop_model_row row = { .plus = i * T + won,
                                      .minus = i * T + t,
                                      .asked = asked_of(view, i, k),
                                      .right = right_of(view->choice, i),
                                      .input = i * view->asks + k,
                                      .token = t };
        if (t != won) {
            trop_model_add(made, &row);
        }
    }
}

/* Input i of Gen-SVM; finite: of its finite part. */
static void add_shares(struct trop_model_problem *made, const struct view *view, int64_t i,
                       int finite)
{
    const int64_t T = view->data->T;
    const double *weights = view->choice->weights + i * T;
    int64_t anchor = 0;

    while (!(weights[anchor] > 0)) {
        anchor++;
    }
    for (int64_t t = 0; t < T; t++) {
        const int shares = weights[t] > 0;
        struct trop_model_row row = { .plus = i * T + (shares ? t : anchor),
                                      .minus = i * T + (shares ? anchor : t),
                                      .asked = asked_of(view, i, 0),
                                      .equal = shares,
                                      .input = i,
                                      .token = t };
        row.right = shares ? 0.0 : right_of(view->choice, i);
        if (shares && finite) {
            /* log(s_t / s_a) from logarithms of 98 bits: the quotient itself would lose what is
             * near 1. */
            struct trop_dd of_t, of_a;
            trop_log_pair(&of_t.high, &of_t.low, weights[t]);
            trop_log_pair(&of_a.high, &of_a.low, weights[anchor]);
            row.right = trop_dd_less(of_t, of_a).high;
        }
        if (t != anchor && (shares || !finite)) {
            trop_model_add(made, &row);
        }
    }
}

/* ---- the label problem --------------------------------------------------------------------- */

/* Point i is the selected token of input i, which a label of -1 subtracts from the origin. */
static enum trop_status build_label(struct trop_model_problem *out, const struct view *view)
{
    const struct trop_data *data = view->data;
    const int64_t n = data->n, d = data->d, T = data->T;
    struct trop_model_sizes sizes = { d, 1, n, 1, n, NULL };
    enum trop_status status = trop_model_begin(out, &sizes);

    if (status != TROP_OK) {
        return status;
    }
    trop_model_queries(out)[0] = 1.0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t chosen = view->choice->select[i];
        struct trop_model_row row = { .plus = data->y[i] > 0 ? i : -1,
                                      .minus = data->y[i] > 0 ? -1 : i,
                                      .right = 1.0,
                                      .input = i,
                                      .token = chosen };
        memcpy(trop_model_points(out) + i * d, data->x + (i * T + chosen) * d,
               (size_t)d * sizeof(double));
        trop_model_add(out, &row);
    }
    return TROP_OK;
}

/* ---- the doors ----------------------------------------------------------------------------- */

static enum trop_status build(struct trop_model_problem *out, const struct trop_data *data,
                              const struct trop_model_choice *choice, int finite)
{
    struct trop_model_problem made;
    enum trop_status status = choice->whole ? trop_model_check_needs(data, choice->model)
                                            : trop_model_check(data, choice->model);

    if (status != TROP_OK) {
        return status;
    }
    const int64_t model = choice->model == TROP_MODEL_AUTO ? trop_margin_auto(data) : choice->model;
    struct view view = { data, choice, model, data->x, data->d, data->z, data->d, 1 };
    if (model == TROP_MODEL_PROMPT) {
        view.key = data->k ? data->k : data->x;
        view.dk = data->k ? data->dk : data->d;
        view.columns = 1;
    }
    if (model == TROP_MODEL_SEQUENCE) {
        view.asks = data->T;
        view.query = data->z ? data->z : data->x;
    }
    if (finite && !choice->weights) {
        return trop_fail(TROP_ERR_ARG, "weights: missing, the finite part is made from them");
    }
    if (model == TROP_MODEL_GRAPH) {
        status = check_options(data, choice, model);
        return status == TROP_OK ? trop_model_graph(out, data) : status;
    }
    status = check(&view);
    if (status == TROP_OK && model == TROP_MODEL_LABEL) {
        return build_label(out, &view);
    }
    if (status == TROP_OK) {
        status = begin(&made, &view, data->n * view.asks * (data->T - 1));
    }
    if (status != TROP_OK) {
        return status;
    }
    for (int64_t q = 0; q < data->n * view.asks; q++) {
        if (choice->weights) {
            add_shares(&made, &view, q, finite);
        } else {
            add_wins(&made, &view, q / view.asks, q % view.asks);
        }
    }
    *out = made;
    return TROP_OK;
}

enum trop_status trop_model_build(struct trop_model_problem *out, const struct trop_data *data,
                                  const struct trop_model_choice *choice)
{
    return build(out, data, choice, 0);
}

enum trop_status trop_model_finite(struct trop_model_problem *out, const struct trop_data *data,
                                   const struct trop_model_choice *choice)
{
    return build(out, data, choice, 1);
}
