/* solution.c -- max-margin solutions that trained weights are compared with. */
#include "learn/solution.h"

#include "margin/margin.h"

#include <string.h>

/* Next-token data have the problem of their graph, whatever the model. */
static int64_t model_of(const struct trop_data *data, int64_t model)
{
    if (!data->x) {
        return TROP_MODEL_GRAPH;
    }
    switch ((enum trop_train_model)model) {
    case TROP_TRAIN_PROMPT:
        return TROP_MODEL_PROMPT;
    case TROP_TRAIN_SEQUENCE:
        return TROP_MODEL_SEQUENCE;
    case TROP_TRAIN_SELF:
        return TROP_MODEL_SELF;
    case TROP_TRAIN_JOINT:
        return data->z ? TROP_MODEL_CROSS : TROP_MODEL_PROMPT;
    case TROP_TRAIN_KQ:
        return data->z ? TROP_MODEL_CROSS : TROP_MODEL_SELF;
    case TROP_TRAIN_CROSS:
    case TROP_TRAIN_AUTO:
        break;
    }
    return TROP_MODEL_CROSS;
}

struct trop_data trop_solution_data(const struct trop_data *data, int64_t model)
{
    struct trop_data seen = *data;

    if (model == TROP_TRAIN_SEQUENCE && seen.queries != seen.T) {
        seen.z = NULL;
    }
    return seen;
}

struct trop_margin_options trop_solution_options(const struct trop_data *data, int64_t model,
                                                 int64_t mask, int64_t row, int64_t threads)
{
    struct trop_margin_options o = trop_margin_options_default();

    o.data = data;
    o.model = model_of(data, model);
    /* Where they say nothing a max-margin problem refuses them. */
    o.mask = o.model == TROP_MODEL_SEQUENCE ? mask : TROP_MASK_FULL;
    o.row = o.model == TROP_MODEL_SELF ? row : 0;
    o.threads = threads;
    return o;
}

enum trop_status trop_solution_make(struct trop_margin **out,
                                    const struct trop_margin_options *options, const int64_t *alpha,
                                    int tied, trop_progress *progress, void *context)
{
    struct trop_value outcome = { 0 };

    trop_margin_free(*out);
    *out = NULL;
    enum trop_status status = trop_margin_create_for(out, options, alpha, tied);
    if (status == TROP_OK) {
        status = trop_margin_run(*out, progress, context);
    }
    if (*out) {
        trop_margin_value(&outcome, *out, "outcome");
    }
    if (status != TROP_OK || strcmp(outcome.text, "solved") != 0) {
        trop_margin_free(*out);
        *out = NULL;
    }
    return status == TROP_ERR_STOPPED || status == TROP_ERR_UNSUPPORTED ? TROP_OK : status;
}
