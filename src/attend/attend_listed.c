/* attend_listed.c -- hardmax rows that look at the hull alone.
 *
 * The maximum of <y, x_j> over the tokens is attained on a face of their hull, and all of
 * hardmax is decided by the exact set of maximisers. A list holds the points that can be
 * maximisers, in cells of directions (fan.h): a query finds its cell, and the few points there
 * are compared, exactly where rounding leaves a doubt. So every number is a function of the
 * same set that trop_attend_rows finds from all scores, computed in the same way from it.
 *
 * Comparison of two points a, b: <y, a - b> is computed by plain products and sums, with an
 * error of at most (d + 1) u sum |y_c (a_c - b_c)| plus d 2^-1074 (decide.c has the analysis);
 * inside of (d + 4) times that, trop_decide_score says what the sign is.
 *
 * The common row has one maximal point p. What its note and its average take from the set is
 * computed once for p (`set` and `total`), by the code of every row. From
 *
 *   support = the first token at p,   weight = total,   average = x_p + 0 / total,
 *
 * the displacement is (x_p + 0) - x_i, the sum over no other points being 0; it is 0 where
 * the total is. With ties = first the average runs from the scaled token itself and is
 * 2^scale ((x_p - x_i) + 0). All other rows go the way of trop_attend_rows from the
 * maximisers on. Queries without a known cell come after the others: y = 0 ties with all tokens;
 * the others, all rows where the list has no cells, are searched for together among all points
 * (tree_top.h). Where they are few each looks at every token, and where a search does not pay all
 * rows do, by all workers.
 */
#include "attend/attend_internal.h"

#include "attend/decide.h"
#include "attend/fan.h"
#include "attend/tree/tree_top.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "base/status.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define SLACK 1.02
#define TINY 0x1p-1070
#define MANY 16  /* more late rows than one in so many: all workers look at every token */
#define FEW 4096 /* more late rows than one in so many: they are searched together */

/* Stands in trouble for a row that is left to the end. */
static const char late[] = "its maximisers were not found";

struct sweep {
    struct trop_attend *attend;
    const struct trop_attend_list *list;
    double *displacement;
    struct trop_attend_note *notes;
};

/* ---- the points on top ----------------------------------------------------------------------- */

/* The sign of <y, a - b>, exactly. */
static inline int compare(const double *y, const double *a, const double *b, int64_t d)
{
    double value = 0, size = 0;

    for (int64_t c = 0; c < d; c++) {
        double product = y[c] * (a[c] - b[c]);
        value += product;
        size += fabs(product);
    }
    if (size <= DBL_MAX && fabs(value) > SLACK * UNIT * (double)(d + 4) * size + TINY) {
        return value > 0 ? 1 : -1;
    }
    return trop_decide_score(y, a, b, d, 0, 0);
}

/* Those of the rivals that are on top in direction y: *one when there is one, else top (points).
 * Returns how many. */
static inline int64_t points_on_top(int64_t *one, int64_t *top, const struct sweep *sweep,
                                    const int32_t *rival, int64_t rivals, const double *y,
                                    int64_t d)
{
    int64_t count = 1;

    *one = rival[0];
    const double *at = sweep->list->at, *best = at + *one * d;
    for (int64_t k = 1; k < rivals; k++) {
        const double *place = at + rival[k] * d;
        int sign = compare(y, place, best, d);
        if (sign > 0) {
            *one = rival[k];
            best = place;
            count = 1;
        } else if (sign == 0) {
            top[0] = *one;
            top[count++] = rival[k];
        }
    }
    return count;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* What every row does once its exact maximisers are known. */
static void conclude(const struct sweep *sweep, struct trop_row *row)
{
    struct trop_attend_note *note = sweep->notes ? sweep->notes + row->i : NULL;

    if (note) {
        trop_attend_note_take(note, row, 0);
    }
    trop_attend_note_weigh(row, note);
    trop_row_displace(sweep->displacement + row->i * row->scene->d, row);
}

/* The row whose maximal points are top (points); tied is their memory, too. */
static void row_of_many(const struct sweep *sweep, struct trop_row *row, int64_t i,
                        const int64_t *top, int64_t points)
{
    const struct trop_attend_list *list = sweep->list;

    row->i = i;
    row->ties = 0;
    for (int64_t k = 0; k < points; k++) {
        int64_t first = list->start[top[k]], count = list->start[top[k] + 1] - first;
        memcpy(row->tied + row->ties, list->token + first, (size_t)count * sizeof *row->tied);
        row->ties += count;
    }
    if (points > 1) {
        trop_sort_ascending(row->tied, row->ties);
    }
    row->best = row->tied[0];
    row->distinct = points == 1;
    conclude(sweep, row);
}

/* Does what trop_attend_note_take and trop_attend_note_weigh do, for one maximal point. */
static inline void note_of_one(struct trop_attend_note *note, const struct sweep *sweep, int64_t i,
                               int64_t point, int64_t d)
{
    const struct trop_scene *s = &sweep->attend->scene;
    const int64_t *start = sweep->list->start + point;
    const double *y = s->y + i * d, *x = s->x + i * d;
    int64_t best = sweep->list->token[start[0]];
    int whole = start[1] - start[0] == 1 || s->numbers.ties == TROP_TIES_FIRST;

    *note = (struct trop_attend_note){
        .best = best,
        .unique = 1,
        .alone = whole && best == i,
        .only = best,
        .gap = trop_decide_difference(s->kernel, y, s->x + best * d, x, d),
        .energy = 0.5 * s->kernel->score(y, x, d),
        .margin = 0,
        .set = sweep->list->set[point],
        .scale = NAN,
    };
}

/* Row i, whose maximisers are the tokens of one point. */
static inline void row_of_one(const struct sweep *sweep, int64_t i, int64_t one, int64_t d)
{
    if (sweep->notes) {
        note_of_one(sweep->notes + i, sweep, i, one, d);
    }
    /* This is trop_row_displace for one maximal point. */
    double *out = sweep->displacement + i * d;
    const struct trop_scene *s = &sweep->attend->scene;
    int64_t best = sweep->list->token[sweep->list->start[one]];
    const double *to = s->x + best * d, *x = s->x + i * d;
    for (int64_t c = 0; c < d; c++) {
        if (sweep->list->total[one] == 0) {
            out[c] = 0;
        } else if (s->numbers.ties != TROP_TIES_FIRST) {
            out[c] = (to[c] + 0.0) - x[c];
        } else {
            const double *xt = s->xt + c * s->stride;
            out[c] = ldexp((xt[best] - xt[i]) + 0.0, s->scale_x);
        }
    }
}

/* Row i, whose maximisers are among the rivals. */
static inline void row_among(const struct sweep *sweep, int64_t worker, int64_t i,
                             const int32_t *rival, int64_t rivals, int64_t d)
{
    struct trop_attend *a = sweep->attend;
    int64_t *top = a->support + worker * a->stride, one = 0;
    const double *y = a->scene.y + i * d;
    int64_t points = points_on_top(&one, top, sweep, rival, rivals, y, d);
    struct trop_row row;

    if (points == 1) {
        row_of_one(sweep, i, one, d);
    } else {
        trop_attend_begin(&row, a, worker, y, a->scene.n);
        row_of_many(sweep, &row, i, top, points);
    }
}

static inline void sweep_some(const struct sweep *sweep, int64_t first, int64_t last,
                              int64_t worker, int64_t d)
{
    struct trop_attend *a = sweep->attend;
    const struct trop_fan *fan = sweep->list->fan;
    const int32_t *rival = NULL;

    for (int64_t i = first; i < last; i++) {
        int64_t rivals = fan ? trop_fan_find(&rival, fan, a->scene.y + i * d, d) : -1;
        a->trouble[i] = rivals < 0 ? late : NULL;
        if (rivals >= 0) {
            row_among(sweep, worker, i, rival, rivals, d);
        }
    }
}

/* Calls sweep_some with the common dimensions as constants. */
static void sweep_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct sweep *sweep = context;
    int64_t d = sweep->attend->scene.d;

    if (d == 2) {
        sweep_some(sweep, first, last, worker, 2);
    } else if (d == 3) {
        sweep_some(sweep, first, last, worker, 3);
    } else {
        sweep_some(sweep, first, last, worker, d);
    }
}

/* ---- before and after ------------------------------------------------------------------------ */

/* What one maximal point gives to every row that has it. */
static void prepare(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct sweep *sweep = context;
    const struct trop_attend_list *list = sweep->list;
    struct trop_attend *a = sweep->attend;
    struct trop_row row;
    struct trop_attend_note note;

    for (int64_t p = first; p < last; p++) {
        trop_attend_begin(&row, a, worker, a->scene.y, a->scene.n);
        row.ties = list->start[p + 1] - list->start[p];
        memcpy(row.tied, list->token + list->start[p], (size_t)row.ties * sizeof *row.tied);
        row.best = row.tied[0];
        row.distinct = 1;
        trop_attend_note_weigh(&row, &note);
        list->set[p] = note.set;
        list->total[p] = row.total;
    }
}

static int is_zero(const double *y, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        if (y[c] != 0) {
            return 0;
        }
    }
    return 1;
}

static int is_finite(const double *y, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        if (!(fabs(y[c]) <= DBL_MAX)) {
            return 0;
        }
    }
    return 1;
}

/* A late row, among several points that the search has found. */
static void told(void *context, int64_t worker, int64_t i, const int32_t *rival, int64_t rivals)
{
    const struct sweep *sweep = context;

    row_among(sweep, worker, i, rival, rivals, sweep->attend->scene.d);
}

/* The late rows that have one point. */
static void finish_late(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct sweep *sweep = context;
    const struct trop_attend_list *list = sweep->list;
    int64_t d = sweep->attend->scene.d;

    (void)worker;
    for (int64_t k = first; k < last; k++) {
        int64_t i = list->late[k];
        sweep->attend->trouble[i] = NULL;
        if (list->found[k] >= 0 && d == 3) {
            row_of_one(sweep, i, list->found[k], 3);
        } else if (list->found[k] >= 0) {
            row_of_one(sweep, i, list->found[k], d);
        }
    }
}

/* Searches among all points of the list for the late rows with directions; 0: that does not pay. */
static int search(struct sweep *sweep)
{
    const struct trop_attend_list *list = sweep->list;
    const struct trop_attend *a = sweep->attend;
    const struct trop_scene *s = &a->scene;
    int64_t count = 0;

    for (int64_t i = 0; i < s->n; i++) {
        list->late[count] = i;
        count +=
            a->trouble[i] && !is_zero(s->y + i * s->d, s->d) && is_finite(s->y + i * s->d, s->d);
    }
    if (!list->top || count == 0) {
        return count == 0;
    }
    trop_tree_top_build(list->top, list->at, list->points);
    if (!trop_tree_top_search(list->found, list->top, s->y, list->late, count, s->kernel,
                              list->always, told, sweep)) {
        return 0;
    }
    trop_parallel(a->workers, count, finish_late, sweep);
    return 1;
}

/* Rows with y = 0: all tokens tie, with the same weights in every such row, which are found
 * for the first of them. */
static void serve_zeros(const struct sweep *sweep)
{
    struct trop_attend *a = sweep->attend;
    const struct trop_scene *s = &a->scene;
    struct trop_row *row = NULL;
    struct trop_attend_note first;

    for (int64_t i = 0; i < s->n; i++) {
        if (!a->trouble[i]) {
            continue;
        }
        a->trouble[i] = NULL;
        if (!row) {
            row = trop_attend_look(a, s->y + i * s->d, s->n);
            row->i = i;
            trop_attend_note_take(&first, row, 0);
            trop_attend_note_weigh(row, &first);
        }
        row->i = i;
        if (sweep->notes) {
            struct trop_attend_note *note = sweep->notes + i;
            trop_attend_note_take(note, row, 0);
            note->alone = (row->ties == 1 || !row->in_order) && row->best == i;
            note->only = first.only;
            note->set = first.set;
        }
        trop_row_displace(sweep->displacement + i * s->d, row);
    }
}

/* How many rows are late; *zeros: those of them with y = 0. */
static int64_t count_late(int64_t *zeros, const struct sweep *sweep)
{
    const struct trop_scene *s = &sweep->attend->scene;
    int64_t count = 0;

    *zeros = 0;
    for (int64_t i = 0; i < s->n; i++) {
        if (sweep->attend->trouble[i]) {
            count++;
            *zeros += is_zero(s->y + i * s->d, s->d);
        }
    }
    return count;
}

enum trop_status trop_attend_rows_listed(double *displacement, struct trop_attend_note *notes,
                                         struct trop_attend *attend,
                                         const struct trop_attend_list *list)
{
    const struct trop_scene *s = &attend->scene;
    struct sweep sweep = {
        .attend = attend, .list = list, .displacement = displacement, .notes = notes
    };

    if (list->count < 0 || !s->numbers.rule->best_only || s->keys != s->x ||
        s->numbers.mask == TROP_MASK_CAUSAL) {
        return trop_attend_rows(displacement, notes, attend, 0);
    }
    trop_parallel(attend->workers, list->points, prepare, &sweep);
    trop_parallel(attend->workers, s->n, sweep_rows, &sweep);
    int64_t zeros, count = count_late(&zeros, &sweep);
    if ((count - zeros) * FEW > s->n && search(&sweep)) {
        count = count_late(&zeros, &sweep);
    }
    if ((count - zeros) * MANY > s->n) {
        return trop_attend_rows(displacement, notes, attend, 0);
    }
    if (count > zeros) {
        /* Rows without a cell look at every token. */
        for (int64_t i = 0; i < s->n; i++) {
            const double *y = s->y + i * s->d;
            if (attend->trouble[i] && !is_zero(y, s->d)) {
                struct trop_row *row = trop_attend_look(attend, y, s->n);
                row->i = i;
                conclude(&sweep, row);
                attend->trouble[i] = NULL;
            }
        }
    }
    if (zeros > 0) {
        serve_zeros(&sweep);
    }
    return TROP_OK;
}
