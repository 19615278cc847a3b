/* shrink.c -- which smaller instances stay, and in which order they are tried. */
#include "claim/shrink_internal.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ALLOWANCES 1e3

int trop_shrink_applies(const struct trop_claim *claim)
{
    return !trop_claim_is_shown(claim) && !trop_claim_needs_data(claim) &&
           !trop_claim_is_asked(claim) && claim->inputs;
}

/* ---- one instance ---- */

/* By how many allowances a line of the conclusion fails; 0: it does not. */
static double excess_of(const struct trop_line *line)
{
    const double beyond =
        line->relation == TROP_JUDGE_NEAR ? line->allowance - line->slack : -line->slack;

    return line->verdict != TROP_JUDGE_FALSE ? 0
           : line->allowance > 0             ? beyond / line->allowance
                                             : (double)INFINITY;
}

static double largest_excess(const struct trop_judge *judge)
{
    double largest = 0;

    for (int64_t k = 0; judge->list && k < judge->count; k++) {
        largest = fmax(largest, excess_of(judge->list + k));
    }
    return largest;
}

/* How far a hypothesis is from the equalities that it asks for, but for rounding, and the share of
 * the allowance that it uses. */
static enum trop_status apart_of(double out[2], const struct trop_hypothesis *h,
                                 struct trop_case *c)
{
    struct trop_judge judge = { .side = TROP_JUDGE_HYPOTHESIS, .keep = 1 };
    enum trop_status status = trop_claim_assume(h, &judge, c);

    out[0] = out[1] = 0;
    for (int64_t k = 0; status == TROP_OK && judge.list && k < judge.count; k++) {
        const struct trop_line *line = judge.list + k;
        if (line->relation == TROP_JUDGE_NEAR && line->measured != line->bound) {
            const double difference = fabs(line->measured - line->bound);
            const double rounding = 16 * DBL_EPSILON * (fabs(line->measured) + fabs(line->bound));
            out[0] = fmax(out[0], difference <= rounding ? 0 : difference);
            out[1] = fmax(out[1], difference / line->allowance);
        }
    }
    trop_judge_free(&judge);
    return status;
}

/* 1 when no hypothesis is further from its equality than before, or uses more than a tenth of its
 * allowance where it did not; it is what is compared with from then on. */
static int keeps_apart(struct trop_shrink *s, struct trop_case *c, int is_first)
{
    double *now = s->apart + 2 * s->hypotheses;

    for (int64_t k = 0; k < s->hypotheses; k++) {
        const double *before = s->apart + 2 * k;
        if (apart_of(now + 2 * k, s->claim->hypotheses + k, c) != TROP_OK) {
            return 0;
        }
        if (!is_first && (now[2 * k] > before[0] || now[2 * k + 1] > fmax(before[1], .1))) {
            return 0;
        }
    }
    memcpy(s->apart, now, (size_t)(2 * s->hypotheses) * sizeof *now);
    return 1;
}

/* Files of cases have none. */
static int has_empty(const struct trop_case *c)
{
    int any = 0;

    for (int64_t k = 0; k < c->count; k++) {
        any |= trop_shrink_elements(c->entries + k) == 0;
    }
    return any;
}

/* Draws around what is given and judges; 1 when it is a counterexample that counts. */
static int is_counterexample(struct trop_shrink *s, struct trop_case *c, int is_first)
{
    struct trop_trial trial = { .judge.keep = 1 };
    enum trop_status status = trop_claim_draw(s->claim, c);

    if (status == TROP_OK) {
        status = trop_trial_run(&trial, s->claim, c, 0);
    }
    int yes = status == TROP_OK && trial.verdict == TROP_VERDICT_VIOLATED && !has_empty(c);
    if (yes) {
        const double excess = largest_excess(&trial.judge);
        yes = (is_first || excess >= s->needed) && keeps_apart(s, c, is_first);
        s->excess = yes ? excess : s->excess;
        s->line = yes ? trial.judge.first : s->line;
    }
    s->stopped |= status == TROP_ERR_STOPPED;
    s->status = status == TROP_ERR_MEMORY ? status : s->status;
    trop_trial_free(&trial);
    return yes;
}

/* ---- the best ---- */

/* 1 when an instance like this was judged before; remembers it. */
static int was_seen(struct trop_shrink *s, const struct trop_case *c)
{
    uint64_t sum = 0;

    for (int64_t k = 0; k < c->count; k++) {
        const struct trop_case_entry *entry = c->entries + k;
        sum = trop_checksum_words(sum, entry->name, (int64_t)(sizeof entry->name / 8));
        sum = trop_checksum_words(sum, entry->shape, TROP_CASE_RANK);
        sum = trop_checksum_words(sum, entry->values, trop_shrink_elements(entry));
    }
    sum += sum == 0;
    int64_t at = (int64_t)(sum % (uint64_t)s->room);
    for (; s->seen[at]; at = (at + 1) % s->room) {
        if (s->seen[at] == sum) {
            return 1;
        }
    }
    s->seen[at] = sum;
    return 0;
}

int trop_shrink_is_over(const struct trop_shrink *s)
{
    return s->stopped || s->status != TROP_OK;
}

struct trop_case *trop_shrink_copy(struct trop_shrink *s)
{
    struct trop_case *copy = NULL;

    if (!trop_shrink_is_over(s)) {
        s->status = trop_case_copy(&copy, s->best);
    }
    return copy;
}

static void take(struct trop_shrink *s, struct trop_case *given, struct trop_case *judged)
{
    trop_case_free(s->best);
    trop_case_free(s->judged);
    s->best = given;
    s->judged = judged;
    s->size = trop_shrink_measure(given);
}

/* Judges a copy of what is given. */
static int judge_given(struct trop_shrink *s, struct trop_case *given, int is_first)
{
    struct trop_case *whole = NULL;

    s->status = trop_case_copy(&whole, given);
    if (s->status == TROP_OK && is_counterexample(s, whole, is_first)) {
        take(s, given, whole);
        return 1;
    }
    trop_case_free(whole);
    return 0;
}

int trop_shrink_try(struct trop_shrink *s, struct trop_case *candidate)
{
    if (!candidate) {
        return 0;
    }
    const struct trop_shrink_size size = trop_shrink_measure(candidate);
    if (!trop_shrink_is_over(s) && trop_shrink_is_smaller(&size, &s->size) &&
        !was_seen(s, candidate)) {
        const struct trop_shrink_limits *limits = s->limits;
        s->stopped |= s->evaluations >= limits->evaluations ||
                      (limits->progress &&
                       limits->progress(limits->context, s->evaluations, limits->evaluations));
        s->evaluations += !s->stopped;
        if (!s->stopped && judge_given(s, candidate, 0)) {
            return 1;
        }
    }
    trop_case_free(candidate);
    return 0;
}

/* ---- the beginning: what of the instance is given ---- */

static int is_input(const struct trop_claim *claim, const char *name)
{
    struct trop_input in;

    for (int64_t k = 0; trop_claim_input(&in, claim, k); k++) {
        if (strcmp(in.name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The inputs of a case; with drawn, what a draw sets too. */
static enum trop_status take_given(struct trop_case **out, const struct trop_shrink *s,
                                   const struct trop_case *c, const struct trop_case *drawn)
{
    enum trop_status status = trop_case_copy(out, c);

    if (status == TROP_OK) {
        (*out)->progress = s->limits->progress;
        (*out)->context = s->limits->context;
    }
    for (int64_t k = 0; status == TROP_OK && k < (*out)->count;) {
        const char *name = (*out)->entries[k].name;
        if (is_input(s->claim, name) || (drawn && trop_case_has(drawn, name))) {
            k++;
        } else {
            trop_case_drop(*out, name);
        }
    }
    return status;
}

/* From the inputs alone; where that is no counterexample, because draws of other numbers were
 * random, with these numbers. */
static enum trop_status begin(struct trop_shrink *s, const struct trop_case *violating)
{
    struct trop_case *given = NULL, *drawn = NULL;
    enum trop_status status = take_given(&given, s, violating, NULL);

    if (status != TROP_OK || judge_given(s, given, 1)) {
        return status;
    }
    status = s->status == TROP_OK ? trop_case_copy(&drawn, given) : s->status;
    if (status == TROP_OK) {
        status = trop_claim_draw(s->claim, drawn);
    }
    trop_case_free(given);
    given = NULL;
    if (status == TROP_OK) {
        status = take_given(&given, s, violating, drawn);
    }
    trop_case_free(drawn);
    if (status != TROP_OK || judge_given(s, given, 1)) {
        return status;
    }
    trop_case_free(given);
    return s->status != TROP_OK ? s->status
           : s->stopped
               ? trop_fail(TROP_ERR_STOPPED, "%s: its counterexample is not shrunk", s->claim->id)
               : trop_fail(TROP_ERR_ARG,
                           "%s: cannot be shrunk: what is drawn around its inputs does not violate "
                           "the claim",
                           s->claim->id);
}

/* ---- the whole ---- */

static void shrink(struct trop_shrink *s)
{
    for (int again = 1; again && !trop_shrink_is_over(s);) {
        do {
            again = trop_shrink_axes(s);
            again |= trop_shrink_values(s);
        } while (again);
        again = trop_shrink_jump(s);
        again = again || trop_shrink_counts(s);
    }
}

static enum trop_status make(struct trop_shrink *s)
{
    while (s->claim->hypotheses && s->claim->hypotheses[s->hypotheses].name) {
        s->hypotheses++;
    }
    s->room = 4 * s->limits->evaluations + 16;
    s->seen = trop_alloc(s->room, sizeof *s->seen);
    s->apart = trop_alloc(4 * s->hypotheses + 1, sizeof *s->apart);
    return s->seen && s->apart ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for shrinking");
}

enum trop_status trop_shrink(struct trop_case **out, struct trop_shrink_told *told,
                             const struct trop_claim *claim, const struct trop_case *violating,
                             const struct trop_shrink_limits *limits)
{
    struct trop_shrink s = { .claim = claim, .limits = limits };
    enum trop_status status = make(&s);

    if (status == TROP_OK) {
        status = begin(&s, violating);
    }
    if (status == TROP_OK) {
        told->before = s.size.numbers;
        s.needed = fmin(ALLOWANCES, s.excess);
        shrink(&s);
        status = s.status;
    }
    if (status == TROP_OK) {
        told->evaluations = s.evaluations;
        told->after = s.size.numbers;
        told->stopped = s.stopped;
        told->excess = s.excess;
        told->line = s.line;
        *out = s.judged;
        s.judged = NULL;
    }
    trop_case_free(s.best);
    trop_case_free(s.judged);
    trop_alloc_free(s.seen);
    trop_alloc_free(s.apart);
    return status;
}
