/* flow_witness.c -- what a proof that neighbour sets last consists of, found again.
 *
 * A run keeps the tokens of its proof and not the groups: those are made anew, with an attention
 * handle of their own, so that a result is not touched by being written down.
 *
 * The signs of a proof are those of <y, q - r> with y = B x as computed and z as rounded
 * (shape/quiescence.c). For a number B that is a power of two, and limits that are exact means,
 * that is what docs/proofs.md claims. Otherwise y_c is off by at most (d + 2) u sum_k |B_ck| |x_k|,
 * z_c by at most 8 u R, R the largest coordinate: a slack of more than
 *
 *   (4 d + 64) u R^2 sum_ck |B_ck|
 *
 * keeps its sign, but for what underflow can lose.
 */
#include "flow/flow_witness.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>

#define UNIT 0x1p-53
#define MOST 0x1p30 /* products of whole numbers that the checker is given: minutes */

void trop_flow_witness_free(struct trop_flow_witness *w)
{
    if (w) {
        TROP_FREE(w->class, w->inside, w->hears, w);
    }
}

static const double *tokens_of(const struct trop_flow *f)
{
    return f->state.proved ? f->state.base : f->state.x;
}

int trop_flow_witness_plain(const struct trop_flow *f)
{
    const struct trop_matrix *b = &f->options.cloud.key_query;
    int power;

    return !b->values && fabs(frexp(b->scale, &power)) == (b->scale != 0 ? 0.5 : 0);
}

/* Signs with a slack of more than this are those of exact queries and limits. */
static double doubt(const struct trop_flow *f)
{
    const struct trop_matrix *b = &f->options.cloud.key_query;
    const double *x = tokens_of(f);
    double size = b->values ? 0 : (double)f->d * fabs(b->scale), reach = 0;

    for (int64_t k = 0; b->values && k < f->d * f->d; k++) {
        size += fabs(b->values[k]);
    }
    for (int64_t k = 0; k < f->state.live * f->d; k++) {
        reach = fmax(reach, fabs(x[k]));
    }
    return (double)(4 * f->d + 64) * UNIT * reach * reach * size + 0x1p-1000 * (double)f->d;
}

int trop_flow_witness_exists(const struct trop_flow *f)
{
    const struct trop_quiescence *proof = &f->state.proof;

    /* Merges after the proof have left no state of it. */
    if (!f->state.has_limits || f->options.mask != TROP_MASK_FULL || trop_flow_products(f) > MOST ||
        (f->options.merge != TROP_MERGE_OFF && f->state.proved && !f->state.closed)) {
        return 0;
    }
    const int follows = proof->kind == TROP_QUIESCENCE_THEOREM_4_2;
    const double least = doubt(f);
    const int clear = proof->q2 > least && (follows || proof->q1 > least);
    if (clear || !trop_flow_witness_plain(f)) {
        return clear;
    }
    if (proof->kind != TROP_QUIESCENCE_FIXED) {
        return 1;
    }
    struct trop_flow_witness *witness = NULL;
    const int exact = trop_flow_witness_create(&witness, f) == TROP_OK && witness->exact;
    trop_flow_witness_free(witness);
    return exact;
}

/* ---- the groups ------------------------------------------------------------------------------ */

static enum trop_status no_memory(const struct trop_flow *f)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for the groups of %lld tokens", (long long)f->n);
}

static enum trop_status take(struct trop_flow_witness *w, const struct trop_flow *f,
                             struct trop_quiescence_scratch *scratch, struct trop_attend *attend)
{
    w->pairs = trop_quiescence_witness(w->class, w->inside, NULL, &w->exact, scratch, attend);
    w->hears = trop_alloc(2 * w->pairs, sizeof *w->hears);
    if (!w->hears) {
        return no_memory(f);
    }
    trop_quiescence_witness(w->class, w->inside, w->hears, &w->exact, scratch, attend);
    return TROP_OK;
}

static enum trop_status find(struct trop_flow_witness *w, const struct trop_flow *f)
{
    struct trop_quiescence_scratch *scratch = NULL;
    struct trop_attend *attend = NULL;
    struct trop_attend_note *notes = NULL;
    struct trop_rule_numbers numbers;
    struct trop_quiescence found;
    double *moves = NULL, *limits = NULL;
    const double t = f->dynamics->continuous ? f->state.time : (double)w->step;
    enum trop_status status = trop_flow_numbers(&numbers, f, t);

    if (status == TROP_OK) {
        status = trop_attend_create(&attend, w->live, f->d, f->workers, f->kernel, 0);
    }
    if (status == TROP_OK) {
        status = trop_quiescence_create(&scratch, w->live, f->d);
    }
    if (status == TROP_OK &&
        !TROP_ALLOC(TROP_PART(notes, w->live), TROP_PART(moves, w->live * f->d),
                    TROP_PART(limits, w->live * f->d))) {
        status = no_memory(f);
    }
    if (status == TROP_OK) {
        status =
            trop_attend_load(attend, w->x, w->mass, w->live, &f->options.cloud.key_query, &numbers);
    }
    if (status == TROP_OK) {
        status = trop_attend_rows(moves, notes, attend, 0);
    }
    if (status == TROP_OK) {
        trop_quiescence_check(&found, limits, scratch, attend, notes, &f->options.cloud.key_query,
                              &w->later, 1);
        status = found.kind != TROP_QUIESCENCE_NONE
                     ? take(w, f, scratch, attend)
                     : trop_fail(TROP_ERR_NUMERIC, "the groups of step %lld are lost",
                                 (long long)w->step);
        w->groups = found.groups;
        w->points = numbers.rule->best_only && numbers.ties != TROP_TIES_INDICES;
    }
    trop_quiescence_free(scratch);
    trop_attend_free(attend);
    TROP_FREE(notes, moves, limits);
    return status;
}

enum trop_status trop_flow_witness_create(struct trop_flow_witness **out, const struct trop_flow *f)
{
    struct trop_flow_witness *w = trop_alloc(1, sizeof *w);
    enum trop_status status = TROP_OK;

    if (!w) {
        return no_memory(f);
    }
    w->live = f->state.live;
    w->step = f->state.proved ? f->state.from : f->state.step;
    w->x = tokens_of(f);
    w->mass = f->options.cloud.masses || w->live < f->n ? f->state.mass : NULL;
    if (!TROP_ALLOC(TROP_PART(w->class, w->live), TROP_PART(w->inside, w->live))) {
        status = no_memory(f);
    } else if (!trop_flow_future(&w->later, f, (double)w->step)) {
        status =
            trop_fail(TROP_ERR_NUMERIC, "no bounds of the steps after %lld", (long long)w->step);
    } else {
        status = find(w, f);
    }
    if (status != TROP_OK) {
        trop_flow_witness_free(w);
        return status;
    }
    *out = w;
    return TROP_OK;
}
