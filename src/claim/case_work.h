/* case_work.h -- what the library computes for a case: options by text, results as entries.
 *
 * Options are words NAME=TEXT separated by blanks, as printf writes them, and as the command line
 * takes them. @ENTRY stands for an entry of the case: a number, a matrix (a number: that many times
 * the identity), a schedule (of one number, or of one for each step), a list of tokens
 * ("select=@alpha") or of numbers ("radius=@radii"), an array. Where an entry is not there, its
 * option is left out.
 *
 *   trop_case_path(c, "path", steps, "rule=hardmax gamma=@gamma key_query=@B");
 *   trop_case_solve(c, "W_mm", "lower upper outcome", "norm=lp p=@p select=@alpha");
 *   trop_case_records(c, trop_case_train(c, "optimizer=gd eta=.3 steps=%d", 200),
 *                     "weights=gd_weights step=gd_step");
 *
 * All of them are for parts of a case. Handles belong to the part that made them.
 */
#ifndef TROP_CLAIM_CASE_WORK_H
#define TROP_CLAIM_CASE_WORK_H

#include "claim/case.h"

#define TROP_CASE_TEXT(at) __attribute__((format(printf, at, at + 1)))

/* Sets members of options; for what the functions below do not do. */
void trop_case_options(const struct trop_case *c, void *options, const struct trop_option *table,
                       const char *format, ...) TROP_CASE_TEXT(4);

/* ---- results as entries ---- */

/* A field as entry: an array with its shape, a number, a truth as 1 or 0, an outcome as enum
 * trop_outcome. What has no value is NaN. */
void trop_case_take(struct trop_case *c, const char *entry, const struct trop_field *table,
                    const void *handle, const char *field);
/* The same of a number, without an entry; and of a number in a row of a list. */
double trop_case_told(const struct trop_case *c, const struct trop_field *table, const void *handle,
                      const char *field);
double trop_case_told_cell(const struct trop_case *c, const struct trop_field *table,
                           const void *handle, const char *list, const char *column, int64_t row);
/* Columns of a list as entries, "weights=run step=run_step": (rows), or (rows, size) of an array in
 * each row. */
void trop_case_take_list(struct trop_case *c, const struct trop_field *table, const void *handle,
                         const char *list, const char *columns);
/* Another shape for as many numbers, or for the first of them: (rows, d d) becomes (rows, d, d). */
void trop_case_reshape(struct trop_case *c, const char *entry, int64_t a, int64_t b, int64_t k);

/* ---- flows of "tokens" ---- */

/* A flow that has not moved, of tokens that the text says how to draw where the case has none;
 * threads are those of the case. */
struct trop_flow *trop_case_flow(const struct trop_case *c, const char *format, ...)
    TROP_CASE_TEXT(2);
/* Of so many steps: entry (steps + 1, n, d), with the tokens themselves first. Stepped, unless the
 * text says another closed_form. */
void trop_case_path(struct trop_case *c, const char *entry, int64_t steps, const char *format, ...)
    TROP_CASE_TEXT(4);

/* ---- exits of "tokens" at finite beta ---- */

/* Run to their end; results are in its list "betas". */
struct trop_escape *trop_case_escape(const struct trop_case *c, const char *format, ...)
    TROP_CASE_TEXT(2);

/* ---- hulls and cells ---- */

/* Cells of points (n, d), "key_query=@B eta=.1", with the points of an entry (m, d) as queries;
 * NULL for none. */
struct trop_cells *trop_case_cells(const struct trop_case *c, struct trop_view points,
                                   const char *queries, const char *format, ...) TROP_CASE_TEXT(4);

struct trop_hull *trop_case_hull(const struct trop_case *c, const double *points, int64_t n,
                                 int64_t d);
/* Where a point is: its side, its distance, and proved bounds of that. */
struct trop_hull_position trop_case_place(const struct trop_case *c, struct trop_hull *hull,
                                          const double *point);

/* ---- the training data of the case: X, y, v, z, K ---- */

/* Solved. Weights become entry (rows, columns), a vector (rows) where they have one column; fields
 * "upper local=locally_optimal" become entry_upper and entry_local. */
struct trop_margin *trop_case_solve(struct trop_case *c, const char *entry, const char *fields,
                                    const char *format, ...) TROP_CASE_TEXT(4);
/* The same of a problem, in place of data, or of other data, without an entry. */
struct trop_margin *trop_case_margin(const struct trop_case *c,
                                     const struct trop_margin_options *options);
/* A run to its end. */
struct trop_train *trop_case_train(const struct trop_case *c, const char *format, ...)
    TROP_CASE_TEXT(2);
/* Columns of its history (trop_case_take_list). */
void trop_case_records(struct trop_case *c, const struct trop_train *train, const char *columns);
/* The row of a record in an entry of steps; -1: there is none. */
int64_t trop_case_row(const struct trop_case *c, const char *steps, int64_t step);
/* A regularisation path: columns of its radii (trop_case_take_list), and the handle. */
struct trop_path *trop_case_radii(struct trop_case *c, const char *columns, const char *format, ...)
    TROP_CASE_TEXT(3);

#endif
