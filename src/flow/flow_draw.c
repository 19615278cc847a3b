/* flow_draw.c -- B and V that the seed draws, so that every copy of a flow has its own.
 *
 * Those of the program of Geshkovski, Letrouit, Polyanskiy, Rigollet, "A mathematical perspective
 * on transformers", for its figures with random K, Q, V; G, G_1, G_2 have independent entries of
 * N(0, 1):
 *
 *   gaussian  B = G_1 G_2 / sqrt(d)       gram     V = G G' / sqrt(d)
 *   goe       B = (G + G') / sqrt(2)      ascent   V = B / r
 *                                         descent  V = -B / r
 *
 * where r = sqrt(d), of goe sqrt(d + 1): the mean square of a row of B is r^2.
 */
#include "flow/flow.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "base/status.h"

#include <math.h>

enum factor { FIRST, SECOND, VALUE }; /* which G */

static double entry(const struct trop_flow *f, enum factor factor, int64_t row, int64_t column)
{
    return trop_rng_normal(f->options.cloud.seed, TROP_RNG_MATRICES, factor,
                           (uint64_t)(row * f->d + column));
}

/* An entry of a product of two G over sqrt(d), the second one transposed or not. */
static double product(const struct trop_flow *f, enum factor a, enum factor b, int64_t row,
                      int64_t column)
{
    double sum = 0;

    for (int64_t k = 0; k < f->d; k++) {
        sum =
            fma(entry(f, a, row, k), a == b ? entry(f, b, column, k) : entry(f, b, k, column), sum);
    }
    return sum / sqrt((double)f->d);
}

static double key_query(const struct trop_flow *f, int64_t row, int64_t column)
{
    return f->options.draw_key_query == TROP_DRAW_KEY_QUERY_GAUSSIAN
               ? product(f, FIRST, SECOND, row, column)
               : (entry(f, FIRST, row, column) + entry(f, FIRST, column, row)) / sqrt(2);
}

static double value(const struct trop_flow *f, int64_t row, int64_t column)
{
    const int64_t kind = f->options.draw_value;
    const int64_t extra = f->options.draw_key_query == TROP_DRAW_KEY_QUERY_GOE;

    if (kind == TROP_DRAW_VALUE_GRAM) {
        return product(f, VALUE, VALUE, row, column);
    }
    return (kind == TROP_DRAW_VALUE_DESCENT ? -1 : 1) * key_query(f, row, column) /
           sqrt((double)(f->d + extra));
}

/* A drawn matrix takes the place of the one that was adopted, owned by the same pointer. */
static int fill(struct trop_flow *f, double **owned, struct trop_matrix *out,
                double (*at)(const struct trop_flow *, int64_t, int64_t))
{
    const int64_t d = f->d;

    if (!*owned) {
        *owned = trop_alloc(trop_alloc_product(d, d), sizeof **owned);
    }
    for (int64_t k = 0; *owned && k < d * d; k++) {
        (*owned)[k] = at(f, k / d, k % d);
    }
    *out = (struct trop_matrix){ .scale = 1, .values = *owned };
    return *owned != NULL;
}

int trop_flow_draw(struct trop_flow *f)
{
    struct trop_flow_options *o = &f->options;

    return (o->draw_key_query == TROP_DRAW_KEY_QUERY_NONE ||
            fill(f, &f->owned[TROP_FLOW_OWNED_KEY_QUERY], &o->cloud.key_query, key_query)) &&
           (o->draw_value == TROP_DRAW_VALUE_NONE ||
            fill(f, &f->owned[TROP_FLOW_OWNED_VALUE], &o->value, value));
}

enum trop_status trop_flow_draw_check(const struct trop_flow_options *o)
{
    const struct trop_dynamics *dynamics = trop_dynamics_at(o->dynamics);
    const int of_b =
        o->draw_value == TROP_DRAW_VALUE_ASCENT || o->draw_value == TROP_DRAW_VALUE_DESCENT;

    if (o->draw_value != TROP_DRAW_VALUE_NONE && !dynamics->value) {
        return trop_fail(TROP_ERR_ARG, "draw_value: does not apply to dynamics = %s",
                         dynamics->name);
    }
    if (o->draw_value != TROP_DRAW_VALUE_NONE && o->leap) {
        return trop_fail(TROP_ERR_ARG, "draw_value: leaps take no value matrix");
    }
    if (of_b && o->draw_key_query == TROP_DRAW_KEY_QUERY_NONE) {
        return trop_fail(TROP_ERR_ARG,
                         "draw_value = %s: is V of a drawn B, so it needs "
                         "draw_key_query",
                         o->draw_value == TROP_DRAW_VALUE_ASCENT ? "ascent" : "descent");
    }
    return TROP_OK;
}
