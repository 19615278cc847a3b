/* tree_softmax_walk.c -- from a large box of queries to the rows of its leaves.
 *
 * A box T has a list: nodes of the keys whose tokens it still has to hear from, and entries,
 * tokens already summed up on the grid of T or of a box around it. On the way from T to a
 * child,
 *
 *   - what cannot matter for the child is left out (tree_softmax_box.c);
 *   - a node much larger than the child, or one whose parts fit on its grid, is split;
 *   - what fits on the child's grid within one larger node becomes one entry there: tokens
 *     are spread, entries are moved (tree_softmax_grid.c).
 *
 * As T shrinks by some factor, the nodes that fit grow by it: T and S pass each other, which
 * is a butterfly, pruned. A box of few rows makes no new entries: its rows cost less. Leaves
 * then sum up what is left, entry by entry and token by token.
 *
 * Lists and entries are stacks, which the walk gives back behind it. When one is full the
 * walk goes on with what it has; nothing is lost but speed.
 */
#include "attend/tree/tree_softmax_internal.h"

#include <math.h>
#include <string.h>

#define MANY 4096 /* tokens that are looked at for more rows than a leaf has */
#define FEW 64    /* tokens that are not worth a shorter list */
#define WORTH 2.0 /* times its cost must an entry save */

static int64_t tokens_of(const struct trop_tree *t, int64_t node)
{
    return t->node[node].last - t->node[node].first;
}

/* ---- a child's list -------------------------------------------------------------------------- */

/* Tokens that make an entry worth its while, INFINITY when none do. With r the cost of a
 * token onto a grid or of a row off it, and m that of moving an entry to a smaller box,
 * tokens count pairs of cost_pair each are saved for
 *
 *   tokens r + min(count r, 4^d m),
 *
 * as the rows read the entry or the boxes of a quarter of the size take it over. An entry
 * of so few tokens that to spread them again costs less than m is none. */
static double enough(const struct trop_tree_softmax_box *box, const struct trop_tree_softmax *s)
{
    double count = (double)box->count, read = s->cost_read, pair = s->cost_pair;
    double later = count * read < s->cost_quarters ? count * read : s->cost_quarters;
    double least = s->cost_move / read, most = WORTH * later / (pair * count - WORTH * read);

    if (!(pair * count > WORTH * read)) {
        return INFINITY;
    }
    return most > least ? most : least;
}

/* 1 when a part of the node, the one with more tokens each time, fits and is worth it. */
static int yields(const struct trop_tree_softmax_box *box, const struct trop_tree_softmax *s,
                  int64_t node, double least)
{
    const struct trop_tree *t = s->keys;

    while ((double)tokens_of(t, node) >= least) {
        if (trop_tree_softmax_box_fits(box, s, node)) {
            return 1;
        }
        if (t->node[node].child == 0) {
            return 0;
        }
        node = t->node[node].child;
        node += tokens_of(t, node + 1) > tokens_of(t, node);
    }
    return 0;
}

static int splits(const struct trop_tree_softmax_box *box, const struct trop_tree_softmax *s,
                  int64_t node, double least)
{
    if (s->keys->node[node].child == 0 || (s->order && trop_tree_softmax_box_fits(box, s, node))) {
        return 0;
    }
    return tokens_of(s->keys, node) > box->count || (s->order && yields(box, s, node, least));
}

/* What is left of the list first .. last-1 for the box, written behind last; returns its
 * end, or -1 when it does not fit. */
static int64_t refine(struct trop_tree_softmax_worker *w, struct trop_tree_softmax_box *box,
                      int64_t first, int64_t last)
{
    const struct trop_tree_softmax *s = w->softmax;
    int64_t *stack = w->maximum->stack, end = last;
    double least = s->order ? enough(box, s) : INFINITY;

    for (int64_t k = first; k < last; k++) {
        int64_t depth = 0;
        stack[depth++] = w->list[k].node;
        while (depth > 0) {
            int64_t node = stack[--depth];
            if (trop_tree_softmax_box_drops(box, s, node)) {
                w->work_done.pruned++;
            } else if (w->list[k].entry < 0 && splits(box, s, node, least)) {
                stack[depth++] = s->keys->node[node].child + 1;
                stack[depth++] = s->keys->node[node].child;
            } else if (end == w->list_room) {
                return -1;
            } else {
                w->list[end++] =
                    (struct trop_tree_softmax_element){ .node = node, .entry = w->list[k].entry };
                w->work_done.kept++;
            }
        }
    }
    return end;
}

/* ---- entries -------------------------------------------------------------------------------- */

/* 1 when the box is so much smaller than an entry's grid that moving it may pay, a quarter in
 * every coordinate or a sixteenth in one, and has more to sum up than moving costs. */
static int ripe(const struct trop_tree_softmax_worker *w, const struct trop_tree_softmax_box *box,
                int64_t entry)
{
    const struct trop_tree_softmax *s = w->softmax;
    const struct trop_tree_softmax_grid *grid = &w->entry[entry].grid;
    double tokens = s->cost_pair * (double)w->entry[entry].tokens;
    int every = 1, one = 0;

    if ((double)box->count * (tokens < s->cost_read ? tokens : s->cost_read) < s->cost_move) {
        return 0;
    }

    for (int64_t c = 0; c < s->d; c++) {
        every &= box->grid.radius[c] <= 0.25 * grid->radius[c];
        one |= box->grid.radius[c] <= 0.0625 * grid->radius[c] && grid->radius[c] > 0;
    }
    return (every || one) && trop_tree_softmax_grid_fits(w, box, entry);
}

/* The largest node around an element that fits on the box's grid; -1: it stays as it is. */
static int64_t home(const struct trop_tree_softmax_worker *w,
                    const struct trop_tree_softmax_box *box,
                    const struct trop_tree_softmax_element *element)
{
    const struct trop_tree_softmax *s = w->softmax;
    int64_t node = element->node;

    if (element->entry < 0 ? !(s->cost_pair * (double)box->count > WORTH * s->cost_read)
                           : !ripe(w, box, element->entry)) {
        return -1;
    }
    if (!trop_tree_softmax_box_fits(box, s, node)) {
        return -1;
    }
    while (node > 0 && trop_tree_softmax_box_fits(box, s, s->parent[node])) {
        node = s->parent[node];
    }
    return node;
}

/* 1 when elements first .. last-1, all within one node, had better be one entry. */
static int pays(const struct trop_tree_softmax_worker *w, const struct trop_tree_softmax_box *box,
                int64_t first, int64_t last)
{
    const struct trop_tree_softmax *s = w->softmax;
    int64_t tokens = 0, entries = 0;

    for (int64_t k = first; k < last; k++) {
        tokens += w->list[k].entry < 0 ? tokens_of(s->keys, w->list[k].node) : 0;
        entries += w->list[k].entry >= 0;
    }
    return (entries > 1 || (entries == 1 && tokens > 0) || (double)tokens >= enough(box, s)) &&
           trop_tree_softmax_grid_fresh(s, tokens) < 0.05 * s->accuracy;
}

/* The end of the elements from begin on that have the same home as it has. */
static int64_t alike(const struct trop_tree_softmax_worker *w,
                     const struct trop_tree_softmax_box *box, int64_t begin, int64_t last,
                     int64_t node)
{
    int64_t next = begin + 1;
    while (next < last && node >= 0 && home(w, box, w->list + next) == node) {
        next++;
    }
    return next;
}

/* 1 when the entries that pay take at most half of the room that is left: the boxes within this
 * one need room for theirs, which replace many of these. */
static int roomy(const struct trop_tree_softmax_worker *w, const struct trop_tree_softmax_box *box,
                 int64_t first, int64_t last)
{
    int64_t room = (w->softmax->shared + w->entry_room - w->entries) / 2;

    for (int64_t begin = first; begin < last && room >= 0;) {
        int64_t node = home(w, box, w->list + begin), next = alike(w, box, begin, last, node);
        room -= node >= 0 && pays(w, box, begin, next);
        begin = next;
    }
    return room >= 0;
}

static int64_t regroup(struct trop_tree_softmax_worker *w, const struct trop_tree_softmax_box *box,
                       int64_t first, int64_t last)
{
    int64_t end = first, begin = first;

    if (!roomy(w, box, first, last)) {
        return last;
    }

    while (begin < last) {
        int64_t node = home(w, box, w->list + begin), next = alike(w, box, begin, last, node);
        int64_t entry =
            node >= 0 && pays(w, box, begin, next) ? trop_tree_softmax_grid_open(w, box, node) : -1;
        if (entry >= 0) {
            trop_tree_softmax_grid_fill(w, box, entry, w->list + begin, next - begin);
            w->list[end++] = (struct trop_tree_softmax_element){ .node = node, .entry = entry };
        } else {
            memmove(w->list + end, w->list + begin, (size_t)(next - begin) * sizeof *w->list);
            end += next - begin;
        }
        begin = next;
    }
    return end;
}

/* ---- the walk -------------------------------------------------------------------------------- */

/* 1 when nothing is gained by a shorter list. */
static int settled(const struct trop_tree_softmax_worker *w, int64_t first, int64_t last)
{
    int64_t tokens = 0, entries = 0;

    for (int64_t k = first; k < last; k++) {
        tokens += w->list[k].entry < 0 ? tokens_of(w->softmax->keys, w->list[k].node) : 0;
        entries += w->list[k].entry >= 0;
    }
    return tokens <= FEW && entries <= 1;
}

/* 1 when a box is not divided any more: a leaf, and one of few rows that has many tokens to look
 * at, because it takes one look for all of its rows. */
static int last_box(const struct trop_tree_softmax_worker *w, int64_t node, int64_t first,
                    int64_t last)
{
    const struct trop_tree_softmax *s = w->softmax;
    int64_t tokens = 0;

    if (s->queries->node[node].child == 0) {
        return 1;
    }
    if (tokens_of(s->queries, node) > TROP_TREE_SOFTMAX_ROWS) {
        return 0;
    }
    for (int64_t k = first; k < last; k++) {
        tokens += w->list[k].entry < 0 ? tokens_of(s->keys, w->list[k].node) : 0;
    }
    return tokens > MANY;
}

static void walk(struct trop_tree_softmax_worker *w, int64_t node, int64_t first, int64_t last,
                 double left, int done)
{
    const struct trop_tree_softmax *s = w->softmax;
    struct trop_tree_softmax_box box;
    int64_t entries = w->entries, end;

    if (last_box(w, node, first, last)) {
        trop_tree_softmax_leaf(w, node, first, last, left);
        return;
    }
    if (!done) {
        trop_tree_softmax_box_fill(&box, w, node, left);
        end = refine(w, &box, first, last);
        if (end >= 0) {
            left = box.left < left ? box.left : left;
            first = last;
            last = s->order ? regroup(w, &box, first, end) : end;
            done = settled(w, first, last);
        }
    }
    walk(w, s->queries->node[node].child, first, last, left, done);
    walk(w, s->queries->node[node].child + 1, first, last, left, done);
    w->entries = entries;
}

/* The list of the root stands behind what it was made from, which the jobs still need. */
void trop_tree_softmax_walk_root(struct trop_tree_softmax *s)
{
    struct trop_tree_softmax_worker *w = &s->trunk;
    struct trop_tree_softmax_box *box = &s->root;

    w->list[0] = (struct trop_tree_softmax_element){ .node = 0, .entry = -1 };
    w->entries = 0;
    s->jobs = 0;
    trop_tree_softmax_box_fill(box, w, 0, 3 * s->share);
    int64_t last = refine(w, box, 0, 1), end = last;
    for (int64_t begin = 1; begin < last;) {
        int64_t node = s->order ? home(w, box, w->list + begin) : -1;
        int64_t next = alike(w, box, begin, last, node);
        int64_t entry =
            node >= 0 && pays(w, box, begin, next) ? trop_tree_softmax_grid_open(w, box, node) : -1;
        if (entry >= 0) {
            s->job[s->jobs++] = (struct trop_tree_softmax_job){ entry, begin, next };
            w->list[end++] = (struct trop_tree_softmax_element){ .node = node, .entry = entry };
        } else {
            memcpy(w->list + end, w->list + begin, (size_t)(next - begin) * sizeof *w->list);
            end += next - begin;
        }
        begin = next;
    }
    s->shared = w->entries;
    s->roots = end - last;
    s->root_list = w->list + last;
}

void trop_tree_softmax_walk_job(struct trop_tree_softmax_worker *w, int64_t job)
{
    const struct trop_tree_softmax *s = w->softmax;
    const struct trop_tree_softmax_job *j = s->job + job;

    w->entry[j->entry] = s->trunk.entry[j->entry];
    trop_tree_softmax_grid_fill(w, &s->root, j->entry, s->trunk.list + j->first,
                                j->last - j->first);
    s->trunk.entry[j->entry] = w->entry[j->entry];
}

void trop_tree_softmax_walk(struct trop_tree_softmax_worker *w, int64_t unit)
{
    const struct trop_tree_softmax *s = w->softmax;

    memcpy(w->list, s->root_list, (size_t)s->roots * sizeof *w->list);
    memcpy(w->entry, s->trunk.entry, (size_t)s->shared * sizeof *w->entry);
    w->entries = s->shared;
    walk(w, unit, 0, s->roots, s->root.left, 0);
}
