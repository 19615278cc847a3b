/* graph.c -- who listens to whom: the neighbour digraph i -> j for j in C_i.
 *
 * C_i is the set that token i averages over: of hardmax all exact maximisers of its score
 * (or the first of them, with ties = first), of localmax those within epsilon of the
 * maximum, decided exactly.
 *
 * Many tokens have the same set, so a set is stored once, and every search below runs over
 * the bipartite digraph
 *
 *   token i -> set(i),   set a -> each of its members,
 *
 * in which i reaches j exactly when it does in the digraph itself: its strongly connected
 * components, less the sets in them, are those of the digraph. All but the sets themselves
 * is linear in the stored entries.
 *
 * One set per fingerprint of 64 bits: two of n distinct sets share one with probability
 * below n^2 2^-65. Under a causal mask the sets of localmax are not named by their
 * fingerprint, and each token's is stored by itself.
 *
 *   component  tokens that reach each other; closed (a sink) when no set of its tokens
 *              has a member outside it.
 *   aligned    s_ii = max_l s_il, exactly: the maximal alignment set.
 *
 * With causal masks nothing changes: C_i is what token i sees of its set. Arcs are counted
 * by graph_arcs.c, caps found by graph_caps.c.
 *
 * Cost: one row of n scores for each distinct set, the rest linear in tokens and entries
 * (and n log n for telling the sets apart).
 */
#include "shape/graph.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#include <string.h>

void trop_graph_free(struct trop_graph *graph)
{
    if (graph) {
        TROP_FREE(graph->set, graph->start, graph->member, graph->component, graph->sink,
                  graph->self, graph->captured, graph);
    }
}

static enum trop_status no_memory(int64_t n)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for a graph of %lld tokens", (long long)n);
}

/* Scratch of trop_graph_create. Nodes are the tokens, then the sets: at most 2 n. */
struct search {
    struct trop_graph *graph;
    int64_t room;    /* entries that member has room for */
    int64_t *number; /* (2 n) of a node: when it was found, from 1 on */
    int64_t *low;    /* (2 n) of a node: the earliest open node it reaches */
    int64_t *next;   /* (2 n) of a node: its next arc */
    int64_t *path;   /* (2 n) nodes from the root to the present one */
    int64_t *open;   /* (2 n) nodes found and not yet in a component */
    int64_t *home;   /* (2 n) of a node: 1 + component */
    int64_t count;   /* of nodes found */
    int64_t waiting; /* of open nodes */
};

/* ---- sets ------------------------------------------------------------------------------ */

static int by_set(const void *context, int64_t a, int64_t b)
{
    const struct trop_attend_note *notes = context;
    return notes[a].set != notes[b].set ? notes[a].set < notes[b].set : a < b;
}

/* first[i] <- the lowest token with the set of token i; order is scratch. */
static void find_equals(int64_t *first, int64_t *order, const struct trop_scene *scene,
                        const struct trop_attend_note *notes)
{
    for (int64_t i = 0; i < scene->n; i++) {
        order[i] = i;
        first[i] = i;
    }
    /* Under a causal mask a set is named by its first token, which others have too. */
    if (!scene->numbers.rule->best_only && scene->numbers.mask == TROP_MASK_CAUSAL) {
        return;
    }
    trop_sort(order, scene->n, by_set, notes);
    for (int64_t k = 1; k < scene->n; k++) {
        if (notes[order[k]].set == notes[order[k - 1]].set) {
            first[order[k]] = first[order[k - 1]];
        }
    }
}

/* Room for more entries of member, twice as many at least so that copies cost no more than
 * the entries. */
static enum trop_status grow(struct search *s, int64_t more, int64_t limit)
{
    struct trop_graph *g = s->graph;
    int64_t used = g->start[g->sets], need = used + more;

    if (need > limit) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "the neighbour sets of %lld tokens have more than %lld entries",
                         (long long)g->n, (long long)limit);
    }
    if (need <= s->room) {
        return TROP_OK;
    }
    int64_t room = need < g->n ? g->n : need;
    room = room < 2 * used ? 2 * used : room;
    int64_t *member = trop_alloc(room, sizeof *member);
    if (!member) {
        return no_memory(g->n);
    }
    if (used > 0) {
        memcpy(member, g->member, (size_t)used * sizeof *member);
    }
    trop_alloc_free(g->member);
    g->member = member;
    s->room = room;
    return TROP_OK;
}

/* Sets are numbered in the order of their first tokens. */
static enum trop_status find_sets(struct search *s, struct trop_attend *attend,
                                  const struct trop_attend_note *notes, int64_t limit)
{
    struct trop_graph *g = s->graph;
    const struct trop_scene *scene = trop_attend_scene(attend);
    int64_t *first = s->low;

    find_equals(first, s->path, scene, notes);
    for (int64_t i = 0; i < g->n; i++) {
        const double *best = scene->keys + notes[i].best * scene->d;
        g->self[i] = trop_decide_score(scene->y + i * scene->d, scene->keys + i * scene->d, best,
                                       scene->d, 0, 0) == 0;
        g->aligned += g->self[i];
        g->set[i] = g->set[first[i]];
        if (first[i] != i) {
            continue;
        }
        int64_t visible = scene->numbers.mask == TROP_MASK_CAUSAL ? i + 1 : scene->n;
        struct trop_row *row = trop_attend_look(attend, scene->y + i * scene->d, visible);
        const int64_t *set;
        int64_t count = scene->numbers.rule->neighbours(&set, row);
        if (row->trouble) {
            return trop_fail(TROP_ERR_NUMERIC, "token %lld: %s", (long long)i, row->trouble);
        }
        enum trop_status status = grow(s, count, limit);
        if (status != TROP_OK) {
            return status;
        }
        memcpy(g->member + g->start[g->sets], set, (size_t)count * sizeof *set);
        g->start[g->sets + 1] = g->start[g->sets] + count;
        g->set[i] = g->sets++;
    }
    return TROP_OK;
}

/* ---- components, by Tarjan's algorithm without recursion --------------------------------- */

static void discover(struct search *s, int64_t node)
{
    s->number[node] = s->low[node] = ++s->count;
    s->next[node] = 0;
    s->open[s->waiting++] = node;
}

static void walk(struct search *s, int64_t root)
{
    struct trop_graph *g = s->graph;
    int64_t depth = 1, last;

    s->path[0] = root;
    discover(s, root);
    while (depth > 0) {
        int64_t v = s->path[depth - 1];
        int64_t first = v < g->n ? 0 : g->start[v - g->n]; /* a token has one arc, to its set */
        int64_t degree = v < g->n ? 1 : g->start[v - g->n + 1] - first;
        if (s->next[v] < degree) {
            int64_t k = s->next[v]++, w = v < g->n ? g->n + g->set[v] : g->member[first + k];
            if (s->number[w] == 0) {
                s->path[depth++] = w;
                discover(s, w);
            } else if (s->home[w] == 0 && s->number[w] < s->low[v]) {
                s->low[v] = s->number[w];
            }
            continue;
        }
        depth--;
        if (s->low[v] == s->number[v]) { /* open nodes from v on reach each other: a component */
            g->components++;
            do {
                last = s->open[--s->waiting];
                s->home[last] = g->components;
            } while (last != v);
        } else if (s->low[v] < s->low[s->path[depth - 1]]) {
            s->low[s->path[depth - 1]] = s->low[v];
        }
    }
}

/* Components renumbered by their first token (a set alone is no component), and those that
 * no arc leaves. */
static enum trop_status find_components(struct search *s)
{
    struct trop_graph *g = s->graph;
    int64_t *name = s->low; /* of a component as found: 1 + its number */

    for (int64_t i = 0; i < g->n; i++) {
        if (s->number[i] == 0) {
            walk(s, i);
        }
    }
    memset(name, 0, (size_t)(2 * g->n) * sizeof *name);
    g->components = 0;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t found = s->home[i] - 1;
        if (name[found] == 0) {
            name[found] = ++g->components;
        }
        g->component[i] = name[found] - 1;
    }
    g->sink = trop_alloc(g->components, sizeof *g->sink);
    if (!g->sink) {
        return no_memory(g->n);
    }
    for (int64_t c = 0; c < g->components; c++) {
        g->sink[c] = 1;
    }
    /* A set whose members are all of one component lets only tokens of others out. */
    int64_t *common = s->low; /* of a set: the component of all its members, or -1 */
    for (int64_t a = 0; a < g->sets; a++) {
        common[a] = g->component[g->member[g->start[a]]];
        for (int64_t m = g->start[a]; m < g->start[a + 1]; m++) {
            common[a] = g->component[g->member[m]] == common[a] ? common[a] : -1;
        }
    }
    for (int64_t i = 0; i < g->n; i++) {
        if (common[g->set[i]] != g->component[i]) {
            g->sink[g->component[i]] = 0;
        }
    }
    for (int64_t c = 0; c < g->components; c++) {
        g->sinks += g->sink[c];
    }
    return TROP_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

enum trop_status trop_graph_create(struct trop_graph **out, struct trop_attend *attend,
                                   const struct trop_attend_note *notes, const int64_t *vertex,
                                   int64_t vertices, int64_t limit)
{
    const struct trop_scene *scene = trop_attend_scene(attend);
    const struct trop_rule *rule = scene->numbers.rule;

    if (!rule->neighbours) {
        return trop_fail(TROP_ERR_UNSUPPORTED,
                         "rule = %s: only hardmax and localmax have a neighbour graph", rule->name);
    }
    struct trop_graph *g = trop_alloc(1, sizeof *g);
    if (!g) {
        return no_memory(scene->n);
    }
    g->n = scene->n;
    struct search s = { .graph = g };
    int64_t nodes = trop_alloc_product(g->n, 2);
    int whole = TROP_ALLOC(
        TROP_PART(g->set, g->n), TROP_PART(g->start, g->n + 1), TROP_PART(g->component, g->n),
        TROP_PART(g->self, g->n), TROP_PART(g->captured, g->n), TROP_PART(s.number, nodes),
        TROP_PART(s.low, nodes), TROP_PART(s.next, nodes), TROP_PART(s.path, nodes),
        TROP_PART(s.open, nodes), TROP_PART(s.home, nodes));
    enum trop_status status = whole ? find_sets(&s, attend, notes, limit) : no_memory(g->n);
    if (status == TROP_OK) {
        status = find_components(&s);
    }
    TROP_FREE(s.number, s.low, s.next, s.path, s.open, s.home);
    if (status == TROP_OK) {
        status = trop_graph_arcs(g);
    }
    if (status == TROP_OK) {
        status = trop_graph_caps(g, vertex, vertices);
    }
    if (status != TROP_OK) {
        trop_graph_free(g);
        return status;
    }
    *out = g;
    return TROP_OK;
}
