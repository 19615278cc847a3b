/* fw.h -- the claims of the Frank-Wolfe paper on hardmax and geometry, and what they share.
 *
 * Entries of their cases: "tokens" (n, d), "B" (d, d), "gamma" (steps), where a single number is a
 * constant and the last value holds on, "steps", "path" (steps + 1, n, d).
 */
#ifndef TROP_CLAIM_FW_H
#define TROP_CLAIM_FW_H

#include "claim/claim.h"

/* ---- fw.c: numbers ---- */

/* <B x, y>; b (d, d). */
double trop_fw_score(const double *b, const double *x, const double *y, int64_t d);
/* Frobenius norm of b (d, d). */
double trop_fw_norm(const double *b, int64_t d);
/* Bound of the rounding error of a score of two vectors no longer than radius. */
double trop_fw_score_error(const double *b, double radius, int64_t d);
/* The first of the n points with the largest score for x, and how far it leads the best point that
 * differs from it; infinity when there is none. */
int64_t trop_fw_leader(double *lead, const double *b, const double *x, const double *points,
                       int64_t n, int64_t d);
/* gamma of step t = 0, 1, ... */
double trop_fw_gamma(const struct trop_case *c, int64_t t);
/* Least and largest eigenvalue of the symmetric part of b. */
enum trop_status trop_fw_spectrum(double *low, double *high, const double *b, int64_t d);
/* Least and largest singular value of b: the roots of the eigenvalues of b'b, so that values below
 * sqrt(d u) of the largest are only known to be small. */
enum trop_status trop_fw_singular(double *least, double *largest, const double *b, int64_t d);
/* M (d, d) with M'M = b, or its inverse; refuses a b that is not positive definite. */
enum trop_status trop_fw_root(double *out, const double *b, int64_t d, int inverse);
/* sum over s < t of prod over s < r < t of (1 - gamma^r): what t rounding errors of size 1 come to
 * when later steps shrink them; and prod over r < t of (1 - gamma^r), what is left of a distance.
 */
double trop_fw_errors(const struct trop_case *c, int64_t t);
double trop_fw_left(const struct trop_case *c, int64_t t);

/* ---- fw_draw.c: what the case does not have ---- */

/* The dimension that a matrix B, V or Q of the case asks for, or the one given. */
int64_t trop_fw_draw_dimension(const struct trop_case *c, int64_t d);
/* "B", symmetric: eigenvalues uniform on [low, high] in random directions. */
enum trop_status trop_fw_draw_matrix(struct trop_case *c, double low, double high);
/* "B", independent normal entries. */
enum trop_status trop_fw_draw_any_matrix(struct trop_case *c);
/* "tokens" and "B" of theorem 4.2: a positive definite B, vertices of equal energy 1/2 that own
 * their cells, tokens off the walls. */
enum trop_status trop_fw_draw_own_cells(struct trop_case *c);
/* "steps", which must be at least 1 when a person gives it. */
enum trop_status trop_fw_draw_steps(struct trop_case *c, int64_t steps);
/* "steps", "gamma" uniform on (low, high). */
enum trop_status trop_fw_draw_gamma(struct trop_case *c, int64_t steps, double low, double high);
/* "steps", "gamma" = 2 / (t + 2). */
enum trop_status trop_fw_draw_classic(struct trop_case *c, int64_t steps);
/* Refuses an entry that does not have d columns, d of the tokens, and as many rows (rows -1: any
 * number). */
enum trop_status trop_fw_draw_fits(const struct trop_case *c, const char *name, int64_t rows);
/* "points" (m, d): random convex combinations of the tokens. */
enum trop_status trop_fw_draw_points(struct trop_case *c, int64_t m);
/* Puts an array whatever the case has: for exhibits and spoils. */
enum trop_status trop_fw_draw_given(struct trop_case *c, const char *name, const double *values,
                                    int64_t rows, int64_t columns);
/* "B" becomes scale times the identity. */
enum trop_status trop_fw_draw_identity(struct trop_case *c, int64_t d, double scale);

/* ---- fw_work.c ---- */

/* "path" by hardmax layers from "tokens", "B", "gamma" and "steps". */
enum trop_status trop_fw_work(struct trop_case *c);
/* The same with every gamma times factor: what a wrong step size makes of the path. */
enum trop_status trop_fw_work_with(struct trop_case *c, double factor);
/* Options of a flow with this rule and the B, beta and gamma of the case, where it has them. They
 * point into the case. */
struct trop_flow_options trop_fw_work_options(const struct trop_case *c, int64_t rule);
/* One layer by such options: `name` (n, d) is where the tokens are after it. */
enum trop_status trop_fw_work_layer(struct trop_case *c, const char *name,
                                    const struct trop_flow_options *options);
/* `name` becomes a copy of the path of another case. */
enum trop_status trop_fw_work_take(struct trop_case *c, const char *name,
                                   const struct trop_case *from);
/* A copy of the case, with every token shifted by at most "radius": the k-th such start. */
enum trop_status trop_fw_work_shifted(struct trop_case **out, const struct trop_case *c, int64_t k);
/* The cells of n points for the B of the case, with m further points to label. */
enum trop_status trop_fw_work_cells(struct trop_cells **out, const struct trop_case *c,
                                    const double *x, int64_t n, const double *query, int64_t m);
/* Cells of the tokens: which token each one follows, -1 on a wall; out (n). */
enum trop_status trop_fw_work_labels(int64_t *out, const struct trop_case *c);
/* "labels" (m): the token in whose cell each of the "points" (m, d) is, -1 on a wall. */
enum trop_status trop_fw_work_points(struct trop_case *c);
/* The label of the first point becomes the next token. */
enum trop_status trop_fw_work_wrong_label(struct trop_case *c);

/* ---- fw_assume.c: hypotheses that several claims have ---- */

enum trop_status trop_fw_assume_symmetric(struct trop_judge *judge, const struct trop_case *c);
/* Symmetric, least eigenvalue above 0 by more than rounding. */
enum trop_status trop_fw_assume_positive(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_fw_assume_steps(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_fw_assume_classic(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_fw_assume_own_cells(struct trop_judge *judge, const struct trop_case *c);
enum trop_status trop_fw_assume_one_cell(struct trop_judge *judge, const struct trop_case *c);
/* "points" are in the hull of the tokens. */
enum trop_status trop_fw_assume_points(struct trop_judge *judge, const struct trop_case *c);

/* Cases that fail one of them: vertices (3, 0), (1/2, 1), (-1, -1), of which the second leads to
 * the first; a square with a token on a wall; gamma^2 = 1; B with a negative eigenvalue; a B that
 * is not symmetric; a point 100 to the side. */
enum trop_status trop_fw_assume_not_own(struct trop_case *c);
enum trop_status trop_fw_assume_not_one(struct trop_case *c);
enum trop_status trop_fw_assume_not_steps(struct trop_case *c);
enum trop_status trop_fw_assume_not_positive(struct trop_case *c);
enum trop_status trop_fw_assume_not_symmetric(struct trop_case *c);
enum trop_status trop_fw_assume_not_points(struct trop_case *c);

/* The first token of the last step of "path" moved by 1e-6. */
enum trop_status trop_fw_assume_nudge(struct trop_case *c);

/* ---- the claims ---- */

extern const struct trop_claim trop_fw_rem_limit, trop_fw_rem_limit_repaired;
extern const struct trop_claim trop_fw_rem_argmax, trop_fw_rem_gap;
extern const struct trop_claim trop_fw_lem_leader, trop_fw_rem_merge;
extern const struct trop_claim trop_fw_lem_hull, trop_fw_lem_hull_repaired;
extern const struct trop_claim trop_fw_rem_sparsity, trop_fw_rem_sparsity_repaired;
extern const struct trop_claim trop_fw_thm_3_1, trop_fw_thm_3_1_repaired, trop_fw_thm_3_1_gap;
extern const struct trop_claim trop_fw_prop_trash, trop_fw_rem_energy;
extern const struct trop_claim trop_fw_thm_4_2;
extern const struct trop_claim trop_fw_rate_exponential, trop_fw_rate_exponential_repaired,
    trop_fw_rate_superexp;
extern const struct trop_claim trop_fw_prop_dimension, trop_fw_rem_wendel;
extern const struct trop_claim trop_fw_rem_own_cell, trop_fw_rem_own_cell_weak,
    trop_fw_rem_own_cell_repaired, trop_fw_rem_angle;
extern const struct trop_claim trop_fw_lem_cells, trop_fw_lem_cells_general;
extern const struct trop_claim trop_fw_prop_4_5, trop_fw_rem_power;
extern const struct trop_claim trop_fw_thm_ode, trop_fw_rem_time;
extern const struct trop_claim trop_fw_rem_scaling, trop_fw_rem_scaling_beta;
extern const struct trop_claim trop_fw_rem_sphere;

#endif
