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
 *                 can have underflowed, so the state repeats for ever.
 */
#include "flow/flow.h"

#include "shape/cloud.h"

#include <math.h>
#include <string.h>

/* 1 when every token leads at its own place by so much that it has all of its own weight. */
static int isolated(struct trop_flow *f)
{
    double a = f->options.a;
    double beta = trop_schedule_at(&f->options.beta, trop_flow_clock(f));

    if (!(f->rule->lead(1, beta, a) < INFINITY) ||
        trop_attend_rows(f->displacement, f->notes, f->attend, 1) != TROP_OK) {
        return 0;
    }
    for (int64_t i = 0; i < f->live; i++) {
        double need = f->rule->lead(f->mass[i], beta, a) * (1 + 0x1p-20);
        if (!f->notes[i].unique || f->notes[i].gap != 0 || !(f->notes[i].margin > need)) {
            return 0;
        }
    }
    return 1;
}

/* 1 when no token will ever move. A displacement of zero proves it for rules whose
 * weights are ratios of masses; exponentials may only have underflowed. */
static int rests(struct trop_flow *f)
{
    if (f->residual != 0 || !trop_flow_settled(f) || f->dynamics->random) {
        return 0;
    }
    if (f->rule->lead) {
        return isolated(f);
    }
    return (f->rule->uses & TROP_RULE_USES_BETA) == 0;
}

/* 1 when all tokens are at one place and the hull cannot grow. */
static int consents(const struct trop_flow *f)
{
    /* On the sphere hulls do not grow within an open hemisphere; tokens closer than sqrt(2) to
     * each other are in one, that of any of them. */
    int narrow = !f->dynamics->sphere || f->diameter < 1.414;

    return f->diameter <= f->options.tolerance * f->diameter0 && narrow && trop_flow_averages(f);
}

/* A proof of before, with the distances of now. */
static void recall(struct trop_flow *f)
{
    f->certificate = consents(f) ? TROP_FLOW_CERTIFICATE_CONSENSUS : f->proved;
    f->proof.distance = 0;
    for (int64_t i = 0; f->has_limits && i < f->n; i++) {
        double distance =
            trop_cloud_distance(f->x + f->owner[i] * f->d, f->limits + i * f->d, f->d);
        f->proof.distance = fmax(f->proof.distance, distance);
    }
}

static void search(struct trop_flow *f)
{
    f->certificate = TROP_FLOW_CERTIFICATE_NONE;
    f->proof = (struct trop_quiescence){ 0 };
    f->has_limits = 0;
    if (f->outcome == TROP_FLOW_SLIDING) {
        f->certificate = TROP_FLOW_CERTIFICATE_SLIDING;
    } else if (consents(f)) {
        f->certificate = TROP_FLOW_CERTIFICATE_CONSENSUS;
    } else if (trop_flow_prove(f)) {
        f->certificate = trop_flow_certificate_of(f->proof.kind);
    } else if (rests(f)) {
        f->certificate = TROP_FLOW_CERTIFICATE_FIXED_POINT;
    }
}

void trop_flow_certify(struct trop_flow *f)
{
    int still = f->residual <= f->options.tolerance * f->diameter0;

    f->converged = 0;
    if (!f->dynamics->averages) {
        f->certificate = TROP_FLOW_CERTIFICATE_NONE; /* x + V avg moves where avg = x */
        return;
    }
    if (f->proved && f->outcome != TROP_FLOW_SLIDING) {
        recall(f);
    } else {
        search(f);
    }
    f->converged = still && f->certificate != TROP_FLOW_CERTIFICATE_NONE &&
                   f->certificate != TROP_FLOW_CERTIFICATE_SLIDING;
    if (still && f->certificate == TROP_FLOW_CERTIFICATE_NONE) {
        f->certificate = TROP_FLOW_CERTIFICATE_METASTABLE;
    }
}

enum trop_status trop_flow_judge_wide(struct trop_flow *f, double diameter)
{
    f->diameter = diameter;
    enum trop_status status = trop_flow_load(f, f->x, trop_flow_clock(f));
    if (status != TROP_OK) {
        return status;
    }
    trop_flow_certify(f);
    trop_flow_expand(f);
    f->clusters = trop_cloud_clusters(f->labels, f->full, f->n, f->d,
                                      f->options.cluster * f->diameter0, f->order, f->parent);
    f->judged = 1;
    return TROP_OK;
}

enum trop_status trop_flow_judge(struct trop_flow *f)
{
    if (f->judged) {
        return TROP_OK;
    }
    enum trop_status status = trop_flow_look(f);
    if (status != TROP_OK) {
        return status;
    }
    return trop_flow_judge_wide(
        f, trop_cloud_diameter(f->x, f->live, f->d, f->order, f->far, f->attend));
}
