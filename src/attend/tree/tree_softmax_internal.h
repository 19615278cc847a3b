/* tree_softmax_internal.h -- softmax through a tree, for the files that make it up.
 *
 * Queries are q = beta y throughout, rounded; T is a box of queries (a node of the tree of
 * y, times beta), S a node of the tree of keys.
 */
#ifndef TROP_ATTEND_TREE_SOFTMAX_INTERNAL_H
#define TROP_ATTEND_TREE_SOFTMAX_INTERNAL_H

#include "attend/attend_internal.h"
#include "kernel/kernel_tree.h"
#include "attend/tree/tree.h"
#include "attend/tree/tree_maximum.h"
#include "attend/tree/tree_softmax.h"

#include <stdatomic.h>

#define TROP_TREE_SOFTMAX_UNIT 0x1p-53
#define TROP_TREE_SOFTMAX_MOST TROP_KERNEL_TREE_MOST
#define TROP_TREE_SOFTMAX_ROWS 128 /* that are summed up together */
#define TROP_TREE_SOFTMAX_GROUPS (TROP_TREE_SOFTMAX_ROWS / TROP_LANES)
#define TROP_TREE_SOFTMAX_SINGLES (TROP_TREE_SOFTMAX_ROWS / TROP_KERNEL_TREE_WIDE)

/* Orders, and what is proved of them (tree_softmax_order.c). */
struct trop_tree_softmax_order {
    int64_t p;       /* nodes in a coordinate */
    double rho;      /* most of |exponent| over a grid, in a coordinate */
    double lebesgue; /* of interpolation, relative to exponentials */
    double drift;    /* relative growth of an error when a grid shrinks to a quarter */
    double error;    /* relative error of interpolating exp(s t), |s| <= rho */
};

/* From coarse to fine, ended by p = 0. */
extern const struct trop_tree_softmax_order trop_tree_softmax_orders[];

/* Chebyshev nodes (p) and 1 / prod_b (node_a - node_b). */
void trop_tree_softmax_order_nodes(double *node, double *scale, int64_t p);

/* A box of queries that carries nodes. */
struct trop_tree_softmax_grid {
    double centre[TROP_TREE_SOFTMAX_MOST], radius[TROP_TREE_SOFTMAX_MOST];
};

/* Tokens of a node S summed up on a grid:
 *   sum_j m_j (1, x_j - c0) exp(<q, x_j - w>)
 *     = exp(scale + <q - centre, c_S - w>) value(q)   for q in the grid's box. */
struct trop_tree_softmax_entry {
    struct trop_tree_softmax_grid grid;
    int64_t node;    /* S */
    int64_t witness; /* the token w */
    int64_t tokens;  /* that were summed up; those of S, unless some were left out */
    double scale;
    double slip;  /* relative error of every weight by rounding of exponents */
    double noise; /* of the interpolant, by rounding of the numbers on the grid */
    double off[TROP_TREE_SOFTMAX_MOST]; /* of the interpolant less that of exact numbers */
};

/* An element of a list: what a box T still has to hear from. */
struct trop_tree_softmax_element {
    int64_t node;
    int64_t entry; /* -1: the tokens of node themselves */
};

/* A box T as the walk sees it. */
struct trop_tree_softmax_box {
    int64_t node, count;
    double low[TROP_TREE_SOFTMAX_MOST], high[TROP_TREE_SOFTMAX_MOST]; /* of q */
    struct trop_tree_softmax_grid grid;                               /* around it */
    int64_t witness;
    double mass;   /* of it */
    double cut;    /* a token whose <q, x - w> is below -cut everywhere may go */
    double left;   /* what else may be left out, of the sum of every row */
    double little; /* <q, x - w> from which down a node may be part of that */
};

struct trop_tree_softmax_worker {
    struct trop_tree_softmax *softmax;
    struct trop_tree_maximum *maximum;
    int64_t *tied; /* (n) */
    struct trop_tree_softmax_element *list;
    int64_t list_room;
    struct trop_tree_softmax_entry *entry;
    double *pool; /* (entry_room, size) */
    int64_t entries, entry_room;
    double *work[3];    /* (size) each; the last zero between uses */
    double *x, *charge; /* (d, CHUNK) */
    double *weight;     /* (CHUNK) */
    float *token;       /* (CHUNK, 2 + 2 d), in single precision */
    struct trop_kernel_tree_sift *sift;
    double *matrix; /* (d, ORDER, ORDER) from grid_from to grid_to */
    struct trop_tree_softmax_grid from, to;
    struct trop_tree_softmax_work work_done;
};

/* An entry to be filled from elements first .. last-1 of the trunk's list. */
struct trop_tree_softmax_job {
    int64_t entry, first, last;
};

struct trop_tree_softmax {
    int64_t capacity, d, workers;
    const struct trop_kernel *kernel;
    struct trop_tree *keys, *own;    /* own: of queries, where they are not the keys */
    const struct trop_tree *queries; /* one of the two */
    int64_t *parent;                 /* (nodes of keys) */
    double *mass;                    /* (stride) by place */
    double *heavy;                   /* (nodes of keys) mass, rounded up */
    double *charge;                  /* (d, stride) x - c0 by place */
    double *bounds, *floors;         /* (n) */
    struct trop_tree_softmax_worker *worker;
    /* The root's list and entries, that every unit begins with: work of all workers. */
    struct trop_tree_softmax_worker trunk;
    struct trop_tree_softmax_job *job; /* (trunk.entry_room) */
    int64_t jobs, shared, roots;       /* jobs; entries; elements of root_list */
    struct trop_tree_softmax_box root;
    const struct trop_tree_softmax_element *root_list;

    /* Of the call. */
    struct trop_attend *attend;
    const struct trop_scene *scene;
    double *displacement;
    struct trop_attend_note *notes;
    double accuracy, share;                /* share: of the weight that the cut may leave out */
    double grids;                          /* of the accuracy, what grids may take */
    double total;                          /* mass */
    double brief;                          /* error of a power of two; 0: of none, of u */
    double blur;                           /* of every row, what single precision may cost */
    double shrink;                         /* a power of two: differences of keys times it < 1 */
    double centre[TROP_TREE_SOFTMAX_MOST]; /* c0 */
    const struct trop_tree_softmax_order *order;
    double node[TROP_KERNEL_TREE_ORDER], scale[TROP_KERNEL_TREE_ORDER];
    int64_t size;                    /* numbers in a grid */
    double cost_pair;                /* of a row and a token, beside the direct method */
    double cost_read;                /* of a row off a grid, in pairs */
    double cost_move, cost_quarters; /* of an entry to a smaller box, to all of a quarter */
    int dry;                         /* count, and compute nothing */
    int64_t *unit;                   /* (units) target nodes, one worker each */
    int64_t units, every;            /* every: which of them are done */
    atomic_llong next;
    struct trop_tree_softmax_work work;
    double root_cost; /* of it, the root's grids */
};

/* tree_softmax_walk.c: the root's list and its entries, and the jobs that fill them. */
void trop_tree_softmax_walk_root(struct trop_tree_softmax *s);
/* One job of the root, done by a worker. */
void trop_tree_softmax_walk_job(struct trop_tree_softmax_worker *w, int64_t job);
/* The rows of one target node. */
void trop_tree_softmax_walk(struct trop_tree_softmax_worker *w, int64_t unit);

/* tree_softmax_box.c: boxes, what may be left out, what fits on a grid. */
void trop_tree_softmax_box_fill(struct trop_tree_softmax_box *box,
                                struct trop_tree_softmax_worker *w, int64_t node, double left);
/* The same, around a given witness. */
void trop_tree_softmax_box_around(struct trop_tree_softmax_box *box,
                                  const struct trop_tree_softmax *s, int64_t node, int64_t witness,
                                  double left);
/* 1 when the tokens of node may go, which then has been paid for. */
int trop_tree_softmax_box_drops(struct trop_tree_softmax_box *box,
                                const struct trop_tree_softmax *s, int64_t node);
/* Whether the tokens of node fit on the box's grid. */
int trop_tree_softmax_box_fits(const struct trop_tree_softmax_box *box,
                               const struct trop_tree_softmax *s, int64_t node);

/* tree_softmax_grid.c: a new entry for S on the box's grid; its index, or -1 when there is
 * no room. Then tokens and entries are added to it: the first pass finds the scale. */
int64_t trop_tree_softmax_grid_open(struct trop_tree_softmax_worker *w,
                                    const struct trop_tree_softmax_box *box, int64_t node);
/* Whether entries of the order that s has may move to smaller boxes a few times, and stay
 * within their share of the accuracy. */
int trop_tree_softmax_grid_lasts(const struct trop_tree_softmax *s);
/* Whether an entry, moved to the box's grid, stays within its share of the accuracy. */
int trop_tree_softmax_grid_fits(const struct trop_tree_softmax_worker *w,
                                const struct trop_tree_softmax_box *box, int64_t entry);
void trop_tree_softmax_grid_fill(struct trop_tree_softmax_worker *w,
                                 const struct trop_tree_softmax_box *box, int64_t entry,
                                 const struct trop_tree_softmax_element *members, int64_t count);
double *trop_tree_softmax_grid_numbers(const struct trop_tree_softmax_worker *w, int64_t entry);
/* What rounding leaves in a grid of fresh tokens, and in reading one row from it. */
double trop_tree_softmax_grid_fresh(const struct trop_tree_softmax *s, int64_t tokens);
double trop_tree_softmax_grid_read(const struct trop_tree_softmax *s);
double trop_tree_softmax_grid_off(const struct trop_tree_softmax *s,
                                  const struct trop_tree_softmax_entry *entry);

/* The rows of a small box together. */
struct trop_tree_softmax_rows {
    const struct trop_tree_softmax *s;
    struct trop_tree_softmax_box box;
    int64_t first, count, groups; /* places first .. ; rows; of eight rows */
    struct trop_row row[TROP_TREE_SOFTMAX_ROWS];
    double q[TROP_TREE_SOFTMAX_GROUPS][TROP_TREE_SOFTMAX_MOST * TROP_LANES];
    double t[TROP_TREE_SOFTMAX_GROUPS][TROP_LANES];
    /* q and t as the kernel wants them: times 8 log2(e) for powers of two. */
    double power[TROP_TREE_SOFTMAX_GROUPS][TROP_TREE_SOFTMAX_MOST * TROP_LANES];
    double shift[TROP_TREE_SOFTMAX_GROUPS][TROP_LANES];
    double sum[TROP_TREE_SOFTMAX_GROUPS][(1 + TROP_TREE_SOFTMAX_MOST) * TROP_LANES];
    double error[TROP_TREE_SOFTMAX_GROUPS][TROP_LANES];  /* bounds of parts, times the parts */
    double proved[TROP_TREE_SOFTMAX_GROUPS][TROP_LANES]; /* what of these is interpolation */
    double reach[TROP_TREE_SOFTMAX_MOST];                /* of the tokens in the chunk */
    int64_t held, faint; /* tokens in the chunk; those in single precision */
    double parts;        /* that were added up */
    double blur;         /* what single precision may still cost */
    /* In single precision: q less the centre, and the sums. */
    float y[TROP_TREE_SOFTMAX_SINGLES][TROP_TREE_SOFTMAX_MOST * TROP_KERNEL_TREE_WIDE];
    double moment[TROP_TREE_SOFTMAX_SINGLES][(1 + TROP_TREE_SOFTMAX_MOST) * TROP_KERNEL_TREE_WIDE];
};

/* tree_softmax_near.c: tokens one by one. Begun when box and q are there; add takes the
 * tokens of a node of the keys; end adds up what still waits. */
void trop_tree_softmax_near_begin(struct trop_tree_softmax_rows *r);
void trop_tree_softmax_near_add(struct trop_tree_softmax_rows *r,
                                struct trop_tree_softmax_worker *w, int64_t node);
void trop_tree_softmax_near_end(struct trop_tree_softmax_rows *r,
                                struct trop_tree_softmax_worker *w);

/* tree_softmax_leaf.c: the rows of a box that is not divided any more, from a list. */
void trop_tree_softmax_leaf(struct trop_tree_softmax_worker *w, int64_t node, int64_t first,
                            int64_t last, double left);

/* The centre of a node's box; the same bits wherever it is taken. */
static inline double trop_tree_softmax_middle(const struct trop_tree *tree, int64_t node, int64_t c)
{
    return 0.5 * tree->low[node * tree->d + c] + 0.5 * tree->high[node * tree->d + c];
}

#endif
