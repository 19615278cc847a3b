/* dataset_drawn.c -- data sets whose laws are published, drawn by base/rng.h.
 *
 * Every number has a name (set, part, row, coordinate), so that a larger n or T adds inputs or
 * tokens and changes none.
 */
#include "run/dataset/dataset.h"

#include "base/rng.h"

#include <math.h>

/* These values are part of every stored result: new ones go at the end. */
enum set { FIG_9, NTP, BENIGN, BENIGN2 };
enum part { TOKENS, DECODER, LABELS, FLIPS, IDS, FOLLOWERS, VOCABULARY };

/* The row of a part of a set, as the first index of a draw: n T stays below 2^48. */
static uint64_t row_of(enum set set, enum part part, int64_t row)
{
    return (uint64_t)set << 56 | (uint64_t)part << 48 | (uint64_t)row;
}

/* Token t of input i, whatever T is. */
static int64_t token_of(int64_t i, int64_t t)
{
    return i << 24 | t;
}

static double label(const struct trop_dataset_draft *draft, enum set set, int64_t i)
{
    uint64_t bits = trop_rng_bits(draft->seed, TROP_RNG_DATA, row_of(set, LABELS, i), 0);

    return bits & 1 ? 1.0 : -1.0;
}

/* 1 with this probability. */
static int is_flipped(const struct trop_dataset_draft *draft, enum set set, int64_t i, double noise)
{
    return trop_rng_uniform(draft->seed, TROP_RNG_DATA, row_of(set, FLIPS, i), 0) < noise;
}

static int64_t choice(const struct trop_dataset_draft *draft, uint64_t row, int64_t count)
{
    /* 2^64 mod count over 2^64 is the bias: below 1e-15 for counts up to 10^4. */
    return (int64_t)(trop_rng_bits(draft->seed, TROP_RNG_DATA, row, 0) % (uint64_t)count);
}

static void normals(double *out, const struct trop_dataset_draft *draft, uint64_t row, int64_t d)
{
    for (int64_t c = 0; c < d; c++) {
        out[c] = trop_rng_normal(draft->seed, TROP_RNG_DATA, row, (uint64_t)c);
    }
}

void trop_dataset_drawn_fig_9(struct trop_dataset_draft *draft)
{
    const struct trop_data *size = &draft->size;

    for (int64_t i = 0; i < size->n; i++) {
        for (int64_t t = 0; t < size->T; t++) {
            trop_rng_sphere(draft->x + (i * size->T + t) * size->d, size->d, draft->seed,
                            TROP_RNG_DATA, row_of(FIG_9, TOKENS, token_of(i, t)));
        }
        draft->y[i] = label(draft, FIG_9, i);
    }
    trop_rng_sphere(draft->v, size->d, draft->seed, TROP_RNG_DATA, row_of(FIG_9, DECODER, 0));
}

/* Embeddings uniform on the sphere, words uniform, and the word that follows is that at a uniform
 * place of the input, since the theory asks that it occurs there (Li, Huang, Ildiz, Rawat, Oymak,
 * "Mechanics of Next Token Prediction with Self-Attention", 2024). */
void trop_dataset_drawn_ntp(struct trop_dataset_draft *draft)
{
    const struct trop_data *size = &draft->size;

    for (int64_t w = 0; w < size->words; w++) {
        trop_rng_sphere(draft->vocabulary + w * size->d, size->d, draft->seed, TROP_RNG_DATA,
                        row_of(NTP, VOCABULARY, w));
    }
    for (int64_t i = 0; i < size->n; i++) {
        double *ids = draft->ids + i * size->T;
        for (int64_t t = 0; t < size->T; t++) {
            uint64_t row = row_of(NTP, IDS, token_of(i, t));
            ids[t] = (double)choice(draft, row, size->words);
        }
        draft->next[i] = ids[choice(draft, row_of(NTP, FOLLOWERS, i), size->T)];
    }
}

/* Normal tokens. Input i of the true label + has signal s e_1 in token 0, rho s e_1 in token 1 and
 * rho s e_2 in token 2; one of label - has e_1 and e_2 exchanged. The label that is seen is flipped
 * with probability 0.2. v = (e_1 - e_2) / (sqrt(2) s). Sakamoto and Sato, "Benign or Not-Benign
 * Overfitting in Token Selection of Attention Mechanism" (2025): rho = 0.1, s = 20. */
void trop_dataset_drawn_benign(struct trop_dataset_draft *draft)
{
    const double s = 20.0, rho = 0.1, noise = 0.2;
    const struct trop_data *size = &draft->size;

    for (int64_t i = 0; i < size->n; i++) {
        double *x = draft->x + i * size->T * size->d;
        double truth = label(draft, BENIGN, i);
        int64_t own = truth > 0.0 ? 0 : 1;
        for (int64_t t = 0; t < size->T; t++) {
            normals(x + t * size->d, draft, row_of(BENIGN, TOKENS, token_of(i, t)), size->d);
        }
        x[own] += s;
        x[size->d + own] += rho * s;
        x[2 * size->d + 1 - own] += rho * s;
        draft->y[i] = is_flipped(draft, BENIGN, i, noise) ? -truth : truth;
    }
    draft->v[0] = 1.0 / (sqrt(2.0) * s);
    draft->v[1] = -draft->v[0];
}

/* Token 0 is the signal, s e_1 or s e_2 by the true label; token 1 is normal in the other d - 2
 * coordinates; the label that is seen is flipped with probability 0.1. Magen, Shang, Xu, Frei, Hu,
 * Vardi, "Benign Overfitting in Single-Head Attention" (2024), whose law this is; s = 20, the
 * noise and v, as above, are ours. */
void trop_dataset_drawn_benign2(struct trop_dataset_draft *draft)
{
    const double s = 20.0, noise = 0.1;
    const struct trop_data *size = &draft->size;

    for (int64_t i = 0; i < size->n; i++) {
        double *x = draft->x + i * 2 * size->d;
        double truth = label(draft, BENIGN2, i);
        x[truth > 0.0 ? 0 : 1] = s;
        normals(x + size->d + 2, draft, row_of(BENIGN2, TOKENS, token_of(i, 1)), size->d - 2);
        draft->y[i] = is_flipped(draft, BENIGN2, i, noise) ? -truth : truth;
    }
    draft->v[0] = 1.0 / (sqrt(2.0) * s);
    draft->v[1] = -draft->v[0];
}
