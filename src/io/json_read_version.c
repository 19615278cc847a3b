/* json_read_version.c -- which jansson is in use. */
#include "io/json_read.h"

#include <jansson.h>

const char *trop_json_read_version(void)
{
    return jansson_version_str();
}
