/* claim_run.c -- the functions of a claim, as parts of a case. */
#include "claim/claim.h"

#include "base/status.h"
#include "claim/edit.h"
#include "claim/table.h"

struct part {
    const struct trop_claim *claim;
    const struct trop_hypothesis *hypothesis;
    struct trop_judge *judge;
    struct trop_figure *figure;
    int64_t k;
};

/* A part that calls a function of the claim, or what stands in its place. */
#define PART(name, function, otherwise, ...) \
    static void name(void *context, struct trop_case *c) \
    { \
        const struct part *p = context; \
        if (p->function) { \
            p->function(__VA_ARGS__); \
        } else { \
            otherwise; \
        } \
    }

PART(draw, claim->run.draw, trop_table_draw(p->claim->table, c), c)
PART(work, claim->run.work, trop_table_work(p->claim->table, c), c)
PART(suppose, claim->suppose, (void)0, c)
PART(exhibit, claim->exhibit, trop_case_try(c, trop_edit(c, p->claim, p->claim->exhibited[p->k])),
     c, p->k)
PART(assume, hypothesis->judge, trop_edit_judge(p->judge, c, p->hypothesis->holds), p->judge, c)
PART(conclude, claim->run.conclude, trop_table_conclude(p->claim->table, p->judge, c), p->judge, c)
PART(picture, claim->run.picture,
     trop_table_picture(p->claim->table, p->figure, c,
                        p->claim->source == TROP_CLAIM_PAPER ? "published" : "independent program"),
     p->figure, c)

enum trop_status trop_claim_draw(const struct trop_claim *claim, struct trop_case *c)
{
    return trop_case_part(c, draw, &(struct part){ .claim = claim });
}

enum trop_status trop_claim_work(const struct trop_claim *claim, struct trop_case *c)
{
    return trop_case_part(c, work, &(struct part){ .claim = claim });
}

enum trop_status trop_claim_suppose(const struct trop_claim *claim, struct trop_case *c)
{
    return trop_case_part(c, suppose, &(struct part){ .claim = claim });
}

enum trop_status trop_claim_exhibit(const struct trop_claim *claim, struct trop_case *c, int64_t k)
{
    return trop_case_part(c, exhibit, &(struct part){ .claim = claim, .k = k });
}

enum trop_status trop_claim_assume(const struct trop_hypothesis *hypothesis,
                                   struct trop_judge *judge, struct trop_case *c)
{
    return trop_case_part(c, assume, &(struct part){ .hypothesis = hypothesis, .judge = judge });
}

enum trop_status trop_claim_conclude(const struct trop_claim *claim, struct trop_judge *judge,
                                     struct trop_case *c)
{
    enum trop_status status =
        trop_case_part(c, conclude, &(struct part){ .claim = claim, .judge = judge });

    return status == TROP_OK && judge->failed
               ? trop_fail(TROP_ERR_MEMORY, "no memory for what %s measures", claim->id)
               : status;
}

enum trop_status trop_claim_picture(const struct trop_claim *claim, struct trop_figure *figure,
                                    struct trop_case *c)
{
    return trop_case_part(c, picture, &(struct part){ .claim = claim, .figure = figure });
}
