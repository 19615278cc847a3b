/* tokenizer.c -- what tokenizers share: the list that they fill. */
#include "model/text/tokenizer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/status.h"
#include "io/utf8.h"

static enum trop_status no_memory(int64_t size)
{
    return trop_fail(TROP_ERR_MEMORY, "no memory for %lld bytes of tokens", (long long)size);
}

/* *memory (used bytes) with room for more. */
static enum trop_status grow(void *memory, int64_t *room, int64_t used, int64_t needed, size_t each)
{
    void *old, *more;
    int64_t larger = *room ? 2 * *room : 64;

    while (larger < needed) {
        larger = 2 * larger;
    }
    more = trop_alloc(larger, each);
    if (!more) {
        return no_memory(larger);
    }
    memcpy(&old, memory, sizeof old);
    if (used > 0) {
        memcpy(more, old, (size_t)used * each);
    }
    trop_alloc_free(old);
    memcpy(memory, &more, sizeof more);
    *room = larger;
    return TROP_OK;
}

enum trop_status trop_tokenizer_room(struct trop_tokenizer_list *list, int64_t size)
{
    const int64_t needed = list->used + size + 1;

    return needed <= list->room_forms
               ? TROP_OK
               : grow(&list->forms, &list->room_forms, list->used, needed, sizeof *list->forms);
}

enum trop_status trop_tokenizer_codes(struct trop_tokenizer_list *list, int64_t count)
{
    if (count <= list->room_codes) {
        return TROP_OK;
    }
    int64_t room = list->room_codes;
    enum trop_status status =
        grow(&list->source, &room, list->room_codes, count, sizeof *list->source);
    if (status == TROP_OK) {
        room = list->room_codes;
        status = grow(&list->codes, &room, list->room_codes, count, sizeof *list->codes);
    }
    if (status == TROP_OK) {
        list->room_codes = room;
    }
    return status;
}

enum trop_status trop_tokenizer_plain(struct trop_tokenizer_list *list, int64_t size)
{
    if (size <= list->room_plain) {
        return TROP_OK;
    }
    TROP_FREE(list->plain, list->place);
    list->room_plain = 0;
    if (!TROP_ALLOC(TROP_PART(list->plain, size), TROP_PART(list->place, 2 * size))) {
        return no_memory(size);
    }
    list->room_plain = size;
    return TROP_OK;
}

enum trop_status trop_tokenizer_push(struct trop_tokenizer_list *list, int64_t first, int64_t last)
{
    enum trop_status status =
        list->count < list->room
            ? TROP_OK
            : grow(&list->token, &list->room, list->count, list->count + 1, sizeof *list->token);

    if (status == TROP_OK) {
        status = trop_tokenizer_room(list, 4 * (last - first));
    }
    if (status == TROP_OK) {
        list->token[list->count++] = (struct trop_tokenizer_token){
            .first = first, .last = last, .form = list->used, .id = -1
        };
        list->forms[list->used++] = 0;
    }
    return status;
}

void trop_tokenizer_put(struct trop_tokenizer_list *list, int32_t code)
{
    struct trop_tokenizer_token *token = list->token + list->count - 1;
    const int64_t size = trop_utf8_put(list->forms + token->form + token->size, code);

    token->size += size;
    list->used += size;
    list->forms[list->used - 1] = 0;
}

void trop_tokenizer_release(struct trop_tokenizer_list *list)
{
    TROP_FREE(list->token, list->forms, list->codes, list->source, list->plain, list->place);
    trop_merge_release(&list->row);
    *list = (struct trop_tokenizer_list){ 0 };
}
