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

/* Asks for lines of eight numbers before they are needed: the places that a half-space cuts
 * are too scattered for the machine to guess. */
static inline void fetch(const void *from, int64_t lines)
{
    for (int64_t k = 0; k < lines; k++) {
        __builtin_prefetch((const char *)from + k * 64);
    }
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

/* sum_k += row k of every entry, masked, for a few neighbouring columns that stay in
 * registers. from: (entries, width) rows of eight. */
static inline void add_group(uint64_t (*sum)[TROP_LANES], const uint64_t *from, int64_t width,
                             const struct trop_kernel_half_list *list, int columns)
{
    struct wholes s[4];

    for (int k = 0; k < columns; k++) {
        s[k] = wholes_load(sum[k]);
    }
    for (int64_t e = 0; e < list->count; e++) {
        const uint64_t *row = from + list->at[e] * width * TROP_LANES;
        for (int k = 0; k < columns; k++) {
            s[k] = wholes_add(s[k], wholes_load(row + k * TROP_LANES), list->mask[e]);
        }
    }
    for (int k = 0; k < columns; k++) {
        wholes_store(sum[k], s[k]);
    }
}

static void add_columns(uint64_t (*sum)[TROP_LANES], const uint64_t *from, int64_t width,
                        const struct trop_kernel_half_list *list, int64_t columns)
{
    int64_t k = 0;

    for (; k + 4 <= columns; k += 4) {
        add_group(sum + k, from + k * TROP_LANES, width, list, 4);
    }
    /* The rest by numbers that the compiler knows. */
    if (columns - k == 3) {
        add_group(sum + k, from + k * TROP_LANES, width, list, 3);
    } else if (columns - k == 2) {
        add_group(sum + k, from + k * TROP_LANES, width, list, 2);
    } else if (columns - k == 1) {
        add_group(sum + k, from + k * TROP_LANES, width, list, 1);
    }
}

/* Adds the boxes that are members, and empties their list. */
static void add_boxes(struct trop_kernel_half_query *q, const struct trop_kernel_half_view *view)
{
    int64_t width = 2 + 2 * view->columns;

    add_columns(q->sum, view->total, width, &q->boxes, width);
    q->boxes.count = 0;
}

/* Adds the hashes and the columns of the tokens; the columns are split. */
static void add_tokens(struct trop_kernel_half_query *q, const struct trop_kernel_half_view *view)
{
    uint64_t open[1 + TROP_KERNEL_HALF_COLUMNS][TROP_LANES];
    int64_t columns = view->columns;

    memset(open, 0, (size_t)(1 + columns) * sizeof open[0]);
    add_columns(open, view->digit, 1 + columns, &q->blocks, 1 + columns);
    for (int l = 0; l < TROP_LANES; l++) {
        q->sum[1][l] += open[0][l];
    }
    for (int64_t k = 0; k < columns; k++) {
        for (int l = 0; l < TROP_LANES; l++) {
            q->sum[2 + k][l] += open[1 + k][l] & 0xffffffffU;
            q->sum[2 + columns + k][l] += open[1 + k][l] >> 32;
        }
    }
    q->blocks.count = 0;
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

/* Meets the blocks of the list, keeps those with members, and adds them. No branch but one
 * that is rarely taken: which blocks have members cannot be foreseen. */
static inline void meet_blocks(struct trop_kernel_half_query *q,
                               const struct trop_kernel_half_view *view, int64_t d)
{
    struct trop_kernel_half_list *list = &q->blocks;
    struct lanes low = lanes_all(q->low), high = lanes_all(q->high);
    int64_t kept = 0;
    uint64_t members = 0;

    q->groups += list->count;
    for (int64_t e = 0; e < list->count; e++) {
        int64_t block = list->at[e];
        struct lanes s = chain(q->y, view->point + block * d * TROP_LANES, d);
        unsigned in = lanes_reach(s, high), doubt = lanes_reach(s, low) & ~in & list->mask[e];
        in &= list->mask[e];
        if (doubt) {
            in |= ask(q, block, doubt);
        }
        list->at[kept] = block;
        list->mask[kept] = in;
        kept += in != 0;
        fetch(view->digit + block * (1 + view->columns) * TROP_LANES, 1 + view->columns);
        members += (uint64_t)(bits[in & 15] + bits[in >> 4]);
    }
    list->count = kept;
    q->sum[0][0] += members;
    add_tokens(q, view);
}

/* The blocks of a leaf, appended. All but very long leaves take the outer loop once, and the
 * inner one has a fixed length, so that neither need be foreseen. */
static inline void list_leaf(struct trop_kernel_half_query *q,
                             const struct trop_kernel_half_view *view, int64_t first, int64_t last,
                             int64_t d)
{
    struct trop_kernel_half_list *list = &q->blocks;
    int64_t start = first / TROP_LANES, end = (last + TROP_LANES - 1) / TROP_LANES;

    for (int64_t block = start; block < end; block += PIECE) {
        if (list->count + PIECE > TROP_KERNEL_HALF_LIST) {
            meet_blocks(q, view, d);
        }
        int64_t from = list->count;
        for (int64_t b = block; b < block + PIECE; b++) {
            list->at[list->count] = b;
            list->mask[list->count] = 0xff;
            list->count += b < end;
            fetch(view->point + b * d * TROP_LANES, d);
        }
        if (block == start) {
            list->mask[from] &= lanes_of(start, first, last);
        }
        if (block + PIECE >= end) {
            list->mask[list->count - 1] &= lanes_of(end - 1, first, last);
        }
    }
}

/* What one wide node gives: members to the boxes, leaves to the blocks, the rest to the
 * stack. Returns the new height of the stack. */
static inline int64_t meet_node(struct trop_kernel_half_query *q,
                                const struct trop_kernel_half_view *view, int64_t w,
                                int64_t *stack, int64_t waiting, int64_t d)
{
    const double *box = view->box + w * 2 * d * TROP_LANES;
    const int64_t *child = view->child + w * TROP_LANES;
    const uint64_t *tokens = view->total + w * (2 + 2 * view->columns) * TROP_LANES;
    struct lanes middle = chain(q->y, box, d), half = chain(q->size, box + d * TROP_LANES, d);
    unsigned in = lanes_reach(lanes_subtract(middle, half), lanes_all(q->high));
    unsigned open = lanes_reach(lanes_add(middle, half), lanes_all(q->low)) & ~in;
    unsigned leaves = open & view->leaf[w], equal = open & view->equal[w];

    for (unsigned rest = equal; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        in |= (unsigned)q->inside(q->context, child[l]) << l;
    }
    for (unsigned rest = leaves & ~equal; rest; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        list_leaf(q, view, child[l], child[l] + (int64_t)tokens[l], d);
    }
    for (unsigned rest = open & ~leaves; rest; rest &= rest - 1) {
        int64_t below = child[__builtin_ctz(rest)];
        stack[waiting++] = below;
        fetch(view->box + below * 2 * d * TROP_LANES, 2 * d);
        fetch(view->child + below * TROP_LANES, 1);
        fetch(view->total + below * (2 + 2 * view->columns) * TROP_LANES, 1);
    }
    q->boxes.at[q->boxes.count] = w;
    q->boxes.mask[q->boxes.count] = in;
    q->boxes.count += in != 0;
    return waiting;
}

static inline void count_in(struct trop_kernel_half_query *q,
                            const struct trop_kernel_half_view *view, int64_t *stack, int64_t d)
{
    int64_t waiting = 1;

    stack[0] = 0;
    q->boxes.count = q->blocks.count = 0;
    while (waiting > 0) {
        int64_t w = stack[--waiting];
        waiting = meet_node(q, view, w, stack, waiting, d);
        q->nodes++;
        if (q->boxes.count == TROP_KERNEL_HALF_LIST) {
            add_boxes(q, view);
        }
    }
    meet_blocks(q, view, d);
    add_boxes(q, view);
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
    q->groups += end - first / TROP_LANES;
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
