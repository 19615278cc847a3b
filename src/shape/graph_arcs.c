/* graph_arcs.c -- arcs of the neighbour digraph, and those without a reverse.
 *
 * An arc is a pair (i, j), j in C_i, j != i; it is one way when i is not in C_j. Written by
 * the stored sets M_a with their owners O_a (the tokens i with C_i = M_a), the pairs that go
 * both ways, i = j included, are
 *
 *   sum_a sum_{j in M_a} |O_a n M_set(j)|,
 *
 * which is linear in the stored entries once the sets of each token are listed: a token
 * owns one set, so the walks over its list add up to all entries.
 */
#include "shape/graph.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

struct lists {
    int64_t *from;       /* (n + 1) first place of a token in in */
    int64_t *in;         /* (entries) the sets that have a token */
    int64_t *owner_from; /* (sets + 1) first place of a set in owner */
    int64_t *owner;      /* (n) the tokens that own a set */
    int64_t *hits;       /* (sets) */
};

/* Row a has the members start[a] .. start[a + 1] - 1 (start NULL: one, number a), each below n: the
 * rows that have j become in[from[j]] .. in[from[j + 1] - 1]. from (n + 1) is zero. */
static void turn_round(int64_t *from, int64_t *in, const int64_t *start, const int64_t *member,
                       int64_t rows, int64_t n)
{
    int64_t entries = start ? start[rows] : rows;

    for (int64_t m = 0; m < entries; m++) {
        from[member[m] + 1]++;
    }
    for (int64_t j = 0; j < n; j++) {
        from[j + 1] += from[j];
    }
    for (int64_t a = rows - 1; a >= 0;
         a--) { /* from the end: from[j + 1] moves to where j begins */
        for (int64_t m = start ? start[a] : a; m < (start ? start[a + 1] : a + 1); m++) {
            in[--from[member[m] + 1]] = a;
        }
    }
    memmove(from, from + 1, (size_t)n * sizeof *from);
    from[n] = entries;
}

/* Pairs (i, j), j in C_i and i in C_j, i = j included: for each set a, hits[b] counts its
 * owners that are in set b, and each of its members j meets hits[set(j)] of them. hits is
 * zero before and after. */
static int64_t count_mutual(const struct trop_graph *g, const struct lists *s)
{
    const int64_t *from = s->from, *in = s->in, *owner_from = s->owner_from, *owner = s->owner;
    int64_t *hits = s->hits, mutual = 0;

    for (int64_t a = 0; a < g->sets; a++) {
        for (int64_t k = owner_from[a]; k < owner_from[a + 1]; k++) {
            for (int64_t m = from[owner[k]]; m < from[owner[k] + 1]; m++) {
                hits[in[m]]++;
            }
        }
        for (int64_t m = g->start[a]; m < g->start[a + 1]; m++) {
            mutual += hits[g->set[g->member[m]]];
        }
        for (int64_t k = owner_from[a]; k < owner_from[a + 1]; k++) {
            for (int64_t m = from[owner[k]]; m < from[owner[k] + 1]; m++) {
                hits[in[m]] = 0;
            }
        }
    }
    return mutual;
}

enum trop_status trop_graph_arcs(struct trop_graph *g)
{
    struct lists s;
    int whole = TROP_ALLOC(TROP_PART(s.from, g->n + 1), TROP_PART(s.in, g->start[g->sets]),
                           TROP_PART(s.owner_from, g->sets + 1), TROP_PART(s.owner, g->n),
                           TROP_PART(s.hits, g->sets));

    if (whole) {
        int64_t own = 0, all = 0;
        turn_round(s.from, s.in, g->start, g->member, g->sets, g->n);
        turn_round(s.owner_from, s.owner, NULL, g->set, g->n, g->sets);
        for (int64_t a = 0; a < g->sets; a++) {
            int64_t size = g->start[a + 1] - g->start[a];
            all += size * (s.owner_from[a + 1] - s.owner_from[a]);
            for (int64_t m = g->start[a]; m < g->start[a + 1]; m++) {
                own += g->set[g->member[m]] == a;
            }
        }
        /* A token in its own set is a pair that goes both ways, and no arc. */
        g->one_way = all - count_mutual(g, &s);
        g->arcs = all - own;
    }
    TROP_FREE(s.from, s.in, s.owner_from, s.owner, s.hits);
    return whole ? TROP_OK
                 : trop_fail(TROP_ERR_MEMORY, "no memory for the arcs of %lld tokens",
                             (long long)g->n);
}
