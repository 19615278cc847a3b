/* flow_method.c -- how a step of attention is computed: every pair, the hull, or a tree.
 *
 *   direct  every pair of tokens (attend_rows.c)
 *   rows    the same, but every row by itself: no softmax by pairs (attend_pairs.c)
 *   hull    hardmax: the tokens that can be maximal (shape/shortlist.c), by cells of directions
 *           or where those are too many by boxes (attend/tree/tree_top.c); the same bits
 *   tree    softmax and localmax in up to six dimensions: boxes of tokens, with a proved
 *           bound of the error of every average (the rule's tree: attend/rule.h)
 *
 * auto picks from the tokens alone, for hardmax at every step and for trees at steps 0, 1, 3,
 * 7, ...: neither the clock nor the number of workers has a part in it, so a run gives the same
 * bits however it is cut. Margins are differences from the second best point, which neither hull
 * nor tree looks for: a step that needs them is direct. A tree that cannot promise the accuracy
 * refuses, and auto is direct then, as it is for every rule, mask and dimension that has no other
 * method.
 */
#include "flow/flow.h"

#include "shape/shortlist.h"

#include <math.h>

#define MANY 16384 /* tokens, from which on auto asks what a tree would cost */
#define WORTH 0.5  /* of the cost of the direct method, below which a tree is taken */

void trop_flow_method_free(struct trop_flow *f)
{
    trop_shortlist_free(f->engines.shortlist);
    if (f->engines.tree) {
        f->rule->tree->free(f->engines.tree);
    }
}

static enum trop_status direct(struct trop_flow *f, double *displacement, int margins)
{
    int alone = f->options.method == TROP_METHOD_ROWS;

    trop_attend_precision(f->engines.attend, f->options.precision == TROP_PRECISION_SINGLE);
    trop_attend_alone(f->engines.attend, alone);
    enum trop_status status =
        trop_attend_rows(displacement, f->seen.notes, f->engines.attend, margins);
    f->state.methods |= 1 << (alone ? TROP_METHOD_ROWS : TROP_METHOD_DIRECT);
    f->state.error = fmax(f->state.error, trop_attend_error(f->engines.attend));
    return status;
}

static enum trop_status hull(struct trop_flow *f, double *displacement)
{
    const struct trop_attend_list *list;
    int always = f->options.method == TROP_METHOD_HULL;
    enum trop_status status = TROP_OK;

    if (!f->engines.shortlist) {
        status = trop_shortlist_create(&f->engines.shortlist, f->n, f->d, f->workers, always);
    }
    if (status == TROP_OK) {
        /* Hulls are those of the keys: for hardmax, the tokens. */
        const struct trop_scene *scene = trop_attend_scene(f->engines.attend);
        status = trop_shortlist_update(&list, f->engines.shortlist, scene->keys, scene->n);
    }
    if (status != TROP_OK) {
        return status;
    }
    if (list->count < 0) {
        return direct(f, displacement, 0);
    }
    f->state.methods |= 1 << TROP_METHOD_HULL;
    return trop_attend_rows_listed(displacement, f->seen.notes, f->engines.attend, list);
}

/* ---- trees ----------------------------------------------------------------------------------- */

static enum trop_status grow(struct trop_flow *f)
{
    return f->engines.tree
               ? TROP_OK
               : f->rule->tree->create(&f->engines.tree, f->n, f->d, f->workers, f->kernel);
}

static enum trop_status tree(struct trop_flow *f, double *displacement)
{
    double accuracy = fmin(f->options.accuracy, 0.5); /* more would promise nothing */
    enum trop_status status = f->rule->tree->rows(displacement, f->seen.notes, f->engines.bounds,
                                                  f->engines.tree, f->engines.attend, accuracy);

    for (int64_t i = 0; i < f->state.live && status == TROP_OK; i++) {
        f->state.error = fmax(f->state.error, f->engines.bounds[i]);
    }
    f->state.methods |= status == TROP_OK ? 1 << TROP_METHOD_TREE : 0;
    return status;
}

/* ---- the choice ------------------------------------------------------------------------------ */

/* 1 when a tree costs well below the direct method. Counting what it would cost takes up to some
 * seconds for a million tokens: it is done at the first step, and again whenever the number of
 * steps has doubled. */
static int tree_pays(struct trop_flow *f)
{
    double cost;

    if (!f->rule->tree || f->d > TROP_FLOW_BOX_DIMENSION || f->state.live < MANY ||
        grow(f) != TROP_OK) {
        return 0;
    }
    if (f->state.step >= f->state.next_choice) {
        f->state.chosen = f->rule->tree->cost(&cost, f->engines.tree, f->engines.attend,
                                              f->options.accuracy) == TROP_OK &&
                          cost < WORTH * trop_attend_cost(f->engines.attend);
        f->state.next_choice = 2 * f->state.step + 1;
    }
    return f->state.chosen != 0;
}

enum trop_status trop_flow_attend(struct trop_flow *f, double *displacement, int margins)
{
    int64_t method = f->options.method;
    int plain = margins || f->options.mask != TROP_MASK_FULL ||
                f->options.precision == TROP_PRECISION_SINGLE;

    if (plain || method == TROP_METHOD_DIRECT || method == TROP_METHOD_ROWS) {
        return direct(f, displacement, margins);
    }
    if (method == TROP_METHOD_HULL) {
        return hull(f, displacement);
    }
    if (method == TROP_METHOD_AUTO) {
        if (f->rule->best_only && trop_shortlist_pays(f->state.live, f->d, 0)) {
            return hull(f, displacement);
        }
        if (tree_pays(f) && tree(f, displacement) == TROP_OK) {
            return TROP_OK;
        }
        return direct(f, displacement, 0);
    }
    enum trop_status status = grow(f);
    return status == TROP_OK ? tree(f, displacement) : status;
}
