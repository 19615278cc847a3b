/* draw_support.h -- what every test that draws needs. */
#ifndef TROP_TESTS_DRAW_SUPPORT_H
#define TROP_TESTS_DRAW_SUPPORT_H

#include "draw/figure.h"
#include "support.h"

/* Fontconfig keeps what it read of its configuration until the program ends, by pointers that the
 * leak sanitizer does not understand. Nothing else is let pass. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

static inline struct trop_figure *figure_of(double width, double height)
{
    struct trop_figure *figure = NULL;
    assert_ok(trop_figure_create(&figure, width, height));
    return figure;
}

#endif
