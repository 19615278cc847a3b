/* kernel_copies_body.c -- eight copies of a small system side by side (kernel_copies.h).
 *
 * Compiled once per instruction set, as kernel_body.c is. Its parts:
 *
 *   kernel_copies_sums.h      scores of a row, sums over it;
 *   kernel_copies_softmax.h   softmax rows;
 *   kernel_copies_best.h      hardmax and localmax rows;
 *   kernel_copies_tokens.h    what is done to tokens by themselves.
 */
#include "kernel/kernel_copies.h"

#include KERNEL_LANES

#include <math.h>

#define PASTE(a, b) a##b
#define NAMED(a, b) PASTE(a, b)
#define L TROP_LANES
#define ALL ((1u << L) - 1)

static inline struct lanes tree(const struct lanes s[L])
{
    return lanes_add(lanes_add(lanes_add(s[0], s[4]), lanes_add(s[2], s[6])),
                     lanes_add(lanes_add(s[1], s[5]), lanes_add(s[3], s[7])));
}

#include "kernel/kernel_copies_sums.h"
#include "kernel/kernel_copies_softmax.h"
#include "kernel/kernel_copies_best.h"
#include "kernel/kernel_copies_tokens.h"

extern const struct trop_kernel_copies NAMED(trop_kernel_copies_, KERNEL_NAME);
const struct trop_kernel_copies NAMED(trop_kernel_copies_, KERNEL_NAME) = {
    .reach = reach_of,
    .query = query,
    .softmax = softmax,
    .hardmax = hardmax,
    .localmax = localmax,
    .advance = advance,
    .combine = combine,
    .tangent = tangent,
    .stretch = stretch,
    .project = project,
    .widest = widest,
    .longest = longest,
};
