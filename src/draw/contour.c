/* contour.c -- marching squares.
 *
 * Along each side of a square of four neighbouring values the function is taken as linear, so that
 * a line of the level enters and leaves through the sides whose ends lie on different sides of it.
 * Two or no sides are crossed, or all four: a saddle, where the mean of the corners, the value of
 * the bilinear interpolant in the middle of the square, says which corners belong together.
 *
 * Values equal to the level count as above it, so that no line goes through a corner twice. The
 * pieces are followed from square to square, which makes long lines that can be dashed.
 */
#include "draw/contour.h"

#include <math.h>

#include "base/alloc.h"

/* Sides of a square: below (row r), right, above (row r + 1), left. */
enum { BELOW, RIGHT, ABOVE, LEFT };

struct field {
    const double *values;
    int64_t rows, columns;
    double level;
    unsigned char *done; /* per square: bit s, the piece that crosses side s is drawn */
    trop_contour_point *visit;
    void *context;
};

static double value(const struct field *field, int64_t r, int64_t c)
{
    return field->values[r * field->columns + c];
}

/* Bits of the sides that are crossed; 0 for a square that is not there or not finite. */
static int crossed(const struct field *field, int64_t r, int64_t c)
{
    if (r < 0 || c < 0 || r + 1 >= field->rows || c + 1 >= field->columns) {
        return 0;
    }
    double corners[4] = { value(field, r, c), value(field, r, c + 1), value(field, r + 1, c + 1),
                          value(field, r + 1, c) };
    int sides = 0;
    for (int k = 0; k < 4; k++) {
        if (!isfinite(corners[k])) {
            return 0;
        }
        sides |= ((corners[k] >= field->level) != (corners[(k + 1) % 4] >= field->level)) << k;
    }
    return sides;
}

/* The side by which a line that came in through `side` goes out. */
static int partner(const struct field *field, int64_t r, int64_t c, int side)
{
    int sides = crossed(field, r, c);

    if (sides != 15) {
        for (int k = 0; k < 4; k++) {
            if (k != side && (sides >> k & 1)) {
                return k;
            }
        }
    }
    /* Halves of quarters do not overflow. */
    double mean = 0.25 * value(field, r, c) + 0.25 * value(field, r, c + 1) +
                  0.25 * value(field, r + 1, c) + 0.25 * value(field, r + 1, c + 1);
    /* Corner (r, c) is joined to the opposite one when the middle is on its side: the lines then
     * cut off the other two corners, below-right and above-left. */
    int joined = (value(field, r, c) >= field->level) == (mean >= field->level);
    static const int with_right[4] = { RIGHT, BELOW, LEFT, ABOVE };
    static const int with_left[4] = { LEFT, ABOVE, RIGHT, BELOW };
    return joined ? with_right[side] : with_left[side];
}

/* Where the level lies between a and b, in [0, 1]. */
static double share(double level, double a, double b)
{
    double t = (level * 0.25 - a * 0.25) / (b * 0.25 - a * 0.25);
    return t > 0.0 ? (t < 1.0 ? t : 1.0) : 0.0;
}

static void emit(const struct field *field, int64_t r, int64_t c, int side, int start)
{
    double u = (double)c;
    double v = (double)r;

    if (side == BELOW || side == ABOVE) {
        int64_t row = side == BELOW ? r : r + 1;
        v = (double)row;
        u += share(field->level, value(field, row, c), value(field, row, c + 1));
    } else {
        int64_t column = side == LEFT ? c : c + 1;
        u = (double)column;
        v += share(field->level, value(field, r, column), value(field, r + 1, column));
    }
    field->visit(field->context, u, v, start);
}

/* From the square (r, c), entered through side `in`, onwards until the line ends or comes back. */
static void follow(const struct field *field, int64_t r, int64_t c, int in)
{
    static const int64_t up[4] = { -1, 0, 1, 0 };
    static const int64_t over[4] = { 0, 1, 0, -1 };

    emit(field, r, c, in, 1);
    while (crossed(field, r, c) >> in & 1) {
        unsigned char *done = &field->done[r * field->columns + c];
        if (*done >> in & 1) {
            return;
        }
        int out = partner(field, r, c, in);
        *done = (unsigned char)(*done | 1 << in | 1 << out);
        emit(field, r, c, out, 0);
        r += up[out];
        c += over[out];
        in = (out + 2) % 4;
    }
}

/* Whether a line that crosses this side comes from outside: no square lies beyond. */
static int at_edge(const struct field *field, int64_t r, int64_t c, int side)
{
    static const int64_t up[4] = { -1, 0, 1, 0 };
    static const int64_t over[4] = { 0, 1, 0, -1 };

    return crossed(field, r + up[side], c + over[side]) == 0;
}

/* First the lines that begin at an edge, each from its beginning; what is left then is closed. */
static void trace(const struct field *field, int edges)
{
    for (int64_t r = 0; r + 1 < field->rows; r++) {
        for (int64_t c = 0; c + 1 < field->columns; c++) {
            int sides = crossed(field, r, c);
            for (int side = 0; side < 4; side++) {
                if ((sides & ~field->done[r * field->columns + c]) >> side & 1 &&
                    (!edges || at_edge(field, r, c, side))) {
                    follow(field, r, c, side);
                }
            }
        }
    }
}

enum trop_status trop_contour(const double *values, int64_t rows, int64_t columns, double level,
                              trop_contour_point *visit, void *context)
{
    struct field field = { .values = values,
                           .rows = rows,
                           .columns = columns,
                           .level = level,
                           .visit = visit,
                           .context = context };

    field.done = trop_alloc(trop_alloc_product(rows, columns), 1);
    if (!field.done) {
        return TROP_ERR_MEMORY;
    }
    trace(&field, 1);
    trace(&field, 0);
    trop_alloc_free(field.done);
    return TROP_OK;
}
