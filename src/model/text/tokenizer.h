/* tokenizer.h -- texts to tokens. */
#ifndef TROP_MODEL_TOKENIZER_H
#define TROP_MODEL_TOKENIZER_H

#include "model/text/merge.h"
#include "model/text/vocabulary.h"
#include "tropism.h"

struct trop_tokenizer_token {
    int64_t first, last; /* it stood at these bytes of the text, last not included */
    int64_t form;        /* where its normal form begins in forms, a zero behind it */
    int64_t size;        /* bytes of that */
    int32_t id;          /* its number in the vocabulary; of words: -1 */
};

/* The tokens of one text; zeros are none. A further text takes the room of the last. */
struct trop_tokenizer_list {
    struct trop_tokenizer_token *token; /* (count) */
    int64_t count, room;
    char *forms;
    int64_t used, room_forms;
    int32_t *codes;  /* scratch: characters, and */
    int64_t *source; /* where they stood */
    int64_t room_codes;
    char *plain;    /* scratch: a text as its tokenizer sees it, and */
    int64_t *place; /* (2 of each byte) the bytes of the text that it came from */
    int64_t plain_size, room_plain;
    struct trop_merge row; /* scratch: symbols that merge */
};

/* text: UTF-8 that trop_utf8_check has passed. Each tokenizer is described in its file. */
enum trop_status trop_tokenizer_words(struct trop_tokenizer_list *out, const char *text,
                                      int64_t size);

/* What a vocabulary of WordPiece must have. */
struct trop_tokenizer_special {
    int32_t unknown, first, last; /* [UNK], [CLS], [SEP] */
    int cased;                    /* 1: letters and accents stay as they are */
    int64_t words;                /* pieces are the first so many words; 0: all */
};
/* name: of the vocabulary's file. */
enum trop_status trop_tokenizer_special(struct trop_tokenizer_special *out,
                                        const struct trop_vocabulary *vocabulary, const char *name);
/* [CLS] and [SEP] are the first and the last token; with most > 0 tokens in front of [SEP] are left
 * out until there are no more than that. */
enum trop_status trop_tokenizer_wordpiece(struct trop_tokenizer_list *out,
                                          const struct trop_vocabulary *vocabulary,
                                          const struct trop_tokenizer_special *special,
                                          int64_t most, const char *text, int64_t size);
/* The pieces of text[first, last) behind the tokens that are there, without [CLS] and [SEP]. */
enum trop_status trop_tokenizer_wordpiece_part(struct trop_tokenizer_list *out,
                                               const struct trop_vocabulary *vocabulary,
                                               const struct trop_tokenizer_special *special,
                                               const char *text, int64_t first, int64_t last);

/* ---- the tokenizer of a model -----------------------------------------------------------------
 */

struct trop_tokenizer;

/* From a folder, of which it takes the first that is there of tokenizer.json, vocab.txt, vocab.json
 * with merges.txt, and llama2.c's file (*tok*.bin); or from one of these files. limit: tokens that
 * the model has, which no number may reach; 0: unknown, which llama2.c's file does not allow. What
 * a tokenizer.json asks for and is not known here is refused by name; its truncation and padding
 * are not done. tokenizer_open.c says what is known. */
enum trop_status trop_tokenizer_open(struct trop_tokenizer **out, const char *path, int64_t limit);
/* The same from the bytes of one file: a tokenizer.json, vocab.txt or llama2.c's, as the end of the
 * name says. */
enum trop_status trop_tokenizer_parse(struct trop_tokenizer **out, const unsigned char *bytes,
                                      int64_t size, const char *name, int64_t limit);
/* NULL is fine. */
void trop_tokenizer_close(struct trop_tokenizer *tokenizer);
/* The tokens of a text, those that the tokenizer puts around it included: numbers, bytes of the
 * text (none of what was put there), and as form what people read: a blank is a blank, a special
 * token its name, bytes that are no character <0xXX>. Refused is what is not UTF-8, has a zero, or
 * more than 256 MiB. */
enum trop_status trop_tokenizer_encode(struct trop_tokenizer_list *out,
                                       const struct trop_tokenizer *tokenizer, const char *text,
                                       int64_t size);

void trop_tokenizer_release(struct trop_tokenizer_list *list);

/* ---- for tokenizers ---------------------------------------------------------------------------
 */

/* A token of these bytes, with the form that is to be written next. */
enum trop_status trop_tokenizer_push(struct trop_tokenizer_list *list, int64_t first, int64_t last);
/* Room for so many further bytes of the form, and a zero. */
enum trop_status trop_tokenizer_room(struct trop_tokenizer_list *list, int64_t size);
/* Room for a plain form of so many bytes. */
enum trop_status trop_tokenizer_plain(struct trop_tokenizer_list *list, int64_t size);
/* Room for so many characters in all. */
enum trop_status trop_tokenizer_codes(struct trop_tokenizer_list *list, int64_t count);
/* Writes a character behind the form of the last token; there is room. */
void trop_tokenizer_put(struct trop_tokenizer_list *list, int32_t code);

#endif
