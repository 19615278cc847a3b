/* fan.c -- which few of many points can be on top in a direction: cells of directions.
 *
 * The directions in which a point is the maximiser of <y, p> are its normal cone, and the
 * cones of all points are the normal fan of their hull. Here the fan is looked at through a
 * cube: a direction y != 0 belongs to the face of its largest |y_a|, and there to a cell of a
 * grid of the ratios r_c = y_c / |y_a|, c != a, all of them in [-1, 1].
 *
 * A cell is a box lo <= r <= hi. Point v is beaten by point w in the whole cell when
 *
 *   min over the box of <(r, +-1), t> = +-t_a + sum_c min(lo_c t_c, hi_c t_c) > 0,  t = w - v,
 *
 * which is exact: a linear function on a box is least at a corner, coordinate by coordinate.
 * Points that were not found beaten stay with the cell. A face begins as one box with all
 * points; a box is halved, and each half goes on with what is left, so that a point that is
 * far from the hull, or far from this side of it, is looked at a few times only. A box with
 * one point left needs no halving: it fills its cells. Those who do the beating are the point
 * on top in the middle of the box and then the ones that rise highest above it somewhere in
 * the box. Any choice is right; a bad one leaves cells with more points. So does the limit on
 * the comparisons of a face, for clouds whose points are all on top of some direction.
 *
 * Rounding. t_c has a relative error of u = 2^-53, a product another, the sum of d terms at
 * most d - 1 more: the computed minimum is off by at most (d + 1) u sum_c |t_c| (1 + 2^-30)
 * plus d 2^-1074 for products that underflow; (d + 4) and 1.02 are taken. What overflows is
 * not finite, fails the comparison, and the point stays. A direction finds its cell by
 * computed ratios, off by 2^-52 at most (quotient and sum), so boxes that are wider by 2^-30 on
 * every side leave room for a caller whose y is off by 2^-32 |y|_inf. A box, as stored, is made of
 * doubles, so that how its limits were rounded does not matter.
 */
#include "attend/fan.h"

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/status.h"

#include <string.h>

#define UNIT 0x1p-53
#define SLACK 1.02
#define TINY 0x1p-1070
#define WIDER 0x1p-30
#define BEATERS 4         /* points of a box that are tried on the others */
#define LONG 64           /* a long list */
#define PER_POINT 256     /* comparisons that a face may take: so many for every point */
#define PER_CELL 256      /* ... and so many for every cell */
#define FEW 65536         /* room for points in the cells of a face, at least */
#define POINTS_PER_CELL 8 /* the same, for many cells */

void trop_fan_free(struct trop_fan *fan)
{
    if (fan) {
        TROP_FREE(fan->cell, fan->pool, fan->list, fan);
    }
}

static int64_t cells_of(int64_t d, int64_t grid)
{
    int64_t cells = 1;

    for (int64_t c = 1; c < d; c++) {
        cells *= grid;
    }
    return cells;
}

int64_t trop_fan_grid(int64_t d, int64_t most, int64_t cells)
{
    int64_t grid = 1;

    while (2 * grid <= most && 2 * d * cells_of(d, 2 * grid) <= cells) {
        grid *= 2;
    }
    return grid;
}

enum trop_status trop_fan_create(struct trop_fan **out, int64_t points, int64_t d, int64_t grid,
                                 int64_t workers)
{
    struct trop_fan *fan = trop_alloc(1, sizeof *fan);
    if (!fan) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a fan of directions");
    }
    fan->d = d;
    fan->faces = 2 * d;
    fan->capacity = points;
    fan->most_cells = cells_of(d, grid);
    fan->workers = workers < fan->faces ? workers : fan->faces;
    fan->room = fan->most_cells * POINTS_PER_CELL;
    fan->room = fan->room > FEW ? fan->room : FEW;
    fan->room = fan->room > 2 * points / d ? fan->room : 2 * points / d;
    fan->cell = trop_alloc(fan->faces * fan->most_cells, sizeof *fan->cell);
    fan->pool = trop_alloc(fan->faces * fan->room, sizeof *fan->pool);
    fan->list = trop_alloc(trop_alloc_product(fan->workers, points), sizeof *fan->list);
    if (points > INT32_MAX || !fan->cell || !fan->pool || !fan->list) {
        trop_fan_free(fan);
        return trop_fail(TROP_ERR_MEMORY, "no memory for the directions of %lld points",
                         (long long)points);
    }
    *out = fan;
    return TROP_OK;
}

/* ---- boxes of directions ------------------------------------------------------------------- */

struct box {
    int64_t face, axis;
    double sign;                                                /* of y along the axis */
    double lo[TROP_FAN_DIMENSIONS], hi[TROP_FAN_DIMENSIONS];    /* both are sign on the axis */
    int64_t from[TROP_FAN_DIMENSIONS], to[TROP_FAN_DIMENSIONS]; /* cells; 0 .. 1 on the axis */
};

struct build {
    struct trop_fan *fan;
    const double *p;
    int64_t m, most, effort;
};

static void swap(int32_t *list, int64_t a, int64_t b)
{
    int32_t kept = list[a];
    list[a] = list[b];
    list[b] = kept;
}

/* The point on top in the middle of the box goes first. */
static void top_first(int32_t *list, int64_t count, const struct build *b, const struct box *box)
{
    int64_t d = b->fan->d, at = 0;
    double middle[TROP_FAN_DIMENSIONS], top = -INFINITY;

    for (int64_t c = 0; c < d; c++) {
        middle[c] = 0.5 * (box->lo[c] + box->hi[c]);
    }
    for (int64_t k = 0; k < count; k++) {
        const double *v = b->p + list[k] * d;
        double score = 0;
        for (int64_t c = 0; c < d; c++) {
            score += middle[c] * v[c];
        }
        at = score > top ? k : at;
        top = score > top ? score : top;
    }
    swap(list, 0, at);
}

/* Drops those of list [first, count) that list[first - 1] beats in the whole box; the one that
 * rises highest above it somewhere goes to the place first. Returns the new count. */
static int64_t beat(int32_t *list, int64_t first, int64_t count, const struct build *b,
                    const struct box *box, int64_t d)
{
    const double *w = b->p + list[first - 1] * d;
    double highest = -INFINITY, error = SLACK * UNIT * (double)(d + 4);
    int64_t at = first, k = first;

    while (k < count) {
        const double *v = b->p + list[k] * d;
        double least = 0, size = 0;
        for (int64_t c = 0; c < d; c++) {
            double t = w[c] - v[c], low = box->lo[c] * t, high = box->hi[c] * t;
            least += low < high ? low : high;
            size += fabs(t);
        }
        if (least > error * size + TINY) {
            swap(list, k, --count);
            continue;
        }
        at = -least > highest ? k : at;
        highest = -least > highest ? -least : highest;
        k++;
    }
    if (at < count) {
        swap(list, first, at);
    }
    return count;
}

/* Returns how many are left. Where a long list loses little, no more is tried: halving the box
 * does more. */
static int64_t prune(int32_t *list, int64_t count, const struct build *b, const struct box *box,
                     int64_t *purse)
{
    int64_t d = b->fan->d, lost = count;

    top_first(list, count, b, box);
    *purse -= count;
    for (int64_t r = 1; r <= BEATERS && r < count; r++) {
        if (count > LONG && r > 2 && lost * 8 < count) {
            break;
        }
        *purse -= count;
        lost = count;
        count = d == 2   ? beat(list, r, count, b, box, 2)
                : d == 3 ? beat(list, r, count, b, box, 3)
                         : beat(list, r, count, b, box, d);
        lost -= count;
    }
    return count;
}

/* The list as that of all cells of the box. */
static void fill(const struct build *b, const struct box *box, const int32_t *list, int64_t count)
{
    struct trop_fan *fan = b->fan;
    int64_t at[TROP_FAN_DIMENSIONS], used = fan->used[box->face];
    struct trop_fan_cell *cell = fan->cell + box->face * fan->cells;
    struct trop_fan_cell whole = { 0, -1 };
    int64_t c = 0;

    if (count <= b->most && count <= fan->room - used) {
        whole = (struct trop_fan_cell){ (int32_t)used, (int32_t)count };
        memcpy(fan->pool + box->face * fan->room + used, list, (size_t)count * sizeof *list);
        fan->used[box->face] += count;
    }
    memcpy(at, box->from, sizeof at);
    while (c >= 0) { /* an odometer over the cells */
        int64_t place = 0;
        for (c = 0; c < fan->d; c++) {
            place = c == box->axis ? place : place * fan->grid + at[c];
        }
        cell[place] = whole;
        for (c = fan->d - 1; c >= 0 && ++at[c] == box->to[c]; c--) {
            at[c] = box->from[c];
        }
    }
}

/* Cells of the box, from the points list (count), whose order changes. Depth: the number of
 * halvings, (d - 1) log2 grid. An empty purse ends the halving. */
static void split(const struct build *b, struct box box, int32_t *list, int64_t count,
                  int64_t *purse)
{
    int64_t d = b->fan->d, widest = 0;

    for (int64_t c = 0; c < d; c++) {
        double step = 2 / (double)b->fan->grid;
        box.lo[c] = c == box.axis ? box.sign : step * (double)box.from[c] - 1 - WIDER;
        box.hi[c] = c == box.axis ? box.sign : step * (double)box.to[c] - 1 + WIDER;
    }
    count = *purse > 0 ? prune(list, count, b, &box, purse) : count;
    for (int64_t c = 1; c < d; c++) {
        widest = box.to[c] - box.from[c] > box.to[widest] - box.from[widest] ? c : widest;
    }
    if (count == 1 || box.to[widest] - box.from[widest] == 1 || *purse <= 0) {
        fill(b, &box, list, count);
        return;
    }
    int64_t middle = (box.from[widest] + box.to[widest]) / 2, end = box.to[widest];
    box.to[widest] = middle;
    split(b, box, list, count, purse);
    box.from[widest] = middle;
    box.to[widest] = end;
    split(b, box, list, count, purse);
}

static void build_faces(void *context, int64_t first, int64_t last, int64_t worker)
{
    const struct build *b = context;
    struct trop_fan *fan = b->fan;
    int32_t *list = fan->list + worker * fan->capacity;

    for (int64_t face = first; face < last; face++) {
        struct box box = { .face = face, .axis = face / 2, .sign = face % 2 ? -1 : 1 };
        for (int64_t c = 0; c < fan->d; c++) {
            box.to[c] = c == box.axis ? 1 : fan->grid;
        }
        for (int64_t k = 0; k < b->m; k++) {
            list[k] = (int32_t)k;
        }
        int64_t purse = PER_POINT * b->m + PER_CELL * fan->cells;
        purse = purse < b->effort ? purse : b->effort;
        fan->used[face] = 0;
        split(b, box, list, b->m, &purse);
    }
}

void trop_fan_build(struct trop_fan *fan, const double *p, int64_t m, int64_t grid, int64_t most,
                    int64_t effort)
{
    struct build b = { .fan = fan, .p = p, .m = m, .most = most, .effort = effort };

    fan->grid = grid;
    fan->cells = cells_of(fan->d, grid);
    trop_parallel(m < 1024 ? 1 : fan->workers, fan->faces, build_faces, &b);
}
