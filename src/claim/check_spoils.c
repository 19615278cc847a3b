/* check_spoils.c -- whether a check could have said otherwise: the spoils of a claim of one's own.
 *
 * A check that says holds of anything is worth nothing. So each spoil of the claim is done to
 * instances on which it holds, the first that were drawn, until it is caught: the conclusion is
 * violated or, of a spoil that breaks a hypothesis, that one fails and it alone. A check that
 * catches no spoil of its conclusion, and finds no violation either, is untested. Those of the
 * papers' claims are tried by tests/claim/test_claims.c.
 */
#include "claim/check.h"

#include "base/alloc.h"
#include "base/status.h"
#include "claim/edit.h"

#include <stdio.h>
#include <string.h>

/* An instance on which the claim holds, before its work and after. */
struct fine {
    struct trop_case *drawn, *worked;
};

static void fine_free(struct fine *fine)
{
    trop_case_free(fine->drawn);
    trop_case_free(fine->worked);
    *fine = (struct fine){ 0 };
}

static enum trop_status fine_make(struct fine *fine, const struct trop_check *check, int64_t trial)
{
    enum trop_status status = trop_case_copy(&fine->drawn, check->given);

    if (status == TROP_OK) {
        fine->drawn->trial = trial;
        fine->drawn->progress = check->progress;
        fine->drawn->context = check->context;
        status = trop_claim_draw(check->claim, fine->drawn);
    }
    if (status == TROP_OK) {
        status = trop_case_copy(&fine->worked, fine->drawn);
    }
    if (status == TROP_OK) {
        fine->worked->trial = trial;
        status = trop_claim_work(check->claim, fine->worked);
    }
    return status;
}

static const struct trop_hypothesis *hypothesis_of(const struct trop_claim *claim,
                                                   const struct trop_spoil *spoil)
{
    for (const struct trop_hypothesis *h = claim->hypotheses; h && h->name && spoil->hypothesis;
         h++) {
        if (strcmp(h->name, spoil->hypothesis) == 0) {
            return h;
        }
    }
    return NULL;
}

/* What became of an instance that was spoilt: caught, or why not. */
static void tell(struct trop_check_spoil *s, const struct trop_hypothesis *broken,
                 const struct trop_trial *trial)
{
    s->caught = broken ? trial->verdict == TROP_VERDICT_HYPOTHESIS &&
                             trial->hypotheses_failing == 1 && trial->hypothesis == broken
                       : trial->verdict == TROP_VERDICT_VIOLATED;
    if (s->caught) {
        s->reason[0] = '\0';
    } else if (trial->hypothesis && trial->hypothesis != broken) {
        snprintf(s->reason, sizeof s->reason, "leaves %.100s", trial->hypothesis->name);
    } else if (broken) {
        snprintf(s->reason, sizeof s->reason, "%.100s is %s", broken->name,
                 trial->hypotheses_failing > 1 ? "not the only one that fails"
                 : trial->hypothesis           ? "open"
                                               : "still true");
    } else {
        snprintf(s->reason, sizeof s->reason, "the conclusion is %s",
                 trial->verdict == TROP_VERDICT_OPEN ? "open" : "not violated");
    }
}

/* What does not fit this instance, an element that it has not or an option that the library
 * refuses, is a reason like others; only what the machine lacks ends the check. */
static enum trop_status try_one(struct trop_check *check, struct trop_check_spoil *s,
                                const struct fine *fine)
{
    const struct trop_hypothesis *broken = hypothesis_of(check->claim, &s->spoil);
    const int is_early = broken && !broken->late;
    struct trop_trial trial = { 0 };
    struct trop_case *c = NULL;
    enum trop_status status = trop_case_copy(&c, is_early ? fine->drawn : fine->worked);

    if (status != TROP_OK) {
        return status;
    }
    c->trial = fine->drawn->trial;
    status = trop_edit(c, check->claim, s->spoil.edit);
    if (status == TROP_OK) {
        status = trop_trial_run(&trial, check->claim, c, !is_early);
    }
    s->tried++;
    if (status == TROP_OK) {
        tell(s, broken, &trial);
        s->trial = s->caught ? c->trial : -1;
    } else {
        snprintf(s->reason, sizeof s->reason, "%.250s", trop_error());
    }
    trop_trial_free(&trial);
    trop_case_free(c);
    return status == TROP_ERR_MEMORY || status == TROP_ERR_STOPPED ? status : TROP_OK;
}

static enum trop_status make(struct trop_check *check)
{
    struct trop_spoil spoil;
    int64_t count = 0;

    while (trop_claim_spoil(&spoil, check->claim, count)) {
        count++;
    }
    check->spoils = trop_alloc(count, sizeof *check->spoils);
    if (!check->spoils) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the spoils of %s", check->claim->id);
    }
    check->spoil_count = count;
    for (int64_t k = 0; k < count; k++) {
        struct trop_check_spoil *s = check->spoils + k;
        trop_claim_spoil(&s->spoil, check->claim, k);
        s->trial = -1;
        snprintf(s->reason, sizeof s->reason, "no instance to try it on");
    }
    return TROP_OK;
}

static enum trop_status try_all(struct trop_check *check, int64_t trial)
{
    struct fine fine = { 0 };
    enum trop_status status = TROP_OK;
    int64_t left = 0;

    for (int64_t k = 0; k < check->spoil_count; k++) {
        left += !check->spoils[k].caught;
    }
    if (left == 0) {
        return TROP_OK;
    }
    status = fine_make(&fine, check, trial);
    for (int64_t k = 0; k < check->spoil_count && status == TROP_OK; k++) {
        if (!check->spoils[k].caught) {
            status = try_one(check, check->spoils + k, &fine);
        }
        if (status == TROP_OK && check->progress &&
            check->progress(check->context, check->applicable, check->trials)) {
            status = trop_fail(TROP_ERR_STOPPED, "%s: stopped before every spoil was tried",
                               check->claim->id);
        }
    }
    fine_free(&fine);
    return status;
}

/* After a search, which draws none in their order: those of the first 3 TROP_CHECK_FINE. */
static enum trop_status find_fine(struct trop_check *check)
{
    enum trop_status status = TROP_OK;

    for (int64_t k = 0; k < 3 * TROP_CHECK_FINE && check->fine_count < TROP_CHECK_FINE; k++) {
        struct trop_trial trial = { 0 };
        struct fine fine = { 0 };
        status = fine_make(&fine, check, k);
        if (status == TROP_OK) {
            status = trop_trial_run(&trial, check->claim, fine.worked, 1);
        }
        if (status == TROP_OK && trial.verdict == TROP_VERDICT_HOLDS) {
            check->fine[check->fine_count++] = k;
        }
        trop_trial_free(&trial);
        fine_free(&fine);
        if (status != TROP_OK) {
            return status;
        }
    }
    return TROP_OK;
}

enum trop_status trop_check_spoils(struct trop_check *check)
{
    int64_t of_conclusion = 0;

    if (trop_claim_find(check->claim->id) || check->single) {
        return TROP_OK;
    }
    enum trop_status status = make(check);
    if (status == TROP_OK && check->search.limit > 0) {
        status = find_fine(check);
    }
    for (int64_t k = 0; k < check->fine_count && status == TROP_OK; k++) {
        status = try_all(check, check->fine[k]);
    }
    for (int64_t k = 0; k < check->spoil_count; k++) {
        check->caught += check->spoils[k].caught;
        of_conclusion += check->spoils[k].caught && !check->spoils[k].spoil.hypothesis;
    }
    check->untested = status != TROP_OK ? -1 : of_conclusion == 0 && check->violated == 0;
    return status;
}
