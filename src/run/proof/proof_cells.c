/* proof_cells.c -- what is proved of a cloud: kinds of claims of the verb cells. */
#include "run/proof/proof.h"

#include "shape/cells/cells_internal.h"

/* ---- origin-outside: a direction in which every token is below 0 ------------------------------
 */

static int64_t outside_count(const struct trop_job *job)
{
    const struct trop_cells *cells = job->numbers;

    return cells->origin.side == TROP_SIDE_OUTSIDE;
}

static enum trop_status outside_write(struct trop_proof *proof, const struct trop_job *job,
                                      int64_t k)
{
    const struct trop_cells *cells = job->numbers;

    (void)k;
    trop_proof_says(proof,
                    "The origin is outside the convex hull of the %lld tokens in dimension %lld.",
                    (long long)cells->n, (long long)cells->d);
    trop_proof_symbols(proof, "0 is not in conv{x_1, ..., x_n}");
    trop_proof_input(proof, "tokens", "tokens", cells->x, cells->n, cells->d);
    trop_proof_witness(proof);
    trop_proof_doubles(proof, "direction", cells->origin_direction, cells->d, -1);
    return TROP_OK;
}

const struct trop_proof_kind trop_proof_cells[] = {
    { "origin-outside", outside_count, outside_write },
    { 0 },
};
