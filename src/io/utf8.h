/* utf8.h -- texts in UTF-8: whether they are, and what their characters are. */
#ifndef TROP_IO_UTF8_H
#define TROP_IO_UTF8_H

#include "tropism.h"

/* Marks that may follow each other: more is no writing, and sorting them takes their square. */
#define TROP_UTF8_MARKS 1000

/* Refuses what is not UTF-8, has a zero byte, or too many marks in a row, with the line, which
 * counts from `line`. */
enum trop_status trop_utf8_check(const char *text, int64_t size, const char *name, int64_t line);

/* The next character of a text that was checked, size at least 1; returns its bytes. */
int64_t trop_utf8_next(int32_t *code, const char *text, int64_t size);
/* Its bytes, at most 4; returns how many. */
int64_t trop_utf8_put(char out[4], int32_t code);

/* Unicode's general categories, as far as tokenizers tell them apart. */
enum trop_utf8_class {
    TROP_UTF8_LETTER,
    TROP_UTF8_NUMBER,
    TROP_UTF8_ACCENT, /* Mn: marks that take no room */
    TROP_UTF8_MARK,   /* Mc, Me */
    TROP_UTF8_PUNCTUATION,
    TROP_UTF8_SYMBOL,
    TROP_UTF8_BLANK,     /* Zs, Zl, Zp, tabulator and line ends */
    TROP_UTF8_CONTROL,   /* Cc, without these */
    TROP_UTF8_FORMAT,    /* Cf: not seen */
    TROP_UTF8_PRIVATE,   /* Co, Cs */
    TROP_UTF8_UNASSIGNED /* Cn */
};
enum trop_utf8_class trop_utf8_class(int32_t code);
int32_t trop_utf8_lower(int32_t code);
/* 1 for the ideographs of Chinese, which are words without blanks between them. */
int trop_utf8_ideograph(int32_t code);

/* The canonical decomposition of one character (NFD); returns its length. */
#define TROP_UTF8_PARTS 8
int64_t trop_utf8_decompose(int32_t out[TROP_UTF8_PARTS], int32_t code);
/* A text that was checked in NFC, as characters: out has room for 4 size of them; returns how many
 * there are, -1 when the library has no memory. */
int64_t trop_utf8_compose(int32_t *out, const char *text, int64_t size);

#endif
