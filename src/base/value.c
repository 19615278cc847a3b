/* value.c -- the members of a value, for languages that mirror no C struct. */
#include "tropism.h"

int64_t trop_value_size(void)
{
    return (int64_t)sizeof(struct trop_value);
}

int64_t trop_value_kind(const struct trop_value *value)
{
    return value->kind;
}

double trop_value_number(const struct trop_value *value)
{
    return value->number;
}

int64_t trop_value_integer(const struct trop_value *value)
{
    return value->integer;
}

const char *trop_value_text(const struct trop_value *value, int64_t k)
{
    return value->kind == TROP_KIND_TEXTS ? value->texts[k] : value->text;
}

const double *trop_value_numbers(const struct trop_value *value)
{
    return value->numbers;
}

const int64_t *trop_value_integers(const struct trop_value *value)
{
    return value->integers;
}

int64_t trop_value_rank(const struct trop_value *value)
{
    return value->rank;
}

int64_t trop_value_shape(const struct trop_value *value, int64_t axis)
{
    return value->shape[axis];
}

const char *trop_value_axis(const struct trop_value *value, int64_t axis)
{
    return value->axes[axis];
}
