/* copies_options.c -- the options of many copies: defaults, table, and their texts. The rows are
 * those that a flow has not; every other name is an option of the flow. */
#include "flow/copies/copies.h"

#include "base/option.h"

#include <stddef.h>

struct trop_copies_options trop_copies_options_default(void)
{
    return (struct trop_copies_options){
        .flow = trop_flow_options_default(),
        .copies = 1,
        .align = 0.999,
    };
}

#define AT(member) #member, offsetof(struct trop_copies_options, member)
static const struct trop_option table[] = {
    { AT(copies), TROP_TYPE_INT64, 1, 1e9, 0, NULL,
      "flows with the seeds seed, seed + 1, ..., or with tokens of their own", NULL, NULL },
    { AT(betas), TROP_TYPE_TEXT, 0, 0, 0, NULL, "all of them at each beta of the list (0.1:9:0.1)",
      "LIST", NULL },
    { AT(epsilons), TROP_TYPE_TEXT, 0, 0, 0, NULL, "the same for epsilon", "LIST", NULL },
    { AT(alphas), TROP_TYPE_TEXT, 0, 0, 0, NULL, "runs all copies at each alpha of the list",
      "LIST", NULL },
    { AT(gammas), TROP_TYPE_TEXT, 0, 0, 0, NULL, "runs all copies at each gamma of the list",
      "LIST", NULL },
    { AT(align), TROP_TYPE_DOUBLE, -1, 1, 0, NULL,
      "two tokens of the sphere are aligned when <x_i, x_j> is above it", NULL, NULL },
    { AT(keep), TROP_TYPE_FLAG, 0, 0, 0, NULL, "the final tokens are kept", NULL, NULL },
    { 0 },
};
#undef AT

const struct trop_option *trop_copies_option_table(void)
{
    return table;
}

enum trop_status trop_copies_create_from(struct trop_copies **out, const char *const *pairs)
{
    struct trop_copies_options options = trop_copies_options_default();
    enum trop_status status = TROP_OK;

    for (; pairs[0] && status == TROP_OK; pairs += 2) {
        const char *const pair[] = { pairs[0], pairs[1], NULL };
        status = trop_option_find(table, pairs[0])
                     ? trop_option_pairs(&options, table, pair)
                     : trop_option_pairs(&options.flow, trop_flow_option_table(), pair);
    }
    return status == TROP_OK ? trop_copies_create(out, &options) : status;
}
