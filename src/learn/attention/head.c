/* head.c -- the table of the heads. */
#include "learn/attention/head.h"

#define ENTRY(NAME, name) [TROP_HEAD_##NAME] = &trop_head_##name
static const struct trop_head *const heads[] = { TROP_HEAD_LIST(ENTRY) };

#define NAMED(NAME, name) [TROP_HEAD_##NAME] = #name
const char *const trop_head_names[] = { TROP_HEAD_LIST(NAMED), NULL };

const struct trop_head *trop_head_of(int64_t head)
{
    return heads[head];
}
