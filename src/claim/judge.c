/* judge.c -- inequalities with their slack. */
#include "claim/judge.h"

#include "base/alloc.h"
#include "base/field.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const trop_judge_relations[] = {
    [TROP_JUDGE_AT_MOST] = "at most", [TROP_JUDGE_AT_LEAST] = "at least",
    [TROP_JUDGE_NEAR] = "near",       [TROP_JUDGE_ABOVE] = "above",
    [TROP_JUDGE_BESIDE] = "beside",
};

void trop_judge_told(struct trop_value *out, const void *verdict)
{
    if (*(const int64_t *)verdict != TROP_JUDGE_OPEN) {
        trop_field_boolean(out, *(const int64_t *)verdict == TROP_JUDGE_TRUE);
    }
}

void trop_judge_free(struct trop_judge *judge)
{
    trop_alloc_free(judge->list);
    judge->list = NULL;
}

int64_t trop_judge_verdict(const struct trop_judge *judge)
{
    const int is_open = judge->open > 0 || judge->count == judge->beside || judge->failed;

    return judge->failures > 0 ? TROP_JUDGE_FALSE : is_open ? TROP_JUDGE_OPEN : TROP_JUDGE_TRUE;
}

static int64_t verdict_of(const struct trop_judge *judge, const struct trop_line *line)
{
    /* The allowance of near is the bound itself. */
    const double room = line->relation == TROP_JUDGE_NEAR ? 0 : line->allowance;

    if (isnan(line->slack) || !(line->allowance < INFINITY)) {
        return TROP_JUDGE_OPEN;
    }
    if (line->slack < -room) {
        return TROP_JUDGE_FALSE;
    }
    return judge->side == TROP_JUDGE_HYPOTHESIS && line->slack < room ? TROP_JUDGE_OPEN
                                                                      : TROP_JUDGE_TRUE;
}

static void keep(struct trop_judge *judge, const struct trop_line *line)
{
    if (judge->count > judge->capacity) {
        const int64_t capacity = 2 * judge->capacity + 16;
        struct trop_line *list = trop_alloc(capacity, sizeof *list);
        if (!list) {
            judge->failed = 1;
            trop_judge_free(judge); /* count goes on, and would be more than there are */
            return;
        }
        if (judge->list) {
            memcpy(list, judge->list, (size_t)(judge->count - 1) * sizeof *list);
        }
        trop_alloc_free(judge->list);
        judge->list = list;
        judge->capacity = capacity;
    }
    judge->list[judge->count - 1] = *line;
}

static int is_tighter(const struct trop_judge *judge, const struct trop_line *line)
{
    return judge->count == 1 || isnan(judge->tightest.tightness) ||
           line->tightness < judge->tightest.tightness;
}

/* The first false line is the one to tell; an open one only until there is a false one. */
static int is_first(const struct trop_judge *judge, const struct trop_line *line)
{
    return line->verdict == TROP_JUDGE_FALSE  ? judge->failures == 1
           : line->verdict == TROP_JUDGE_OPEN ? judge->open == 1 && judge->failures == 0
                                              : 0;
}

static void add(struct trop_judge *judge, struct trop_line *line, const char *name)
{
    snprintf(line->name, sizeof line->name, "%s", name);
    judge->count++;
    judge->failures += line->verdict == TROP_JUDGE_FALSE;
    judge->open += line->verdict == TROP_JUDGE_OPEN;
    judge->beside += line->relation == TROP_JUDGE_BESIDE;
    if (is_tighter(judge, line)) {
        judge->tightest = *line;
    }
    if (is_first(judge, line)) {
        judge->first = *line;
    }
    if (judge->keep && !judge->failed) {
        keep(judge, line);
    }
}

/* scale is what the slack is measured by; 0 / 0 is 0: the line holds with equality. */
static void add_line(struct trop_judge *judge, const char *name, struct trop_line line,
                     double slack, double scale)
{
    line.slack = slack;
    line.tightness = isinf(slack) ? copysign(1, slack) : slack == 0 ? 0 : slack / scale;
    line.verdict = verdict_of(judge, &line);
    add(judge, &line, name);
}

static struct trop_line line_of(int64_t relation, int64_t step, double measured, double bound,
                                double allowance)
{
    return (struct trop_line){ .relation = relation,
                               .step = step,
                               .measured = measured,
                               .bound = bound,
                               .allowance = allowance };
}

void trop_judge_at_most(struct trop_judge *judge, const char *name, int64_t step, double measured,
                        double bound, double allowance)
{
    /* inf <= inf holds, with no slack. */
    add_line(judge, name, line_of(TROP_JUDGE_AT_MOST, step, measured, bound, allowance),
             measured == bound ? 0 : bound - measured, fabs(measured) + fabs(bound));
}

void trop_judge_at_least(struct trop_judge *judge, const char *name, int64_t step, double measured,
                         double bound, double allowance)
{
    add_line(judge, name, line_of(TROP_JUDGE_AT_LEAST, step, measured, bound, allowance),
             measured == bound ? 0 : measured - bound, fabs(measured) + fabs(bound));
}

void trop_judge_near(struct trop_judge *judge, const char *name, int64_t step, double measured,
                     double bound, double allowance)
{
    const double difference = measured == bound ? 0 : fabs(measured - bound);

    add_line(judge, name, line_of(TROP_JUDGE_NEAR, step, measured, bound, allowance),
             allowance - difference, allowance + difference);
}

void trop_judge_compare(struct trop_judge *judge, double measured, double bound, double allowance,
                        const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(judge->name, sizeof judge->name, format, arguments);
    va_end(arguments);
    trop_judge_near(judge, judge->name, -1, measured, bound, allowance);
}

void trop_judge_above(struct trop_judge *judge, const char *name, double measured, double bound,
                      double allowance, int64_t truth)
{
    struct trop_line line = line_of(TROP_JUDGE_ABOVE, -1, measured, bound, allowance);

    line.slack = measured - bound;
    line.tightness = line.slack / (fabs(line.slack) + allowance);
    line.verdict = isnan(line.slack) || truth < 0 ? TROP_JUDGE_OPEN
                   : truth                        ? TROP_JUDGE_TRUE
                                                  : TROP_JUDGE_FALSE;
    add(judge, &line, name);
}

void trop_judge_beside(struct trop_judge *judge, const char *name, double measured,
                       double published)
{
    struct trop_line line = line_of(TROP_JUDGE_BESIDE, -1, measured, published, 0);

    line.tightness = INFINITY;
    line.verdict = TROP_JUDGE_TRUE;
    add(judge, &line, name);
}

int trop_judge_is_weak(const struct trop_line *line)
{
    return line->relation == TROP_JUDGE_NEAR && line->bound != 0 &&
           !(line->allowance <= fabs(line->bound));
}

void trop_judge_truth(struct trop_judge *judge, const char *name, int64_t step, int64_t truth)
{
    trop_judge_at_least(judge, name, step, truth < 0 ? (double)NAN : (double)truth, 1, 0);
}

const char *trop_judge_name(struct trop_judge *judge, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(judge->name, sizeof judge->name, format, arguments);
    va_end(arguments);
    return judge->name;
}
