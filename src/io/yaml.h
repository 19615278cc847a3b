/* yaml.h -- options from a YAML file. */
#ifndef TROP_IO_YAML_H
#define TROP_IO_YAML_H

#include "tropism.h"

/* Receives one option; name and text are valid during the call only. */
typedef enum trop_status trop_yaml_take(void *context, const char *name, const char *text);

/* A flat mapping "option: value"; a sequence of scalars arrives joined by commas.
 * take is called in the order of the file, and before later lines are read. When
 * it fails, file and line are put in front of its sentence. */
enum trop_status trop_yaml_read(const char *path, trop_yaml_take *take, void *context);
/* The same from memory; file is for the sentence. */
enum trop_status trop_yaml_parse(const unsigned char *bytes, int64_t size, const char *file,
                                 trop_yaml_take *take, void *context);

/* Receives one option of which lists stay lists: items texts one behind the other, each ended by a
 * zero, size bytes in all; of a list in a list they are joined by commas. items -1: no list, but
 * one text. */
typedef enum trop_status trop_yaml_take_list(void *context, const char *name, const char *texts,
                                             int64_t size, int64_t items);
enum trop_status trop_yaml_parse_lists(const unsigned char *bytes, int64_t size, const char *file,
                                       trop_yaml_take_list *take, void *context);

/* The version of libyaml, such as 0.2.5. */
const char *trop_yaml_version(void);

#endif
