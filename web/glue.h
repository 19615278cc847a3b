/* glue.h -- what the files of the page's module share. */
#ifndef TROP_WEB_GLUE_H
#define TROP_WEB_GLUE_H

#include "tropism.h"

#if defined(__wasm__)
#define WEB_EXPORT __attribute__((visibility("default"), used))
#else
#define WEB_EXPORT /* a native build, for whoever wants a debugger */
#endif

/* ---- nouns ---- */

struct web_noun {
    const char *name;
    const struct trop_option *(*options)(void);
    void (*fill)(void *options); /* defaults */
    size_t size;                 /* of the options */
    const struct trop_field *(*fields)(void);
    const struct trop_field *(*watch)(void); /* or NULL */
    /* May take arrays by web_array_find. */
    enum trop_status (*create)(void **out, void *options);
    void (*free)(void *it);
};

/* The thing behind a handle when it is of that noun, or NULL. */
void *web_handle(int handle, const struct web_noun *noun);

#define WEB_ARRAYS 16
struct web_array {
    char name[32];
    const double *values; /* of the page, until the noun is made */
    int64_t shape[3];
};
const struct web_array *web_array_find(const char *name);

/* ---- glue_json.c: one text at a time ---- */

void web_json_start(void);
const char *web_json_done(void); /* valid until the next start */
void web_json(const char *text);
void web_json_text(const char *text); /* quoted */
void web_json_options(const struct trop_option *table, const void *defaults);
void web_json_fields(const struct trop_field *table);
/* Returns 0 on a failure, which trop_error tells. */
int web_json_values(const struct trop_field *table, const void *handle, const char *names);

#endif
