/* run_options.c -- what a recorded run takes beside the options of its flow. */
#include "run/run.h"

#include <math.h>
#include <stddef.h>

struct trop_run_options trop_run_options_default(void)
{
    return (struct trop_run_options){ .every = 1 };
}

#define AT(member) #member, offsetof(struct trop_run_options, member)
static const struct trop_option table[] = {
    { AT(tokens), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "initial tokens, a row each: .npy, .csv or FILE.h5:/path", "FILE" },
    { AT(masses), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "masses of the tokens (1 each when not given): .npy, .csv or FILE.h5:/path", "FILE" },
    { AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "result: .h5 (everything), .json (as --json) or .npy (final tokens)", "FILE" },
    { AT(record), TROP_TYPE_TEXT, 0, 0, 0, NULL, "what to record of the steps, parted by commas",
      "FIELDS" },
    { AT(every), TROP_TYPE_INT64, 1, 1e18, 0, NULL, "steps from one record to the next", "STEPS" },
    { AT(checkpoint), TROP_TYPE_INT64, 0, 1e18, 0, NULL,
      "steps from one checkpoint to the next, 0: none; needs an out in .h5", "STEPS" },
    { AT(resume), TROP_TYPE_TEXT, 0, 0, 0, NULL, "goes on with the run whose out this was",
      "FILE" },
    { AT(print_tokens), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "JSON has the tokens also when n d exceeds 10000", NULL },
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which the run ends with what it has, 0: none; looked at between steps",
      "SECONDS" },
    { AT(copies), TROP_TYPE_INT64, 0, 1e9, 0, NULL,
      "copies of the flow with seeds seed, seed + 1, ..., in bulk; 0: one flow, described in full",
      "N" },
    { AT(betas), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "with copies: all of them at each beta of the list (0.1:9:0.1)", "LIST" },
    { 0 },
};
#undef AT

const struct trop_option *trop_run_option_table(void)
{
    return table;
}
