/* escape_statistics.c -- medians, their intervals, survival curves, the exponent.
 *
 * N runs, times T_(1) <= ... <= T_(N). The median is T_(k), k = (N + 1)/2 rounded down: the least
 * t that half of the runs do not pass, as the median of a law is the least t with P[T <= t] >= 1/2.
 *
 * Interval. Whatever the law, [T_(l), T_(N+1-l)] contains the median of the chain with probability
 * at least 99% when P[Bin(N, 1/2 - D) <= l - 1] <= 0.005; the largest such l is taken. D is at
 * least the distance of the law of a run from that of the chain in total variation: a run has left
 * by the median with probability 1/2 - D at least, and likewise has not left before it. There is no
 * interval below 8 runs, and none where D leaves no such l, as D >= 1/2 always does.
 *
 * Survival S(t) is the fraction of runs that are inside after step t, at no more than 50 steps
 * evenly spread in log t between the first and the last exit. The band is that of Dvoretzky,
 * Kiefer and Wolfowitz with Massart's constant: with probability 99% the true curve is within
 * sqrt(log(200)/(2 N)) + D of S at all steps at once.
 *
 * Runs without exit (they came to the end of their moves at time c) are known to last beyond c and
 * no more. Every order statistic is taken twice, with c and with infinity for these runs: the
 * two enclose what a complete run would have given. The curve ends before the least c.
 *
 * Exponent: least squares of log median on beta over the betas with a finite median, and the
 * standard error of the slope, sqrt(sum r^2/(m - 2)/Sxx).
 */
#include "flow/escape/escape.h"

#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/option.h"
#include "base/sort.h"

#include <math.h>
#include <stdio.h>

#define LN10 0x1.26bb1bbb55516p+1
#define TAIL 0.005            /* on either side of an interval of 99% */
#define DKW 2.649158683274018 /* log(200)/2 */
#define NEVER ((struct trop_escape_time){ INFINITY, INFINITY })

/* ---- order statistics ------------------------------------------------------------------------ */

static int is_before(const struct trop_escape_time *a, const struct trop_escape_time *b)
{
    return isfinite(a->count) || isfinite(b->count) ? a->count < b->count : a->log < b->log;
}

static double as_number(const struct trop_escape_time *time)
{
    return isfinite(time->count) ? time->count : trop_exp(time->log);
}

static struct trop_escape_time upper(const struct trop_escape_run *run)
{
    return run->open ? NEVER : run->exit;
}

static int exits_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_escape_run *runs = context;

    return is_before(&runs[a].exit, &runs[b].exit) ||
           (!is_before(&runs[b].exit, &runs[a].exit) && a < b);
}

static int surely_exits_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_escape_run *runs = context;
    struct trop_escape_time ta = upper(runs + a), tb = upper(runs + b);

    return is_before(&ta, &tb) || (!is_before(&tb, &ta) && a < b);
}

static int nears_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_escape_run *runs = context;

    return is_before(&runs[a].near, &runs[b].near) ||
           (!is_before(&runs[b].near, &runs[a].near) && a < b);
}

/* The largest l with P[Bin(n, 1/2 - distance) <= l - 1] <= TAIL; 0 when there is none. */
static int64_t rank_of_interval(int64_t n, double distance)
{
    const double p = 0.5 - distance;

    if (!(p > 0)) {
        return 0;
    }
    double log_term = (double)n * trop_log(1 - p), sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += trop_exp(log_term);
        if (sum > TAIL) {
            return k;
        }
        log_term += trop_log((double)(n - k) / (double)(k + 1) * (p / (1 - p)));
    }
    return 0;
}

static void sort_runs(struct trop_escape *e, int64_t runs,
                      int (*before)(const void *context, int64_t a, int64_t b))
{
    for (int64_t k = 0; k < runs; k++) {
        e->order[k] = k;
    }
    trop_sort(e->order, runs, before, e->runs);
}

/* ---- survival -------------------------------------------------------------------------------- */

/* How many runs have left by time t, the runs being in order. */
static int64_t left_by(const struct trop_escape *e, int64_t runs, const struct trop_escape_time *t)
{
    int64_t low = 0, high = runs;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (is_before(t, &e->runs[e->order[middle]].exit)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* exp(log), as a whole number exactly where runs have one: those with a number are before those
 * without. */
static struct trop_escape_time time_at(double log)
{
    const double count = log < 37 ? floor(trop_exp(log) + 0.5) : (double)INFINITY;

    return count < TROP_ESCAPE_COUNTED ? (struct trop_escape_time){ count, trop_log(count) }
                                       : (struct trop_escape_time){ INFINITY, log };
}

/* The runs are in order of what is known of them at least. */
static void draw_survival(struct trop_escape *e, struct trop_escape_row *row)
{
    const struct trop_escape_time *first = &e->runs[e->order[0]].exit;
    struct trop_escape_time last = *first, end = NEVER, previous = { -1, -INFINITY };

    for (int64_t k = 0; k < row->runs; k++) {
        const struct trop_escape_run *run = e->runs + e->order[k];
        if (run->open) {
            end = run->exit;
            break;
        }
        last = run->exit.log < INFINITY ? run->exit : last;
    }
    row->points = 0;
    if (!isfinite(first->log)) {
        return;
    }
    for (int64_t p = 0; p < TROP_ESCAPE_POINTS; p++) {
        double share = (double)p / (TROP_ESCAPE_POINTS - 1);
        struct trop_escape_time t = p == 0 ? *first
                                    : p == TROP_ESCAPE_POINTS - 1
                                        ? last
                                        : time_at(fma(share, last.log - first->log, first->log));
        if (is_before(&previous, &t) && !is_before(&last, &t) && is_before(&t, &end)) {
            int64_t point = row->points++;
            double runs = (double)row->runs, width = sqrt(DKW / runs) + row->distance;
            double inside = (runs - (double)left_by(e, row->runs, &t)) / runs;

            row->survival[2 * point] = as_number(&t);
            row->survival[2 * point + 1] = inside;
            row->band[2 * point] = fmax(inside - width, 0);
            row->band[2 * point + 1] = fmin(inside + width, 1);
            row->log10_steps[point] = t.log / LN10;
            previous = t;
        }
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

static void take_order(struct trop_escape_time out[3], const struct trop_escape *e, int64_t runs,
                       int64_t rank, int sure)
{
    int64_t places[3] = { rank - 1, (runs + 1) / 2 - 1, runs - rank };

    for (int k = 0; k < 3; k++) {
        if (places[k] >= 0 && places[k] < runs) {
            const struct trop_escape_run *run = e->runs + e->order[places[k]];
            out[k] = sure ? upper(run) : run->exit;
        }
    }
}

void trop_escape_summarise(struct trop_escape *e, struct trop_escape_row *row)
{
    int64_t runs = row->runs;

    if (runs == 0) {
        return;
    }
    row->open = 0;
    row->distance = 0;
    for (int64_t k = 0; k < runs; k++) {
        row->open += e->runs[k].open;
        row->distance = fmax(row->distance, e->runs[k].distance);
    }
    const int64_t rank = rank_of_interval(runs, row->distance);
    row->has_interval = rank > 0 && e->options.dynamics == TROP_ESCAPE_CHAIN;
    sort_runs(e, runs, nears_before);
    row->near = e->runs[e->order[(runs + 1) / 2 - 1]].near;
    sort_runs(e, runs, surely_exits_before);
    take_order(row->high, e, runs, rank, 1);
    sort_runs(e, runs, exits_before);
    take_order(row->low, e, runs, rank, 0);
    row->interval[0] = as_number(row->low);
    row->interval[1] = as_number(row->high + 2);
    row->interval[2] = row->low[0].log / LN10;
    row->interval[3] = row->high[2].log / LN10;
    draw_survival(e, row);
}

/* ---- the exponent ---------------------------------------------------------------------------- */

/* 1 when the median is known and comes. */
static int has_median(const struct trop_escape_row *row)
{
    return row->runs > 0 && row->low[1].log == row->high[1].log && isfinite(row->low[1].log);
}

/* Where every median is the first step, which says nothing of beta: a radius and a step size of
 * which it cannot be said. Points of the hull are at most the diameter apart, so that a step moves
 * a token by at most gamma times that. 1: it is said. */
static int advise_radius(struct trop_escape *e)
{
    const double jump = e->options.gamma * e->constants.diameter;
    int first = e->betas > 0;

    for (int64_t k = 0; k < e->betas; k++) {
        first &= has_median(e->rows + k) && e->rows[k].low[1].log == 0;
    }
    first &= e->options.radius < jump;
    if (first) {
        snprintf(e->advice, sizeof e->advice,
                 "half of the runs leave in their first step at every beta: radius = %.4g, and one "
                 "step moves a token by up to gamma times the diameter, %.4g; with radius %.2g, or "
                 "gamma %.2g, no token leaves in fewer than two steps",
                 e->options.radius, jump, 1.5 * jump,
                 e->options.radius / (1.5 * e->constants.diameter));
    }
    return first;
}

/* 1 when the runs are many enough for an interval, and too far from the chain in law. */
static int is_far(const struct trop_escape *e, const struct trop_escape_row *row)
{
    return e->options.dynamics == TROP_ESCAPE_CHAIN && row->runs > 0 && !row->has_interval &&
           rank_of_interval(row->runs, 0) > 0;
}

static void advise_tolerance(struct trop_escape *e)
{
    const double least = trop_option_find(trop_escape_option_table(), "tolerance")->min;

    for (int64_t k = 0; k < e->betas; k++) {
        const struct trop_escape_row *row = e->rows + k;
        if (is_far(e, row)) {
            snprintf(e->advice, sizeof e->advice,
                     "at beta = %g there is no interval of the median: freezing narrow groups may "
                     "have changed the law of the exit by %.2g in total variation (distance); %s",
                     row->beta, row->distance,
                     e->options.tolerance > least ? "a smaller tolerance freezes them later"
                                                  : "fewer moves freeze less often");
            return;
        }
    }
}

void trop_escape_regress(struct trop_escape *e)
{
    struct trop_escape_fit *fit = &e->fit;
    double x = 0, y = 0, xx = 0, xy = 0, rest = 0;
    int far = 0;

    *fit = (struct trop_escape_fit){ 0, NAN, NAN, NAN };
    e->advice[0] = '\0';
    const int first = advise_radius(e);
    if (!first) {
        advise_tolerance(e);
    }
    for (int64_t k = 0; k < e->betas; k++) {
        const struct trop_escape_row *row = e->rows + k;
        if (has_median(row)) {
            fit->betas++;
            x += row->beta;
            y += row->low[1].log;
        }
    }
    double m = (double)fit->betas;
    for (int64_t k = 0; k < e->betas; k++) {
        const struct trop_escape_row *row = e->rows + k;
        if (has_median(row)) {
            xx = fma(row->beta - x / m, row->beta - x / m, xx);
            xy = fma(row->beta - x / m, row->low[1].log - y / m, xy);
        }
    }
    if (!(xx > 0) || first) {
        return;
    }
    fit->slope = xy / xx;
    fit->intercept = y / m - fit->slope * (x / m);
    for (int64_t k = 0; k < e->betas; k++) {
        const struct trop_escape_row *row = e->rows + k;
        if (has_median(row)) {
            double r = row->low[1].log - fma(fit->slope, row->beta, fit->intercept);
            rest = fma(r, r, rest);
            far |= is_far(e, row);
        }
    }
    /* The spread about the line says nothing of medians that are off by what freezing did. */
    if (fit->betas > 2 && !far) {
        fit->error = sqrt(rest / (m - 2) / xx);
    }
}
