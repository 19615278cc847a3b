/* cells_plane.c -- the polygons of the cells in two dimensions, by clipping.
 *
 * Let v_0 .. v_{k-1} be the vertices counterclockwise and i one of them. Its cell is K cut by the
 * two half-planes of its neighbours alone, for any B: the tangent cone of K at v_i is generated
 * by e+ = v_{i+1} - v_i and e- = v_{i-1} - v_i, so every v_j - v_i is a e+ + b e- with a, b >= 0,
 * and <B x, v_i - v_j> = a <B x, -e+> + b <B x, -e-> is not negative where those two are not. (And
 * a + b >= 1, K being convex: with a lead of eta over both neighbours v_i leads by eta over all,
 * which cells_inset.c uses.)
 *
 * Both walls pass through the origin. Call them A, with normal h_A = B'(-e+), and C, with h_C =
 * B'(-e-). A corner of the polygon then is a vertex of K, the origin, or the cut of one wall with
 * one edge of K, and which corners there are is decided without error:
 *
 *   a vertex v_m against a wall: the sign of <B v_m, v_i - v_j>, trop_decide_bilinear;
 *   the cut of A with edge m (from the + to the - side of A, say) against C: the cut is tau r, with
 *     r the normal h_A turned by a right angle counterclockwise; tau has the sign of
 *     det(v_m, v_{m+1}), for that is the sense in which the edge goes round the origin (the
 *     opposite sign when the edge goes from - to +); and <r, h_C> = det(h_A, h_C) =
 *     det(B) det(e+, e-) has the sign of det(B), as K is convex;
 *   where the chord of A crosses C: at the origin.
 *
 * The determinants are exact sums. So no rounding makes or loses a corner: B singular, B = 0 (every
 * cell is K), the origin outside K (empty cells) or on its boundary are ordinary.
 *
 * A cut is computed once from its two scores s_a, s_b of opposite signs, exact sums within an ulp
 * (2 u): rho = s_a/(s_a - s_b) from the nearer end, at most 1/2, is off by 6 u relative, and
 * a + rho (b - a), one fma, by 3.5 u |b - a| + u |corner| at most. `band` is 4 u diameter + 2 u R
 * with R = max |v|: every corner is within that of the true one, however near a wall and an edge
 * come to being parallel; hence every edge of a polygon within that of the true edge. A wall seen
 * from its two cells gives the same bits.
 *
 * Cost: k^2 signs for k vertices.
 */
#include "shape/cells/cells_internal.h"

#include "attend/decide.h"
#include "attend/exact.h"
#include "base/alloc.h"
#include "base/status.h"
#include "shape/cloud.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define TINY 0x1p-1060 /* more than scaling and underflow can change a score of size 1 */

/* ---- polygons ------------------------------------------------------------------------------ */

static enum trop_status no_memory(void)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for the polygons of the cells");
}

enum trop_status trop_cells_shapes_make(struct trop_cells_shapes *shapes, int64_t count)
{
    shapes->room = 8 * count;
    return TROP_ALLOC(TROP_PART(shapes->start, count + 1), TROP_PART(shapes->area, count),
                      TROP_PART(shapes->corner, 2 * shapes->room))
               ? TROP_OK
               : no_memory();
}

void trop_cells_shapes_free(struct trop_cells_shapes *shapes)
{
    TROP_FREE(shapes->start, shapes->area, shapes->corner);
}

/* The power of two of the polygon's extent along an axis; 0 when it has none. */
static int extent(int *power, const double *p, int64_t count, int axis)
{
    double most = 0;

    for (int64_t k = 1; k < count; k++) {
        most = fmax(most, fabs(p[2 * k + axis] - p[axis]));
    }
    *power = most > 0 ? ilogb(most) : 0;
    return most > 0;
}

/* Twice the area is the sum of the triangles at the first corner; in units of both extents, so
 * that only an area outside double is infinite or 0. */
static double area_of(const double *p, int64_t count)
{
    double twice = 0;
    int x, y;

    if (count < 3 || !extent(&x, p, count, 0) || !extent(&y, p, count, 1)) {
        return 0;
    }
    for (int64_t k = 1; k + 1 < count; k++) {
        double ax = ldexp(p[2 * k] - p[0], -x), ay = ldexp(p[2 * k + 1] - p[1], -y);
        double bx = ldexp(p[2 * k + 2] - p[0], -x), by = ldexp(p[2 * k + 3] - p[1], -y);
        twice += ax * by - ay * bx;
    }
    return twice > 0 ? ldexp(0.5 * twice, x + y) : 0;
}

static int same(const double *p, const double *q)
{
    return p[0] == q[0] && p[1] == q[1];
}

enum trop_status trop_cells_shapes_add(struct trop_cells_shapes *shapes, const double *corners,
                                       int64_t count)
{
    int64_t kept = 0;

    if (shapes->corners + count > shapes->room) { /* at least twice as much as before */
        int64_t room = 2 * shapes->room + count;
        double *wider = trop_alloc(2 * room, sizeof *wider);
        if (!wider) {
            return no_memory();
        }
        memcpy(wider, shapes->corner, (size_t)(2 * shapes->corners) * sizeof *wider);
        trop_alloc_free(shapes->corner);
        shapes->corner = wider;
        shapes->room = room;
    }
    double *out = shapes->corner + 2 * shapes->corners;
    for (int64_t k = 0; k < count; k++) {
        if (kept == 0 || !same(corners + 2 * k, out + 2 * (kept - 1))) {
            out[2 * kept] = corners[2 * k] + 0.0; /* no -0 */
            out[2 * kept + 1] = corners[2 * k + 1] + 0.0;
            kept++;
        }
    }
    while (kept > 1 && same(out, out + 2 * (kept - 1))) {
        kept--;
    }
    shapes->corners += kept;
    shapes->area[shapes->count++] = area_of(out, kept);
    shapes->start[shapes->count] = shapes->corners;
    return TROP_OK;
}

/* ---- the plane ------------------------------------------------------------------------------ */

enum node_kind { VERTEX, CUT_A, CUT_C, ORIGIN };

#define CHORD (-1) /* the side of a clipped polygon that lies on wall A */

/* A corner by what it is, and the side that leaves it: an edge of K, or the chord. */
struct node {
    int64_t kind; /* enum node_kind */
    int64_t at;   /* the vertex, or the edge that is cut */
    int64_t side;
};

struct plane {
    const struct trop_cells *cells;
    int64_t count;               /* vertices of K */
    int64_t *outline;            /* (count) tokens, counterclockwise */
    int64_t *rank;               /* (count) their ranks */
    int64_t *place;              /* (count) of rank p in the outline */
    int *turn;                   /* (count) sign of det(v_m, v_{m+1}) */
    int det;                     /* sign of det(B) */
    int *above_a;                /* (count) signs of the vertices against wall A */
    int *above_c;                /* (count) against wall C */
    struct node *first, *second; /* (count + 4) nodes after the first and second clip */
    double *corners;             /* (count + 4, 2) */
    double *unit;                /* (count, 2) vertices by a power of 2 into [-2, 2] */
    double matrix[4];            /* B, likewise */
};

static const double *at(const struct plane *p, int64_t m)
{
    return p->cells->x + 2 * p->outline[m];
}

static int64_t after(const struct plane *p, int64_t m)
{
    return m + 1 < p->count ? m + 1 : 0;
}

static int64_t ahead(const struct plane *p, int64_t m)
{
    return m > 0 ? m - 1 : p->count - 1;
}

/* The sign of a c - b d, exactly. */
static int determinant(double a, double c, double b, double d)
{
    struct trop_exact sum;

    trop_exact_clear(&sum);
    trop_exact_add(&sum, a, c, 1);
    trop_exact_subtract(&sum, b, d, 1);
    return trop_exact_sign(&sum);
}

/* out (count): the vertices against the wall on whose positive side i beats j. In double the
 * normal is off by 3 u, and a score by 5 u, of their absolute terms; what is within 16 u is
 * decided exactly. */
static void sides(int *out, const struct plane *p, int64_t i, int64_t j)
{
    const double *b = p->matrix, *v = p->unit + 2 * i, *w = p->unit + 2 * j;
    double t[] = { v[0] - w[0], v[1] - w[1] };
    double h[] = { b[0] * t[0] + b[2] * t[1], b[1] * t[0] + b[3] * t[1] };
    double bulk[] = { fabs(b[0] * t[0]) + fabs(b[2] * t[1]),
                      fabs(b[1] * t[0]) + fabs(b[3] * t[1]) };

    for (int64_t m = 0; m < p->count; m++) {
        const double *x = p->unit + 2 * m;
        double value = h[0] * x[0] + h[1] * x[1];
        double size = bulk[0] * fabs(x[0]) + bulk[1] * fabs(x[1]);
        if (fabs(value) > 16 * UNIT * size + TINY) {
            out[m] = value > 0 ? 1 : -1;
        } else {
            out[m] = trop_decide_bilinear(&p->cells->scene.b, at(p, m), at(p, i), at(p, j), 2);
        }
    }
}

/* A node of the first clip against wall C. */
static int side_of(const struct plane *p, const struct node *node)
{
    if (node->kind == VERTEX) {
        return p->above_c[node->at];
    }
    return p->turn[node->at] * p->above_a[node->at] * p->det;
}

/* The polygon of the first clip, cut by wall C. */
static int64_t clip_again(struct plane *p, int64_t corners)
{
    int64_t count = 0;

    for (int64_t k = 0; k < corners; k++) {
        const struct node *node = p->first + k, *next = p->first + (k + 1 < corners ? k + 1 : 0);
        int here = side_of(p, node), there = side_of(p, next);
        if (here >= 0) {
            p->second[count++] = *node;
        }
        if (here * there < 0) {
            p->second[count++] =
                (struct node){ node->side == CHORD ? ORIGIN : CUT_C, node->side, node->side };
        }
    }
    return count;
}

/* Where the wall between i and j cuts edge m. */
static void cut(double *out, const struct plane *p, int64_t i, int64_t j, int64_t m)
{
    int64_t a = m, b = after(p, m);

    out[0] = out[1] = 0;
    if (p->turn[m] == 0) {
        return; /* the edge is on a line through the origin, and so is the wall */
    }
    const struct trop_cells_scene *scene = &p->cells->scene;
    struct trop_cells_scaled one = trop_cells_lead_scaled(scene, at(p, a), at(p, i), at(p, j));
    struct trop_cells_scaled two = trop_cells_lead_scaled(scene, at(p, b), at(p, i), at(p, j));
    int64_t power = one.power > two.power ? one.power : two.power;
    double sa = fabs(ldexp(one.value, (int)(one.power - power)));
    double sb = fabs(ldexp(two.value, (int)(two.power - power)));
    if (sb < sa || (sb == sa && b < a)) { /* from the nearer end, and one way round in a tie */
        double s = sa;
        sa = sb;
        sb = s;
        a = b;
        b = m;
    }
    double rho = sa > 0 ? sa / (sa + sb) : 0;
    for (int c = 0; c < 2; c++) {
        out[c] = fma(rho, at(p, b)[c] - at(p, a)[c], at(p, a)[c]);
    }
}

static void locate(double *out, const struct plane *p, int64_t i, const struct node *node)
{
    switch ((enum node_kind)node->kind) {
    case VERTEX:
        out[0] = at(p, node->at)[0];
        out[1] = at(p, node->at)[1];
        return;
    case CUT_A:
        cut(out, p, i, after(p, i), node->at);
        return;
    case CUT_C:
        cut(out, p, ahead(p, i), i, node->at);
        return;
    case ORIGIN:
        out[0] = out[1] = 0;
        return;
    }
}

/* The cell of the vertex at place i of the outline. */
static enum trop_status one_cell(struct trop_cells_shapes *shapes, struct plane *p, int64_t i)
{
    int64_t count = 0;
    struct node *nodes = p->first;

    sides(p->above_a, p, i, after(p, i));
    /* K cut by wall A. */
    for (int64_t m = 0; m < p->count; m++) {
        int here = p->above_a[m], there = p->above_a[after(p, m)];
        if (here >= 0) {
            p->first[count++] = (struct node){ VERTEX, m, here == 0 && there < 0 ? CHORD : m };
        }
        if (here * there < 0) {
            p->first[count++] = (struct node){ CUT_A, m, here > 0 ? CHORD : m };
        }
    }
    if (p->count > 2) {
        sides(p->above_c, p, i, ahead(p, i));
        count = clip_again(p, count);
        nodes = p->second;
    }
    for (int64_t k = 0; k < count; k++) {
        locate(p->corners + 2 * k, p, i, nodes + k);
    }
    return trop_cells_shapes_add(shapes, p->corners, count);
}

/* ---- setting up ---------------------------------------------------------------------------- */

/* Scales by powers of two, so that scores do not overflow; scores that underflow are decided
 * exactly. */
static void scale(struct plane *p)
{
    const struct trop_matrix *b = &p->cells->scene.b;
    double most = 0, entry = 0;

    for (int64_t m = 0; m < p->count; m++) {
        most = fmax(most, fmax(fabs(at(p, m)[0]), fabs(at(p, m)[1])));
    }
    for (int k = 0; k < 4; k++) {
        p->matrix[k] = b->values ? b->values[k] : k % 3 == 0 ? b->scale : 0;
        entry = fmax(entry, fabs(p->matrix[k]));
    }
    p->det = determinant(p->matrix[0], p->matrix[3], p->matrix[1], p->matrix[2]);
    for (int64_t k = 0; most > 0 && k < 2 * p->count; k++) {
        p->unit[k] = ldexp(at(p, k / 2)[k % 2], -ilogb(most));
    }
    for (int k = 0; entry > 0 && k < 4; k++) {
        p->matrix[k] = ldexp(p->matrix[k], -ilogb(entry));
    }
    for (int64_t m = 0; m < p->count; m++) {
        const double *v = at(p, m), *w = at(p, after(p, m));
        p->turn[m] = determinant(v[0], w[1], v[1], w[0]);
    }
}

enum trop_status trop_cells_plane(struct trop_cells *cells)
{
    int64_t count = cells->vertices;
    struct plane p = { .cells = cells, .count = count };
    enum trop_status status = trop_cells_shapes_make(&cells->cell, count);

    if (status == TROP_OK &&
        !TROP_ALLOC(TROP_PART(p.outline, count), TROP_PART(p.rank, count),
                    TROP_PART(p.place, count), TROP_PART(p.turn, count),
                    TROP_PART(p.above_a, count), TROP_PART(p.above_c, count),
                    TROP_PART(p.first, count + 4), TROP_PART(p.second, count + 4),
                    TROP_PART(p.corners, 2 * (count + 4)), TROP_PART(p.unit, 2 * count))) {
        status = no_memory();
    }
    if (status == TROP_OK) {
        double radius = 0;
        /* The outline, by token, rank and place. A flat hull's is its vertices. */
        const int64_t *outline, *vertex = p.cells->vertex;
        int64_t known = trop_hull_outline(&outline, p.cells->hull);
        for (int64_t m = 0; m < p.count; m++) {
            p.outline[m] = known == p.count ? outline[m] : vertex[m];
            int64_t low = 0, high = p.count - 1;
            while (low < high) {
                int64_t middle = low + (high - low) / 2;
                low = vertex[middle] < p.outline[m] ? middle + 1 : low;
                high = vertex[middle] < p.outline[m] ? high : middle;
            }
            p.rank[m] = low;
            p.place[low] = m;
        }
        scale(&p);
        for (int64_t m = 0; m < p.count; m++) {
            radius = fmax(radius, trop_cloud_radius(at(&p, m), 1, 2));
        }
        cells->band = 4 * UNIT * cells->measures.diameter + 2 * UNIT * radius;
        for (int64_t r = 0; r < p.count && status == TROP_OK; r++) {
            status = one_cell(&cells->cell, &p, p.place[r]);
        }
    }
    if (status == TROP_OK) {
        status = trop_cells_inset(cells, p.rank, p.place, p.count);
    }
    TROP_FREE(p.outline, p.rank, p.place, p.turn, p.above_a, p.above_c, p.first, p.second,
              p.corners, p.unit);
    return status;
}

double trop_cells_depth(const struct trop_cells *cells, const double *point)
{
    const int64_t *outline;
    int64_t count = trop_hull_outline(&outline, cells->hull);
    double depth = count > 2 ? INFINITY : 0;

    for (int64_t m = 0; m < count && count > 2; m++) {
        const double *v = cells->x + 2 * outline[m];
        const double *w = cells->x + 2 * outline[m + 1 < count ? m + 1 : 0];
        double ex = w[0] - v[0], ey = w[1] - v[1];
        int power = ilogb(fmax(fabs(ex), fabs(ey))) + 8; /* so that nothing overflows */
        ex = ldexp(ex, -power);
        ey = ldexp(ey, -power);
        double turn = ex * (point[1] - v[1]) - ey * (point[0] - v[0]);
        depth = fmin(depth, turn / ldexp(trop_cloud_distance(v, w, 2), -power));
    }
    return depth;
}
