/* code.h -- which texts of the option claim are files, whose code runs when they are used. */
#ifndef TROP_RUN_CODE_H
#define TROP_RUN_CODE_H

#include <string.h>

static inline int trop_code_ends_in_so(const char *text, size_t length)
{
    return length > 3 && strncmp(text + length - 3, ".so", 3) == 0;
}

/* 1 for "./mine.so", "mine.so:ID": what has neither a slash nor the ending .so is no file. */
static inline int trop_code_is_file(const char *text)
{
    const char *colon = text ? strrchr(text, ':') : NULL;

    return text && (strchr(text, '/') || trop_code_ends_in_so(text, strlen(text)) ||
                    (colon && trop_code_ends_in_so(text, (size_t)(colon - text))));
}

#endif
