/* attend_rows.c -- every token looks at every token: the driver over rows.
 *
 *   s_ij = <y_i, k_j>,   weights by the rule,   avg_i - x_i
 *
 * A row is scores, exact maximisers, weights, average; rows are shared among workers and
 * none depends on another. The rules that large clouds are made of go by tiles of rows
 * (attend_tile.c); the others, draws and single rows go one row at a time.
 */
#include "attend/attend_internal.h"

#include "attend/decide.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>

/* Scores of query y on the first n tokens and their exact maximisers. */
static void look(struct trop_row *row, struct trop_attend *a, int64_t worker, const double *y,
                 int64_t n)
{
    const struct trop_scene *s = &a->scene;
    const double *query = y;

    trop_attend_begin(row, a, worker, y, n);
    if (s->scale_y) {
        double *scaled = a->query + worker * s->d;
        for (int64_t c = 0; c < s->d; c++) {
            scaled[c] = ldexp(y[c], -s->scale_y);
        }
        query = scaled;
    }
    row->top = s->kernel->scores(row->weight, query, s->keyst, s->stride, n, s->d);
    row->bound = trop_decide_bound(query, s->reach, s->d);
    trop_row_maximise(row);
}

void trop_attend_row_look(struct trop_row *row, struct trop_attend *a, int64_t worker, int64_t i)
{
    int64_t n = a->scene.numbers.mask == TROP_MASK_CAUSAL ? i + 1 : a->scene.n;
    look(row, a, worker, a->scene.y + i * a->scene.d, n);
    row->i = i;
}

struct trop_row *trop_attend_look(struct trop_attend *attend, const double *y, int64_t visible)
{
    look(&attend->row, attend, 0, y, visible);
    return &attend->row;
}

/* The column where the running sum of weights passes u times the total. Sums run by
 * blocks, so that a long row loses nothing. */
static int64_t pick(const struct trop_row *row, double u)
{
    double target = u * row->total, sum = 0;
    int64_t count = row->count < 0 ? row->n : row->count, last = row->i;

    for (int64_t first = 0; first < count; first += TROP_BLOCK) {
        double inside = 0;
        int64_t end = first + TROP_BLOCK < count ? first + TROP_BLOCK : count;
        for (int64_t k = first; k < end; k++) {
            int64_t j = row->count < 0 ? k : row->support[k];
            inside += row->weight[j];
            if (row->weight[j] > 0) {
                last = j;
                if (sum + inside >= target) {
                    return j;
                }
            }
        }
        sum += inside;
    }
    return last;
}

void trop_attend_row_alone(const struct trop_attend_sweep *sweep, int64_t i, int64_t worker)
{
    struct trop_attend *a = sweep->attend;
    struct trop_attend_note *note = sweep->notes ? sweep->notes + i : NULL;
    struct trop_row row;

    trop_attend_row_look(&row, a, worker, i);
    if (note) {
        trop_attend_note_take(note, &row, sweep->margins);
    }
    trop_attend_note_weigh(&row, note);
    a->trouble[i] = row.trouble;
    if (sweep->picks) {
        sweep->picks[i] = pick(&row, sweep->uniform[i]);
    } else {
        trop_row_displace(sweep->displacement + i * a->scene.d, &row);
    }
}

static void rows_alone(void *context, int64_t first, int64_t last, int64_t worker)
{
    for (int64_t i = first; i < last; i++) {
        trop_attend_row_alone(context, i, worker);
    }
}

static enum trop_status sweep_all(struct trop_attend_sweep *sweep)
{
    struct trop_attend *a = sweep->attend;

    if (!sweep->picks && a->device) {
        enum trop_status status = trop_attend_device_rows(sweep);
        if (status != TROP_OK) {
            return status;
        }
    } else if (!sweep->picks && a->scene.numbers.rule->tile) {
        trop_attend_tile_begin(a);
        trop_parallel(a->workers, a->scene.n, trop_attend_tile_rows, sweep);
    } else {
        a->single_ready = 0;
        trop_parallel(a->workers, a->scene.n, rows_alone, sweep);
    }
    for (int64_t i = 0; i < a->scene.n; i++) {
        if (a->trouble[i]) {
            return trop_fail(TROP_ERR_NUMERIC, "token %lld: %s", (long long)i, a->trouble[i]);
        }
    }
    return TROP_OK;
}

enum trop_status trop_attend_rows(double *displacement, struct trop_attend_note *notes,
                                  struct trop_attend *attend, int margins)
{
    struct trop_attend_sweep sweep = {
        .attend = attend, .displacement = displacement, .notes = notes, .margins = margins
    };
    return sweep_all(&sweep);
}

enum trop_status trop_attend_draw(int64_t *picks, struct trop_attend_note *notes,
                                  struct trop_attend *attend, const double *uniform)
{
    struct trop_attend_sweep sweep = {
        .attend = attend, .notes = notes, .picks = picks, .uniform = uniform
    };
    return sweep_all(&sweep);
}

enum trop_status trop_attend_weights(double *out, struct trop_attend *attend, int64_t i)
{
    struct trop_row row;

    trop_attend_row_look(&row, attend, 0, i);
    trop_attend_note_weigh(&row, NULL);
    if (row.trouble) {
        return trop_fail(TROP_ERR_NUMERIC, "token %lld: %s", (long long)i, row.trouble);
    }
    trop_row_report(out, &row);
    return TROP_OK;
}
