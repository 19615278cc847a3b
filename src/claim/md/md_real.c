/* md_real.c -- the two stages: steps and starts are found, then folds and seeds. */
#include "claim/md/md_real.h"

#include "base/alloc.h"
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

enum { ORDER = 1 }; /* uses of the draws of a case */

/* ---- sizes ----------------------------------------------------------------------------------- */

/* Few, some, all: by the effort of the case. */
static const struct {
    const char *name;
    double few, some, all, least, most;
} sizes[] = {
    { "coarse", 2, 3, 6, 1, 16 },
    { "fine", 2, 2, 6, 0, 16 },
    { "tuning", 1, 2, 2, 1, 20 },
    { "folds", 2, 2, 5, 2, 20 },
    { "seeds", 1, 2, 5, 1, TROP_MEASURE_COLUMNS },
    { "epochs", 2, 16, 50, 1, 1e4 },
    { "embed", 4, 16, 32, 1, 1024 },
    { "batch", 32, 32, 32, 1, 1e6 },
    { "draws", 199, 1999, 4999, 1, 1e6 },
};

const struct trop_input trop_md_real_inputs[] = {
    { "ids", "(tokens)", "words of the items, one after the other" },
    { "offsets", "(n + 1)", "where each item begins" },
    { "labels", "(n)", "classes, 0 and 1" },
    { "lexicon", "(words)", "1: a word that should matter" },
    { "items", "", "at most so many of them" },
    { "coarse", "", "step sizes by factors of 4" },
    { "fine", "", "step sizes by sqrt 2 about the best of these" },
    { "tuning", "", "folds that steps and starts are found with" },
    { "folds", "", "of the items, less a tenth that chooses" },
    { "seeds", "", "of each fold" },
    { "epochs", "", "of a run" },
    { "embed", "", "dimension of the word vectors" },
    { "batch", "", "items of a step" },
    { "draws", "", "of the bootstrap" },
    { 0 },
};

enum trop_status trop_md_real_draw(struct trop_case *c)
{
    enum trop_status status =
        trop_case_has(c, "labels") ? trop_sequences_check(c) : trop_sequences_read(c, "mr", 0);
    const int64_t n = trop_case_size(c, "labels", 0), most = trop_sample_effort(c, 200, 2000, n);

    if (status == TROP_OK) {
        status = trop_tokens_count(c, "items", (double)(most < n ? most : n), 40, 1e9);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && status == TROP_OK; k++) {
        const double value = c->effort == TROP_CASE_TINY    ? sizes[k].few
                             : c->effort == TROP_CASE_QUICK ? sizes[k].some
                                                            : sizes[k].all;
        status = trop_tokens_count(c, sizes[k].name, value, sizes[k].least, sizes[k].most);
    }
    if (status == TROP_OK && trop_case_number(c, "tuning") > trop_case_number(c, "folds")) {
        return trop_fail(TROP_ERR_ARG, "tuning = %g: there are %g folds",
                         trop_case_number(c, "tuning"), trop_case_number(c, "folds"));
    }
    return status;
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
    struct trop_sequences_set set;
    int64_t chooses; /* items, the first ones, that choose; the rest is cut into folds */
    int64_t taus, tuning, folds, seeds, epochs;
    struct trop_md_real_results out;
    struct job *jobs;
    int64_t count;
    _Atomic int64_t next, done;
    _Atomic int stopped;
    int64_t total; /* of both stages */
};

/* Progress is asked in the thread that called, which is worker 0. */
struct seat {
    struct stages *s;
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
    for (int64_t k = 0; k < s->set.items.n; k++) {
        splits[k] = k < s->chooses                        ? TROP_SPLIT_VALIDATION
                    : (k - s->chooses) % s->folds == fold ? TROP_SPLIT_TEST
                                                          : TROP_SPLIT_TRAIN;
    }
}

static struct trop_fit_options options_of(const struct stages *s, const struct job *job,
                                          const struct trop_sequences *items)
{
    const struct trop_case *c = s->c;
    const double p = trop_md_real_exponents[job->row / TROP_MD_REAL_SCALES];
    const double sigma = trop_md_real_scales[job->row % TROP_MD_REAL_SCALES];
    struct trop_fit_options o = trop_fit_options_default();

    o.sequences = items;
    o.embed = trop_case_integer(c, "embed");
    o.heads = job->stage != UNIFORM;
    o.epochs = s->epochs;
    o.train.optimizer = TROP_OPTIMIZER_MIRROR;
    o.train.p = p;
    o.train.eta = trop_md_real_eta(job->tau, p, sigma);
    o.train.start_scale = sigma;
    o.train.batch = trop_case_integer(c, "batch");
    /* The same for every p, scale and step: differences are of one start and one order. */
    o.train.seed = trop_sample_seed(c, job->stage == TUNING ? 1000 : job->seed, job->fold);
    o.train.threads = 1;
    return o;
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
static enum trop_status keep_items(const struct stages *s, const struct job *job,
                                   const struct trop_fit *fit)
{
    const struct trop_sequences *items = &s->set.items;
    const int64_t n = items->n, tokens = items->offsets[n], rest = n - s->chooses;
    double *scores = NULL, *attention = NULL;
    int64_t *marked = NULL;
    enum trop_status status = TROP_ERR_MEMORY;

    if (TROP_ALLOC(TROP_PART(scores, n), TROP_PART(attention, tokens), TROP_PART(marked, tokens))) {
        status = trop_fit_predict(scores, attention, fit, items);
    } else {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for the attention of %lld items", (long long)n);
    }
    for (int64_t t = 0; status == TROP_OK && t < tokens; t++) {
        marked[t] = items->lexicon[items->ids[t]];
    }
    for (int64_t k = job->fold; status == TROP_OK && k < rest; k += s->folds) {
        const int64_t at = (job->row * rest + k) * s->seeds + job->seed, i = s->chooses + k;
        const int64_t first = items->offsets[i], count = items->offsets[i + 1] - first;
        s->out.right[at] = (scores[i] > 0) == (items->labels[i] == 1);
        s->out.auc[at] = trop_measure_auc(attention + first, marked + first, count);
    }
    TROP_FREE(scores, attention, marked);
    return status;
}

static enum trop_status keep(const struct stages *s, const struct job *job,
                             const struct trop_md_real_run *run)
{
    if (job->stage == TUNING) {
        keep_tuning(s, job, run->fit);
        return TROP_OK;
    }
    if (job->stage == UNIFORM) {
        const int64_t k = job->row / TROP_MD_REAL_SCALES;
        keep_run(s->out.uniform + (k * s->folds + job->fold) * TROP_MD_REAL_COLUMNS, job, run);
        return TROP_OK;
    }
    const int64_t at = (job->row * s->folds + job->fold) * s->seeds + job->seed;
    keep_run(s->out.runs + at * TROP_MD_REAL_COLUMNS, job, run);
    return keep_items(s, job, run->fit);
}

static enum trop_status run_job(struct stages *s, struct job *job, int64_t worker)
{
    struct trop_sequences items = s->set.items;
    const int64_t at = (job->row * s->folds + job->fold) * s->seeds + job->seed;
    struct seat seat = { .s = s, .worker = worker };
    struct trop_md_real_run run = { .look = look, .stop = stop, .context = &seat };
    int64_t *splits = trop_alloc(items.n, sizeof *splits);

    if (!splits) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld items", (long long)items.n);
    }
    if (job->stage == FOLDS) {
        seat.history = s->out.history + at * s->epochs * TROP_MD_REAL_RECORDS;
    }
    split(splits, s, job->fold);
    items.splits = splits;
    const struct trop_fit_options o = options_of(s, job, &items);
    enum trop_status status = trop_md_real_train(&run, &o);
    if (status == TROP_OK) {
        status = keep(s, job, &run);
    }
    trop_fit_free(run.fit);
    trop_alloc_free(splits);
    return status;
}

static void run_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct stages *s = context;

    (void)first;
    (void)last;
    for (int64_t k; (k = atomic_fetch_add(&s->next, 1)) < s->count && !atomic_load(&s->stopped);) {
        struct job *job = s->jobs + k;
        job->status = run_job(s, job, worker);
        if (job->status != TROP_OK) {
            snprintf(job->error, sizeof job->error, "%s", trop_error());
            atomic_store(&s->stopped, 1);
        }
        atomic_fetch_add(&s->done, 1);
    }
}

/* All jobs, taken one by one: what is kept has its place, whoever runs it. */
static enum trop_status run_jobs(struct stages *s)
{
    const int64_t workers = s->c->threads < s->count ? s->c->threads : s->count;

    atomic_store(&s->next, 0);
    if (s->count > 0) {
        trop_parallel(workers, workers, run_some, s);
    }
    for (int64_t k = 0; k < s->count; k++) {
        const struct job *job = s->jobs + k;
        if (job->status != TROP_OK && job->status != TROP_ERR_STOPPED) {
            return trop_fail(job->status, "%s", job->error);
        }
    }
    const int64_t done = atomic_load(&s->done), total = s->total;
    s->count = 0;
    return atomic_load(&s->stopped) ? trop_fail(TROP_ERR_STOPPED, "stopped after %lld of %lld runs",
                                                (long long)done, (long long)total)
                                    : TROP_OK;
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

static enum trop_status tune(struct stages *s)
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
    enum trop_status status = run_jobs(s);
    for (int64_t row = 0; row < TROP_MD_REAL_ROWS && status == TROP_OK; row++) {
        struct trop_md_real_choice best;
        trop_md_real_choose(&best, s->c, row);
        for (int64_t k = 0; k < fine; k++) { /* 1/2, -1/2, 1, -1, ... powers of 2 */
            const double power = (double)(k / 2 + 1) / (k % 2 ? -2 : 2);
            add_tau(s, row, coarse + k, best.tau * trop_pow(2, power));
        }
    }
    return status == TROP_OK ? run_jobs(s) : status;
}

static enum trop_status test(struct stages *s)
{
    for (int64_t row = 0; row < TROP_MD_REAL_ROWS; row++) {
        struct trop_md_real_choice best;
        trop_md_real_choose(&best, s->c, row);
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
        struct trop_md_real_choice best;
        trop_md_real_choose(&best, s->c, row);
        for (int64_t fold = 0; fold < s->folds; fold++) {
            s->jobs[s->count++] =
                (struct job){ .stage = UNIFORM, .row = row, .fold = fold, .tau = best.tau };
        }
    }
    return run_jobs(s);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* The items in random order, at most as many as the case says. */
static enum trop_status make_set(struct stages *s)
{
    const int64_t all = trop_case_size(s->c, "labels", 0);
    const double most = trop_case_number(s->c, "items");
    const int64_t n = (double)all < most ? all : (int64_t)most;
    int64_t *order = trop_alloc(all, sizeof *order);

    if (!order) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld items", (long long)all);
    }
    trop_sequences_shuffle(order, all, s->c, ORDER);
    enum trop_status status = trop_sequences_make(&s->set, s->c, order, n);
    s->set.items.classes = 2;
    s->chooses = n / 10;
    trop_alloc_free(order);
    return status;
}

enum trop_status trop_md_real_make(struct trop_md_real_results *out, struct trop_case *c,
                                   int64_t items)
{
    const int64_t rows = TROP_MD_REAL_ROWS, seeds = trop_case_integer(c, "seeds");
    const int64_t taus = trop_case_integer(c, "coarse") + trop_case_integer(c, "fine");
    const int64_t tuning = trop_case_integer(c, "tuning"), folds = trop_case_integer(c, "folds");
    const int64_t epochs = trop_case_integer(c, "epochs");
    const struct {
        const char *name;
        double **out;
        int64_t a, b, k;
    } entries[] = {
        { "tuning_tau", &out->tau, rows, taus, 0 },
        { "tuning_accuracy", &out->accuracy, rows, taus, tuning },
        { "tuning_loss", &out->loss, rows, taus, tuning },
        { "runs", &out->runs, rows, folds * seeds, TROP_MD_REAL_COLUMNS },
        { "history", &out->history, rows * folds * seeds, epochs, TROP_MD_REAL_RECORDS },
        { "right", &out->right, rows, items, seeds },
        { "auc", &out->auc, rows, items, seeds },
        { "uniform", &out->uniform, 2, folds, TROP_MD_REAL_COLUMNS },
    };
    const int64_t records = rows * folds * seeds * epochs * TROP_MD_REAL_RECORDS;
    enum trop_status status = TROP_OK;

    for (size_t e = 0; e < sizeof entries / sizeof entries[0] && status == TROP_OK; e++) {
        status = trop_case_make(entries[e].out, c, entries[e].name, entries[e].a, entries[e].b,
                                entries[e].k);
    }
    for (int64_t at = 0; status == TROP_OK && at < records; at++) {
        out->history[at] = NAN; /* epochs that a run does not have */
    }
    return status;
}

enum trop_status trop_md_real_work(struct trop_case *c)
{
    struct stages s = {
        .c = c,
        .taus = trop_case_integer(c, "coarse") + trop_case_integer(c, "fine"),
        .tuning = trop_case_integer(c, "tuning"),
        .folds = trop_case_integer(c, "folds"),
        .seeds = trop_case_integer(c, "seeds"),
        .epochs = trop_case_integer(c, "epochs"),
    };
    enum trop_status status = make_set(&s);

    s.total = TROP_MD_REAL_ROWS * (s.taus * s.tuning + s.folds * s.seeds) + 2 * s.folds;
    if (status == TROP_OK) {
        status = trop_md_real_make(&s.out, c, s.set.items.n - s.chooses);
    }
    if (status == TROP_OK) {
        s.jobs = trop_alloc(s.total, sizeof *s.jobs);
        status = s.jobs ? tune(&s) : trop_fail(TROP_ERR_MEMORY, "no memory for the runs");
    }
    if (status == TROP_OK) {
        status = test(&s);
    }
    trop_sequences_release(&s.set);
    trop_alloc_free(s.jobs);
    return status;
}
