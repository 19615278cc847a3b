/* attend.c -- attention of every token on every token: the driver over rows.
 *
 *   s_ij = <y_i, k_j>,   weights by the rule,   avg_i - x_i
 *
 * A row is scores, exact maximisers, weights, average; rows are shared among workers and
 * none depends on another.
 */
#include "attend/attend_internal.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>

void trop_attend_free(struct trop_attend *attend)
{
    if (!attend) {
        return;
    }
    if (attend->keyst != attend->xt) {
        trop_alloc_free(attend->keyst);
    }
    trop_alloc_free(attend->xt);
    trop_alloc_free(attend->keys);
    trop_alloc_free(attend->y);
    trop_alloc_free(attend->mass);
    trop_alloc_free(attend->reach);
    trop_alloc_free(attend->weight);
    trop_alloc_free(attend->anchor);
    trop_alloc_free(attend->query);
    trop_alloc_free(attend->tied);
    trop_alloc_free(attend->support);
    trop_alloc_free(attend->trouble);
    trop_alloc_free(attend);
}

enum trop_status trop_attend_create(struct trop_attend **out, int64_t n, int64_t d, int64_t workers,
                                    const struct trop_kernel *kernel, int unit)
{
    struct trop_attend *a = trop_alloc(1, sizeof *a);
    if (!a) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for an attention handle");
    }
    int64_t stride = trop_attend_width(n);
    a->capacity = n;
    a->stride = stride;
    a->workers = workers;
    a->scene.d = d;
    a->scene.kernel = kernel;
    a->xt = trop_alloc(trop_alloc_product(d, stride), sizeof *a->xt);
    a->keyst = unit ? trop_alloc(trop_alloc_product(d, stride), sizeof *a->keyst) : a->xt;
    a->keys = trop_alloc(unit ? trop_alloc_product(n, d) : 0, sizeof *a->keys);
    a->y = trop_alloc(trop_alloc_product(n, d), sizeof *a->y);
    a->mass = trop_alloc(stride, sizeof *a->mass);
    a->reach = trop_alloc(d, sizeof *a->reach);
    a->weight = trop_alloc(trop_alloc_product(workers, stride), sizeof *a->weight);
    a->anchor = trop_alloc(trop_alloc_product(workers, d), sizeof *a->anchor);
    a->query = trop_alloc(trop_alloc_product(workers, d), sizeof *a->query);
    a->tied = trop_alloc(trop_alloc_product(workers, stride), sizeof *a->tied);
    a->support = trop_alloc(trop_alloc_product(workers, stride), sizeof *a->support);
    a->trouble = trop_alloc(n, sizeof *a->trouble);
    if (!a->xt || !a->keyst || !a->keys || !a->y || !a->mass || !a->reach || !a->weight ||
        !a->anchor || !a->query || !a->tied || !a->support || !a->trouble) {
        trop_attend_free(a);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld tokens of dimension %lld",
                         (long long)n, (long long)d);
    }
    *out = a;
    return TROP_OK;
}

const struct trop_scene *trop_attend_scene(const struct trop_attend *attend)
{
    return &attend->scene;
}

/* ---- rows ----------------------------------------------------------------------- */

/* Scores of query y on the first n tokens and their exact maximisers. */
static void look(struct trop_row *row, struct trop_attend *a, int64_t worker, const double *y,
                 int64_t n)
{
    const struct trop_scene *s = &a->scene;
    const double *query = y;

    *row = (struct trop_row){
        .scene = s,
        .n = n,
        .y = y,
        .anchor = a->anchor + worker * s->d,
        .weight = a->weight + worker * a->stride,
        .tied = a->tied + worker * a->stride,
        .support = a->support + worker * a->stride,
    };
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

static void look_at(struct trop_row *row, struct trop_attend *a, int64_t worker, int64_t i)
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

/* The best score of another point than the best one. Exact ties of distinct points
 * have margin 0; tokens at the best point are left out. */
static double margin(const struct trop_row *row)
{
    const struct trop_scene *s = row->scene;
    double second = -INFINITY;
    int64_t at = -1, t = 0;

    if (!row->distinct) {
        return 0;
    }
    for (int64_t j = 0; j < row->n; j++) {
        if (t < row->ties && row->tied[t] == j) {
            t++;
        } else if (row->weight[j] > second) {
            second = row->weight[j];
            at = j;
        }
    }
    return at < 0 ? INFINITY
                  : trop_decide_difference(row->y, s->keys + row->best * s->d, s->keys + at * s->d,
                                           s->d);
}

static void take_note(struct trop_attend_note *note, const struct trop_row *row, int margins)
{
    const struct trop_scene *s = row->scene;
    const double *yi = row->y, *xi = s->keys + row->i * s->d;
    double self = 0;

    for (int64_t c = 0; c < s->d; c++) {
        self = fma(yi[c], xi[c], self);
    }
    note->best = row->best;
    note->unique = row->distinct;
    note->alone = row->ties == 1 && row->best == row->i;
    note->energy = 0.5 * self;
    note->gap = trop_decide_difference(yi, s->keys + row->best * s->d, xi, s->d);
    note->margin = margins ? margin(row) : 0;
    note->scale = NAN;
}

/* Equal sets have equal fingerprints; what is built on them is verified again. */
static uint64_t fingerprint(const int64_t *set, int64_t count)
{
    uint64_t sum = (uint64_t)count;
    for (int64_t k = 0; k < count; k++) {
        /* The finaliser of a 64-bit hash (splitmix), added so that order is nothing. */
        uint64_t z = (uint64_t)set[k] + 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        sum += z ^ (z >> 31);
    }
    return sum;
}

/* What tells sets apart. Under a causal mask a set grows with what its token sees, so
 * the first member names it; hardmax's ties are the whole of their set. */
static uint64_t set_name(const struct trop_row *row)
{
    if (row->in_order) {
        return fingerprint(row->tied, row->ties);
    }
    if (row->count <= 0) {
        return 0;
    }
    return row->scene->numbers.mask == TROP_MASK_CAUSAL ? (uint64_t)row->support[0]
                                                        : fingerprint(row->support, row->count);
}

/* Weights, once the scores have been looked at. */
static void weigh(struct trop_row *row, struct trop_attend_note *note)
{
    const struct trop_rule *rule = row->scene->numbers.rule;

    rule->weigh(row);
    if (!note) {
        return;
    }
    note->members = row->count < 0 ? row->n : row->count;
    if (rule->set && !row->in_order) {
        note->alone = row->count == 1 && row->support[0] == row->i;
    }
    note->set = set_name(row);
    if (rule == &trop_rule_softmax) {
        const struct trop_scene *s = row->scene;
        double top = ldexp(row->top, s->scale_k + s->scale_y);
        note->scale = fma(s->numbers.beta, top, trop_log(row->total));
    }
}

struct sweep {
    struct trop_attend *attend;
    double *displacement;
    struct trop_attend_note *notes;
    int margins;
    int64_t *picks;
    const double *uniform;
};

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

static void sweep_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct sweep *sweep = context;
    struct trop_attend *a = sweep->attend;
    struct trop_row row;

    for (int64_t i = first; i < last; i++) {
        struct trop_attend_note *note = sweep->notes ? sweep->notes + i : NULL;
        look_at(&row, a, worker, i);
        if (note) {
            take_note(note, &row, sweep->margins);
        }
        weigh(&row, note);
        a->trouble[i] = row.trouble;
        if (sweep->picks) {
            sweep->picks[i] = pick(&row, sweep->uniform[i]);
        } else {
            trop_row_displace(sweep->displacement + i * a->scene.d, &row);
        }
    }
}

static enum trop_status sweep_all(struct sweep *sweep)
{
    struct trop_attend *a = sweep->attend;

    trop_parallel(a->workers, a->scene.n, sweep_rows, sweep);
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
    struct sweep sweep = {
        .attend = attend, .displacement = displacement, .notes = notes, .margins = margins
    };
    return sweep_all(&sweep);
}

enum trop_status trop_attend_draw(int64_t *picks, struct trop_attend_note *notes,
                                  struct trop_attend *attend, const double *uniform)
{
    struct sweep sweep = { .attend = attend, .notes = notes, .picks = picks, .uniform = uniform };
    return sweep_all(&sweep);
}

enum trop_status trop_attend_weights(double *out, struct trop_attend *attend, int64_t i)
{
    struct trop_row row;

    look_at(&row, attend, 0, i);
    weigh(&row, NULL);
    if (row.trouble) {
        return trop_fail(TROP_ERR_NUMERIC, "token %lld: %s", (long long)i, row.trouble);
    }
    trop_row_report(out, &row);
    return TROP_OK;
}
