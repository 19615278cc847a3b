/* lm_tables.c -- random clouds under localmax, step by step to rest. */
#include "claim/lm/lm_tables.h"

#include "base/schedule.h"

#include <math.h>
#include <string.h>

#define STILL 1e-12    /* no coordinate moves by more: at rest */
#define LAST 20000     /* steps, at most */
#define RISE 1e-9      /* of the potential, that counts */
#define MOST_TOKENS 32 /* arcs are counted in clouds up to this size, those of the main table */

const int64_t trop_lm_tables_told[] = { TROP_LM_N, TROP_LM_D, TROP_LM_ALPHA, TROP_LM_A };

/* ---- one run ---- */

static struct trop_schedule schedule_of(const double *s)
{
    return (struct trop_schedule){ .kind = (int64_t)s[TROP_LM_KIND],
                                   .a = s[TROP_LM_A],
                                   .b = s[TROP_LM_B] };
}

struct trop_flow *trop_lm_tables_flow(const struct trop_case *c, int64_t row, int64_t run,
                                      const double *A, const char *options)
{
    const double *s = trop_table_settings(c, row);
    const struct trop_schedule schedule = schedule_of(s);
    struct trop_case *apart = trop_case_apart(c);
    char epsilon[96];

    trop_schedule_text(epsilon, sizeof epsilon, &schedule);
    if (A) {
        trop_case_copy_in(apart, "A", A, (int64_t)s[TROP_LM_D], (int64_t)s[TROP_LM_D], 0);
    }
    return trop_case_flow(apart,
                          "rule=localmax n=%lld d=%lld alpha=%.17g epsilon=%s init=uniform "
                          "seed=%llu key_query=@A %s",
                          (long long)s[TROP_LM_N], (long long)s[TROP_LM_D], s[TROP_LM_ALPHA],
                          epsilon, (unsigned long long)trop_sample_seed(c, row, run), options);
}

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

/* What a run that has ended comes to. */
static void end(double *out, const struct trop_case *c, struct trop_flow *flow)
{
    struct trop_value kind = { 0 };

    trop_case_try(c, trop_flow_judge(flow));
    trop_case_try(c, trop_flow_value(&kind, flow, "certificate.kind"));
    out[TROP_LM_CLUSTERS] = trop_case_told(c, trop_flow_field_table(), flow, "clusters");
    out[TROP_LM_CONSENSUS] = out[TROP_LM_CLUSTERS] == 1;
    out[TROP_LM_CERTIFIED] = kind.kind == TROP_KIND_TEXT &&
                             (!strcmp(kind.text, "quiescence") || !strcmp(kind.text, "consensus"));
    out[TROP_LM_RISES] = trop_case_told(c, trop_flow_watch_table(), flow, "potential_rise") > RISE;
}

void trop_lm_tables_rest(double *out, const struct trop_case *c, int64_t row, int64_t run,
                         const double *A)
{
    const double *s = trop_table_settings(c, row);
    const struct trop_schedule epsilon = schedule_of(s);
    const int64_t n = (int64_t)s[TROP_LM_N], d = (int64_t)s[TROP_LM_D];
    struct trop_flow *flow = trop_lm_tables_flow(c, row, run, A, "closed_form=never steps=20001");
    double *before = trop_case_scratch(c, n * d);
    int64_t steps = 0;
    int is_moving = 1;

    trop_case_try(c, trop_flow_watch(flow, "potential_rise"));
    moved(before, flow, n * d);
    while (is_moving && steps < LAST) {
        if (n <= MOST_TOKENS) {
            count_arcs(out, before, n, d, trop_schedule_at(&epsilon, (double)steps));
        }
        trop_case_try(c, trop_flow_step(flow, 1));
        is_moving = moved(before, flow, n * d) >= STILL;
        steps += is_moving;
    }
    out[TROP_LM_STEPS] = (double)steps;
    out[TROP_LM_SETTLED] = !is_moving;
    end(out, c, flow);
}

void trop_lm_tables_one(double *out, const struct trop_case *c, int64_t row, int64_t run)
{
    trop_lm_tables_rest(out, c, row, run, NULL);
}

/* ---- lines ---- */

/* A whole number with mean m + f, 0 <= f < 1, has a variance of at least f (1 - f); and 1 run in
 * 1000 that differs is not seen in a mean of three decimals. */
void trop_lm_tables_clusters(struct trop_judge *judge, const char *line, const struct trop_case *c,
                             const char *name, int64_t row, int64_t column,
                             struct trop_sample_published published)
{
    const double f = published.value - floor(published.value);

    published.least = sqrt(fmax(f * (1 - f), 1e-3));
    trop_sample_mean(judge, line, c, name, row, column, published);
}

void trop_lm_tables_one_way(struct trop_judge *judge, const char *line, const struct trop_case *c,
                            const char *name, int64_t row, int64_t column,
                            struct trop_sample_published published)
{
    trop_sample_ratio(judge, line, c, name, row, column, TROP_LM_ARCS, published);
}

/* ---- hypotheses ---- */

const struct trop_hypothesis trop_lm_tables_hypotheses[] = {
    TROP_SAMPLE_ENOUGH,
    { "settled", "every run settled within 20000 steps",
      .holds = "every run settled: least(sample[*,*,7]) == 1", .late = 1,
      .broken = "one run did not settle", .edit = "sample[0,0,7] = 0" },
    { 0 },
};
