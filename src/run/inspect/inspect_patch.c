/* inspect_patch.c -- what hardmax in one head changes at the end of a model: what its softness is
 * worth. */
#include "run/inspect/inspect.h"

#include "base/alloc.h"
#include "base/math/exp.h"
#include "base/math/log.h"
#include "base/status.h"

#include <math.h>

static double mean_cosine(const double *a, const double *b, int64_t n, int64_t width)
{
    double sum = 0;

    for (int64_t t = 0; t < n; t++) {
        double ab = 0, aa = 0, bb = 0;
        for (int64_t c = 0; c < width; c++) {
            const double x = a[t * width + c], y = b[t * width + c];
            ab = fma(x, y, ab);
            aa = fma(x, x, aa);
            bb = fma(y, y, bb);
        }
        sum += ab / (sqrt(aa) * sqrt(bb));
    }
    return sum / (double)n;
}

/* Mean over rows of sum p log(p / q), p and q the softmax of a and b. */
static double mean_divergence(const double *a, const double *b, int64_t n, int64_t words)
{
    double sum = 0;

    for (int64_t t = 0; t < n; t++) {
        const double *x = a + t * words, *y = b + t * words;
        double top[2] = { x[0], y[0] }, total[2] = { 0, 0 }, mean = 0;
        for (int64_t w = 1; w < words; w++) {
            top[0] = fmax(top[0], x[w]);
            top[1] = fmax(top[1], y[w]);
        }
        for (int64_t w = 0; w < words; w++) {
            const double p = trop_exp(x[w] - top[0]);
            total[0] += p;
            total[1] += trop_exp(y[w] - top[1]);
            mean = fma(p, (x[w] - top[0]) - (y[w] - top[1]), mean);
        }
        sum += mean / total[0] - trop_log(total[0]) + trop_log(total[1]);
    }
    return sum / (double)n;
}

enum trop_status trop_inspect_patch_head(struct trop_inspect *i, struct trop_inspect_patches *p,
                                         int64_t h, int64_t text,
                                         const struct trop_transformer_layer *layer)
{
    const struct trop_architecture_config *config = trop_transformer_config(i->model);
    const int64_t n = i->text[text].n;
    enum trop_status status = trop_transformer_patch(p->hidden, layer, i->head[h].head);

    if (status == TROP_OK && config->logits) {
        status = trop_transformer_logits(p->patched, i->model, p->hidden, n);
    }
    if (status == TROP_OK) {
        double *value = i->head[h].value;
        value[TROP_INSPECT_PATCH_COSINE * i->texts + text] =
            mean_cosine(trop_transformer_hidden(p->pass), p->hidden, n, config->width);
        value[TROP_INSPECT_PATCH_KL * i->texts + text] =
            config->logits ? mean_divergence(p->logits, p->patched, n, config->vocab) : NAN;
    }
    return status;
}

enum trop_status trop_inspect_open_patches(struct trop_inspect_patches *p,
                                           const struct trop_inspect *i, int64_t text)
{
    const struct trop_architecture_config *config = trop_transformer_config(i->model);
    const int64_t n = i->text[text].n, words = config->logits ? config->vocab : 0;

    if (!(i->measures & TROP_INSPECT_PATCH)) {
        return TROP_OK;
    }
    if (!TROP_ALLOC(TROP_PART(p->hidden, trop_alloc_product(n, config->width)),
                    TROP_PART(p->logits, trop_alloc_product(n, words)),
                    TROP_PART(p->patched, trop_alloc_product(n, words)))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld hidden states", (long long)n);
    }
    return words > 0
               ? trop_transformer_logits(p->logits, i->model, trop_transformer_hidden(p->pass), n)
               : TROP_OK;
}
