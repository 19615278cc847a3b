/* proof_margin_problem.c -- a max-margin problem in a proof file: the data and the selection from
 * which the checker makes the constraints itself, or, of graphs and of problems that were given,
 * the constraints as they stand. */
#include "run/proof/proof_internal.h"
#include "run/proof/proof_margin.h"

#include "base/alloc.h"
#include "base/option.h"
#include "base/status.h"
#include "margin/norm.h"

void trop_proof_margin_norm(struct trop_proof *proof, const struct trop_margin *margin)
{
    trop_proof_text(proof, "norm", trop_norm_of(margin->options.norm)->name);
    if (margin->options.norm == TROP_MARGIN_LP) {
        trop_proof_double(proof, "p", margin->options.p);
    } else {
        trop_proof_null(proof, "p");
    }
}

/* ---- constraints as they stand --------------------------------------------------------------- */

static void put_constraints(struct trop_proof *proof, const struct trop_problem *problem)
{
    const int64_t m = problem->count;

    trop_proof_input(proof, "points", "points", problem->point, problem->points, problem->rows);
    trop_proof_input(proof, "queries", "queries", problem->query, problem->queries,
                     problem->columns);
    trop_proof_integers(proof, "plus", problem->plus, m, -1);
    trop_proof_integers(proof, "minus", problem->minus, m, -1);
    trop_proof_integers(proof, "asked", problem->asked, m, -1);
    trop_proof_integers(proof, "equal", problem->equal, m, -1);
    trop_proof_input(proof, "right", "right", problem->right, m, -1);
}

/* ---- data ------------------------------------------------------------------------------------ */

static void put_input(struct trop_proof *proof, const char *name, const double *values,
                      int64_t rows, int64_t columns)
{
    if (values) {
        trop_proof_input(proof, name, name, values, rows, columns);
    } else {
        trop_proof_null(proof, name);
    }
}

static void put_flags(struct trop_proof *proof, const char *name, const int64_t *flags,
                      int64_t count)
{
    if (flags) {
        trop_proof_integers(proof, name, flags, count, -1);
    } else {
        trop_proof_null(proof, name);
    }
}

/* The first token of each share of Gen-SVM, and which ones belong to it: (inputs), (inputs, T). */
static void shares_of(int64_t *select, int64_t *shares, const struct trop_margin *margin)
{
    const int64_t T = margin->data.data.T;

    for (int64_t i = margin->inputs - 1; i >= 0; i--) {
        for (int64_t t = T - 1; t >= 0; t--) {
            shares[i * T + t] = margin->weights[i * T + t] > 0;
            select[i] = shares[i * T + t] ? t : select[i];
        }
    }
}

/* Tokens that need not lose, because they may be selected as well: (inputs, T). */
static void ties_of(int64_t *ties, const struct trop_margin *margin)
{
    for (int64_t i = 0; i < margin->inputs; i++) {
        for (int64_t k = margin->picks.first[i]; k < margin->picks.first[i + 1]; k++) {
            ties[i * margin->data.data.T + margin->picks.token[k]] = 1;
        }
    }
}

static int has_ties(const struct trop_margin *margin)
{
    return margin->picks.inputs > 0 && margin->picks.first[margin->inputs] > margin->inputs &&
           margin->model != TROP_MODEL_LABEL;
}

/* flags: (inputs, T) scratch, select: (inputs) scratch. */
static void put_data(struct trop_proof *proof, const struct trop_margin *margin, int64_t *flags,
                     int64_t *select)
{
    const struct trop_data *data = &margin->data.data;
    const int64_t all = data->n * data->T, table = margin->inputs * data->T;
    const int prompt = margin->model == TROP_MODEL_PROMPT;
    const int asks = margin->model == TROP_MODEL_CROSS || margin->model == TROP_MODEL_SEQUENCE;

    trop_proof_text(proof, "model",
                    trop_option_find(trop_margin_option_table(), "model")->names[margin->model]);
    trop_proof_integer(proof, "n", data->n);
    trop_proof_integer(proof, "T", data->T);
    trop_proof_text(proof, "mask", margin->options.mask == TROP_MASK_CAUSAL ? "causal" : "full");
    trop_proof_integer(proof, "row", margin->options.row);
    put_input(proof, "tokens", data->x, all, data->d);
    put_input(proof, "keys", prompt ? data->k : NULL, all, data->dk);
    put_input(proof, "queries", asks ? data->z : NULL, data->n * data->queries, data->d);
    put_input(proof, "labels", data->labels == 1 ? data->y : NULL, data->n, -1);
    put_input(proof, "decoder", data->heads <= 1 ? data->v : NULL, data->d, -1);
    if (margin->weights) {
        shares_of(select, flags, margin);
    }
    trop_proof_integers(proof, "select", margin->weights ? select : margin->alpha, margin->inputs,
                        -1);
    put_flags(proof, "relaxed", margin->relaxed, data->n);
    put_flags(proof, "shares", margin->weights ? flags : NULL, table);
    if (!margin->weights && has_ties(margin)) {
        ties_of(flags, margin);
    }
    put_flags(proof, "ties", !margin->weights && has_ties(margin) ? flags : NULL, table);
}

enum trop_status trop_proof_margin_problem(struct trop_proof *proof,
                                           const struct trop_margin *margin)
{
    const struct trop_data *data = &margin->data.data;
    const int stands = data->n == 0 || !data->x || margin->model == TROP_MODEL_GRAPH;
    enum trop_status status = TROP_OK;

    trop_json_open(&proof->claims, "problem", '{');
    if (stands) {
        put_constraints(proof, &margin->solved.made.problem);
    } else {
        int64_t *flags = trop_alloc(trop_alloc_product(margin->inputs, data->T), sizeof *flags);
        int64_t *select = trop_alloc(margin->inputs, sizeof *select);
        if (flags && select) {
            put_data(proof, margin, flags, select);
        } else {
            status = trop_fail(TROP_ERR_MEMORY, "proof: no memory for a selection");
        }
        TROP_FREE(flags, select);
    }
    trop_json_close(&proof->claims, '}');
    return status;
}
