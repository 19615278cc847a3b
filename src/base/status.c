/* status.c -- the last failure of each thread, as a sentence. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#ifndef TROP_VERSION
#error "TROP_VERSION comes from the file VERSION through the build"
#endif

static _Thread_local char sentence[1024];

const char *trop_error(void)
{
    return sentence;
}

const char *trop_version(void)
{
    return TROP_VERSION;
}

enum trop_status trop_fail(enum trop_status code, const char *format, ...)
{
    /* Into a buffer first: an argument may be the old sentence itself. */
    char text[sizeof sentence];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(sentence, sizeof sentence, "%s", text);
    return code;
}
