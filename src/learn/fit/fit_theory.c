/* fit_theory.c -- is the theory visible: how far W is from max-margin solutions of several norms.
 *
 * Where E, v and the prompt stay as they were drawn and W alone is trained, a fit is the weight
 * flow of the theorems (science: Julistiono et al.): mirror descent with exponent p should turn
 * towards
 *
 *   W_mm = argmin |W|_p,  <x_a - x_t, W z> >= 1  for the token a that an item selects and others t,
 *
 * and not towards that of another exponent. An item selects the token with the most attention.
 * Words that an item has twice are one constraint, and none where they are a itself: the tokens are
 * equal, so no W parts them.
 *
 * Told for each exponent p: D(W_mm, W), the directional Bregman divergence of |.|_p^p / p; and the
 * cosine of grad psi(W) - grad psi(W_0), which is in the span of the constraints' matrices, with
 * grad psi(W_mm), which is too, while W_mm itself is not unless p = 2.
 */
#include "learn/fit/fit.h"

#include "base/alloc.h"
#include "base/status.h"
#include "margin/compare.h"
#include "learn/solution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST 100000 /* constraints */

/* ---- the problem ----------------------------------------------------------------------------- */

struct problem {
    struct trop_problem told;
    int64_t *slot;         /* (words) place among the points; -1: none */
    double *point, *query; /* rows of E that occur, and those of first tokens, or the prompt */
    int64_t *plus, *minus, *asked, *equal, *input, *token;
    double *right;
};

static void release(struct problem *p)
{
    TROP_FREE(p->slot, p->point, p->query, p->plus, p->minus, p->asked, p->equal, p->input,
              p->token, p->right);
}

/* The token of item i with the most attention. */
static int64_t best_of(const struct trop_fit *fit, int64_t i)
{
    const struct trop_sequences *s = fit->sequences;
    int64_t best = s->offsets[i];

    for (int64_t t = best + 1; t < s->offsets[i + 1]; t++) {
        best = fit->attention[t] > fit->attention[best] ? t : best;
    }
    return best;
}

/* 1 when an earlier token of the item, or the selected one, is the same word. */
static int is_again(const struct trop_sequences *s, int64_t from, int64_t t, int64_t best)
{
    int again = s->ids[t] == s->ids[best];

    for (int64_t e = from; e < t && !again; e++) {
        again = s->ids[e] == s->ids[t];
    }
    return again;
}

/* The constraints of the items of train, counted where p has no room yet. */
static int64_t list_constraints(struct problem *p, const struct trop_fit *fit)
{
    const struct trop_sequences *s = fit->sequences;
    const struct trop_fit_split *train = fit->split + TROP_SPLIT_TRAIN;
    int64_t count = 0;

    for (int64_t j = 0; j < train->items; j++) {
        const int64_t i = train->list[j], from = s->offsets[i], best = best_of(fit, i);
        for (int64_t t = from; t < s->offsets[i + 1]; t++) {
            if (is_again(s, from, t, best)) {
                continue;
            }
            if (p->plus) {
                p->plus[count] = s->ids[best];
                p->minus[count] = s->ids[t];
                p->asked[count] = fit->shape.query == TROP_FIT_FIRST ? s->ids[from] : 0;
                p->input[count] = j;
                p->token[count] = t - from;
                p->right[count] = 1;
            }
            count++;
        }
    }
    return count;
}

/* Words by number to rows of out that hold their vectors, in the order of their first use. */
static int64_t gather_rows(double *out, int64_t *slot, const struct trop_fit *fit, int64_t *list[2],
                           int64_t lists, int64_t count)
{
    const int64_t d = fit->shape.d;
    int64_t used = 0;

    for (int64_t w = 0; w < fit->shape.words; w++) {
        slot[w] = -1;
    }
    for (int64_t k = 0; k < lists * count; k++) {
        int64_t *word = list[k / count] + k % count;
        if (slot[*word] < 0) {
            memcpy(out + used * d, fit->value[TROP_FIT_LETTER_E] + *word * d,
                   (size_t)d * sizeof *out);
            slot[*word] = used++;
        }
        *word = slot[*word];
    }
    return used;
}

static enum trop_status make_problem(struct problem *p, const struct trop_fit *fit)
{
    const int64_t count = list_constraints(p, fit), d = fit->shape.d;
    const int64_t words = fit->shape.words < 2 * count ? fit->shape.words : 2 * count;

    if (count < 1 || count > MOST) {
        return trop_fail(TROP_ERR_ARG,
                         "theory: %lld constraints, must be 1 to %d: learn from fewer items",
                         (long long)count, MOST);
    }
    if (!TROP_ALLOC(TROP_PART(p->plus, count), TROP_PART(p->minus, count),
                    TROP_PART(p->asked, count), TROP_PART(p->equal, count),
                    TROP_PART(p->input, count), TROP_PART(p->token, count),
                    TROP_PART(p->right, count), TROP_PART(p->slot, fit->shape.words),
                    TROP_PART(p->point, words * d), TROP_PART(p->query, words * d))) {
        return trop_fail(TROP_ERR_MEMORY, "no memory for %lld constraints", (long long)count);
    }
    list_constraints(p, fit);
    p->told = (struct trop_problem){
        .rows = d,
        .columns = d,
        .queries = 1,
        .count = count,
        .point = p->point,
        .query = p->query,
        .plus = p->plus,
        .minus = p->minus,
        .asked = p->asked,
        .equal = p->equal,
        .right = p->right,
        .input = p->input,
        .token = p->token,
    };
    p->told.points =
        gather_rows(p->point, p->slot, fit, (int64_t *[]){ p->plus, p->minus }, 2, count);
    if (fit->shape.query == TROP_FIT_FIRST) {
        p->told.queries =
            gather_rows(p->query, p->slot, fit, (int64_t *[]){ p->asked, NULL }, 1, count);
    } else {
        memcpy(p->query, fit->value[TROP_FIT_LETTER_Z], (size_t)d * sizeof *p->query);
    }
    return TROP_OK;
}

/* ---- one exponent ---------------------------------------------------------------------------- */

/* The cosine of the duals, at unit norms, so that powers stay in range. */
static enum trop_status dual_cosine(double *out, const struct trop_fit_tensor *w,
                                    const double *solution, const struct trop_power *less)
{
    const int64_t n = w->rows * w->columns;
    double *a = trop_alloc(n, sizeof *a), *b = trop_alloc(n, sizeof *b);
    double sum = 0;

    if (a && b) {
        trop_power_all(a, w->values, n, less);
        trop_power_all(b, w->start, n, less);
        for (int64_t k = 0; k < n; k++) {
            a[k] -= b[k];
            sum += fabs(a[k]);
        }
        trop_power_all(b, solution, n, less);
        *out = sum > 0 ? trop_compare_cosine(a, b, n) : NAN;
    }
    const int whole = a && b;
    TROP_FREE(a, b);
    return whole ? TROP_OK : trop_fail(TROP_ERR_MEMORY, "no memory for W");
}

static enum trop_status compare(struct trop_fit_theory *out, const struct trop_fit *fit,
                                const struct problem *problem, double p)
{
    const struct trop_fit_tensor *w = fit->tensor + TROP_FIT_LETTER_W;
    const struct trop_power exponent = trop_power_of(p), less = trop_power_less_one(exponent);
    struct trop_margin_options o = trop_margin_options_default();
    struct trop_margin *margin = NULL;

    o.problem = &problem->told;
    o.norm = p == 2 ? TROP_MARGIN_L2 : TROP_MARGIN_LP;
    o.p = p;
    o.threads = fit->shape.threads;
    *out = (struct trop_fit_theory){
        .p = p, .constraints = problem->told.count, .norm = NAN, .divergence = NAN, .cosine = NAN
    };
    enum trop_status status = trop_solution_make(&margin, &o, NULL, 0, NULL, NULL);
    if (status == TROP_OK && margin) {
        const double *solution = trop_margin_weights(margin);
        const int64_t n = w->rows * w->columns;
        status = trop_margin_number(&out->norm, margin, "norm");
        out->divergence = trop_compare_bregman(solution, w->values, n, &exponent, &less);
        if (status == TROP_OK) {
            status = dual_cosine(&out->cosine, w, solution, &less);
        }
    }
    trop_margin_free(margin);
    return status;
}

enum trop_status trop_fit_theory_check(const struct trop_fit_options *o)
{
    int64_t count = 0;

    if (!o->theory) {
        return TROP_OK;
    }
    if (!o->trained || strcmp(o->trained, "W") != 0 || o->heads != 1 || o->positions ||
        o->layers > 0 || o->query == TROP_FIT_EACH || !o->sequences->ids) {
        return trop_fail(TROP_ERR_ARG, "theory: is about words, one head and a W that alone is "
                                       "trained (trained = W), without positions and layers, "
                                       "with the first token or the prompt as query");
    }
    for (const char *at = o->theory; at; count++) {
        char *end = NULL;
        const double p = strtod(at, &end);
        if (end == at || !(p > 1 && p <= 1000) || (*end && *end != ',') ||
            count == TROP_FIT_THEORIES) {
            return trop_fail(
                TROP_ERR_ARG,
                "theory = %s: must be at most %d exponents above 1, separated by commas", o->theory,
                TROP_FIT_THEORIES);
        }
        at = *end ? end + 1 : NULL;
    }
    return TROP_OK;
}

enum trop_status trop_fit_theory(struct trop_fit *fit)
{
    struct problem problem = { 0 };
    enum trop_status status = TROP_OK;

    fit->theory_count = 0;
    if (!fit->options.theory) {
        return TROP_OK;
    }
    status = make_problem(&problem, fit);
    for (const char *at = fit->options.theory; at && status == TROP_OK;) {
        char *end = NULL;
        const double p = strtod(at, &end);
        status = compare(fit->theory + fit->theory_count++, fit, &problem, p);
        at = *end ? end + 1 : NULL;
    }
    release(&problem);
    return status;
}
