/* flow_device.c -- steps of the layer with the tokens on a device.
 *
 * Between two looks at the state that only the processor can take (a certificate that is tried when
 * the residual is small, a proof, a step that is recorded) tokens, targets and leaders stay there,
 * and come back once. A step that the device cannot take for certain (attend_device.c) ends the
 * walk; it is then taken as any other. After that the next walk waits, longer each time: where
 * every step is of that kind, as with a regular polygon under hardmax, trying costs little. Walks
 * change no bit, nor does their length.
 */
#include "flow/flow.h"

#include "base/status.h"

#include <math.h>

#define WAIT 64 /* steps at most that are taken singly after a walk that could not begin */

/* Steps from here on that need no look of the processor. */
static int64_t room(const struct trop_flow *f, int64_t most)
{
    const struct trop_flow_state *s = &f->state;
    const int64_t left = f->options.steps.value - s->step;

    if (!f->options.device || !f->dynamics->closed_form || f->step_map || s->live < f->n ||
        f->options.merge != TROP_MERGE_OFF || trop_flow_observes_each(f) || f->seen.looked ||
        trop_flow_jumps(f)) {
        return 0;
    }
    most = left < most ? left : most;
    if (!s->proved && trop_flow_has_sets(f) && f->options.closed_form != TROP_CLOSED_FORM_NEVER) {
        most = s->next_proof - s->step < most ? s->next_proof - s->step : most;
    }
    return most;
}

/* 1 when the present state may end the run (flow.c): its residual, as flow_look.c has it, is small,
 * or its square has left double. */
static int may_end(const struct trop_flow *f, double square)
{
    return trop_flow_may_end(f) && !(square > 0x1p-900 && square < 0x1p900 &&
                                     sqrt(square) > f->options.tolerance * f->diameter0);
}

/* Steps while the device is sure; those that schedules refuse are left to who tells why. */
static enum trop_status walk_on(int64_t *taken, struct trop_flow *f, int64_t most)
{
    struct trop_attend *a = f->engines.attend;
    const struct trop_matrix *key_query = &f->options.cloud.key_query;
    enum trop_status status = TROP_OK;

    while (*taken < most && status == TROP_OK) {
        struct trop_rule_numbers numbers;
        int64_t sure = 0;
        double gamma, square = 0;
        if (trop_flow_numbers(&numbers, f, trop_flow_clock(f)) != TROP_OK ||
            trop_flow_gamma(&gamma, f) != TROP_OK) {
            break;
        }
        status = trop_attend_device_look(&sure, &square, a, key_query, &numbers);
        if (status != TROP_OK || !sure || may_end(f, square)) {
            break;
        }
        status = trop_attend_device_move(a, gamma, f->state.step, f->state.proved);
        f->state.step++;
        ++*taken;
    }
    return status;
}

enum trop_status trop_flow_walk(int64_t *taken, struct trop_flow *f, int64_t most)
{
    struct trop_flow_state *s = &f->state;
    struct trop_attend_walk walk = { s->target, s->led, s->switches, s->last_switch };
    int64_t stays;

    *taken = 0;
    most = room(f, most);
    if (most < 2 || f->walk_wait > 0) {
        f->walk_wait -= f->walk_wait > 0;
        return TROP_OK;
    }
    enum trop_status status = trop_flow_load(f, s->x, trop_flow_clock(f));
    if (status == TROP_OK) {
        status =
            trop_attend_device_stay(&stays, f->engines.attend, &f->options.cloud.key_query, &walk);
    }
    if (status != TROP_OK || !stays) {
        return status;
    }
    status = walk_on(taken, f, most);
    if (status == TROP_OK && *taken > 0) {
        status = trop_attend_device_leave(s->x, &walk, f->engines.attend);
        s->switches = walk.switches;
        s->last_switch = walk.last_switch;
        s->methods |= 1 << TROP_METHOD_ROWS;
        f->seen.looked = f->seen.judged = f->seen.described = 0;
    }
    f->walk_back = *taken > 0 ? 1 : 2 * f->walk_back + 1 < WAIT ? 2 * f->walk_back + 1 : WAIT;
    f->walk_wait = *taken > 0 ? 0 : f->walk_back;
    return status == TROP_OK && *taken > 0 ? trop_flow_check_finite(f) : status;
}
