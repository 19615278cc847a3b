/* game.h -- matrix games with a worth for each row:
 *
 *   value = max_c min_t (sum_i c_i worth_i - sum_i c_i s_it) = min_l max_i (worth_i - sum_t l_t
 * s_it)
 *
 * over mixtures c of the rows and l of the columns that are not barred, with proved bounds. */
#ifndef TROP_MODEL_GAME_H
#define TROP_MODEL_GAME_H

#include "tropism.h"

struct trop_kernel_linear;

struct trop_game {
    const struct trop_kernel_linear *linear;
    int64_t most; /* members of a mixture */
    /* The game, for the caller to fill in; at most what create was told. */
    int64_t rows, columns;
    int64_t stride, across; /* of s and of turned */
    double *s;              /* (rows, stride) */
    double *turned;         /* (columns, across) its transpose */
    double *worth;          /* (rows) */
    int64_t *barred;        /* (columns) 1: left out */
    double size;            /* max of |s| and |worth| */
    double error;           /* by how much each of these may be off what they stand for */

    /* The answer. */
    int64_t count;            /* members of both mixtures */
    int64_t *chosen, *facing; /* (most) rows, columns */
    double *mix, *against;    /* (most) their weights, not negative */
    double low, high;         /* proved bounds of the value */
    int64_t steps;

    /* Scratch: the basis and its direction. */
    double flat;                    /* slopes below it are no pivots */
    int64_t basic, *in, *tight;     /* (most) rows with weight, columns that bind */
    int64_t *is_in, *is_tight;      /* (rows), (columns) */
    double *matrix, *dual, *factor; /* (most + 1, most + 1) */
    double *weight, *price, *move;  /* (most + 1) weights and y; prices and value; direction */
    int64_t *pivot;                 /* (most + 1) */
    double *profit;                 /* (rows) */
    double *load, *fall;            /* (columns) */
};

/* Room for games of so many rows and columns. */
enum trop_status trop_game_create(struct trop_game **out, int64_t rows, int64_t columns,
                                  int64_t most);
void trop_game_free(struct trop_game *game);

/* Solves the game from the pure row `first`, of which column `least` is the largest that is not
 * barred. One column at least is not. */
void trop_game_solve(struct trop_game *game, int64_t first, int64_t least);

#endif
