/* head_reach.c -- which tokens the queries of this text can select, and how firmly.
 *
 *   rho_j = max_c min_t sum_i c_i (s_ij - s_it) = min_l max_i (s_ij - sum_t l_t s_it)
 *
 * over mixtures c of queries and l of the keys that differ from k_j: in logits, at least 0 when a
 * mixture of this text's queries selects j, below 0 when one mixture of other keys beats j for all
 * of them. Without a mask every query meets every key. Under a causal mask the queries i <= m are
 * turned to position m and meet the keys that m sees; without rotation a position sees what it
 * sees, and rho is absent.
 *
 * rho_j is the value of a game (game.h) whose entries are the scores less their row's largest,
 * which no difference notices; only the worth of the rows and one column change with j. Equal keys
 * are one column, and have one rho. The solver starts from the row in which j is best.
 *
 * Entries are rounded from pairs of doubles (head_scores.c): off by 4 u of the largest. A query
 * turned back by its own angles and then to m is off by 24 u |q_i|, which moves a difference of
 * scores by 24 u scale |q_i| (|k_j| + |k_t|).
 */
#include "model/head/head_internal.h"

#include "attend/decide.h"
#include "base/math/dd.h"

#include <math.h>
#include <string.h>

#define UNIT TROP_HEAD_UNIT

/* Rows and keys of the game: queries 0 .. rows - 1, keys first .. first + columns - 1. */
struct scene {
    int64_t rows, first, columns;
    int64_t is_turned;
};

static int stage(struct scene *scene, const struct trop_head_result *head,
                 const struct trop_head_input *input)
{
    const int64_t n = input->n, m = head->at < 0 ? n - 1 : head->at;

    if (!input->causal) {
        *scene = (struct scene){ n, 0, n, 0 };
        return input->window == 0 || input->window >= n;
    }
    scene->rows = m + 1;
    scene->is_turned = 1;
    trop_head_sees(&scene->first, &scene->columns, input, m);
    return input->angle != NULL;
}

static const double *queries(struct trop_head_scratch *s, const struct trop_head_input *input,
                             const struct scene *scene)
{
    const int64_t d = input->d, m = scene->rows - 1;
    double *cosines = s->part, *sines = s->part + d / 2;

    if (!scene->is_turned) {
        return input->q;
    }
    memcpy(s->query, input->q, (size_t)(scene->rows * d) * sizeof *s->query);
    for (int64_t i = 0; i < m; i++) {
        trop_head_angles(cosines, sines, input, i);
        trop_head_turn(s->query + i * d, cosines, sines, -1.0, d, input->halves);
        trop_head_angles(cosines, sines, input, m);
        trop_head_turn(s->query + i * d, cosines, sines, 1.0, d, input->halves);
    }
    return s->query;
}

static double longest(const struct trop_head_scratch *s, const double *x, int64_t rows, int64_t d)
{
    double most = 0;

    for (int64_t i = 0; i < rows; i++) {
        most = fmax(most, trop_kernel_linear_length(s->kernel->linear, x + i * d, d));
    }
    return trop_head_up(most, d);
}

/* Row i of the game: the scores less the largest, which is 0. Returns the largest sum of moduli. */
static double fill(struct trop_head_scratch *s, const double *q, const double *keys, int64_t i,
                   double scale, int64_t d)
{
    struct trop_game *g = s->game;
    double *high = s->row.high, *low = s->row.low, *out = g->s + i * g->stride, bulk = 0;
    int64_t top = 0;

    s->kernel->judge->sums(high, low, s->size, keys, d, g->columns, q, d);
    for (int64_t t = 0; t < g->columns; t++) {
        top = high[t] > high[top] ? t : top;
        bulk = fmax(bulk, s->size[t]);
    }
    const struct trop_dd most = { high[top], low[top] };
    for (int64_t t = 0; t < g->columns; t++) {
        out[t] = scale * trop_dd_less((struct trop_dd){ high[t], low[t] }, most).high;
        g->turned[t * g->across + i] = out[t];
        g->size = fmax(g->size, fabs(out[t]));
    }
    return bulk;
}

static void fill_all(struct trop_head_scratch *s, const struct trop_head_input *input,
                     const struct scene *scene)
{
    const int64_t d = input->d;
    const double *q = queries(s, input, scene), *keys = input->k + scene->first * d;
    struct trop_game *g = s->game;
    double bulk = 0;

    g->rows = scene->rows;
    g->columns = scene->columns;
    g->size = 0;
    for (int64_t i = 0; i < g->rows; i++) {
        bulk = fmax(bulk, fill(s, q + i * d, keys, i, input->scale, d));
    }
    g->error = 4.1 * UNIT * g->size +
               input->scale * (10.0 * (double)(d + 8) * UNIT * UNIT * bulk + 0x1p-1000);
    if (scene->is_turned) {
        g->error +=
            50 * UNIT * input->scale * longest(s, q, g->rows, d) * longest(s, keys, g->columns, d);
    }
    g->size = g->size > 0 ? g->size : 1;
}

/* mark_t: the first key that equals key t; the others are barred. */
static void classes(struct trop_head_scratch *s, const double *keys, int64_t d)
{
    for (int64_t t = 0; t < s->game->columns; t++) {
        s->mark[t] = t;
        for (int64_t u = 0; u < t && s->mark[t] == t; u++) {
            if (s->mark[u] == u && trop_decide_equal(keys + u * d, keys + t * d, d)) {
                s->mark[t] = u;
            }
        }
    }
}

/* The largest entry of row i that is not barred: its column. */
static int64_t largest(const struct trop_game *g, int64_t i)
{
    int64_t top = -1;

    for (int64_t t = 0; t < g->columns; t++) {
        top = !g->barred[t] && (top < 0 || g->s[i * g->stride + t] > g->s[i * g->stride + top])
                  ? t
                  : top;
    }
    return top;
}

/* The row in which j leads by most, or trails by least. order, column: the column of each row's
 * largest entry, and the largest of the others. */
static int64_t best_row(const struct trop_head_scratch *s, int64_t j)
{
    const struct trop_game *g = s->game;
    double most = -INFINITY;
    int64_t best = 0;

    for (int64_t i = 0; i < g->rows; i++) {
        const double *row = g->s + i * g->stride;
        const double lead = row[j] - (s->order[i] == j ? s->column[i] : row[s->order[i]]);
        if (lead > most) {
            most = lead;
            best = i;
        }
    }
    return best;
}

static void tops(struct trop_head_scratch *s)
{
    struct trop_game *g = s->game;

    for (int64_t i = 0; i < g->rows; i++) {
        s->order[i] = largest(g, i);
        g->barred[s->order[i]] = 1;
        const int64_t next = largest(g, i);
        s->column[i] = next < 0 ? -INFINITY : g->s[i * g->stride + next];
        g->barred[s->order[i]] = 0;
    }
}

static void tell(struct trop_head_result *head, const struct scene *scene, int64_t j)
{
    const struct trop_game *g = head->scratch->game;
    const int64_t most = head->reach_most, at = (scene->first + j) * most;

    for (int64_t b = 0; b < g->count; b++) {
        head->reach_query[at + b] = g->chosen[b];
        head->reach_query_mix[at + b] = g->mix[b];
        head->reach_key[at + b] = scene->first + g->facing[b];
        head->reach_key_mix[at + b] = g->against[b];
    }
    head->rho_low[scene->first + j] = g->low;
    head->rho_high[scene->first + j] = g->high;
    head->reach_steps += g->steps;
}

static void copy(struct trop_head_result *head, int64_t to, int64_t from)
{
    const int64_t most = head->reach_most;
    const size_t bytes = (size_t)most * sizeof(double), places = (size_t)most * sizeof(int64_t);

    head->rho_low[to] = head->rho_low[from];
    head->rho_high[to] = head->rho_high[from];
    memcpy(head->reach_query + to * most, head->reach_query + from * most, places);
    memcpy(head->reach_key + to * most, head->reach_key + from * most, places);
    memcpy(head->reach_query_mix + to * most, head->reach_query_mix + from * most, bytes);
    memcpy(head->reach_key_mix + to * most, head->reach_key_mix + from * most, bytes);
}

static void clear(struct trop_head_result *head)
{
    const int64_t members = head->n * head->reach_most;

    memset(head->reach_query, 0, (size_t)members * sizeof *head->reach_query);
    memset(head->reach_key, 0, (size_t)members * sizeof *head->reach_key);
    memset(head->reach_query_mix, 0, (size_t)members * sizeof *head->reach_query_mix);
    memset(head->reach_key_mix, 0, (size_t)members * sizeof *head->reach_key_mix);
    for (int64_t t = 0; t < head->n; t++) {
        head->rho[t] = head->rho_low[t] = head->rho_high[t] = NAN;
    }
    head->reachable = head->unreachable = head->reach_open = head->reach_steps = 0;
}

static void solve(struct trop_head_result *head, const struct scene *scene)
{
    struct trop_head_scratch *s = head->scratch;
    struct trop_game *g = s->game;
    int64_t keys = 0;

    for (int64_t t = 0; t < g->columns; t++) {
        g->barred[t] = s->mark[t] != t;
        keys += s->mark[t] == t;
    }
    tops(s);
    for (int64_t j = 0; j < g->columns; j++) {
        if (s->mark[j] != j) {
            copy(head, scene->first + j, scene->first + s->mark[j]);
        } else if (keys == 1) {
            head->rho_low[scene->first + j] = head->rho_high[scene->first + j] = INFINITY;
        } else {
            const int64_t row = best_row(s, j);
            memcpy(g->worth, g->turned + j * g->across, (size_t)g->rows * sizeof *g->worth);
            g->barred[j] = 1;
            trop_game_solve(g, row, largest(g, row));
            g->barred[j] = 0;
            tell(head, scene, j);
        }
    }
}

/* A row that selects j proves rho_j >= 0 without error. */
static void select_proved(struct trop_head_result *head)
{
    for (int64_t i = 0; i < head->n; i++) {
        double *low = &head->rho_low[head->argmax[i]];
        *low = fmax(*low, 0);
        head->rho_high[head->argmax[i]] = fmax(head->rho_high[head->argmax[i]], 0);
    }
}

static void end(struct trop_head_result *head, const struct trop_head_input *input)
{
    struct scene scene = { 0 };

    clear(head);
    head->reach_there = stage(&scene, head, input);
    if (!head->reach_there) {
        return;
    }
    fill_all(head->scratch, input, &scene);
    head->reach_queries = scene.is_turned ? head->scratch->query : NULL;
    head->reach_rows = scene.rows;
    head->reach_first = scene.first;
    head->reach_keys = scene.columns;
    classes(head->scratch, input->k + scene.first * input->d, input->d);
    solve(head, &scene);
    if (!scene.is_turned) {
        select_proved(head);
    }
    for (int64_t t = scene.first; t < scene.first + scene.columns; t++) {
        const double low = head->rho_low[t], high = head->rho_high[t];
        head->rho[t] =
            isinf(low) || isinf(high) ? (isinf(high) ? low : high) : low + (high - low) / 2;
        head->reachable += low >= 0;
        head->unreachable += high < 0;
        head->reach_open += !(low >= 0) && !(high < 0);
    }
}

const struct trop_head_measurement trop_head_reach = { TROP_HEAD_MEASURE_REACH, NULL, NULL, end };
