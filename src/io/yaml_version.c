/* yaml_version.c -- which libyaml is in use. */
#include "io/yaml.h"

#include <yaml.h>

const char *trop_yaml_version(void)
{
    return yaml_get_version_string();
}
