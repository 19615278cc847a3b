/* margin_options.c -- the options of a max-margin problem: defaults, table, check. */
#include "margin/margin.h"

#include "base/option.h"
#include "base/status.h"
#include "margin/norm.h"

#include <stddef.h>
#include <string.h>

struct trop_margin_options trop_margin_options_default(void)
{
    return (struct trop_margin_options){
        .norm = TROP_MARGIN_L2,
        .p = 2,
        .iterations = 100000,
    };
}

/* In the order of the enums of tropism.h. */
static const char *const mask_names[] = { "full", "causal", NULL };

#define AT(member) #member, offsetof(struct trop_margin_options, member)
static const struct trop_option table[] = {
    { AT(data), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "the data", NULL, NULL },
    { AT(problem), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "a problem, in place of data", NULL, NULL },
    { AT(model), TROP_TYPE_CHOICE, 0, 0, 0, trop_model_names,
      "model whose constraints are used (auto: cross when the data have queries, sequence when "
      "they have one for each token, graph with a vocabulary, else prompt)",
      NULL, "!problem" },
    { AT(mask), TROP_TYPE_CHOICE, 0, 0, 0, mask_names,
      "model sequence: which tokens a token can attend to", NULL, "model=sequence" },
    { AT(row), TROP_TYPE_INT64, 0, 1e9, 0, NULL, "model self: the token that is the query", NULL,
      "model=self" },
    { AT(select), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "tokens that are to be selected: one for each input, separated by commas (3,2,6); several "
      "separated by | are tried in turn; optimal: those of the highest score",
      "LIST", "!problem" },
    { AT(relaxed), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "inputs whose right side is 0, separated by commas; or auto, those that do not support the "
      "label problem",
      "LIST", "!problem" },
    { AT(weights), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "selected sets, with their attention", NULL,
      NULL },
    { AT(norm), TROP_TYPE_CHOICE, 0, 0, 0, trop_norm_names, "norm that is minimised", NULL, NULL },
    { AT(p), TROP_TYPE_DOUBLE, 1, 1000, 1, NULL, "exponent of lp", NULL, "norm=lp" },
    { AT(tolerance), TROP_TYPE_DOUBLE, 0, 1, 0, NULL,
      "relative gap of a solution; 0: what the norm promises", NULL, NULL },
    { AT(iterations), TROP_TYPE_INT64, 1, 1e15, 0, NULL, "largest number of iterations", NULL,
      NULL },
    { AT(enumerate), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "solve for every selection of tokens, and list those that are locally optimal", NULL,
      "!problem" },
    { AT(direction), TROP_TYPE_ARRAY, 0, 0, 0, NULL, "weights to be looked at", NULL, NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef AT

const struct trop_option *trop_margin_option_table(void)
{
    return table;
}

enum trop_status trop_margin_options_check(const struct trop_margin_options *o)
{
    enum trop_status status = trop_option_check(o, table);

    if (status != TROP_OK) {
        return status;
    }
    if (!o->data == !o->problem) {
        return trop_fail(TROP_ERR_ARG, "data and problem: give one of them");
    }
    if (o->problem && (o->select || o->relaxed || o->weights || o->enumerate)) {
        return trop_fail(TROP_ERR_ARG, "%s: is for data; a problem has its constraints already",
                         o->select    ? "select"
                         : o->relaxed ? "relaxed"
                         : o->weights ? "equal"
                                      : "enumerate");
    }
    if (o->enumerate && o->relaxed) {
        return trop_fail(TROP_ERR_ARG, "enumerate and relaxed: selections with right sides 0 are "
                                       "not locally optimal or otherwise: give one of them");
    }
    if (o->weights && (o->select || o->enumerate)) {
        return trop_fail(TROP_ERR_ARG, "equal and %s: give one of them",
                         o->select ? "select" : "enumerate");
    }
    return TROP_OK;
}
