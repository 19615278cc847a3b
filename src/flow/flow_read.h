/* flow_read.h -- readers of a flow's plain members, for its field tables. */
#ifndef TROP_FLOW_FLOW_READ_H
#define TROP_FLOW_FLOW_READ_H

#include "base/field.h"
#include "flow/flow.h"

#define NUMBER(name, member) \
    TROP_FIELD(name) \
    { \
        (void)row; \
        trop_field_number(out, ((const struct trop_flow *)handle)->member); \
    }
#define INTEGER(name, member) \
    TROP_FIELD(name) \
    { \
        (void)row; \
        trop_field_integer(out, ((const struct trop_flow *)handle)->member); \
    }

#define FLOW \
    const struct trop_flow *f = handle; \
    (void)row

#endif
