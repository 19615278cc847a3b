/* flow_method.c -- how a step of attention is computed: every pair, the hull, or a tree. */
#include "flow/flow.h"

enum trop_status trop_flow_attend(struct trop_flow *f, double *displacement, int margins)
{
    f->methods |= 1 << TROP_METHOD_DIRECT;
    return trop_attend_rows(displacement, f->notes, f->attend, margins);
}

void trop_flow_method_free(struct trop_flow *f)
{
    (void)f;
}
