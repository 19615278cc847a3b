/* escape_options.c -- the options of an escape study: defaults, table, check. */
#include "flow/escape/escape.h"

#include "base/list.h"
#include "base/option.h"
#include "shape/cloud_options.h"

struct trop_escape_options trop_escape_options_default(void)
{
    return (struct trop_escape_options){
        .cloud = trop_cloud_options_default(),
        .beta = "2:10",
        .gamma = 0.1,
        .radius = 0.05,
        .runs = 1000,
        .near = TROP_ESCAPE_TAU,
        .shadow = TROP_ESCAPE_OFF,
        .tolerance = 1e-6,
        .moves = 1000000,
    };
}

static const char *const dynamics_names[] = { "chain", "flow", NULL };
static const char *const near_names[] = { "tau", NULL };
static const char *const shadow_names[] = { "off", NULL };

#define AT(member) #member, offsetof(struct trop_escape_options, member)
static const struct trop_option table[] = {
    TROP_CLOUD_TOKENS(trop_escape_options),
    TROP_CLOUD_DRAWN(trop_escape_options, "seed of the drawn tokens and of the runs"),
    TROP_CLOUD_SCORES(trop_escape_options),
    { AT(beta), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "inverse temperatures, separated by commas; from:to and from:to:step stand for several",
      "LIST", NULL },
    { AT(gamma), TROP_TYPE_DOUBLE, 0, 1, 1, NULL, "step size of the layer", NULL, NULL },
    { AT(radius), TROP_TYPE_DOUBLE, 0, 1e300, 1, NULL,
      "distance from the hull of its group at step 0 beyond which a token has left", NULL, NULL },
    { AT(runs), TROP_TYPE_INT64, 1, 1e7, 0, NULL, "number of runs of the chain at each beta", NULL,
      "dynamics=chain" },
    { AT(dynamics), TROP_TYPE_CHOICE, 0, 0, 0, dynamics_names,
      "the random chain, or its mean, the deterministic flow (one run)", NULL, NULL },
    { AT(near), TROP_TYPE_DOUBLE, 0, 1e300, 0, near_names,
      "distance from its vertex within which a token has arrived; tau: the distance of theorem 5.2",
      NULL, NULL },
    { AT(shadow), TROP_TYPE_DOUBLE, 0, 1e300, 1, shadow_names,
      "also finds how long the softmax flow stays within this distance of the hardmax flow",
      "DISTANCE", NULL },
    { AT(tolerance), TROP_TYPE_DOUBLE, 1e-10, 0.01, 0, NULL,
      "relative error of the flow's times; a group of the chain that is so narrow that its "
      "exponents agree to this is one point",
      NULL, NULL },
    { AT(moves), TROP_TYPE_INT64, 1, 1e15, 0, NULL,
      "largest number of changes (steps, skips, leaps) of a run; a run that reaches it ends "
      "without an exit",
      NULL, NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef AT

const struct trop_option *trop_escape_option_table(void)
{
    return table;
}

/* The tokens and B are checked by the cells, which have the same. */
enum trop_status trop_escape_check(const struct trop_escape_options *o)
{
    int64_t count;
    enum trop_status status = trop_option_check(o, table);

    return status == TROP_OK ? trop_list_read(NULL, &count, 0, "beta", o->beta) : status;
}
