/* least_quick.c -- the dual active set of least_walk.c in double, as a guess: for vectors.
 *
 * The W of a problem with one column is a vector of R^rows, and at most rows constraints of many
 * hold with equality. The walk to them is that of least_walk.c (Goldfarb and Idnani 1983), with
 * the inverse H = G^-1 of the members' Gram matrix instead of a factor: with r = H g and
 * h = <a_p, a_p> - g' r,
 *
 *   p joins:    H <- [ H + r r' / h,  -r / h ;  -r' / h,  1 / h ],
 *   k leaves:   H <- H - c c' / c_k without row and column k, c being its column k,
 *
 * two or three products of a matrix of order size by a vector for each step. Any violated
 * constraint may be p: a look at all of them, for the one that is violated most, serves for several
 * steps, as long as one of its runners-up lacks half as much as that did. H loses digits as it is
 * updated: errors grow by about u cond(G) a step, without bound when a G on the way is nearly
 * singular. Nothing is promised here: the set is settled, refined and judged by least_pivot.c in
 * double-double. Whatever looks like dependence, every contradiction, and more steps than a walk
 * of that length takes, as when rounding turns it in circles, end the guess, and least_walk.c goes
 * on from its set.
 *
 * At W = 0 every constraint is violated, and the one that is violated most says nothing. The walk
 * begins with those that the sum of all a_j meets worst, which takes a sixth off its steps; where
 * that leads to a contradiction, it begins again with the first, so that the proof is about these.
 */
#include "margin/least/least.h"

#include "base/alloc.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

/* Relative to |W|: a constraint that lacks less is not violated; least_pivot.c looks again. */
#define LOOSE 0x1p-42
/* h below this times |a_p|^2 is dependence; relative to the greatest, an r_k below NOTHING is 0. */
#define DEPENDENT 0x1p-44
#define NOTHING 0x1p-44
/* Constraints that are checked before the next pass over all of them. */
#define CANDIDATES 16
/* Steps allowed for each place in the set; 1.5 are usual, 2.5 next to infeasibility. */
#define STEPS 8
/* Of |W|: a move that leaves most rows where they were, as a rule three quarters of them. */
#define NEAR 0.1

struct quick {
    struct trop_least *least;
    const struct trop_kernel_linear *linear;
    int64_t d, room, size;
    double *memory;  /* all that follows */
    double *factor;  /* (count) a_j = factor_j left_j; 0: not there */
    double *value;   /* (count) <left_j, W>, then what rows lack */
    double *score;   /* (points) <x, W>; NULL: not used */
    double *w;       /* (d) */
    double *x;       /* (room + 1, d) the members' a_j; behind them a_p */
    double *inverse; /* (room, room) H */
    double *lambda;  /* (room + 1) by place; behind them that of p */
    double *g, *r;   /* (room) */
    int64_t *set;    /* (room + 1) the members; behind them p */
    int64_t candidate[CANDIDATES], candidates;
    int64_t plus[CANDIDATES], minus[CANDIDATES]; /* their points, where rows are not kept */
    double enough;                               /* what a candidate has to lack */
    int sorted;                                  /* 1: begins with worst_of_zero */
    double *seen;       /* (d) W at the last look at all of them; value has what they lacked */
    int looked;         /* 1: there was one in this walk */
    double *near_value; /* (count or d) <left_j, W> of the rows near, and their points */
    int64_t *near, *near_plus, *near_minus;
};

static enum trop_status quick_open(struct quick *quick, struct trop_least *least)
{
    const int64_t m = least->count, d = least->rows, room = d < m ? d : m;
    const struct trop_problem *problem = least->task->problem;
    /* Where differences are not kept, <x, W> is computed once for each point, unless most points
     * are in no row. */
    const int64_t points =
        !least->task->rows->left && problem->points <= 2 * m ? problem->points : 0;
    const int64_t total =
        2 * m + d + (room + 1) * d + room * room + 3 * (room + 1) + d + (d > m ? d : m) + points;

    *quick = (struct quick){ .least = least, .linear = least->linear, .d = d, .room = room };
    if (!TROP_ALLOC(TROP_PART(quick->memory, total), TROP_PART(quick->set, room + 1 + 3 * m))) {
        TROP_FREE(quick->memory, quick->set);
        return trop_fail(TROP_ERR_MEMORY, "no memory to guess among %lld constraints",
                         (long long)m);
    }
    quick->factor = quick->memory;
    quick->value = quick->factor + m;
    quick->w = quick->value + m;
    quick->x = quick->w + d;
    quick->inverse = quick->x + (room + 1) * d;
    quick->lambda = quick->inverse + room * room;
    quick->g = quick->lambda + room + 1;
    quick->r = quick->g + room + 1;
    quick->seen = quick->r + room + 1;
    quick->near_value = quick->seen + d;
    quick->score = points > 0 ? quick->near_value + (d > m ? d : m) : NULL;
    quick->near = quick->set + room + 1;
    quick->near_plus = quick->near + m;
    quick->near_minus = quick->near_plus + m;
    for (int64_t j = 0; j < m; j++) {
        quick->factor[j] = least->scale[j] * problem->query[problem->asked[j]];
    }
    return TROP_OK;
}

/* <left_j, x> of all rows to value. */
static void values_of(struct quick *quick, const double *x)
{
    const struct trop_least *least = quick->least;
    const struct trop_problem *problem = least->task->problem;

    if (quick->score) {
        quick->linear->dots(quick->score, problem->point, quick->d, problem->points, x, quick->d);
        for (int64_t j = 0; j < least->count; j++) {
            quick->value[j] = quick->score[problem->plus[j]] - quick->score[problem->minus[j]];
        }
    } else {
        trop_rows_dots(quick->value, least->task->rows, 0, least->count, x);
    }
}

/* A candidate at place `to`. */
static void propose(struct quick *quick, int64_t to, int64_t j)
{
    quick->plus[to] = quick->least->task->problem->plus[j];
    quick->minus[to] = quick->least->task->problem->minus[j];
    quick->candidate[to] = j;
}

/* sum_j a_j, to x. */
static void sum_of_all(struct quick *quick, double *x)
{
    const struct trop_problem *problem = quick->least->task->problem;

    if (!quick->score) {
        quick->linear->gather(x, quick->factor, quick->least->task->rows->left, quick->d,
                              quick->least->count, quick->d);
        return;
    }
    memset(quick->score, 0, (size_t)problem->points * sizeof *quick->score);
    for (int64_t j = 0; j < problem->count; j++) {
        quick->score[problem->plus[j]] += quick->factor[j];
        quick->score[problem->minus[j]] -= quick->factor[j];
    }
    quick->linear->gather(x, quick->score, problem->point, quick->d, problem->points, quick->d);
}

/* The candidates at W = 0: the rows of least <a_j, x> for x = sum_k a_k, in that order. Returns the
 * first, or -1 where no row asks for anything. */
static int64_t worst_of_zero(struct quick *quick)
{
    const struct trop_least *least = quick->least;
    double *x = quick->x;

    sum_of_all(quick, x);
    values_of(quick, x);
    quick->enough = 0;
    quick->candidates = 0;
    for (int64_t j = 0; j < least->count; j++) {
        quick->value[j] *= quick->factor[j];
        if (!(least->bound[j] > 0) ||
            (quick->candidates == CANDIDATES &&
             quick->value[j] >= quick->value[quick->candidate[CANDIDATES - 1]])) {
            continue;
        }
        int64_t k = quick->candidates < CANDIDATES ? quick->candidates++ : CANDIDATES - 1;
        for (; k > 0 && quick->value[j] < quick->value[quick->candidate[k - 1]]; k--) {
            propose(quick, k, quick->candidate[k - 1]);
        }
        propose(quick, k, j);
    }
    for (int64_t k = 0; k < quick->candidates; k++) {
        quick->enough = fmax(quick->enough, least->bound[quick->candidate[k]] / 2);
    }
    return quick->candidates > 0 ? quick->candidate[0] : -1;
}

/* What all rows lack, to value; returns the most. */
static double lacks_of_all(struct quick *quick)
{
    const struct trop_least *least = quick->least;

    values_of(quick, quick->w);
    return quick->linear->lacks(quick->value, least->bound, quick->factor, least->count);
}

/* The same where W has moved by little, `grown`, since the last look: as |a_j| < 1, no row lacks
 * more by now than it did and that. Those that this leaves below 0 keep the sum as a bound. */
static double lacks_of_near(struct quick *quick, double grown)
{
    const struct trop_least *least = quick->least;
    const struct trop_problem *problem = least->task->problem;
    int64_t count = 0;
    double most = 0;

    for (int64_t j = 0; j < least->count; j++) {
        quick->value[j] += grown;
        if (quick->value[j] > 0) {
            quick->near_plus[count] = problem->plus[j];
            quick->near_minus[count] = problem->minus[j];
            quick->near[count++] = j;
        }
    }
    quick->linear->dots_between(quick->near_value, problem->point, quick->d, quick->near_plus,
                                quick->near_minus, count, quick->w, quick->d);
    for (int64_t k = 0; k < count; k++) {
        const int64_t j = quick->near[k];
        const double lack = least->bound[j] - quick->factor[j] * quick->near_value[k];
        quick->value[j] = lack;
        most = lack > most ? lack : most;
    }
    return most;
}

/* Looks at all constraints: the one that is violated most, or -1: none, beyond what is loose.
 * Others that lack half as much become candidates. What is not there has bound and factor 0, and
 * lacks nothing. */
static int64_t worst_of_all(struct quick *quick)
{
    const struct trop_least *least = quick->least;
    const double length = trop_kernel_linear_length(quick->linear, quick->w, quick->d);
    double most = LOOSE * length;
    int64_t found = -1;

    if (quick->size == 0 && quick->sorted) {
        return worst_of_zero(quick);
    }
    const double grown = sqrt(quick->linear->subtract(quick->near_value, quick->w, quick->seen,
                                                      quick->d)); /* near_value: as scratch */
    const double top = quick->score && quick->looked && grown < NEAR * length
                           ? lacks_of_near(quick, grown)
                           : lacks_of_all(quick);
    quick->looked = 1;
    memcpy(quick->seen, quick->w, (size_t)quick->d * sizeof *quick->seen);
    const int is_violated = top > most;
    most = is_violated ? top : most;
    quick->enough = most / 2;
    quick->candidates = 0;
    for (int64_t j = 0; j < least->count && (quick->candidates < CANDIDATES || found < 0); j++) {
        if (quick->value[j] > quick->enough) {
            found = is_violated && found < 0 && quick->value[j] == most ? j : found;
            if (quick->candidates < CANDIDATES) {
                propose(quick, quick->candidates++, j);
            }
        }
    }
    return found;
}

/* The candidate that is violated most, if by enough; otherwise the worst of all constraints.
 * Members lack nothing. */
static int64_t worst(struct quick *quick)
{
    const struct trop_rows *rows = quick->least->task->rows;
    double most = quick->enough, value[CANDIDATES];
    int64_t found = -1;

    if (!rows->left) {
        quick->linear->dots_between(value, rows->problem->point, quick->d, quick->plus,
                                    quick->minus, quick->candidates, quick->w, quick->d);
    }
    for (int64_t k = 0; k < quick->candidates; k++) {
        const int64_t j = quick->candidate[k];
        if (rows->left) {
            value[k] = quick->linear->dot(rows->left + j * quick->d, quick->w, quick->d);
        }
        const double lack = quick->least->bound[j] - quick->factor[j] * value[k];
        if (lack > most) {
            most = lack;
            found = j;
        }
    }
    return found >= 0 ? found : worst_of_all(quick);
}

/* Computes g and r; returns h, or 0 when the set is full. */
static double look(struct quick *quick)
{
    const int64_t n = quick->size;
    const double *p = quick->x + n * quick->d;
    double h = quick->linear->dot(p, p, quick->d);
    const double nothing = DEPENDENT * h;

    quick->linear->dots(quick->g, quick->x, quick->d, n, p, quick->d);
    quick->linear->dots(quick->r, quick->inverse, quick->room, n, quick->g, n);
    h -= quick->linear->dot(quick->g, quick->r, n);
    return h > nothing && n < quick->room ? h : 0;
}

/* The place whose multiplier comes to 0 first, and when; -1: none does. */
static int64_t blocking(const struct quick *quick, double *when)
{
    double most = 0;
    int64_t found = -1;

    for (int64_t k = 0; k < quick->size; k++) {
        most = fabs(quick->r[k]) > most ? fabs(quick->r[k]) : most;
    }
    for (int64_t k = 0; k < quick->size; k++) {
        if (quick->r[k] > NOTHING * most && (found < 0 || quick->lambda[k] < *when * quick->r[k])) {
            *when = quick->lambda[k] / quick->r[k];
            found = k;
        }
    }
    return found;
}

/* Raises lambda_p by t; W = sum lambda_k a_k over the members and p. */
static void step(struct quick *quick, double t)
{
    quick->linear->grow(quick->lambda, -t, quick->r, quick->size);
    quick->lambda[quick->size] += t;
    for (int64_t k = 0; k < quick->size; k++) {
        quick->lambda[k] = quick->lambda[k] > 0 ? quick->lambda[k] : 0;
    }
    quick->linear->gather(quick->w, quick->lambda, quick->x, quick->d, quick->size + 1, quick->d);
}

/* Place k goes; the last member takes it, and p stays behind the last. */
static void leave(struct quick *quick, int64_t k)
{
    const int64_t last = --quick->size, room = quick->room;
    const double *column = quick->inverse + k * room;

    for (int64_t i = 0; i <= last; i++) { /* g is made again for the next step */
        quick->g[i] = i == k ? 0 : -column[i] / column[k];
    }
    quick->linear->rank_one(quick->inverse, room, quick->g, k, column, last + 1);
    quick->linear->rank_one(quick->inverse + (k + 1) * room, room, quick->g + k + 1, last - k,
                            column, last + 1);
    memmove(quick->inverse + k * room, quick->inverse + last * room,
            (size_t)(last + 1) * sizeof *quick->inverse);
    for (int64_t i = 0; i < last; i++) {
        quick->inverse[i * room + k] = quick->inverse[i * room + last];
    }
    for (int64_t i = last; i <= last + 1; i++) {
        const int64_t to = i == last ? k : last;
        memmove(quick->x + to * quick->d, quick->x + i * quick->d,
                (size_t)quick->d * sizeof *quick->x);
        quick->lambda[to] = quick->lambda[i];
        quick->set[to] = quick->set[i];
    }
}

/* Brings p into the set; members may have to leave. 0: no guess can be made. */
static int add(struct quick *quick, int64_t p)
{
    const double *left = trop_rows_left(quick->least->task->rows, p);
    double *x = quick->x + quick->size * quick->d;

    for (int64_t a = 0; a < quick->d; a++) {
        x[a] = quick->factor[p] * left[a];
    }
    quick->set[quick->size] = p;
    quick->lambda[quick->size] = 0;
    for (;;) {
        const double h = look(quick);
        const double *own = quick->x + quick->size * quick->d;
        const double lack = quick->least->bound[p] - quick->linear->dot(own, quick->w, quick->d);
        double when = 0;
        const int64_t place = blocking(quick, &when);
        if ((h == 0 && place < 0) || !isfinite(lack + h)) {
            return 0;
        }
        if (h > 0 && (place < 0 || lack <= when * h)) {
            step(quick, lack > 0 ? lack / h : 0);
            const int64_t n = quick->size++; /* p is a member */
            double *last = quick->inverse + n * quick->room;
            for (int64_t k = 0; k < n; k++) {
                quick->g[k] = quick->r[k] / h;
                quick->inverse[k * quick->room + n] = last[k] = -quick->g[k];
            }
            quick->linear->rank_one(quick->inverse, quick->room, quick->g, n, quick->r, n);
            last[n] = 1 / h;
            return 1;
        }
        step(quick, when);
        leave(quick, place);
    }
}

/* One walk, from the constraints that the sum of all meets worst or from the first ones. */
static void walk(struct quick *quick)
{
    struct trop_least *least = quick->least;

    quick->size = 0;
    quick->candidates = 0;
    quick->looked = 0;
    memset(quick->w, 0, (size_t)quick->d * sizeof *quick->w);
    /* Between steps W is the shortest on its set, and bounds the optimum from below. */
    least->end = TROP_NORM_STALLED;
    for (int64_t k = 0, more = 1; more && k < STEPS * (quick->room + STEPS); k++) {
        const int64_t p = worst(quick);
        if (trop_least_over(least, p)) {
            break;
        }
        more = add(quick, p);
    }
}

enum trop_status trop_least_quick(struct trop_least *least)
{
    struct quick quick;
    enum trop_status status = quick_open(&quick, least);
    const int64_t before = least->iterations;

    if (status != TROP_OK) {
        return status;
    }
    quick.sorted = 1;
    walk(&quick);
    if (least->end == TROP_NORM_STALLED) { /* as a rule a contradiction: which one, the first say */
        quick.sorted = 0;
        least->iterations = before;
        walk(&quick);
    }
    for (int64_t k = 0; k < quick.size; k++) {
        least->member[quick.set[k]] = 1;
        least->lambda[quick.set[k]] = trop_dd_of(quick.lambda[k]);
    }
    least->settled = least->end == TROP_NORM_DONE;
    least->size = 0;
    for (int64_t j = 0; j < least->count; j++) {
        if (least->member[j]) {
            least->set[least->size++] = j;
        }
    }
    if (least->end == TROP_NORM_LIMIT) {
        trop_least_combine(least);
    }
    TROP_FREE(quick.memory, quick.set);
    return status;
}
