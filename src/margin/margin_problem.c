/* margin_problem.c -- the constraints that belong to one selection of tokens. */
#include "margin/margin.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <string.h>

struct trop_margin_settings trop_margin_settings_of(const struct trop_margin *margin,
                                                    trop_progress *progress, void *context)
{
    const struct trop_margin_options *o = &margin->options;

    return (struct trop_margin_settings){
        .norm = o->norm,
        .p = o->p,
        .tolerance = o->tolerance,
        .iterations = o->iterations,
        .threads = o->threads > 0 ? o->threads : trop_parallel_cores(),
        .progress = progress,
        .context = context,
    };
}

/* ---- several tokens that may win (ATT-SVM', P1 appendix D) --------------------------------- */

/* Any of the picked tokens may win, so none of them has to lose: their constraints go. The arrays
 * belong to made, which alone points to them. */
static void drop_picked(struct trop_model_problem *made, const struct trop_picks *picks)
{
    struct trop_problem *problem = &made->problem;
    int64_t *const columns[] = { (int64_t *)problem->plus,  (int64_t *)problem->minus,
                                 (int64_t *)problem->asked, (int64_t *)problem->equal,
                                 (int64_t *)problem->input, (int64_t *)problem->token };
    double *right = (double *)problem->right;
    int64_t kept = 0;

    for (int64_t j = 0; j < problem->count; j++) {
        int64_t at = picks->first[problem->input[j]];
        const int64_t last = picks->first[problem->input[j] + 1];
        while (at < last && picks->token[at] != problem->token[j]) {
            at++;
        }
        if (at < last) {
            continue;
        }
        for (size_t k = 0; k < sizeof columns / sizeof columns[0]; k++) {
            columns[k][kept] = columns[k][j];
        }
        right[kept++] = right[j];
    }
    problem->count = kept;
}

/* ---- the problem ---------------------------------------------------------------------------- */

enum trop_status trop_margin_problem_of(struct trop_model_problem *out,
                                        const struct trop_margin *margin, const int64_t *alpha)
{
    const struct trop_model_choice choice = {
        .model = margin->model,
        .mask = margin->options.mask,
        .row = margin->options.row,
        .select = alpha,
        .relaxed = margin->relaxed,
        .weights = margin->weights,
        .whole = 1,
    };
    enum trop_status status = trop_model_build(out, &margin->data.data, &choice);

    /* A label problem asks for the picked token itself; there is nothing to drop. */
    const int has_choice =
        margin->picks.inputs > 0 && margin->picks.first[margin->inputs] > margin->inputs;
    if (status == TROP_OK && has_choice && margin->model != TROP_MODEL_LABEL) {
        drop_picked(out, &margin->picks);
    }
    return status;
}
