#include "flow/flow.h"
#include "base/status.h"
enum trop_status trop_flow_piece(struct trop_flow *flow)
{
    (void)flow;
    return trop_fail(TROP_ERR_UNSUPPORTED, "hardmax ODE");
}
