/* norm_linear.h -- what the two norms that are linear programs share: scaling, CLP, the end. */
#ifndef TROP_MARGIN_NORM_LINEAR_H
#define TROP_MARGIN_NORM_LINEAR_H

#include "margin/linear/basis.h"
#include "margin/norm.h"

/* More entries of M are not given to CLP, which holds several copies of 12 bytes each. */
#define TROP_NORM_LINEAR_MOST ((int64_t)1 << 23)
#define TROP_NORM_LINEAR_LARGE \
    "the bounds of l2 stay: constraints times unknowns exceed 2^23, and the solver of l1 and " \
    "linf " \
    "was not started"
/* The relative gap that linear programs promise. */
#define TROP_NORM_LINEAR_TOLERANCE 1e-9

/* What a norm does to make its linear program and to read its solution. */
struct trop_norm_linear {
    int64_t mirrored;
    double exponent, dual; /* of the norm and of its dual: 1 and infinity, or infinity and 1 */
    /* Costs, bounds and the extra column, from rows that are scaled already; unit: a power of 2,
     * above the norm of the l2 solution and at most twice that. */
    void (*fill)(struct trop_basis *basis, const struct trop_norm_task *task, double unit);
    /* W and lambda of an optimal basis. Returns 0 when they cannot be read. */
    int (*read)(struct trop_norm_answer *out, const struct trop_basis *basis, double unit);
};

enum trop_status trop_norm_linear_solve(struct trop_norm_answer *out,
                                        const struct trop_norm_task *task,
                                        const struct trop_norm_linear *norm);

#endif
