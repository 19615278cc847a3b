/* train.c -- attention that is trained finds a max-margin direction: which one depends on where it
 * starts. The data are those of margin.c, with scores 1 for the first token and 0 for the second.
 */
#include <stdio.h>
#include <tropism.h>

static int train_from(double x, double y)
{
    /* The third coordinate is the score, which the decoder reads; keys have only the first two. */
    const double tokens[] = { 1, 0, 1, 0, 0, 0, 0, 0, 1, 2, 1, 0 };
    const double keys[] = { 1, 0, 0, 0, 0, 0, 2, 1 };
    const double v[] = { 0, 0, 1 }, start[] = { x, y };
    const struct trop_data data = {
        .n = 2, .T = 2, .d = 3, .x = tokens, .v = v, .k = keys, .dk = 2
    };
    struct trop_train_options options = trop_train_options_default();
    struct trop_train *train = NULL;
    struct trop_value p;
    double correlation;

    options.data = &data;
    options.start = TROP_TRAIN_GIVEN;
    options.start_weights = start;
    options.steps = 10000;
    if (trop_train_create(&train, &options) || trop_train_run(train, NULL, NULL) ||
        trop_train_value(&p, train, "weights.p") ||
        trop_train_number(&correlation, train, "correlation")) {
        fprintf(stderr, "%s\n", trop_error());
        trop_train_free(train);
        return 1;
    }
    printf("from (%g, %g) to (%.1f, %.1f), correlation with its max-margin direction %.6f\n", x, y,
           p.numbers[0], p.numbers[1], correlation);
    trop_train_free(train);
    return 0;
}

int main(void)
{
    return train_from(0, 0) || train_from(3, 0);
}
