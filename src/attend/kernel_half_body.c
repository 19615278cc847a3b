/* kernel_half_body.c -- sums over half-spaces through a tree (kernel_half.h).
 *
 * Compiled once per instruction set. The largest of <y, x> over a box with centre z and
 * half widths h is <y, z> + sum |y_c| h_c, the smallest the difference; scores are one fma
 * chain over the coordinates.
 */
#include "attend/kernel_half.h"

#include KERNEL_LANES

#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define CHUNK 8 /* blocks whose members are found before their columns are added */

/* <y, x> for eight points; y may be any multipliers. */
static inline struct lanes chain(const double *y, const double *x, int64_t d)
{
    struct lanes s = lanes_multiply(lanes_all(y[0]), lanes_load(x));
    for (int64_t c = 1; c < d; c++) {
        s = lanes_fma(lanes_all(y[c]), lanes_load(x + c * TROP_LANES), s);
    }
    return s;
}

/* The lanes of a block that hold tokens first .. last-1. */
static inline unsigned lanes_of(int64_t block, int64_t first, int64_t last)
{
    int64_t from = first - block * TROP_LANES, to = last - block * TROP_LANES;
    unsigned mask = 0xff;

    mask = from > 0 ? mask << from : mask;
    return to < TROP_LANES ? mask & (0xffU >> (TROP_LANES - to)) : mask & 0xff;
}

/* ---- sums ----------------------------------------------------------------------------- */

/* Moves the open columns into their low and high parts. */
static void split(struct trop_kernel_half_query *q, int64_t columns)
{
    for (int64_t k = 0; k < columns; k++) {
        for (int l = 0; l < TROP_LANES; l++) {
            q->sum[2 + k][l] += q->open[k][l] & 0xffffffffU;
            q->sum[2 + columns + k][l] += q->open[k][l] >> 32;
        }
        memset(q->open[k], 0, sizeof q->open[k]);
    }
    q->opened = 0;
}

static inline void add_column(uint64_t *sum, const uint64_t *digit, int64_t width,
                              const unsigned *member, int64_t blocks)
{
    struct wholes s = wholes_load(sum);
    for (int64_t b = 0; b < blocks; b++) {
        s = wholes_add(s, wholes_load(digit + b * width), member[b]);
    }
    wholes_store(sum, s);
}

/* The members among the blocks of a chunk are known: their columns. */
static void add_members(struct trop_kernel_half_query *q, const struct trop_kernel_half_view *view,
                        int64_t block, const unsigned *member, int64_t blocks)
{
    static const uint64_t one[TROP_LANES] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    int64_t width = (1 + view->columns) * TROP_LANES;
    const uint64_t *digit = view->digit + block * width;

    add_column(q->sum[0], one, 0, member, blocks);
    add_column(q->sum[1], digit, width, member, blocks);
    for (int64_t k = 0; k < view->columns; k++) {
        add_column(q->open[k], digit + (1 + k) * TROP_LANES, width, member, blocks);
    }
    q->opened += blocks;
    if (q->opened > TROP_KERNEL_HALF_OPEN - CHUNK) {
        split(q, view->columns);
    }
}

/* Those of the doubtful tokens of a block that are members. */
static unsigned ask(struct trop_kernel_half_query *q, int64_t block, unsigned doubt)
{
    unsigned member = 0;
    for (int l = 0; l < TROP_LANES; l++) {
        if (doubt >> l & 1) {
            member |= (unsigned)q->inside(q->context, block * TROP_LANES + l) << l;
        }
    }
    return member;
}

static inline void count_leaf(struct trop_kernel_half_query *q,
                              const struct trop_kernel_half_view *view, int64_t first, int64_t last,
                              int64_t d)
{
    struct lanes low = lanes_all(q->low), high = lanes_all(q->high);
    int64_t end = (last + TROP_LANES - 1) / TROP_LANES;

    for (int64_t block = first / TROP_LANES; block < end; block += CHUNK) {
        int64_t blocks = end - block < CHUNK ? end - block : CHUNK;
        unsigned member[CHUNK], any = 0;
        for (int64_t b = 0; b < blocks; b++) {
            struct lanes s = chain(q->y, view->point + (block + b) * d * TROP_LANES, d);
            unsigned here = lanes_of(block + b, first, last);
            unsigned in = lanes_reach(s, high) & here, doubt = lanes_reach(s, low) & here & ~in;
            if (doubt) {
                in |= ask(q, block + b, doubt);
            }
            member[b] = in;
            any |= in;
        }
        q->blocks += blocks;
        if (any) {
            add_members(q, view, block, member, blocks);
        }
    }
}

static void add_totals(struct trop_kernel_half_query *q, const uint64_t *total, int64_t columns,
                       unsigned in)
{
    for (int64_t k = 0; k < 2 + 2 * columns; k++) {
        wholes_store(q->sum[k],
                     wholes_add(wholes_load(q->sum[k]), wholes_load(total + k * TROP_LANES), in));
    }
}

static inline void count_in(struct trop_kernel_half_query *q,
                            const struct trop_kernel_half_view *view, int64_t *stack, int64_t d)
{
    struct lanes low = lanes_all(q->low), high = lanes_all(q->high);
    int64_t waiting = 1;

    stack[0] = 0;
    while (waiting > 0) {
        int64_t w = stack[--waiting];
        const double *box = view->box + w * 2 * d * TROP_LANES;
        const int64_t *child = view->child + w * TROP_LANES;
        const uint64_t *total = view->total + w * (2 + 2 * view->columns) * TROP_LANES;
        struct lanes middle = chain(q->y, box, d), half = chain(q->size, box + d * TROP_LANES, d);
        unsigned in = lanes_reach(lanes_subtract(middle, half), high);
        unsigned open = lanes_reach(lanes_add(middle, half), low) & ~in;

        q->nodes++;
        for (int l = 0; open >> l; l++) {
            if (!(open >> l & 1)) {
                continue;
            }
            if (view->equal[w] >> l & 1) {
                in |= (unsigned)q->inside(q->context, child[l]) << l;
            } else if (view->leaf[w] >> l & 1) {
                count_leaf(q, view, child[l], child[l] + (int64_t)total[l], d);
            } else {
                stack[waiting++] = child[l];
            }
        }
        if (in) {
            add_totals(q, total, view->columns, in);
        }
    }
    split(q, view->columns);
}

static void count(struct trop_kernel_half_query *query, const struct trop_kernel_half_view *view,
                  int64_t *stack)
{
    /* The dimensions that matter most by numbers that the compiler knows. */
    if (view->d == 2) {
        count_in(query, view, stack, 2);
    } else if (view->d == 3) {
        count_in(query, view, stack, 3);
    } else {
        count_in(query, view, stack, view->d);
    }
}

/* ---- the maximum ------------------------------------------------------------------------ */

static inline void best_of_leaf(struct trop_kernel_half_query *q,
                                const struct trop_kernel_half_view *view, int64_t first,
                                int64_t last, int64_t d)
{
    int64_t end = (last + TROP_LANES - 1) / TROP_LANES;

    for (int64_t block = first / TROP_LANES; block < end; block++) {
        struct lanes s = chain(q->y, view->point + block * d * TROP_LANES, d);
        unsigned reach = lanes_reach(s, lanes_all(q->low)) & lanes_of(block, first, last);
        double score[TROP_LANES];
        if (!reach) {
            continue;
        }
        lanes_store(score, s);
        for (int l = 0; l < TROP_LANES; l++) {
            if ((reach >> l & 1) && score[l] >= q->low) {
                q->candidate(q->context, block * TROP_LANES + l, score[l]);
            }
        }
    }
    q->blocks += end - first / TROP_LANES;
}

static inline void maximise_in(struct trop_kernel_half_query *q,
                               const struct trop_kernel_half_view *view, int64_t *stack, int64_t d)
{
    int64_t waiting = 1;

    stack[0] = 0;
    while (waiting > 0) {
        int64_t w = stack[--waiting];
        const double *box = view->box + w * 2 * d * TROP_LANES;
        const int64_t *child = view->child + w * TROP_LANES;
        const uint64_t *total = view->total + w * (2 + 2 * view->columns) * TROP_LANES;
        struct lanes middle = chain(q->y, box, d), half = chain(q->size, box + d * TROP_LANES, d);
        unsigned open = lanes_reach(lanes_add(middle, half), lanes_all(q->low));

        q->nodes++;
        for (int l = 0; open >> l; l++) {
            if (!(open >> l & 1)) {
                continue;
            }
            if (view->leaf[w] >> l & 1) {
                int equal = view->equal[w] >> l & 1;
                best_of_leaf(q, view, child[l], child[l] + (equal ? 1 : (int64_t)total[l]), d);
            } else {
                stack[waiting++] = child[l];
            }
        }
    }
}

static void maximise(struct trop_kernel_half_query *query, const struct trop_kernel_half_view *view,
                     int64_t *stack)
{
    if (view->d == 2) {
        maximise_in(query, view, stack, 2);
    } else if (view->d == 3) {
        maximise_in(query, view, stack, 3);
    } else {
        maximise_in(query, view, stack, view->d);
    }
}

extern const struct trop_kernel_half NAMED(trop_kernel_half_, KERNEL_NAME);
const struct trop_kernel_half NAMED(trop_kernel_half_, KERNEL_NAME) = {
    .count = count,
    .maximise = maximise,
};
