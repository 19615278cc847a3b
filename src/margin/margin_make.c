/* margin_make.c -- from options to the first problem: data, scores, tokens that are to win, inputs
 * that are relaxed. */
#include "margin/margin.h"

#include "base/alloc.h"
#include "base/status.h"
#include "margin/rows.h"

#include <math.h>
#include <string.h>

static enum trop_status no_memory(void)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a max-margin problem");
}

/* Scores by input; the labels of a sequence may be one for all of its places. */
enum trop_status trop_margin_make_scores(struct trop_margin *margin)
{
    const struct trop_data *data = &margin->data.data;
    const int64_t T = data->T, labels = data->y ? data->labels : 1;

    if (!margin->scores || margin->scored) {
        return TROP_OK;
    }
    double *made = trop_alloc(data->n * labels * T, sizeof *made);
    if (!made) {
        return no_memory();
    }
    trop_model_scores(made, data);
    const int64_t places = margin->inputs / data->n;
    for (int64_t i = 0; i < margin->inputs; i++) {
        const int64_t row = labels == places ? i : i / places * labels;
        memcpy(margin->scores + i * T, made + row * T, (size_t)T * sizeof *made);
    }
    trop_alloc_free(made);
    margin->scored = 1;
    return TROP_OK;
}

/* 1 when picks are the best tokens of inputs with one label, that may all be attended to. */
static int picks_best(const struct trop_margin *margin)
{
    const char *text = margin->options.select;

    return margin->scores && !margin->given && (!text || strcmp(text, "optimal") == 0) &&
           !margin->allowed && margin->inputs == margin->data.data.n &&
           (!margin->data.data.y || margin->data.data.labels == 1);
}

/* What picks need of the scores: which are the largest, where these are picked. The scores wait
 * until they are asked for. */
static enum trop_status take_scores(struct trop_margin *margin)
{
    const struct trop_data *data = &margin->data.data;

    if (!data->v || !data->x || data->heads > 1) {
        return TROP_OK;
    }
    margin->scores = trop_alloc(trop_alloc_product(margin->inputs, data->T), sizeof(double));
    if (!margin->scores) {
        return no_memory();
    }
    if (!picks_best(margin)) {
        return trop_margin_make_scores(margin);
    }
    double *about = trop_alloc(data->n * data->T, sizeof *about);
    if (!about) {
        return no_memory();
    }
    trop_model_scores_best(margin->scores, about, data, margin->data.largest);
    trop_alloc_free(about);
    return TROP_OK;
}

/* Why there are no scores, as the beginning of a sentence. */
static const char *no_scores(const struct trop_data *data)
{
    return data->v && data->heads > 1 ? "the decoder v has several rows and must have one"
           : data->v                  ? "the data have no tokens x"
                                      : "the data have no decoder v";
}

/* What picks are taken from: a selection, a text, or the scores. */
static enum trop_status take_picks(struct trop_margin *margin)
{
    const char *text = margin->options.select;
    const int64_t T = margin->data.data.T;
    enum trop_status status = TROP_OK;

    if (margin->given) {
        status =
            trop_picks_tied(&margin->picks, margin->given, margin->tied ? margin->scores : NULL,
                            margin->inputs, T, margin->allowed);
    } else if (text && strcmp(text, "optimal") != 0) {
        status = trop_picks_read(&margin->picks, text, margin->inputs, T);
    } else if (margin->scores) {
        status =
            trop_picks_best(&margin->picks, margin->scores, margin->inputs, T, margin->allowed);
    } else if (T == 1) { /* inputs of one token leave no choice, and need no scores */
        double *equal = trop_alloc(margin->inputs, sizeof *equal);
        status =
            equal ? trop_picks_best(&margin->picks, equal, margin->inputs, 1, NULL) : no_memory();
        trop_alloc_free(equal);
    } else {
        status = trop_fail(TROP_ERR_ARG, "select: %s to score tokens by: name the tokens to select",
                           no_scores(&margin->data.data));
    }
    return status;
}

static enum trop_status make_picks(struct trop_margin *margin)
{
    if (margin->model == TROP_MODEL_GRAPH || margin->weights) {
        return margin->options.select
                   ? trop_fail(TROP_ERR_ARG,
                               "select: the data of the model graph say which words are selected")
                   : TROP_OK;
    }
    const enum trop_status status = take_picks(margin);
    if (status != TROP_OK) {
        return status;
    }
    margin->alpha = trop_alloc(margin->inputs, sizeof *margin->alpha);
    if (!margin->alpha) {
        return no_memory();
    }
    margin->combinations = margin->given ? 1 : trop_picks_combinations(&margin->picks);
    if (margin->combinations > TROP_MARGIN_COMBINATIONS) {
        return trop_fail(TROP_ERR_ARG,
                         "select: more than %d combinations of tokens: name one token "
                         "for more of the inputs",
                         TROP_MARGIN_COMBINATIONS);
    }
    return TROP_OK;
}

/* Inputs named by the user; those of auto come with the label problem. */
static enum trop_status make_relaxed(struct trop_margin *margin)
{
    const char *text = margin->options.relaxed;

    if (!text) {
        return TROP_OK;
    }
    if (margin->model == TROP_MODEL_GRAPH || margin->model == TROP_MODEL_LABEL) {
        return trop_fail(TROP_ERR_ARG, "relaxed: is for prompt, cross, self and sequence");
    }
    margin->relaxed = trop_alloc(margin->data.data.n, sizeof *margin->relaxed);
    if (!margin->relaxed) {
        return no_memory();
    }
    if (strcmp(text, "auto") == 0) {
        return margin->combinations > 1 || !margin->alpha || margin->model == TROP_MODEL_SEQUENCE
                   ? trop_fail(TROP_ERR_ARG,
                               "relaxed = auto: needs one token for each input, whose "
                               "label it is to predict: name the inputs")
                   : TROP_OK;
    }
    return trop_picks_inputs(margin->relaxed, text, margin->data.data.n);
}

static enum trop_status copy_numbers(double **out, const double *from, int64_t count)
{
    if (!from) {
        return TROP_OK;
    }
    *out = trop_alloc(count, sizeof **out);
    if (!*out) {
        return no_memory();
    }
    memcpy(*out, from, (size_t)count * sizeof **out);
    return TROP_OK;
}

/* Every selection is solved: they must not be too many, and scores must say which is best. */
static enum trop_status check_enumeration(const struct trop_margin *margin)
{
    const struct trop_selection_view view = trop_selection_view_of(
        &margin->data.data, margin->model, margin->options.mask, margin->options.row);

    if (margin->model == TROP_MODEL_LABEL || margin->model == TROP_MODEL_GRAPH) {
        return trop_fail(TROP_ERR_ARG, "enumerate: is for prompt, cross, self and sequence");
    }
    if (!margin->scores) {
        return trop_fail(TROP_ERR_ARG, "enumerate: %s to score tokens by",
                         no_scores(&margin->data.data));
    }
    if (margin->combinations > 1) {
        return trop_fail(TROP_ERR_ARG,
                         "enumerate: several tokens of an input are as good: name one "
                         "by select");
    }
    if (trop_selection_count(&view, TROP_MARGIN_COMBINATIONS) < 0) {
        return trop_fail(TROP_ERR_ARG, "enumerate: more than %d selections",
                         TROP_MARGIN_COMBINATIONS);
    }
    return TROP_OK;
}

/* Refuses options that do not apply to the model; select and relaxed are checked where they are
 * read. */
static enum trop_status check_model(const struct trop_margin *margin,
                                    const struct trop_margin_options *o)
{
    const int64_t model = margin->model;

    if (o->row != 0 && model != TROP_MODEL_SELF) {
        return trop_fail(TROP_ERR_ARG, "row = %lld: is for the model self, not for %s",
                         (long long)o->row, trop_model_names[model]);
    }
    if (o->mask != TROP_MASK_FULL && model != TROP_MODEL_SEQUENCE) {
        return trop_fail(TROP_ERR_ARG, "mask = causal: is for the model sequence, not for %s",
                         trop_model_names[model]);
    }
    if (o->weights && (model == TROP_MODEL_SEQUENCE || !trop_margin_look_rivals(margin))) {
        return trop_fail(TROP_ERR_ARG, "equal: is for prompt, cross and self, not for %s",
                         trop_model_names[model]);
    }
    return TROP_OK;
}

/* What is made from data, and not needed where a problem was given. */
static enum trop_status take_data(struct trop_margin *margin, const struct trop_margin_options *o)
{
    enum trop_status status = trop_data_copy(&margin->data, o->data);
    const struct trop_data *data = &margin->data.data;

    if (status != TROP_OK) {
        return status;
    }
    margin->model = o->model == TROP_MODEL_AUTO ? trop_margin_auto(data) : o->model;
    margin->inputs = margin->model == TROP_MODEL_SEQUENCE ? data->n * data->T : data->n;
    status = trop_model_check_needs(data, margin->model);
    if (status == TROP_OK) {
        status = check_model(margin, o);
    }
    if (status == TROP_OK) {
        status = copy_numbers(&margin->weights, o->weights, data->n * data->T);
    }
    if (status == TROP_OK && o->mask == TROP_MASK_CAUSAL) { /* place k attends to tokens 0 .. k */
        margin->allowed = trop_alloc(margin->inputs, sizeof *margin->allowed);
        for (int64_t i = 0; margin->allowed && i < margin->inputs; i++) {
            margin->allowed[i] = i % data->T + 1;
        }
        status = margin->allowed ? TROP_OK : no_memory();
    }
    if (status == TROP_OK) {
        status = take_scores(margin);
    }
    if (status == TROP_OK) {
        status = make_picks(margin);
    }
    if (status == TROP_OK) {
        status = make_relaxed(margin);
    }
    return status == TROP_OK && o->enumerate ? check_enumeration(margin) : status;
}

int64_t trop_margin_auto(const struct trop_data *data)
{
    if (data->z) {
        return data->queries == 1 ? TROP_MODEL_CROSS : TROP_MODEL_SEQUENCE;
    }
    return data->vocabulary ? TROP_MODEL_GRAPH : TROP_MODEL_PROMPT;
}

/* ---- inputs that do not support the label problem (P1 eq. 10) -------------------------------- */

/* relaxed_i = 1 where the margin of the label solution is above 1 for certain: v is within
 * sqrt(upper^2 - lower^2) of the optimum, since the squared norm is strongly convex; the evaluation
 * itself is off by no more than the rounding that kappa says. */
static enum trop_status relax_by(int64_t *relaxed, const struct trop_margin_solved *label)
{
    const struct trop_problem *problem = &label->made.problem;
    const struct trop_margin_proof *proof = &label->proof;
    const double far = sqrt(fmax(0, (proof->upper - proof->lower) * (proof->upper + proof->lower)));
    struct trop_rows *rows = NULL;
    double *values = trop_alloc(problem->count, sizeof *values);
    enum trop_status status = values ? trop_rows_create(&rows, problem, 1) : no_memory();

    if (status == TROP_OK) {
        trop_rows_values(values, rows, label->w);
        for (int64_t j = 0; j < problem->count; j++) {
            const double slack = rows->size[j] * far + 1e-14 * proof->kappa;
            relaxed[problem->input[j]] = values[j] > 1 + slack;
        }
    }
    trop_rows_free(rows);
    trop_alloc_free(values);
    return status;
}

static enum trop_status relax_inputs(struct trop_margin *margin, const int64_t *alpha)
{
    const struct trop_model_choice choice = { .model = TROP_MODEL_LABEL, .select = alpha };
    struct trop_margin_settings settings = trop_margin_settings_of(margin, NULL, NULL);
    struct trop_model_problem made = { 0 };
    struct trop_margin_solved label = { 0 };
    enum trop_status status = trop_model_build(&made, &margin->data.data, &choice);

    if (status == TROP_ERR_ARG) {
        return trop_fail(status, "relaxed = auto: %s", trop_error());
    }
    if (status == TROP_OK) {
        status = trop_margin_solve_open(&label, &made);
    }
    settings.norm = TROP_MARGIN_L2;
    settings.tolerance = 0;
    if (status == TROP_OK) {
        status = trop_margin_solve(&label, &settings);
    }
    if (status == TROP_OK && label.outcome != TROP_OUTCOME_SOLVED) {
        status = trop_fail(TROP_ERR_NUMERIC,
                           "relaxed = auto: the label problem of the selected tokens is %s",
                           label.outcome == TROP_OUTCOME_INFEASIBLE ? "infeasible" : "not solved");
    }
    if (status == TROP_OK) {
        status = relax_by(margin->relaxed, &label);
    }
    trop_margin_solve_close(&label);
    return status;
}

/* The problem of the first combination. */
static enum trop_status make_first(struct trop_margin *margin, const struct trop_margin_options *o)
{
    struct trop_model_problem made = { 0 };
    enum trop_status status = TROP_OK;

    if (margin->alpha) {
        trop_picks_combination(margin->alpha, &margin->picks, 0);
    }
    if (o->relaxed && strcmp(o->relaxed, "auto") == 0) {
        status = relax_inputs(margin, margin->alpha);
    }
    if (status == TROP_OK) {
        status = o->data ? trop_margin_problem_of(&made, margin, margin->alpha)
                         : trop_model_copy(&made, o->problem);
    }
    return status == TROP_OK ? trop_margin_solve_open(&margin->solved, &made) : status;
}

static enum trop_status take_direction(struct trop_margin *margin, const double *direction)
{
    const struct trop_problem *problem = &margin->solved.made.problem;
    const int64_t size = problem->rows * problem->columns;

    if (!trop_margin_look_rivals(margin)) {
        return trop_fail(TROP_ERR_ARG,
                         "direction: is for data and prompt, cross, self or sequence, where inputs "
                         "select tokens");
    }
    for (int64_t k = 0; k < size; k++) {
        if (!isfinite(direction[k])) {
            return trop_fail(TROP_ERR_ARG, "direction: entry %lld (from 0) is %g, must be finite",
                             (long long)k, direction[k]);
        }
    }
    return copy_numbers(&margin->direction, direction, size);
}

enum trop_status trop_margin_make(struct trop_margin *margin)
{
    struct trop_margin_options *o = &margin->options;
    enum trop_status status = o->data ? take_data(margin, o) : TROP_OK;

    margin->combinations = margin->combinations > 0 ? margin->combinations : 1;
    if (status == TROP_OK) {
        status = make_first(margin, o);
    }
    if (status == TROP_OK && margin->weights) { /* W_fin of selected sets with their attention */
        const struct trop_model_choice choice = {
            .model = margin->model, .mask = o->mask, .row = o->row, .weights = margin->weights
        };
        struct trop_model_problem made = { 0 };
        status = trop_model_finite(&made, &margin->data.data, &choice);
        status = status == TROP_OK ? trop_margin_solve_open(&margin->finite, &made) : status;
    }
    return status == TROP_OK && o->direction ? take_direction(margin, o->direction) : status;
}
