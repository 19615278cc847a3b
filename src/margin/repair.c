/* repair.c -- Gauss-Newton on the constraints that are nearly active.
 *
 * With W = L R' and unit rows A_j / |A_j|, the change dW = dL R' + L dR' of least |dL|^2 + |dR|^2
 * that moves the near-active values by given amounts is
 *
 *   dL = sum_j c_j a_j (R'z_j)',   dR = sum_j c_j z_j (L'a_j)',   G c = amounts,
 *   G_jk = <a_j, a_k> <R'z_j, R'z_k> + <z_j, z_k> <L'a_j, L'a_k>
 *
 * (for a full W: dW = sum_j c_j a_j z_j', G_jk = <a_j, a_k> <z_j, z_k>). Values are evaluated in
 * double-double from the points themselves, so that what limits the result is only that L and R are
 * stored in double, which moves <A_j, W> by about u |A_j| |W|. Constraints that no positive factor
 * can mend at little cost (right side 0, very long rows, and all when an equality fixes the scale)
 * aim INSIDE times that above their bound. Rows that depend on others before them are left out:
 * violated ones come first, and what is only to stay where it is gives way. A step that does not
 * reduce the violations is taken back.
 */
#include "margin/repair.h"

#include "kernel/kernel_linear.h"
#include "base/alloc.h"
#include "base/cholesky.h"
#include "base/math/dd.h"
#include "base/lapack.h"
#include "base/linalg.h"
#include "base/status.h"
#include "margin/dense.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define INSIDE 16.0     /* rounding of stored factors moved values by up to 8 u |A_j| |W| */
#define SMALL 4e-9      /* rounding of a value 1 that a common factor may mend instead */
#define NEAR 1e-6       /* of |A_j| |W|: constraints nearer to their bound than that, */
#define STRIDE 1e3      /* and than so many times the worst violation, are kept where they are */
#define DEPENDENT 1e-10 /* of its square: what is left of a row that depends on those before it */
#define BLOCKED 512     /* systems larger than that are factored by LAPACK */
#define MOST 3000       /* near-active constraints in one system */
#define STEPS 8         /* Gauss-Newton converges quadratically, and starts at 1e-3 or better */

struct trop_repair {
    struct trop_rows *rows;
    int scalable;           /* W may be multiplied by a positive number */
    int64_t most;           /* near-active constraints, at most */
    double *value;          /* (count) <A_j, W> - r_j */
    int64_t nears;          /* near-active constraints in use */
    double *amount;         /* (most) what is to be added to the value of a unit row; then c */
    double *gram, *floor;   /* (most, most), (most) */
    int64_t *skipped;       /* (most) */
    double *a, *z;          /* (most, rows), (most, columns) unit vectors */
    double *az;             /* (most, most) scratch */
    double *la, *rz;        /* (most, rank) L'a_j, R'z_j */
    double *saved;          /* the factors before a step */
    struct trop_dd *wz;     /* (rows) */
    struct trop_dd *turned; /* (columns) */
};

void trop_repair_free(struct trop_repair *repair)
{
    if (!repair) {
        return;
    }
    TROP_FREE(repair->value, repair->skipped, repair->wz, repair->gram, repair);
}

enum trop_status trop_repair_create(struct trop_repair **out, struct trop_rows *rows, int64_t rank)
{
    const struct trop_problem *problem = rows->problem;
    const int64_t m = problem->count < MOST ? problem->count : MOST;
    const int64_t d = problem->rows, columns = problem->columns;
    const int64_t stored = rank > 0 ? (d + columns) * rank : trop_alloc_product(d, columns);
    struct trop_repair *repair = trop_alloc(1, sizeof *repair);

    if (!repair) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for the repair of W");
    }
    repair->rows = rows;
    repair->most = m;
    repair->scalable = trop_rows_scalable(problem);
    if (!TROP_ALLOC(
            TROP_PART(repair->value, problem->count), TROP_PART(repair->skipped, m),
            TROP_PART(repair->wz, d + columns),
            TROP_PART(repair->gram, 2 * m * m + 2 * m + m * (d + columns + 2 * rank) + stored))) {
        trop_repair_free(repair);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the repair of %lld constraints",
                         (long long)problem->count);
    }
    repair->turned = repair->wz + d;
    repair->az = repair->gram + m * m;
    repair->floor = repair->az + m * m;
    repair->amount = repair->floor + m;
    repair->a = repair->amount + m;
    repair->z = repair->a + m * d;
    repair->la = repair->z + m * columns;
    repair->rz = repair->la + m * rank;
    repair->saved = repair->rz + m * rank;
    *out = repair;
    return TROP_OK;
}

/* ---- values in double-double ----------------------------------------------------------------- */

/* wz = W z. */
static void apply(struct trop_repair *repair, const double *left, const double *right, int64_t rank,
                  const double *z)
{
    const int64_t d = repair->rows->problem->rows, columns = repair->rows->problem->columns;

    for (int64_t k = 0; k < rank; k++) {
        struct trop_dd sum = trop_dd_of(right ? 0.0 : z[k]);
        for (int64_t c = 0; right && c < columns; c++) {
            sum = trop_dd_add(sum, trop_dd_product(right[c * rank + k], z[c]));
        }
        repair->turned[k] = sum;
    }
    for (int64_t a = 0; a < d; a++) {
        struct trop_dd sum = trop_dd_of(0.0);
        for (int64_t k = 0; k < rank; k++) {
            sum = trop_dd_fma(trop_dd_of(left[a * rank + k]), repair->turned[k], sum);
        }
        repair->wz[a] = sum;
    }
}

static void evaluate(struct trop_repair *repair, const double *left, const double *right,
                     int64_t rank)
{
    const struct trop_rows *rows = repair->rows;
    const struct trop_problem *problem = rows->problem;
    const int64_t d = problem->rows;

    for (int64_t q = 0; q < problem->queries; q++) {
        if (rows->first[q] == rows->first[q + 1]) {
            continue;
        }
        apply(repair, left, right, rank, problem->query + q * problem->columns);
        for (int64_t k = rows->first[q]; k < rows->first[q + 1]; k++) {
            const int64_t j = rows->list[k], plus = problem->plus[j], minus = problem->minus[j];
            struct trop_dd sum = trop_dd_of(-problem->right[j]);
            for (int64_t a = 0; a < d; a++) {
                const double from = plus >= 0 ? problem->point[plus * d + a] : 0.0;
                const double less = minus >= 0 ? problem->point[minus * d + a] : 0.0;
                sum = trop_dd_fma(trop_dd_sum(from, -less), repair->wz[a], sum);
            }
            repair->value[j] = sum.high;
        }
    }
}

/* What is to be added to <A_j, W>, of |A_j|: 0 when the constraint holds. size: |W|. */
static double missing(const struct trop_repair *repair, int64_t j, double size)
{
    const struct trop_problem *problem = repair->rows->problem;
    const double length = repair->rows->size[j], right = problem->right[j];
    const double value = repair->value[j] / length, inside = INSIDE * UNIT * size;

    if (problem->equal[j]) {
        return -value;
    }
    if (value >= 0) {
        return 0.0;
    }
    return repair->scalable && inside * length <= SMALL * right ? -value : inside - value;
}

/* The worst of the violations, of |A_j|. */
static double worst(const struct trop_repair *repair, double size)
{
    double most = 0;

    for (int64_t j = 0; j < repair->rows->problem->count; j++) {
        if (repair->rows->size[j] > 0) {
            most = fmax(most, fabs(missing(repair, j, size)));
        }
    }
    return most;
}

/* ---- one step ------------------------------------------------------------------------------- */

static void unit_of(double *out, const double *x, int64_t d)
{
    const double length = trop_linalg_norm(x, d);

    for (int64_t c = 0; c < d; c++) {
        out[c] = x[c] / length;
    }
}

/* The constraints to work with: first those that are violated, by most at the most, then those so
 * near that the step could violate them, which are to stay where they are. */
static void gather(struct trop_repair *repair, double size, double most)
{
    const struct trop_problem *problem = repair->rows->problem;
    const int64_t d = problem->rows, columns = problem->columns;
    const double near = fmin(NEAR * size, STRIDE * most);

    repair->nears = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t j = 0; j < problem->count && repair->nears < repair->most; j++) {
            const double length = repair->rows->size[j];
            if (!(length > 0)) {
                continue;
            }
            const double amount = missing(repair, j, size);
            const int is_first = problem->equal[j] || amount != 0;
            if (is_first ? pass == 0 : pass == 1 && repair->value[j] < near * length) {
                const int64_t k = repair->nears++;
                repair->amount[k] = amount;
                unit_of(repair->a + k * d, repair->rows->left + j * d, d);
                unit_of(repair->z + k * columns, problem->query + problem->asked[j] * columns,
                        columns);
            }
        }
    }
}

/* gram_jk += <x_j, x_k> <g_j, g_k>. x: (nears, d), g: (nears, rank). */
static void add_products(struct trop_repair *repair, const double *x, int64_t d, const double *g,
                         int64_t rank)
{
    const int64_t count = repair->nears;

    trop_dense_product_turned(repair->az, x, x, count, d, count);
    for (int64_t j = 0; j < count; j++) {
        for (int64_t k = 0; k < count; k++) {
            repair->gram[j * count + k] +=
                repair->az[j * count + k] * trop_linalg_dot(g + j * rank, g + k * rank, rank);
        }
    }
}

/* G and its factor, rows left out that depend on those before them; with factors R'z and L'a too.
 */
static int make_gram(struct trop_repair *repair, const double *left, const double *right,
                     int64_t rank)
{
    const int64_t count = repair->nears;
    const int64_t d = repair->rows->problem->rows, columns = repair->rows->problem->columns;

    memset(repair->gram, 0, (size_t)(count * count) * sizeof *repair->gram);
    if (right) {
        trop_dense_product(repair->rz, repair->z, right, count, columns, rank);
        trop_dense_product(repair->la, repair->a, left, count, d, rank);
        add_products(repair, repair->a, d, repair->rz, rank);
        add_products(repair, repair->z, columns, repair->la, rank);
    } else {
        add_products(repair, repair->a, d, repair->z, columns);
    }
    for (int64_t k = 0; k < count; k++) {
        repair->floor[k] = DEPENDENT * repair->gram[k * count + k];
    }
    if (count > BLOCKED &&
        trop_lapack_factor(repair->gram, count, repair->floor, repair->skipped, 1) == TROP_OK) {
        return 1;
    }
    return trop_cholesky(repair->gram, count, count, repair->floor, repair->skipped,
                         trop_kernel_choose(0)->linear->dot);
}

/* f += sum_j c_j x_j g_j'. f: (d, rank). */
static void accumulate(double *f, const double *c, const double *x, const double *g, int64_t count,
                       int64_t d, int64_t rank)
{
    for (int64_t j = 0; j < count; j++) {
        for (int64_t a = 0; a < d; a++) {
            const double weight = c[j] * x[j * d + a];
            for (int64_t k = 0; k < rank; k++) {
                f[a * rank + k] = fma(weight, g[j * rank + k], f[a * rank + k]);
            }
        }
    }
}

/* 0 when there is no step. */
static int step(struct trop_repair *repair, double *left, double *right, int64_t rank, double size,
                double most)
{
    const int64_t d = repair->rows->problem->rows, columns = repair->rows->problem->columns;

    gather(repair, size, most);
    if (repair->nears == 0 || !make_gram(repair, left, right, rank)) {
        return 0;
    }
    const int64_t count = repair->nears;
    for (int64_t k = 0; k < count; k++) {
        repair->amount[k] = repair->skipped[k] ? 0.0 : repair->amount[k];
    }
    trop_linalg_cholesky_solve(repair->amount, repair->gram, count, 1);
    if (!right) {
        accumulate(left, repair->amount, repair->a, repair->z, count, d, columns);
        return 1;
    }
    accumulate(left, repair->amount, repair->a, repair->rz, count, d, rank);
    accumulate(right, repair->amount, repair->z, repair->la, count, columns, rank);
    return 1;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* |W|_F, or of factors |L|_F |R|_F, which is no less. */
static double size_of(const struct trop_repair *repair, const double *left, const double *right,
                      int64_t rank)
{
    const double size = trop_linalg_norm(left, repair->rows->problem->rows * rank);

    return right ? size * trop_linalg_norm(right, repair->rows->problem->columns * rank) : size;
}

static void save(struct trop_repair *repair, double *left, double *right, int64_t rank, int back)
{
    const int64_t at = repair->rows->problem->rows * rank;
    const int64_t more = right ? repair->rows->problem->columns * rank : 0;
    double *to = back ? left : repair->saved, *from = back ? repair->saved : left;

    memcpy(to, from, (size_t)at * sizeof *to);
    to = back ? right : repair->saved + at;
    from = back ? repair->saved + at : right;
    if (more > 0) {
        memcpy(to, from, (size_t)more * sizeof *to);
    }
}

static void report(struct trop_repair_report *out, const struct trop_repair *repair, double size)
{
    const struct trop_problem *problem = repair->rows->problem;

    *out = (struct trop_repair_report){ .margin = INFINITY };
    for (int64_t j = 0; j < problem->count; j++) {
        const double length = repair->rows->size[j];
        if (!problem->equal[j] && problem->right[j] > 0) {
            out->margin = fmin(out->margin, repair->value[j] + problem->right[j]);
        }
        if (length > 0 && (problem->equal[j] || problem->right[j] <= 0 || !repair->scalable)) {
            const double value = repair->value[j];
            const double miss = problem->equal[j] ? fabs(value) / (length * size) : 0.0;
            out->below = fmax(out->below, problem->equal[j] || value >= 0 ? miss : INFINITY);
        }
    }
}

void trop_repair_factors(struct trop_repair_report *out, struct trop_repair *repair, double *left,
                         double *right, int64_t rank)
{
    const int64_t inner = right ? rank : repair->rows->problem->columns;
    double size = size_of(repair, left, right, inner);

    evaluate(repair, left, right, inner);
    double most = worst(repair, size);
    for (int64_t k = 0; k < STEPS && most > 0.25 * UNIT * size; k++) {
        save(repair, left, right, inner, 0);
        if (!step(repair, left, right, inner, size, most)) {
            break;
        }
        evaluate(repair, left, right, inner);
        const double now = worst(repair, size);
        if (!(now < most)) {
            save(repair, left, right, inner, 1);
            evaluate(repair, left, right, inner);
            break;
        }
        most = now;
        size = size_of(repair, left, right, inner);
    }
    report(out, repair, size);
}

int trop_repair_balance(double *left, double *right, int64_t rank, double *values, double *w,
                        int64_t rows, int64_t columns, double *work)
{
    const int64_t r = rows < columns ? rows : columns;
    double *u = work, *vt = work + rows * r;

    if (!trop_dense_svd(u, values, vt, w, rows, columns)) {
        return 0;
    }
    for (int64_t k = 0; k < rank; k++) {
        const double root = sqrt(values[k]);
        for (int64_t a = 0; a < rows; a++) {
            left[a * rank + k] = root * u[a * r + k];
        }
        for (int64_t b = 0; b < columns; b++) {
            right[b * rank + k] = root * vt[k * columns + b];
        }
    }
    return 1;
}
