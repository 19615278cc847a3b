/* lm_tables.c -- random clouds under localmax, step by step to rest. */
#include "claim/lm/lm_tables.h"

#include "claim/tokens.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STILL 1e-12 /* no coordinate moves by more: at rest */
#define LAST 20000  /* steps, at most */
#define RISE 1e-9   /* of the potential, that counts */
#define PUBLISHED 1000
#define MOST_TOKENS 32 /* arcs are counted in clouds up to this size, those of the main table */

/* ---- settings ---- */

enum trop_status trop_lm_tables_draw(struct trop_case *c, const struct trop_lm_tables_row *rows,
                                     int64_t count)
{
    double *settings = NULL;
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 40, 400, PUBLISHED), 1, 1e6);

    if (status == TROP_OK) {
        status = trop_sample_shape(c, "settings", count, TROP_LM_SETTINGS, 0);
    }
    if (status != TROP_OK || trop_case_has(c, "settings")) {
        return status;
    }
    status = trop_case_make(&settings, c, "settings", count, TROP_LM_SETTINGS, 0);
    for (int64_t k = 0; status == TROP_OK && k < count; k++) {
        memcpy(settings + k * TROP_LM_SETTINGS, rows[k].settings, sizeof rows[k].settings);
    }
    return status;
}

struct trop_flow_options trop_lm_tables_options(const struct trop_case *c, int64_t row, int64_t run)
{
    const double *s = trop_case_array(c, "settings") + row * TROP_LM_SETTINGS;
    struct trop_flow_options o = trop_flow_options_default();

    o.rule = TROP_RULE_LOCALMAX;
    o.cloud.n = (int64_t)s[TROP_LM_N];
    o.cloud.d = (int64_t)s[TROP_LM_D];
    o.alpha = s[TROP_LM_ALPHA];
    o.epsilon = (struct trop_schedule){ .kind = (int64_t)s[TROP_LM_KIND],
                                        .a = s[TROP_LM_A],
                                        .b = s[TROP_LM_B] };
    o.cloud.init = TROP_INIT_UNIFORM;
    o.cloud.seed = trop_sample_seed(c, row, run);
    o.threads = 1;
    return o;
}

/* ---- one run ---- */

/* The largest coordinate by which the tokens differ from before (n d), which takes their place. */
static double moved(double *before, const struct trop_flow *flow, int64_t count)
{
    const double *x = trop_flow_tokens(flow);
    double largest = 0;

    for (int64_t k = 0; k < count; k++) {
        largest = fmax(largest, fabs(x[k] - before[k]));
        before[k] = x[k];
    }
    return largest;
}

static void add_number(double *sum, const struct trop_flow *flow, const char *name)
{
    double value = 0;

    if (trop_flow_number(&value, flow, name) == TROP_OK) {
        *sum += value;
    }
}

static double score(const double *x, const double *y, int64_t d)
{
    double sum = 0;

    for (int64_t a = 0; a < d; a++) {
        sum += x[a] * y[a];
    }
    return sum;
}

/* Counts the arcs of the state x (n, d) at A = I, and the arcs without their reverse: j is a
 * neighbour of i when s_ij >= max_l s_il - epsilon. The score of a pair has the same bits both
 * ways. Rounding could decide only at a difference of 1e-16, and scores are 1e-12 apart at the end
 * of a run. */
static void count_arcs(double *out, const double *x, int64_t n, int64_t d, double epsilon)
{
    double least[MOST_TOKENS]; /* that a neighbour of i scores */

    for (int64_t i = 0; i < n; i++) {
        double top = -INFINITY;
        for (int64_t j = 0; j < n; j++) {
            top = fmax(top, score(x + i * d, x + j * d, d));
        }
        least[i] = top - epsilon;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double s = score(x + i * d, x + j * d, d);
            const int there = s >= least[i], back = s >= least[j];
            out[TROP_LM_ARCS] += there + back;
            out[TROP_LM_ONE_WAY] += there != back;
        }
    }
}

static enum trop_status advance(int *is_moving, double *out, double *before, struct trop_flow *flow,
                                const struct trop_flow_options *o, int64_t t)
{
    if (o->cloud.n <= MOST_TOKENS) {
        count_arcs(out, before, o->cloud.n, o->cloud.d, trop_schedule_at(&o->epsilon, (double)t));
    }
    enum trop_status status = trop_flow_step(flow, 1);
    *is_moving = status == TROP_OK && moved(before, flow, o->cloud.n * o->cloud.d) >= STILL;
    return status;
}

static enum trop_status end(double *out, struct trop_flow *flow)
{
    struct trop_value kind = { 0 }, rise = { 0 };
    enum trop_status status = trop_flow_judge(flow);

    if (status == TROP_OK) {
        status = trop_flow_value(&kind, flow, "certificate.kind");
    }
    if (status != TROP_OK) {
        return status;
    }
    add_number(out + TROP_LM_CLUSTERS, flow, "clusters");
    out[TROP_LM_CONSENSUS] = out[TROP_LM_CLUSTERS] == 1;
    out[TROP_LM_CERTIFIED] = kind.kind == TROP_KIND_TEXT &&
                             (!strcmp(kind.text, "quiescence") || !strcmp(kind.text, "consensus"));
    status = trop_field_value(&rise, trop_flow_watch_table(), flow, "potential_rise");
    out[TROP_LM_RISES] = rise.kind == TROP_KIND_NUMBER && rise.number > RISE;
    return status;
}

static enum trop_status rest(double *out, double *before, struct trop_flow *flow,
                             const struct trop_flow_options *o)
{
    enum trop_status status = trop_flow_watch(flow, "potential_rise");
    int64_t steps = 0;
    int is_moving = 1;

    moved(before, flow, o->cloud.n * o->cloud.d);
    while (status == TROP_OK && is_moving && steps < LAST) {
        status = advance(&is_moving, out, before, flow, o, steps);
        steps += is_moving;
    }
    out[TROP_LM_STEPS] = (double)steps;
    out[TROP_LM_SETTLED] = !is_moving;
    return status == TROP_OK ? end(out, flow) : status;
}

enum trop_status trop_lm_tables_rest(double *out, const struct trop_flow_options *options)
{
    struct trop_flow_options o = *options;
    struct trop_flow *flow = NULL;
    double *before = trop_alloc(o.cloud.n * o.cloud.d, sizeof *before);

    if (!before) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens", (long long)o.cloud.n);
    }
    o.closed_form = TROP_CLOSED_FORM_NEVER;
    o.steps = (struct trop_count){ .value = LAST + 1, .log10 = 4.3 };
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = rest(out, before, flow, &o);
    }
    trop_flow_free(flow);
    trop_alloc_free(before);
    return status;
}

static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    const struct trop_flow_options o = trop_lm_tables_options(c, row, run);

    return trop_lm_tables_rest(out, &o);
}

enum trop_status trop_lm_tables_work(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", trop_case_size(c, "settings", 0),
                            trop_case_integer(c, "runs"), TROP_LM_COLUMNS, one);
}

/* ---- lines ---- */

struct column {
    int64_t column;
    double value, unit, least;
    const char *name;
};

static void compare(struct trop_judge *judge, const struct trop_case *c, int64_t row,
                    const struct column *column)
{
    const double *s = trop_case_array(c, "settings") + row * TROP_LM_SETTINGS;
    const struct trop_sample_published published = { column->value, PUBLISHED, column->unit,
                                                     column->least };
    char line[160]; /* a judge keeps what fits */

    snprintf(line, sizeof line, "n %g, d %g, alpha %g, eps %g: %s", s[TROP_LM_N], s[TROP_LM_D],
             s[TROP_LM_ALPHA], s[TROP_LM_A], column->name);
    if (column->value == TROP_LM_NONE) {
        return;
    }
    if (column->column == TROP_LM_ONE_WAY) {
        trop_sample_ratio(judge, line, c, "sample", row, TROP_LM_ONE_WAY, TROP_LM_ARCS, published);
    } else if (column->column == TROP_LM_CLUSTERS || column->column == TROP_LM_STEPS) {
        trop_sample_mean(judge, line, c, "sample", row, column->column, published);
    } else {
        trop_sample_share(judge, line, c, "sample", row, column->column, published);
    }
}

/* A whole number with mean m + f, 0 <= f < 1, has a variance of at least f (1 - f); and 1 run in
 * 1000 that differs is not seen in a mean of three decimals. */
static double whole_deviation(double mean)
{
    const double f = mean - floor(mean);

    return sqrt(fmax(f * (1 - f), 1e-3));
}

void trop_lm_tables_compare(struct trop_judge *judge, const struct trop_case *c,
                            const struct trop_lm_tables_row *rows, int64_t count)
{
    for (int64_t k = 0; k < count && k < trop_case_size(c, "sample", 0); k++) {
        const struct trop_lm_tables_row *r = rows + k;
        const struct column columns[] = {
            { TROP_LM_CLUSTERS, r->clusters, r->clusters_unit, whole_deviation(r->clusters),
              "clusters" },
            { TROP_LM_CONSENSUS, r->consensus, .1, 0, "consensus %" },
            { TROP_LM_CERTIFIED, r->certified, .1, 0, "certified %" },
            { TROP_LM_RISES, r->rises, .1, 0, "rises %" },
            { TROP_LM_ONE_WAY, r->one_way, .01, 0, "one-way %" },
            { TROP_LM_STEPS, r->steps, r->steps_unit, 1, "steps" },
        };
        for (size_t at = 0; at < sizeof columns / sizeof columns[0]; at++) {
            compare(judge, c, k, columns + at);
        }
    }
}

/* ---- hypotheses and spoils ---- */

static enum trop_status settled(struct trop_judge *judge, const struct trop_case *c)
{
    const double *sample = trop_case_array(c, "sample");
    const int64_t count = trop_case_size(c, "sample", 0) * trop_case_size(c, "sample", 1);
    double least = 1;

    for (int64_t k = 0; k < count; k++) {
        least = fmin(least, sample[k * TROP_LM_COLUMNS + TROP_LM_SETTLED]);
    }
    trop_judge_truth(judge, "every run came to rest", -1, least == 1);
    return TROP_OK;
}

const struct trop_hypothesis trop_lm_tables_hypotheses[] = {
    { "enough-runs", "at least 20 runs, so that means are nearly normal", trop_sample_enough, 0 },
    { "settled", "every run came to rest within 20000 steps", settled, 1 },
    { 0 },
};

const struct trop_input trop_lm_tables_inputs[] = {
    { "settings", "(rows, 6)", "n, d, alpha, and kind, a, b of the schedule of epsilon" },
    { "runs", "", "of each row" },
    { 0 },
};

enum trop_status trop_lm_tables_unsettle(struct trop_case *c)
{
    trop_case_array(c, "sample")[TROP_LM_SETTLED] = 0;
    return TROP_OK;
}

/* Adds two clusters to every run of the first row. */
enum trop_status trop_lm_tables_add_clusters(struct trop_case *c)
{
    for (int64_t run = 0; run < trop_case_size(c, "sample", 1); run++) {
        trop_case_array(c, "sample")[run * TROP_LM_COLUMNS + TROP_LM_CLUSTERS] += 2;
    }
    return TROP_OK;
}

enum trop_status trop_lm_tables_mistake(struct trop_case *c, int64_t row, int64_t at, double value)
{
    double *setting = trop_case_array(c, "settings") + row * TROP_LM_SETTINGS + at;
    const double right = *setting;

    *setting = value;
    enum trop_status status = trop_lm_tables_work(c);
    *setting = right;
    return status;
}
