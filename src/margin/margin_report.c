/* margin_report.c -- a max-margin solution by name. */
#include "margin/margin.h"

#include "base/field.h"

#include <math.h>

/* ---- when there is a value ------------------------------------------------------------------ */

#define WHEN(name, condition) \
    static int name(const void *handle, int64_t row) \
    { \
        const struct trop_margin *m = handle; \
        (void)row; \
        return condition; \
    }

static int is_feasible(const struct trop_margin_solved *solved)
{
    return solved->outcome != TROP_OUTCOME_NONE && isfinite(solved->proof.upper);
}

/* A problem that was read as it stands has a vector p when it has one column. */
static int is_prompt(const struct trop_margin *m)
{
    return m->model == TROP_MODEL_PROMPT ||
           (m->model == TROP_MODEL_AUTO && m->solved.made.problem.columns == 1);
}

WHEN(solved, m->solved.outcome != TROP_OUTCOME_NONE)
WHEN(feasible, is_feasible(&m->solved))
WHEN(infeasible, m->solved.outcome == TROP_OUTCOME_INFEASIBLE)
WHEN(decided, is_feasible(&m->solved) || m->solved.outcome == TROP_OUTCOME_INFEASIBLE)
WHEN(prompt, is_feasible(&m->solved) && is_prompt(m))
WHEN(label, is_feasible(&m->solved) && m->model == TROP_MODEL_LABEL)
WHEN(matrix, is_feasible(&m->solved) && !is_prompt(m) && m->model != TROP_MODEL_LABEL)
WHEN(factored, is_feasible(&m->solved) && m->solved.rank > 0)
WHEN(ranked, is_feasible(&m->solved) && m->view.rank_upper >= 0)
WHEN(rivalled, is_feasible(&m->solved) && isfinite(m->view.score_gap))
WHEN(bounded, m->solved.outcome != TROP_OUTCOME_NONE && !is_feasible(&m->solved) &&
                  isfinite(m->solved.farkas.tau) && m->solved.farkas.tau > 0)
WHEN(finite_asked, m->solved.outcome != TROP_OUTCOME_NONE && m->finite.w)
WHEN(finite_solved, m->finite.w && m->finite.outcome == TROP_OUTCOME_SOLVED)
WHEN(directed, m->view.direction_alpha != NULL)
WHEN(listed, m->view.trials != NULL)
#undef WHEN

/* ---- forms ---------------------------------------------------------------------------------- */

static const char *const outcomes[] = { "solved", "infeasible", "stalled", "iteration-limit",
                                        "none" };

static void inverse(struct trop_value *out, const void *member)
{
    trop_field_number(out, 1 / *(const double *)member);
}

/* Of the problem as it was solved: what its outcome rests on. */
static void proof(struct trop_value *out, const void *member)
{
    static const char *const proofs[] = {
        [TROP_MARGIN_FARKAS_NONE] = "none",
        [TROP_MARGIN_FARKAS_ROW] = "zero-row",
        [TROP_MARGIN_FARKAS_EXACT] = "farkas-exact",
        [TROP_MARGIN_FARKAS_SOLVE] = "farkas-enclosed",
    };
    const struct trop_margin_solved *of = member;

    trop_field_text(out, of->outcome == TROP_OUTCOME_INFEASIBLE ? proofs[of->farkas.kind]
                         : is_feasible(of)                      ? "duality"
                                                                : "lower-bound");
}

/* ---- the tables ----------------------------------------------------------------------------- */

#define AT(member) TROP_FIELD_AT(struct trop_margin, member)
#define NUMBER(member) .kind = TROP_KIND_NUMBER, AT(member)
#define INTEGER(member) .kind = TROP_KIND_INTEGER, AT(member)
#define NUMBERS(member) .kind = TROP_KIND_NUMBERS, AT(member)
#define INTEGERS(member) .kind = TROP_KIND_INTEGERS, AT(member)
#define OUTCOME(member) .kind = TROP_KIND_TEXT, AT(member), .names = outcomes
#define KNOWN(member) AT(member), .form = trop_field_known
#define ANSWER(member) AT(member), .form = trop_selection_told
#define ROW(member) \
    TROP_FIELD_THROUGH(struct trop_margin, view.trials, struct trop_margin_trial, member)
#define LENGTH(member) 0, offsetof(struct trop_margin, member)
#define ROWS(of) "row", LENGTH(of.made.problem.rows)
#define COLUMNS(of) "column", LENGTH(of.made.problem.columns)
#define PAIR "pair", 2, 0
#define TOLD .before = trop_margin_look_told

static const struct trop_field trial_table[] = {
    { "alpha", "the token that each input selects", INTEGERS(view.trial_alpha), .by_row = 1,
      .axes = { { "input", LENGTH(inputs) } } },
    { "norm", "norm of the solution for this selection", .kind = TROP_KIND_NUMBER, ROW(norm) },
    { "outcome", "solved, stalled or iteration-limit", .kind = TROP_KIND_TEXT, ROW(outcome),
      .names = outcomes },
    { "locally_optimal", "true, or ambiguous", ROW(local), .form = trop_selection_told },
    { "score_gap", "least, over its support", ROW(gap), .form = trop_field_known },
    { 0 },
};

static const struct trop_field table[] = {
    { "outcome",
      "solved, infeasible (with a proof), stalled or iteration-limit (the bounds hold all the "
      "same)",
      OUTCOME(solved.outcome) },
    { "norm", "the optimal norm, as upper; inf when infeasible", NUMBER(solved.proof.upper),
      .when = decided },
    { "margin", "1 / norm", AT(solved.proof.upper), .form = inverse, .when = decided },
    { "lower", "proved: the optimal norm is at least this", NUMBER(solved.proof.lower),
      .when = solved },
    { "upper", "proved: it is at most this; the weights attain it", NUMBER(solved.proof.upper),
      .when = solved },
    { "gap", "upper / lower - 1", NUMBER(solved.proof.gap), .when = feasible },
    { "tolerance",
      "largest gap of a solution: the requested gap, or 8 u kappa if that is more; of several "
      "selections as good as each other, the largest of theirs",
      NUMBER(solved.tolerance), .when = feasible },
    { "kappa", "max_j |A_j| |W|, how far rounding is magnified", NUMBER(solved.proof.kappa),
      .when = feasible },
    { "weights.p", "solution of the prompt model, a vector (d)", NUMBERS(solved.w), .when = prompt,
      .axes = { { "coordinate", LENGTH(solved.made.problem.rows) } } },
    { "weights.W", "solution of models with a matrix (d, d): the logits are x' W z",
      NUMBERS(solved.w), .when = matrix, .axes = { { ROWS(solved) }, { COLUMNS(solved) } } },
    { "weights.v", "solution of the label problem, a vector (d)", NUMBERS(solved.w), .when = label,
      .axes = { { "coordinate", LENGTH(solved.made.problem.rows) } } },
    { "factors.K", "nuclear norm: factor K (d, rank) of W = K Q'", NUMBERS(solved.left),
      .when = factored, .axes = { { ROWS(solved) }, { "factor", LENGTH(solved.rank) } } },
    { "factors.Q", "nuclear norm: factor Q (d, rank) of W = K Q'", NUMBERS(solved.right),
      .when = factored, .axes = { { COLUMNS(solved) }, { "factor", LENGTH(solved.rank) } } },
    { "finite.W", "W_fin of selected sets with attention: least Frobenius norm", NUMBERS(finite.w),
      .when = finite_solved, .axes = { { ROWS(finite) }, { COLUMNS(finite) } } },
    { "finite.outcome", "outcome of solving the equations for W_fin, with the words of outcome",
      OUTCOME(finite.outcome), .when = finite_asked },
    { "finite.norm", "Frobenius norm of W_fin", NUMBER(finite.proof.upper), .when = finite_solved },
    { "alpha", "the token that each input selects; of sequence input i T + k is place k of input i",
      INTEGERS(alpha), .axes = { { "input", LENGTH(inputs) } } },
    { "support",
      "inequalities that hold with equality, equations apart: [input, token]; of graph [last word, "
      "word that loses]; of l1, linf, nuclear and spectral, where optima can be many, those of the "
      "returned W",
      INTEGERS(view.support), TOLD, .when = feasible,
      .axes = { { "constraint", LENGTH(view.supports) }, { PAIR } } },
    { "support_doubtful",
      "number of inequalities for which the accuracy leaves open whether they belong to the "
      "support",
      INTEGER(view.doubtful), TOLD, .when = feasible },
    { "multipliers",
      "multipliers of the constraints in their order (input after input, token after token), "
      "scaled to |A' lambda|_dual = 1",
      NUMBERS(solved.lambda), .when = solved,
      .axes = { { "constraint", LENGTH(solved.made.problem.count) } } },
    { "constraints", "number of constraints", INTEGER(solved.made.problem.count) },
    { "rank",
      "rank of W: the number of columns of the factors (nuclear norm), or a proved lower bound "
      "(l2)",
      AT(view.rank), .form = trop_field_counted, TOLD, .when = feasible },
    { "rank_upper", "the rank is exact when this is the same", AT(view.rank_upper),
      .form = trop_field_counted, TOLD, .when = feasible },
    { "rank_tail",
      "at most this share of the norm of any optimum lies beyond rank_upper directions",
      KNOWN(view.rank_tail), TOLD, .when = ranked },
    { "locally_optimal",
      "selected tokens score higher than those of the support: true, false or ambiguous; with "
      "relaxed inputs null; of l1, linf, nuclear and spectral that of the returned W",
      ANSWER(view.local), TOLD, .when = feasible },
    { "score_gap",
      "least difference of scores over the support and what may be of it; inf when both are empty",
      KNOWN(view.score_gap), TOLD, .when = feasible },
    { "score_gap_at", "input and token that attain it", INTEGERS(view.score_pair), .inside = 1,
      TOLD, .when = rivalled, .axes = { { PAIR } } },
    { "iterations", "iterations of all solvers together", INTEGER(solved.iterations) },
    { "certificate.kind",
      "duality, lower-bound (no more is proved), zero-row, farkas-exact or farkas-enclosed",
      AT(solved), .form = proof, .when = solved },
    { "certificate.rows", "constraints that contradict each other", INTEGERS(solved.shown),
      .when = infeasible, .axes = { { "constraint", LENGTH(solved.farkas.count) } } },
    { "certificate.tau",
      "|A' lambda| of multipliers of sum 1: the norm is at least 1 / tau; not of exact proofs",
      NUMBER(solved.farkas.tau), .when = bounded },
    { "certificate.margin", "least margin of the weights, rounded down", KNOWN(solved.proof.margin),
      .when = feasible },
    { "cone.theta", "1 / norm, of the cone of P1 eq. 32 (l2)", KNOWN(view.theta), TOLD,
      .when = feasible },
    { "cone.delta", "half the least margin between support and other tokens", KNOWN(view.delta),
      TOLD, .when = feasible },
    { "cone.mu",
      "width of the cone: it holds the directions with cosine at least 1 - mu and norms ...",
      KNOWN(view.mu), TOLD, .when = feasible },
    { "cone.radius", "... of at least this, gradient descent converges to this solution",
      KNOWN(view.radius), TOLD, .when = feasible },
    { "assumptions.equal_scores", "P1 B, P2 B.2: tokens that are not optimal score the same",
      ANSWER(view.equal_scores), TOLD, .when = feasible },
    { "assumptions.all_support", "P2 B.1: every token is support; with relaxed inputs null",
      ANSWER(view.all_support), TOLD, .when = feasible },
    { "assumptions.mean_margin", "over constraints with right side 1; P2 takes below 1.1 for B.1",
      KNOWN(view.mean_margin), TOLD, .when = feasible },
    { "assumptions.first_step", "P2 C: the first step of gradient descent from 0 separates",
      ANSWER(view.first_step), TOLD, .when = feasible },
    { "assumptions.margin_shrinks",
      "P1 C: mixing other tokens in lowers the label margin; decided where the selected tokens "
      "times their labels are one vector, null otherwise",
      ANSWER(view.margin_shrinks), TOLD, .when = feasible },
    { "assumptions.shrinkage", "P1 C: by at least this times the largest mass on other tokens",
      KNOWN(view.shrinkage), TOLD, .when = feasible },
    { "assumptions.mixing_hurts",
      "P1 D, of linear heads: where attention puts less on tokens that are not optimal, the loss "
      "is lower",
      ANSWER(view.mixing_hurts), TOLD, .when = feasible },
    { "assumptions.others_blocked",
      "P2 D (with enumerate): every other selection with a solution has an input where it is not "
      "optimal and the optimal token is support; stronger than no other being locally optimal",
      ANSWER(view.others_blocked), .when = feasible },
    { "direction.alpha", "tokens that the given direction selects, -1: a tie",
      INTEGERS(view.direction_alpha), .axes = { { "input", LENGTH(inputs) } } },
    { "direction.others",
      "inputs in which it does not select the token of alpha: what follows from cosine on is then "
      "about the solution for other tokens",
      INTEGER(view.direction_others), .when = directed },
    { "direction.margin", "least lead of the tokens that it selects, over its l2 norm",
      KNOWN(view.direction_margin), .when = directed },
    { "direction.norm_margin", "the same over its norm in the norm of the problem",
      KNOWN(view.direction_norm_margin), .when = directed },
    { "direction.neighbours", "tokens that attain its own least lead",
      INTEGER(view.direction_neighbours), .when = directed },
    { "direction.optimal",
      "whether these neighbours score lower than the selected tokens; of other tokens it says "
      "nothing: locally_optimal of their solution does",
      ANSWER(view.direction_optimal), .when = directed },
    { "direction.cosine", "cosine of the direction with the solution; null when there is none",
      KNOWN(view.direction_cosine), .when = directed },
    { "direction.ratio",
      "least margin of the direction in the constraints of the problem over its norm, as a share "
      "of the best margin: 1 is a solution, below 0 selects other tokens",
      KNOWN(view.direction_ratio), .when = directed },
    { "direction.bregman",
      "directional Bregman divergence of the solution from the direction, of l2 and lp",
      KNOWN(view.direction_bregman), .when = directed },
    { "combinations", "selections that were tried", INTEGER(combinations) },
    { "feasible", "number of selections that have a solution", INTEGER(feasible), .when = solved },
    { "selections", "selections that are locally optimal (with enumerate), smallest norm first",
      .kind = TROP_KIND_LIST, AT(view.listed), .when = listed, .columns = trial_table },
    { 0 },
};

const struct trop_field *trop_margin_field_table(void)
{
    return table;
}
