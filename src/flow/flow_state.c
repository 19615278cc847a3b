/* flow_state.c -- the whole state as words of 64 bits, for checkpoints.
 *
 * One list has every member of struct trop_flow_state; its size, saving and loading walk
 * that list. Words are checked before they are believed: counts and indices must be those of a
 * flow with these options.
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
#define SIZES 46 /* the piece that states of earlier versions lack */
#define SLOW 11  /* pieces of a flow that leaps */
#define PIECES (47 + SLOW)

/* All pieces but four are one word or a pointer: a member that is not listed is noticed here. */
_Static_assert(sizeof(void *) != 8 ||
                   sizeof(struct trop_flow_state) ==
                       8 * (PIECES - SLOW - 4 + 3 + PROOF + OBSERVED + TROP_SKIP_WORDS),
               "every member of the state is listed");

/* Words in their order, which files have: a new member goes to the end of a list. */
static void list_state(struct piece out[PIECES - SLOW], struct trop_flow *f)
{
    struct trop_flow_state *s = &f->state;
    struct piece pieces[PIECES - SLOW] = {
        { &s->step, 1 },
        { &s->time, 1 },
        { &s->h, 1 },
        { &s->live, 1 },
        { s->x, f->n * f->d },
        { s->mass, f->n },
        { s->owner, f->n },
        { s->head, f->n },
        { s->crowd, f->n },
        { s->led, f->n },
        { s->target, f->n },
        { &s->methods, 1 },
        { &s->error, 1 },
        { &s->chosen, 1 },
        { &s->next_choice, 1 },
        { &s->switches, 1 },
        { &s->last_switch, 1 },
        { &s->merge_bound, 1 },
        { &s->merges, 1 },
        { &s->next_try, 1 },
        { &s->outcome, 1 },
        { s->slide, 3 },
        { s->follows, f->n },
        { &s->proved, 1 },
        { &s->proof, PROOF },
        { &s->has_limits, 1 },
        { s->limits, f->n * f->d },
        { s->base, f->n * f->d },
        { &s->from, 1 },
        { &s->closed, 1 },
        { &s->still, 1 },
        { &s->jumped, 1 },
        { &s->log10_steps, 1 },
        { &s->next_proof, 1 },
        { s->observed, OBSERVED },
        { &s->observed_at, 1 },
        { s->support, 4 * f->d },
        { s->energy_first, f->n },
        { s->energy_last, f->n },
        { s->gap_least, f->n },
        { &s->energy_fall, 1 },
        { &s->log10_time, 1 },
        { &s->moves, 1 },
        { &s->leapt, 1 },
        { &s->over, 1 },
        { s->skip_words, f->engines.skip ? TROP_SKIP_WORDS : 0 },
        { s->size, f->n },
    };
    memcpy(out, pieces, sizeof pieces);
}

/* What flow/slow/slow.c keeps beside the tokens; nothing when there are no leaps. */
static void list_slow(struct piece out[SLOW], struct trop_slow *slow)
{
    const int64_t words = (int64_t)(sizeof(struct trop_slow_merge) / sizeof(int64_t));

    memset(out, 0, SLOW * sizeof *out);
    if (!slow) {
        return;
    }
    struct piece pieces[SLOW] = {
        { slow->low, slow->n * slow->d },
        { slow->merges, words * slow->n },
        { &slow->clock.count, 1 },
        { &slow->clock.log, 1 },
        { &slow->reach, 1 },
        { &slow->merged, 1 },
        { slow->mark, slow->n * slow->d },
        { &slow->marked, 1 },
        { &slow->leaps, 1 },
        { &slow->steps, 1 },
        { &slow->resting, 1 },
    };
    memcpy(out, pieces, sizeof pieces);
}

static void list(struct piece out[PIECES], struct trop_flow *f)
{
    list_state(out, f);
    list_slow(out + PIECES - SLOW, f->engines.slow);
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

    if (flow->engines.skip) {
        trop_skip_save(((struct trop_flow *)flow)->state.skip_words, flow->engines.skip);
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
    const struct trop_flow_state *s = &f->state;

    for (int64_t k = 0; k < f->n * f->d; k++) {
        if (!isfinite(s->x[k])) {
            return 0;
        }
    }
    for (int64_t i = 0; i < f->n; i++) {
        if (!(s->size[i] >= 0)) {
            return 0;
        }
    }
    int merges =
        !f->engines.slow || (f->engines.slow->merged >= 0 && f->engines.slow->merged < f->n);

    return merges && s->step >= 0 && s->live >= 1 && s->live <= f->n && isfinite(s->time) &&
           isfinite(s->h) && between(s->owner, f->n, 0, s->live) &&
           between(s->head, s->live, 0, f->n) && between(s->led, f->n, 0, 2) &&
           between(s->target, f->n, -1, f->n) && between(s->crowd, s->live, 1, f->n + 1) &&
           s->proved >= TROP_FLOW_CERTIFICATE_NONE &&
           s->proved <= TROP_FLOW_CERTIFICATE_FIXED_POINT && s->outcome >= TROP_FLOW_RUNNING &&
           s->outcome <= TROP_FLOW_SLIDING && between(s->slide, 3, 0, f->n) &&
           between(s->follows, s->live, -1, s->live);
}

enum trop_status trop_flow_state_load(struct trop_flow *flow, const int64_t *words, int64_t count)
{
    struct piece pieces[PIECES];
    int64_t wanted = trop_flow_state_size(flow);
    int earlier = count == wanted - flow->n;

    if (!(count == wanted || earlier) || words[0] != MAGIC || words[1] != flow->n ||
        words[2] != flow->d) {
        return trop_fail(TROP_ERR_ARG, "state: is not of a flow of %lld tokens of dimension %lld",
                         (long long)flow->n, (long long)flow->d);
    }
    words += 3;
    list(pieces, flow);
    for (int64_t i = 0; i < flow->n && earlier; i++) {
        flow->state.size[i] = flow->radius0; /* that of the cloud, as it was */
    }
    for (int k = 0; k < PIECES; k++) {
        if (earlier && k == SIZES) {
            continue;
        }
        if (pieces[k].count > 0) {
            memcpy(pieces[k].at, words, (size_t)pieces[k].count * sizeof *words);
        }
        words += pieces[k].count;
    }
    flow->seen.looked = flow->seen.judged = flow->seen.described = 0;
    if (!sound(flow)) {
        return trop_fail(TROP_ERR_ARG, "state: its words are damaged");
    }
    trop_flow_expand(flow);
    trop_flow_leap_resume(flow);
    return TROP_OK;
}
