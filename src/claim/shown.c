/* shown.c -- points in a hull and outside of one, with numbers that show it.
 *
 * Rounding: a difference of a point and a token, times a unit vector, added up in d terms, is off
 * by (d + 2) u times the sum of the sizes of its terms.
 */
#include "claim/shown.h"

#include "shape/nearest/nearest.h"

#include <float.h>
#include <math.h>

static void release(void *nearest)
{
    trop_nearest_free(nearest);
}

static struct trop_nearest *find(struct trop_nearest_answer *answer, const struct trop_case *c,
                                 struct trop_view x, const int64_t *list, int64_t count,
                                 const double *point)
{
    struct trop_nearest *nearest = NULL;

    trop_case_try(c, trop_nearest_create(&nearest, x.columns));
    trop_case_keep(c, nearest, release);
    trop_nearest_find(answer, nearest, x.at, list, count, point, 0);
    return nearest;
}

int trop_shown_inside(double *atoms, const struct trop_case *c, struct trop_view x,
                      const int64_t *list, int64_t count, const double *point)
{
    struct trop_nearest_answer answer;
    void *mark = trop_case_mark(c);
    struct trop_nearest *nearest = find(&answer, c, x, list, count, point);
    const int64_t *rows = trop_nearest_rows(nearest);

    for (int64_t k = 0; k <= x.columns; k++) {
        atoms[k] = (double)rows[k < answer.atoms ? k : answer.atoms - 1];
    }
    trop_case_release(c, mark);
    return answer.side == TROP_SIDE_INSIDE;
}

/* Whether <w, point - x> exceeds what the error and rounding may take. */
static int is_above(const double *w, const double *point, const double *x, int64_t d, double error)
{
    double lead = 0, size = 0, length = 0;

    for (int64_t a = 0; a < d; a++) {
        lead += w[a] * (point[a] - x[a]);
        size += fabs(w[a]) * (fabs(point[a]) + fabs(x[a]));
        length += fabs(w[a]);
    }
    return lead > length * error + (double)(d + 4) * DBL_EPSILON * size + DBL_MIN;
}

int trop_shown_outside(double *w, const struct trop_case *c, struct trop_view x,
                       const int64_t *list, int64_t count, const double *point, double error)
{
    struct trop_nearest_answer answer;
    void *mark = trop_case_mark(c);
    const double *direction = trop_nearest_direction(find(&answer, c, x, list, count, point));
    int above = answer.distance > 0;

    for (int64_t a = 0; a < x.columns; a++) {
        w[a] = direction[a];
    }
    for (int64_t k = 0; k < count && above; k++) {
        const double *token = x.at + (list ? list[k] : k) * x.columns;
        above = is_above(w, point, token, x.columns, error);
    }
    trop_case_release(c, mark);
    return above;
}
