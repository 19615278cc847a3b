/* margin_report.c -- a max-margin solution by name: the table, and what fills it. */
#include "margin/margin.h"

#include "base/field.h"

#include <math.h>

#define MARGIN \
    const struct trop_margin *m = handle; \
    (void)row
#define TRIAL \
    const struct trop_margin *m = handle; \
    const struct trop_margin_trial *t = m->view.trials + row
#define SOLVED (m->solved.outcome != TROP_OUTCOME_NONE)
#define FEASIBLE (SOLVED && isfinite(m->solved.proof.upper))
#define INFEASIBLE (m->solved.outcome == TROP_OUTCOME_INFEASIBLE)

/* ---- kinds ------------------------------------------------------------------------------- */

/* What is not known is null. */
static void number(struct trop_value *out, double value)
{
    if (!isnan(value)) {
        trop_field_number(out, value);
    }
}

static void truth(struct trop_value *out, int64_t value)
{
    switch ((enum trop_selection_answer)value) {
    case TROP_SELECTION_NO:
    case TROP_SELECTION_YES:
        trop_field_boolean(out, value == TROP_SELECTION_YES);
        break;
    case TROP_SELECTION_AMBIGUOUS:
        trop_field_text(out, "ambiguous");
        break;
    case TROP_SELECTION_UNDECIDABLE:
        break;
    }
}

static void outcome(struct trop_value *out, int64_t value)
{
    static const char *const names[] = { "solved", "infeasible", "stalled", "iteration-limit",
                                         "none" };

    trop_field_text(out, names[value]);
}

/* ---- the optimum ---------------------------------------------------------------------------- */

TROP_FIELD(read_outcome)
{
    MARGIN;
    outcome(out, m->solved.outcome);
}

/* Of a problem that is neither solved nor refuted it is not known. */
TROP_FIELD(read_norm)
{
    MARGIN;
    if (FEASIBLE || INFEASIBLE) {
        trop_field_number(out, m->solved.proof.upper);
    }
}

TROP_FIELD(read_upper)
{
    MARGIN;
    if (SOLVED) {
        trop_field_number(out, m->solved.proof.upper);
    }
}

TROP_FIELD(read_margin)
{
    MARGIN;
    if (FEASIBLE || INFEASIBLE) {
        trop_field_number(out, 1 / m->solved.proof.upper);
    }
}

TROP_FIELD(read_lower)
{
    MARGIN;
    if (SOLVED) {
        trop_field_number(out, m->solved.proof.lower);
    }
}

TROP_FIELD(read_gap)
{
    MARGIN;
    if (FEASIBLE) {
        trop_field_number(out, m->solved.proof.gap);
    }
}

TROP_FIELD(read_tolerance)
{
    MARGIN;
    if (FEASIBLE) {
        trop_field_number(out, m->solved.tolerance);
    }
}

TROP_FIELD(read_kappa)
{
    MARGIN;
    if (FEASIBLE) {
        trop_field_number(out, m->solved.proof.kappa);
    }
}

TROP_FIELD(read_iterations)
{
    MARGIN;
    trop_field_integer(out, m->solved.iterations);
}

TROP_FIELD(read_constraints)
{
    MARGIN;
    trop_field_integer(out, m->solved.made.problem.count);
}

/* ---- weights ----------------------------------------------------------------------------------
 */

static void vector(struct trop_value *out, const struct trop_margin *m)
{
    trop_field_numbers(out, m->solved.w, m->solved.made.problem.rows, "coordinate");
}

/* A problem that was read as it stands has a vector p when it has one column. */
static int is_prompt(const struct trop_margin *m)
{
    return m->model == TROP_MODEL_PROMPT ||
           (m->model == TROP_MODEL_AUTO && m->solved.made.problem.columns == 1);
}

TROP_FIELD(read_p)
{
    MARGIN;
    if (FEASIBLE && is_prompt(m)) {
        vector(out, m);
    }
}

TROP_FIELD(read_v)
{
    MARGIN;
    if (FEASIBLE && m->model == TROP_MODEL_LABEL) {
        vector(out, m);
    }
}

TROP_FIELD(read_w)
{
    MARGIN;
    if (FEASIBLE && !is_prompt(m) && m->model != TROP_MODEL_LABEL) {
        trop_field_table_of(out, m->solved.w, m->solved.made.problem.rows,
                            m->solved.made.problem.columns, "row", "column");
    }
}

TROP_FIELD(read_left)
{
    MARGIN;
    if (FEASIBLE && m->solved.rank > 0) {
        trop_field_table_of(out, m->solved.left, m->solved.made.problem.rows, m->solved.rank, "row",
                            "factor");
    }
}

TROP_FIELD(read_right)
{
    MARGIN;
    if (FEASIBLE && m->solved.rank > 0) {
        trop_field_table_of(out, m->solved.right, m->solved.made.problem.columns, m->solved.rank,
                            "column", "factor");
    }
}

TROP_FIELD(read_finite)
{
    MARGIN;
    const struct trop_problem *problem = &m->finite.made.problem;
    if (m->finite.w && m->finite.outcome == TROP_OUTCOME_SOLVED) {
        trop_field_table_of(out, m->finite.w, problem->rows, problem->columns, "row", "column");
    }
}

TROP_FIELD(read_finite_outcome)
{
    MARGIN;
    if (SOLVED && m->finite.w) {
        outcome(out, m->finite.outcome);
    }
}

TROP_FIELD(read_finite_norm)
{
    MARGIN;
    if (m->finite.w && m->finite.outcome == TROP_OUTCOME_SOLVED) {
        trop_field_number(out, m->finite.proof.upper);
    }
}

/* ---- support, rank, selection ------------------------------------------------------------------
 */

TROP_FIELD(read_alpha)
{
    MARGIN;
    if (m->alpha) {
        trop_field_integers(out, m->alpha, m->inputs, "input");
    }
}

TROP_FIELD(read_support)
{
    MARGIN;
    if (FEASIBLE) {
        *out = (struct trop_value){
            .kind = TROP_KIND_INTEGERS,
            .integers = m->view.support,
            .rank = 2,
            .shape = { m->view.supports, 2 },
            .axes = { "constraint", "pair" },
        };
    }
}

TROP_FIELD(read_doubtful)
{
    MARGIN;
    if (FEASIBLE) {
        trop_field_integer(out, m->view.doubtful);
    }
}

TROP_FIELD(read_multipliers)
{
    MARGIN;
    if (SOLVED) {
        trop_field_numbers(out, m->solved.lambda, m->solved.made.problem.count, "constraint");
    }
}

TROP_FIELD(read_rank)
{
    MARGIN;
    if (FEASIBLE && m->view.rank >= 0) {
        trop_field_integer(out, m->view.rank);
    }
}

TROP_FIELD(read_rank_upper)
{
    MARGIN;
    if (FEASIBLE && m->view.rank_upper >= 0) {
        trop_field_integer(out, m->view.rank_upper);
    }
}

TROP_FIELD(read_rank_tail)
{
    MARGIN;
    if (FEASIBLE && m->view.rank_upper >= 0) {
        number(out, m->view.rank_tail);
    }
}

TROP_FIELD(read_local)
{
    MARGIN;
    if (FEASIBLE) {
        truth(out, m->view.local);
    }
}

TROP_FIELD(read_score_gap)
{
    MARGIN;
    if (FEASIBLE) {
        number(out, m->view.score_gap);
    }
}

TROP_FIELD(read_score_pair)
{
    MARGIN;
    if (FEASIBLE && isfinite(m->view.score_gap)) {
        trop_field_integers(out, m->view.score_pair, 2, "pair");
    }
}

/* ---- the certificate
 * ------------------------------------------------------------------------------ */

TROP_FIELD(read_kind)
{
    static const char *const proofs[] = {
        [TROP_MARGIN_FARKAS_NONE] = "none",
        [TROP_MARGIN_FARKAS_ROW] = "zero-row",
        [TROP_MARGIN_FARKAS_EXACT] = "farkas-exact",
        [TROP_MARGIN_FARKAS_SOLVE] = "farkas-enclosed",
    };
    MARGIN;
    if (INFEASIBLE) {
        trop_field_text(out, proofs[m->solved.farkas.kind]);
    } else if (SOLVED) {
        trop_field_text(out, FEASIBLE ? "duality" : "lower-bound");
    }
}

TROP_FIELD(read_shown)
{
    MARGIN;
    if (INFEASIBLE) {
        trop_field_integers(out, m->solved.shown, m->solved.farkas.count, "constraint");
    }
}

TROP_FIELD(read_tau)
{
    MARGIN;
    if (SOLVED && !FEASIBLE && isfinite(m->solved.farkas.tau) && m->solved.farkas.tau > 0) {
        trop_field_number(out, m->solved.farkas.tau);
    }
}

TROP_FIELD(read_least)
{
    MARGIN;
    if (FEASIBLE) {
        number(out, m->solved.proof.margin);
    }
}

/* ---- cone and assumptions
 * --------------------------------------------------------------------------- */

#define VIEW_NUMBER(name) \
    TROP_FIELD(read_##name) \
    { \
        MARGIN; \
        if (FEASIBLE) { \
            number(out, m->view.name); \
        } \
    }
#define VIEW_TRUTH(name) \
    TROP_FIELD(read_##name) \
    { \
        MARGIN; \
        if (FEASIBLE) { \
            truth(out, m->view.name); \
        } \
    }

VIEW_NUMBER(theta)
VIEW_NUMBER(delta)
VIEW_NUMBER(mu)
VIEW_NUMBER(radius)
VIEW_NUMBER(mean_margin)
VIEW_TRUTH(equal_scores)
VIEW_TRUTH(all_support)
VIEW_TRUTH(first_step)
VIEW_TRUTH(margin_shrinks)
VIEW_NUMBER(shrinkage)
VIEW_TRUTH(mixing_hurts)
VIEW_TRUTH(others_blocked)
#undef VIEW_NUMBER
#undef VIEW_TRUTH

/* ---- a direction
 * ------------------------------------------------------------------------------------- */

TROP_FIELD(read_direction_alpha)
{
    MARGIN;
    if (m->view.direction_alpha) {
        trop_field_integers(out, m->view.direction_alpha, m->inputs, "input");
    }
}

TROP_FIELD(read_direction_margin)
{
    MARGIN;
    if (m->view.direction_alpha) {
        number(out, m->view.direction_margin);
    }
}

TROP_FIELD(read_direction_neighbours)
{
    MARGIN;
    if (m->view.direction_alpha) {
        trop_field_integer(out, m->view.direction_neighbours);
    }
}

TROP_FIELD(read_direction_optimal)
{
    MARGIN;
    if (m->view.direction_alpha) {
        truth(out, m->view.direction_optimal);
    }
}

/* ---- several selections
 * --------------------------------------------------------------------------------- */

TROP_FIELD(read_combinations)
{
    MARGIN;
    trop_field_integer(out, m->combinations);
}

TROP_FIELD(read_feasible)
{
    MARGIN;
    if (SOLVED) {
        trop_field_integer(out, m->feasible);
    }
}

TROP_FIELD(read_selections)
{
    MARGIN;
    if (m->view.trials) {
        trop_field_list(out, m->view.listed);
    }
}

TROP_FIELD(trial_alpha)
{
    TRIAL;
    (void)t;
    trop_field_integers(out, m->view.trial_alpha + row * m->inputs, m->inputs, "input");
}

TROP_FIELD(trial_norm)
{
    TRIAL;
    trop_field_number(out, t->norm);
}

TROP_FIELD(trial_outcome)
{
    TRIAL;
    outcome(out, t->outcome);
}

TROP_FIELD(trial_local)
{
    TRIAL;
    truth(out, t->local);
}

TROP_FIELD(trial_gap)
{
    TRIAL;
    number(out, t->gap);
}

static const struct trop_field trial_table[] = {
    { "alpha", "the token that each input selects", trial_alpha, NULL },
    { "norm", "of its solution", trial_norm, NULL },
    { "outcome", "solved, stalled or iteration-limit", trial_outcome, NULL },
    { "locally_optimal", "true, or ambiguous", trial_local, NULL },
    { "score_gap", "least, over its support", trial_gap, NULL },
    { 0 },
};

/* ---- the table
 * -------------------------------------------------------------------------------------------- */

static const struct trop_field table[] = {
    { "outcome",
      "solved, infeasible (with a proof), stalled or iteration-limit (the bounds hold all the "
      "same)",
      read_outcome, NULL },
    { "norm", "the optimal norm, as upper; inf when infeasible", read_norm, NULL },
    { "margin", "1 / norm", read_margin, NULL },
    { "lower", "proved: the optimal norm is at least this", read_lower, NULL },
    { "upper", "proved: it is at most this; the weights attain it", read_upper, NULL },
    { "gap", "upper / lower - 1", read_gap, NULL },
    { "tolerance",
      "largest gap of a solution: what was asked for, or 8 u kappa if that is more; of several "
      "selections as good as each other, the largest of theirs",
      read_tolerance, NULL },
    { "kappa", "max_j |A_j| |W|, how far rounding is magnified", read_kappa, NULL },
    { "weights.p", "of prompt (d)", read_p, NULL },
    { "weights.W", "of models with a matrix (d, d): logits x' W z", read_w, NULL },
    { "weights.v", "of label (d)", read_v, NULL },
    { "factors.K", "of the nuclear norm (d, rank): W = K Q'", read_left, NULL },
    { "factors.Q", "of the nuclear norm (d, rank)", read_right, NULL },
    { "finite.W", "W_fin of selected sets with attention: least Frobenius norm", read_finite,
      NULL },
    { "finite.outcome", "of its equations, as above", read_finite_outcome, NULL },
    { "finite.norm", "its Frobenius norm", read_finite_norm, NULL },
    { "alpha", "the token that each input selects; of sequence input i T + k is place k of input i",
      read_alpha, NULL },
    { "support",
      "inequalities that hold with equality, equations apart: [input, token]; of graph [last word, "
      "word that loses]; of l1, linf, nuclear and spectral, where optima can be many, those of the "
      "returned W",
      read_support, NULL },
    { "support_doubtful", "inequalities of which the accuracy does not say whether they do",
      read_doubtful, NULL },
    { "multipliers",
      "of the constraints in their order (input after input, token after token), scaled to "
      "|A' lambda|_dual = 1",
      read_multipliers, NULL },
    { "constraints", "how many there are", read_constraints, NULL },
    { "rank", "of W: columns of the factors (nuclear); proved to be at least this (l2)", read_rank,
      NULL },
    { "rank_upper", "the rank is exact when this is the same", read_rank_upper, NULL },
    { "rank_tail", "at most this share of any optimal norm lies beyond rank_upper directions",
      read_rank_tail, NULL },
    { "locally_optimal",
      "selected tokens score higher than those of the support: true, false or ambiguous; with "
      "relaxed inputs null; of l1, linf, nuclear and spectral that of the returned W",
      read_local, NULL },
    { "score_gap",
      "least difference of scores over the support and what may be of it; inf when both are empty",
      read_score_gap, NULL },
    { "score_gap_at", "input and token that attain it", read_score_pair, NULL },
    { "iterations", "of all solvers", read_iterations, NULL },
    { "certificate.kind",
      "duality, lower-bound (no more is proved), zero-row, farkas-exact or farkas-enclosed",
      read_kind, NULL },
    { "certificate.rows", "constraints that contradict each other", read_shown, NULL },
    { "certificate.tau",
      "|A' lambda| of multipliers of sum 1: the norm is at least 1 / tau; not of exact proofs",
      read_tau, NULL },
    { "certificate.margin", "least margin of the weights, rounded down", read_least, NULL },
    { "cone.theta", "1 / norm, of the cone of P1 eq. 32 (l2)", read_theta, NULL },
    { "cone.delta", "half the least margin between support and other tokens", read_delta, NULL },
    { "cone.mu", "its width: from directions with cosine >= 1 - mu and norms ...", read_mu, NULL },
    { "cone.radius", "... of at least this, gradient descent converges to this solution",
      read_radius, NULL },
    { "assumptions.equal_scores", "P1 B, P2 B.2: tokens that are not optimal score the same",
      read_equal_scores, NULL },
    { "assumptions.all_support", "P2 B.1: every token is support; with relaxed inputs null",
      read_all_support, NULL },
    { "assumptions.mean_margin", "over constraints with right side 1; P2 takes below 1.1 for B.1",
      read_mean_margin, NULL },
    { "assumptions.first_step", "P2 C: the first step of gradient descent from 0 separates",
      read_first_step, NULL },
    { "assumptions.margin_shrinks",
      "P1 C: mixing other tokens in lowers the label margin; decided where the selected tokens "
      "times their labels are one vector, null otherwise",
      read_margin_shrinks, NULL },
    { "assumptions.shrinkage", "P1 C: by at least this times the largest mass on other tokens",
      read_shrinkage, NULL },
    { "assumptions.mixing_hurts",
      "P1 D, of linear heads: where attention puts less on tokens that are not optimal, the loss "
      "is lower",
      read_mixing_hurts, NULL },
    { "assumptions.others_blocked",
      "P2 D (with enumerate): every other selection with a solution has an input where it is not "
      "optimal and the optimal token is support; stronger than no other being locally optimal",
      read_others_blocked, NULL },
    { "direction.alpha", "tokens that the given direction selects, -1: a tie", read_direction_alpha,
      NULL },
    { "direction.margin", "of the direction at unit length", read_direction_margin, NULL },
    { "direction.neighbours", "tokens that attain it", read_direction_neighbours, NULL },
    { "direction.optimal", "they all score lower than the selected ones", read_direction_optimal,
      NULL },
    { "combinations", "selections that were tried", read_combinations, NULL },
    { "feasible", "of them with a solution", read_feasible, NULL },
    { "selections", "those that are locally optimal (with enumerate), smallest norm first",
      read_selections, trial_table },
    { 0 },
};

const struct trop_field *trop_margin_field_table(void)
{
    return table;
}
