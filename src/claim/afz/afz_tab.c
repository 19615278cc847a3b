/* afz_tab.c -- leaders of Gaussian clouds (hardmax paper).
 *
 * Leaders at layer 0 of n = 128 tokens of N(0, I_d), A = I, means over 200 runs.
 */
#include "claim/afz/afz.h"

#include "claim/table.h"

#define ROWS 4

static const double dimensions[ROWS] = { 2, 4, 8, 16 };
static const double published[ROWS] = { 6.62, 23.71, 71.72, 121.98 };
static const char *const names[] = { "d = 2", "d = 4", "d = 8", "d = 16" };

static void one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    struct trop_flow *flow = trop_case_flow(c, "rule=hardmax n=@n d=%g seed=%llu", dimensions[row],
                                            (unsigned long long)trop_sample_seed(c, row, run));
    struct trop_value leaders = { 0 };

    trop_case_try(c, trop_flow_look(flow));
    trop_case_try(c, trop_flow_value(&leaders, flow, "leaders"));
    *out = (double)leaders.shape[0];
}

static const struct trop_table table = {
    .entry = "sample",
    .one = one,
    .runs = { 40, 1000, 2000 },
    .rows = { ROWS, ROWS, ROWS },
    .x = dimensions,
    .names = names,
    .shown = (const struct trop_table_column[]){ { "d = %g: leaders", published, .theirs = 200,
                                                   .unit = .01, .label = "leaders of 128 tokens" },
                                                 { 0 } },
};

static void draw(struct trop_case *c)
{
    trop_tokens_count(c, "n", 128, 1, 1e6);
    trop_table_draw(&table, c);
}

static const struct trop_hypothesis hypotheses[] = {
    TROP_SAMPLE_ENOUGH,
    { "n-128", "clouds have 128 tokens", .holds = "n = 128: n == 128", .broken = "n = 64",
      .edit = "n = 64" },
    { 0 },
};

static const struct trop_spoil spoils[] = {
    { "the clouds have 100 tokens", NULL, .edit = "work with n = 100" },
    { 0 },
};

const struct trop_claim trop_afz_tab_leaders = {
    .id = "afz-tab-leaders",
    .title = "leaders of Gaussian clouds",
    .statement = "Of 128 Gaussian tokens 6.6 lead in two dimensions, and 122 in sixteen: in high "
                 "dimension nearly every token is its own leader.",
    .status = TROP_CLAIM_MEASURED,
    .source = TROP_CLAIM_DERIVED,
    .remark = "Statistics of an independent program over 200 runs, with seeds that are not ours.",
    .inputs = "runs n",
    .hypotheses = hypotheses,
    .run.draw = draw,
    .table = &table,
    .spoils = spoils,
};
