/* tokenizer_internal.h -- what is inside a tokenizer that was opened; only its files include it. */
#ifndef TROP_MODEL_TOKENIZER_INTERNAL_H
#define TROP_MODEL_TOKENIZER_INTERNAL_H

#include "io/json/json_value.h"
#include "model/text/tokenizer.h"

/* How words are cut. */
enum trop_tokenizer_kind {
    TROP_TOKENIZER_WORDPIECE,
    TROP_TOKENIZER_BYTES,  /* merges of bytes, which are written as characters */
    TROP_TOKENIZER_PIECES, /* merges of characters; a blank is U+2581 */
    TROP_TOKENIZER_LLAMA   /* llama2.c's: merges by score */
};

/* Where a text is parted before anything is merged. */
enum trop_tokenizer_split {
    TROP_TOKENIZER_WHOLE,
    TROP_TOKENIZER_GPT2,
    TROP_TOKENIZER_LLAMA3, /* runs of at most three digits */
    TROP_TOKENIZER_QWEN2,  /* digits one by one */
    TROP_TOKENIZER_BLANKS  /* in front of every U+2581 */
};

/* When a blank is put in front of a text. */
enum trop_tokenizer_prefix {
    TROP_TOKENIZER_NEVER,
    TROP_TOKENIZER_ALWAYS,
    TROP_TOKENIZER_UNLESS, /* there is one already */
    TROP_TOKENIZER_FIRST   /* and only where the text begins, not behind an added token */
};

/* Tokens that are found in a text before anything else. */
struct trop_tokenizer_added {
    struct trop_vocabulary text;
    int32_t *word;        /* (text.words) in the tokenizer's vocabulary */
    unsigned char *strip; /* (text.words) 1: blanks in front are its own; 2: those behind */
    int64_t *length;      /* (lengths) in bytes, longest first, each once */
    int64_t lengths;
    unsigned char starts[256]; /* 1: one begins with this byte */
};

struct trop_tokenizer {
    char *name; /* of its file */
    enum trop_tokenizer_kind kind;
    /* Words: those of the model, then added tokens that the model does not know. */
    struct trop_vocabulary vocabulary;
    int64_t own;     /* words of the model */
    int64_t longest; /* bytes of the longest of them */
    int32_t *id;     /* (room) their numbers */
    int64_t room;
    int64_t limit;                        /* numbers are below it; 0: any */
    struct trop_tokenizer_added added[2]; /* looked for in this order */
    int32_t *frame;                       /* words in front of a text, then words behind it */
    int64_t in_front, behind;
    /* WordPiece. */
    struct trop_tokenizer_special special;
    /* Merges. */
    int nfc;
    int marked; /* a blank becomes U+2581 */
    enum trop_tokenizer_prefix prefix;
    enum trop_tokenizer_split split;
    int ignore_merges; /* a piece that is a word is that word */
    int fuse_unknown;
    int32_t unknown;   /* a word, -1: none */
    int32_t byte[256]; /* a word for each byte, -1: none */
    struct trop_merge_table merges;
    float *score; /* (vocabulary.words) llama2.c's */
};

/* A word of the model; -1: it has none. */
int32_t trop_tokenizer_word(const struct trop_tokenizer *t, const char *text, int64_t size);

/* ---- opening: each fills a tokenizer of zeros, which the caller frees also on failure ---------
 */

/* Room for so many words in all. */
enum trop_status trop_tokenizer_make_room(struct trop_tokenizer *t, int64_t words);
/* Adds a word with its number, or finds it with this number; there is room. */
enum trop_status trop_tokenizer_add_word(int32_t *out, struct trop_tokenizer *t, const char *text,
                                         int64_t size, int64_t id);
/* The words so far are the model's. */
void trop_tokenizer_own(struct trop_tokenizer *t);
/* Two words of one number are refused. */
enum trop_status trop_tokenizer_check_ids(const struct trop_tokenizer *t);

enum trop_status trop_tokenizer_read_json(struct trop_tokenizer *t,
                                          const struct trop_json_value *root);
/* The names and numbers of a vocabulary, with room for more. */
enum trop_status trop_tokenizer_read_vocabulary(struct trop_tokenizer *t,
                                                const struct trop_json_value *vocab, int64_t more);
/* A list of "a b" or of ["a", "b"]. */
enum trop_status trop_tokenizer_read_merges(struct trop_tokenizer *t,
                                            const struct trop_json_value *merges);
/* merges.txt, a pair a line; name is for the sentence. */
enum trop_status trop_tokenizer_parse_merges(struct trop_tokenizer *t, const char *text,
                                             int64_t size, const char *name);
enum trop_status trop_tokenizer_read_llama(struct trop_tokenizer *t, const unsigned char *bytes,
                                           int64_t size);
/* The normalizer and pre_tokenizer of a tokenizer.json with merges, and of one of WordPiece. */
enum trop_status trop_tokenizer_read_steps(struct trop_tokenizer *t,
                                           const struct trop_json_value *root);
enum trop_status trop_tokenizer_read_bert(struct trop_tokenizer *t,
                                          const struct trop_json_value *root);
/* Its post_processor. */
enum trop_status trop_tokenizer_read_frame(struct trop_tokenizer *t,
                                           const struct trop_json_value *root);

/* Room for so many tokens in each of the two lists. */
enum trop_status trop_tokenizer_added_room(struct trop_tokenizer *t, int64_t tokens);
/* A token that is to be found in texts: in the list `which`; strip as in the struct. */
enum trop_status trop_tokenizer_added_put(struct trop_tokenizer *t, int which, int32_t word,
                                          int strip);
/* After the last: lengths in order. */
void trop_tokenizer_added_settle(struct trop_tokenizer *t);
void trop_tokenizer_added_free(struct trop_tokenizer_added *added);
/* The words that bytes are written with: letters of the alphabet of bytes, or <0x00> to <0xFF>. */
void trop_tokenizer_find_bytes(struct trop_tokenizer *t);

/* ---- encoding ---------------------------------------------------------------------------------
 */

/* The end of the piece that begins at byte `at` of a text; size > at. */
int64_t trop_tokenizer_piece(enum trop_tokenizer_split split, const char *text, int64_t at,
                             int64_t size);
/* The next added token in text[first, last): its word, -1: none; and its bytes. */
int32_t trop_tokenizer_added_next(int64_t *begin, int64_t *end,
                                  const struct trop_tokenizer_added *added, const char *text,
                                  int64_t first, int64_t last);
/* Cut text[first, last) and push its tokens, whose id is their word. */
enum trop_status trop_tokenizer_bpe(struct trop_tokenizer_list *out, const struct trop_tokenizer *t,
                                    const char *text, int64_t first, int64_t last);
enum trop_status trop_tokenizer_llama(struct trop_tokenizer_list *out,
                                      const struct trop_tokenizer *t, const char *text,
                                      int64_t first, int64_t last);
/* A token of this word, to be shown as it is or as what it stands for. */
enum trop_status trop_tokenizer_push_word(struct trop_tokenizer_list *out,
                                          const struct trop_tokenizer *t, int32_t word,
                                          int64_t first, int64_t last);

/* ---- the alphabet of bytes --------------------------------------------------------------------
 */

/* The character that a byte is written as, and the byte of a character, -1: none. */
int32_t trop_tokenizer_letter(int byte);
int trop_tokenizer_byte(int32_t letter);

#endif
