/* copies_point.c -- what differs from copy to copy: seed, tokens, and numbers of the rule and step.
 *
 * Numbers come as an array with an entry for each copy, or as lists. Of lists the product is taken,
 * betas x epsilons x alphas x gammas, the last fastest, and at every point of it stand all copies
 * with their seeds and tokens.
 */
#include "flow/copies/copies.h"

#include "base/alloc.h"
#include "base/list.h"
#include "base/status.h"

#include <stddef.h>

#define AT(member) offsetof(struct trop_copies_options, member)
static const struct axis {
    const char *name, *list; /* the option of a flow, and the one that lists its values */
    double least, most;
    size_t values, texts;
} axes[TROP_COPIES_AXES] = {
    [TROP_COPIES_BETA] = { "beta", "betas", -1e300, 1e300, AT(beta), AT(betas) },
    [TROP_COPIES_EPSILON] = { "epsilon", "epsilons", 0, 1e300, AT(epsilon), AT(epsilons) },
    [TROP_COPIES_ALPHA] = { "alpha", "alphas", 0, 1e300, AT(alpha), AT(alphas) },
    [TROP_COPIES_GAMMA] = { "gamma", "gammas", 0, 1, AT(gamma), AT(gammas) },
};
#undef AT

static const double *values_of(const struct trop_copies_options *o, int a)
{
    return *(const double *const *)((const char *)o + axes[a].values);
}

static const char *list_of(const struct trop_copies_options *o, int a)
{
    return *(const char *const *)((const char *)o + axes[a].texts);
}

static int has(const struct trop_copies_options *o, int a)
{
    return values_of(o, a) || list_of(o, a);
}

/* ---- one copy -------------------------------------------------------------------------------- */

static struct trop_schedule constant(double value)
{
    return (struct trop_schedule){ .kind = TROP_SCHEDULE_CONSTANT, .a = value };
}

struct trop_flow_options trop_copies_options_of(const struct trop_copies *c, int64_t copy)
{
    struct trop_flow_options o = c->options;
    double *const *axis = c->axis;

    o.cloud.seed = c->seed ? c->seed[copy] : o.cloud.seed + (uint64_t)(copy % c->cycle);
    o.threads = 1;
    o.cloud.tokens = c->given ? c->given + copy % c->cycle * c->pace : NULL;
    if (axis[TROP_COPIES_BETA]) {
        o.beta = constant(axis[TROP_COPIES_BETA][copy]);
    }
    if (axis[TROP_COPIES_EPSILON]) {
        o.epsilon = constant(axis[TROP_COPIES_EPSILON][copy]);
    }
    if (axis[TROP_COPIES_ALPHA]) {
        o.alpha = axis[TROP_COPIES_ALPHA][copy];
    }
    if (axis[TROP_COPIES_GAMMA]) {
        o.gamma = constant(axis[TROP_COPIES_GAMMA][copy]);
    }
    return o;
}

/* ---- what is refused ------------------------------------------------------------------------- */

int trop_copies_applies(const struct trop_flow_options *o, int axis)
{
    const struct trop_rule *rule = trop_rule_at(o->rule);
    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);
    const int epsilon = rule && (rule->uses & TROP_RULE_USES_EPSILON);

    switch ((enum trop_copies_axis)axis) {
    case TROP_COPIES_BETA:
        return rule && ((rule->uses & TROP_RULE_USES_BETA) ||
                        (epsilon && o->form == TROP_FORM_PROBABILITY));
    case TROP_COPIES_EPSILON:
        return epsilon;
    case TROP_COPIES_ALPHA:
    case TROP_COPIES_GAMMA:
        return dynamics && dynamics->gamma;
    case TROP_COPIES_AXES:
        break;
    }
    return 0;
}

/* Which entry of an array is wrong; a visitor is told as the copy comes up. */
static enum trop_status check_entries(const struct trop_copies_options *o, int a)
{
    const double *values = o->visitor ? NULL : values_of(o, a);

    for (int64_t k = 0; values && k < o->copies; k++) {
        if (!(values[k] >= axes[a].least && values[k] <= axes[a].most)) {
            return trop_fail(TROP_ERR_ARG, "%s: entry %lld (from 0) is %g, must be from %g to %g",
                             axes[a].name, (long long)k, values[k], axes[a].least, axes[a].most);
        }
    }
    return TROP_OK;
}

enum trop_status trop_copies_axes_check(const struct trop_copies_options *o)
{
    enum trop_status status = TROP_OK;

    for (int a = 0; a < TROP_COPIES_AXES && status == TROP_OK; a++) {
        const struct axis *axis = axes + a;
        if (values_of(o, a) && list_of(o, a)) {
            return trop_fail(TROP_ERR_ARG, "%s and %s: give one of them", axis->name, axis->list);
        }
        if (list_of(o, a) && !trop_copies_applies(&o->flow, a)) {
            const int step = a == TROP_COPIES_ALPHA || a == TROP_COPIES_GAMMA;
            return trop_fail(
                TROP_ERR_ARG, "%s: %s = %s does not use %s", axis->list, step ? "dynamics" : "rule",
                step ? trop_dynamics_at(o->flow.dynamics)->name : trop_rule_at(o->flow.rule)->name,
                axis->name);
        }
        status = check_entries(o, a);
    }
    if (status != TROP_OK) {
        return status;
    }
    if (has(o, TROP_COPIES_ALPHA) && has(o, TROP_COPIES_GAMMA)) {
        return trop_fail(TROP_ERR_ARG,
                         "%s and %s: give one of them, alpha sets gamma = "
                         "alpha/(1+alpha)",
                         o->alphas ? "alphas" : "alpha", o->gammas ? "gammas" : "gamma");
    }
    if (o->seed && (o->betas || o->epsilons || o->alphas || o->gammas)) {
        return trop_fail(TROP_ERR_ARG, "seed: an entry for each copy goes with arrays of beta, "
                                       "epsilon, alpha and gamma, not with lists");
    }
    return TROP_OK;
}

enum trop_status trop_copies_axes_count(int64_t *out, const struct trop_copies_options *o)
{
    int64_t points = 1;

    for (int a = 0; a < TROP_COPIES_AXES; a++) {
        int64_t count = 1;
        enum trop_status status =
            list_of(o, a) ? trop_list_read(NULL, &count, 0, axes[a].list, list_of(o, a)) : TROP_OK;
        if (status != TROP_OK) {
            return status;
        }
        points = trop_alloc_product(points, count);
        if (points < 0) {
            return trop_fail(TROP_ERR_ARG, "%s: the product of the lists is too large",
                             axes[a].list);
        }
    }
    *out = points;
    return TROP_OK;
}

/* As the options of a flow are checked, and where lists are repeated only once for each point. */
enum trop_status trop_copies_axes_fit(const struct trop_copies *c,
                                      const struct trop_copies_options *o)
{
    enum trop_status status = TROP_OK;
    int lists = 0, any = 0;

    for (int a = 0; a < TROP_COPIES_AXES; a++) {
        lists |= list_of(o, a) != NULL;
        any |= c->axis[a] != NULL;
    }
    const int64_t stride =
        lists && !o->beta && !o->epsilon && !o->alpha && !o->gamma ? c->cycle : 1;
    for (int64_t k = 0; any && k < c->copies && status == TROP_OK; k += stride) {
        struct trop_flow_options one = trop_copies_options_of(c, k);
        one.cloud.tokens = NULL; /* they have been looked at */
        status = trop_flow_check(&one);
    }
    return status;
}

/* ---- adopted --------------------------------------------------------------------------------- */

/* The list of an axis, every value for so many copies at a time, over and over. */
static double *spread(const struct trop_copies *c, const char *name, const char *text, int64_t each)
{
    int64_t count = 0;
    double *out = trop_alloc(c->copies, sizeof *out), *list = NULL;
    int fine = out && trop_list_read(NULL, &count, 0, name, text) == TROP_OK;

    list = fine ? trop_alloc(count, sizeof *list) : NULL;
    fine = list && trop_list_read(list, &count, count, name, text) == TROP_OK;
    for (int64_t k = 0; fine && k < c->copies; k++) {
        out[k] = list[k / each % count];
    }
    trop_alloc_free(list);
    if (!fine) {
        trop_alloc_free(out);
        out = NULL;
    }
    return out;
}

int trop_copies_axes_adopt(struct trop_copies *c, const struct trop_copies_options *o)
{
    int64_t each = c->cycle;
    int fine = 1;

    for (int a = TROP_COPIES_AXES - 1; a >= 0 && fine; a--) {
        int64_t count = 1;
        if (!list_of(o, a)) {
            fine = trop_flow_copy(&c->axis[a], values_of(o, a), c->copies);
            continue;
        }
        c->axis[a] = spread(c, axes[a].list, list_of(o, a), each);
        fine =
            c->axis[a] && trop_list_read(NULL, &count, 0, axes[a].list, list_of(o, a)) == TROP_OK;
        each *= count;
    }
    if (fine && o->seed) {
        c->seed = trop_alloc(c->copies, sizeof *c->seed);
        fine = c->seed != NULL;
        for (int64_t k = 0; fine && k < c->copies; k++) {
            c->seed[k] = o->seed[k];
        }
    }
    return fine;
}
