/* tree_softmax.c -- one step of softmax attention through a tree: the handle and the call.
 *
 * Queries and keys are sorted into trees of boxes. Large boxes of queries, the units, are
 * shared among workers; each is walked down to its leaves (tree_softmax_walk.c), where rows
 * are summed up and their bounds with them (tree_softmax_leaf.c). What a unit does depends
 * on the data alone, so neither the number of workers nor who took which unit changes a bit.
 *
 * All weights are positive and every approximation is relative: exp(<q, x>) over a box of
 * queries and a box of keys is an exponential taken out exactly, times one whose exponent is
 * small, interpolated (tree_softmax_grid.c, tree_softmax_order.c). A row far from the heavy
 * tokens keeps its accuracy, because weights are scaled by its own maximum and dropped only
 * against its own sum (tree_softmax_box.c). Interpolation of a Gauss transform has an absolute
 * error and cannot do that.
 */
#include "attend/tree/tree_softmax_internal.h"

#include "attend/tree/tree_slab.h"
#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>

#define UNITS 16          /* about as many shares of work */
#define SMALL 1024        /* rows that are not split into units */
#define POOL (1 << 25)    /* numbers on the grids of one worker */
#define SAMPLE 16         /* units that a cost is counted on */
#define BRIEFLY 6e-11     /* accuracy for which short powers do: they take 1/14 of it */
#define COST_PAIR 0.45    /* of a pair, some brief and some faint */
#define COST_FAINT 0.25   /* of a pair in single precision */
#define COST_SPREAD 0.045 /* of a token onto a grid, for each number of the grid, in pairs */
#define COST_MERGE 0.045  /* of a grid onto another, for each number and node in a coordinate */
#define COST_READ 0.045   /* of a row off a grid, for each number */
#define COST_BOXES 20.0   /* of a pair of boxes looked at */
#define COST_ROW 1000.0   /* of a row's maximiser and notes, and its share of the trees */

/* ---- memory ---------------------------------------------------------------------------------- */

static void worker_free(struct trop_tree_softmax_worker *w)
{
    trop_tree_maximum_free(w->maximum);
    TROP_FREE(w->tied, w->list, w->entry, w->pool, w->work[0], w->work[1], w->work[2], w->x,
              w->charge, w->weight, w->token, w->sift, w->matrix);
}

static void tree_free(void *tree)
{
    struct trop_tree_softmax *s = tree;

    if (!s) {
        return;
    }
    for (int64_t k = 0; s->worker && k < s->workers; k++) {
        worker_free(s->worker + k);
    }
    worker_free(&s->trunk);
    trop_alloc_free(s->job);
    trop_tree_free(s->keys);
    trop_tree_free(s->own);
    TROP_FREE(s->parent, s->mass, s->heavy, s->charge, s->bounds, s->floors, s->unit, s->worker, s);
}

/* Numbers on grids, and entries on the smallest of these. */
static int64_t pool_room(int64_t n, int64_t d)
{
    int64_t room = 32 * n + (1 << 18);
    return d > TROP_KERNEL_TREE_GRID ? 0 : room > POOL ? POOL : room;
}

static int64_t entry_room(int64_t n, int64_t d)
{
    return pool_room(n, d) / trop_kernel_tree_size(d, trop_tree_softmax_orders[0].p);
}

static int worker_fill(struct trop_tree_softmax_worker *w, struct trop_tree_softmax *s)
{
    int64_t n = s->capacity, d = s->d;
    int64_t size = d > TROP_KERNEL_TREE_GRID ? 0 : trop_kernel_tree_size(d, TROP_KERNEL_TREE_ORDER);

    w->softmax = s;
    w->list_room = 4 * n + 1024;
    int64_t chunk = TROP_KERNEL_TREE_CHUNK, order = TROP_KERNEL_TREE_ORDER;
    return TROP_ALLOC(TROP_PART(w->tied, n), TROP_PART(w->list, w->list_room),
                      /* its own, behind those of the trunk */
                      TROP_PART(w->entry, 2 * entry_room(n, d)),
                      TROP_PART(w->pool, pool_room(n, d)), TROP_PART(w->work[0], size),
                      TROP_PART(w->work[1], size), TROP_PART(w->work[2], size),
                      TROP_PART(w->x, d * chunk), TROP_PART(w->charge, d * chunk),
                      TROP_PART(w->weight, chunk), TROP_PART(w->token, (2 + 2 * d) * chunk),
                      TROP_PART(w->sift, 1), TROP_PART(w->matrix, d * order * order)) &&
           trop_tree_maximum_create(&w->maximum, n, d) == TROP_OK;
}

static enum trop_status create(void **out, int64_t n, int64_t d, int64_t workers,
                               const struct trop_kernel *kernel)
{
    if (d > TROP_TREE_SOFTMAX_MOST) {
        return trop_fail(TROP_ERR_ARG, "d = %lld: softmax through a tree takes at most %d",
                         (long long)d, TROP_TREE_SOFTMAX_MOST);
    }
    struct trop_tree_softmax *s = trop_alloc(1, sizeof *s);
    int whole = s != NULL;
    if (s) {
        s->capacity = n;
        s->d = d;
        s->workers = workers;
        s->kernel = kernel;
        s->parent = trop_alloc(2 * n, sizeof *s->parent);
        s->heavy = trop_alloc(2 * n, sizeof *s->heavy);
        s->bounds = trop_alloc(n, sizeof *s->bounds);
        s->floors = trop_alloc(n, sizeof *s->floors);
        s->unit = trop_alloc(2 * n, sizeof *s->unit);
        s->worker = trop_alloc(workers, sizeof *s->worker);
        whole = s->parent && s->heavy && s->bounds && s->floors && s->unit && s->worker &&
                trop_tree_create(&s->keys, n, d) == TROP_OK &&
                trop_tree_slab_create(s->keys) == TROP_OK &&
                trop_tree_create(&s->own, n, d) == TROP_OK;
        if (whole) {
            s->mass = trop_alloc(s->keys->stride, sizeof *s->mass);
            s->charge = trop_alloc(trop_alloc_product(d, s->keys->stride), sizeof *s->charge);
            whole = s->mass && s->charge;
        }
        for (int64_t k = 0; whole && k < workers; k++) {
            whole = worker_fill(s->worker + k, s);
        }
        s->job = trop_alloc(entry_room(n, d), sizeof *s->job);
        whole = whole && s->job && worker_fill(&s->trunk, s);
    }
    if (!whole) {
        tree_free(s);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a tree of %lld tokens of dimension %lld",
                         (long long)n, (long long)d);
    }
    *out = s;
    return TROP_OK;
}

/* ---- a call ---------------------------------------------------------------------------------- */

static enum trop_status check(const struct trop_tree_softmax *s, const struct trop_scene *scene,
                              double accuracy)
{
    if (!(accuracy > 0 && accuracy < 1)) {
        return trop_fail(TROP_ERR_ARG, "accuracy = %g: must be above 0 and below 1", accuracy);
    }
    if (scene->d != s->d || scene->n > s->capacity) {
        return trop_fail(TROP_ERR_ARG, "%lld tokens of dimension %lld do not fit the tree",
                         (long long)scene->n, (long long)scene->d);
    }
    if (scene->numbers.rule->tree != &trop_tree_softmax_engine ||
        scene->numbers.mask != TROP_MASK_FULL) {
        return trop_fail(TROP_ERR_ARG, "a tree sums up rule = softmax, mask = full");
    }
    if (scene->scale_x || scene->scale_k || scene->scale_y) {
        return trop_fail(
            TROP_ERR_NUMERIC,
            "tokens of a size beyond 2^400 or below 2^-400: a tree does not take them");
    }
    return TROP_OK;
}

/* Masses and charges in the order of the keys, and the middle of their box. */
static void load_charges(struct trop_tree_softmax *s)
{
    const struct trop_tree *t = s->keys;

    s->total = 0;
    for (int64_t p = 0; p < t->n; p++) {
        s->mass[p] = s->scene->mass ? s->scene->mass[t->order[p]] : 1;
        s->total += s->mass[p];
    }
    for (int64_t c = 0; c < s->d; c++) {
        s->centre[c] = trop_tree_softmax_middle(t, 0, c);
        for (int64_t p = 0; p < t->n; p++) {
            s->charge[c * t->stride + p] = t->xt[c * t->stride + p] - s->centre[c];
        }
    }
    /* What a node weighs: its children come after it. */
    for (int64_t k = t->count - 1; k >= 0; k--) {
        const struct trop_tree_node *node = t->node + k;
        s->heavy[k] = 0;
        for (int64_t p = node->first; p < node->last && node->child == 0; p++) {
            s->heavy[k] += s->mass[p];
        }
        if (node->child) {
            s->parent[node->child] = k;
            s->parent[node->child + 1] = k;
            s->heavy[k] = (s->heavy[node->child] + s->heavy[node->child + 1]) * (1 + 0x1p-40);
        }
    }
    /* Whether single precision will do for the masses, and the scale of it for differences of keys.
     * Zeros and numbers beyond the range do no harm there, but small masses would be lost. */
    double side = 0;
    int power;
    for (int64_t p = 0; p < s->keys->n; p++) {
        s->blur = s->mass[p] >= 0x1p-20 && s->mass[p] <= 0x1p20 ? s->blur : 0;
    }
    for (int64_t c = 0; c < s->d; c++) {
        double wide = s->keys->high[c] - s->keys->low[c];
        side = wide > side ? wide : side;
    }
    (void)frexp(side, &power);
    s->shrink = ldexp(1, -power);
}

/* What may take which part of the accuracy:
 *
 *                                 loose   tight, below BRIEFLY
 *   left out                      3/8     1/8     2 (4 share): a part by the cut, three by the way
 *   numbers on grids              7/16    1/2
 *   single precision              1/8     none
 *   short powers, and rounding    1/16    3/8
 *
 * Rounding is nothing beside a loose accuracy, and most of a tight one. What it will be about is
 * that of sums and of logits at the ends of the boxes (tree_softmax_leaf.c). */
static double rounding(const struct trop_tree_softmax *s)
{
    double sum = 1100;

    for (int64_t c = 0; c < s->d; c++) {
        double low = fabs(s->queries->low[c]), high = fabs(s->queries->high[c]);
        double q = s->scene->numbers.beta * (low > high ? low : high);
        sum += 2 * (double)(s->d + 5) * q * (s->keys->high[c] - s->keys->low[c]);
    }
    return sum * TROP_TREE_SOFTMAX_UNIT;
}

static enum trop_status prepare(struct trop_tree_softmax *s, struct trop_attend *attend,
                                double accuracy)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    enum trop_status status = check(s, scene, accuracy);

    if (status != TROP_OK) {
        return status;
    }
    s->attend = attend;
    s->scene = scene;
    s->accuracy = accuracy;
    trop_tree_build(s->keys, scene->keys, scene->n, s->workers);
    trop_tree_slab_build(s->keys, s->workers);
    s->queries = s->keys;
    if (scene->y != scene->keys) {
        trop_tree_build(s->own, scene->y, scene->n, s->workers);
        s->queries = s->own;
    }
    int loose = s->accuracy >= BRIEFLY && s->accuracy >= 16 * rounding(s);
    s->share = (loose ? 3.0 / 64 : 1.0 / 64) * s->accuracy;
    s->grids = (loose ? 7.0 / 16 : 1.0 / 2) * s->accuracy;
    s->blur = loose ? s->accuracy / 16 : 0;
    s->brief = loose ? TROP_KERNEL_TREE_BRIEF : 0;
    load_charges(s);
    /* The largest nodes of at most n / UNITS rows. */
    const struct trop_tree *t = s->queries;
    int64_t most = t->n / UNITS > SMALL ? t->n / UNITS : SMALL, depth = 0;
    int64_t *stack = s->worker[0].maximum->stack;
    s->units = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int64_t k = stack[--depth];
        if (t->node[k].child == 0 || t->node[k].last - t->node[k].first <= most) {
            s->unit[s->units++] = k;
        } else {
            stack[depth++] = t->node[k].child + 1;
            stack[depth++] = t->node[k].child;
        }
    }
    s->order = NULL;
    s->size = 0;
    if (s->d <= TROP_KERNEL_TREE_GRID) {
        s->order = trop_tree_softmax_orders;
        while (s->order[1].p > 0 && !trop_tree_softmax_grid_lasts(s)) {
            s->order++;
        }
        s->size = trop_kernel_tree_size(s->d, s->order->p);
        trop_tree_softmax_order_nodes(s->node, s->scale, s->order->p);
    }
    s->trunk.entry_room = s->size ? pool_room(s->capacity, s->d) / s->size : 0;
    for (int64_t k = 0; k < s->workers; k++) {
        s->worker[k].entry_room = s->trunk.entry_room;
    }
    s->cost_pair = s->brief > 0 ? COST_PAIR : 1;
    s->cost_read = COST_READ * (double)s->size;
    s->cost_move = s->order ? COST_MERGE * (double)(s->size * s->order->p * s->d) : 0;
    s->cost_quarters = s->cost_move * (double)(1 << 2 * s->d);
    return TROP_OK;
}

static void work(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_tree_softmax *s = context;
    int64_t k;

    (void)first;
    (void)last;
    while ((k = (int64_t)atomic_fetch_add(&s->next, 1) * s->every) < s->units) {
        trop_tree_softmax_walk(s->worker + worker, s->unit[k]);
    }
}

static void fill_root(void *context, int64_t first, int64_t last, int64_t worker)
{
    struct trop_tree_softmax *s = context;
    int64_t k;

    (void)first;
    (void)last;
    while ((k = (int64_t)atomic_fetch_add(&s->next, 1)) < s->jobs) {
        trop_tree_softmax_walk_job(s->worker + worker, k);
    }
}

static void add_up(struct trop_tree_softmax *s)
{
    struct trop_tree_softmax_work *sum = &s->work;
    double size = (double)s->size, order = s->order ? (double)s->order->p : 0;

    *sum = (struct trop_tree_softmax_work){ 0 };
    /* Whole numbers: their sum has no order. */
    for (int64_t k = 0; k < s->workers; k++) {
        const struct trop_tree_softmax_work *part = &s->worker[k].work_done;
        sum->direct += part->direct;
        sum->faint += part->faint;
        sum->spread += part->spread;
        sum->merged += part->merged;
        sum->read += part->read;
        sum->pruned += part->pruned;
        sum->kept += part->kept;
    }
    sum->cost = sum->direct + COST_FAINT * sum->faint + COST_SPREAD * size * sum->spread +
                COST_MERGE * size * order * (double)s->d * sum->merged +
                COST_READ * size * sum->read + COST_BOXES * (sum->kept + sum->pruned);
}

/* The root's grids, then the units. */
static void run(struct trop_tree_softmax *s)
{
    for (int64_t k = 0; k < s->workers; k++) {
        s->worker[k].work_done = (struct trop_tree_softmax_work){ 0 };
        s->worker[k].from.radius[0] = -1; /* no matrix yet */
    }
    trop_tree_softmax_walk_root(s);
    atomic_store(&s->next, 0);
    trop_parallel(s->workers, s->workers, fill_root, s);
    add_up(s);
    s->root_cost = s->work.cost;
    atomic_store(&s->next, 0);
    trop_parallel(s->workers, s->workers, work, s);
    add_up(s);
}

static enum trop_status cost_of(double *cost, void *tree, struct trop_attend *attend,
                                double accuracy)
{
    struct trop_tree_softmax *s = tree;
    enum trop_status status = prepare(s, attend, accuracy);

    if (status != TROP_OK) {
        return status;
    }
    s->dry = 1;
    s->every = s->units > SAMPLE ? s->units / SAMPLE : 1;
    run(s);
    int64_t done = (s->units + s->every - 1) / s->every;
    *cost = s->root_cost + (s->work.cost - s->root_cost) * (double)s->units / (double)done +
            COST_ROW * (double)s->scene->n;
    return TROP_OK;
}

static enum trop_status rows(double *displacement, struct trop_attend_note *notes, double *bounds,
                             void *tree, struct trop_attend *attend, double accuracy)
{
    struct trop_tree_softmax *s = tree;
    enum trop_status status = prepare(s, attend, accuracy);
    int64_t worst = 0;

    if (status != TROP_OK) {
        return status;
    }
    s->displacement = displacement;
    s->notes = notes;
    s->dry = 0;
    s->every = 1;
    run(s);
    s->work.cost += COST_ROW * (double)s->scene->n;
    for (int64_t i = 0; i < s->scene->n; i++) {
        worst = s->bounds[i] <= s->bounds[worst] ? worst : i; /* NaN is the worst */
        s->work.floor = s->floors[i] <= s->work.floor ? s->work.floor : s->floors[i];
        if (bounds) {
            bounds[i] = s->bounds[i];
        }
    }
    s->work.bound = s->bounds[worst];
    if (!(s->work.bound <= accuracy)) {
        /* A logit that overflows leaves no bound at all. */
        if (!(s->bounds[worst] < INFINITY)) {
            return trop_fail(TROP_ERR_NUMERIC,
                             "accuracy = %g: nothing is known of token %lld, beta = %g times its "
                             "scores overflows, and so does its rounding floor",
                             s->accuracy, (long long)worst, s->scene->numbers.beta);
        }
        return trop_fail(
            TROP_ERR_NUMERIC,
            "accuracy = %g: token %lld is known to %.3g only, its rounding floor is %.3g",
            s->accuracy, (long long)worst, s->bounds[worst], s->floors[worst]);
    }
    return TROP_OK;
}

const struct trop_tree_softmax_work *trop_tree_softmax_done(const struct trop_tree_softmax *softmax)
{
    return &softmax->work;
}

const struct trop_rule_tree trop_tree_softmax_engine = {
    .create = create,
    .free = tree_free,
    .rows = rows,
    .cost = cost_of,
};
