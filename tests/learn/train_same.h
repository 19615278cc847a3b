/* train_same.h -- whether two training runs tell the same, bit for bit. */
#ifndef TROP_TESTS_TRAIN_SAME_H
#define TROP_TESTS_TRAIN_SAME_H

#include "train_support.h"

static inline int is_same_array(const void *a, const void *b, int64_t count)
{
    return (a == NULL) == (b == NULL) && (!a || memcmp(a, b, (size_t)count * 8) == 0);
}

static inline int is_same_value(const struct trop_value *a, const struct trop_value *b)
{
    int64_t count = 1;

    if (a->kind != b->kind || a->rank != b->rank) {
        return 0;
    }
    for (int64_t k = 0; k < a->rank; k++) {
        if (a->shape[k] != b->shape[k]) {
            return 0;
        }
        count *= a->shape[k];
    }
    const int same_text = a->text && b->text ? strcmp(a->text, b->text) == 0 : a->text == b->text;
    return same_text && memcmp(&a->number, &b->number, sizeof a->number) == 0 &&
           a->integer == b->integer && is_same_array(a->numbers, b->numbers, count) &&
           is_same_array(a->integers, b->integers, count);
}

/* The first field that the two runs tell in two ways, history included; NULL: none. */
static inline const char *difference_of(const struct trop_train *a, const struct trop_train *b)
{
    for (const struct trop_field *f = trop_train_field_table(); f->name; f++) {
        struct trop_value x = value_of(a, f->name), y = value_of(b, f->name);
        if (!is_same_value(&x, &y)) {
            return f->name;
        }
        for (const struct trop_field *c = f->columns; c && c->name; c++) {
            for (int64_t row = 0; row < x.shape[0]; row++) {
                struct trop_value at = record_of(a, row, c->name), bt = record_of(b, row, c->name);
                if (!is_same_value(&at, &bt)) {
                    return c->name;
                }
            }
        }
    }
    return NULL;
}

static inline void same_results(const struct trop_train *a, const struct trop_train *b)
{
    const char *name = difference_of(a, b);
    if (name) {
        print_message("%s differs\n", name);
    }
    assert_null(name);
}

#endif
