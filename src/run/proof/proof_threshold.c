/* proof_threshold.c -- what is proved of the two ends of a bracket: kinds of claims of the verb
 * threshold. */
#include "run/proof/proof.h"

#include "base/alloc.h"
#include "base/status.h"
#include "flow/threshold.h"
#include "run/proof/proof_cloud.h"

#include <math.h>

static struct trop_threshold_ends ends_of(const struct trop_job *job)
{
    return trop_threshold_ends(job->numbers);
}

/* ---- ends that a run has proved -------------------------------------------------------------- */

static int met(const struct trop_flow *f)
{
    return f && !f->state.has_limits && f->verdict.certificate == TROP_FLOW_CERTIFICATE_CONSENSUS;
}

static int64_t count_of(const struct trop_job *job, int64_t kind)
{
    const struct trop_threshold_ends ends = ends_of(job);

    return trop_proof_lasts(ends.low, kind) + trop_proof_lasts(ends.high, kind);
}

/* Claim k of a kind is that of low, where low has it, and then that of high. */
static enum trop_status write_of(struct trop_proof *proof, const struct trop_job *job, int64_t k,
                                 int64_t kind)
{
    const struct trop_threshold_ends ends = ends_of(job);

    return k == 0 && trop_proof_lasts(ends.low, kind)
               ? trop_proof_lasting(proof, ends.low, "low")
               : trop_proof_lasting(proof, ends.high, "high");
}

static int64_t fixed_count(const struct trop_job *job)
{
    return count_of(job, TROP_QUIESCENCE_FIXED);
}

static enum trop_status fixed_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    return write_of(proof, job, k, TROP_QUIESCENCE_FIXED);
}

static int64_t consensus_count(const struct trop_job *job)
{
    return met(ends_of(job).high);
}

static enum trop_status consensus_write(struct trop_proof *proof, const struct trop_job *job,
                                        int64_t k)
{
    (void)k;
    return trop_proof_consensus(proof, ends_of(job).high, "high");
}

/* ---- T12: everybody hears everybody at once -------------------------------------------------- */

/* Scores must be those of B itself and not of a rounded B x: complete is the least that will do. */
static int64_t complete_count(const struct trop_threshold_ends *ends)
{
    return !ends->high && ends->complete && trop_flow_witness_plain(ends->cloud);
}

static enum trop_status complete_write(struct trop_proof *proof,
                                       const struct trop_threshold_ends *ends)
{
    const struct trop_flow *f = ends->cloud;
    const double gamma = f->gamma.a, epsilon = ends->epsilon;
    struct trop_flow_witness w = {
        .live = f->n,
        .x = f->initial,
        .groups = 1,
        .later = { .gamma_low = gamma,
                   .gamma_high = gamma,
                   .epsilon_now = epsilon,
                   .epsilon_low = epsilon,
                   .epsilon_high = epsilon },
    };

    if (!TROP_ALLOC(TROP_PART(w.class, f->n), TROP_PART(w.inside, f->n), TROP_PART(w.hears, 1))) {
        TROP_FREE(w.class, w.inside, w.hears);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a group of %lld tokens", (long long)f->n);
    }
    for (int64_t i = 0; i < f->n; i++) {
        w.inside[i] = 1;
    }
    trop_proof_known(proof, &w, f, TROP_QUIESCENCE_T5, "tokens");
    TROP_FREE(w.class, w.inside, w.hears);
    return TROP_OK;
}

static int64_t quiescence_count(const struct trop_job *job)
{
    const struct trop_threshold_ends ends = ends_of(job);

    return count_of(job, TROP_QUIESCENCE_T5) + complete_count(&ends);
}

static enum trop_status quiescence_write(struct trop_proof *proof, const struct trop_job *job,
                                         int64_t k)
{
    const struct trop_threshold_ends ends = ends_of(job);

    return k == count_of(job, TROP_QUIESCENCE_T5) ? complete_write(proof, &ends)
                                                  : write_of(proof, job, k, TROP_QUIESCENCE_T5);
}

/* ---- T4: two vertices of the limit cannot part ----------------------------------------------- */

static int64_t bound_count(const struct trop_job *job)
{
    const struct trop_threshold_ends ends = ends_of(job);

    return !ends.high && !ends.complete && isfinite(ends.tolerance.shift);
}

static enum trop_status bound_write(struct trop_proof *proof, const struct trop_job *job, int64_t k)
{
    const struct trop_threshold_ends ends = ends_of(job);
    const struct trop_flow *f = ends.cloud;

    (void)k;
    trop_proof_says(proof,
                    "Under localmax with an epsilon of at least %.17g and a constant gamma below 1 "
                    "these %lld tokens in dimension %lld come to one point.",
                    ends.epsilon, (long long)f->n, (long long)f->d);
    trop_proof_symbols(proof, "(x - y)' (B + B') (x - y) < 4 epsilon for x, y in the hull");
    trop_proof_cloud(proof, &f->options.cloud, "tokens", f->initial, f->n);
    trop_proof_double(proof, "epsilon", ends.epsilon);
    trop_proof_witness(proof);
    trop_proof_integer(proof, "share", ends.tolerance.share);
    trop_proof_double(proof, "shift", ends.tolerance.shift);
    return TROP_OK;
}

const struct trop_proof_kind trop_proof_threshold[] = {
    { "quiescence", quiescence_count, quiescence_write, "quiescence T12" },
    { "fixed-point", fixed_count, fixed_write, "fixed-point" },
    { "consensus", consensus_count, consensus_write, "consensus" },
    { "threshold-bound", bound_count, bound_write, "T4" },
    { 0 },
};
