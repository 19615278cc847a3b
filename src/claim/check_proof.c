/* check_proof.c -- the proof file of a counterexample (docs/proofs.md).
 *
 * A claim says in formulas what each of its counterexamples comes to in exact numbers, and its
 * function `show` makes the numbers that they are about: a cloud in the place of a step of a path,
 * a direction that separates. It is asked about what the library computes from the inputs, so an
 * instance from a file is worked out first, and it answers 0 where its bounds of rounding leave
 * open whether the formulas are true. Nothing is written then: the checker might refuse it.
 */
#include "claim/check.h"

#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define ROOM 12000 /* letters of all formulas of a claim */

/* ---- whether there is one ---- */

struct shown {
    const struct trop_claim *claim;
    int64_t step;
    int is_sure;
};

static void show(void *context, struct trop_case *c)
{
    struct shown *shown = context;

    shown->is_sure = !shown->claim->show || shown->claim->show(c, shown->step);
}

/* The counterexample as the library works it out; *step is that of its first violated line, and
 * *violated 0 where it is none. */
static enum trop_status work_out(struct trop_case **out, int64_t *step, int64_t *violated,
                                 const struct trop_check *check)
{
    struct trop_trial trial = { 0 };
    struct trop_case *c = NULL;
    enum trop_status status = trop_case_copy(&c, check->counterexample);

    *step = check->first.line.step;
    *violated = 1;
    if (status == TROP_OK && check->worked && trop_claim_has_work(check->claim)) {
        status = trop_trial_run(&trial, check->claim, c, 0);
        *violated = trial.verdict == TROP_VERDICT_VIOLATED;
        *step = trial.judge.first.step;
        trop_trial_free(&trial);
    }
    if (status != TROP_OK) {
        trop_case_free(c);
        return status;
    }
    *out = c;
    return TROP_OK;
}

enum trop_status trop_check_prove(struct trop_check *check)
{
    struct shown shown = { .claim = check->claim };
    struct trop_case *c = NULL;
    int64_t violated = 0;

    check->unshown = !check->counterexample ? "a check proves counterexamples alone, and found none"
                     : check->outside       ? "the claim has no formulas for a proof file"
                                            : "counterexamples of this claim are random runs, or "
                                              "limits of training, or hold up to rounding alone";
    if (!check->counterexample || !check->claim->shown) {
        return TROP_OK;
    }
    enum trop_status status = work_out(&c, &shown.step, &violated, check);
    if (status == TROP_OK && violated) {
        status = trop_case_part(c, show, &shown);
    }
    if (status == TROP_OK && violated && shown.is_sure) {
        check->shown = c;
        return TROP_OK;
    }
    trop_case_free(c);
    check->unshown = "rounding leaves open whether the counterexample is one in exact numbers";
    /* The check is done: what no numbers were found for has no file. */
    return status == TROP_ERR_MEMORY || status == TROP_ERR_STOPPED ? status : TROP_OK;
}

const char *trop_check_unproved(const void *numbers)
{
    return ((const struct trop_check *)numbers)->unshown;
}

/* ---- writing it ---- */

static int64_t counterexample_count(const struct trop_job *job)
{
    const struct trop_check *check = job->numbers;

    return check->shown != NULL;
}

static int is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* 1 when some formula has the name as a word, and not for a function. */
static int is_named(const char *const *formulas, const char *name)
{
    const size_t length = strlen(name);

    for (; *formulas; formulas++) {
        for (const char *at = *formulas; (at = strstr(at, name)) != NULL; at += length) {
            if ((at == *formulas || !is_letter(at[-1])) && !is_letter(at[length]) &&
                at[length] != '(') {
                return 1;
            }
        }
    }
    return 0;
}

static void put_entry(struct trop_proof *proof, const struct trop_case_entry *entry)
{
    const int64_t *shape = entry->shape;

    if (entry->rank == 0) {
        trop_proof_double(proof, entry->name, entry->values[0]);
    } else {
        trop_proof_doubles(proof, entry->name, entry->values,
                           entry->rank == 3 ? shape[0] * shape[1] : shape[0],
                           entry->rank == 1 ? -1 : shape[entry->rank - 1]);
    }
}

/* "B (2, 2), gamma, tokens (3, 2)" */
static void put_name(char out[ROOM], const struct trop_case_entry *entry)
{
    const size_t used = strlen(out);
    const int64_t *shape = entry->shape;
    char sizes[64] = "";

    if (entry->rank == 1) {
        snprintf(sizes, sizeof sizes, " (%lld)", (long long)shape[0]);
    } else if (entry->rank > 1) {
        snprintf(sizes, sizeof sizes, " (%lld, %lld)",
                 (long long)(entry->rank == 3 ? shape[0] * shape[1] : shape[0]),
                 (long long)shape[entry->rank - 1]);
    }
    snprintf(out + used, ROOM - used, "%s%s%s", used ? ", " : "", entry->name, sizes);
}

static enum trop_status counterexample_write(struct trop_proof *proof, const struct trop_job *job,
                                             int64_t k)
{
    const struct trop_check *check = job->numbers;
    const char *const *formulas = check->claim->shown;
    char names[ROOM] = "", all[ROOM] = "";
    int64_t count = 0;

    (void)k;
    for (; formulas[count]; count++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", count ? "; " : "", formulas[count]);
    }
    for (int64_t e = 0; e < check->shown->count; e++) {
        if (is_named(formulas, check->shown->entries[e].name)) {
            put_name(names, check->shown->entries + e);
        }
    }
    if (strlen(all) + 1 == sizeof all || strlen(names) + 1 == sizeof names) {
        return trop_fail(TROP_ERR_ARG, "proof: the formulas of %s are too long", check->claim->id);
    }
    trop_proof_says(proof, "With %s each of these holds: %s.", names, all);
    trop_proof_symbols(proof, "%s", formulas[count - 1]);
    trop_proof_object(proof, "numbers");
    for (int64_t e = 0; e < check->shown->count; e++) {
        if (is_named(formulas, check->shown->entries[e].name)) {
            put_entry(proof, check->shown->entries + e);
        }
    }
    trop_proof_object(proof, NULL);
    trop_proof_texts(proof, "formulas", formulas);
    trop_proof_witness(proof);
    return TROP_OK;
}

const struct trop_proof_kind trop_check_proofs[] = {
    { "counterexample", counterexample_count, counterexample_write, "violated" },
    { 0 },
};
