/* proof_flow.c -- what is proved of a flow: kinds of claims of the verb flow. */
#include "run/proof/proof.h"

#include "base/schedule.h"
#include "flow/dynamics/dynamics.h"
#include "run/proof/proof_cloud.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>

#define UNIT 0x1p-53
/* What the checker is given, in minutes: products of whole numbers; n^2 d for a residual, with n^2
 * exponentials. */
#define MOST 0x1p30
#define FEW 0x1p20

/* The flow of a run, judged. */
static const struct trop_flow *flow_of(const struct trop_job *job)
{
    const struct trop_run *run = job->numbers;
    struct trop_value kind = { 0 };

    trop_flow_value(&kind, run->flow, "certificate.kind"); /* where that fails, nothing is proved */
    return run->flow;
}

/* ---- neighbour sets that last ---------------------------------------------------------------- */

static int64_t theorem_count(const struct trop_job *job)
{
    return trop_proof_lasts(flow_of(job), TROP_QUIESCENCE_THEOREM_4_2);
}

static int64_t quiescence_count(const struct trop_job *job)
{
    return trop_proof_lasts(flow_of(job), TROP_QUIESCENCE_T5);
}

static int64_t fixed_count(const struct trop_job *job)
{
    return trop_proof_lasts(flow_of(job), TROP_QUIESCENCE_FIXED);
}

static enum trop_status lasting_write(struct trop_proof *proof, const struct trop_job *job,
                                      int64_t k)
{
    (void)k;
    return trop_proof_lasting(proof, flow_of(job), "tokens");
}

/* ---- closed-form: where the tokens are, many steps later ------------------------------------- */

static const char *law_of(const struct trop_flow *f)
{
    if (f->dynamics->continuous) {
        return "ode";
    }
    switch (f->gamma.kind) {
    case TROP_SCHEDULE_CONSTANT:
        return "constant";
    case TROP_SCHEDULE_HARMONIC:
        return "harmonic";
    case TROP_SCHEDULE_FW:
        return "fw";
    default:
        return NULL;
    }
}

/* Steps jumped from the state of the proof, or an ODE that was proved at its start. */
static int64_t closed_count(const struct trop_job *job)
{
    const struct trop_flow *f = flow_of(job);
    const int goes = f->dynamics->continuous
                         ? f->state.from == 0 && isfinite(f->state.time) && f->state.time < 1000
                         : f->state.jumped && f->state.step > f->state.from;

    return f->state.has_limits && f->state.proved && f->state.proof.plain && goes && law_of(f) &&
           f->options.merge == TROP_MERGE_OFF && trop_flow_witness_exists(f);
}

static void put_when(char *out, int64_t size, const struct trop_flow *f, int endless)
{
    if (f->dynamics->continuous) {
        snprintf(out, (size_t)size, "After time %.17g", f->state.time);
    } else if (endless) {
        snprintf(out, (size_t)size, "In the limit");
    } else {
        snprintf(out, (size_t)size, "After %lld steps", (long long)(f->state.step - f->state.from));
    }
}

static enum trop_status closed_write(struct trop_proof *proof, const struct trop_job *job,
                                     int64_t k)
{
    const struct trop_flow *f = flow_of(job);
    const int endless = f->dynamics->continuous || f->state.step == INT64_MAX;
    struct trop_flow_witness *w = NULL;
    enum trop_status status = trop_flow_witness_create(&w, f);
    double reach = 0;
    char when[64];

    (void)k;
    if (status != TROP_OK) {
        return status;
    }
    for (int64_t c = 0; c < f->n * f->d; c++) {
        reach = fmax(reach, fmax(fabs(w->x[c]), fabs(f->state.x[c])));
    }
    put_when(when, sizeof when, f, endless);
    /* The last term is what subnormal numbers lose. */
    const double error = 32 * UNIT * reach + 0x1p-1070;
    trop_proof_says(proof,
                    "%s from step %lld on, gamma %s, the exact flow of these %lld tokens is within "
                    "%.17g of the later ones in every coordinate.",
                    when, (long long)w->step, law_of(f), (long long)w->live, error);
    trop_proof_symbols(proof, "|z_i + prod (1 - gamma) (x_i - z_i) - later_i| <= error");
    trop_proof_sets(proof, w, f, "tokens");
    trop_proof_text(proof, "law", law_of(f));
    if (endless) {
        trop_proof_null(proof, "steps");
    } else {
        trop_proof_integer(proof, "steps", f->state.step - f->state.from);
    }
    trop_proof_double(proof, "time", f->dynamics->continuous ? f->state.time : 0);
    trop_proof_input(proof, "later", "later", f->state.x, w->live, f->d);
    trop_proof_double(proof, "error", error);
    trop_proof_witness(proof);
    trop_proof_groups(proof, w);
    trop_flow_witness_free(w);
    return TROP_OK;
}

/* ---- consensus ------------------------------------------------------------------------------- */

static int64_t consensus_count(const struct trop_job *job)
{
    const struct trop_flow *f = flow_of(job);

    return f->verdict.certificate == TROP_FLOW_CERTIFICATE_CONSENSUS &&
           trop_flow_products(f) <= MOST;
}

static enum trop_status consensus_write(struct trop_proof *proof, const struct trop_job *job,
                                        int64_t k)
{
    const struct trop_flow *f = flow_of(job);

    (void)k;
    return trop_proof_consensus(proof, f, "met");
}

/* ---- residual: how little a metastable state moves ------------------------------------------- */

static int64_t residual_count(const struct trop_job *job)
{
    const struct trop_flow *f = flow_of(job);

    return f->verdict.certificate == TROP_FLOW_CERTIFICATE_METASTABLE && !f->dynamics->sphere &&
           f->rule->exponential && f->options.mask == TROP_MASK_FULL &&
           trop_flow_products(f) <= FEW;
}

static enum trop_status residual_write(struct trop_proof *proof, const struct trop_job *job,
                                       int64_t k)
{
    const struct trop_flow *f = flow_of(job);
    const double t = f->dynamics->continuous ? f->state.time : (double)f->state.step;
    const double beta = trop_schedule_at(&f->options.beta, t);
    double reach = 0;

    (void)k;
    for (int64_t c = 0; c < f->state.live * f->d; c++) {
        reach = fmax(reach, fabs(f->state.x[c]));
    }
    /* The computed one is off by a few u of the largest coordinate. */
    const double most = f->seen.residual + 32 * UNIT * reach + 0x1p-1070;
    trop_proof_says(proof,
                    "At these %lld tokens in dimension %lld no softmax average, beta = %.17g, is "
                    "farther than %.17g from its token.",
                    (long long)f->state.live, (long long)f->d, beta, most);
    trop_proof_symbols(proof, "|sum_j m_j e^(beta <B x_i, x_j>) (x_j - x_i)| <= residual sum_j m_j "
                              "e^(beta <B x_i, x_j>)");
    trop_proof_cloud(proof, &f->options.cloud, "still", f->state.x, f->state.live);
    trop_proof_masses(proof, f);
    trop_proof_double(proof, "beta", beta);
    trop_proof_double(proof, "residual", most);
    trop_proof_witness(proof);
    return TROP_OK;
}

const struct trop_proof_kind trop_proof_flow[] = {
    { "theorem-4.2", theorem_count, lasting_write, "theorem-4.2" },
    { "quiescence", quiescence_count, lasting_write, "quiescence" },
    { "fixed-point", fixed_count, lasting_write, "fixed-point" },
    { "closed-form", closed_count, closed_write, NULL },
    { "consensus", consensus_count, consensus_write, "consensus" },
    { "residual", residual_count, residual_write, NULL },
    { 0 },
};
