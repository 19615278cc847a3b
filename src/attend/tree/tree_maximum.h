/* tree_maximum.h -- exact maximisers of a score, for the queries of a box together.
 *
 * For the queries y of a box T one token w is chosen, a maximiser of <c, x> at the centre
 * c of T. A node S of the tree holds no maximiser of any y in T when
 *
 *     max over y in T, x in S of <y, x - w>  < 0,
 *
 * which is a sum over coordinates of the largest of four products, and less where the tree has
 * slabs (tree_slab.h). The leaves that remain
 * are gathered once, as differences x_j - w, and every query of T looks at these columns
 * alone: those within two rounding bounds of the largest are compared exactly.
 *
 * Differences keep their sieve sharp in a collapsed cloud, where the scores themselves
 * are all within their rounding.
 */
#ifndef TROP_ATTEND_TREE_MAXIMUM_H
#define TROP_ATTEND_TREE_MAXIMUM_H

#include "attend/row.h"
#include "attend/tree/tree.h"

struct trop_tree_maximum {
    const struct trop_scene *scene;
    const struct trop_tree *tree;
    int whole;       /* every token has a column of its own */
    int64_t witness; /* the token w */
    int64_t columns; /* gathered */
    double *xt;      /* (d, stride) x_j - w */
    double *reach;   /* (d) largest of |x_jc - w_c| */
    int64_t *token;  /* (columns) */
    int64_t *copies; /* (columns) tokens at this point that the column stands for */

    int64_t stride, room;
    double *score;  /* (stride) */
    int64_t *stack; /* (room) */
    int64_t *set;   /* (stride) */
    double *w;      /* (d) the witness of a search */
};

/* Scratch of one worker, for trees of at most n points. */
enum trop_status trop_tree_maximum_create(struct trop_tree_maximum **out, int64_t n, int64_t d);
void trop_tree_maximum_free(struct trop_tree_maximum *m);

/* A token whose <y, x> is the largest, up to rounding. */
int64_t trop_tree_maximum_near(struct trop_tree_maximum *m, const struct trop_tree *tree,
                               const double *y);

/* Gathers what can be a maximiser for some query in the box low .. high (d). The tree
 * holds the keys of the scene; the scene needs no scaling (scale_k = scale_y = 0).
 * whole = 0: a leaf of equal points becomes one column, of its lowest token. */
void trop_tree_maximum_aim(struct trop_tree_maximum *m, const struct trop_scene *scene,
                           const struct trop_tree *tree, const double *low, const double *high,
                           int whole);

/* Fills tied, ties, best, distinct, top and bound of a row whose scene, y and tied are
 * set, its query in the box. With whole = 0, tied holds one token of each such leaf (and
 * of a query 0 the first token alone), and ties still counts all of them. */
void trop_tree_maximum_row(struct trop_tree_maximum *m, struct trop_row *row);

#endif
