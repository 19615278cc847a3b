/* tree_wide.h -- a tree of boxes with eight children a node, for the half-space kernels.
 *
 * Made from the binary tree of the keys (tree.h): a wide node opens the largest of its boxes
 * until it has eight, or until all are leaves. Leaves are nodes of at most TROP_TREE_WIDE_LEAF
 * tokens or of equal points; where the memory for wide nodes ends (clouds so uneven that a
 * cut splits off single tokens), larger ones too, which costs time and nothing else.
 *
 * Tokens have places: those of a leaf side by side, a leaf beginning at a block of eight as
 * long as there is room for the gaps.
 *
 * Points are the scene's scaled keys less an origin o in their middle: a score <y, k - o> is
 * then rounded in the measure of the cloud's own size, however far away the cloud lies, and
 * the differences of scores are those of <y, k>.
 */
#ifndef TROP_ATTEND_TREE_WIDE_H
#define TROP_ATTEND_TREE_WIDE_H

#include "kernel/kernel_half.h"
#include "attend/row.h"
#include "attend/tree/tree.h"

#define TROP_TREE_WIDE_LEAF 32

struct trop_tree_wide {
    struct trop_kernel_half_view view; /* what the kernels see of the arrays below */
    struct trop_tree *tree;            /* of the keys */
    int64_t count, room;               /* wide nodes */
    double *box;                       /* (room, 2, d, 8) */
    int64_t *child;                    /* (room, 8) */
    int64_t *node;                     /* (room) the binary node of a wide one */
    unsigned char *leaf, *equal;       /* (room) */
    uint64_t *total;                   /* (room, 2 + 2 columns, 8) */
    int64_t places, last;              /* room for tokens; the first that is free */
    int64_t *token;                    /* (places) the token at a place, -1 for none */
    double *point;                     /* (blocks, d, 8) */
    uint64_t *digit;                   /* (blocks, 1 + columns, 8), the caller's to fill */
    double origin[TROP_KERNEL_HALF_D]; /* o, scaled as the scene's keyst */
    double reach[TROP_KERNEL_HALF_D];  /* max |point_c| */
};

/* Memory for n tokens of dimension d with at most that many columns. */
enum trop_status trop_tree_wide_create(struct trop_tree_wide **out, int64_t n, int64_t d,
                                       int64_t columns);
void trop_tree_wide_free(struct trop_tree_wide *wide);

/* Boxes and points of a scene, with room for that many columns; digits and totals follow. */
void trop_tree_wide_build(struct trop_tree_wide *wide, const struct trop_scene *scene,
                          int64_t columns, int64_t workers);

/* Totals of the boxes from the digits of the tokens. */
void trop_tree_wide_total(struct trop_tree_wide *wide);

/* The score of query y on the token at place p, by the chain of the kernels. */
double trop_tree_wide_score(const struct trop_tree_wide *wide, const double *y, int64_t p);

#endif
