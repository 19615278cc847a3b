/* corpus_options.c -- how texts and images become tokens. */
#include "tropism_lab.h"

#include <stddef.h>

struct trop_corpus_options trop_corpus_options_default(void)
{
    return (struct trop_corpus_options){ .vocabulary = 20000, .min_count = 1 };
}

static const char *const tokenizers[] = { "words", "wordpiece", NULL };

#define AT(member) #member, offsetof(struct trop_corpus_options, member)
static const struct trop_option table[] = {
    { AT(tokenizer), TROP_TYPE_CHOICE, 0, 0, 0, tokenizers,
      "how texts become tokens: words and punctuation marks, or the word pieces of BERT (uncased)",
      NULL, "data=sequences" },
    { AT(wordpiece), TROP_TYPE_TEXT, 0, 0, 0, NULL, "vocab.txt of the pieces, one a line", "FILE",
      "data=sequences & tokenizer=wordpiece" },
    { AT(vocabulary), TROP_TYPE_INT64, 0, 1e9, 0, NULL,
      "the most frequent words of the training split, the unknown word among them; 0: all", "N",
      "data=sequences & tokenizer=words" },
    { AT(min_count), TROP_TYPE_INT64, 1, 1e9, 0, NULL,
      "number of times that a word must occur in the training split to be in the vocabulary", "N",
      "data=sequences & tokenizer=words" },
    { AT(max_length), TROP_TYPE_INT64, 0, 1e9, 0, NULL,
      "tokens of an item, the first ones; 0: all of them", "N", "data=sequences" },
    { AT(patch), TROP_TYPE_INT64, 0, 1e6, 0, NULL,
      "images: side of the square patches that are tokens; 0: each row of pixels is a token",
      "SIDE", "data=sequences" },
    { AT(lexicon), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "words that should matter, one a line (.txt, .zip), or opinion: that of Hu and Liu", "FILE",
      "data=sequences" },
    { AT(columns), TROP_TYPE_TEXT, 0, 0, 0, NULL,
      "names of the columns of a table without a header: split,label,,,text", "NAMES",
      "data=sequences" },
    { 0 },
};
#undef AT

const struct trop_option *trop_corpus_option_table(void)
{
    return table;
}
