/* test_transformer.c -- transformers against NumPy in double: streams, queries, keys, values,
 * scores, logits and patches of every layer and head.
 *
 * tests/data/forward.npy has what tests/model/forward.py gives for the seven models of
 * small_models.h, in the order in which `compare` asks. */
#include "small_models.h"

#include "alloc_failing.c"
#include "io/npy.h"
#include "model/net/transformer.h"

#define N 5
static const int64_t ids[N] = { 3, 7, 1, 0, 10 };

/* ---- against NumPy -------------------------------------------------------------------------- */

struct expected {
    struct trop_array all;
    int64_t at;
};

static const char *data_path(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/tests/data/%s", getenv("TROP_SOURCE"), name);
    return path;
}

/* The next count numbers, relative to the largest of them. */
static void compare(struct expected *e, const double *got, int64_t count, const char *what,
                    int64_t model, int64_t layer)
{
    const double *want = e->all.data + e->at;
    double largest = 0, off = 0;

    assert_true(e->at + count <= e->all.shape[0]);
    for (int64_t k = 0; k < count; k++) {
        largest = fmax(largest, fabs(want[k]));
        off = fmax(off, fabs(got[k] - want[k]));
        assert_true(isfinite(got[k]));
    }
    if (!(off <= 1e-13 * largest)) { /* measured: 1.6e-15 */
        fail_msg("model %d, layer %d: %s: off by %.3g of %.3g", (int)model, (int)layer, what, off,
                 largest);
    }
    e->at += count;
}

/* Scores of a head as head.h defines them; 0 where a row does not see. */
static void scores_of(double *out, const struct trop_head_input *h)
{
    for (int64_t i = 0; i < h->n; i++) {
        for (int64_t j = 0; j < h->n; j++) {
            double s = 0;
            for (int64_t e = 0; e < h->d; e++) {
                s = fma(h->q[i * h->d + e], h->k[j * h->d + e], s);
            }
            const int seen = (!h->causal || j <= i) && (h->window == 0 || j > i - h->window);
            out[i * h->n + j] = seen ? h->scale * s : 0;
        }
    }
}

static void compare_layer(struct expected *e, const struct trop_transformer_pass *pass,
                          const struct trop_architecture_config *c, int64_t model, int64_t l)
{
    struct trop_transformer_layer *layer = NULL;
    struct trop_head_input head;
    const int64_t share = c->heads / c->kv_heads;
    double score[N * N];

    assert_ok(trop_transformer_layer(&layer, pass, l));
    for (int64_t h = 0; h < c->heads; h++) {
        trop_transformer_head(&head, layer, h);
        compare(e, head.q, N * head.d, "q", model, l);
    }
    for (int64_t h = 0; h < c->kv_heads; h++) {
        trop_transformer_head(&head, layer, h * share + share - 1);
        compare(e, head.k, N * head.d, "k", model, l);
    }
    for (int64_t h = 0; h < c->kv_heads; h++) {
        trop_transformer_head(&head, layer, h * share);
        compare(e, head.v, N * head.d, "v", model, l);
    }
    for (int64_t h = 0; h < c->heads; h++) {
        trop_transformer_head(&head, layer, h);
        scores_of(score, &head);
        compare(e, score, N * N, "scores", model, l);
    }
    compare(e, head.hat, N * WIDTH, "hat", model, l);
    trop_transformer_layer_free(layer);
}

static void compare_model(struct expected *e, int64_t k, int64_t threads)
{
    struct trop_transformer *model = NULL;
    struct trop_transformer_pass *pass = NULL;
    struct trop_transformer_layer *layer = NULL;
    double logits[N * VOCAB], hidden[N * WIDTH];

    assert_ok(trop_transformer_open(&model, small_model((int)k, NULL, NULL, NULL), threads));
    assert_ok(trop_transformer_run(&pass, model, ids, NULL, N));
    const struct trop_architecture_config *c = trop_transformer_config(model);
    for (int64_t l = 0; l <= c->layers; l++) {
        compare(e, trop_transformer_stream(pass, l), N * WIDTH, "stream", k, l);
    }
    for (int64_t l = 0; l < c->layers; l++) {
        compare_layer(e, pass, c, k, l);
    }
    compare(e, trop_transformer_hidden(pass), N * WIDTH, "hidden", k, -1);
    if (c->causal) {
        assert_ok(trop_transformer_logits(logits, model, trop_transformer_hidden(pass), N));
        compare(e, logits, N * VOCAB, "logits", k, -1);
    } else {
        assert_int_equal(trop_transformer_logits(logits, model, hidden, N), TROP_ERR_UNSUPPORTED);
    }
    assert_ok(trop_transformer_layer(&layer, pass, 0));
    assert_ok(trop_transformer_patch(hidden, layer, 1));
    compare(e, hidden, N * WIDTH, "patch", k, 0);
    trop_transformer_layer_free(layer);
    trop_transformer_free(pass);
    trop_transformer_close(model);
    small_clear();
}

static void every_family_agrees_with_numpy(void **state)
{
    struct expected e = { .at = 0 };

    (void)state;
    assert_ok(trop_npy_read(&e.all, data_path("forward.npy")));
    for (int64_t k = 0; k < SMALL_MODELS; k++) {
        compare_model(&e, k, 1 + k % 3);
    }
    assert_int_equal(e.at, e.all.shape[0]);
    trop_array_free(&e.all);
    assert_int_equal(alloc_live, 0);
}

/* ---- what is folded ------------------------------------------------------------------------- */

/* x (d) turned by sign times the angles of token i. */
static void turn(double *x, const struct trop_head_input *h, int64_t i, double sign)
{
    for (int64_t p = 0; h->angle && p < h->d / 2; p++) {
        double *a = x + (h->halves ? p : 2 * p), *b = x + (h->halves ? p + h->d / 2 : 2 * p + 1);
        const double angle = sign * h->angle[i * (h->d / 2) + p], first = *a;
        *a = first * cos(angle) - *b * sin(angle);
        *b = first * sin(angle) + *b * cos(angle);
    }
}

/* q = R (wq x^ + bq); k less R wk x^ is one vector, turned. */
static void check_folded(const struct trop_head_input *h)
{
    double constant[24] = { 0 };

    for (int64_t i = 0; i < h->n; i++) {
        double q[24], k[24];
        memcpy(k, h->k + i * h->d, (size_t)h->d * sizeof *k);
        turn(k, h, i, -1);
        for (int64_t e = 0; e < h->d; e++) {
            q[e] = h->bq[e];
            for (int64_t c = 0; c < h->width; c++) {
                q[e] += h->wq[e * h->width + c] * h->hat[i * h->width + c];
                k[e] -= h->wk[e * h->width + c] * h->hat[i * h->width + c];
            }
            constant[e] = i == 0 ? k[e] : constant[e];
            assert_near(k[e], constant[e], 1e-13);
        }
        turn(q, h, i, 1);
        for (int64_t e = 0; e < h->d; e++) {
            assert_near(q[e], h->q[i * h->d + e], 1e-13);
        }
    }
}

static void gains_are_folded_into_queries_and_keys(void **state)
{
    (void)state;
    for (int k = 0; k < SMALL_MODELS; k++) {
        struct trop_transformer *model = NULL;
        struct trop_transformer_pass *pass = NULL;
        assert_ok(trop_transformer_open(&model, small_model(k, NULL, NULL, NULL), 2));
        assert_ok(trop_transformer_run(&pass, model, ids, NULL, N));
        const struct trop_architecture_config *c = trop_transformer_config(model);
        for (int64_t l = 0; l < c->layers; l++) {
            struct trop_transformer_layer *layer = NULL;
            assert_ok(trop_transformer_layer(&layer, pass, l));
            for (int64_t h = 0; h < c->heads; h++) {
                struct trop_head_input head;
                trop_transformer_head(&head, layer, h);
                check_folded(&head);
            }
            trop_transformer_layer_free(layer);
        }
        trop_transformer_free(pass);
        trop_transformer_close(model);
        small_clear();
    }
}

static void the_output_matrix_is_that_of_the_file(void **state)
{
    static const struct {
        int model;
        const char *name;
        int64_t row, column; /* steps of wo's row and of the head's coordinate in the file */
    } cases_of[] = {
        { 0, "encoder.layer.1.attention.output.dense.weight", WIDTH, 1 },
        { 2, "transformer.h.1.attn.c_proj.weight", 1, WIDTH },
        { 3, "model.layers.1.self_attn.o_proj.weight", 24, 1 },
    };

    (void)state;
    for (int k = 0; k < 3; k++) {
        struct trop_transformer *model = NULL;
        struct trop_transformer_pass *pass = NULL;
        struct trop_transformer_layer *layer = NULL;
        struct trop_head_input h;
        const int64_t head = 1;
        const char *path = small_model(cases_of[k].model, NULL, NULL, NULL);
        assert_ok(trop_transformer_open(&model, path, 1));
        assert_ok(trop_transformer_run(&pass, model, ids, NULL, N));
        assert_ok(trop_transformer_layer(&layer, pass, 1));
        trop_transformer_head(&h, layer, head);
        for (int64_t r = 0; r < WIDTH; r++) {
            for (int64_t e = 0; e < h.d; e++) {
                const int64_t at = r * cases_of[k].row + (head * h.d + e) * cases_of[k].column;
                assert_true(h.wo[r * h.d + e] == small_number(cases_of[k].name, at));
            }
        }
        trop_transformer_layer_free(layer);
        trop_transformer_free(pass);
        trop_transformer_close(model);
        small_clear();
    }
}

/* ---- a head made hard ----------------------------------------------------------------------- */

/* Without queries all scores are 0: each row takes the first token that it sees, of the fifth model
 * one that is no more than two before it. */
static void the_first_of_tied_tokens_is_selected(void **state)
{
    static const struct {
        int model;
        const char *zero;
        int64_t selected[N];
    } cases_of[] = {
        { 0, "query", { 0, 0, 0, 0, 0 } },
        { 4, "q_proj", { 0, 0, 0, 1, 2 } },
    };

    (void)state;
    for (int k = 0; k < 2; k++) {
        struct trop_transformer *model = NULL;
        struct trop_transformer_pass *pass = NULL;
        struct trop_transformer_layer *layer = NULL;
        small_zero = cases_of[k].zero;
        assert_ok(
            trop_transformer_open(&model, small_model(cases_of[k].model, NULL, NULL, NULL), 1));
        small_zero = NULL;
        assert_ok(trop_transformer_run(&pass, model, ids, NULL, N));
        assert_ok(trop_transformer_layer(&layer, pass, 1));
        for (int64_t h = 0; h < 2; h++) {
            assert_memory_equal(trop_transformer_selected(layer, h), cases_of[k].selected,
                                sizeof cases_of[k].selected);
        }
        trop_transformer_layer_free(layer);
        trop_transformer_free(pass);
        trop_transformer_close(model);
        small_clear();
    }
}

/* ---- a story -------------------------------------------------------------------------------- */

/* "Once upon a time" and the 120 ids that follow greedily:
 *   /usr/bin/python3 tests/model/forward.py --story tests/data/stories260K.bin \
 *       tests/data/stories260K.tok512.bin 120 */
#define PROMPT 5
static const int64_t story[PROMPT + 120] = {
    1,   403, 407, 261, 378, 432, 383, 286, 261, 376, 298, 315, 421, 395, 317, 426, 338, 401,
    396, 267, 337, 410, 408, 419, 292, 411, 322, 265, 282, 295, 433, 426, 385, 328, 432, 358,
    394, 261, 370, 432, 352, 266, 268, 388, 426, 338, 391, 266, 267, 337, 335, 312, 432, 398,
    312, 286, 267, 414, 270, 333, 415, 426, 13,  438, 310, 439, 419, 357, 336, 432, 313, 438,
    310, 432, 278, 316, 439, 419, 298, 414, 267, 265, 282, 295, 433, 426, 436, 317, 286, 296,
    418, 269, 279, 292, 416, 439, 413, 409, 416, 327, 263, 415, 294, 267, 400, 426, 338, 336,
    432, 313, 442, 391, 267, 337, 335, 364, 420, 268, 388, 432, 398, 359, 280, 303, 439,
};
#define STORY ((int64_t)(sizeof story / sizeof *story))

/* Row i of a causal model knows the tokens up to i alone: its best word is what it would say next.
 */
static void stories260k_tells_its_story(void **state)
{
    struct trop_transformer *model = NULL;
    struct trop_transformer_pass *pass = NULL;
    double *logits = calloc((size_t)STORY * 512, sizeof *logits);

    (void)state;
    assert_ok(trop_transformer_open(&model, data_path("stories260K.bin"), 2));
    assert_ok(trop_transformer_run(&pass, model, story, NULL, STORY));
    assert_ok(trop_transformer_logits(logits, model, trop_transformer_hidden(pass), STORY));
    for (int64_t i = PROMPT - 1; i + 1 < STORY; i++) {
        int64_t best = 0;
        for (int64_t t = 1; t < 512; t++) {
            best = logits[i * 512 + t] > logits[i * 512 + best] ? t : best;
        }
        assert_int_equal(best, story[i + 1]);
    }
    free(logits);
    trop_transformer_free(pass);
    trop_transformer_close(model);
}

/* ---- bits ----------------------------------------------------------------------------------- */

static void threads_change_no_bit(void **state)
{
    static double stream[3][100 * 64];
    int64_t text[100];

    (void)state;
    for (int64_t i = 0; i < 100; i++) {
        text[i] = 1 + whole(3, (uint64_t)i, 511);
    }
    for (int k = 0; k < 3; k++) {
        static const int64_t threads[] = { 1, 2, 7 };
        struct trop_transformer *model = NULL;
        struct trop_transformer_pass *pass = NULL;
        assert_ok(trop_transformer_open(&model, data_path("stories260K.bin"), threads[k]));
        assert_ok(trop_transformer_run(&pass, model, text, NULL, 100));
        memcpy(stream[k], trop_transformer_stream(pass, 5), sizeof stream[k]);
        trop_transformer_free(pass);
        trop_transformer_close(model);
        assert_memory_equal(stream[k], stream[0], sizeof stream[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_agrees_with_numpy),
        cmocka_unit_test(gains_are_folded_into_queries_and_keys),
        cmocka_unit_test(the_output_matrix_is_that_of_the_file),
        cmocka_unit_test(the_first_of_tied_tokens_is_selected),
        cmocka_unit_test(stories260k_tells_its_story),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
