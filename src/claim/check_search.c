/* check_search.c -- a check that attacks its claim instead of sampling it. */
#include "claim/check.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

enum trop_status trop_check_search_ask(struct trop_check *check, struct trop_setup *setup)
{
    const struct trop_check_options *o = trop_setup_check(setup);

    if (o->search == 0) {
        return TROP_OK;
    }
    check->search.limit = o->search;
    check->search.most = o->restarts;
    return trop_search_check(check->claim);
}

/* The nearest line of each name. */
static enum trop_status take_evidence(struct trop_check *check)
{
    const struct trop_search *search = &check->search;

    check->evidence = trop_alloc(search->evidence_count, sizeof *check->evidence);
    if (!check->evidence) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for what a check measures");
    }
    check->evidence_count = check->evidence_capacity = search->evidence_count;
    for (int64_t k = 0; k < search->evidence_count; k++) {
        const struct trop_search_line *from = search->evidence + k;
        check->evidence[k] = (struct trop_check_line){ from->line, from->trial };
        if (strcmp(from->line.name, search->best.line.name) == 0) {
            check->tightest = check->evidence + k;
        }
    }
    return TROP_OK;
}

/* Judges what was found as a file of it will be, from the entries alone. */
static enum trop_status judge_again(struct trop_check *check)
{
    struct trop_search *search = &check->search;
    struct trop_trial trial = { 0 };
    struct trop_case *c = NULL;
    enum trop_status status = trop_case_copy(&c, search->nearest);

    if (status == TROP_OK) {
        status = trop_trial_run(&trial, check->claim, c, 1);
    }
    search->refuted = status == TROP_OK && trial.verdict == TROP_VERDICT_VIOLATED;
    if (search->refuted) {
        check->violated = 1;
        check->first = (struct trop_check_line){ search->best.line, search->best.trial };
        check->counterexample = search->nearest;
        search->nearest = NULL;
    }
    trop_trial_free(&trial);
    trop_case_free(c);
    return status;
}

enum trop_status trop_check_search(struct trop_check *check, trop_progress *progress, void *context)
{
    struct trop_search *search = &check->search;

    search->claim = check->claim;
    search->given = check->given;
    search->threads = check->threads;
    search->progress = progress;
    search->context = context;
    const enum trop_status ran = trop_search_run(search);
    if (ran != TROP_OK && ran != TROP_ERR_STOPPED) {
        return ran;
    }
    check->attempted = search->evaluations;
    check->applicable = search->applicable;
    trop_search_describe(check->instance, sizeof check->instance, check->claim, search->nearest);
    enum trop_status status = search->refuted ? judge_again(check) : TROP_OK;
    if (status == TROP_OK) {
        status = take_evidence(check);
    }
    /* What is violated by less than a refutation asks for is neither. */
    check->verdict = search->refuted ? TROP_VERDICT_VIOLATED
                     : search->applicable >= check->trials && search->best.ratio <= 1
                         ? TROP_VERDICT_HOLDS
                         : TROP_VERDICT_OPEN;
    return status == TROP_OK && ran != TROP_OK
               ? trop_fail(ran, "%s: stopped after %lld instances", check->claim->id,
                           (long long)search->evaluations)
               : status;
}
