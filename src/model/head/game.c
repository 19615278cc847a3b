/* game.c -- matrix games by the primal simplex method, with small bases.
 *
 *   maximise sum_i c_i worth_i - y   with   w_t = y - sum_i c_i s_it >= 0,  sum_i c_i = 1,  c >= 0.
 *
 * y is always in the basis. With I the rows in it and T the columns with w_t = 0 outside of it,
 * |I| = |T| = k, and everything follows from systems of order k + 1:
 *
 *   | s_IT'  -1 | |c_I|   |0|      |s_IT  1| |l_T  |   |worth_I|
 *   |  1'     0 | | y | = |1|,     | 1'   0| |value| = |   1   |,
 *
 * the weights, and the prices l with the value. A row i outside gains worth_i - value -
 * sum_t l_t s_it by entering, a column of T -l_t by leaving T. Since k is at most the rank of s
 * and 1, and a few in practice, the systems are factored anew in every step, and a step costs
 * O(k (rows + columns) + k^3).
 *
 * Whatever the steps were worth, the answer is judged by itself: for any c and l
 *
 *   min_t sum_i c_i (worth_i - s_it) <= value <= max_i (worth_i - sum_t l_t s_it),
 *
 * computed with sums of k terms, each off by (4 k + 16) u size in all, u = 2^-53, and twice the
 * error of the entries; both are added to the bounds.
 */
#include "model/head/game.h"

#include "base/alloc.h"
#include "base/linalg.h"
#include "base/status.h"
#include "kernel/kernel_linear.h"

#include <math.h>
#include <string.h>

#define UNIT 0x1p-53
#define PROFIT 0x1p-46 /* of the size: less is no gain; prices below minus that are 0 */
#define GOOD 0x1p-36   /* of the size: bounds that are as near are good enough */
#define SLACK 0x1p-44  /* by which a bound may be passed for the sake of a better pivot */
#define STALL 40       /* steps without gain after which the lowest indices go first */

void trop_game_free(struct trop_game *game)
{
    if (!game) {
        return;
    }
    TROP_FREE(game->s, game->turned, game->worth, game->barred, game->chosen, game->facing,
              game->mix, game->against, game->in, game->tight, game->is_in, game->is_tight,
              game->matrix, game->dual, game->factor, game->weight, game->price, game->move,
              game->pivot, game->profit, game->load, game->fall);
    trop_alloc_free(game);
}

enum trop_status trop_game_create(struct trop_game **out, int64_t rows, int64_t columns,
                                  int64_t most)
{
    const struct trop_kernel *kernel = trop_kernel_choose(0);
    if (!kernel) {
        return TROP_ERR_UNSUPPORTED;
    }
    struct trop_game *g = trop_alloc(1, sizeof *g);
    const int64_t order = most + 1, square = trop_alloc_product(order, order);
    const int64_t stride = trop_kernel_linear_stride(columns);
    const int64_t across = trop_kernel_linear_stride(rows);

    if (!g ||
        !TROP_ALLOC(
            TROP_PART(g->s, trop_alloc_product(rows, stride)),
            TROP_PART(g->turned, trop_alloc_product(columns, across)), TROP_PART(g->worth, across),
            TROP_PART(g->barred, columns), TROP_PART(g->chosen, most), TROP_PART(g->facing, most),
            TROP_PART(g->mix, most), TROP_PART(g->against, most), TROP_PART(g->in, most),
            TROP_PART(g->tight, most), TROP_PART(g->is_in, rows), TROP_PART(g->is_tight, columns),
            TROP_PART(g->matrix, square), TROP_PART(g->dual, square), TROP_PART(g->factor, square),
            TROP_PART(g->weight, order), TROP_PART(g->price, order), TROP_PART(g->move, order),
            TROP_PART(g->pivot, order), TROP_PART(g->profit, across), TROP_PART(g->load, stride),
            TROP_PART(g->fall, stride))) {
        trop_game_free(g);
        return trop_fail(TROP_ERR_MEMORY, "no memory for a game of %lld rows and %lld columns",
                         (long long)rows, (long long)columns);
    }
    g->linear = kernel->linear;
    g->most = most;
    g->rows = rows;
    g->columns = columns;
    g->stride = stride;
    g->across = across;
    *out = g;
    return TROP_OK;
}

/* ---- the basis ------------------------------------------------------------------------------- */

/* x from the factors of a, (k + 1, k + 1), which is kept. 0: a is singular. */
static int solve(struct trop_game *g, const double *a, double *x)
{
    const int64_t order = g->basic + 1;

    memcpy(g->factor, a, (size_t)(order * order) * sizeof *a);
    if (!trop_linalg_lu(g->factor, g->pivot, order)) {
        return 0;
    }
    trop_linalg_lu_solve(x, g->factor, g->pivot, order, 1);
    return 1;
}

/* Weights and prices. 0: the basis is singular. */
static int solve_basis(struct trop_game *g)
{
    const int64_t k = g->basic, order = k + 1;

    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b < k; b++) {
            const double s = g->s[g->in[b] * g->stride + g->tight[a]];
            g->matrix[a * order + b] = s;
            g->dual[b * order + a] = s;
        }
        g->matrix[a * order + k] = -g->size;
        g->matrix[k * order + a] = g->dual[a * order + k] = g->dual[k * order + a] = g->size;
        g->weight[a] = 0;
        g->price[a] = g->worth[g->in[a]];
    }
    g->matrix[k * order + k] = g->dual[k * order + k] = 0;
    g->weight[k] = g->price[k] = g->size;
    return solve(g, g->dual, g->price) && solve(g, g->matrix, g->weight);
}

/* sum_b x_b s_(in_b, t), for all t. */
static void load(double *out, const struct trop_game *g, const double *x, const int64_t *in,
                 int64_t count)
{
    memset(out, 0, (size_t)g->columns * sizeof *out);
    for (int64_t b = 0; b < count; b++) {
        g->linear->grow(out, x[b], g->s + in[b] * g->stride, g->columns);
    }
}

/* What row i gains by entering, for all i; plus the value, which prices hold over size. */
static void profits(struct trop_game *g)
{
    memcpy(g->profit, g->worth, (size_t)g->rows * sizeof *g->profit);
    for (int64_t a = 0; a < g->basic; a++) {
        g->linear->grow(g->profit, -g->price[a], g->turned + g->tight[a] * g->across, g->rows);
    }
}

/* The row or (from g->rows on) the place in T that enters; -1: none gains. */
static int64_t entering(const struct trop_game *g, int lowest)
{
    const double value = g->price[g->basic] * g->size;
    double best = PROFIT;
    int64_t who = -1;

    for (int64_t i = 0; i < g->rows && !(lowest && who >= 0); i++) {
        const double gain = (g->profit[i] - value) / g->size;
        if (!g->is_in[i] && gain > best) {
            best = gain;
            who = i;
        }
    }
    for (int64_t a = 0; a < g->basic && !(lowest && who >= 0); a++) {
        if (-g->price[a] > best) {
            best = -g->price[a];
            who = g->rows + a;
        }
    }
    return who;
}

/* Weights and y by unit of what enters, and how every column's w falls. 0: singular. */
static int direct(struct trop_game *g, int64_t who)
{
    const int64_t k = g->basic;

    for (int64_t a = 0; a < k; a++) {
        g->move[a] = who < g->rows ? -g->s[who * g->stride + g->tight[a]]
                                   : (who - g->rows == a ? -g->size : 0);
    }
    g->move[k] = who < g->rows ? -g->size : 0;
    if (!solve(g, g->matrix, g->move)) {
        return 0;
    }
    load(g->fall, g, g->move, g->in, k);
    if (who < g->rows) {
        g->linear->grow(g->fall, 1.0, g->s + who * g->stride, g->columns);
    }
    for (int64_t t = 0; t < g->columns; t++) {
        g->fall[t] = g->fall[t] / g->size - g->move[k];
    }
    return 1;
}

/* How far variable v, a place in I or (from k on) a column, is from 0, and how fast it falls. */
static double slack_of(const struct trop_game *g, int64_t v, double *speed)
{
    const int64_t k = g->basic, t = v - k;

    *speed = 0;
    if (v < k) {
        *speed = -g->move[v];
        return fmax(g->weight[v], 0);
    }
    if (!g->barred[t] && !g->is_tight[t]) {
        *speed = g->fall[t];
    }
    return fmax(g->weight[k] - g->load[t] / g->size, 0);
}

/* The variable that reaches 0 first; of several the fastest, or the lowest. -1: none. */
static int64_t leaving(const struct trop_game *g, double *step, int lowest)
{
    const int64_t all = g->basic + g->columns;
    double limit = INFINITY, best = 0;
    int64_t who = -1;

    for (int64_t v = 0; v < all; v++) {
        double speed = 0;
        const double slack = slack_of(g, v, &speed);
        limit = speed > g->flat ? fmin(limit, (slack + (lowest ? 0 : SLACK)) / speed) : limit;
    }
    for (int64_t v = 0; v < all && !(lowest && who >= 0); v++) {
        double speed = 0;
        const double slack = slack_of(g, v, &speed);
        if (speed > g->flat && speed > best && slack <= limit * speed) {
            best = speed;
            who = v;
            *step = slack / speed;
        }
    }
    return who;
}

static void drop(int64_t *list, int64_t count, int64_t place)
{
    memmove(list + place, list + place + 1, (size_t)(count - 1 - place) * sizeof *list);
}

/* 0: the basis would be larger than there is room for. */
static int exchange(struct trop_game *g, int64_t enters, int64_t leaves)
{
    const int64_t k = g->basic, place = enters - g->rows, t = leaves - k;

    if (enters < g->rows && leaves >= k && k == g->most) {
        return 0;
    }
    if (enters < g->rows) {
        g->is_in[enters] = 1;
    } else {
        g->is_tight[g->tight[place]] = 0;
    }
    if (leaves < k) {
        g->is_in[g->in[leaves]] = 0;
    } else {
        g->is_tight[t] = 1;
    }
    if (enters < g->rows && leaves < k) {
        g->in[leaves] = enters;
    } else if (enters < g->rows) {
        g->in[k] = enters;
        g->tight[k] = t;
        g->basic++;
    } else if (leaves < k) {
        drop(g->in, k, leaves);
        drop(g->tight, k, place);
        g->basic--;
    } else {
        g->tight[place] = t;
    }
    return 1;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* The mixtures of the basis: what rounding made negative is 0. */
static void keep(struct trop_game *g)
{
    g->count = g->basic;
    for (int64_t b = 0; b < g->basic; b++) {
        g->chosen[b] = g->in[b];
        g->facing[b] = g->tight[b];
        g->mix[b] = fmax(g->weight[b], 0);
        g->against[b] = fmax(g->price[b], 0);
    }
}

/* w <- w / sum w; 0: there is nothing to divide by. */
static int normalise(double *w, int64_t count)
{
    double sum = 0;

    for (int64_t b = 0; b < count; b++) {
        sum += w[b];
    }
    for (int64_t b = 0; b < count; b++) {
        w[b] /= sum;
    }
    return sum > 0 && sum < INFINITY;
}

static void judge(struct trop_game *g)
{
    const double slack = 1.1 * ((double)(4 * g->count + 16) * UNIT * g->size + 2 * g->error);
    double worth = 0, most = -INFINITY, best = -INFINITY;

    g->low = -INFINITY;
    g->high = INFINITY;
    if (normalise(g->mix, g->count)) {
        load(g->load, g, g->mix, g->chosen, g->count);
        for (int64_t b = 0; b < g->count; b++) {
            worth = fma(g->mix[b], g->worth[g->chosen[b]], worth);
        }
        for (int64_t t = 0; t < g->columns; t++) {
            most = g->barred[t] ? most : fmax(most, g->load[t]);
        }
        g->low = worth - most - slack;
    }
    if (normalise(g->against, g->count)) {
        memcpy(g->profit, g->worth, (size_t)g->rows * sizeof *g->profit);
        for (int64_t a = 0; a < g->count; a++) {
            g->linear->grow(g->profit, -g->against[a], g->turned + g->facing[a] * g->across,
                            g->rows);
        }
        for (int64_t i = 0; i < g->rows; i++) {
            best = fmax(best, g->profit[i]);
        }
        g->high = best + slack;
    }
}

static void begin(struct trop_game *g, int64_t first, int64_t least)
{
    memset(g->is_in, 0, (size_t)g->rows * sizeof *g->is_in);
    memset(g->is_tight, 0, (size_t)g->columns * sizeof *g->is_tight);
    g->basic = 1;
    g->in[0] = first;
    g->tight[0] = least;
    g->is_in[first] = g->is_tight[least] = 1;
}

/* One way, with slopes below g->flat left out as pivots. */
static void attempt(struct trop_game *game, int64_t first, int64_t least)
{
    const int64_t limit = game->steps + 200 + 4 * (game->rows + game->columns);
    int64_t idle = 0;

    begin(game, first, least);
    while (game->steps < limit && solve_basis(game)) {
        double step = 0;
        keep(game);
        profits(game);
        const int64_t enters = entering(game, idle > STALL);
        if (enters < 0 || !direct(game, enters)) {
            break;
        }
        load(game->load, game, game->weight, game->in, game->basic);
        const int64_t leaves = leaving(game, &step, idle > STALL);
        if (leaves < 0 || !exchange(game, enters, leaves)) {
            break;
        }
        idle = step > SLACK ? 0 : idle + 1;
        game->steps++;
    }
    judge(game);
}

void trop_game_solve(struct trop_game *game, int64_t first, int64_t least)
{
    /* Columns that nearly agree make bases that are nearly singular. Where they stop the way, one
     * that passes them over comes within as much of the value as they differ by. */
    static const double flats[] = { 0x1p-40, 0x1p-30, 0x1p-20 };
    const int ways = (int)(sizeof flats / sizeof *flats);
    double width = INFINITY;
    int best = 0, way = 0;

    game->steps = 0;
    for (; way < ways && width > GOOD * game->size; way++) {
        game->flat = flats[way];
        attempt(game, first, least);
        if (game->high - game->low < width) {
            width = game->high - game->low;
            best = way;
        }
    }
    if (best != way - 1) {
        game->flat = flats[best];
        attempt(game, first, least);
    }
}
