/* rule_topk.c -- softmax on the k tokens of largest score, in their exact order.
 *
 * Ties with the k-th are all kept, so that the rule depends on the scores alone and
 * not on the numbering. beta = 0 gives equal weights. A token of mass m counts as m tokens: the
 * k-th is the one with which the mass of the largest scores reaches k, exactly.
 *
 * The k-th largest computed score t sorts the columns in three: surely among the k
 * (more than four bounds above t), surely not, and the few in between, which are
 * put in their exact order. Four: t itself is the score of a column that may stand
 * two bounds away from the exact k-th.
 */
#include "attend/decide.h"
#include "attend/exact.h"
#include "attend/rule.h"
#include "base/sort.h"

static int exactly_before(const void *context, int64_t a, int64_t b)
{
    const struct trop_row *row = context;
    const struct trop_scene *scene = row->scene;
    int sign = trop_decide_score(row->y, scene->keys + a * scene->d, scene->keys + b * scene->d,
                                 scene->d, 0, 0);
    return sign ? sign > 0 : a < b;
}

/* The k-th largest of value (n), by quickselect on a copy of the indices; the pivot
 * is the middle of three, so that sorted input does not take quadratic time. */
static double kth_largest(int64_t *index, const double *value, int64_t n, int64_t k)
{
    int64_t low = 0, high = n - 1;

    for (int64_t j = 0; j < n; j++) {
        index[j] = j;
    }
    while (low < high) {
        double a = value[index[low]], b = value[index[(low + high) / 2]], c = value[index[high]];
        double pivot = (a > b) == (b > c) ? b : ((a > b) == (a < c) ? a : c);
        int64_t i = low, j = high;
        while (i <= j) {
            while (value[index[i]] > pivot) {
                i++;
            }
            while (value[index[j]] < pivot) {
                j--;
            }
            if (i <= j) {
                int64_t swap = index[i];
                index[i++] = index[j];
                index[j--] = swap;
            }
        }
        if (k - 1 <= j) {
            high = j;
        } else if (k - 1 >= i) {
            low = i;
        } else {
            break;
        }
    }
    return value[index[k - 1]];
}

/* How many tokens, or how much mass, are missing to k. */
struct tally {
    const struct trop_row *row;
    double left;            /* without masses: whole numbers */
    struct trop_exact over; /* with masses: their sum less k */
};

static void tally_begin(struct tally *tally, const struct trop_row *row)
{
    tally->row = row;
    tally->left = (double)row->scene->numbers.k;
    if (row->scene->mass) {
        trop_exact_clear(&tally->over);
        trop_exact_subtract(&tally->over, tally->left, 1, 1);
    }
}

static void tally_add(struct tally *tally, int64_t j)
{
    tally->left -= 1;
    if (tally->row->scene->mass) {
        trop_exact_add(&tally->over, tally->row->scene->mass[j], 1, 1);
    }
}

static int tally_is_full(struct tally *tally)
{
    return tally->row->scene->mass ? trop_exact_sign(&tally->over) >= 0 : tally->left <= 0;
}

static int largest_first(const void *context, int64_t a, int64_t b)
{
    const double *value = context;
    return value[a] != value[b] ? value[a] > value[b] : a < b;
}

/* The computed score with which k is reached, or the least. */
static double last_kept(struct trop_row *row)
{
    struct tally tally;
    int64_t m = 0, n = row->n;

    if (!row->scene->mass) {
        return kth_largest(row->support, row->weight, n,
                           row->scene->numbers.k < n ? row->scene->numbers.k : n);
    }
    for (int64_t j = 0; j < n; j++) {
        row->support[j] = j;
    }
    trop_sort(row->support, n, largest_first, row->weight);
    tally_begin(&tally, row);
    for (tally_add(&tally, row->support[0]); m + 1 < n && !tally_is_full(&tally); m++) {
        tally_add(&tally, row->support[m + 1]);
    }
    return row->weight[row->support[m]];
}

/* Fills the support up to k from the middle columns, in their exact order; those that tie with the
 * last one taken are taken too. */
static void settle(struct trop_row *row, int64_t *middle, int64_t count, struct tally *tally)
{
    const double *keys = row->scene->keys;
    int64_t d = row->scene->d;

    trop_sort(middle, count, exactly_before, row);
    for (int64_t m = 0; m < count; m++) {
        if (tally_is_full(tally) &&
            (m == 0 || trop_decide_score(row->y, keys + middle[m] * d, keys + middle[m - 1] * d, d,
                                         0, 0) < 0)) {
            break;
        }
        tally_add(tally, middle[m]);
        row->support[row->count++] = middle[m];
    }
    trop_sort_ascending(row->support, row->count);
}

static void weigh(struct trop_row *row)
{
    double last = last_kept(row);
    struct tally tally;
    int64_t middle = 0;

    tally_begin(&tally, row);
    /* tied is free from here on: the row's maximum is known. */
    row->count = 0;
    for (int64_t j = 0; j < row->n; j++) {
        if (row->weight[j] > last + 4 * row->bound) {
            tally_add(&tally, j);
            row->support[row->count++] = j;
        } else if (row->weight[j] >= last - 4 * row->bound) {
            row->tied[middle++] = j;
        }
    }
    settle(row, row->tied, middle, &tally);
    trop_row_soften(row);
}

const struct trop_rule trop_rule_topk = {
    .name = "topk",
    .meaning = "softmax on the k tokens of largest score, ties with the k-th included",
    .uses = TROP_RULE_USES_BETA | TROP_RULE_USES_K,
    .set = 1,
    .weigh = weigh,
};
