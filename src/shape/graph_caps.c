/* graph_caps.c -- tokens that listen to the cap of a hull vertex alone, and those that do not.
 *
 *   cap        of a hull vertex v: its set C_v, when v itself is in it.
 *   captured   by v: a token in the cap of v whose own set lies within that cap, so that
 *              it listens to the cap alone. Of several caps, the first in the list of vertices
 *              holds it.
 *   remaining  a token that no cap holds.
 *   acting     a remaining token in the set of a captured one: it still pulls there.
 *
 * For hardmax a cap is the tokens at the vertex's own place, together with whatever ties
 * with it there.
 *
 * Cost: a cap looks at the sets of its members, each until its first token outside; in all
 * at most the entries of these sets, summed over the distinct caps.
 */
#include "shape/graph.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

static int lies_within(const struct trop_graph *g, int64_t a, const int64_t *mark, int64_t cap)
{
    for (int64_t m = g->start[a]; m < g->start[a + 1]; m++) {
        if (mark[g->member[m]] != cap + 1) {
            return 0;
        }
    }
    return 1;
}

/* The cap of v takes what it holds. mark (n), tested (sets): zero before the first cap;
 * every set is tested once per cap, and a set serves as a cap once. */
static void capture(struct trop_graph *g, int64_t v, int64_t *mark, int64_t *tested)
{
    int64_t cap = g->set[v];

    for (int64_t m = g->start[cap]; m < g->start[cap + 1]; m++) {
        mark[g->member[m]] = cap + 1;
    }
    if (mark[v] != cap + 1) {
        return;
    }
    for (int64_t m = g->start[cap]; m < g->start[cap + 1]; m++) {
        int64_t j = g->member[m], a = g->set[j];
        if (g->captured[j] >= 0) {
            continue;
        }
        if (tested[a] != cap + 1 && tested[a] != -(cap + 1)) {
            tested[a] = lies_within(g, a, mark, cap) ? cap + 1 : -(cap + 1);
        }
        g->captured[j] = tested[a] > 0 ? v : -1;
    }
}

enum trop_status trop_graph_caps(struct trop_graph *g, const int64_t *vertex, int64_t vertices)
{
    int64_t *mark, *tested, *done;
    int whole =
        TROP_ALLOC(TROP_PART(mark, g->n), TROP_PART(tested, g->sets), TROP_PART(done, g->sets));

    if (whole) {
        /* Without a list of vertices every aligned token counts as one. */
        for (int64_t i = 0; i < g->n; i++) {
            g->captured[i] = -1;
        }
        for (int64_t k = 0; k < (vertex ? vertices : g->n); k++) {
            int64_t v = vertex ? vertex[k] : k;
            if ((vertex || g->self[v]) && !done[g->set[v]]) {
                capture(g, v, mark, tested);
                done[g->set[v]] = mark[v] == g->set[v] + 1;
            }
        }
        int64_t *heard = mark; /* the marks have served */
        memset(heard, 0, (size_t)g->n * sizeof *heard);
        memset(done, 0, (size_t)g->sets * sizeof *done);
        for (int64_t i = 0; i < g->n; i++) {
            int64_t a = g->set[i];
            if (g->captured[i] < 0 || done[a]) {
                continue;
            }
            done[a] = 1;
            for (int64_t m = g->start[a]; m < g->start[a + 1]; m++) {
                heard[g->member[m]] = 1;
            }
        }
        for (int64_t i = 0; i < g->n; i++) {
            g->remaining += g->captured[i] < 0;
            g->acting += g->captured[i] < 0 && heard[i];
        }
    }
    TROP_FREE(mark, tested, done);
    return whole ? TROP_OK
                 : trop_fail(TROP_ERR_MEMORY, "no memory for the caps of %lld tokens",
                             (long long)g->n);
}
