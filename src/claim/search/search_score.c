/* search_score.c -- what an instance is worth to a search.
 *
 * A line that holds is worth minus its slack, by itself and over the sizes of its two sides, from
 * -1 to 0, and a violated one log(1 + violation / allowance). Where a hypothesis is false or open,
 * the instance is worth less than any that satisfies all: the more hypotheses before that one are
 * true, and the nearer its lines are to holding, the better. NaN, an infinite side of a violated
 * line and an open conclusion are worth nothing.
 */
#include "claim/search/search_internal.h"

#include "base/alloc.h"
#include "base/math/log.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STRAIN 1e-4 /* of its tolerance, by which an equality may fail */

/* ---- lines ---- */

static double room_of(const struct trop_line *line)
{
    const double rounding = DBL_EPSILON * (fabs(line->measured) + fabs(line->bound));

    return fmax(fmax(line->allowance, rounding), DBL_MIN);
}

/* From 0 to 1: by the sizes of the two sides, which a bound of 0 has none of, and by itself. */
static double squash(const struct trop_line *line, double distance)
{
    const double scale = fabs(line->measured) + fabs(line->bound) + DBL_MIN;

    return distance < INFINITY && scale < INFINITY
               ? .5 * distance / (distance + scale) + .5 * distance / (distance + 1)
               : 1;
}

double trop_search_ratio(const struct trop_line *line)
{
    const double sizes = fabs(line->measured) + fabs(line->bound) + DBL_MIN;

    return line->slack < 0      ? -line->slack / room_of(line)
           : isinf(line->slack) ? -1
                                : -line->slack / (line->slack + sizes);
}

int trop_search_is_wide(const struct trop_line *line)
{
    return line->allowance > 1e-6 * (fabs(line->measured) + fabs(line->bound)) ||
           line->relation == TROP_JUDGE_ABOVE;
}

static int decides(const struct trop_line *line)
{
    return line->relation != TROP_JUDGE_BESIDE && !isnan(line->slack) &&
           line->allowance < INFINITY &&
           (line->slack >= 0 || (isfinite(line->measured) && isfinite(line->bound)));
}

static double worth(const struct trop_line *line)
{
    return line->slack < 0 ? trop_log1p(trop_search_ratio(line)) : -squash(line, line->slack);
}

enum trop_status trop_search_add(struct trop_search_evidence *evidence,
                                 const struct trop_search_line *line)
{
    for (int64_t k = 0; k < evidence->count; k++) {
        struct trop_search_line *old = evidence->list + k;
        if (strcmp(old->line.name, line->line.name) == 0) {
            *old = line->ratio > old->ratio ? *line : *old;
            return TROP_OK;
        }
    }
    if (evidence->count == evidence->capacity) {
        const int64_t capacity = 2 * evidence->capacity + 8;
        struct trop_search_line *more = trop_alloc(capacity, sizeof *more);
        if (!more) {
            return trop_fail(TROP_ERR_MEMORY, "no memory for what a search measures");
        }
        if (evidence->count > 0) {
            memcpy(more, evidence->list, (size_t)evidence->count * sizeof *more);
        }
        trop_alloc_free(evidence->list);
        evidence->list = more;
        evidence->capacity = capacity;
    }
    evidence->list[evidence->count++] = *line;
    return TROP_OK;
}

/* ---- the conclusion ---- */

static enum trop_status score_lines(struct trop_search_score *score,
                                    struct trop_search_evidence *evidence,
                                    const struct trop_judge *judge, const char *target,
                                    int64_t trial)
{
    double most = -1, sum = 0;
    int64_t lines = 0;
    enum trop_status status = TROP_OK;

    score->best.ratio = -INFINITY;
    for (int64_t k = 0; k < judge->count && status == TROP_OK; k++) {
        const struct trop_line *line = judge->list + k;
        if (!decides(line)) {
            continue;
        }
        const struct trop_search_line told = { *line, trop_search_ratio(line), trial };
        status = trop_search_add(evidence, &told);
        score->best = told.ratio > score->best.ratio ? told : score->best;
        if (!target || strcmp(target, line->name) == 0) {
            const double w = worth(line);
            most = fmax(most, w);
            sum += fmin(w, 1);
            lines++;
        }
    }
    score->violated = trop_judge_verdict(judge) == TROP_JUDGE_FALSE &&
                      score->best.line.verdict == TROP_JUDGE_FALSE;
    score->decided = trop_judge_verdict(judge) != TROP_JUDGE_OPEN;
    /* The mean tells apart instances of which some line holds with equality. */
    score->value = lines > 0 ? most + 1e-3 * (sum / (double)lines - 1) : -1.01;
    score->value = score->strained ? fmin(score->value, -1e-3) : score->value;
    return status;
}

/* ---- hypotheses ---- */

/* How far a hypothesis is from being true, from 0 to 1. */
static double distance_of(const struct trop_judge *judge)
{
    double most = 0, sum = 0;
    int64_t not_true = 0;

    for (int64_t k = 0; k < judge->count && judge->list; k++) {
        const struct trop_line *line = judge->list + k;
        if (line->verdict != TROP_JUDGE_TRUE) {
            const double room = line->relation == TROP_JUDGE_NEAR ? 0 : line->allowance;
            const double share = isnan(line->slack) ? 1 : squash(line, room - line->slack);
            most = fmax(most, share);
            sum += share;
            not_true++;
        }
    }
    return judge->count > 0 ? .4 * most + (.3 * sum + .3 * (double)not_true) / (double)judge->count
                            : 1;
}

/* 1 when some equality holds by more than rounding would need: a violation may come from its
 * tolerance. */
static int is_strained(const struct trop_judge *judge)
{
    for (int64_t k = 0; k < judge->count && judge->list; k++) {
        const struct trop_line *line = judge->list + k;
        const double difference = fabs(line->measured - line->bound);
        if (line->relation == TROP_JUDGE_NEAR && difference > STRAIN * line->allowance &&
            difference > 64 * DBL_EPSILON * (fabs(line->measured) + fabs(line->bound))) {
            return 1;
        }
    }
    return 0;
}

static enum trop_status judge_hypotheses(struct trop_search_score *score,
                                         const struct trop_claim *claim, struct trop_case *c,
                                         int late)
{
    int64_t left = 0;
    enum trop_status status = TROP_OK;

    for (const struct trop_hypothesis *h = claim->hypotheses; h && h->name; h++) {
        left += h->late == late || (!late && h->late);
    }
    for (const struct trop_hypothesis *h = claim->hypotheses;
         h && h->name && status == TROP_OK && score->value == 0; h++) {
        struct trop_judge judge = { .side = TROP_JUDGE_HYPOTHESIS, .keep = 1 };
        if (h->late != late) {
            continue;
        }
        status = trop_claim_assume(h, &judge, c);
        if (status == TROP_OK && trop_judge_verdict(&judge) != TROP_JUDGE_TRUE) {
            score->value = -1 - (double)left - distance_of(&judge);
        }
        score->strained |= is_strained(&judge);
        left--;
        trop_judge_free(&judge);
    }
    return status;
}

enum trop_status trop_search_judge(struct trop_search_score *score,
                                   struct trop_search_evidence *evidence,
                                   const struct trop_claim *claim, struct trop_case *c,
                                   const char *target)
{
    struct trop_judge judge = { .side = TROP_JUDGE_CONCLUSION, .keep = 1 };

    *score = (struct trop_search_score){ .best.ratio = -INFINITY };
    enum trop_status status = judge_hypotheses(score, claim, c, 0);
    if (status == TROP_OK && score->value == 0) {
        status = trop_claim_work(claim, c);
    }
    if (status == TROP_OK && score->value == 0) {
        status = judge_hypotheses(score, claim, c, 1);
    }
    if (status != TROP_OK || score->value < 0) {
        return status;
    }
    status = trop_claim_conclude(claim, &judge, c);
    if (status == TROP_OK) {
        status = score_lines(score, evidence, &judge, target, c->trial);
    }
    trop_judge_free(&judge);
    return status;
}
