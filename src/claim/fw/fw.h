/* fw.h -- the claims of the Frank-Wolfe paper on hardmax and geometry, and what they share.
 *
 * Entries of their cases: "tokens" (n, d), "B" (d, d), "gamma" (steps), where a single number is a
 * constant and the last value holds on, "steps", "path" (steps + 1, n, d).
 */
#ifndef TROP_CLAIM_FW_H
#define TROP_CLAIM_FW_H

#include "claim/claim.h"
#include "claim/case_work.h"
#include "claim/tokens.h"

/* The hardmax layers of a case: options of trop_case_flow and trop_case_path. */
#define TROP_FW_FLOW "rule=hardmax key_query=@B gamma=@gamma"

/* ---- fw.c: numbers ---- */

/* <B x, y> with the B of the case, and its Frobenius norm. */
double trop_fw_score(const struct trop_case *c, const double *x, const double *y);
double trop_fw_norm(const struct trop_case *c);
/* Bound of the rounding error of a score of two vectors no longer than radius, or of two points of
 * this cloud. */
double trop_fw_score_error(const struct trop_case *c, double radius);
double trop_fw_error(const struct trop_case *c, struct trop_view x);
/* Shifting both vectors of a score by "radius" = r changes it by at most |B| (2 R r + r^2): what a
 * lead in this cloud changes by, twice that. */
double trop_fw_shift(const struct trop_case *c, struct trop_view x);
/* The first of the points with the largest score for x, and how far it leads the best point that
 * differs from it: infinity when there is none; lead may be NULL. */
int64_t trop_fw_leader(double *lead, const struct trop_case *c, const double *x,
                       struct trop_view points);
/* How far the leader of token i leads. */
double trop_fw_lead(const struct trop_case *c, struct trop_view x, int64_t i);
/* The points that have the largest score <B x, .>, decided exactly: list (points.rows) of all of
 * them, or of the first at each place. Returns how many. */
int64_t trop_fw_leaders(int64_t *list, const struct trop_case *c, const double *x,
                        struct trop_view points, int distinct);
/* The mean of the points of a list, scratch of the part. */
double *trop_fw_mean(const struct trop_case *c, struct trop_view points, const int64_t *list,
                     int64_t count);
/* gamma of step t = 0, 1, ... */
double trop_fw_gamma(const struct trop_case *c, int64_t t);
/* sum over s < t of prod over s < r < t of (1 - gamma^r): what t rounding errors of size 1 come to
 * when later steps shrink them; and prod over r < t of (1 - gamma^r), what is left of a distance.
 */
double trop_fw_errors(const struct trop_case *c, int64_t t);
double trop_fw_left(const struct trop_case *c, int64_t t);

struct trop_fw_range {
    double low, high;
};

/* Eigenvalues of the symmetric part of b (d, d). */
struct trop_fw_range trop_fw_eigenvalues(const struct trop_case *c, const double *b, int64_t d);
/* Singular values: the roots of the eigenvalues of b'b, so that values below sqrt(d u) of the
 * largest are only known to be small. */
struct trop_fw_range trop_fw_singular_values(const struct trop_case *c, const double *b, int64_t d);
/* M (d, d) with M'M = b, or its inverse; refuses a b that is not positive definite. */
void trop_fw_square_root(double *out, const struct trop_case *c, const double *b, int64_t d,
                         int inverse);

/* ---- fw_draw.c: what the case does not have ---- */

/* The dimension that a matrix B, V or Q of the case asks for, or the one given. */
int64_t trop_fw_draw_dimension(const struct trop_case *c, int64_t d);
/* A Gaussian cloud of least tokens or of few - 1 more at most, in one of so many dimensions from 2
 * on. */
void trop_fw_draw_cloud(struct trop_case *c, int64_t least, int64_t few, int64_t dimensions);
/* "B", symmetric: eigenvalues uniform on [low, high] in random directions. */
void trop_fw_draw_matrix(struct trop_case *c, double low, double high);
/* "B", independent normal entries. */
void trop_fw_draw_any_matrix(struct trop_case *c);
/* "tokens" and "B" of theorem 4.2: a positive definite B, vertices of equal energy 1/2 that own
 * their cells, tokens off the walls. */
void trop_fw_draw_own_cells(struct trop_case *c);
/* "steps", which must be at least 1 when a person gives it. */
void trop_fw_draw_steps(struct trop_case *c, int64_t steps);
/* "gamma" of these steps by a rule. */
void trop_fw_draw_schedule(struct trop_case *c, double (*of)(const struct trop_case *c, int64_t t));
/* "steps", "gamma" uniform on (low, high). */
void trop_fw_draw_gamma(struct trop_case *c, int64_t steps, double low, double high);
/* "steps", "gamma" = 2 / (t + 2). */
void trop_fw_draw_classic(struct trop_case *c, int64_t steps);
/* "points" (m, d): random convex combinations of the tokens. */
void trop_fw_draw_points(struct trop_case *c, int64_t m);

/* ---- fw_work.c ---- */

/* "path" by hardmax layers from "tokens", "B", "gamma" and "steps". */
void trop_fw_work_path(struct trop_case *c);
/* The case aside, with every token shifted by at most "radius": the k-th such start. */
struct trop_case *trop_fw_work_nearby(const struct trop_case *c, int64_t k);
/* A result of the cells of these points for the B of the case, with queries of an entry or NULL. */
struct trop_value trop_fw_work_cells_of(const struct trop_case *c, struct trop_view x,
                                        const char *queries, const char *field);
/* (n): which token each one follows, -1 on a wall. */
const int64_t *trop_fw_work_owners(const struct trop_case *c);
/* "labels" (m): the token in whose cell each of the "points" (m, d) is, -1 on a wall. */
void trop_fw_work_points(struct trop_case *c);

/* ---- hypotheses that several claims have (fw_judge.c), each with what breaks it ---- */

void trop_fw_judge_symmetric(struct trop_judge *judge, const struct trop_case *c);
/* Symmetric, least eigenvalue above 0 by more than rounding. */
void trop_fw_judge_positive(struct trop_judge *judge, const struct trop_case *c);
void trop_fw_judge_steps(struct trop_judge *judge, const struct trop_case *c);
void trop_fw_judge_classic(struct trop_judge *judge, const struct trop_case *c);
void trop_fw_judge_own_cells(struct trop_judge *judge, const struct trop_case *c);
void trop_fw_judge_one_cell(struct trop_judge *judge, const struct trop_case *c);
/* "points" are in the hull of the tokens. */
void trop_fw_judge_points(struct trop_judge *judge, const struct trop_case *c);

/* clang-format off */
#define TROP_FW_SYMMETRIC \
    { "symmetric", "B is symmetric", .judge = trop_fw_judge_symmetric, \
      .broken = "an entry off the diagonal of B is larger by 1", .edit = "B[0,1] += 1" }
#define TROP_FW_POSITIVE \
    { "positive", "B is symmetric and positive definite", .judge = trop_fw_judge_positive, \
      .broken = "an entry on the diagonal of B is -1", .edit = "B[0,0] = -1" }
#define TROP_FW_STEPS \
    { "step-sizes", "every gamma is between 0 and 1", .judge = trop_fw_judge_steps, \
      .broken = "one gamma is 1", .edit = "gamma[2] = 1" }
#define TROP_FW_OWN_CELLS \
    { "own-cells", "every vertex is in its own cell and in no other", \
      .judge = trop_fw_judge_own_cells, .broken = "a vertex that follows another one", \
      .edit = "tokens = {3 0; .5 1; -1 -1}; B = {1 0; 0 1}" }
#define TROP_FW_ONE_CELL \
    { "one-cell-each", "every token is in exactly one cell", .judge = trop_fw_judge_one_cell, \
      .broken = "a square with a token on a wall", \
      .edit = "tokens = {1 0; 0 1; -1 0; 0 -1; .25 .25}; B = {1 0; 0 1}" }
#define TROP_FW_INSIDE \
    { "points-inside", "the points are in the hull", .judge = trop_fw_judge_points, \
      .broken = "a point is 100 to the side", .edit = "points[0,0] += 100" }
/* clang-format on */

/* The first token of the last step of "path" moved by 1e-6. */
#define TROP_FW_NUDGE \
    { \
        "a token of the last step moved by 1e-6", NULL, .edit = "path[-1,0,0] += 1e-6" \
    }

/* ---- the claims ---- */

extern const struct trop_claim trop_fw_rem_limit, trop_fw_rem_limit_repaired, trop_fw_rem_argmax,
    trop_fw_rem_gap, trop_fw_lem_leader, trop_fw_rem_merge, trop_fw_lem_hull,
    trop_fw_lem_hull_repaired, trop_fw_rem_sparsity, trop_fw_rem_sparsity_repaired, trop_fw_thm_3_1,
    trop_fw_thm_3_1_repaired, trop_fw_thm_3_1_gap, trop_fw_prop_trash, trop_fw_rem_energy,
    trop_fw_thm_4_2, trop_fw_rate_exponential, trop_fw_rate_exponential_repaired,
    trop_fw_rate_superexp, trop_fw_prop_dimension, trop_fw_rem_wendel, trop_fw_rem_own_cell,
    trop_fw_rem_own_cell_weak, trop_fw_rem_own_cell_repaired, trop_fw_rem_angle, trop_fw_lem_cells,
    trop_fw_lem_cells_general, trop_fw_prop_4_5, trop_fw_rem_power, trop_fw_thm_ode,
    trop_fw_rem_time, trop_fw_rem_scaling, trop_fw_rem_scaling_beta, trop_fw_rem_sphere;

#endif
