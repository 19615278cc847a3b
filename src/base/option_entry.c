/* option_entry.c -- the entries of a table, for languages that mirror no C struct. */
#include "tropism.h"

const struct trop_option *trop_option_at(const struct trop_option *table, int64_t k)
{
    while (table->name && k > 0) {
        table++;
        k--;
    }
    return table->name && k == 0 ? table : NULL;
}

const char *trop_option_name(const struct trop_option *option)
{
    return option->name;
}

int64_t trop_option_type(const struct trop_option *option)
{
    return option->type;
}

const char *trop_option_meaning(const struct trop_option *option)
{
    return option->meaning;
}

const char *trop_option_choice(const struct trop_option *option, int64_t k)
{
    const char *const *names = option->names;

    while (names && *names && k > 0) {
        names++;
        k--;
    }
    return names && k == 0 ? *names : NULL;
}
