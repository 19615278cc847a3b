/* kernel_copies_best.h -- hardmax and localmax rows, by the largest score; part of
 * kernel_copies_body.c, after its sums.
 *
 * Lanes in which computed scores do not decide are noted, for the caller to decide exactly.
 */
#ifndef TROP_KERNEL_KERNEL_COPIES_BEST_H
#define TROP_KERNEL_KERNEL_COPIES_BEST_H

/* The largest score of a row so far, the largest of the others, and the column of the first. */
struct race {
    struct lanes top, second, best;
};

/* The lanes in which another column may have the exact maximum: as row.c has it, one within two
 * bounds of the top. */
static inline void note_ties(struct trop_kernel_group *g, int64_t i, const struct race *race)
{
    struct lanes slack = lanes_multiply(lanes_all(2), lanes_load(g->slack));
    unsigned tied = lanes_reach(race->second, lanes_subtract(race->top, slack));

    g->tied[i] = (uint8_t)tied;
    g->ties |= tied;
}

static inline struct race race_run(const struct trop_kernel_group *g, int64_t i, int64_t d)
{
    struct race race = { lanes_all(-INFINITY), lanes_all(-INFINITY), lanes_all(0) };
    const double *y = g->y + i * d * L;

    for (int64_t j = 0; j < g->n; j++) {
        struct lanes s = score(y, g->x + j * d * L, d);
        lanes_store(g->row + j * L, s);
        race.second = lanes_larger(lanes_smaller(s, race.top), race.second);
        race.best = lanes_if_above(s, race.top, lanes_all((double)j), race.best);
        race.top = lanes_larger(s, race.top);
    }
    return race;
}

static inline struct race race_of(const struct trop_kernel_group *g, int64_t i)
{
    return g->d == 2 ? race_run(g, i, 2) : g->d == 3 ? race_run(g, i, 3) : race_run(g, i, g->d);
}

/* The one maximiser's place less the token's own. Zeros are +0, as the sums of row.c leave them. */
static void hardmax(struct trop_kernel_group *g)
{
    int64_t d = g->d;

    for (int64_t i = 0; i < g->n; i++) {
        struct race race = race_of(g, i);
        double *best = g->best + i * L;
        note_ties(g, i, &race);
        lanes_store(best, race.best);
        for (int l = 0; l < L; l++) {
            const double *at = g->x + (int64_t)best[l] * d * L + l;
            for (int64_t c = 0; c < d; c++) {
                int64_t m = (i * d + c) * L + l;
                g->move[m] = (at[c * L] - g->x[m]) + 0.0;
            }
        }
    }
}

static void localmax(struct trop_kernel_group *g)
{
    clear_tail(g);
    for (int64_t i = 0; i < g->n; i++) {
        struct race race = race_of(g, i);
        note_ties(g, i, &race);
        lanes_store(g->best + i * L, race.best);
        /* Weights 1 on s_j >= m - epsilon, 0 elsewhere. With the exact maximum m within a bound of
         * top, and s_j likewise, a score farther than two bounds and some roundings from top -
         * epsilon is decided. */
        struct lanes epsilon = lanes_load(g->cut), one = lanes_all(1), zero = lanes_all(0);
        struct lanes size = lanes_add(lanes_magnitude(race.top), epsilon);
        struct lanes slack = lanes_fma(lanes_all(2), lanes_load(g->slack),
                                       lanes_fma(lanes_all(0x1p-50), size, lanes_all(0x1p-1000)));
        struct lanes cut = lanes_subtract(race.top, epsilon);
        struct lanes low = lanes_subtract(cut, slack), high = lanes_add(cut, slack);
        uint8_t *member = g->member + i * g->width;
        for (int64_t j = 0; j < g->n; j++) {
            struct lanes s = lanes_load(g->row + j * L);
            unsigned within = lanes_reach(s, high), near = lanes_reach(s, low);
            member[j] = (uint8_t)near;
            g->doubt |= near ^ within;
            lanes_store(g->row + j * L, lanes_if_above(low, s, zero, one));
        }
        lanes_store(g->count + i * L, displace(g, g->row, i));
    }
}

#endif
