/* check.c -- a claim against instances.
 *
 * Known counterexamples come first, then instances are drawn until every hypothesis was true on as
 * many as were asked for. Instances are functions of (seed, trial), are judged in blocks side by
 * side, and are counted in their order: the result does not depend on the number of workers.
 *
 *   violated           some instance satisfies every hypothesis and fails the conclusion
 *   holds              the conclusion was true on trials instances with every hypothesis true
 *   hypothesis-fails   the instance that was given leaves the hypotheses
 *   not-decidable      everything else: too few instances, or a line within its allowance
 */
#include "claim/check.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"
#include "io/file.h"
#include "run/out.h"
#include "run/verb.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 4 /* instances of each worker between two looks at the clock */

/* ---- making ---- */

static void check_free(struct trop_check *check)
{
    if (!check) {
        return;
    }
    check_free(check->repaired);
    trop_case_free(check->given);
    trop_case_free(check->counterexample);
    trop_case_free(check->numbers);
    trop_case_free(check->shown);
    trop_search_free(&check->search);
    trop_alloc_free(check->hypotheses);
    trop_alloc_free(check->evidence);
    trop_alloc_free(check->spoils);
    trop_alloc_free(check->counterexample_path);
    trop_alloc_free(check->shrunk_text);
    trop_outside_close(check->outside);
    trop_alloc_free(check);
}

static enum trop_status make_hypotheses(struct trop_check *check)
{
    const struct trop_hypothesis *h = check->claim->hypotheses;

    while (h && h[check->hypothesis_count].name) {
        check->hypothesis_count++;
    }
    check->hypotheses = trop_alloc(check->hypothesis_count, sizeof *check->hypotheses);
    if (!check->hypotheses) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a check");
    }
    for (int64_t k = 0; k < check->hypothesis_count; k++) {
        check->hypotheses[k].name = h[k].name;
        check->hypotheses[k].meaning = h[k].meaning;
    }
    return TROP_OK;
}

/* The file that a counterexample is written to; NULL: none. */
static enum trop_status name_counterexample(struct trop_check *check, const char *path)
{
    char name[128];

    /* What is shrunk of a file does not take its place. */
    snprintf(name, sizeof name, "%s-%s.h5", check->claim->id,
             check->worked ? "shrunk" : "counterexample");
    return path && strcmp(path, "none") == 0
               ? TROP_OK
               : trop_out_copy(&check->counterexample_path, path ? path : name);
}

static enum trop_status fill(struct trop_check *check, struct trop_setup *setup)
{
    const struct trop_check_options *o = trop_setup_check(setup);

    check->threads = o->threads > 0 ? o->threads : trop_parallel_cores();
    /* A question that experiments decide is not asked where it cannot be answered. */
    check->effort = o->full || trop_claim_is_asked(check->claim) ? TROP_CASE_FULL : TROP_CASE_QUICK;
    check->worked = o->instance != NULL;
    check->shrink = o->shrink || (o->search > 0 && !trop_setup_given(setup, "shrink"));
    check->verdict = TROP_VERDICT_OPEN;
    check->untested = -1;
    enum trop_status status = make_hypotheses(check);
    if (status == TROP_OK) {
        status = trop_case_create(&check->given, o->seed, 0, check->effort, check->threads);
    }
    if (status == TROP_OK && !trop_claim_needs_data(check->claim)) {
        status = trop_check_given(check->given, &check->single, check->claim, setup);
    }
    check->trials = check->single ? 1 : o->trials > 0 ? o->trials : trop_claim_trials(check->claim);
    if (status == TROP_OK) {
        status = trop_check_search_ask(check, setup);
    }
    return status == TROP_OK ? name_counterexample(check, o->counterexample) : status;
}

static enum trop_status make(struct trop_check **out, const struct trop_claim *claim,
                             struct trop_setup *setup)
{
    struct trop_check *check = trop_alloc(1, sizeof *check);

    if (!check) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a check");
    }
    check->claim = claim;
    enum trop_status status = fill(check, setup);
    if (status != TROP_OK) {
        check_free(check);
        return status;
    }
    *out = check;
    return TROP_OK;
}

/* Where a claim is false as printed, its repaired form is judged too, on instances of its own. */
static enum trop_status make_repaired(struct trop_check *check, struct trop_setup *setup)
{
    const struct trop_claim *claim = check->claim;

    if (!claim->repaired || check->worked || check->search.limit > 0) {
        return TROP_OK;
    }
    const struct trop_claim *repaired = check->outside
                                            ? trop_outside_find(check->outside, claim->repaired)
                                            : trop_claim_find(claim->repaired);
    enum trop_status status = make(&check->repaired, repaired, setup);
    if (status == TROP_ERR_ARG) {
        return TROP_OK; /* the repaired form does not take what was given */
    }
    if (status == TROP_OK) {
        trop_alloc_free(check->repaired->counterexample_path);
        check->repaired->counterexample_path = NULL;
        check->repaired->shrink = 0;
    }
    return status;
}

/* Files that cannot be written are known before anything is judged. */
static enum trop_status check_files(struct trop_setup *setup)
{
    const struct trop_check_options *o = trop_setup_check(setup);

    if (o->out && trop_out_is_h5(o->out)) {
        return trop_fail(TROP_ERR_ARG, "out = %s: must end in .json", o->out);
    }
    if (!o->counterexample || strcmp(o->counterexample, "none") == 0) {
        return TROP_OK;
    }
    return trop_out_is_h5(o->counterexample)
               ? trop_file_check(o->counterexample)
               : trop_fail(TROP_ERR_ARG, "counterexample = %s: must end in .h5, or be none",
                           o->counterexample);
}

static enum trop_status create(void **out, struct trop_setup *setup, struct trop_job *job)
{
    const struct trop_claim *claim = NULL;
    struct trop_check *check = NULL;
    struct trop_outside *outside = NULL;
    enum trop_status status = trop_check_claim(&claim, &outside, trop_setup_check(setup)->claim);

    (void)job;
    if (status == TROP_OK && trop_setup_check(setup)->shrink && !trop_shrink_applies(claim)) {
        status = trop_fail(TROP_ERR_ARG, "shrink: %s has no instances that can be made small",
                           claim->id);
    }
    if (status == TROP_OK) {
        status = make(&check, claim, setup);
    }
    if (status != TROP_OK) {
        trop_outside_close(outside);
        return status;
    }
    check->outside = outside;
    status = make_repaired(check, setup);
    if (status != TROP_OK) {
        check_free(check);
        return status;
    }
    *out = check;
    return TROP_OK;
}

/* ---- what an instance adds ---- */

/* The tightest line of each name, in the order in which the names came. */
static enum trop_status add_evidence(struct trop_check *check, const struct trop_line *line,
                                     int64_t trial)
{
    for (int64_t k = 0; k < check->evidence_count; k++) {
        struct trop_check_line *old = check->evidence + k;
        if (strcmp(old->line.name, line->name) == 0) {
            if (!(old->line.tightness <= line->tightness)) {
                *old = (struct trop_check_line){ *line, trial };
            }
            return TROP_OK;
        }
    }
    if (check->evidence_count == check->evidence_capacity) {
        const int64_t capacity = 2 * check->evidence_capacity + 16;
        struct trop_check_line *more = trop_alloc(capacity, sizeof *more);
        if (!more) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for what a check measures");
        }
        if (check->evidence) {
            memcpy(more, check->evidence, (size_t)check->evidence_count * sizeof *more);
        }
        trop_alloc_free(check->evidence);
        check->evidence = more;
        check->evidence_capacity = capacity;
    }
    check->evidence[check->evidence_count++] = (struct trop_check_line){ *line, trial };
    return TROP_OK;
}

static void count_hypothesis(struct trop_check *check, const struct trop_trial *trial)
{
    struct trop_check_hypothesis *h =
        check->hypotheses + (trial->hypothesis - check->claim->hypotheses);

    h->failed += trial->verdict == TROP_VERDICT_HYPOTHESIS;
    h->open += trial->verdict == TROP_VERDICT_OPEN;
    if (check->single) {
        check->failing = trial->hypothesis;
        check->reason = trial->reason;
    }
}

/* The numbers of the instance that was given, those that were drawn around it included. */
static enum trop_status keep_numbers(struct trop_check *check, const struct trop_case *c)
{
    trop_case_free(check->numbers);
    check->numbers = NULL;
    return trop_case_copy(&check->numbers, c);
}

/* Keeps the case when it is the first counterexample. */
static enum trop_status count(struct trop_check *check, const struct trop_trial *trial,
                              struct trop_case **c, int64_t number)
{
    enum trop_status status = TROP_OK;

    check->attempted++;
    if (trial->hypothesis) {
        count_hypothesis(check, trial);
        return check->single ? keep_numbers(check, *c) : TROP_OK;
    }
    for (int64_t k = 0; k < trial->judge.count && trial->judge.list && status == TROP_OK; k++) {
        status = add_evidence(check, trial->judge.list + k, number);
    }
    if (check->single) {
        status = status == TROP_OK ? keep_numbers(check, *c) : status;
    }
    check->applicable += trial->verdict != TROP_VERDICT_OPEN;
    check->open += trial->verdict == TROP_VERDICT_OPEN;
    if (trial->verdict == TROP_VERDICT_HOLDS && number >= 0 &&
        check->fine_count < TROP_CHECK_FINE) {
        check->fine[check->fine_count++] = number;
    }
    if (trial->verdict == TROP_VERDICT_VIOLATED && check->violated++ == 0) {
        check->first = (struct trop_check_line){ trial->judge.first, number };
        check->counterexample = *c;
        *c = NULL;
    }
    return status;
}

/* ---- instances side by side ---- */

struct job {
    struct trop_case *c;
    struct trop_trial trial;
    int64_t number; /* trial, or exhibit k as -1 - k */
    enum trop_status status;
    char error[256];
};

struct jobs {
    const struct trop_check *check;
    struct job *list;
    int64_t threads; /* of one instance */
};

static enum trop_status judge_one(const struct trop_check *check, struct job *job, int64_t threads)
{
    const struct trop_claim *claim = check->claim;
    enum trop_status status = trop_case_copy(&job->c, check->given);

    if (status != TROP_OK) {
        return status;
    }
    job->c->trial = job->number < 0 ? 0 : job->number;
    job->c->threads = threads;
    job->c->progress = threads == check->threads ? check->progress : NULL; /* the only one */
    job->c->context = check->context;
    job->trial.judge.keep = 1;
    if (job->number < 0) {
        status = trop_claim_exhibit(claim, job->c, -1 - job->number);
    }
    if (status == TROP_OK && !check->worked) {
        status = trop_claim_draw(claim, job->c);
    }
    return status == TROP_OK ? trop_trial_run(&job->trial, claim, job->c, (int)check->worked)
                             : status;
}

static void judge_some(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct jobs *jobs = context;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        struct job *job = jobs->list + k;
        job->status = judge_one(jobs->check, job, jobs->threads);
        if (job->status != TROP_OK) {
            snprintf(job->error, sizeof job->error, "%s", trop_error());
        }
    }
}

static void release(struct job *list, int64_t jobs)
{
    for (int64_t k = 0; k < jobs; k++) {
        trop_trial_free(&list[k].trial);
        trop_case_free(list[k].c);
    }
    trop_alloc_free(list);
}

/* Judges instances first, first + 1, ..., of which those beyond what is needed are dropped; with
 * first below 0, exhibits 0, 1, ... */
static enum trop_status judge_block(struct trop_check *check, int64_t first, int64_t jobs)
{
    const int64_t workers = jobs < check->threads ? jobs : check->threads;
    struct jobs all = { .check = check,
                        .list = trop_alloc(jobs, sizeof *all.list),
                        .threads = check->threads / workers };
    enum trop_status status = TROP_OK;

    if (!all.list) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for instances");
    }
    for (int64_t k = 0; k < jobs; k++) {
        all.list[k].number = first >= 0 ? first + k : -1 - k;
    }
    trop_parallel(workers, jobs, judge_some, &all);
    for (int64_t k = 0; k < jobs && status == TROP_OK; k++) {
        struct job *job = all.list + k;
        if (first >= 0 && check->applicable >= check->trials) {
            break;
        }
        status = job->status == TROP_OK
                     ? count(check, &job->trial, &job->c, job->number)
                     : trop_fail(job->status, "%s: instance %lld: %s", check->claim->id,
                                 (long long)job->number, job->error);
    }
    release(all.list, jobs);
    return status;
}

/* ---- the whole ---- */

/* A figure or table is decided when agreement says nothing for at most half of its lines. */
static int is_decided(const struct trop_check *check)
{
    int64_t weak = 0;

    for (int64_t k = 0; k < check->evidence_count; k++) {
        weak += trop_judge_is_weak(&check->evidence[k].line);
    }
    return !trop_claim_is_shown(check->claim) || 2 * weak <= check->evidence_count;
}

static void find_tightest(struct trop_check *check)
{
    check->tightest = check->evidence;
    for (int64_t k = 1; k < check->evidence_count; k++) {
        if (check->evidence[k].line.tightness < check->tightest->line.tightness) {
            check->tightest = check->evidence + k;
        }
    }
}

static void settle(struct trop_check *check)
{
    find_tightest(check);
    check->verdict = check->violated > 0 ? TROP_VERDICT_VIOLATED
                     : check->open == 0 && check->applicable >= check->trials && is_decided(check)
                         ? TROP_VERDICT_HOLDS
                     : check->single && check->failing &&
                             check->hypotheses[check->failing - check->claim->hypotheses].failed > 0
                         ? TROP_VERDICT_HYPOTHESIS
                         : TROP_VERDICT_OPEN;
}

/* At most so many. */
static int64_t next_block(const struct trop_check *check, int64_t most)
{
    const int64_t left = check->trials - check->applicable;
    const int64_t block = BLOCK * check->threads;
    const int64_t jobs = left < 1 ? 1 : left < block ? left : block;

    return jobs < most ? jobs : most;
}

static enum trop_status judge_all(struct trop_check *check, trop_progress *progress, void *context)
{
    const struct trop_claim *claim = check->claim;
    /* What experiments leave open is not tried again until it is not. */
    const int64_t most = check->single                ? 1
                         : trop_claim_is_asked(claim) ? check->trials
                                                      : 20 * check->trials + 100;
    enum trop_status status = TROP_OK;

    if (trop_claim_needs_data(claim)) {
        return TROP_OK; /* nothing can be decided */
    }
    check->progress = progress;
    check->context = context;
    if (check->given->count == 0 && claim->exhibits > 0) {
        status = judge_block(check, -1, claim->exhibits);
        check->applicable = 0; /* known counterexamples are evidence, not trials */
        check->known = check->violated;
    }
    for (int64_t at = 0; status == TROP_OK && at < most && check->applicable < check->trials;) {
        const int64_t jobs = next_block(check, most - at);
        status = judge_block(check, at, jobs);
        at += jobs;
        if (status == TROP_OK && check->applicable < check->trials && at < most && progress &&
            progress(context, check->applicable, check->trials)) {
            status = trop_fail(TROP_ERR_STOPPED, "%s: stopped after %lld instances", claim->id,
                               (long long)check->attempted);
        }
    }
    settle(check);
    return status == TROP_OK ? trop_check_spoils(check) : status;
}

static enum trop_status write_counterexample(struct trop_check *check)
{
    if (!check->counterexample || !check->counterexample_path) {
        return TROP_OK;
    }
    enum trop_status status =
        trop_case_write(check->counterexample, check->counterexample_path, check->claim->id);
    check->written = status == TROP_OK;
    return status;
}

static enum trop_status run(void *numbers, trop_progress *progress, void *context)
{
    struct trop_check *check = numbers;
    enum trop_status status = check->search.limit > 0 ? trop_check_search(check, progress, context)
                                                      : judge_all(check, progress, context);

    if (status == TROP_OK && check->search.limit > 0) {
        status = trop_check_spoils(check);
    }
    if (status == TROP_OK) {
        status = trop_check_shrink(check, progress, context);
    }
    if (status == TROP_OK) {
        status = trop_check_prove(check);
    }
    if (status == TROP_OK && check->repaired) {
        status = judge_all(check->repaired, progress, context);
    }
    if (status != TROP_OK && status != TROP_ERR_STOPPED) {
        return status;
    }
    const enum trop_status written =
        check->worked && !check->shrunk_text ? TROP_OK : write_counterexample(check);
    return status == TROP_OK ? written : status;
}

static void check_release(void *numbers)
{
    check_free(numbers);
}

static const char *notice(const void *numbers)
{
    return trop_outside_notice(((const struct trop_check *)numbers)->outside);
}

static const char *const answer[] = {
    "Verdict of {id}: {verdict}.", "{statement}",
    "All hypotheses were true on {applicable} of {attempted} instances that were judged; "
    "{violations} of them violate the claim.",
    "Tightest: {tightest.name}.", NULL
};

const struct trop_noun trop_check_noun = {
    .answer = answer,
    .endings = { ".json" },
    .check = check_files,
    .create = create,
    .free = check_release,
    .run = run,
    .notice = notice,
    .proofs = trop_check_proofs,
    .unproved = trop_check_unproved,
    .fields = trop_check_field_table,
};
