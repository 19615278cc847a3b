/* fit_tensor.h -- a tensor that learns: its values, its optimiser, and steps of some of its rows.
 *
 * A batch has gradients of the rows of E whose words it holds. They are gathered with their weights
 * and states into small tensors, which an optimiser steps as any other, and put back; the other
 * rows are not looked at. For an optimiser that leaves an entry alone when its gradient is 0 and
 * stays so, that is the step of the whole tensor, but for the rounding of weights that a mirror map
 * makes from duals which did not move: all but signum, muon and adam,
 * whose means fade in rows that are not met only when they are met again (as sparse variants
 * of Adam do), and square, whose map divides by a norm of all entries, and which steps the whole.
 *
 * Decay: a step first shrinks weights, or the dual variables of mirror and nmirror, by 1 - eta
 * decay. Rows are shrunk when they are next read, by what they missed: that too is the step of the
 * whole tensor, up to rounding.
 */
#ifndef TROP_LEARN_FIT_TENSOR_H
#define TROP_LEARN_FIT_TENSOR_H

#include "learn/fit/fit_network.h"
#include "learn/optimizer/optimizer.h"

struct trop_fit_tensor {
    const char *name; /* NULL: the network has no such tensor */
    int64_t rows, columns;
    double *values, *start, *best; /* (rows, columns) now, at the start, of the chosen epoch */
    int trained;                   /* 1: it moves */
    int some;                      /* 1: gradients are of some rows */
    const struct trop_optimizer *optimizer;
    struct trop_optimizer_settings settings;
    double eta;   /* over that of the run */
    double power; /* of decay: weights shrink by this power of what the state does */
    double *state[TROP_OPTIMIZER_STATES]; /* (rows, columns) */
    double number[TROP_OPTIMIZER_NUMBERS];
    double *scratch;
    double *shrunk;    /* (rows) log of what a row was shrunk by so far; NULL: no decay */
    double log_shrunk; /* of a row that missed nothing */
    int64_t most;      /* rows of a batch */
    double *part[2 + TROP_OPTIMIZER_STATES]; /* (most, columns) weights, gradient, states */
};

/* Zero-initialised by the caller, with name, rows, columns, trained, some, optimizer, settings and
 * eta set. most: rows that a batch can have. */
enum trop_status trop_fit_tensor_open(struct trop_fit_tensor *tensor, int64_t most, double decay);
void trop_fit_tensor_close(struct trop_fit_tensor *tensor);
/* States from the values, which become those of the start. */
void trop_fit_tensor_begin(struct trop_fit_tensor *tensor);
/* Brings rows up to date before they are read; rows NULL: all. */
void trop_fit_tensor_fresh(struct trop_fit_tensor *tensor, const struct trop_fit_rows *rows);

struct trop_fit_move {
    int64_t k;  /* step, from 0 */
    double eta; /* of the run, by its schedule */
    double decay;
    double log_gap; /* of polyak: log of the loss */
};

/* One step along gradient: of the rows, where some, else of all. near: these rows of the values,
 * which are used up; NULL: they are not at hand. */
enum trop_status trop_fit_tensor_move(struct trop_fit_tensor *tensor, double *gradient,
                                      double *near, const struct trop_fit_rows *rows,
                                      const struct trop_fit_move *move);

#endif
