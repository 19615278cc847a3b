/* flow_read.h -- rows of a flow's field tables. */
#ifndef TROP_FLOW_FLOW_READ_H
#define TROP_FLOW_FLOW_READ_H

#include "base/field.h"
#include "flow/flow.h"

#define AT(member) TROP_FIELD_AT(struct trop_flow, member)
#define EACH(array) TROP_FIELD_EACH(struct trop_flow, array)
#define LENGTH(member) 0, offsetof(struct trop_flow, member)

#define NUMBER(member) .kind = TROP_KIND_NUMBER, AT(member)
#define INTEGER(member) .kind = TROP_KIND_INTEGER, AT(member)
#define INTEGERS(member, axis, count) \
    .kind = TROP_KIND_INTEGERS, AT(member), .axes = { { axis, LENGTH(count) } }
#define TOKENS(member) \
    .kind = TROP_KIND_NUMBERS, AT(member), \
    .axes = { { "token", LENGTH(n) }, { "coordinate", LENGTH(d) } }

/* flow_watch.c: what results and records have in common. */

int trop_flow_has_time(const void *flow, int64_t row);
int trop_flow_has_log_time(const void *flow, int64_t row);
int trop_flow_has_interaction(const void *flow, int64_t row);
enum trop_status trop_flow_read_log_steps(struct trop_value *out, void *flow, int64_t row);

#endif
