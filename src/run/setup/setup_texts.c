/* setup_texts.c -- several texts in memory in the place of one. */
#include "run/setup/setup.h"

#include "base/alloc.h"
#include "base/status.h"

#include <string.h>

void trop_setup_free_texts(struct trop_setup *setup)
{
    for (int64_t k = 0; setup->given_texts && k < setup->given_text_count; k++) {
        trop_alloc_free(setup->given_texts[k]);
    }
    trop_alloc_free(setup->given_texts);
    setup->given_texts = NULL;
    setup->given_text_count = 0;
}

static enum trop_status copy(struct trop_setup *setup, const char *const *texts, int64_t count)
{
    int whole = (setup->given_texts = trop_alloc(count, sizeof *setup->given_texts)) != NULL;

    setup->given_text_count = count;
    for (int64_t k = 0; k < count && whole; k++) {
        const int64_t size = (int64_t)strlen(texts[k]) + 1;
        whole = (setup->given_texts[k] = trop_alloc(size, 1)) != NULL;
        if (whole) {
            memcpy(setup->given_texts[k], texts[k], (size_t)size);
        }
    }
    if (!whole) {
        trop_setup_free_texts(setup);
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld texts", (long long)count);
    }
    return TROP_OK;
}

enum trop_status trop_setup_texts(struct trop_setup *setup, const char *name,
                                  const char *const *texts, int64_t count)
{
    struct trop_setup_place place;
    enum trop_status status = trop_setup_locate(&place, setup, name);

    if (status == TROP_OK && strcmp(place.option->name, "text") != 0) {
        status = trop_fail(TROP_ERR_ARG, "%s: does not take several texts", place.option->name);
    }
    if (status == TROP_OK && count < 1) {
        status = trop_fail(TROP_ERR_ARG, "%s: there is no text", name);
    }
    for (int64_t k = 0; k < count && status == TROP_OK; k++) {
        status = *texts[k] ? TROP_OK
                           : trop_fail(TROP_ERR_ARG, "%s: text %lld (from 0) is empty", name,
                                       (long long)k);
    }
    if (status == TROP_OK) {
        status = trop_setup_keep(setup, &place, TROP_SETUP_MEMORY, 1);
    }
    return status == TROP_OK ? copy(setup, texts, count) : status;
}

const char *const *trop_setup_texts_of(int64_t *count, const struct trop_setup *setup)
{
    *count = setup->given_text_count;
    return (const char *const *)setup->given_texts;
}
