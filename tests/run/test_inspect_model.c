/* test_inspect_model.c -- the verb inspect on small models of every family, and what it makes of
 * margins over texts. */
#include "small_models.h"

#include "model/head/head_margin.h"
#include "model/net/transformer.h"
#include "tropism_lab.h"

static struct trop_job *inspect(const char *const *pairs)
{
    struct trop_job *job = NULL;

    assert_ok(trop_job_create_from(&job, "inspect", pairs));
    assert_ok(trop_job_run(job, NULL, NULL));
    return job;
}

/* Every family: as many heads as it has, all measured. */
static void heads_of_every_family_are_measured(void **state)
{
    (void)state;
    for (int k = 0; k < SMALL_MODELS; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s", small_model(k, NULL, NULL, NULL));
        struct trop_job *job =
            inspect((const char *[]){ "model", path, "ids", "3,7,1,0,10", "measure", "all", "nulls",
                                      "2", "rows", "yes", NULL });
        struct trop_value heads = { 0 }, layers = { 0 }, rho = { 0 };
        assert_ok(trop_job_value(&heads, job, "heads"));
        double per_layer = 0;
        assert_ok(trop_job_number(&per_layer, job, "model.heads"));
        assert_true(heads.shape[0] == 2 * (int64_t)per_layer);
        for (int64_t h = 0; h < heads.shape[0]; h++) {
            struct trop_value share = { 0 };
            assert_ok(trop_job_cell(&share, job, "heads", "margin.share", h));
            assert_ok(trop_job_cell(&rho, job, "heads", "rho", h));
            if (share.kind == TROP_KIND_NUMBER) {
                assert_true(share.number > 0 && share.number <= 1 + 1e-9 && k < 3);
            }
        }
        assert_ok(trop_job_value(&layers, job, "layers"));
        assert_true(layers.shape[0] == 3);
        trop_job_free(job);
        small_clear();
    }
}

static void cell_is(const struct trop_job *job, const char *list, const char *column, int64_t row,
                    const double *want, int64_t rows, int64_t columns)
{
    struct trop_value value = { 0 };

    assert_ok(trop_job_cell(&value, job, list, column, row));
    assert_true(value.kind == TROP_KIND_NUMBERS && value.rank == 2);
    assert_true(value.shape[0] == rows && value.shape[1] == columns);
    assert_memory_equal(value.numbers, want, (size_t)(rows * columns) * sizeof *want);
}

/* Every family: what inputs tells is what the pass has, to the bit; of layer 1 and its head 1. */
static void inputs_are_those_of_the_pass(void **state)
{
    static const int64_t ids[] = { 3, 7, 1, 0, 10 };

    (void)state;
    for (int k = 0; k < SMALL_MODELS; k++) {
        struct trop_transformer *model = NULL;
        struct trop_transformer_pass *pass = NULL;
        struct trop_transformer_layer *layer = NULL;
        struct trop_head_input head;
        struct trop_value value = { 0 };
        char path[256];
        snprintf(path, sizeof path, "%s", small_model(k, NULL, NULL, NULL));
        struct trop_job *job =
            inspect((const char *[]){ "model", path, "ids", "3,7,1,0,10", "measure", "keys",
                                      "layers", "1", "heads", "1", "inputs", "yes", NULL });
        assert_ok(trop_transformer_open(&model, path, 1));
        assert_ok(trop_transformer_run(&pass, model, ids, NULL, 5));
        assert_ok(trop_transformer_layer(&layer, pass, 1));
        trop_transformer_head(&head, layer, 1);
        cell_is(job, "heads", "q", 0, head.q, 5, head.d);
        cell_is(job, "heads", "k", 0, head.k, 5, head.d);
        cell_is(job, "heads", "v", 0, head.v, 5, head.d);
        /* Streams without the measure of depth: into layer 1, and out of it. */
        assert_ok(trop_job_value(&value, job, "layers"));
        assert_true(value.shape[0] == 2);
        cell_is(job, "layers", "stream", 0, trop_transformer_stream(pass, 1), 5, WIDTH);
        cell_is(job, "layers", "stream", 1, trop_transformer_stream(pass, 2), 5, WIDTH);
        assert_int_not_equal(trop_job_cell(&value, job, "layers", "cosine", 0), TROP_OK);
        assert_ok(trop_job_value(&value, job, "hidden"));
        assert_memory_equal(value.numbers, trop_transformer_hidden(pass),
                            5 * WIDTH * sizeof(double));
        trop_transformer_layer_free(layer);
        trop_transformer_free(pass);
        trop_transformer_close(model);
        trop_job_free(job);
        small_clear();
    }
}

/* The least of sum_i c_i (s_ij - s_it) over t, or the largest of s_ij - sum_t l_t s_it over i. */
static double proved(const struct trop_value *q, const struct trop_value *k, int64_t j,
                     const int64_t *member, const double *weight, int64_t members, int of_keys)
{
    const int64_t n = q->shape[0], d = q->shape[1];
    double worst = of_keys ? -INFINITY : INFINITY;

    for (int64_t other = 0; other < n; other++) {
        double sum = 0;
        for (int64_t m = 0; m < members && (of_keys || other != j); m++) {
            const int64_t i = of_keys ? other : member[m], t = of_keys ? member[m] : other;
            for (int64_t e = 0; e < d; e++) {
                sum += weight[m] * q->numbers[i * d + e] *
                       (k->numbers[j * d + e] - k->numbers[t * d + e]) / sqrt((double)d);
            }
        }
        worst = !of_keys && other == j ? worst : of_keys ? fmax(worst, sum) : fmin(worst, sum);
    }
    return worst;
}

/* BERT: the mixtures that are told give the bounds that are told. */
static void certificates_of_reach_prove_their_bounds(void **state)
{
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", small_model(0, NULL, NULL, NULL));
    struct trop_job *job =
        inspect((const char *[]){ "model", path, "ids", "3,7,1,0,10", "measure", "reach", "rows",
                                  "yes", "inputs", "yes", NULL });
    for (int64_t h = 0; h < 6; h++) {
        struct trop_value q, k, low, high, query, query_weight, key, key_weight;
        assert_ok(trop_job_cell(&q, job, "heads", "q", h));
        assert_ok(trop_job_cell(&k, job, "heads", "k", h));
        assert_ok(trop_job_cell(&low, job, "heads", "rho_low", h));
        assert_ok(trop_job_cell(&high, job, "heads", "rho_high", h));
        assert_ok(trop_job_cell(&query, job, "heads", "certificate.query", h));
        assert_ok(trop_job_cell(&query_weight, job, "heads", "certificate.query_weight", h));
        assert_ok(trop_job_cell(&key, job, "heads", "certificate.key", h));
        assert_ok(trop_job_cell(&key_weight, job, "heads", "certificate.key_weight", h));
        const int64_t most = query.shape[1];
        assert_true(query.rank == 2 && query.shape[0] == 5 && key.shape[1] == most);
        for (int64_t j = 0; j < 5; j++) {
            assert_near(proved(&q, &k, j, query.integers + j * most,
                               query_weight.numbers + j * most, most, 0),
                        low.numbers[j], 1e-13);
            assert_near(
                proved(&q, &k, j, key.integers + j * most, key_weight.numbers + j * most, most, 1),
                high.numbers[j], 1e-13);
        }
    }
    trop_job_free(job);
    small_clear();
}

/* Two texts: what inspect says is what the two functions of head_margin.h give. */
static void held_out_agreement_is_that_of_the_other_text(void **state)
{
    static const char words[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\nd\ne\nf\ng\n";
    static const char texts[] = "label\ttext\nx\ta b c d\ny\tc g e a f b\n";
    static const int64_t ids[2][8] = { { 2, 4, 5, 6, 7, 3 }, { 2, 6, 10, 8, 4, 9, 5, 3 } };
    static const int64_t sizes[2] = { 6, 8 };
    char path[256], vocabulary[256], file[256];
    struct trop_transformer *model = NULL;
    struct trop_transformer_pass *pass[2];
    struct trop_transformer_layer *layer[2];
    struct trop_head_input input[2];
    struct trop_head_margin_bounds bounds;
    double w[WIDTH * (WIDTH + 1)], agreement = 0;

    (void)state;
    snprintf(path, sizeof path, "%s", small_model(0, NULL, NULL, NULL));
    snprintf(vocabulary, sizeof vocabulary, "%s", scratch("vocab.txt"));
    snprintf(file, sizeof file, "%s", scratch("texts.tsv"));
    scratch_fill(vocabulary, words, strlen(words));
    scratch_fill(file, texts, strlen(texts));
    struct trop_job *job =
        inspect((const char *[]){ "model", path, "tokenizer", vocabulary, "file", file, "measure",
                                  "margin", "nulls", "0", "layers", "1", "heads", "2", NULL });
    struct trop_value told = { 0 };
    assert_ok(trop_job_cell(&told, job, "heads", "margin.held_out", 0));
    assert_ok(trop_transformer_open(&model, path, 1));
    for (int t = 0; t < 2; t++) {
        assert_ok(trop_transformer_run(pass + t, model, ids[t], NULL, sizes[t]));
        assert_ok(trop_transformer_layer(layer + t, pass[t], 1));
        trop_transformer_head(input + t, layer[t], 2);
    }
    assert_ok(trop_head_margin_fit(w, &bounds, input, 1));
    assert_ok(trop_head_margin_agreement(&agreement, input + 1, w));
    assert_true(told.kind == TROP_KIND_NUMBER && told.number == agreement);
    for (int t = 0; t < 2; t++) {
        trop_transformer_layer_free(layer[t]);
        trop_transformer_free(pass[t]);
    }
    trop_transformer_close(model);
    trop_job_free(job);
    small_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_of_every_family_are_measured),
        cmocka_unit_test(inputs_are_those_of_the_pass),
        cmocka_unit_test(certificates_of_reach_prove_their_bounds),
        cmocka_unit_test(held_out_agreement_is_that_of_the_other_text),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
