/* tokenizer_show.c -- tokens as people read them.
 *
 * A byte-level vocabulary writes the bytes 33 to 126, 161 to 172 and 174 to 255 as the characters
 * of these numbers, and the other 68 as U+0100 and on, in their order. A token of it is shown as
 * the text that its bytes are; bytes that are no UTF-8 by themselves, and zeros, as <0xXX>. In
 * vocabularies of pieces U+2581 is a blank. Tokens with other characters are shown as they are.
 */
#include "model/text/tokenizer_internal.h"

#include <string.h>

#include "io/utf8.h"

/* ---- the alphabet -----------------------------------------------------------------------------
 */

static int is_itself(int byte)
{
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

/* Those that are not themselves: 0 to 32, 127 to 160, 173. */
int32_t trop_tokenizer_letter(int byte)
{
    return is_itself(byte) ? byte
           : byte <= 32    ? 0x100 + byte
           : byte <= 160   ? 0x100 + 33 + byte - 127
                           : 0x100 + 67;
}

int trop_tokenizer_byte(int32_t letter)
{
    const int32_t other = letter - 0x100;

    if (letter < 0x100) {
        return letter >= 0 && is_itself(letter) ? letter : -1;
    }
    return other <= 32 ? other : other <= 66 ? other - 33 + 127 : other == 67 ? 173 : -1;
}

/* ---- showing ----------------------------------------------------------------------------------
 */

/* The bytes that a name stands for, written to out; -1: it is no name in the alphabet. */
static int64_t decode(char *out, const char *name, int64_t size)
{
    int64_t count = 0;

    for (int64_t at = 0; at < size;) {
        int32_t code;
        at += trop_utf8_next(&code, name + at, size - at);
        const int byte = trop_tokenizer_byte(code);
        if (byte < 0) {
            return -1;
        }
        out[count++] = (char)byte;
    }
    return count;
}

/* Bytes as text, at most six of one; returns how many it wrote. */
static int64_t readable(char *out, const char *bytes, int64_t size)
{
    static const char digits[] = "0123456789ABCDEF";
    int64_t used = 0;

    for (int64_t at = 0; at < size;) {
        int32_t code;
        const int64_t count = trop_utf8_next(&code, bytes + at, size - at);
        if ((code == 0xfffd && count == 1) || code == 0) {
            const unsigned char byte = (unsigned char)bytes[at];
            const char shown[6] = { '<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>' };
            memcpy(out + used, shown, sizeof shown);
            used += (int64_t)sizeof shown;
        } else {
            memmove(out + used, bytes + at, (size_t)count);
            used += count;
        }
        at += count;
    }
    return used;
}

/* A name of pieces, its marks as blanks; returns how many bytes it wrote. */
static int64_t unmarked(char *out, const char *name, int64_t size)
{
    int64_t used = 0;

    for (int64_t at = 0; at < size; at++) {
        if (size - at >= 3 && memcmp(name + at, "\xe2\x96\x81", 3) == 0) {
            out[used++] = ' ';
            at += 2;
        } else {
            out[used++] = name[at];
        }
    }
    return used;
}

/* llama2.c's file has line ends around <s> and </s>. */
static int64_t unlined(char *out, const char *name, int64_t size)
{
    const int lined = size > 4 && name[0] == '\n' && name[1] == '<' && name[size - 1] == '\n';

    memcpy(out, name + lined, (size_t)(size - 2 * lined));
    return size - 2 * lined;
}

/* There is room for seven bytes for each of the name. */
static int64_t show(char *out, const struct trop_tokenizer *t, const char *name, int64_t size)
{
    int64_t count = -1;

    if (t->kind == TROP_TOKENIZER_BYTES) {
        char *bytes = out + 6 * size; /* behind all that is written of them */
        count = decode(bytes, name, size);
        count = count < 0 ? -1 : readable(out, bytes, count);
    } else if (t->kind == TROP_TOKENIZER_PIECES) {
        count = unmarked(out, name, size);
    } else if (t->kind == TROP_TOKENIZER_LLAMA) {
        count = unlined(out, name, size);
    }
    if (count < 0) {
        memcpy(out, name, (size_t)size);
        count = size;
    }
    return count;
}

enum trop_status trop_tokenizer_push_word(struct trop_tokenizer_list *out,
                                          const struct trop_tokenizer *t, int32_t word,
                                          int64_t first, int64_t last)
{
    const char *name = trop_vocabulary_name(&t->vocabulary, word);
    const int64_t size = (int64_t)strlen(name);
    enum trop_status status = trop_tokenizer_push(out, first, last);

    if (status == TROP_OK) {
        status = trop_tokenizer_room(out, 7 * size);
    }
    if (status == TROP_OK) {
        struct trop_tokenizer_token *token = out->token + out->count - 1;
        token->id = word;
        token->size = show(out->forms + token->form, t, name, size);
        out->forms[token->form + token->size] = 0;
        out->used = token->form + token->size + 1;
    }
    return status;
}
