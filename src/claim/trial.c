/* trial.c -- one instance from its draw to its verdict. */
#include "claim/claim.h"

#include <string.h>

void trop_trial_free(struct trop_trial *trial)
{
    trop_judge_free(&trial->judge);
}

/* Judges the hypotheses that are late, or those that are not. The first one that fails is the
 * reason, and else the first that is open. */
static enum trop_status judge_hypotheses(struct trop_trial *trial, const struct trop_claim *claim,
                                         struct trop_case *c, int late)
{
    enum trop_status status = TROP_OK;

    for (const struct trop_hypothesis *h = claim->hypotheses; h && h->name && status == TROP_OK;
         h++) {
        struct trop_judge judge = { .side = TROP_JUDGE_HYPOTHESIS };
        if (h->late != late) {
            continue;
        }
        status = trop_claim_assume(h, &judge, c);
        const int64_t verdict = trop_judge_verdict(&judge);
        const int is_false = verdict == TROP_JUDGE_FALSE;
        trial->hypotheses_failing += is_false;
        if (verdict != TROP_JUDGE_TRUE &&
            (!trial->hypothesis || (is_false && trial->hypotheses_failing == 1))) {
            trial->hypothesis = h;
            trial->reason = judge.first;
        }
        trop_judge_free(&judge);
    }
    return status;
}

static void settle_hypothesis(struct trop_trial *trial)
{
    trial->verdict = trial->hypotheses_failing > 0 ? TROP_VERDICT_HYPOTHESIS : TROP_VERDICT_OPEN;
}

static enum trop_status conclude(struct trop_trial *trial, const struct trop_claim *claim,
                                 struct trop_case *c)
{
    trial->judge.side = TROP_JUDGE_CONCLUSION;
    enum trop_status status = trop_claim_conclude(claim, &trial->judge, c);
    const int64_t verdict = trop_judge_verdict(&trial->judge);

    trial->verdict = verdict == TROP_JUDGE_FALSE  ? TROP_VERDICT_VIOLATED
                     : verdict == TROP_JUDGE_TRUE ? TROP_VERDICT_HOLDS
                                                  : TROP_VERDICT_OPEN;
    return status;
}

enum trop_status trop_trial_run(struct trop_trial *trial, const struct trop_claim *claim,
                                struct trop_case *c, int worked)
{
    enum trop_status status = judge_hypotheses(trial, claim, c, 0);

    if (status == TROP_OK && !worked && !trial->hypothesis) {
        status = trop_claim_work(claim, c);
    }
    if (status == TROP_OK && (worked || !trial->hypothesis)) {
        status = judge_hypotheses(trial, claim, c, 1);
    }
    if (status != TROP_OK) {
        return status;
    }
    if (trial->hypothesis) {
        settle_hypothesis(trial);
        return TROP_OK;
    }
    return conclude(trial, claim, c);
}
