/* shortlist.c -- the tokens that can be maximal in some direction, for every step of a flow.
 *
 * Three sieves, from cheap to fine, each of which drops a token only with a proof that it is
 * not a maximiser of <y, .> for any y of the directions in question:
 *
 *   1. shortlist_sieve.c: tokens strictly inside a polytope of a few tokens, one look each.
 *      First the polytope of a sample of all tokens, or of the points listed before; where
 *      many tokens are left, that of a sample of those, and again;
 *   2. equal tokens become one point;
 *   3. fan.c: for every cell of directions, the points that no other beats in all of it.
 *      Points of no cell are not listed.
 *
 * Where so many points are left that cells would be full of them, there are no cells: all points
 * are listed, and rows search among them (attend/tree/tree_top.c).
 *
 * Tokens on the boundary of the hull, doubles of each other or not, pass 1 and 3 by their
 * nature: nobody beats a maximiser. So the exact maximisers of every y != 0 are listed,
 * whatever was sampled; what is sampled decides the cost alone.
 *
 * Along a flow the hull shrinks, but its boundary can gain tokens: a token inside comes out
 * when a vertex moves in (frank-wolfe paper, section 8: the leaders are not always among the
 * first vertices), and a step of gamma = 1, or onto the mean of a tied pair, ends on the
 * boundary itself. So sieve 1 looks at every token at every step. Its polytope is kept while
 * none of its corners has moved, and the list is kept while the survivors of sieve 1 are the
 * same tokens at the same places: cells and points are functions of those alone.
 *
 * Cost of a step: n looks at a table for sieve 1 (about 10 ns each), and for s survivors the
 * fan, about s (d - 1) log(grid) comparisons of d coordinates. A row then compares the points
 * of its cell.
 */
#include "shape/shortlist_internal.h"

#include "attend/decide.h"
#include "attend/tree/tree_top.h"
#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

#define STAGES 3          /* of sieve 1 */
#define ENOUGH 4096       /* survivors that need no further stage */
#define UNKNOWN 64        /* a row without a cell costs as one with n / 64 points */
#define AHEAD 16          /* tokens whose places in the table are asked for beforehand */
#define EFFORT 256        /* a face of cells may take n^2 / 256 comparisons */
#define TOKENS_PER_CELL 4 /* at least */
#define FEW_CELLS 1024    /* of a list that need not pay */
#define SEARCHED 16384    /* points, at least, that may be searched instead of put into cells */

/* Cells along an axis, at most. */
static const int64_t most_grid[TROP_FAN_DIMENSIONS + 1] = { 0, 1, 1024, 64, 16, 8, 4 };

struct trop_shortlist {
    int64_t capacity, d, n;
    int always;
    struct trop_shortlist_sieve *sieve;
    struct trop_fan *fan;
    int64_t *survivor, *before; /* (n) of this update and of the last one */
    int64_t survivors, befores; /* befores -1: there was none */
    double *place;              /* (n, d) where those of the last one are */
    uint64_t *table;            /* (2^bits >= 2 n) points, plus 1, and a half of their hashes */
    int32_t *point;             /* (n) of a survivor */
    double *p;                  /* (n, d) points */
    int64_t *first, *member;    /* (n + 1), (n) tokens of each point, as start and token */
    int64_t *start, *token;     /* (n + 1), (n) of the list */
    double *at;                 /* (n, d) of the list */
    struct trop_tree_top *top;  /* NULL in one dimension, and for few tokens */
    struct trop_attend_list list;
    struct trop_shortlist_notes notes;
};

/* Tokens that are worth a list. */
static const int64_t fewest[TROP_FAN_DIMENSIONS + 1] = { 0, 256, 512, 4096, 16384, 32768, 131072 };

int trop_shortlist_pays(int64_t n, int64_t d, double rivals)
{
    /* A row by all tokens takes n d fused multiply-adds, eight or more at once; one by the list
     * a comparison for every rival, of which each is about 40 times as long. */
    return d <= TROP_FAN_DIMENSIONS && n >= fewest[d] && rivals * UNKNOWN < (double)n;
}

static int64_t table_size(int64_t n)
{
    int64_t size = 16;

    while (size < 2 * n) {
        size *= 2;
    }
    return size;
}

void trop_shortlist_free(struct trop_shortlist *s)
{
    if (s) {
        trop_shortlist_sieve_free(s->sieve);
        trop_fan_free(s->fan);
        trop_tree_top_free(s->top);
        TROP_FREE(s->survivor, s->before, s->place, s->table, s->point, s->p, s->first, s->member,
                  s->at, s->start, s->token, s->list.set, s->list.total, s->list.late,
                  s->list.found, s);
    }
}

/* Cells along an axis, for n tokens. */
static int64_t grid_of(const struct trop_shortlist *s, int64_t n)
{
    int64_t cells = n / TOKENS_PER_CELL;
    cells = s->always && cells < FEW_CELLS ? FEW_CELLS : cells;
    return trop_fan_grid(s->d, most_grid[s->d], cells);
}

enum trop_status trop_shortlist_create(struct trop_shortlist **out, int64_t n, int64_t d,
                                       int64_t workers, int always)
{
    struct trop_shortlist *s = trop_alloc(1, sizeof *s);
    enum trop_status status = TROP_OK;

    if (!s) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for a shortlist");
    }
    s->capacity = n;
    s->d = d;
    s->always = always && d <= TROP_FAN_DIMENSIONS;
    s->befores = -1;
    s->list.count = -1;
    /* Memory only for a list that can be worth it. */
    int worth = s->always || trop_shortlist_pays(n, d, 0);
    if (worth && !TROP_ALLOC(TROP_PART(s->survivor, n), TROP_PART(s->before, n),
                             TROP_PART(s->place, trop_alloc_product(n, d)),
                             TROP_PART(s->table, table_size(n)), TROP_PART(s->point, n),
                             TROP_PART(s->p, trop_alloc_product(n, d)), TROP_PART(s->first, n + 1),
                             TROP_PART(s->member, n), TROP_PART(s->start, n + 1),
                             TROP_PART(s->at, trop_alloc_product(n, d)), TROP_PART(s->token, n),
                             TROP_PART(s->list.set, n), TROP_PART(s->list.total, n),
                             TROP_PART(s->list.late, n), TROP_PART(s->list.found, n))) {
        status =
            trop_fail(TROP_ERR_MEMORY, "no memory for a shortlist of %lld tokens", (long long)n);
    }
    if (status == TROP_OK && worth) {
        status = trop_fan_create(&s->fan, n, d, grid_of(s, n), workers);
    }
    if (status == TROP_OK && worth) {
        status = trop_shortlist_sieve_create(&s->sieve, d, workers);
    }
    if (status == TROP_OK && worth && d > 1 && n >= SEARCHED) {
        status = trop_tree_top_create(&s->top, n, d, workers);
    }
    s->list.top = s->top;
    s->list.always = s->always;
    if (status != TROP_OK) {
        trop_shortlist_free(s);
        return status;
    }
    *out = s;
    return TROP_OK;
}

/* ---- sieve 1 ------------------------------------------------------------------------------- */

static enum trop_status find_survivors(struct trop_shortlist *s, const double *x, int64_t n)
{
    enum trop_status status = TROP_OK;

    if (!trop_shortlist_sieve_holds(s->sieve, x, n)) {
        /* Corners for the first polytope: the points listed before, as far as they are tokens
         * still; without those, all tokens. */
        int64_t known = 0;
        for (int64_t p = 0; s->list.count > 0 && p < s->list.points; p++) {
            int64_t i = s->list.token[s->list.start[p]];
            s->survivor[known] = i;
            known += i < n;
        }
        status = trop_shortlist_sieve_make(s->sieve, x, known > 0 ? s->survivor : NULL,
                                           known > 0 ? known : n);
    }
    if (status != TROP_OK) {
        return status;
    }
    s->survivors = trop_shortlist_sieve_run(s->survivor, s->sieve, x, NULL, n);
    for (int stage = 1; stage < STAGES && s->survivors > ENOUGH; stage++) {
        int64_t many = s->survivors;
        status = trop_shortlist_sieve_make(s->sieve, x, s->survivor, many);
        if (status != TROP_OK) {
            return status;
        }
        s->survivors = trop_shortlist_sieve_run(s->survivor, s->sieve, x, s->survivor, many);
        if (2 * s->survivors > many) {
            break;
        }
    }
    return TROP_OK;
}

/* 1 when the survivors are those of the last update, where they were. */
static int same_survivors(const struct trop_shortlist *s, const double *x)
{
    int64_t d = s->d, count = s->survivors;

    if (count != s->befores ||
        memcmp(s->survivor, s->before, (size_t)count * sizeof *s->before) != 0) {
        return 0;
    }
    for (int64_t k = 0; k < count; k++) {
        if (memcmp(s->place + k * d, x + s->survivor[k] * d, (size_t)d * sizeof *x) != 0) {
            return 0;
        }
    }
    return 1;
}

/* ---- sieve 2: points ------------------------------------------------------------------------- */

/* The hash of a place, the same for 0 and -0. */
static uint64_t hash_of(const double *x, int64_t d)
{
    uint64_t h = 0;

    for (int64_t c = 0; c < d; c++) {
        double value = x[c] + 0.0;
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15U; /* multiply and fold, coordinate by coordinate */
        h ^= h >> 29;
    }
    return h * 0xbf58476d1ce4e5b9U;
}

/* 1 when the entry of the table is a point at this place. */
static inline int is_at(const struct trop_shortlist *s, uint64_t entry, uint64_t hash,
                        const double *place)
{
    return (entry ^ hash) >> 32 == 0 &&
           trop_decide_equal(s->p + (int64_t)((entry & UINT32_MAX) - 1) * s->d, place, s->d);
}

/* Points of the survivors, with first and member; returns how many. */
static int64_t join_equal(struct trop_shortlist *s, const double *x)
{
    int64_t d = s->d, size = table_size(s->survivors), points = 0;
    uint64_t mask = (uint64_t)size - 1;

    memset(s->table, 0, (size_t)size * sizeof *s->table);
    for (int64_t k = 0; k < s->survivors; k++) {
        /* The number of the point at this place, a new one where there is none. */
        const double *place = x + s->survivor[k] * d;
        if (k + AHEAD < s->survivors) {
            __builtin_prefetch(s->table +
                               (hash_of(x + s->survivor[k + AHEAD] * d, d) >> 20 & mask));
        }
        uint64_t hash = hash_of(place, d), at = hash >> 20 & mask;
        while (s->table[at] && !is_at(s, s->table[at], hash, place)) {
            at = (at + 1) & mask;
        }
        if (!s->table[at]) {
            memcpy(s->p + points * d, place, (size_t)d * sizeof *place);
            s->table[at] = (hash & ~(uint64_t)UINT32_MAX) | (uint64_t)++points;
        }
        s->point[k] = (int32_t)(s->table[at] & UINT32_MAX) - 1;
    }
    memset(s->first, 0, (size_t)(points + 1) * sizeof *s->first);
    for (int64_t k = 0; k < s->survivors; k++) {
        s->first[s->point[k] + 1]++;
    }
    for (int64_t p = 0; p < points; p++) {
        s->first[p + 1] += s->first[p];
    }
    for (int64_t k = 0; k < s->survivors; k++) { /* first moves to the end of its point */
        s->member[s->first[s->point[k]]++] = s->survivor[k];
    }
    for (int64_t p = points; p > 0; p--) {
        s->first[p] = s->first[p - 1];
    }
    s->first[0] = 0;
    return points;
}

/* ---- sieve 3: cells -------------------------------------------------------------------------- */

/* Puts point p behind the others of the list, unless it is there. Returns how many there are. */
static int64_t list_point(struct trop_shortlist *s, int64_t p, int64_t listed)
{
    int64_t count = s->first[p + 1] - s->first[p];

    if (s->point[p] >= 0) {
        return listed;
    }
    memcpy(s->token + s->start[listed], s->member + s->first[p], (size_t)count * sizeof *s->token);
    memcpy(s->at + listed * s->d, s->p + p * s->d, (size_t)s->d * sizeof *s->at);
    s->start[listed + 1] = s->start[listed] + count;
    s->point[p] = (int32_t)listed;
    return listed + 1;
}

/* The list: points in the order of the cells, so that those of a cell are close in memory. Points
 * of no cell are left out, but not if there are cells that are not known. Returns how many there
 * are. */
static int64_t renumber(struct trop_shortlist *s, int64_t points, int64_t unknown)
{
    struct trop_fan *fan = s->fan;
    int64_t listed = 0;

    s->start[0] = 0;
    memset(s->point, -1, (size_t)points * sizeof *s->point);
    for (int64_t face = 0; face < fan->faces; face++) {
        for (int64_t k = 0; k < fan->used[face]; k++) {
            int32_t *number = fan->pool + face * fan->room + k;
            listed = list_point(s, *number, listed);
            *number = s->point[*number];
        }
    }
    for (int64_t p = 0; p < points && unknown > 0; p++) {
        listed = list_point(s, p, listed);
    }
    return listed;
}

/* The list by cells, which may not be worth it. */
static void list_by_cells(struct trop_shortlist *s, int64_t n, int64_t points)
{
    int64_t most = s->always ? n : n / UNKNOWN;

    trop_fan_build(s->fan, s->p, points, grid_of(s, n), most,
                   s->always ? INT64_MAX : n * n / EFFORT);
    int64_t cells = s->fan->faces * s->fan->cells;
    int64_t unknown = 0;
    double rivals = 0;
    for (int64_t k = 0; k < cells; k++) {
        int64_t count = s->fan->cell[k].count;
        unknown += count < 0;
        rivals += count < 0 ? (double)n / UNKNOWN : (double)count;
    }
    s->notes.rivals = rivals / (double)cells;
    points = renumber(s, points, unknown);
    s->list.points = points;
    s->list.start = s->start;
    s->list.token = s->token;
    s->list.at = s->at;
    s->list.fan = s->fan;
    s->list.count = s->start[points];
    if (points == 0 || !(s->always || trop_shortlist_pays(n, s->d, s->notes.rivals))) {
        s->list.count = -1;
    }
}

/* The list of all points, for a search. */
static void list_whole(struct trop_shortlist *s, int64_t points)
{
    s->notes.rivals = 0;
    s->list.points = points;
    s->list.start = s->first;
    s->list.token = s->member;
    s->list.at = s->p;
    s->list.fan = NULL;
    s->list.count = s->survivors;
}

enum trop_status trop_shortlist_update(const struct trop_attend_list **out,
                                       struct trop_shortlist *s, const double *x, int64_t n)
{
    *out = &s->list;
    if (!s->always && !trop_shortlist_pays(n, s->d, 0)) {
        s->list.count = -1;
        s->befores = -1;
        s->notes = (struct trop_shortlist_notes){ .survivors = n };
        return TROP_OK;
    }
    enum trop_status status = find_survivors(s, x, n);
    if (status != TROP_OK) {
        return status;
    }
    s->notes.survivors = s->survivors;
    s->notes.kept = n == s->n && same_survivors(s, x);
    s->n = n;
    if (!s->notes.kept) {
        int64_t points = join_equal(s, x);
        if (s->top && points >= SEARCHED && points * TOKENS_PER_CELL > n) {
            list_whole(s, points);
        } else {
            list_by_cells(s, n, points);
        }
        s->notes.points = s->list.points;
        s->befores = s->survivors;
        for (int64_t k = 0; k < s->survivors; k++) {
            s->before[k] = s->survivor[k];
            memcpy(s->place + k * s->d, x + s->survivor[k] * s->d, (size_t)s->d * sizeof *x);
        }
    }
    return TROP_OK;
}

struct trop_shortlist_notes trop_shortlist_notes(const struct trop_shortlist *s)
{
    return s->notes;
}
