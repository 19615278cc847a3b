/* fit_network_make.c -- the shapes and the memory of fit_network.h. */
#include "learn/fit/fit_network.h"

#include "base/alloc.h"
#include "base/status.h"
#include "kernel/kernel_gradient.h"

/* Groups of items whose dW is one sum, at most: a number of the batch alone, so that the order of
 * the sums is. */
#define GROUPS 64

const char *const trop_fit_network_names[] = { "E", "P", "z", "W", "K", "Q", "v", "a", "b", NULL };

void trop_fit_network_sizes(int64_t rows[TROP_FIT_LETTERS], int64_t columns[TROP_FIT_LETTERS],
                            const struct trop_fit_shape *s)
{
    const int64_t d = s->d, heads = s->heads;
    const struct {
        int64_t rows, columns, is_there;
    } sizes[TROP_FIT_LETTERS] = {
        [TROP_FIT_LETTER_E] = { s->words > 0 ? s->words : s->inputs, d, s->embeds },
        [TROP_FIT_LETTER_P] = { s->places, d, s->places > 0 },
        [TROP_FIT_LETTER_Z] = { 1, d, heads > 0 && s->query == TROP_FIT_PROMPT },
        [TROP_FIT_LETTER_W] = { heads * d, d, heads > 0 && s->width == 0 },
        [TROP_FIT_LETTER_K] = { heads * d, s->width, heads > 0 && s->width > 0 },
        [TROP_FIT_LETTER_Q] = { heads * d, s->width, heads > 0 && s->width > 0 },
        [TROP_FIT_LETTER_V] = { s->outputs, (heads > 0 ? heads : 1) * d, 1 },
        [TROP_FIT_LETTER_A] = { 1, 1, s->layers > 0 },
        [TROP_FIT_LETTER_B] = { 1, s->outputs, s->bias },
    };

    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        rows[k] = sizes[k].is_there ? sizes[k].rows : 0;
        columns[k] = sizes[k].is_there ? sizes[k].columns : 0;
    }
}

static void free_rows(struct trop_fit_rows *rows)
{
    TROP_FREE(rows->row, rows->start, rows->token);
}

void trop_fit_network_free(struct trop_fit_network *n)
{
    if (!n) {
        return;
    }
    for (int64_t k = 0; n->room && k < n->workers; k++) {
        TROP_FREE(n->room[k].x, n->room[k].turned, n->room[k].u, n->room[k].pulled, n->room[k].s,
                  n->room[k].score, n->room[k].lead, n->room[k].k, n->room[k].w, n->room[k].zero,
                  n->room[k].f, n->room[k].stage, n->room[k].drift, n->room[k].link,
                  n->room[k].scaled, n->room[k].given, n->room[k].slopes);
    }
    for (int k = 0; k < TROP_FIT_LETTERS; k++) {
        trop_alloc_free(n->gradient[k]);
    }
    free_rows(&n->words);
    free_rows(&n->spots);
    TROP_FREE(n->room, n->w, n->turned, n->prompt, n->u, n->at, n->slot, n->id, n->near, n->owner,
              n->factor, n->term, n->dx, n->pull, n->z, n->dz, n->o, n->slope, n->loss_of,
              n->gained, n->parts, n->sum, n->dw, n);
}

static int make_room(struct trop_fit_network *n, struct trop_fit_room *room)
{
    const struct trop_fit_shape *s = &n->shape;
    const int each = s->query == TROP_FIT_EACH && s->heads > 0;
    const int64_t heads = s->heads > 0 ? s->heads : 1, pairs = each ? s->longest : 0;
    const int64_t columns = heads * s->d, tokens = s->layers > 0 ? s->longest : 0;
    const int64_t kept = trop_alloc_product(s->layers, s->longest);

    return TROP_ALLOC(
        TROP_PART(room->x, s->longest * n->stride),
        TROP_PART(room->turned, each || s->layers > 0 ? n->stride * n->wide : 0),
        TROP_PART(room->u, (each ? s->longest : heads) * n->stride),
        TROP_PART(room->pulled, pairs * n->stride), TROP_PART(room->s, heads * n->wide),
        TROP_PART(room->score, heads * pairs * n->wide),
        TROP_PART(room->lead, n->wide > n->stride ? n->wide : n->stride),
        TROP_PART(room->k, n->wide > columns ? n->wide : columns), TROP_PART(room->w, n->stride),
        TROP_PART(room->zero, n->wide > n->stride ? n->wide : n->stride),
        TROP_PART(room->f, s->outputs), TROP_PART(room->stage, trop_alloc_product(kept, n->stride)),
        TROP_PART(room->drift, trop_alloc_product(kept, n->stride)),
        TROP_PART(room->link, trop_alloc_product(kept, n->wide)),
        TROP_PART(room->scaled, tokens * n->stride), TROP_PART(room->given, tokens * n->stride),
        TROP_PART(room->slopes, tokens * n->wide));
}

static int make_rows(struct trop_fit_rows *rows, int64_t of, int64_t tokens)
{
    const int64_t most = of < tokens ? of : tokens;

    return TROP_ALLOC(TROP_PART(rows->row, most), TROP_PART(rows->start, most + 1),
                      TROP_PART(rows->token, of > 0 ? tokens : 0));
}

/* The gradient of a tensor; of one whose rows are collected, as many as a batch has tokens. */
static int make_gradients(struct trop_fit_network *n)
{
    int whole = 1;

    for (int k = 0; k < TROP_FIT_LETTERS && whole; k++) {
        const int some = (k == TROP_FIT_LETTER_E && n->shape.words > 0) || k == TROP_FIT_LETTER_P;
        const int64_t rows = some && n->rows[k] > n->shape.tokens ? n->shape.tokens : n->rows[k];
        n->gradient[k] = trop_alloc(trop_alloc_product(rows, n->columns[k]), sizeof(double));
        whole = n->gradient[k] != NULL;
    }
    return whole;
}

static int make_all(struct trop_fit_network *n)
{
    const struct trop_fit_shape *s = &n->shape;
    const int64_t heads = s->heads, square = heads * s->d * n->stride;
    const int each = s->query == TROP_FIT_EACH && heads > 0;
    int whole = TROP_ALLOC(
        TROP_PART(n->room, n->workers), TROP_PART(n->w, square), TROP_PART(n->turned, square),
        TROP_PART(n->prompt, n->stride), TROP_PART(n->u, heads * n->stride),
        TROP_PART(n->at, s->batch + 1), TROP_PART(n->slot, s->words), TROP_PART(n->id, s->tokens),
        TROP_PART(n->near, (s->words < s->tokens ? s->words : s->tokens) * s->d),
        TROP_PART(n->owner, s->tokens), TROP_PART(n->factor, s->tokens * n->terms),
        TROP_PART(n->term, s->batch * n->terms * n->stride),
        TROP_PART(n->dx, n->terms > 0 ? 0 : trop_alloc_product(s->tokens, n->stride)),
        TROP_PART(n->dz, n->terms > 0 ? s->batch * n->stride : 0),
        TROP_PART(n->pull, s->batch * heads * n->stride), TROP_PART(n->z, s->batch * n->stride),
        TROP_PART(n->o, s->batch * (heads > 0 ? heads : 1) * s->d),
        TROP_PART(n->slope, s->batch * s->outputs), TROP_PART(n->loss_of, s->batch),
        TROP_PART(n->gained, s->layers > 0 ? s->batch : 0),
        TROP_PART(n->parts, each ? n->groups * square : 0), TROP_PART(n->sum, heads * n->stride),
        TROP_PART(n->dw, square));

    whole = whole && make_rows(&n->words, s->words, s->tokens) &&
            make_rows(&n->spots, s->places, s->tokens) && make_gradients(n);
    for (int64_t k = 0; whole && k < n->workers; k++) {
        whole = make_room(n, n->room + k);
    }
    for (int64_t k = 0; whole && k < s->words; k++) {
        n->slot[k] = -1;
    }
    return whole;
}

enum trop_status trop_fit_network_create(struct trop_fit_network **out,
                                         const struct trop_fit_shape *shape)
{
    struct trop_fit_network *n = trop_alloc(1, sizeof *n);

    if (n) {
        n->shape = *shape;
        n->kernel = trop_kernel_choose(0);
        n->stride = trop_kernel_gradient_width(shape->d);
        n->wide = trop_kernel_gradient_width(shape->longest);
        n->groups = shape->batch < GROUPS ? shape->batch : GROUPS;
        n->workers = shape->threads;
        if (shape->words > 0 && shape->layers == 0 &&
            (shape->query != TROP_FIT_EACH || shape->heads == 0)) {
            n->terms = shape->heads > 0 ? 2 * shape->heads : 1;
        }
        trop_fit_network_sizes(n->rows, n->columns, shape);
    }
    if (!n || !make_all(n)) {
        trop_fit_network_free(n);
        return trop_fail(TROP_ERR_MEMORY, "no memory for batches of %lld tokens in %lld dimensions",
                         (long long)shape->tokens, (long long)shape->d);
    }
    *out = n;
    return TROP_OK;
}
