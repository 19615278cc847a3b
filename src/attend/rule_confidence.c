/* rule_confidence.c -- bounded confidence (Hegselmann and Krause): equal weights on
 * the tokens within a radius, |x_j - x_i| <= r, decided exactly. Scores play no
 * part. */
#include "attend/decide.h"
#include "attend/rule.h"

static void weigh(struct trop_row *row)
{
    const struct trop_scene *scene = row->scene;
    const double *xi = scene->x + row->i * scene->d;

    row->count = 0;
    for (int64_t j = 0; j < row->n; j++) {
        if (trop_decide_distance(xi, scene->x + j * scene->d, scene->d,
                                 scene->numbers.confidence) <= 0) {
            row->support[row->count++] = j;
        }
    }
    trop_row_level(row);
}

const struct trop_rule trop_rule_confidence = {
    .name = "confidence",
    .meaning = "equal weights on the tokens within a distance",
    .uses = TROP_RULE_USES_CONFIDENCE,
    .set = 1,
    .weigh = weigh,
};
