/* proof_standing.c -- whether others can check what certifies a result.
 *
 * The words of a certificate are the texts certificate.kind, or at the two ends of a bracket
 * certificate.low and certificate.high; of a check its verdict. A kind of claim names the words
 * that rest on it; a word is proved when every kind that names it has a claim for each place where
 * it stands.
 * Results without such words, of which numbers are called proved, say it by their noun.
 */
#include "run/proof/proof.h"

#include "base/field.h"

#include <string.h>

#define WORDS 4

/* Words that certify nothing by themselves. */
static int is_empty(const char *word)
{
    static const char *const empty[] = { "none",  "metastable",       "sliding",       "bracket",
                                         "least", "hypothesis-fails", "not-decidable", "holds" };

    for (size_t k = 0; k < sizeof empty / sizeof empty[0]; k++) {
        if (strcmp(empty[k], word) == 0) {
            return 1;
        }
    }
    return 0;
}

static int64_t words_of(const char *words[WORDS], const struct trop_job *job)
{
    static const char *const names[] = { "certificate.kind", "certificate.low", "certificate.high",
                                         "verdict" };
    int64_t count = 0;

    for (const struct trop_field *field = trop_job_field_table(job); field->name; field++) {
        for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
            struct trop_value value = { 0 };
            if (strcmp(field->name, names[k]) == 0 && count < WORDS &&
                trop_field_read(&value, field, (void *)trop_job_result(job), 0) == TROP_OK &&
                value.kind == TROP_KIND_TEXT && !is_empty(value.text)) {
                words[count++] = value.text;
            }
        }
    }
    return count;
}

/* 1 when a list of words, separated by blanks, has this one. */
static int has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = list; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, word, length) == 0 && (at[length] == ' ' || !at[length])) {
            return 1;
        }
    }
    return 0;
}

/* Whether claims stand for the word in so many places. */
static int is_proved(const struct trop_job *job, const char *word, int64_t places)
{
    int found = 0;

    for (const struct trop_proof_kind *kind = job->noun->proofs; kind->name; kind++) {
        if (has_word(kind->certifies, word)) {
            if (kind->count(job) < places) {
                return 0;
            }
            found = 1;
        }
    }
    return found;
}

enum trop_status trop_proof_standing(struct trop_value *out, void *handle, int64_t row)
{
    const struct trop_job *job = handle;
    const char *words[WORDS] = { NULL };
    int proved = 1;

    (void)row;
    const int64_t count = job->noun->proofs ? words_of(words, job) : 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t places = 0;
        for (int64_t l = 0; l < count; l++) {
            places += strcmp(words[k], words[l]) == 0;
        }
        proved = proved && is_proved(job, words[k], places);
    }
    const int stands = count > 0           ? proved
                       : job->noun->stands ? job->noun->stands(job->numbers)
                                           : -1;
    if (stands >= 0) {
        trop_field_text(out, stands ? "proved" : "asserted");
    }
    return TROP_OK;
}
