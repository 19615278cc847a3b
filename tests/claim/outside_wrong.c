/* outside_wrong.c -- files that a program refuses: WRONG says how. */
#include <tropism_claim.h>

#include <stddef.h>

enum { VERSION = 1, SIZE, SILENT, ENTRYLESS };

#if WRONG != 4
const struct trop_claim_file *tropism_claims(const struct trop_claim_api *api)
{
    static struct trop_claim_file file = {
        TROP_CLAIM_ABI,
        (int64_t)sizeof(struct trop_claim_file),
        (int64_t)sizeof(struct trop_claim_api),
        (int64_t)sizeof(struct trop_claim),
        (int64_t)sizeof(struct trop_hypothesis),
        (int64_t)sizeof(struct trop_spoil),
        (int64_t)sizeof(struct trop_input),
        0,
        NULL,
    };

    (void)api;
    file.abi = TROP_CLAIM_ABI + (WRONG == VERSION);
    file.claim_size = (int64_t)sizeof(struct trop_claim) + 8 * (WRONG == SIZE);
    return WRONG == SILENT ? NULL : &file;
}
#else
int tropism_has_none(void);

int tropism_has_none(void)
{
    return ENTRYLESS;
}
#endif
