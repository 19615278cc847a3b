/* measure_bootstrap.c -- the mean of a table whose rows and columns are both samples. */
#include "learn/measure.h"

#include "base/rng.h"
#include "base/sort.h"

#include <math.h>

/* One of 0 .. count - 1, count < 2^31, by 32 random bits: off uniform by count / 2^32 at most. */
static int64_t pick(uint64_t bits, int64_t count)
{
    return (int64_t)(((bits & 0xffffffff) * (uint64_t)count) >> 32);
}

/* A sum of cells with their weights, and the weight of those that are numbers. */
struct sum {
    double value, weight;
};

static void add_row(struct sum *sum, const double *row, const double *times, int64_t columns)
{
    for (int64_t c = 0; c < columns; c++) {
        const int is_there = !isnan(row[c]);
        sum->value += is_there ? times[c] * row[c] : 0;
        sum->weight += is_there ? times[c] : 0;
    }
}

/* Draw k: how often each column is taken, then the rows one after the other. Blocks (k, 0), (k, 1),
 * ... are of rows, two of them each, and those from 2^40 on of columns. */
static double draw(const double *table, int64_t rows, int64_t columns, uint64_t seed, int64_t k)
{
    double times[TROP_MEASURE_COLUMNS] = { 0 };
    struct sum sum = { 0 };

    for (int64_t c = 0; c < columns; c++) {
        times[pick(
            trop_rng_bits(seed, TROP_RNG_RESAMPLE, (uint64_t)k, ((uint64_t)1 << 40) + (uint64_t)c),
            columns)]++;
    }
    for (int64_t r = 0; r < rows; r += 2) {
        const uint64_t bits =
            trop_rng_bits(seed, TROP_RNG_RESAMPLE, (uint64_t)k, (uint64_t)(r / 2));
        add_row(&sum, table + pick(bits, rows) * columns, times, columns);
        if (r + 1 < rows) {
            add_row(&sum, table + pick(bits >> 32, rows) * columns, times, columns);
        }
    }
    return sum.value / sum.weight;
}

/* NaN, of a draw without a number, goes last. */
static int is_before(const void *context, int64_t a, int64_t b)
{
    const double *x = context;

    return x[a] < x[b] || (!isnan(x[a]) && isnan(x[b])) ||
           (!(x[a] > x[b]) && isnan(x[a]) == isnan(x[b]) && a < b);
}

void trop_measure_bootstrap(struct trop_measure_mean *out, double *drawn, int64_t *order,
                            const double *table, int64_t rows, int64_t columns, double level,
                            int64_t draws, uint64_t seed)
{
    double once[TROP_MEASURE_COLUMNS];
    struct sum sum = { 0 };
    int64_t count = 0, low = 0, high = 0;

    for (int64_t c = 0; c < columns; c++) {
        once[c] = 1;
    }
    for (int64_t r = 0; r < rows; r++) {
        add_row(&sum, table + r * columns, once, columns);
    }
    for (int64_t k = 0; k < draws; k++) {
        drawn[k] = draw(table, rows, columns, seed, k);
        order[k] = k;
        count += !isnan(drawn[k]);
        low += drawn[k] <= 0;
        high += drawn[k] >= 0;
    }
    trop_sort(order, draws, is_before, drawn);
    const double both = (double)(count + 1);
    /* The slack keeps (1 - .95) / 2 * 2000 = 50 from 49.999. */
    const int64_t k = (int64_t)floor((1 - level) * both / 2 * (1 + 1e-12));
    const int is_enough = k >= 1 && k <= count;
    *out = (struct trop_measure_mean){
        .mean = sum.value / sum.weight,
        .low = is_enough ? drawn[order[k - 1]] : NAN,
        .high = is_enough ? drawn[order[count - k]] : NAN,
        .p = count > 0 ? fmin(1, 2 * (double)((low < high ? low : high) + 1) / both) : NAN,
    };
}
