/* probe.h -- the bits of results, hashed. */
#ifndef PROBE_H
#define PROBE_H

#include "tropism.h"

#include <stdint.h>

#define PROBE_START 0xcbf29ce484222325u /* FNV-1a, a word at a time */

void probe_word(uint64_t *hash, uint64_t word);
void probe_text(uint64_t *hash, const char *text); /* NULL counts as "" */
/* What is no number is one value, whatever its bits. */
void probe_double(uint64_t *hash, double value);

struct probe_view {
    int print;                  /* 1: a line for each field is printed */
    const char *const *without; /* names of fields that are left out, ended by NULL */
};

/* All fields of a table, lists with their columns. */
enum trop_status probe_fields(uint64_t *hash, const struct trop_field *table, const void *handle,
                              int64_t rows, const struct probe_view *view);

/* Many fused multiply-adds. */
uint64_t probe_fma(void);

/* One run: a noun (flow, copies, cells, threshold, escape, margin, train, path, fit), then
 * name=value, parted by spaces. data=NAME is made by probe_data. */
enum trop_status probe_run(uint64_t *hash, const char *line, int print);

/* Data of six inputs, the same on every machine: of the kinds prompt, cross, sequence, graph. */
struct trop_data probe_data(const char *kind);

/* A few items of words. */
struct trop_sequences probe_sequences(void);

extern const char *const probe_list[]; /* ended by NULL */

#endif
