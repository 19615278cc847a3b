/* kernel_half_body.c -- sums over half-spaces through a tree (kernel_half.h).
 *
 * Compiled once per instruction set. The largest of <y, x> over a box with centre z and
 * half widths h is <y, z> + sum |y_c| h_c, the smallest the difference; scores are one fma
 * chain over the coordinates.
 */
#include "kernel/kernel_half.h"

#include KERNEL_LANES

#include <string.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)

#define PIECE 4 /* blocks of a leaf of 32 tokens */

/* How many bits are set in four. */
static const unsigned char bits[16] = { 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4 };

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

/* Adds the boxes that are members, a few neighbouring columns at a time, which stay in
 * registers. */
static inline void add_group(struct trop_kernel_half_query *q,
                             const struct trop_kernel_half_view *view, int64_t first, int columns)
{
    int64_t width = (2 + 2 * view->columns) * TROP_LANES;
    struct wholes s[4];

    for (int k = 0; k < columns; k++) {
        s[k] = wholes_load(q->sum[first + k]);
    }
    for (int64_t e = 0; e < q->boxes; e++) {
        const uint64_t *total = view->total + q->box[e] * width + first * TROP_LANES;
        for (int k = 0; k < columns; k++) {
            s[k] = wholes_add(s[k], wholes_load(total + k * TROP_LANES), q->mask[e]);
        }
    }
    for (int k = 0; k < columns; k++) {
        wholes_store(q->sum[first + k], s[k]);
    }
}

static void add_boxes(struct trop_kernel_half_query *q, const struct trop_kernel_half_view *view)
{
    int64_t k = 0, columns = 2 + 2 * view->columns; /* an even number */

    for (; k + 4 <= columns; k += 4) {
        add_group(q, view, k, 4);
    }
    if (k < columns) {
        add_group(q, view, k, 2);
    }
    q->boxes = 0;
}

static void list_box(struct trop_kernel_half_query *q, int64_t w, unsigned mask)
{
    q->box[q->boxes] = w;
    q->mask[q->boxes] = mask;
    q->boxes += mask != 0;
}

/* Moves the open sums where they belong, columns in two parts. */
static void split(struct trop_kernel_half_query *q, int64_t columns)
{
    for (int l = 0; l < TROP_LANES; l++) {
        q->sum[1][l] += q->open[0][l];
    }
    for (int64_t k = 0; k < columns; k++) {
        for (int l = 0; l < TROP_LANES; l++) {
            q->sum[2 + k][l] += q->open[1 + k][l] & 0xffffffffU;
            q->sum[2 + columns + k][l] += q->open[1 + k][l] >> 32;
        }
    }
    memset(q->open, 0, (size_t)(1 + columns) * sizeof q->open[0]);
    q->opened = 0;
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

/* A few blocks of a leaf, whose tokens are within first .. last-1: the members' sums. No
 * branch but one that is rarely taken: which tokens are members cannot be foreseen. */
static inline void meet_blocks(struct trop_kernel_half_query *q,
                               const struct trop_kernel_half_view *view, int64_t block,
                               const unsigned *here, int64_t blocks, int64_t d)
{
    struct lanes low = lanes_all(q->low), high = lanes_all(q->high);
    const uint64_t *digit = view->digit + block * (1 + view->columns) * TROP_LANES;
    unsigned member[PIECE];
    uint64_t count = 0;

    for (int64_t b = 0; b < blocks; b++) {
        struct lanes s = chain(q->y, view->point + (block + b) * d * TROP_LANES, d);
        unsigned in = lanes_reach(s, high), doubt = lanes_reach(s, low) & ~in & here[b];
        in &= here[b];
        if (doubt) {
            in |= ask(q, block + b, doubt);
        }
        member[b] = in;
        count += (uint64_t)(bits[in & 15] + bits[in >> 4]);
    }
    q->sum[0][0] += count;
    for (int64_t k = 0; k < 1 + view->columns; k++) {
        struct wholes s = wholes_load(q->open[k]);
        for (int64_t b = 0; b < blocks; b++) {
            const uint64_t *row = digit + (b * (1 + view->columns) + k) * TROP_LANES;
            s = wholes_add(s, wholes_load(row), member[b]);
        }
        wholes_store(q->open[k], s);
    }
    q->blocks += blocks;
    q->opened += blocks;
    if (q->opened > TROP_KERNEL_HALF_OPEN - PIECE) {
        split(q, view->columns);
    }
}

/* A leaf and the queries that cut it. */
static inline void meet_leaf(struct trop_kernel_half_query *const *query, uint32_t rows,
                             const struct trop_kernel_half_view *view, int64_t first, int64_t last,
                             int64_t d)
{
    int64_t end = (last + TROP_LANES - 1) / TROP_LANES;

    for (int64_t block = first / TROP_LANES; block < end; block += PIECE) {
        int64_t blocks = end - block < PIECE ? end - block : PIECE;
        unsigned here[PIECE];
        for (int64_t b = 0; b < blocks; b++) {
            here[b] = lanes_of(block + b, first, last);
        }
        for (uint32_t rest = rows; rest; rest &= rest - 1) {
            meet_blocks(query[__builtin_ctz(rest)], view, block, here, blocks, d);
        }
    }
}

/* Eight rows of eight bits, transposed. */
static uint64_t transpose(uint64_t x)
{
    uint64_t t = (x ^ (x >> 7)) & UINT64_C(0x00aa00aa00aa00aa);
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & UINT64_C(0x0000cccc0000cccc);
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & UINT64_C(0x00000000f0f0f0f0);
    return x ^ t ^ (t << 28);
}

/* The boxes of a wide node for those of the queries that have not passed it: members are
 * listed; cut (8) are the queries that cut each box. */
static inline void meet_boxes(uint32_t *cut, struct trop_kernel_half_query *const *query,
                              uint32_t rows, const struct trop_kernel_half_view *view, int64_t w,
                              int64_t d)
{
    const double *box = view->box + w * 2 * d * TROP_LANES;
    uint64_t word[TROP_KERNEL_HALF_ROWS / 8] = { 0 };

    for (uint32_t rest = rows; rest; rest &= rest - 1) {
        int r = __builtin_ctz(rest);
        struct trop_kernel_half_query *q = query[r];
        struct lanes middle = chain(q->y, box, d), half = chain(q->size, box + d * TROP_LANES, d);
        unsigned in = lanes_reach(lanes_subtract(middle, half), lanes_all(q->high));
        unsigned open = lanes_reach(lanes_add(middle, half), lanes_all(q->low)) & ~in;
        list_box(q, w, in);
        word[r / 8] |= (uint64_t)open << 8 * (r % 8);
        q->nodes++;
        if (q->boxes > TROP_KERNEL_HALF_LIST - 1 - TROP_LANES) {
            add_boxes(q, view);
        }
    }
    for (int g = 0; g < TROP_KERNEL_HALF_ROWS / 8; g++) {
        word[g] = transpose(word[g]);
    }
    for (int l = 0; l < TROP_LANES; l++) {
        cut[l] = 0;
        for (int g = 0; g < TROP_KERNEL_HALF_ROWS / 8; g++) {
            cut[l] |= (uint32_t)(word[g] >> 8 * l & 0xff) << 8 * g;
        }
    }
}

/* One decision for all tokens of a box, by query. */
static void meet_equal(struct trop_kernel_half_query *const *query, uint32_t rows, int64_t w, int l,
                       int64_t place)
{
    for (uint32_t rest = rows; rest; rest &= rest - 1) {
        struct trop_kernel_half_query *q = query[__builtin_ctz(rest)];
        list_box(q, w, (unsigned)q->inside(q->context, place) << l);
    }
}

static inline void count_in(struct trop_kernel_half_query *const *query, uint32_t rows,
                            const struct trop_kernel_half_view *view, int64_t *stack, int64_t d)
{
    int64_t waiting = 2;

    stack[0] = 0;
    stack[1] = (int64_t)rows;
    while (waiting > 0) {
        uint32_t cut[TROP_LANES], met = (uint32_t)stack[--waiting];
        int64_t w = stack[--waiting];
        const int64_t *child = view->child + w * TROP_LANES;
        const uint64_t *tokens = view->total + w * (2 + 2 * view->columns) * TROP_LANES;
        meet_boxes(cut, query, met, view, w, d);
        for (int l = 0; l < TROP_LANES; l++) {
            if (!cut[l]) {
                continue;
            }
            if (view->equal[w] >> l & 1) {
                meet_equal(query, cut[l], w, l, child[l]);
            } else if (view->leaf[w] >> l & 1) {
                meet_leaf(query, cut[l], view, child[l], child[l] + (int64_t)tokens[l], d);
            } else {
                stack[waiting++] = child[l];
                stack[waiting++] = (int64_t)cut[l];
            }
        }
    }
}

static void count(struct trop_kernel_half_query *const *query, int64_t rows,
                  const struct trop_kernel_half_view *view, int64_t *stack)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << rows) - 1);

    for (int64_t r = 0; r < rows; r++) {
        memset(query[r]->sum, 0, (size_t)(2 + 2 * view->columns) * sizeof query[r]->sum[0]);
        memset(query[r]->open, 0, (size_t)(1 + view->columns) * sizeof query[r]->open[0]);
        query[r]->opened = query[r]->boxes = 0;
    }
    /* The dimensions that matter most by numbers that the compiler knows. */
    if (view->d == 2) {
        count_in(query, all, view, stack, 2);
    } else if (view->d == 3) {
        count_in(query, all, view, stack, 3);
    } else {
        count_in(query, all, view, stack, view->d);
    }
    for (int64_t r = 0; r < rows; r++) {
        split(query[r], view->columns);
        add_boxes(query[r], view);
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
