/* mm_runs.c -- many runs on the random data of figure 9 of the max-margin paper, shared among
 * workers. */
#include "claim/mm/mm_figures.h"

#include "claim/tokens.h"

#include "base/parallel.h"
#include "base/status.h"
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>

#define FACTS TROP_MM_RUNS_FACTS

const int64_t trop_mm_runs_dimensions[TROP_MM_RUNS_DIMENSIONS] = { 2, 5, 10, 100, 300, 500 };

/* ---- one run ---- */

/* 1 when no token of an input scores more than the one that is selected; select is their text. */
static int is_global(char *select, size_t room, const int64_t *alpha, const struct trop_data *data)
{
    int64_t used = 0;
    int global = 1;

    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->x + i * data->T * data->d;
        const double *own = x + alpha[i] * data->d;
        for (int64_t t = 0; t < data->T; t++) {
            const double lead = trop_tokens_dot(data->v, own, data->d) -
                                trop_tokens_dot(data->v, x + t * data->d, data->d);
            global = global && !(data->y[i] * lead < 0);
        }
        used += snprintf(select + used, room - (size_t)used, "%s%lld", i ? "," : "",
                         (long long)alpha[i]);
    }
    return global;
}

/* The cosine of p with a solution, as 1 - |a - b|^2 / 2 of unit vectors, which cancels nothing. */
static double cosine_of(const struct trop_train *train, const double *solution)
{
    const double *p = NULL;
    double log_scale = 0, sum = 0;
    int64_t shape[2] = { 0, 0 };

    trop_train_tensor(&p, &log_scale, shape, train, 0);
    const double one = sqrt(trop_tokens_dot(p, p, shape[0]));
    const double two = sqrt(trop_tokens_dot(solution, solution, shape[0]));
    for (int64_t c = 0; c < shape[0]; c++) {
        const double off = p[c] / one - solution[c] / two;
        sum += off * off;
    }
    return 1 - sum / 2;
}

/* One max-margin problem tells the direction, local optimality and the least lead. */
static enum trop_status facts_of(double *out, const struct trop_train *train,
                                 const struct trop_data *data)
{
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    struct trop_value alpha = { 0 }, local = { 0 };
    char select[64] = "";
    double saturation = 0;
    enum trop_status status = trop_train_value(&alpha, train, "alpha");

    status = status == TROP_OK ? trop_train_number(&saturation, train, "saturation") : status;
    out[0] = saturation >= 1 - 1e-5;
    if (status != TROP_OK || out[0] == 0) {
        return status;
    }
    out[1] = is_global(select, sizeof select, alpha.integers, data);
    o.data = data;
    o.select = select;
    o.threads = 1;
    status = trop_margin_create(&margin, &o);
    status = status == TROP_OK ? trop_margin_run(margin, NULL, NULL) : status;
    status = status == TROP_OK ? trop_margin_value(&local, margin, "locally_optimal") : status;
    status = status == TROP_OK ? trop_margin_number(out + 4, margin, "score_gap") : status;
    if (status == TROP_OK) {
        out[2] = local.kind == TROP_KIND_BOOLEAN ? (double)local.integer : -1;
        out[3] = cosine_of(train, trop_margin_weights(margin));
    }
    trop_margin_free(margin);
    return status == TROP_ERR_STOPPED ? TROP_OK : status;
}

static enum trop_status run_one(double *out, int64_t d, uint64_t seed, int64_t gradient,
                                double epsilon)
{
    struct trop_dataset *set = NULL;
    struct trop_train *train = NULL;
    struct trop_train_options o;
    enum trop_status status = trop_dataset_create(&set, "mm-fig-9", 0, 0, d, seed);

    status = status == TROP_OK ? trop_mm_options(&o, "ngd", 1, 1000) : status;
    if (status == TROP_OK) {
        o.data = trop_dataset_data(set);
        o.start = TROP_TRAIN_NORMAL;
        o.start_scale = .01;
        o.seed = seed;
        o.records = 1;
        o.gradient = gradient;
        o.gradient_epsilon = epsilon;
        status = trop_train_create(&train, &o);
    }
    status = status == TROP_OK ? trop_train_run(train, NULL, NULL) : status;
    status = status == TROP_OK ? facts_of(out, train, trop_dataset_data(set)) : status;
    trop_train_free(train);
    trop_dataset_free(set);
    return status;
}

/* ---- all runs, shared among workers ---- */

struct plan {
    const struct trop_case *c;
    double *runs;   /* (groups, trials, FACTS) */
    double *status; /* (groups, trials) enum trop_status */
    int64_t groups;
    int64_t trials;    /* of a group */
    int by_arithmetic; /* groups are gradients at d = 100, not dimensions */
};

static void share(void *context, int64_t first, int64_t last, int64_t worker)
{
    static const int64_t gradients[] = { TROP_TRAIN_STABLE, TROP_TRAIN_NAIVE, TROP_TRAIN_NAIVE };
    static const double epsilons[] = { 0, 0x1p-52, 0 };
    const struct plan *plan = context;

    (void)worker;
    /* Groups take turns, since a run at d = 500 takes ten times as long as one at d = 10. */
    for (int64_t j = first; j < last; j++) {
        const int64_t group = j % plan->groups, k = group * plan->trials + j / plan->groups;
        const uint64_t seed = plan->c->seed * 100000 + (uint64_t)(k % plan->trials);
        plan->status[k] = (double)(plan->by_arithmetic ? run_one(plan->runs + k * FACTS, 100, seed,
                                                                 gradients[group], epsilons[group])
                                                       : run_one(plan->runs + k * FACTS,
                                                                 trop_mm_runs_dimensions[group],
                                                                 seed, TROP_TRAIN_STABLE, 0));
    }
}

enum trop_status trop_mm_runs_all(struct trop_case *c, int64_t groups, int by_arithmetic)
{
    struct plan plan = { .c = c,
                         .groups = groups,
                         .trials = trop_case_integer(c, "runs_each"),
                         .by_arithmetic = by_arithmetic };
    const int64_t count = groups * plan.trials;
    enum trop_status status = trop_case_make(&plan.runs, c, "runs", groups, plan.trials, FACTS);

    status = status == TROP_OK ? trop_case_make(&plan.status, c, "status", count, 0, 0) : status;
    if (status != TROP_OK) {
        return status;
    }
    trop_parallel(c->threads, count, share, &plan);
    for (int64_t k = 0; k < count; k++) {
        if ((enum trop_status)plan.status[k] != TROP_OK) {
            return trop_fail((enum trop_status)plan.status[k], "run %lld of figure 9 failed",
                             (long long)k);
        }
    }
    trop_case_drop(c, "status");
    return TROP_OK;
}

/* ---- statistics ---- */

struct trop_mm_runs_shares trop_mm_runs_measure(const struct trop_case *c, int64_t group)
{
    const int64_t trials = trop_case_size(c, "runs", 1);
    const double *run = trop_case_array(c, "runs") + group * trials * FACTS;
    struct trop_mm_runs_shares out = { 0 };

    for (int64_t k = 0; k < trials; k++, run += FACTS) {
        out.count += run[0];
        out.global += run[0] * run[1];
        out.local += run[0] * (run[2] == 1);
        out.cosine += run[0] * run[3];
        out.negative += run[0] * (run[4] < 0);
    }
    const double all = (double)trials, some = fmax(1, out.count);
    out.saturated = out.count / all;
    out.global /= all;
    out.local /= all;
    out.cosine /= some;
    out.negative /= some;
    return out;
}
