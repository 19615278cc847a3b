/* afz_tab.c -- leaders of Gaussian clouds (hardmax paper).
 *
 * Leaders at layer 0 of n = 128 tokens of N(0, I_d), A = I, means over 200 runs.
 */
#include "claim/afz/afz.h"

#include "claim/sample.h"
#include "claim/tokens.h"

#include <stdio.h>
#include <string.h>

#define PUBLISHED 200

static const struct {
    int64_t d;
    double leaders;
} rows[] = { { 2, 6.62 }, { 4, 23.71 }, { 8, 71.72 }, { 16, 121.98 } };
#define ROWS ((int64_t)(sizeof rows / sizeof rows[0]))

static enum trop_status draw(struct trop_case *c)
{
    double *d = NULL;
    enum trop_status status =
        trop_tokens_count(c, "runs", (double)trop_sample_effort(c, 40, 1000, 2000), 1, 1e6);

    if (status == TROP_OK) {
        status = trop_tokens_count(c, "n", 128, 1, 1e6);
    }
    if (status != TROP_OK || trop_case_has(c, "d")) {
        return status;
    }
    status = trop_case_make(&d, c, "d", ROWS, 0, 0);
    for (int64_t k = 0; status == TROP_OK && k < ROWS; k++) {
        d[k] = (double)rows[k].d;
    }
    return status;
}

static enum trop_status one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    struct trop_flow_options o = trop_flow_options_default();
    struct trop_flow *flow = NULL;
    struct trop_value leaders = { 0 };

    o.rule = TROP_RULE_HARDMAX;
    o.cloud.n = trop_case_integer(c, "n");
    o.cloud.d = (int64_t)trop_case_array(c, "d")[row];
    o.cloud.seed = trop_sample_seed(c, row, run);
    o.threads = 1;
    enum trop_status status = trop_flow_create(&flow, &o);
    if (status == TROP_OK) {
        status = trop_flow_look(flow);
    }
    if (status == TROP_OK) {
        status = trop_flow_value(&leaders, flow, "leaders");
    }
    *out = (double)leaders.shape[0];
    trop_flow_free(flow);
    return status;
}

static enum trop_status work(struct trop_case *c)
{
    return trop_sample_fill(c, "sample", trop_case_size(c, "d", 0), trop_case_integer(c, "runs"), 1,
                            one);
}

static enum trop_status conclude(struct trop_judge *judge, const struct trop_case *c)
{
    char line[64];

    for (int64_t k = 0; k < ROWS && k < trop_case_size(c, "sample", 0); k++) {
        const struct trop_sample_published published = { rows[k].leaders, PUBLISHED, .01, 0 };
        snprintf(line, sizeof line, "d = %lld: leaders", (long long)rows[k].d);
        trop_sample_mean(judge, line, c, "sample", k, 0, published);
    }
    return TROP_OK;
}

static enum trop_status picture(struct trop_figure *figure, const struct trop_case *c)
{
    static const char *const names[] = { "d = 2", "d = 4", "d = 8", "d = 16" };
    struct trop_panel *panel = trop_figure_panel(figure, 0, 0);
    double published[ROWS];

    for (int64_t k = 0; k < ROWS; k++) {
        published[k] = rows[k].leaders;
    }
    trop_panel_y(panel, "leaders of 128 tokens", TROP_SCALE_LINEAR);
    trop_sample_bars(panel, c, "sample", 0, 1, published, names, ROWS);
    return TROP_OK;
}

static enum trop_status mistake(struct trop_case *c)
{
    enum trop_status status = trop_case_put(c, "n", 100);

    if (status == TROP_OK) {
        status = work(c);
    }
    return status == TROP_OK ? trop_case_put(c, "n", 128) : status;
}

static enum trop_status of_this_size(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_truth(judge, "n = 128", -1, trop_case_number(c, "n") == 128);
    return TROP_OK;
}

static enum trop_status smaller(struct trop_case *c)
{
    return trop_case_put(c, "n", 64);
}

static const struct trop_hypothesis hypotheses[] = {
    { "enough-runs", "at least 20 runs, so that means are nearly normal", trop_sample_enough, 0 },
    { "n-128", "clouds have 128 tokens", of_this_size, 0 },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "the clouds have 100 tokens", NULL, mistake },
    { "5 runs", "enough-runs", trop_sample_too_few },
    { "n = 64", "n-128", smaller },
    { 0 },
};

static const struct trop_input inputs[] = {
    { "runs", "", "of each dimension" },
    { "n", "", "tokens" },
    { "d", "(rows)", "dimensions" },
    { 0 },
};

const struct trop_claim trop_afz_tab_leaders = {
    .id = "afz-tab-leaders",
    .title = "leaders of Gaussian clouds",
    .statement = "Of 128 Gaussian tokens 6.6 lead in two dimensions, and 122 in sixteen: in high "
                 "dimension nearly every token is its own leader.",
    .status = TROP_CLAIM_MEASURED,
    .remark = "Reference statistics over 200 runs with seeds that are not ours.",
    .inputs = inputs,
    .hypotheses = hypotheses,
    .draw = draw,
    .work = work,
    .conclude = conclude,
    .picture = picture,
    .spoils = spoils,
    .trials = 1,
};
