/* check_shrink.c -- the counterexample of a check, made small. */
#include "claim/check.h"

#include "claim/edit.h"

#define EVALUATIONS 4000

enum trop_status trop_check_shrink(struct trop_check *check, trop_progress *progress, void *context)
{
    const struct trop_shrink_limits limits = { EVALUATIONS, progress, context };
    struct trop_case *small = NULL;

    if (!check->shrink || !check->counterexample || !trop_shrink_applies(check->claim)) {
        return TROP_OK;
    }
    check->counterexample->threads = check->threads;
    enum trop_status status =
        trop_shrink(&small, &check->shrunk, check->claim, check->counterexample, &limits);
    if (status == TROP_ERR_ARG && !check->worked) {
        return TROP_OK; /* it hangs on random numbers that are not entries: it stays as it is */
    }
    if (status != TROP_OK) {
        return status;
    }
    trop_case_free(check->counterexample);
    check->counterexample = small;
    check->first.line = check->shrunk.line;
    return trop_edit_text(&check->shrunk_text, check->claim, small);
}
