/* reproduction_options.c -- what a reproduction takes. */
#include "tropism_lab.h"

#include "base/option.h"

#include <math.h>
#include <stddef.h>

struct trop_reproduction_options trop_reproduction_options_default(void)
{
    return (struct trop_reproduction_options){ .out = "reproduced", .seed = 1 };
}

#define AT(member) #member, offsetof(struct trop_reproduction_options, member)

static const struct trop_option table[] = {
    { AT(claim), TROP_TYPE_TEXT, 0, 0, 0, NULL, "which figure or table, or all", "ID", NULL },
    { AT(data), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "your texts for the tables that learn from texts: a file, or a named set", "DATA", NULL },
    { AT(out), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "folder of the pictures (.svg, .pdf and .png), and of report.html with all", "DIR", NULL },
    { AT(quick), TROP_TYPE_FLAG, 0, 0, 0, NULL,
      "fewer runs, and wider allowances for what is drawn", NULL, NULL },
    { AT(seed), TROP_TYPE_SEED, 0, 0, 0, NULL, "seed of what is drawn", NULL, NULL },
    { AT(time_limit), TROP_TYPE_DOUBLE, 0, INFINITY, 0, NULL,
      "seconds after which no further figure is begun, and a long one is left; 0: none", "SECONDS",
      NULL },
    TROP_OPTION_THREADS(AT(threads)),
    { 0 },
};
#undef AT

const struct trop_option *trop_reproduction_option_table(void)
{
    return table;
}
