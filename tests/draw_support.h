/* draw_support.h -- what every test that draws needs. */
#ifndef TROP_TESTS_DRAW_SUPPORT_H
#define TROP_TESTS_DRAW_SUPPORT_H

/* Fontconfig keeps what it read of its configuration until the program ends, by pointers that the
 * leak sanitizer does not understand. Nothing else is let pass. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

#endif
