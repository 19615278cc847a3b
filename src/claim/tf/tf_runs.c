/* tf_runs.c -- many training runs of one kind, shared among workers.
 *
 * The authors train with normalised gradient descent, steps of .1, on unit vectors, and compare
 * with max-margin solutions afterwards. Results are kept by the index of the run, so that the
 * number of workers changes nothing.
 */
#include "claim/tf/tf_runs.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "claim/tf/tf.h"
#include "claim/tokens.h"
#include "tropism_lab.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST 64 /* d */

/* ---- the data of one run ---- */

/* Data of n inputs whose best token leads by a score, chosen from a larger set; other inputs are
 * skipped. Given v, inputs are independent, so this has the law of sets that are drawn again until
 * all inputs satisfy it, at a cost that does not grow exponentially with n. */
struct chosen {
    struct trop_data data;
    struct trop_dataset *set;
    double *room; /* tokens, labels, queries */
};

static void chosen_free(struct chosen *chosen)
{
    trop_dataset_free(chosen->set);
    trop_alloc_free(chosen->room);
}

static int leads(const struct trop_data *data, int64_t i, double by)
{
    int64_t best = 0;

    for (int64_t t = 1; t < data->T; t++) {
        best = trop_tf_score(data, i, t) > trop_tf_score(data, i, best) ? t : best;
    }
    return trop_tf_score_gap(data, i, best) >= by;
}

/* Moves the inputs that lead to the front; returns how many of the wanted were found. */
static int64_t choose(struct chosen *out, const struct trop_data *from, int64_t wanted, double by)
{
    const int64_t size = from->T * from->d, d = from->d;
    double *x = out->room, *z = x + wanted * size, *y = z + wanted * d;
    int64_t found = 0;

    for (int64_t i = 0; i < from->n && found < wanted; i++) {
        if (leads(from, i, by)) {
            memcpy(x + found * size, from->x + i * size, (size_t)size * sizeof *x);
            memcpy(z + found * d, from->z + i * d, (size_t)d * sizeof *z);
            y[found++] = from->y[i];
        }
    }
    out->data = *from;
    out->data.n = wanted;
    out->data.x = x;
    out->data.z = z;
    out->data.y = y;
    return found;
}

static enum trop_status make_data(struct chosen *out, const struct trop_tf_runs *kind, int64_t run)
{
    const int64_t seed = kind->first + run;
    int64_t found = 0;
    enum trop_status status = TROP_OK;

    out->room = trop_alloc(kind->n * (kind->T * kind->d + kind->d + 1), sizeof *out->room);
    if (!out->room) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld inputs", (long long)kind->n);
    }
    for (int64_t more = kind->least_gap > 0 ? 8 : 1; status == TROP_OK && found < kind->n;
         more *= 4) {
        trop_dataset_free(out->set);
        out->set = NULL;
        status = trop_dataset_create(&out->set, "attsvm", kind->n * more, kind->T, kind->d,
                                     (uint64_t)seed);
        found = status == TROP_OK
                    ? choose(out, trop_dataset_data(out->set), kind->n, kind->least_gap)
                    : 0;
    }
    return status;
}

/* ---- solutions ---- */

static enum trop_status solve(struct trop_margin **out, const struct trop_data *data,
                              const char *select, int64_t norm)
{
    struct trop_margin_options o = trop_margin_options_default();

    o.data = data;
    o.model = TROP_MODEL_CROSS;
    o.select = select;
    o.norm = norm;
    o.threads = 1;
    enum trop_status status = trop_margin_create(out, &o);
    if (status == TROP_OK) {
        status = trop_margin_run(*out, NULL, NULL);
    }
    return status == TROP_ERR_STOPPED ? TROP_OK : status;
}

static int is_solved(const struct trop_margin *margin)
{
    struct trop_value value = { 0 };

    return trop_margin_value(&value, margin, "outcome") == TROP_OK && value.text &&
           strcmp(value.text, "infeasible") != 0;
}

/* Whether the problem of the best tokens has a solution, and whether its leads are nearly all 1. */
static enum trop_status judge_best(struct trop_tf_runs_result *r, const struct trop_data *data,
                                   int64_t norm)
{
    struct trop_margin *margin = NULL;
    struct trop_value value = { 0 };
    enum trop_status status = solve(&margin, data, "optimal", norm);

    if (status == TROP_OK) {
        r->feasible = is_solved(margin);
        r->support = r->feasible &&
                     trop_margin_value(&value, margin, "assumptions.mean_margin") == TROP_OK &&
                     value.kind == TROP_KIND_NUMBER && value.number < 1.1;
    }
    trop_margin_free(margin);
    return status;
}

/* Whether the selected tokens are locally optimal in the nuclear norm. */
static enum trop_status judge_local(struct trop_tf_runs_result *r, const struct trop_data *data,
                                    const char *select)
{
    struct trop_margin *margin = NULL;
    struct trop_value value = { 0 };
    enum trop_status status = solve(&margin, data, select, TROP_MARGIN_NUCLEAR);

    if (status == TROP_OK) {
        status = trop_margin_value(&value, margin, "locally_optimal");
    }
    r->local = value.kind == TROP_KIND_BOOLEAN ? value.integer : -1;
    trop_margin_free(margin);
    return status;
}

/* ---- one run ---- */

static struct trop_train_options training(const struct trop_tf_runs *kind,
                                          const struct trop_data *data, int64_t run, int64_t steps)
{
    struct trop_train_options o = trop_tf_training("ngd", .1, steps);

    o.data = data;
    o.model = kind->kq ? TROP_TRAIN_KQ : TROP_TRAIN_CROSS;
    o.width = kind->width;
    o.start = TROP_TRAIN_UNIFORM;
    o.start_scale = 1 / sqrt((double)kind->d);
    o.seed = (uint64_t)(kind->first + run) + 1;
    o.records = 1;
    o.threads = 1;
    return o;
}

/* W, or K Q'. */
static void product(double *w, const struct trop_train *train, int64_t d)
{
    const double *k = NULL, *q = NULL;
    double scale = 0;
    int64_t shape[2] = { 0 };

    trop_train_tensor(&k, &scale, shape, train, 0);
    if (!trop_train_tensor(&q, &scale, shape, train, 1)) {
        memcpy(w, k, (size_t)(d * d) * sizeof *w);
        return;
    }
    for (int64_t e = 0; e < d * d; e++) {
        w[e] = trop_tokens_dot(k + e / d * shape[1], q + e % d * shape[1], shape[1]);
    }
}

static enum trop_status run_train(struct trop_train **out, const struct trop_train_options *o)
{
    enum trop_status status = trop_train_create(out, o);

    return status == TROP_OK ? trop_train_run(*out, NULL, NULL) : status;
}

/* Finds the tokens that are selected at the end, and writes them as text for the solver. */
static enum trop_status judge_end(struct trop_tf_runs_result *r, char *select, int64_t room,
                                  const struct trop_train *train, const struct trop_data *data)
{
    struct trop_value alpha = { 0 }, local = { 0 };
    int64_t used = 0;
    enum trop_status status = trop_train_value(&alpha, train, "alpha");

    if (status == TROP_OK) {
        status = trop_train_value(&local, train, "locally_optimal");
    }
    if (status == TROP_OK) {
        status = trop_train_number(&r->saturation, train, "saturation");
    }
    r->decided = r->best = status == TROP_OK;
    for (int64_t i = 0; status == TROP_OK && i < data->n; i++) {
        const int64_t a = alpha.integers[i];
        r->decided = r->decided && a >= 0;
        r->best = r->best && a >= 0 && trop_tf_score_gap(data, i, a) > 0;
        used +=
            snprintf(select + used, (size_t)(room - used), "%s%lld", i ? "," : "", (long long)a);
    }
    r->local = local.kind == TROP_KIND_BOOLEAN ? local.integer : -1;
    return status;
}

static double cosine(const double *w, const struct trop_margin *margin, int64_t d)
{
    return margin ? 1 - trop_tf_bend(w, trop_margin_weights(margin), d * d) : NAN;
}

/* Correlations along the way, each mark by a run of its own: a run is the same up to its end. */
static enum trop_status follow(struct trop_tf_runs_result *r, const struct trop_tf_runs *kind,
                               const struct trop_data *data, int64_t run, const char *select)
{
    struct trop_margin *l2 = NULL, *nuclear = NULL;
    double w[LARGEST * LARGEST];
    enum trop_status status = solve(&l2, data, select, TROP_MARGIN_L2);

    if (status == TROP_OK) {
        status = solve(&nuclear, data, select, TROP_MARGIN_NUCLEAR);
    }
    const int has = status == TROP_OK && is_solved(l2);
    for (int64_t k = 0; has && status == TROP_OK && k < kind->marks; k++) {
        const struct trop_train_options o = training(kind, data, run, kind->mark[k]);
        struct trop_train *train = NULL;
        status = run_train(&train, &o);
        if (status == TROP_OK) {
            product(w, train, kind->d);
            r->frobenius[k] = cosine(w, l2, kind->d);
            r->nuclear[k] = cosine(w, nuclear, kind->d);
            status = trop_train_number(r->most + k, train, "saturation");
        }
        trop_train_free(train);
    }
    trop_margin_free(l2);
    trop_margin_free(nuclear);
    return status;
}

static enum trop_status one_run(struct trop_tf_runs_result *r, const struct trop_tf_runs *kind,
                                int64_t run)
{
    struct chosen chosen = { 0 };
    struct trop_train *train = NULL;
    char select[512];
    enum trop_status status = make_data(&chosen, kind, run);
    const struct trop_data *data = &chosen.data;

    for (int64_t k = 0; k < kind->marks; k++) {
        r->frobenius[k] = r->nuclear[k] = r->most[k] = NAN;
    }
    if (status == TROP_OK) {
        struct trop_train_options o = training(kind, data, run, kind->steps);
        o.compare = kind->selection_only ? TROP_TRAIN_COMPARE_NONE : TROP_TRAIN_COMPARE_FINAL;
        status = run_train(&train, &o);
    }
    if (status == TROP_OK) {
        status = judge_end(r, select, sizeof select, train, data);
    }
    if (status == TROP_OK && !kind->selection_only) {
        status = judge_best(r, data, kind->nuclear ? TROP_MARGIN_NUCLEAR : TROP_MARGIN_L2);
    }
    if (status == TROP_OK && kind->nuclear && r->decided) {
        status = judge_local(r, data, select);
    }
    if (status == TROP_OK && kind->correlated && r->decided) {
        status = follow(r, kind, data, run, select);
    }
    trop_train_free(train);
    chosen_free(&chosen);
    return status;
}

/* ---- all of them ---- */

struct shared {
    struct trop_tf_runs_result *results;
    const struct trop_tf_runs *kind;
};

static void work(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct shared *shared = context;

    (void)worker;
    for (int64_t run = first; run < last; run++) {
        shared->results[run] = (struct trop_tf_runs_result){ 0 };
        shared->results[run].status = one_run(shared->results + run, shared->kind, run);
    }
}

void trop_tf_runs(struct trop_tf_runs_result *results, const struct trop_tf_runs *kind,
                  int64_t runs, int64_t threads)
{
    struct shared shared = { results, kind };

    trop_parallel(threads, runs, work, &shared);
}

struct trop_tf_runs_mean trop_tf_runs_mean(const double *values, int64_t count, int64_t stride)
{
    struct trop_tf_runs_mean out = { 0 };
    double sum = 0, squares = 0;

    for (int64_t k = 0; k < count; k++) {
        if (values[k * stride] == values[k * stride]) {
            out.count++;
            sum += values[k * stride];
        }
    }
    out.mean = sum / (double)out.count;
    for (int64_t k = 0; k < count; k++) {
        const double by = values[k * stride] - out.mean;
        squares += by == by ? by * by : 0;
    }
    out.error = sqrt(squares / (double)out.count / fmax(1, (double)out.count - 1));
    return out;
}

double trop_tf_runs_share_error(double p, double ours, double theirs)
{
    /* Shares near 0 and 1 have a variance of their own size: at least that of one trial. */
    const double share = fmin(fmax(p, 1 / theirs), 1 - 1 / theirs);

    return 4 * sqrt(share * (1 - share) * (1 / ours + 1 / theirs)) + 1 / ours;
}
