/* flow_judge.c -- has the run converged, and what proves it.
 *
 * A small residual alone is metastability: at inverse temperature beta a cloud can
 * sit still for exp(c beta) steps. Converged means a residual of at most tolerance
 * times the initial diameter and one of these:
 *
 *   consensus     the diameter is as small. The hull never grows under averages of
 *                 non-negative weights and a step size in (0, 1] (claim lm-thm-t1), so every later
 *                 state stays within that diameter; on the sphere, when it is below sqrt(2).
 *   theorem 4.2, quiescence, fixed point
 *                 the neighbour sets never change again (shape/quiescence.c), and the
 *                 limits are known.
 *   fixed point   also: no token moves by a bit, nothing varies in time, and no weight
 *                 can have underflowed, so the state repeats forever.
 */
#include "flow/flow.h"

#include "shape/cloud.h"

#include <math.h>
#include <string.h>

/* 1 when no token will ever move. A displacement of zero proves it for rules whose
 * weights are ratios of masses; exponentials may only have underflowed. */
static int rests(struct trop_flow *f)
{
    if (f->seen.residual != 0 || !trop_flow_settled(f) || f->dynamics->random) {
        return 0;
    }
    if (f->rule->lead) {
        /* Every token must lead at its own place by so much that it has all of its own weight. */
        double a = f->options.a;
        double beta = trop_schedule_at(&f->options.beta, trop_flow_clock(f));

        if (!(f->rule->lead(1, beta, a) < INFINITY)) {
            return 0;
        }
        /* This looks again, with margins, and leaves avg - x where the velocity was: zeros, which
         * on the sphere is another thing. */
        const enum trop_status status =
            trop_attend_rows(f->seen.displacement, f->seen.notes, f->engines.attend, 1);
        memset(f->seen.displacement, 0,
               (size_t)(f->state.live * f->d) * sizeof *f->seen.displacement);
        if (status != TROP_OK) {
            return 0;
        }
        for (int64_t i = 0; i < f->state.live; i++) {
            double need = f->rule->lead(f->state.mass[i], beta, a) * (1 + 0x1p-20);
            if (!f->seen.notes[i].unique || f->seen.notes[i].gap != 0 ||
                !(f->seen.notes[i].margin > need)) {
                return 0;
            }
        }
        return 1;
    }
    return (f->rule->uses & TROP_RULE_USES_BETA) == 0;
}

/* 1 when all tokens are at one place and the hull cannot grow. */
static int consents(const struct trop_flow *f)
{
    /* On the sphere hulls do not grow within an open hemisphere; tokens closer than sqrt(2) to
     * each other are in one, that of any of them. */
    int narrow = !f->dynamics->sphere || f->seen.diameter < 1.414;

    return f->seen.diameter <= f->options.tolerance * f->diameter0 && narrow &&
           trop_flow_averages(f);
}

void trop_flow_certify(struct trop_flow *f)
{
    int still = f->seen.residual <= f->options.tolerance * f->diameter0;

    f->verdict.converged = 0;
    if (!f->dynamics->averages) {
        f->verdict.certificate = TROP_FLOW_CERTIFICATE_NONE; /* x + V avg moves where avg = x */
        return;
    }
    if (f->state.proved && f->state.outcome != TROP_FLOW_SLIDING) {
        /* A proof of before, with the distances of now. */
        f->verdict.certificate = consents(f) ? TROP_FLOW_CERTIFICATE_CONSENSUS : f->state.proved;
        f->state.proof.distance = 0;
        for (int64_t i = 0; f->state.has_limits && i < f->n; i++) {
            double distance = trop_cloud_distance(f->state.x + f->state.owner[i] * f->d,
                                                  f->state.limits + i * f->d, f->d);
            f->state.proof.distance = fmax(f->state.proof.distance, distance);
        }
    } else {
        f->verdict.certificate = TROP_FLOW_CERTIFICATE_NONE;
        f->state.proof = (struct trop_quiescence){ 0 };
        f->state.has_limits = 0;
        if (f->state.outcome == TROP_FLOW_SLIDING) {
            f->verdict.certificate = TROP_FLOW_CERTIFICATE_SLIDING;
        } else if (consents(f)) {
            f->verdict.certificate = TROP_FLOW_CERTIFICATE_CONSENSUS;
        } else if (trop_flow_prove(f)) {
            f->verdict.certificate = trop_flow_certificate_of(f->state.proof.kind);
        } else if (rests(f)) {
            f->verdict.certificate = TROP_FLOW_CERTIFICATE_FIXED_POINT;
        }
    }
    f->verdict.converged = still && f->verdict.certificate != TROP_FLOW_CERTIFICATE_NONE &&
                           f->verdict.certificate != TROP_FLOW_CERTIFICATE_SLIDING;
    if (still && f->verdict.certificate == TROP_FLOW_CERTIFICATE_NONE) {
        f->verdict.certificate = TROP_FLOW_CERTIFICATE_METASTABLE;
    }
}

enum trop_status trop_flow_judge_wide(struct trop_flow *f, double diameter)
{
    f->seen.diameter = diameter;
    enum trop_status status = trop_flow_load(f, f->state.x, trop_flow_clock(f));
    if (status != TROP_OK) {
        return status;
    }
    trop_flow_certify(f);
    trop_flow_expand(f);
    f->seen.clusters =
        trop_cloud_clusters(f->verdict.labels, f->seen.full, f->n, f->d,
                            f->options.cluster * f->diameter0, f->engines.order, f->engines.parent);
    f->seen.judged = 1;
    return TROP_OK;
}

enum trop_status trop_flow_judge(struct trop_flow *f)
{
    if (f->seen.judged) {
        return TROP_OK;
    }
    enum trop_status status = trop_flow_look(f);
    if (status != TROP_OK) {
        return status;
    }
    return trop_flow_judge_wide(f, trop_cloud_diameter(f->state.x, f->state.live, f->d,
                                                       f->engines.order, f->engines.far,
                                                       f->engines.attend));
}
