/* graph.h -- who listens to whom: the neighbour digraph i -> j for j in C_i. */
#ifndef TROP_SHAPE_GRAPH_H
#define TROP_SHAPE_GRAPH_H

#include "attend/attend.h"

/* Sets of a set rule (hardmax, localmax), stored once for every distinct set. */
struct trop_graph {
    int64_t n;
    int64_t sets;       /* distinct neighbour sets */
    int64_t *set;       /* (n) which one a token has */
    int64_t *start;     /* (sets + 1) first place of a set in member */
    int64_t *member;    /* tokens of each set, ascending */
    int64_t components; /* strongly connected ones, numbered by their first token */
    int64_t *component; /* (n) */
    int64_t *sink;      /* (components) 1: closed, no arc leaves it */
    int64_t sinks;
    int64_t arcs;      /* pairs (i, j), j in C_i, j != i */
    int64_t one_way;   /* arcs whose reverse is none */
    int64_t aligned;   /* tokens with s_ii = max_l s_il, the maximal alignment set */
    int64_t *self;     /* (n) 1: aligned */
    int64_t *captured; /* (n) the vertex whose cap holds the token (graph_caps.c), -1: none */
    int64_t remaining; /* tokens that are not captured */
    int64_t acting;    /* of those: tokens in the set of a captured one */
};

/* attend is loaded with the state, notes (n) are its rows'. vertex (vertices): the hull's
 * vertices, tokens whose caps capture; NULL: every aligned token. TROP_ERR_UNSUPPORTED for
 * other rules, and when the sets would take more than limit entries. */
enum trop_status trop_graph_create(struct trop_graph **out, struct trop_attend *attend,
                                   const struct trop_attend_note *notes, const int64_t *vertex,
                                   int64_t vertices, int64_t limit);
void trop_graph_free(struct trop_graph *graph);

/* Parts of trop_graph_create, for a graph with sets: arcs and one_way; captured, remaining
 * and acting. */
enum trop_status trop_graph_arcs(struct trop_graph *graph);
enum trop_status trop_graph_caps(struct trop_graph *graph, const int64_t *vertex, int64_t vertices);

#endif
