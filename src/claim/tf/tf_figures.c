/* tf_figures.c -- what the figures of "Transformers as Support Vector Machines" share. */
#include "claim/tf/tf_figures.h"

#include "base/status.h"
#include "claim/tokens.h"

enum trop_status trop_tf_figures_enough(struct trop_judge *judge, const struct trop_case *c)
{
    trop_judge_at_least(judge, "runs", -1, trop_case_number(c, "runs"), 5, 0);
    return TROP_OK;
}

enum trop_status trop_tf_figures_few(struct trop_case *c)
{
    return trop_case_put(c, "runs", 1);
}

enum trop_status trop_tf_figures_sizes(struct trop_case *c, const double runs[3],
                                       const double dims[3])
{
    enum trop_status status = trop_tokens_count(c, "runs", runs[c->effort], 1, 1e6);

    return status == TROP_OK
               ? trop_tokens_count(c, "dims", dims[c->effort], 1, dims[TROP_CASE_FULL])
               : status;
}

enum trop_status trop_tf_figures_status(const struct trop_tf_runs_result *results, int64_t runs)
{
    for (int64_t k = 0; k < runs; k++) {
        if (results[k].status != TROP_OK) {
            return trop_fail((enum trop_status)results[k].status, "run %lld: %s", (long long)k,
                             "training or its max-margin problem failed");
        }
    }
    return TROP_OK;
}

const struct trop_input trop_tf_figures_inputs[] = {
    { "runs", "", "of each size" },
    { "dims", "", "how many of the figure's sizes are taken" },
    { 0 },
};
