/* search_climb.c -- one restart of a search: the best of a few instances, and then steps uphill.
 *
 * A (1+1) evolution strategy of our own: an instance is changed, judged, and kept when it is worth
 * at least as much. Its steps are of two kinds by turns: all smooth variables along a covariance
 * that successes shape (the elitist CMA-ES of Igel, Suttorp and Hansen, 2006; up to TURNED
 * variables), and a few of them by a step whose size is drawn anew, from 1e-6 to 3. What is not
 * smooth jumps. NLopt has no method that takes both kinds of variables, changes their number on the
 * way, and treats an instance outside of the hypotheses by order alone.
 */
#include "claim/search/search_internal.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/pow.h"
#include "base/status.h"
#include "run/stamp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLES 6       /* instances of which the best is the beginning */
#define MOVES 40        /* of one of the first restarts at most: breadth comes before depth */
#define DOUBLES 24      /* restarts after which there are twice as many, up to 32 times */
#define PATIENCE 60     /* moves without a gain that end a restart */
#define GAIN 1e-5       /* of what an instance is worth */
#define TURNED 30       /* smooth variables with a covariance, at most */
#define CONFIRMATIONS 3 /* of a restart, with fresh random numbers */

/* The covariance of smooth steps. */
struct shape {
    int64_t n;
    double step, success;
    double covariance[TURNED * TURNED], factor[TURNED * TURNED], path[TURNED];
    double z[TURNED], move[TURNED];
};

struct climb {
    struct trop_search_restart *r;
    struct trop_search_point at;
    struct trop_search_space space;
    struct trop_case *first; /* what was given in the beginning */
    struct shape shape;
    char target[64];
    int64_t confirmed; /* how often that was tried */
};

/* ---- judging ---- */

static void keep_best(struct trop_search_restart *r, const struct trop_search_score *score,
                      struct trop_case **c)
{
    trop_case_free(r->nearest);
    r->best = score->best;
    r->nearest = *c;
    *c = NULL;
}

/* Draws and judges with numbers of these, entered into the table. */
static enum trop_status judge_case(struct trop_search_score *score, struct trop_case *c,
                                   struct climb *climb, struct trop_latents *latents)
{
    const struct trop_claim *claim = climb->r->search->claim;

    trop_latents_begin(latents);
    c->latents = latents;
    enum trop_status status = trop_claim_draw(claim, c);
    c->latents = NULL;
    return status == TROP_OK ? trop_search_judge(score, &climb->r->evidence, claim, c,
                                                 climb->target[0] ? climb->target : NULL)
                             : status;
}

/* The same with the point's own, as a case worked out. */
static enum trop_status draw_and_judge(struct trop_case **out, struct climb *climb,
                                       struct trop_search_point *point)
{
    struct trop_case *c = NULL;
    enum trop_status status = trop_case_copy(&c, point->given);

    if (status != TROP_OK) {
        return status;
    }
    c->progress = climb->r->progress;
    c->context = climb->r->context;
    status = judge_case(&point->score, c, climb, &point->latents);
    c->progress = NULL;
    c->context = NULL;
    *out = c;
    return status;
}

/* A violation of a wide allowance is one when it is there with other random numbers too, on a
 * hundred times the runs: three allowances, of two deviations at least.
 * *c and the score of the point are then those. Where nothing is random a difference must be twice
 * what is allowed. */
static int is_confirmed(struct climb *climb, struct trop_search_point *point, struct trop_case **c)
{
    const struct trop_search_line *best = &point->score.best;
    struct trop_search_point fresh = { 0 };
    struct trop_case *other = NULL;

    if (!trop_case_has(*c, "runs")) {
        return best->line.relation == TROP_JUDGE_NEAR && best->ratio >= 1;
    }
    if (climb->confirmed++ >= CONFIRMATIONS || trop_search_point_copy(&fresh, point) != TROP_OK) {
        return 0;
    }
    fresh.given->seed = ~fresh.given->seed;
    const double runs = fmin(100 * trop_case_number(*c, "runs"), 1e6);
    const int confirmed = trop_case_put(fresh.given, "runs", runs) == TROP_OK &&
                          draw_and_judge(&other, climb, &fresh) == TROP_OK &&
                          fresh.score.violated && fresh.score.best.ratio >= 3;
    if (confirmed) {
        trop_case_free(*c);
        *c = other;
        point->score = fresh.score;
        other = NULL;
    }
    trop_case_free(other);
    trop_search_point_free(&fresh);
    return confirmed;
}

static int is_refuted(struct climb *climb, struct trop_search_point *point, struct trop_case **c)
{
    const struct trop_search_line *best = &point->score.best;

    return point->score.violated && !point->score.strained &&
           !climb->r->search->claim->asymptotic &&
           (best->ratio >= TROP_SEARCH_EXCESS ||
            (trop_search_is_wide(&best->line) && is_confirmed(climb, point, c)));
}

/* Judges a point; 0: the restart is over. */
static int judge(struct climb *climb, struct trop_search_point *point)
{
    struct trop_search_restart *r = climb->r;
    struct trop_case *c = NULL;

    if (r->is_over(r->context)) {
        return 0;
    }
    const enum trop_status status = draw_and_judge(&c, climb, point);
    r->evaluations++;
    if (status == TROP_ERR_MEMORY || status == TROP_ERR_STOPPED) {
        r->status = status;
        snprintf(r->error, sizeof r->error, "%s", trop_error());
        trop_case_free(c);
        return 0;
    }
    if (status != TROP_OK) {
        point->score = (struct trop_search_score){ .value = TROP_SEARCH_WORTHLESS };
    } else if (point->score.decided) {
        r->applicable++;
        r->refuted = is_refuted(climb, point, &c);
        r->refuted_at = trop_stamp_now();
        if (r->refuted || !r->nearest || point->score.best.ratio > r->best.ratio) {
            keep_best(r, &point->score, &c);
        }
    }
    trop_case_free(c);
    return !r->refuted;
}

/* ---- smooth steps ---- */

static void begin_shape(struct shape *s, int64_t n)
{
    memset(s, 0, sizeof *s);
    s->n = n <= TURNED ? n : 0;
    s->step = .3;
    s->success = 2. / 11;
    for (int64_t k = 0; k < s->n; k++) {
        s->covariance[k * s->n + k] = s->factor[k * s->n + k] = 1;
    }
}

/* factor factor' = covariance; 0 when it is not definite. */
static int factorise(struct shape *s)
{
    const int64_t n = s->n;

    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = s->covariance[i * n + j];
            for (int64_t k = 0; k < j; k++) {
                sum -= s->factor[i * n + k] * s->factor[j * n + k];
            }
            if (i == j && !(sum > 1e-300)) {
                return 0;
            }
            s->factor[i * n + j] = i == j ? sqrt(sum) : sum / s->factor[j * n + j];
        }
    }
    return 1;
}

static void step_all(struct climb *climb, struct trop_search_space *space)
{
    struct shape *s = &climb->shape;

    for (int64_t k = 0; k < s->n; k++) {
        s->z[k] = trop_search_normal(&climb->r->dice);
    }
    for (int64_t i = 0; i < s->n; i++) {
        s->move[i] = 0;
        for (int64_t k = 0; k <= i; k++) {
            s->move[i] += s->factor[i * s->n + k] * s->z[k];
        }
        trop_search_decode(space->list + i,
                           trop_search_encode(space->list + i) + s->step * s->move[i]);
    }
}

/* After a step of all: its size by the share of successes, its shape by where they went. */
static void learn(struct shape *s, int success)
{
    const double n = (double)s->n, goal = 2. / 11, rate = 1. / 12;
    const double along = 2 / (n + 2), turn = 2 / (n * n + 6);

    s->success = (1 - rate) * s->success + rate * success;
    s->step *= trop_exp((s->success - goal) / ((1 + n / 2) * (1 - goal)));
    s->step = fmin(fmax(s->step, 1e-12), 10);
    if (!success) {
        return;
    }
    const int large = s->success >= .44;
    for (int64_t k = 0; k < s->n; k++) {
        s->path[k] =
            (1 - along) * s->path[k] + (large ? 0 : sqrt(along * (2 - along))) * s->move[k];
    }
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < s->n; j++) {
            double *at = s->covariance + i * s->n + j;
            *at = (1 - turn + (large ? turn * along * (2 - along) : 0)) * *at +
                  turn * s->path[i] * s->path[j];
        }
    }
    if (!factorise(s)) {
        begin_shape(s, s->n);
    }
}

static void step_few(struct trop_search_space *space, struct trop_search_dice *dice)
{
    const double size = trop_pow(10, -6 + 6.5 * trop_search_uniform(dice));

    for (int64_t moves = 1 + trop_search_pick(dice, 3); moves > 0; moves--) {
        const struct trop_search_variable *v = space->list + trop_search_pick(dice, space->smooth);
        trop_search_decode(v, trop_search_encode(v) + size * trop_search_normal(dice));
    }
}

/* ---- a move ---- */

enum move { MOVE_ALL, MOVE_FEW, MOVE_SNAP, MOVE_SCALE, MOVE_JUMP, MOVE_RESIZE };

static enum move choose(struct climb *climb, const struct trop_search_space *space)
{
    struct trop_search_dice *dice = &climb->r->dice;
    const int is_free = climb->at.given->count > climb->r->base->count;
    const double u = trop_search_uniform(dice), w = trop_search_uniform(dice);

    if (is_free && u < .06) {
        return MOVE_RESIZE;
    }
    if (space->count > space->smooth && (space->smooth == 0 || u < .35)) {
        return MOVE_JUMP;
    }
    return w < .1                         ? MOVE_SNAP
           : w < .16                      ? MOVE_SCALE
           : w < .6 && climb->shape.n > 0 ? MOVE_ALL
                                          : MOVE_FEW;
}

/* Changes a point whose variables are these; 0: there is nothing to change. */
static int change(struct climb *climb, struct trop_search_point *point,
                  struct trop_search_space *space, enum move move)
{
    const struct trop_search *search = climb->r->search;
    struct trop_search_dice *dice = &climb->r->dice;

    if (move == MOVE_RESIZE) {
        return trop_search_resize(point->given, search->claim, climb->r->base, dice);
    }
    if (space->count == 0) {
        return 0;
    }
    if (move == MOVE_ALL) {
        step_all(climb, space);
    } else if (move == MOVE_JUMP) {
        for (int64_t jumps = 1 + trop_search_pick(dice, 2); jumps > 0; jumps--) {
            trop_search_jump(
                space, space->smooth + trop_search_pick(dice, space->count - space->smooth), dice);
        }
    } else if (space->smooth > 0 && move == MOVE_SNAP) {
        trop_search_snap(space, trop_search_pick(dice, space->smooth), dice);
    } else if (space->smooth > 0 && move == MOVE_SCALE) {
        trop_search_scale(space, trop_search_pick(dice, space->smooth), dice);
    } else if (space->smooth > 0) {
        step_few(space, dice);
    }
    return 1;
}

/* The variables of where it is now; a shape stays while their number does. */
static enum trop_status look_around(struct climb *climb)
{
    const struct trop_search *search = climb->r->search;
    const int64_t before = climb->space.smooth;
    enum trop_status status = trop_search_space_of(&climb->space, search->claim, &climb->at,
                                                   climb->r->base, climb->first);

    if (status == TROP_OK && climb->space.smooth != before) {
        begin_shape(&climb->shape, climb->space.smooth);
    }
    return status;
}

/* One step; 0: the restart is over. */
static int step(struct climb *climb)
{
    struct trop_search_point next;
    struct trop_search_space space = { 0 };
    struct trop_search_restart *r = climb->r;

    r->status = trop_search_point_copy(&next, &climb->at);
    if (r->status != TROP_OK) {
        return 0;
    }
    r->status = trop_search_space_of(&space, r->search->claim, &next, r->base, climb->first);
    int goes_on = r->status == TROP_OK;
    const enum move move = goes_on ? choose(climb, &space) : MOVE_FEW;
    if (goes_on && change(climb, &next, &space, move)) {
        goes_on = judge(climb, &next);
        const int better = next.score.value >= climb->at.score.value;
        if (move == MOVE_ALL) {
            learn(&climb->shape, next.score.value > climb->at.score.value);
        }
        if (better) {
            trop_search_point_free(&climb->at);
            climb->at = next;
            next = (struct trop_search_point){ 0 };
            r->status = r->status == TROP_OK ? look_around(climb) : r->status;
        }
    }
    trop_search_space_free(&space);
    trop_search_point_free(&next);
    return goes_on && r->status == TROP_OK;
}

/* ---- the beginning ---- */

/* Instance k of a family: drawn, its inputs made free, changed, and judged. 0: it is over. */
static int begin_at(struct trop_search_point *out, struct climb *climb, int64_t family, int64_t k)
{
    struct trop_search_restart *r = climb->r;
    const struct trop_search *search = r->search;
    struct trop_case *c = NULL;

    *out = (struct trop_search_point){ .score.value = TROP_SEARCH_WORTHLESS };
    r->status = trop_case_copy(&out->given, r->base);
    if (r->status != TROP_OK) {
        return 0;
    }
    out->given->trial = r->dice.restart * SAMPLES + k;
    if (family == TROP_SEARCH_DRAWN) {
        return judge(climb, out);
    }
    r->status = trop_case_copy(&c, out->given);
    enum trop_status status = r->status == TROP_OK ? trop_claim_draw(search->claim, c) : r->status;
    if (status == TROP_OK) {
        r->status = trop_search_pin(out, search->claim, c, family == TROP_SEARCH_NUMBERS);
    }
    if (status == TROP_OK && r->status == TROP_OK && family > TROP_SEARCH_FREE) {
        r->status = trop_search_shape(out->given, search->claim, r->base, family, &r->dice);
    }
    trop_case_free(c);
    return r->status == TROP_OK && judge(climb, out);
}

/* The target of a restart: all lines, or one of those that its first instances have. */
static void choose_target(struct climb *climb)
{
    const struct trop_search_evidence *evidence = &climb->r->evidence;
    const int64_t turn = climb->r->dice.restart / TROP_SEARCH_FAMILIES;

    if (evidence->count > 1 && turn % 2 == 1) {
        snprintf(climb->target, sizeof climb->target, "%s",
                 evidence->list[turn / 2 % evidence->count].line.name);
    }
}

static int begin(struct climb *climb)
{
    const int64_t family = climb->r->dice.restart % TROP_SEARCH_FAMILIES;
    int goes_on = 1;

    climb->at.score.value = -INFINITY;
    for (int64_t k = 0; k < SAMPLES && goes_on; k++) {
        struct trop_search_point point;
        goes_on = begin_at(&point, climb, family, k);
        if (point.score.value > climb->at.score.value) {
            trop_search_point_free(&climb->at);
            climb->at = point;
        } else {
            trop_search_point_free(&point);
        }
    }
    choose_target(climb);
    /* Worth something else now. */
    if (goes_on && climb->target[0]) {
        goes_on = judge(climb, &climb->at);
    }
    if (goes_on) {
        climb->r->status = trop_case_copy(&climb->first, climb->at.given);
    }
    return goes_on && climb->r->status == TROP_OK && look_around(climb) == TROP_OK;
}

void trop_search_climb(struct trop_search_restart *restart)
{
    struct climb *climb = trop_alloc(1, sizeof *climb);

    if (!climb) {
        restart->status = trop_fail(TROP_ERR_MEMORY, "no memory for a search");
        return;
    }
    const int64_t doublings = restart->dice.restart / DOUBLES;
    const int64_t moves = MOVES << (doublings < 5 ? doublings : 5);
    climb->r = restart;
    int goes_on = begin(climb);
    double before = climb->at.score.value;
    for (int64_t k = 0, gained = 0; k < moves && k - gained < PATIENCE && goes_on; k++) {
        goes_on = step(climb);
        if (climb->at.score.value > before + GAIN) {
            before = climb->at.score.value;
            gained = k;
        }
    }
    trop_search_space_free(&climb->space);
    trop_search_point_free(&climb->at);
    trop_case_free(climb->first);
    trop_alloc_free(climb);
}
