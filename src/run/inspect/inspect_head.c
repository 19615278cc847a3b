/* inspect_head.c -- one head on one text: its measurements, as numbers of a result. */
#include "run/inspect/inspect.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

/* The measurements of model/head/head.h that these are. */
static int64_t of_head(int64_t measures)
{
    static const struct {
        int64_t of_inspect, of_head;
    } same[] = {
        { TROP_INSPECT_REACH, TROP_HEAD_MEASURE_REACH },
        { TROP_INSPECT_FLIP, TROP_HEAD_MEASURE_FLIP },
        { TROP_INSPECT_HARDMAX, TROP_HEAD_MEASURE_HARDMAX },
        { TROP_INSPECT_LEADERS, TROP_HEAD_MEASURE_LEADERS },
        { TROP_INSPECT_TEMPERATURE, TROP_HEAD_MEASURE_HEAT },
        { TROP_INSPECT_KEYS, TROP_HEAD_MEASURE_KEYS },
        { TROP_INSPECT_HYPOTHETICAL, TROP_HEAD_MEASURE_QUIET },
    };
    int64_t which = 0;

    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        which |= measures & same[k].of_inspect ? same[k].of_head : 0;
    }
    return which;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void keep_numbers(double x[TROP_INSPECT_NUMBERS], const struct trop_head_result *r,
                         int64_t measures)
{
    const struct {
        int64_t measure, number;
        double value;
    } told[] = {
        { TROP_INSPECT_ALL, TROP_INSPECT_SELECTED, (double)r->selected },
        { TROP_INSPECT_FLIP, TROP_INSPECT_FLIP_MEAN, r->flip_mean },
        { TROP_INSPECT_FLIP, TROP_INSPECT_FLIP_RELATIVE, r->flip_relative_mean },
        { TROP_INSPECT_FLIP, TROP_INSPECT_BFLOAT16_SAFE, (double)r->bfloat16.safe },
        { TROP_INSPECT_FLIP, TROP_INSPECT_BFLOAT16_FLIPPED, (double)r->bfloat16.flipped },
        { TROP_INSPECT_FLIP, TROP_INSPECT_BFLOAT16_OPEN, (double)r->bfloat16.open },
        { TROP_INSPECT_FLIP, TROP_INSPECT_FLOAT16_SAFE, (double)r->float16.safe },
        { TROP_INSPECT_FLIP, TROP_INSPECT_FLOAT16_FLIPPED, (double)r->float16.flipped },
        { TROP_INSPECT_FLIP, TROP_INSPECT_FLOAT16_OPEN, (double)r->float16.open },
        { TROP_INSPECT_TEMPERATURE, TROP_INSPECT_GAP, r->gap_mean },
        { TROP_INSPECT_TEMPERATURE, TROP_INSPECT_TOP_WEIGHT, r->top_weight_mean },
        { TROP_INSPECT_TEMPERATURE, TROP_INSPECT_PERPLEXITY, r->perplexity_mean },
        { TROP_INSPECT_TEMPERATURE, TROP_INSPECT_SCORE_DEVIATION, r->score_deviation_mean },
        { TROP_INSPECT_TEMPERATURE, TROP_INSPECT_MAX_LOGIT, r->max_logit },
        { TROP_INSPECT_KEYS, TROP_INSPECT_KEY_ONLY, r->key_only },
        { TROP_INSPECT_KEYS, TROP_INSPECT_KEY_ONLY_ROWS, r->key_only_rows },
        { TROP_INSPECT_HARDMAX, TROP_INSPECT_KAPPA, r->kappa_median },
        { TROP_INSPECT_HYPOTHETICAL, TROP_INSPECT_QUIET_SETS, (double)r->quiet_sets },
        { TROP_INSPECT_HYPOTHETICAL, TROP_INSPECT_QUIET_EPSILON, r->quiet_epsilon },
        { TROP_INSPECT_HARDMAX, TROP_INSPECT_HARD_ROWS, r->hard_rows },
        { TROP_INSPECT_HARDMAX, TROP_INSPECT_HARDMAX_DISTANCE, r->hardmax_distance },
        { TROP_INSPECT_REACH, TROP_INSPECT_REACHABLE,
          (double)(r->reach_there ? r->reachable : r->selected) },
    };

    for (size_t k = 0; k < sizeof told / sizeof told[0]; k++) {
        if (told[k].measure & measures) {
            x[told[k].number] = told[k].value;
        }
    }
}

/* The tokens that most rows select, and the shares of the first token and of separators. */
static void keep_sinks(struct trop_inspect_head *head, double x[TROP_INSPECT_NUMBERS],
                       const struct trop_head_result *r, const struct trop_inspect_text *text)
{
    double separated = 0;

    for (int64_t t = 0; t < r->n; t++) {
        separated +=
            strcmp(trop_inspect_kind(text, t), "separator") == 0 ? (double)r->degree[t] : 0;
    }
    x[TROP_INSPECT_SINK_SHARE] = (double)r->degree[r->sink[0]] / (double)r->n;
    x[TROP_INSPECT_SINK_FIRST] = (double)r->degree[0] / (double)r->n;
    x[TROP_INSPECT_SINK_SEPARATOR] = separated / (double)r->n;
    head->sinks = r->selected < TROP_INSPECT_SINKS ? r->selected : TROP_INSPECT_SINKS;
    for (int64_t k = 0; k < head->sinks; k++) {
        head->sink_token[k] = r->sink[k];
        head->sink_rows[k] = r->degree[r->sink[k]];
        head->sink_kind[k] = trop_inspect_kind(text, r->sink[k]);
    }
}

static enum trop_status keep_margin(struct trop_inspect_head *head, double x[TROP_INSPECT_NUMBERS],
                                    const struct trop_inspect_options *o,
                                    const struct trop_head_input *input)
{
    struct trop_head_margin_options options = trop_head_margin_options_default();
    struct trop_head_margin *m = &head->margin;
    double share = 0, cosine = 0;

    if (input->angle || input->window > 0) {
        return TROP_OK; /* not defined */
    }
    options.norm = o->norm == TROP_INSPECT_NUCLEAR ? TROP_MARGIN_NUCLEAR : TROP_MARGIN_L2;
    options.nulls = o->nulls;
    options.seed = o->seed;
    options.threads = 1;
    enum trop_status status = trop_head_margin(m, NULL, input, &options);
    if (status != TROP_OK || m->constraints == 0) {
        return status;
    }
    for (int64_t k = 0; k < m->nulls; k++) {
        share += m->null_share[k] / (double)m->nulls;
        cosine += m->null_cosine[k] / (double)m->nulls;
    }
    x[TROP_INSPECT_MARGIN_SHARE] = m->share;
    head->share_bounds[0] = m->share_lower;
    head->share_bounds[1] = m->share_upper;
    x[TROP_INSPECT_MARGIN_COSINE] = m->cosine;
    x[TROP_INSPECT_MARGIN_NULL] = m->nulls > 0 ? share : NAN;
    x[TROP_INSPECT_MARGIN_NULL_COSINE] = m->nulls > 0 ? cosine : NAN;
    return TROP_OK;
}

/* The head as a flow: when its tokens become one. */
static enum trop_status keep_frozen(struct trop_inspect_head *head, double x[TROP_INSPECT_NUMBERS],
                                    const struct trop_head_input *input)
{
    enum trop_status status = trop_head_frozen(&head->frozen, input);

    if (status == TROP_OK && head->frozen.there) {
        x[TROP_INSPECT_FROZEN_CLUSTERS] = (double)head->frozen.clusters;
        x[TROP_INSPECT_FROZEN_STEPS] = head->frozen.log10_steps;
    }
    return status;
}

enum trop_status trop_inspect_head(struct trop_inspect *inspect, int64_t h, int64_t t,
                                   const struct trop_head_input *input)
{
    struct trop_inspect_head *head = inspect->head + h;
    struct trop_head_result *result = NULL;
    double x[TROP_INSPECT_NUMBERS];
    enum trop_status status =
        trop_head_create(&result, input->n, input->d, input->width, of_head(inspect->measures));

    for (int k = 0; k < TROP_INSPECT_NUMBERS; k++) {
        x[k] = NAN;
    }
    if (status == TROP_OK) {
        result->at = inspect->options.at;
        status = trop_head_measure(result, input);
    }
    if (status == TROP_OK) {
        keep_numbers(x, result, inspect->measures);
        if (inspect->measures & TROP_INSPECT_LEADERS) {
            keep_sinks(head, x, result, inspect->text + t);
        }
        if (inspect->measures & TROP_INSPECT_MARGIN) {
            status = keep_margin(head, x, &inspect->options, input);
        }
        if (status == TROP_OK && (inspect->measures & TROP_INSPECT_HYPOTHETICAL)) {
            status = keep_frozen(head, x, input);
        }
    }
    for (int k = 0; k < TROP_INSPECT_NUMBERS && status == TROP_OK; k++) {
        head->value[k * inspect->texts + t] = x[k];
    }
    if (status == TROP_OK && inspect->keeps_rows) {
        trop_head_free(head->rows);
        head->rows = result;
        return TROP_OK;
    }
    trop_head_free(result);
    return status == TROP_OK
               ? TROP_OK
               : trop_fail(status, "layer %lld, head %lld: %s", (long long)head->layer,
                           (long long)head->head, trop_error());
}
