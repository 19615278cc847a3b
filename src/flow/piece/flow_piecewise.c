/* flow_piecewise.c -- the hardmax ODE, solved piece by piece.
 *
 *   dx_i/dt = x_l - x_i,   l = sigma(i) a maximiser of <B x_i, x_j> over visible j
 *
 * (equation hardmax.ode of the Frank-Wolfe paper; classical solutions). flow_piece_path.c
 * solves it while sigma is constant, flow_piece_root.c finds the time at which that ends:
 * where F = <B x_i, x_j - x_l> becomes positive for some i and j. Here sigma changes.
 *
 * At a switch every pair with F = 0 and F' > 0 changes sides. If, under the new field, F
 * falls again, the token stays where it was; if that makes F rise, the trajectory is pushed
 * back from both sides: the run ends as sliding. (F' grows by <B (x_j - x_l), x_j - x_l>
 * when i changes from l to j, so a positive definite B never slides on leaders that keep
 * their course.) Of several j that token i could turn to, one is taken that stays ahead of
 * the others once i follows it; where two distinct points do, the solution is not unique,
 * and that ends the run as sliding too.
 *
 * Tokens that switch at one instant change one another's F'. They switch together; those
 * that are drawn back return one by one, in order, and all are looked at again, until none
 * is due. Not every combination is tried: where ROUNDS of this find none the run ends as
 * sliding, though some other one might have gone on. The same holds where switches have a
 * limit point in time (a token that spirals into the kernel of B can come there after
 * infinitely many): it is passed when, to rounding, one choice is left, and slides if not.
 */
#include "flow/piece/flow_piece.h"

#include <math.h>
#include <string.h>

#define ROUNDS 64 /* switches of one token at one instant */

/* ---- switching ------------------------------------------------------------------------------ */

/* The run ends with token i between two points that both, or neither, can be followed. */
static void slide(struct trop_flow_piece *p, int64_t i, int64_t one, int64_t other)
{
    struct trop_flow *f = p->f;

    f->state.outcome = TROP_FLOW_SLIDING;
    f->state.slide[0] = f->state.head[i];
    f->state.slide[1] = f->state.head[one];
    f->state.slide[2] = f->state.head[other];
}

/* d/dt <B x_i, x_k - x_j> while token i follows j. */
static double rate_against(const struct trop_flow_piece *p, int64_t i, int64_t k, int64_t j)
{
    int64_t d = p->d;
    const double *y = p->query + 2 * i * d;
    double *v = p->spare, *w = p->spare + d, turn = 0, drift = 0;

    for (int64_t c = 0; c < d; c++) {
        v[c] = (p->x[j * d + c] - p->x[i * d + c]) * p->scale;
    }
    trop_flow_piece_query(w, p, v);
    for (int64_t c = 0; c < d; c++) {
        double t = (p->x[k * d + c] - p->x[j * d + c]) * p->scale;
        double vk = k == i ? v[c] : p->v[k * d + c], vj = j == i ? v[c] : p->v[j * d + c];
        turn = fma(w[c], t, turn);
        drift = fma(y[c], vk - vj, drift);
    }
    return turn + drift;
}

/* 1 when token i, following j, is on a wall and drawn across it, to k, at a rate of more than
 * `part` of what may be rounding. */
static int draws_back(const struct trop_flow_piece *p, int64_t i, int64_t k, int64_t j, double part)
{
    return !trop_flow_piece_meet(p, j, k) && trop_flow_piece_sign(p, i, k, j) == 0 &&
           rate_against(p, i, k, j) > part * trop_flow_piece_slack(p, i, k, j);
}

/* 1 when j stays ahead of every other candidate, once token i follows it: none is drawn at a rate
 * of more than `part` of what may be rounding. */
static int stays_ahead(const struct trop_flow_piece *p, int64_t i, int64_t j, double part)
{
    int64_t seen = trop_flow_piece_visible(p, i);

    for (int64_t k = 0; k < seen; k++) {
        if (k == j || !trop_flow_piece_is_due(p, i, k)) {
            continue;
        }
        if (trop_flow_piece_sign(p, i, k, j) > 0 || draws_back(p, i, k, j, part)) {
            return 0;
        }
    }
    return 1;
}

/* 1 when token i is on a wall of its own, and stays there once it follows itself. */
static int can_rest(const struct trop_flow_piece *p, int64_t i)
{
    return trop_flow_piece_sign(p, i, i, p->f->state.follows[i]) == 0 &&
           stays_ahead(p, i, i, TROP_FLOW_PIECE_SURE);
}

/* The new leader of token i, or -1: none, or more than one, can be followed. Where more can, or
 * none, a token that can rest does: a spiral into the kernel of B ends so. */
static int64_t choose(struct trop_flow_piece *p, int64_t i)
{
    int64_t first = -1, best = -1, seen = trop_flow_piece_visible(p, i);

    for (int64_t j = 0; j < seen; j++) {
        if (!trop_flow_piece_is_due(p, i, j)) {
            continue;
        }
        first = first < 0 ? j : first;
        if (!stays_ahead(p, i, j, 1)) {
            continue;
        }
        if (best >= 0 && p->f->options.ties != TROP_TIES_FIRST &&
            !trop_flow_piece_meet(p, best, j)) {
            if (can_rest(p, i)) {
                return i;
            }
            slide(p, i, best, j);
            return -1;
        }
        best = best < 0 ? j : best;
    }
    if (best < 0 && can_rest(p, i)) {
        return i;
    }
    if (best < 0) {
        slide(p, i, p->f->state.follows[i], first);
    }
    return best;
}

/* Lets every token that is due switch, all at once. One that is drawn back, now that the
 * others go their new ways, stays; 0 when that draws it away again: the run slides. */
static int switch_leaders(struct trop_flow_piece *p)
{
    int64_t *follows = p->f->state.follows;

    for (int64_t i = 0; i < p->n; i++) {
        int64_t now = p->due[i] ? choose(p, i) : follows[i];
        if (now < 0) {
            return 0;
        }
        p->due[i] = p->due[i] ? follows[i] : -1; /* what it left, if it did */
        p->next[i] = now;
    }
    memcpy(follows, p->next, (size_t)p->n * sizeof *follows);
    trop_flow_piece_redirect(p);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t left = p->due[i], now = follows[i];
        p->due[i] = left >= 0;
        if (left < 0 || !draws_back(p, i, left, now, 1)) {
            continue;
        }
        follows[i] = left;
        trop_flow_piece_redirect(p);
        /* It left at a rate of about slack, perhaps: half of that is not staying. */
        if (!draws_back(p, i, now, left, 0.5)) {
            continue;
        }
        if (!can_rest(p, i)) {
            slide(p, i, left, now);
            return 0;
        }
        follows[i] = i;
        trop_flow_piece_redirect(p);
    }
    return 1;
}

/* Lets the tokens that are due (or any: all) switch until none is; with all, leaves the
 * safe times of the piece that begins. 0 when the run slides. */
static int settle(struct trop_flow_piece *p, int all)
{
    for (int round = 0;; round++) {
        int64_t due = -1;
        trop_flow_piece_prepare(p);
        trop_flow_piece_look_around(p, all);
        for (int64_t i = 0; i < p->n && due < 0; i++) {
            due = p->due[i] ? i : -1;
        }
        if (due < 0) {
            return 1;
        }
        int64_t now = round == ROUNDS ? choose(p, due) : -1;
        if (now >= 0) {
            slide(p, due, p->f->state.follows[due], now);
        }
        if (round == ROUNDS || !switch_leaders(p)) {
            return 0;
        }
    }
}

/* ---- one piece ------------------------------------------------------------------------------ */

/* Leaders of tokens that have none yet; 0 when distinct points tie for one. */
static int find_leaders(struct trop_flow_piece *p)
{
    struct trop_flow *f = p->f;

    for (int64_t i = 0; i < p->n; i++) {
        const struct trop_attend_note *note = f->seen.notes + i;
        if (f->state.follows[i] >= 0) {
            continue;
        }
        f->state.follows[i] = note->best;
        if (!note->unique && f->options.ties != TROP_TIES_FIRST) {
            const double *y = trop_attend_scene(f->engines.attend)->y + i * f->d;
            const struct trop_row *row =
                trop_attend_look(f->engines.attend, y, trop_flow_piece_visible(p, i));
            int64_t k = 1;
            while (trop_decide_equal(f->state.x + row->best * f->d,
                                     f->state.x + row->tied[k] * f->d, f->d)) {
                k++;
            }
            slide(p, i, row->best, row->tied[k]);
            return 0;
        }
    }
    return 1;
}

/* Looks that are too many mean that F is all but zero for a while. Steps of 2^-24 in u then
 * double with every 64 more, up to 2^-6. */
static double least_step(int64_t looks)
{
    return looks > 0 ? ldexp(1, (int)(looks < 64 * 18 ? looks / 64 : 18) - 24) : 0;
}

/* From a settled state to the next switch (1) or to the end (0). */
static int march(struct trop_flow_piece *p)
{
    struct trop_flow *f = p->f;
    int64_t looks = 0;

    for (;;) {
        double end = f->options.time - f->state.time, tau = trop_flow_piece_safe(p);
        double most = trop_flow_piece_longest(p);
        if (trop_flow_piece_is_still(p)) {
            tau = end = p->tau;
        }
        int ends = end <= tau && end <= most, restarts = !ends && most < tau, found;
        if (ends || restarts) {
            trop_flow_piece_place(p, ends ? end : most);
            found = trop_flow_piece_review(p);
        } else {
            p->floor = least_step(++looks - 1000 - 64 * p->n);
            found = trop_flow_piece_look_again(p, tau);
        }
        if (found || ends || restarts) {
            trop_flow_piece_keep(p);
        }
        if (ends && !found) {
            f->state.time = f->options.time;
            return 0;
        }
        if (restarts && !found) {
            trop_flow_piece_prepare(p);
            trop_flow_piece_look_around(p, 1);
            found = trop_flow_piece_safe(p) < 0;
            looks = 0;
        }
        if (found) {
            return 1;
        }
    }
}

enum trop_status trop_flow_piece(struct trop_flow *flow)
{
    struct trop_flow_piece p;
    enum trop_status status = TROP_OK;

    trop_flow_piece_begin(&p, flow);
    for (int64_t i = 0; i < p.n && status == TROP_OK; i++) {
        if (flow->state.follows[i] < 0) {
            status = trop_flow_look(flow);
        }
    }
    if (status != TROP_OK) {
        return status;
    }
    if (find_leaders(&p) && settle(&p, 1) && march(&p) && settle(&p, 0)) {
        /* Targets and their changes, by original token, as flow_look.c counts them. */
        for (int64_t i = 0; i < flow->n; i++) {
            int64_t before = flow->state.target[i], now = flow->state.follows[flow->state.owner[i]];
            if (before >= 0 &&
                trop_decide_equal(flow->state.x + flow->state.owner[before] * flow->d,
                                  flow->state.x + now * flow->d, flow->d)) {
                continue;
            }
            if (before >= 0) {
                flow->state.switches++;
                flow->state.last_switch = flow->state.step + 1;
            }
            flow->state.target[i] = flow->state.head[now];
        }
    }
    return TROP_OK;
}
