/* flow_state.c -- the whole state as words of 64 bits, for checkpoints.
 *
 * One list says what the state is; its size, saving and loading walk that list, so
 * that none can forget a member. Words are checked before they are believed: counts
 * and indices must be those of a flow with these options.
 */
#include "flow/flow.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

#define MAGIC 0x74726f7069736d32 /* "tropism2" */

struct piece {
    void *at;
    int64_t count;
};

#define PROOF ((int64_t)(sizeof(struct trop_quiescence) / sizeof(int64_t)))
#define OBSERVED \
    ((int64_t)(TROP_FLOW_OBSERVABLES * sizeof(struct trop_flow_observed) / sizeof(int64_t)))
#define SLOW 11 /* pieces of a flow that leaps */
#define PIECES (46 + SLOW)

/* What flow/slow/slow.c keeps beside the tokens; nothing when there are no leaps. */
static void list_slow(struct piece out[SLOW], struct trop_slow *s)
{
    int64_t words = (int64_t)(sizeof(struct trop_slow_merge) / sizeof(int64_t));
    struct piece pieces[SLOW] = { { NULL, 0 } };

    if (s) {
        struct piece own[SLOW] = {
            { s->low, s->n * s->d },  { s->merges, words * s->n },
            { &s->clock.count, 1 },   { &s->clock.log, 1 },
            { &s->reach, 1 },         { &s->merged, 1 },
            { s->mark, s->n * s->d }, { &s->marked, 1 },
            { &s->leaps, 1 },         { &s->steps, 1 },
            { &s->resting, 1 },
        };
        memcpy(pieces, own, sizeof own);
    }
    memcpy(out, pieces, sizeof pieces);
}

static void list(struct piece out[PIECES], struct trop_flow *f)
{
    struct piece pieces[PIECES - SLOW] = {
        { &f->step, 1 },
        { &f->time, 1 },
        { &f->h, 1 },
        { &f->live, 1 },
        { f->x, f->n * f->d },
        { f->mass, f->n },
        { f->owner, f->n },
        { f->head, f->n },
        { f->crowd, f->n },
        { f->led, f->n },
        { f->target, f->n },
        { &f->methods, 1 },
        { &f->error, 1 },
        { &f->chosen, 1 },
        { &f->next_choice, 1 },
        { &f->switches, 1 },
        { &f->last_switch, 1 },
        { &f->merge_bound, 1 },
        { &f->merges, 1 },
        { &f->next_try, 1 },
        { &f->outcome, 1 },
        { f->slide, 3 },
        { f->follows, f->n },
        { &f->proved, 1 },
        { &f->proof, PROOF },
        { &f->has_limits, 1 },
        { f->limits, f->n * f->d },
        { f->base, f->n * f->d },
        { &f->from, 1 },
        { &f->closed, 1 },
        { &f->still, 1 },
        { &f->jumped, 1 },
        { &f->log10_steps, 1 },
        { &f->next_proof, 1 },
        { f->observed, OBSERVED },
        { &f->observed_at, 1 },
        { f->support, 4 * f->d },
        { f->energy_first, f->n },
        { f->energy_last, f->n },
        { f->gap_least, f->n },
        { &f->energy_fall, 1 },
        { &f->log10_time, 1 },
        { &f->moves, 1 },
        { &f->leapt, 1 },
        { &f->over, 1 },
        { f->skip_words, f->skip ? TROP_SKIP_WORDS : 0 },
    };
    memcpy(out, pieces, sizeof pieces);
    list_slow(out + PIECES - SLOW, f->slow);
}

int64_t trop_flow_state_size(const struct trop_flow *flow)
{
    struct piece pieces[PIECES];
    int64_t size = 3;

    list(pieces, (struct trop_flow *)flow);
    for (int k = 0; k < PIECES; k++) {
        size += pieces[k].count;
    }
    return size;
}

void trop_flow_state_save(int64_t *words, const struct trop_flow *flow)
{
    struct piece pieces[PIECES];

    if (flow->skip) {
        trop_skip_save(((struct trop_flow *)flow)->skip_words, flow->skip);
    }
    list(pieces, (struct trop_flow *)flow);
    *words++ = MAGIC;
    *words++ = flow->n;
    *words++ = flow->d;
    for (int k = 0; k < PIECES; k++) {
        if (pieces[k].count > 0) {
            memcpy(words, pieces[k].at, (size_t)pieces[k].count * sizeof *words);
        }
        words += pieces[k].count;
    }
}

/* 1 when every entry is in [low, high). */
static int between(const int64_t *values, int64_t count, int64_t low, int64_t high)
{
    for (int64_t k = 0; k < count; k++) {
        if (values[k] < low || values[k] >= high) {
            return 0;
        }
    }
    return 1;
}

static int sound(const struct trop_flow *f)
{
    for (int64_t k = 0; k < f->n * f->d; k++) {
        if (!isfinite(f->x[k])) {
            return 0;
        }
    }
    int merges = !f->slow || (f->slow->merged >= 0 && f->slow->merged < f->n);

    return merges && f->step >= 0 && f->live >= 1 && f->live <= f->n && isfinite(f->time) &&
           isfinite(f->h) && between(f->owner, f->n, 0, f->live) &&
           between(f->head, f->live, 0, f->n) && between(f->led, f->n, 0, 2) &&
           between(f->target, f->n, -1, f->n) && between(f->crowd, f->live, 1, f->n + 1) &&
           f->proved >= TROP_FLOW_CERTIFICATE_NONE &&
           f->proved <= TROP_FLOW_CERTIFICATE_FIXED_POINT && f->outcome >= TROP_FLOW_RUNNING &&
           f->outcome <= TROP_FLOW_SLIDING && between(f->slide, 3, 0, f->n) &&
           between(f->follows, f->live, -1, f->live);
}

enum trop_status trop_flow_state_load(struct trop_flow *flow, const int64_t *words, int64_t count)
{
    struct piece pieces[PIECES];

    if (count != trop_flow_state_size(flow) || words[0] != MAGIC || words[1] != flow->n ||
        words[2] != flow->d) {
        return trop_fail(TROP_ERR_ARG, "state: is not of a flow of %lld tokens of dimension %lld",
                         (long long)flow->n, (long long)flow->d);
    }
    words += 3;
    list(pieces, flow);
    for (int k = 0; k < PIECES; k++) {
        if (pieces[k].count > 0) {
            memcpy(pieces[k].at, words, (size_t)pieces[k].count * sizeof *words);
        }
        words += pieces[k].count;
    }
    flow->looked = flow->judged = flow->described = 0;
    if (!sound(flow)) {
        return trop_fail(TROP_ERR_ARG, "state: its words are damaged");
    }
    trop_flow_expand(flow);
    trop_flow_leap_resume(flow);
    return TROP_OK;
}
