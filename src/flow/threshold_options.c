/* threshold_options.c -- the options of a search for consensus: defaults, table, check. They are
 * options of a flow, under the same names and in the same ranges, and width. */
#include "flow/threshold.h"

#include "base/option.h"
#include "base/status.h"
#include "kernel/kernel.h"
#include "shape/cloud_options.h"

struct trop_threshold_options trop_threshold_options_default(void)
{
    const struct trop_flow_options flow = trop_flow_options_default();

    return (struct trop_threshold_options){
        .cloud = flow.cloud,
        .width = 1e-6,
        .steps = flow.steps,
        .tolerance = flow.tolerance,
    };
}

#define AT(member) #member, offsetof(struct trop_threshold_options, member)
static const struct trop_option table[] = {
    TROP_CLOUD_TOKENS(trop_threshold_options),
    TROP_CLOUD_MASSES(trop_threshold_options),
    TROP_CLOUD_DRAWN(trop_threshold_options, "seed of the drawn tokens"),
    TROP_CLOUD_SCORES(trop_threshold_options),
    { AT(gamma), TROP_TYPE_SCHEDULE, 0, 1, 1, NULL,
      "step size, a constant (0.5 when nothing sets it)", NULL, NULL },
    { AT(alpha), TROP_TYPE_DOUBLE, 0, 1e300, 0, NULL, "sets gamma = alpha/(1+alpha); 0: not used",
      NULL, NULL },
    { AT(width), TROP_TYPE_DOUBLE, 0, 1, 0, NULL,
      "width of the bracket, relative to the smaller of complete and bound; 0: to the last bit",
      NULL, NULL },
    { AT(steps), TROP_TYPE_COUNT, 0, 0, 0, NULL, "steps of a run at most", NULL, NULL },
    { AT(tolerance), TROP_TYPE_DOUBLE, 0, 1, 0, NULL,
      "diameter that is a point, relative to the initial one", NULL, NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { AT(kernel), TROP_TYPE_CHOICE, 0, 0, 0, trop_kernel_name,
      "instruction set; never changes a result", NULL, NULL },
    { 0 },
};
#undef AT

const struct trop_option *trop_threshold_option_table(void)
{
    return table;
}

/* T4 and T12 are theorems for a constant step size. */
enum trop_status trop_threshold_check(const struct trop_threshold_options *o)
{
    enum trop_status status = trop_option_check(o, table);

    if (status == TROP_OK && o->gamma.kind != TROP_SCHEDULE_UNSET &&
        o->gamma.kind != TROP_SCHEDULE_CONSTANT) {
        return trop_fail(TROP_ERR_ARG, "gamma: varies with the step, must be a constant here");
    }
    return status;
}
