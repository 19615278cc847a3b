/* tokenizer.h -- texts to tokens. */
#ifndef TROP_MODEL_TOKENIZER_H
#define TROP_MODEL_TOKENIZER_H

#include "model/vocabulary.h"
#include "tropism.h"

struct trop_tokenizer_token {
    int64_t first, last; /* it stood at these bytes of the text, last not included */
    int64_t form;        /* where its normal form begins in forms, a zero behind it */
    int64_t size;        /* bytes of that */
    int32_t id;          /* of wordpiece: its word */
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
};

/* text: UTF-8 that trop_utf8_check has passed. Each tokenizer is described in its file. */
enum trop_status trop_tokenizer_words(struct trop_tokenizer_list *out, const char *text,
                                      int64_t size);

/* What a vocabulary of WordPiece must have. */
struct trop_tokenizer_special {
    int32_t unknown, first, last; /* [UNK], [CLS], [SEP] */
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

void trop_tokenizer_release(struct trop_tokenizer_list *list);

/* ---- for tokenizers ---------------------------------------------------------------------------
 */

/* A token of these bytes, with the form that is to be written next. */
enum trop_status trop_tokenizer_push(struct trop_tokenizer_list *list, int64_t first, int64_t last);
/* Room for so many further bytes of the form, and a zero. */
enum trop_status trop_tokenizer_room(struct trop_tokenizer_list *list, int64_t size);
/* Room for so many characters in all. */
enum trop_status trop_tokenizer_codes(struct trop_tokenizer_list *list, int64_t count);
/* Writes a character behind the form of the last token; there is room. */
void trop_tokenizer_put(struct trop_tokenizer_list *list, int32_t code);

#endif
