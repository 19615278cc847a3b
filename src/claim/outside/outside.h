/* outside.h -- claims of a shared object, which a person names by its path.
 *
 * Opening one runs its code. Its claims are rows like those of the papers (tropism_claim.h), looked
 * through once, so that nothing else asks where a claim is from.
 */
#ifndef TROP_CLAIM_OUTSIDE_H
#define TROP_CLAIM_OUTSIDE_H

#include "claim/claim.h"

struct trop_outside;

/* Opens the file of a text "./mine.so" or "mine.so:ID" (run/code.h); *id is what stands behind its
 * last colon, in the text; NULL: nothing does. TROP_ERR_IO when it is not there, is no file of
 * claims, was made with another version of the header, or a row of it is wrong. */
enum trop_status trop_outside_open(struct trop_outside **out, const char **id, const char *text);
/* Its claims, and every text that they have, go with it. */
void trop_outside_close(struct trop_outside *outside);

/* Claim k = 0, 1, ...; NULL behind the last. */
const struct trop_claim *trop_outside_at(const struct trop_outside *outside, int64_t k);
/* NULL when there is none. */
const struct trop_claim *trop_outside_find(const struct trop_outside *outside, const char *id);
/* That its code runs; owned by outside. NULL: "". */
const char *trop_outside_notice(const struct trop_outside *outside);

/* ---- outside_rows.c ---- */

/* Refuses a row that is not whole, TROP_ERR_IO; path is what the sentence begins with. */
enum trop_status trop_outside_rows(const char *path, const struct trop_claim *const *claims,
                                   int64_t count);

/* ---- outside_api.c ---- */

extern const struct trop_claim_api trop_outside_api;

#endif
