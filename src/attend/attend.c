/* attend.c -- attention of every token on every token: the driver over rows.
 *
 *   y_i = B k_i,   s_ij = <y_i, k_j>,   weights by the rule,   avg_i - x_i,
 *
 * where k = x, or x / |x|_B for the cosine form. y_ic is one fma chain over the
 * columns of B in index order; for B = b I it is the product b k_ic, and for B = I
 * it is k itself. beta < 0 is beta > 0 with -B: the query is negated, exactly.
 *
 * Scores are computed on copies scaled by powers of two when the data are so large
 * or small that a product could leave double; the scaling is then exact for all but
 * negligible components, and decisions use the unscaled numbers.
 */
#include "attend/attend.h"

#include "attend/decide.h"
#include "base/alloc.h"
#include "base/linalg.h"
#include "base/log.h"
#include "base/parallel.h"
#include "base/status.h"

#include <math.h>
#include <string.h>

#define SAFE 400 /* |exponents| up to this need no scaling */

struct trop_attend {
    struct trop_scene scene;
    int64_t capacity, stride, workers;
    double *xt, *keyst;   /* (d, stride) */
    double *keys;         /* (n, d) unit vectors, or NULL */
    double *y;            /* (n, d) */
    double *mass;         /* (stride) */
    double *reach;        /* (d) */
    double *weight;       /* (workers, stride) */
    double *anchor;       /* (workers, d) */
    double *query;        /* (workers, d) scaled query */
    int64_t *tied;        /* (workers, stride) */
    int64_t *support;     /* (workers, stride) */
    const char **trouble; /* (n) */
    struct trop_row row;  /* of trop_attend_look */
};

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

/* Columns of a padded row: an odd number of cache lines, so that the coordinates of one
 * token do not all fall into the same cache set. */
static int64_t row_width(int64_t n)
{
    return ((n + TROP_LANES - 1) / TROP_LANES | 1) * TROP_LANES;
}

enum trop_status trop_attend_create(struct trop_attend **out, int64_t n, int64_t d, int64_t workers,
                                    const struct trop_kernel *kernel, int unit)
{
    struct trop_attend *a = trop_alloc(1, sizeof *a);
    if (!a) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for an attention handle");
    }
    int64_t stride = row_width(n);
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

/* ---- loading -------------------------------------------------------------------- */

void trop_attend_query(double *out, const double *x, int64_t d, const struct trop_matrix *matrix)
{
    if (matrix->values) {
        trop_linalg_matvec(out, matrix->values, x, d, d);
        return;
    }
    for (int64_t c = 0; c < d; c++) {
        out[c] = matrix->scale * x[c];
    }
}

/* The power of two that brings data of this size near 1; 0 when there is no need. */
static int scale_of(double size)
{
    int exponent;
    if (size == 0) {
        return 0;
    }
    frexp(size, &exponent);
    return exponent > SAFE || exponent < -SAFE ? exponent : 0;
}

static double largest(const double *x, int64_t count)
{
    double size = 0;
    for (int64_t k = 0; k < count; k++) {
        size = fabs(x[k]) > size ? fabs(x[k]) : size;
    }
    return size;
}

static void transpose(double *xt, const double *x, int64_t n, int64_t d, int64_t stride, int scale)
{
    double factor = ldexp(1.0, -(scale / 2)), rest = ldexp(1.0, -(scale - scale / 2));

    for (int64_t c = 0; c < d; c++) {
        for (int64_t j = 0; j < n; j++) {
            xt[c * stride + j] = scale ? x[j * d + c] * factor * rest : x[j * d + c];
        }
        for (int64_t j = n; j < stride; j++) {
            xt[c * stride + j] = 0;
        }
    }
}

/* Unit vectors in the norm of B: k = x / sqrt(<Bx, x>), and 0 for x = 0. */
static enum trop_status normalise(struct trop_attend *a, const double *x, int64_t n,
                                  const struct trop_matrix *key_query)
{
    int64_t d = a->scene.d;

    for (int64_t i = 0; i < n; i++) {
        const double *xi = x + i * d;
        double *ki = a->keys + i * d, square = 0;
        /* Scaled first, so that no square overflows or vanishes. */
        double size = largest(xi, d);
        for (int64_t c = 0; c < d; c++) {
            ki[c] = size > 0 ? xi[c] / size : 0;
        }
        trop_attend_query(a->query, ki, d, key_query);
        for (int64_t c = 0; c < d; c++) {
            square = fma(a->query[c], ki[c], square);
        }
        if (size > 0 && !(square > 0)) {
            return trop_fail(TROP_ERR_NUMERIC,
                             "form = cosine: token %lld has <Bx, x> = %g times its squared size, "
                             "must be above 0",
                             (long long)i, square);
        }
        double norm = sqrt(square);
        for (int64_t c = 0; c < d; c++) {
            ki[c] = size > 0 ? ki[c] / norm : 0;
        }
    }
    return TROP_OK;
}

static enum trop_status queries(struct trop_attend *a, const struct trop_matrix *key_query,
                                int negative, int64_t n)
{
    struct trop_scene *s = &a->scene;

    s->y = s->keys;
    if (!key_query->values && key_query->scale == 1.0 && !negative) {
        return TROP_OK;
    }
    for (int64_t i = 0; i < n; i++) {
        trop_attend_query(a->y + i * s->d, s->keys + i * s->d, s->d, key_query);
    }
    for (int64_t k = 0; k < n * s->d; k++) {
        a->y[k] = negative ? -a->y[k] : a->y[k];
        if (!isfinite(a->y[k])) {
            return trop_fail(TROP_ERR_NUMERIC, "key-query: B x overflows for token %lld",
                             (long long)(k / s->d));
        }
    }
    s->y = a->y;
    return TROP_OK;
}

enum trop_status trop_attend_load(struct trop_attend *a, const double *x, const double *mass,
                                  int64_t n, const struct trop_matrix *key_query,
                                  const struct trop_rule_numbers *numbers)
{
    struct trop_scene *s = &a->scene;
    int cosine =
        (numbers->rule->uses & TROP_RULE_USES_EPSILON) && numbers->form == TROP_FORM_COSINE;
    int negative = (numbers->rule->uses & TROP_RULE_USES_BETA) && numbers->beta < 0;
    enum trop_status status;

    s->n = n;
    s->stride = row_width(n);
    s->x = x;
    s->keys = x;
    s->numbers = *numbers;
    s->numbers.beta = fabs(numbers->beta);
    s->mass = NULL;
    if (mass) {
        memcpy(a->mass, mass, (size_t)n * sizeof *mass);
        memset(a->mass + n, 0, (size_t)(s->stride - n) * sizeof *mass);
        s->mass = a->mass;
    }
    if (cosine) {
        status = normalise(a, x, n, key_query);
        if (status != TROP_OK) {
            return status;
        }
        s->keys = a->keys;
    }
    status = queries(a, key_query, negative, n);
    if (status != TROP_OK) {
        return status;
    }
    s->scale_x = scale_of(largest(x, n * s->d));
    s->scale_k = cosine ? 0 : s->scale_x;
    s->scale_y = scale_of(largest(s->y, n * s->d));
    transpose(a->xt, x, n, s->d, s->stride, s->scale_x);
    if (cosine) {
        transpose(a->keyst, a->keys, n, s->d, s->stride, 0);
    }
    s->xt = a->xt;
    s->keyst = cosine ? a->keyst : a->xt;
    s->reach = a->reach;
    for (int64_t c = 0; c < s->d; c++) {
        a->reach[c] = largest(s->keyst + c * s->stride, n);
    }
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

/* ---- diameter -------------------------------------------------------------------- */

/* For z = x - x_0, |z_i - z_j|^2 = |z_i|^2 + |z_j|^2 - 2 <z_i, z_j>: the scores' kernel
 * does the work, and the centre keeps the terms as small as the cloud. Scaled by the
 * size of the cloud, nothing overflows. */
struct spread {
    struct trop_attend *attend;
    const double *square; /* (n) |z_j|^2 */
    int64_t n;
    double *most; /* (n) of a row: the largest |z_i - z_j|^2 */
};

static void spread_rows(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct spread *s = context;
    struct trop_attend *a = s->attend;
    double *row = a->weight + worker * a->stride, *z = a->query + worker * a->scene.d;

    for (int64_t i = first; i < last; i++) {
        double most = 0;
        for (int64_t c = 0; c < a->scene.d; c++) {
            z[c] = a->xt[c * a->stride + i];
        }
        a->scene.kernel->scores(row, z, a->xt, a->stride, s->n, a->scene.d);
        for (int64_t j = 0; j < s->n; j++) {
            double square = s->square[i] + s->square[j] - 2 * row[j];
            most = square > most ? square : most;
        }
        s->most[i] = most;
    }
}

double trop_attend_diameter(struct trop_attend *a, const double *x, int64_t n, double *far)
{
    int64_t d = a->scene.d;
    double size = 0, most = 0;

    for (int64_t k = 0; k < n * d; k++) {
        size = fmax(size, fabs(x[k] - x[k % d]));
    }
    if (size == 0 || !isfinite(size)) {
        return size;
    }
    memset(far, 0, (size_t)n * sizeof *far);
    for (int64_t c = 0; c < d; c++) {
        for (int64_t j = 0; j < n; j++) {
            double z = (x[j * d + c] - x[c]) / size;
            a->xt[c * a->stride + j] = z;
            far[j] += z * z;
        }
    }
    /* y is free here: every row's answer goes there. */
    struct spread spread = { a, far, n, a->y };
    trop_parallel(a->workers, n, spread_rows, &spread);
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, a->y[i]);
    }
    return size * sqrt(most);
}
