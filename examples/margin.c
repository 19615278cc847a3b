/* margin.c -- the max-margin direction of a small selection problem, with its proof.
 *
 * Two inputs of two tokens each; the first token is to win in both. This is the example of
 * figure 8 of "Max-Margin Token Selection in Attention Mechanism" in our numbers.
 */
#include <stdio.h>
#include <tropism.h>

int main(void)
{
    const double tokens[] = { 1, 0, 0, 0, /* input 0 */
                              0, 0, 2, 1 /* input 1 */ };
    const struct trop_data data = { .n = 2, .T = 2, .d = 2, .x = tokens };
    struct trop_margin_options options = trop_margin_options_default();
    struct trop_margin *margin = NULL;
    double lower, upper;

    options.data = &data;
    options.select = "0,0";
    if (trop_margin_create(&margin, &options) || trop_margin_run(margin, NULL, NULL) ||
        trop_margin_number(&lower, margin, "lower") ||
        trop_margin_number(&upper, margin, "upper")) {
        fprintf(stderr, "%s\n", trop_error());
        trop_margin_free(margin);
        return 1;
    }
    const double *p = trop_margin_weights(margin);
    printf("p = (%.6f, %.6f), norm %.6f, proved within %.0e\n", p[0], p[1], upper,
           upper / lower - 1 < 1e-12 ? 1e-12 : upper / lower - 1);
    trop_margin_free(margin);
    return 0;
}
