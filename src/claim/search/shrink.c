/* shrink.c -- which smaller instances stay, and in which order they are tried. */
#include "claim/search/shrink_internal.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/rng.h"
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

/* 1 when no hypothesis is further from its equality than that of the best, or uses more than a
 * tenth of its allowance where that did not. */
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

/* Draws around what is given and judges: by how many allowances the conclusion fails, 0 when it is
 * no counterexample. */
static double judge(struct trop_shrink *s, struct trop_case *c, struct trop_line *first)
{
    struct trop_trial trial = { .judge.keep = 1 };
    enum trop_status status = trop_claim_draw(s->claim, c);
    double excess = 0;

    if (status == TROP_OK) {
        status = trop_trial_run(&trial, s->claim, c, 0);
    }
    if (status == TROP_OK && trial.verdict == TROP_VERDICT_VIOLATED && !has_empty(c)) {
        excess = largest_excess(&trial.judge);
        *first = trial.judge.first;
    }
    s->stopped |= status == TROP_ERR_STOPPED;
    s->status = status == TROP_ERR_MEMORY ? status : s->status;
    trop_trial_free(&trial);
    return excess;
}

/* Counts an evaluation; 0 when there is none left. */
static int spend(struct trop_shrink *s)
{
    const struct trop_shrink_limits *limits = s->limits;

    s->stopped |= s->evaluations >= limits->evaluations ||
                  (limits->progress &&
                   limits->progress(limits->context, s->evaluations, limits->evaluations));
    s->evaluations += !s->stopped;
    return !trop_shrink_is_over(s);
}

/* ---- firm: still a counterexample when the numbers of an array move a little ---- */

/* Every number of the entry by up to a millionth of the largest, of 1 when all are 0. */
static void move_a_little(struct trop_case_entry *entry, double sign)
{
    const int64_t count = trop_shrink_elements(entry);
    double largest = 0;

    for (int64_t k = 0; k < count; k++) {
        largest = fmax(largest, fabs(entry->values[k]));
    }
    const double by = sign * 1e-6 * (largest > 0 ? largest : 1);
    for (int64_t k = 0; k < count; k++) {
        entry->values[k] += by * (2 * trop_rng_uniform(1, TROP_RNG_CLAIMS, 0, (uint64_t)k) - 1);
    }
}

static int survives(struct trop_shrink *s, const struct trop_case *given, int64_t entry)
{
    for (double sign = -1; sign <= 1; sign += 2) {
        struct trop_case *c = NULL;
        struct trop_line line;
        if (!spend(s) || (s->status = trop_case_copy(&c, given)) != TROP_OK) {
            return 0;
        }
        move_a_little(c->entries + entry, sign);
        const double excess = judge(s, c, &line);
        trop_case_free(c);
        if (excess <= s->needed / 2) {
            return 0;
        }
    }
    return 1;
}

static int is_firm(struct trop_shrink *s, const struct trop_case *given)
{
    for (int64_t k = 0; k < given->count; k++) {
        for (int64_t at = 0; at < s->firm_count; at++) {
            if (strcmp(s->firm[at], given->entries[k].name) == 0 && !survives(s, given, k)) {
                return 0;
            }
        }
    }
    return 1;
}

/* The arrays that the counterexample is firm in, and stays so. */
static void find_firm(struct trop_shrink *s)
{
    for (int64_t k = 0; k < s->best->count && !trop_shrink_is_over(s); k++) {
        const struct trop_case_entry *entry = s->best->entries + k;
        if (entry->rank > 0 && !trop_shrink_is_index(entry) && survives(s, s->best, k)) {
            memcpy(s->firm[s->firm_count++], entry->name, sizeof entry->name);
        }
    }
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

/* Judges a copy of what is given, and takes it when it is a counterexample that counts. */
static int judge_given(struct trop_shrink *s, struct trop_case *given, int is_first)
{
    struct trop_case *whole = NULL;
    struct trop_line line;

    s->status = trop_case_copy(&whole, given);
    const double excess = s->status == TROP_OK ? judge(s, whole, &line) : 0;
    if (!(excess > 0 && (is_first || excess >= s->needed) && keeps_apart(s, whole, is_first) &&
          is_firm(s, given))) {
        trop_case_free(whole);
        return 0;
    }
    memcpy(s->apart, s->apart + 2 * s->hypotheses, (size_t)(2 * s->hypotheses) * sizeof *s->apart);
    trop_case_free(s->best);
    trop_case_free(s->judged);
    s->best = given;
    s->judged = whole;
    s->size = trop_shrink_measure(given);
    s->excess = excess;
    s->line = line;
    return 1;
}

int trop_shrink_try(struct trop_shrink *s, struct trop_case *candidate)
{
    if (!candidate) {
        return 0;
    }
    const struct trop_shrink_size size = trop_shrink_measure(candidate);
    if (!trop_shrink_is_over(s) && trop_shrink_is_smaller(&size, &s->size) &&
        !was_seen(s, candidate) && spend(s) && judge_given(s, candidate, 0)) {
        return 1;
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
    for (int64_t k = 0; status == TROP_OK && k < (*out)->count; k++) {
        for (int64_t e = 0; e < trop_shrink_elements((*out)->entries + k); e++) {
            (*out)->entries[k].values[e] += 0.; /* no -0 */
        }
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
        find_firm(&s);
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
