/* study_options.c -- what a study takes beside the options of its numbers. */
#include "tropism_lab.h"

#include <stddef.h>

struct trop_study_options trop_study_options_default(void)
{
    return (struct trop_study_options){ 0 };
}

#define AT(member) #member, offsetof(struct trop_study_options, member)
static const struct trop_option table[] = {
    { AT(tokens), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "the tokens, a row each: .npy, .csv or FILE.h5:/path", "FILE" },
    { AT(query), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "further points to label, a row each: .npy, .csv or FILE.h5:/path", "FILE" },
    { AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL, "result: .h5 (everything) or .json (as --json)",
      "FILE" },
    { AT(print_tokens), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "JSON has the tokens also when n d exceeds 10000", NULL },
    { 0 },
};
#undef AT

const struct trop_option *trop_study_option_table(void)
{
    return table;
}
