/* md_real.c -- the two stages: steps and starts are found, then folds and seeds. */
#include "claim/md/md_real.h"

#include "base/math/pow.h"
#include "base/parallel.h"
#include "base/status.h"
#include "claim/sample.h"
#include "claim/sequences.h"
#include "claim/tokens.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const double trop_md_real_exponents[] = { 1.1, 2, 3 };
const double trop_md_real_scales[] = { .03, .1 };
const char *const trop_md_real_names[] = { "p = 1.1", "p = 2", "p = 3" };

static const struct trop_sample_size sizes[] = {
    { "coarse", 2, 3, 6, 1, 16 },
    { "fine", 2, 2, 6, 0, 16 },
    { "tuning", 1, 2, 2, 1, 20 },
    { "folds", 2, 2, 5, 2, 20 },
    { "seeds", 1, 2, 5, 1, TROP_MEASURE_COLUMNS },
    { "epochs", 2, 16, 50, 1, 10000 },
    { "embed", 4, 16, 32, 1, 1024 },
    { "batch", 32, 32, 32, 1, 1000000 },
    { "draws", 199, 1999, 4999, 1, 1000000 },
    { 0 },
};

void trop_md_real_draw(struct trop_case *c)
{
    trop_sequences_begin(c, "mr", 0);
    const int64_t n = trop_case_size(c, "labels", 0), most = trop_sample_effort(c, 200, 2000, n);

    trop_tokens_count(c, "items", (double)(most < n ? most : n), 40, 1e9);
    trop_sample_sizes(c, sizes);
    if (trop_case_number(c, "tuning") > trop_case_number(c, "folds")) {
        trop_case_refuse(c, "tuning = %g: there are %g folds", trop_case_number(c, "tuning"),
                         trop_case_number(c, "folds"));
    }
}

/* ---- the runs -------------------------------------------------------------------------------- */

enum stage { TUNING, FOLDS, UNIFORM };

/* One run. */
struct job {
    int64_t stage;               /* enum stage */
    int64_t row, at, fold, seed; /* at: of tuning, which tau */
    double tau;
    enum trop_status status;
    char error[256];
};

struct stages {
    struct trop_case *c;
    struct trop_sequences items;
    int64_t chooses; /* items, the first ones, that choose; the rest is cut into folds */
    int64_t taus, tuning, folds, seeds, epochs;
    struct trop_md_real_results out;
    struct job *jobs;
    int64_t count;
    _Atomic int64_t next, done;
    _Atomic int stopped;
    int64_t total; /* of both stages */
};

/* A worker at a job. Progress is asked in the thread that called, which is worker 0. */
struct seat {
    struct stages *s;
    const struct job *job;
    int64_t worker;
    double *history; /* (epochs, RECORDS) of the run; NULL: none */
};

static int stop(void *context)
{
    const struct seat *seat = context;
    struct stages *s = seat->s;

    if (seat->worker == 0 && s->c->progress &&
        s->c->progress(s->c->context, atomic_load(&s->done), s->total)) {
        atomic_store(&s->stopped, 1);
    }
    return atomic_load(&s->stopped);
}

static void look(void *context, const struct trop_fit *fit)
{
    const struct seat *seat = context;
    const struct trop_fit_tensor *w = fit->tensor + TROP_FIT_LETTER_W;
    const int64_t size = w->rows * w->columns;

    if (!seat->history || fit->epoch >= seat->s->epochs) {
        return;
    }
    double *record = seat->history + fit->epoch * TROP_MD_REAL_RECORDS;
    record[TROP_MD_REAL_TRAIN] = fit->split[TROP_SPLIT_TRAIN].loss[fit->epoch];
    record[TROP_MD_REAL_HOYER] = trop_measure_hoyer(w->values, size);
    record[TROP_MD_REAL_SHARE] = trop_measure_share(w->values, size, .9);
    record[TROP_MD_REAL_TESTED] = fit->split[TROP_SPLIT_TEST].accuracy[fit->epoch];
}

/* Items are in random order, so places can say where an item belongs. */
static void split(int64_t *splits, const struct stages *s, int64_t fold)
{
    for (int64_t k = 0; k < s->items.n; k++) {
        splits[k] = k < s->chooses                        ? TROP_SPLIT_VALIDATION
                    : (k - s->chooses) % s->folds == fold ? TROP_SPLIT_TEST
                                                          : TROP_SPLIT_TRAIN;
    }
}

static struct trop_fit_options options_of(const struct trop_case *c, const struct job *job,
                                          const struct trop_sequences *items)
{
    const double p = trop_md_real_exponents[job->row / TROP_MD_REAL_SCALES];
    const double sigma = trop_md_real_scales[job->row % TROP_MD_REAL_SCALES];
    /* The same for every p, scale and step: differences are of one start and one order. */
    const uint64_t seed = trop_sample_seed(c, job->stage == TUNING ? 1000 : job->seed, job->fold);

    return trop_sequences_options(
        c, items,
        "embed=@embed heads=%d epochs=@epochs optimizer=mirror p=%g eta=%.17g start_scale=%g "
        "batch=@batch seed=%llu",
        job->stage != UNIFORM, p, trop_md_real_eta(job->tau, p, sigma), sigma,
        (unsigned long long)seed);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static void keep_tuning(const struct stages *s, const struct job *job, const struct trop_fit *fit)
{
    const int64_t at = (job->row * s->taus + job->at) * s->tuning + job->fold;

    s->out.accuracy[at] = fit->split[TROP_SPLIT_VALIDATION].chosen_accuracy;
    s->out.loss[at] = fit->split[TROP_SPLIT_VALIDATION].chosen_loss;
}

static void keep_run(double *out, const struct job *job, const struct trop_md_real_run *run)
{
    const struct trop_fit *fit = run->fit;
    const struct trop_fit_split *test = fit->split + TROP_SPLIT_TEST;
    const struct trop_fit_lexicon *lexicon = &fit->lexicon;

    out[TROP_MD_REAL_TAU] = job->tau;
    out[TROP_MD_REAL_EPOCHS] = (double)fit->epoch;
    out[TROP_MD_REAL_CHOSEN] = (double)fit->chosen;
    out[TROP_MD_REAL_DIVERGED] = (double)run->diverged;
    out[TROP_MD_REAL_VALIDATION] = fit->split[TROP_SPLIT_VALIDATION].chosen_accuracy;
    out[TROP_MD_REAL_TEST] = test->chosen_accuracy;
    out[TROP_MD_REAL_LAST] = test->accuracy[fit->epoch];
    out[TROP_MD_REAL_LOSS] = fit->split[TROP_SPLIT_TRAIN].chosen_loss;
    for (int64_t e = 0; e <= fit->epoch; e++) {
        out[TROP_MD_REAL_BEST] = fmax(out[TROP_MD_REAL_BEST], test->accuracy[e]);
    }
    out[TROP_MD_REAL_AUC] = lexicon->auc;
    out[TROP_MD_REAL_FAKE] = lexicon->fake;
    out[TROP_MD_REAL_VALUE] = lexicon->value;
    out[TROP_MD_REAL_MASS] = lexicon->mass;
    out[TROP_MD_REAL_EVEN] = lexicon->uniform;
    out[TROP_MD_REAL_SATURATION] = fit->saturation;
}

/* Of each tested item: whether it is classified rightly, and how its attention ranks the marks. */
static void keep_items(const struct stages *s, const struct job *job, const struct trop_fit *fit,
                       const struct trop_case *c)
{
    const struct trop_sequences *items = &s->items;
    const int64_t n = items->n, tokens = items->offsets[n], rest = n - s->chooses;
    double *scores = trop_case_scratch(c, n), *attention = trop_case_scratch(c, tokens);
    int64_t *marked = trop_case_scratch_integers(c, tokens);

    trop_case_try(c, trop_fit_predict(scores, attention, fit, items));
    for (int64_t t = 0; t < tokens; t++) {
        marked[t] = items->lexicon[items->ids[t]];
    }
    for (int64_t k = job->fold; k < rest; k += s->folds) {
        const int64_t at = (job->row * rest + k) * s->seeds + job->seed, i = s->chooses + k;
        const int64_t first = items->offsets[i], count = items->offsets[i + 1] - first;
        s->out.right[at] = (scores[i] > 0) == (items->labels[i] == 1);
        s->out.auc[at] = trop_measure_auc(attention + first, marked + first, count);
    }
}

static void keep(const struct stages *s, const struct job *job, const struct trop_md_real_run *run,
                 const struct trop_case *c)
{
    if (job->stage == TUNING) {
        keep_tuning(s, job, run->fit);
    } else if (job->stage == UNIFORM) {
        const int64_t k = job->row / TROP_MD_REAL_SCALES;
        keep_run(s->out.uniform + (k * s->folds + job->fold) * TROP_MD_REAL_COLUMNS, job, run);
    } else {
        const int64_t at = (job->row * s->folds + job->fold) * s->seeds + job->seed;
        keep_run(s->out.runs + at * TROP_MD_REAL_COLUMNS, job, run);
        keep_items(s, job, run->fit, c);
    }
}

/* A part of a case of its own. */
static void run_job(void *context, struct trop_case *c)
{
    struct seat *seat = context;
    struct stages *s = seat->s;
    const struct job *job = seat->job;
    const int64_t at = (job->row * s->folds + job->fold) * s->seeds + job->seed;
    struct trop_md_real_run *run = trop_md_real_begin(c);
    struct trop_sequences items = s->items;
    int64_t *splits = trop_case_scratch_integers(c, items.n);

    if (job->stage == FOLDS) {
        seat->history = s->out.history + at * s->epochs * TROP_MD_REAL_RECORDS;
    }
    split(splits, s, job->fold);
    items.splits = splits;
    const struct trop_fit_options o = options_of(c, job, &items);
    run->look = look;
    run->stop = stop;
    run->context = seat;
    trop_case_try(c, trop_md_real_train(run, &o));
    keep(s, job, run, c);
}

static void run_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct stages *s = context;

    (void)first;
    (void)last;
    for (int64_t k; (k = atomic_fetch_add(&s->next, 1)) < s->count && !atomic_load(&s->stopped);) {
        struct job *job = s->jobs + k;
        struct trop_case own = *s->c;
        own.part = NULL;
        own.progress = NULL; /* this stops by itself */
        job->status =
            trop_case_part(&own, run_job, &(struct seat){ .s = s, .job = job, .worker = worker });
        if (job->status != TROP_OK) {
            snprintf(job->error, sizeof job->error, "%s", trop_error());
            atomic_store(&s->stopped, 1);
        }
        atomic_fetch_add(&s->done, 1);
    }
}

/* All jobs, taken one by one: what is kept has its place, whoever runs it. */
static void run_jobs(struct stages *s)
{
    const int64_t workers = s->c->threads < s->count ? s->c->threads : s->count;

    atomic_store(&s->next, 0);
    if (s->count > 0) {
        trop_parallel(workers, workers, run_some, s);
    }
    for (int64_t k = 0; k < s->count; k++) {
        const struct job *job = s->jobs + k;
        if (job->status != TROP_OK && job->status != TROP_ERR_STOPPED) {
            trop_case_try(s->c, trop_fail(job->status, "%s", job->error));
        }
    }
    if (atomic_load(&s->stopped)) {
        trop_case_try(s->c, trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld runs",
                                      (long long)atomic_load(&s->done), (long long)s->total));
    }
    s->count = 0;
}

/* ---- the stages ------------------------------------------------------------------------------ */

/* Step k of a row of tuning. */
static void add_tau(struct stages *s, int64_t row, int64_t k, double tau)
{
    s->out.tau[row * s->taus + k] = tau;
    for (int64_t fold = 0; fold < s->tuning; fold++) {
        s->jobs[s->count++] =
            (struct job){ .stage = TUNING, .row = row, .at = k, .fold = fold, .tau = tau };
    }
}

static void tune(struct stages *s)
{
    const int64_t coarse = trop_case_integer(s->c, "coarse"), fine = s->taus - coarse;

    for (int64_t at = 0; at < TROP_MD_REAL_ROWS * s->taus; at++) {
        s->out.tau[at] = NAN; /* not tried yet */
    }
    for (int64_t row = 0; row < TROP_MD_REAL_ROWS; row++) {
        for (int64_t k = 0; k < coarse; k++) {
            add_tau(s, row, k, trop_pow(4, (double)(k - coarse / 2))); /* of six: 1/64 to 16 */
        }
    }
    run_jobs(s);
    for (int64_t row = 0; row < TROP_MD_REAL_ROWS; row++) {
        const struct trop_md_real_choice best = trop_md_real_choose(s->c, row);
        for (int64_t k = 0; k < fine; k++) { /* 1/2, -1/2, 1, -1, ... powers of 2 */
            const double power = (double)(k / 2 + 1) / (k % 2 ? -2 : 2);
            add_tau(s, row, coarse + k, best.tau * trop_pow(2, power));
        }
    }
    run_jobs(s);
}

static void test(struct stages *s)
{
    for (int64_t row = 0; row < TROP_MD_REAL_ROWS; row++) {
        const struct trop_md_real_choice best = trop_md_real_choose(s->c, row);
        for (int64_t run = 0; run < s->folds * s->seeds; run++) {
            s->jobs[s->count++] = (struct job){ .stage = FOLDS,
                                                .row = row,
                                                .fold = run / s->seeds,
                                                .seed = run % s->seeds,
                                                .tau = best.tau };
        }
    }
    for (int64_t k = 0; k < 2; k++) {
        const int64_t row = trop_md_real_row(s->c, k);
        const struct trop_md_real_choice best = trop_md_real_choose(s->c, row);
        for (int64_t fold = 0; fold < s->folds; fold++) {
            s->jobs[s->count++] =
                (struct job){ .stage = UNIFORM, .row = row, .fold = fold, .tau = best.tau };
        }
    }
    run_jobs(s);
}

struct trop_md_real_results trop_md_real_make(struct trop_case *c, int64_t items)
{
    const int64_t rows = TROP_MD_REAL_ROWS, seeds = trop_case_integer(c, "seeds");
    const int64_t taus = trop_case_integer(c, "coarse") + trop_case_integer(c, "fine");
    const int64_t tuning = trop_case_integer(c, "tuning"), folds = trop_case_integer(c, "folds");
    const int64_t epochs = trop_case_integer(c, "epochs"), runs = folds * seeds;
    const struct trop_md_real_results out = {
        .tau = trop_case_zeros(c, "tuning_tau", rows, taus, 0),
        .accuracy = trop_case_zeros(c, "tuning_accuracy", rows, taus, tuning),
        .loss = trop_case_zeros(c, "tuning_loss", rows, taus, tuning),
        .runs = trop_case_zeros(c, "runs", rows, runs, TROP_MD_REAL_COLUMNS),
        .history = trop_case_zeros(c, "history", rows * runs, epochs, TROP_MD_REAL_RECORDS),
        .right = trop_case_zeros(c, "right", rows, items, seeds),
        .auc = trop_case_zeros(c, "auc", rows, items, seeds),
        .uniform = trop_case_zeros(c, "uniform", 2, folds, TROP_MD_REAL_COLUMNS),
    };

    for (int64_t at = 0; at < rows * runs * epochs * TROP_MD_REAL_RECORDS; at++) {
        out.history[at] = NAN; /* epochs that a run does not have */
    }
    return out;
}

void trop_md_real_work(struct trop_case *c)
{
    struct stages s = {
        .c = c,
        .items = trop_sequences_draw(c, 0),
        .taus = trop_case_integer(c, "coarse") + trop_case_integer(c, "fine"),
        .tuning = trop_case_integer(c, "tuning"),
        .folds = trop_case_integer(c, "folds"),
        .seeds = trop_case_integer(c, "seeds"),
        .epochs = trop_case_integer(c, "epochs"),
    };

    s.items.classes = 2;
    s.chooses = s.items.n / 10;
    s.total = TROP_MD_REAL_ROWS * (s.taus * s.tuning + s.folds * s.seeds) + 2 * s.folds;
    s.out = trop_md_real_make(c, s.items.n - s.chooses);
    s.jobs = (struct job *)trop_case_scratch(
        c, s.total * (int64_t)((sizeof *s.jobs + sizeof(double) - 1) / sizeof(double)));
    tune(&s);
    test(&s);
}
