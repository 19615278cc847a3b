/* fw_beta.h -- the claims of the Frank-Wolfe paper at finite beta, and what they share.
 *
 *   SA_beta   x_i <- (1 - gamma) x_i + gamma sum_j a_ij x_j,   a_ij = softmax_j(beta <x_i, x_j>)
 *   SA_P      x_i <- (1 - gamma) x_i + gamma x_j,  j drawn with probability a_ij
 */
#ifndef TROP_CLAIM_FW_BETA_H
#define TROP_CLAIM_FW_BETA_H

#include "claim/fw/fw.h"
#include "claim/sample.h"

extern const struct trop_claim trop_fw_rem_preconditioner, trop_fw_rem_preconditioner_scalar,
    trop_fw_prop_origin, trop_fw_prop_origin_printed, trop_fw_prop_origin_sharp,
    trop_fw_rem_chain_gumbel, trop_fw_rem_chain_hull, trop_fw_thm_5_2, trop_fw_thm_5_2_universal,
    trop_fw_rem_erosion, trop_fw_lem_group, trop_fw_lem_drift, trop_fw_lem_tail, trop_fw_thm_5_4,
    trop_fw_thm_5_4_repaired, trop_fw_prop_geometric, trop_fw_rate_escape, trop_fw_rate_escape_flow,
    trop_fw_rem_polygon, trop_fw_rem_polygon_square, trop_fw_rem_slow_field, trop_fw_rem_slow_time,
    trop_fw_rem_modified, trop_fw_tab_beta_arrival, trop_fw_tab_beta_exit, trop_fw_tab_beta_radius;

/* ---- evaluations that owe nothing to the flow's code ---- */

/* weights (n): a_ij of token i. */
void trop_fw_beta_weights(double *weights, struct trop_view x, int64_t i, double beta);

/* How far rounding moves a token of this cloud in one step, at most. */
double trop_fw_beta_rounding(struct trop_view x, double beta);
/* trop_tokens_allow by the diameter of these tokens, or by their radius when they are in one place:
 * large beta makes errors grow past everything that is measured. */
double trop_fw_beta_allow(double allowance, struct trop_view x);
/* What an error of the tokens x is after a step. */
double trop_fw_beta_error_after(double error, struct trop_view x, double beta, double gamma);
/* How far a token of a softmax path (steps + 1, n, d) may be from exact arithmetic after so many
 * steps, to first order. */
double trop_fw_beta_error(struct trop_view path, int64_t steps, double beta, double gamma);

/* ---- flows ---- */

/* The softmax layer by the numbers of a case: options of trop_case_path. */
#define TROP_FW_BETA_FLOW "rule=softmax beta=@beta gamma=@gamma"
/* Runs independent chains by the numbers beta, gamma and runs of the case and puts where they end:
 * "ends" (runs, n, d). use names the random numbers of the case. */
void trop_fw_beta_ends(struct trop_case *c, int64_t steps, int64_t use);
/* A seed for chain k, derived from the case. */
uint64_t trop_fw_beta_seed(const struct trop_case *c, int64_t use, int64_t k);

/* ---- exits ---- */

/* "survival" (points, 2) and "open", by the numbers beta, gamma, radius and runs of the case. */
void trop_fw_beta_survive(struct trop_case *c);
/* With probability 1 - 1e-6 the curve of so many runs is within this of the law's everywhere. */
double trop_fw_beta_band(int64_t runs);

/* ---- fw_thm_5_4_law.c: "exact" (times, 2), t and log P[T_2 < t], where the law is known ---- */

void trop_fw_thm_5_4_geometric(struct trop_case *c);
void trop_fw_thm_5_4_three(struct trop_case *c);

/* ---- clouds ---- */

/* "beta" = exponent/R^2 unless it is given, R the largest norm of the tokens: beta <x_i, x_j> is
 * between -exponent and exponent. */
void trop_fw_beta_exponent(struct trop_case *c, double exponent);
/* A regular polygon around the origin, "tokens" (kappa, 2) unless the case has them. */
void trop_fw_beta_polygon(struct trop_case *c, int64_t kappa, double radius);
/* Its radius r, and its c0 = r^2 (1 - cos(2 pi/kappa)). */
double trop_fw_beta_radius(const struct trop_case *c);
double trop_fw_beta_polygon_c0(const struct trop_case *c);
/* out (d + 1, d): a simplex with acute angles and vertices at this distance from the origin. */
void trop_fw_beta_simplex(double *out, const struct trop_case *c, int64_t d, double radius);

/* "kappa" = d + 1 unless it is given: the first kappa tokens are the vertices of the hull. */
void trop_fw_beta_vertices(struct trop_case *c);

/* min <v_i, v_i - v_j> of vertices (kappa, d). */
double trop_fw_beta_c0(struct trop_view v);
/* Constants of a cloud whose first kappa tokens are its vertices. */
struct trop_fw_beta_constants {
    double c0, radius, diameter; /* min <v_i, v_i - v_j>, max |v_i|, d(K) */
    double rho, m;               /* largest and least distance of a further token to its vertex */
    double tau, first;           /* tau and T_1 of theorem 5.2; NaN without further tokens */
};

struct trop_fw_beta_constants trop_fw_beta_constants(const struct trop_case *c);
/* The vertex that token i scores highest with. */
int64_t trop_fw_beta_label(const struct trop_case *c, int64_t i);

/* ---- hypotheses, each with what breaks it ---- */

void trop_fw_beta_assume_acute(struct trop_judge *judge, const struct trop_case *c);
void trop_fw_beta_assume_equal_norms(struct trop_judge *judge, const struct trop_case *c);
void trop_fw_beta_assume_gap(struct trop_judge *judge, const struct trop_case *c);
/* The tokens are a regular polygon around the origin, each at its corner up to this share of the
 * radius. */
#define TROP_FW_BETA_CORNER (8 * DBL_EPSILON)
void trop_fw_beta_assume_polygon(struct trop_judge *judge, const struct trop_case *c);
/* Of a polygon: eps is less than what a token moves by that picks another corner. */
void trop_fw_beta_assume_one_crossing(struct trop_judge *judge, const struct trop_case *c);

#define TROP_FW_BETA_STEP_SIZE \
    { \
        "step-size", "gamma is in (0, 1]", .holds = "gamma > 0; gamma <= 1", \
                                           .broken = "gamma = 3/2", .edit = "gamma = 1.5" \
    }
#define TROP_FW_BETA_NOT_NEGATIVE \
    { \
        "beta", "beta >= 0", .holds = "beta >= 0", .broken = "beta is negative", \
                             .edit = "beta *= -1" \
    }
/* Vertices; what breaks two of them are three of the plane, with an eps that is large enough. */
#define TROP_FW_BETA_ACUTE \
    { \
        "acute", "angles between vertices are acute", .judge = trop_fw_beta_assume_acute, \
                                                      .broken = "an obtuse triangle", \
                                                      .edit = "tokens = {1 0; .6 .8; -.6 .8};" \
                                                              "kappa = 3; radius = 5 * gamma" \
    }
#define TROP_FW_BETA_EQUAL_NORMS \
    { \
        "equal-norms", "vertices have equal norms", \
            .judge = trop_fw_beta_assume_equal_norms, \
            .broken = "a vertex one per cent farther out", \
            .edit = "tokens = {1.01 0; -.6 .8; -.6 -.8}; kappa = 3;" \
                    "radius = 5 * gamma" \
    }
#define TROP_FW_BETA_GAP \
    { \
        "gap", "c0 > 0", .judge = trop_fw_beta_assume_gap \
    }
#define TROP_FW_BETA_COMPLETE \
    { \
        "complete", "every run has its exit", .holds = "runs without exit: open <= 0", .late = 1, \
                                              .broken = "a run without exit", .edit = "open = 1" \
    }
#define TROP_FW_BETA_POLYGON \
    { \
        "polygon", "one token at each corner of a regular polygon", \
            .judge = trop_fw_beta_assume_polygon, .broken = "a corner one per cent farther out", \
            .edit = "tokens[0] *= 1.01" \
    }

#define TROP_FW_BETA_ONE_CROSSING \
    { \
        "one-crossing", "0 < eps < gamma times a side", \
            .judge = trop_fw_beta_assume_one_crossing, \
            .broken = "eps one per cent above gamma times a side", \
            .edit = "radius = 1.01 * gamma * " \
                    "((tokens[0,0] - tokens[1,0])^2 + (tokens[0,1] - tokens[1,1])^2)^.5" \
    }

/* A line for each of the points (count, d): its distance from the hull of the cloud (n, d) is at
 * most reach. The distance is the proved lower bound of trop_hull_place. */
void trop_fw_beta_judge_inside(struct trop_judge *judge, const struct trop_case *c,
                               const char *name, int64_t step, struct trop_view cloud,
                               struct trop_view points, double reach, double allowance);

#endif
