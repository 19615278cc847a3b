/* test_dataset_file.c -- training data in files of three formats, refusals, memory. */
#include <sys/stat.h>
#include <unistd.h>

#include "io/h5/h5.h"
#include "io/npy.h"
#include "scratch.h"

#include "dataset_support.h"

#include "alloc_failing.c"

static void remove_all(void)
{
    char command[128];

    scratch(""); /* makes the folder */
    snprintf(command, sizeof command, "rm -rf %s/*", scratch_folder);
    assert_int_equal(system(command), 0);
}

static const char *const all_keys[] = { "X", "y", "z", "v", "K", "E", "ids", "next" };

/* Removes what was written under the path: a file, or a folder of arrays. */
static void remove_written(const char *path)
{
    for (int k = 0; k < 8 && unlink(path) != 0; k++) {
        char file[300];
        snprintf(file, sizeof file, "%s/%s.npy", path, all_keys[k]);
        unlink(file);
    }
    rmdir(path);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void same_array(const double *a, const double *b, int64_t count)
{
    assert_int_equal(a != NULL, b != NULL);
    if (a) {
        assert_memory_equal(a, b, (size_t)count * sizeof *a);
    }
}

static void same_data(const struct trop_data *a, const struct trop_data *b)
{
    assert_true(a->n == b->n && a->T == b->T && a->d == b->d && a->dk == b->dk);
    assert_true(a->labels == b->labels && a->queries == b->queries && a->words == b->words);
    same_array(a->x, b->x, a->n * a->T * a->d);
    same_array(a->y, b->y, a->n * a->labels);
    same_array(a->z, b->z, a->n * a->queries * a->d);
    same_array(a->v, b->v, a->d);
    same_array(a->k, b->k, a->n * a->T * a->dk);
    same_array(a->vocabulary, b->vocabulary, a->words * a->d);
    if (a->vocabulary) {
        assert_memory_equal(a->ids, b->ids, (size_t)(a->n * a->T) * sizeof *a->ids);
        assert_memory_equal(a->next, b->next, (size_t)a->n * sizeof *a->next);
    }
}

static const char *const endings[] = { "s.json", "s.h5", "s", "t/", "s.hdf5" };

/* Through all formats, or the first one alone: the files are synced, which takes its time. */
static void round_trip(const char *name, size_t formats)
{
    struct trop_dataset *before = made(name);

    for (size_t k = 0; k < formats; k++) {
        struct trop_dataset *after;
        char path[256];
        snprintf(path, sizeof path, "%s", scratch(endings[k]));
        assert_ok(trop_dataset_write(before, path));
        after = made(path);
        same_data(trop_dataset_data(before), trop_dataset_data(after));
        trop_dataset_free(after);
        remove_written(path);
    }
    trop_dataset_free(before);
}

static void every_set_survives_every_format_bit_by_bit(void **state)
{
    (void)state;
    for (const char *const *name = trop_dataset_names(); *name; name++) {
        int telling =
            !strcmp(*name, "attsvm") || !strcmp(*name, "ntp") || !strcmp(*name, "mm-fig-1c");
        if (strcmp(*name, "benign") != 0) { /* 320000 numbers: benign2 tells as much */
            round_trip(*name, telling ? 3 : (size_t)cases(1, 5));
        }
    }
}

static void write_text(const char *path, const char *text)
{
    scratch_fill(path, text, strlen(text));
}

/* Sequences, numbers at the edges of double, a negative zero. */
static void sequences_and_edge_numbers_survive_every_format(void **state)
{
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("edge.json"));
    write_text(path, "{\"X\": [[[1e-323, -0.0], [1.7976931348623157e308, 0.1]]], \"y\": [[1, -1]], "
                     "\"z\": [[[1, 2], [3, 4]]], \"v\": [0.333333333333333333, 3], \"K\": "
                     "[[[1], [2]]]}");
    struct trop_dataset *dataset = made(path);
    const struct trop_data *data = trop_dataset_data(dataset);
    assert_true(data->labels == 2 && data->queries == 2 && data->dk == 1);
    assert_true(data->x[0] == 0x1p-1073 && signbit(data->x[1]) && data->v[0] == 1.0 / 3);
    trop_dataset_free(dataset);
    char keep[256];
    snprintf(keep, sizeof keep, "%s", path);
    struct trop_dataset *before = made(keep);
    for (size_t k = 0; k < 5; k++) {
        snprintf(path, sizeof path, "%s", scratch(endings[k]));
        assert_ok(trop_dataset_write(before, path));
        struct trop_dataset *after = made(path);
        same_data(trop_dataset_data(before), trop_dataset_data(after));
        trop_dataset_free(after);
    }
    trop_dataset_free(before);
    remove_all();
}

static void labels_that_are_absent_are_1(void **state)
{
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("a.json"));
    write_text(path, "{\"X\": [[[1, 2, 3]], [[4, 5, 6]]]}");
    struct trop_dataset *dataset = NULL;
    assert_ok(trop_dataset_create(&dataset, path, 2, 1, 3, 0));
    const struct trop_data *data = trop_dataset_data(dataset);
    assert_true(data->n == 2 && data->T == 1 && data->d == 3 && data->labels == 1);
    assert_true(data->y[0] == 1.0 && data->y[1] == 1.0 && !data->z && !data->v && !data->k);
    trop_dataset_free(dataset);
    remove_all();
}

/* ---- refusals ------------------------------------------------------------------------------ */

static void assert_says(enum trop_status status, enum trop_status expected, const char *words)
{
    if (status != expected || !strstr(trop_error(), words)) {
        fail_msg("status %d, \"%s\" is not in: %s", (int)status, words, trop_error());
    }
}

static void every_wrong_json_is_refused_by_name_and_place(void **state)
{
    static const struct {
        const char *text, *words;
    } refused[] = {
        { "{}", "X: is missing" },
        { "{\"y\": [1]}", "X: is missing" },
        { "{\"X\": [[1, 2]]}", "X is 1 x 2: must be n x T x d" },
        { "{\"X\": 3}", "X is one number: must be n x T x d" },
        { "{\"X\": []}", "X is 0: must be" },
        { "{\"X\": [[[]]]}", "X is 1 x 1 x 0" },
        { "{\"X\": [[[1, 2]], [[3]]]}", "X[1][0] has 1 entries" },
        { "{\"X\": [[[1, \"nan\"]]]}", "X[0][0][1] is nan: must be finite" },
        { "{\"X\": [[[1, \"-inf\"]]]}", "X[0][0][1] is -inf: must be finite" },
        { "{\"X\": [[[1]], [[2]]], \"y\": [1]}", "y is 1: must be 2 or 2 x 1" },
        { "{\"X\": [[[1]], [[2]]], \"y\": [1, 0]}", "y[1] is 0: must be -1 or 1" },
        { "{\"X\": [[[1]], [[2]]], \"y\": [1, \"nan\"]}", "y[1] is nan: must be -1 or 1" },
        { "{\"X\": [[[1], [2]]], \"y\": [[1, 0.5]]}", "y[0][1] is 0.5: must be -1 or 1" },
        { "{\"X\": [[[1], [2]]], \"y\": [[1, 1, 1]]}", "y is 1 x 3: must be 1 or 1 x 2" },
        { "{\"X\": [[[1, 2]]], \"z\": [[1]]}", "z is 1 x 1: must be 1 x 2 or 1 x 1 x 2" },
        { "{\"X\": [[[1, 2]]], \"z\": [[1, \"inf\"]]}", "z[0][1] is inf" },
        { "{\"X\": [[[1, 2]]], \"v\": [1]}", "v is 1: must be 2" },
        { "{\"X\": [[[1, 2]]], \"v\": [[1, 2, 3]]}", "v is 1 x 3: must be 2 or heads x 2" },
        { "{\"X\": [[[1, 2]]], \"v\": [1, \"nan\"]}", "v[1] is nan" },
        { "{\"X\": [[[1, 2]]], \"K\": [[[1], [2]]]}", "K is 1 x 2 x 1: must be 1 x 1 x dk" },
        { "{\"X\": [[[1, 2]]], \"K\": [[[\"inf\"]]]}", "K[0][0][0] is inf" },
        { "{\"X\": [[[1]]], \"Y\": [1]}", "Y: unknown key; did you mean y?" },
        { "{\"X\": [[[1]]], \"labels\": [1]}", "labels: unknown key; known are X, y, z" },
        { "{\"E\": [[1]], \"ids\": [[0]]}", "next: is missing; next-token data need" },
        { "{\"ids\": [[0]], \"next\": [0]}", "E: is missing" },
        { "{\"E\": [[1]], \"ids\": [[0]], \"next\": [0], \"y\": [1]}", "y: next-token data have" },
        { "{\"X\": [[[1]]], \"E\": [[1]], \"ids\": [[0]], \"next\": [0]}", "X: next-token data" },
        { "{\"E\": [[1]], \"ids\": [[0, 1]], \"next\": [0]}",
          "ids[0][1] is 1: must be a whole number from 0 to 0" },
        { "{\"E\": [[1]], \"ids\": [[-1]], \"next\": [0]}", "ids[0][0] is -1" },
        { "{\"E\": [[1], [2]], \"ids\": [[0.5]], \"next\": [0]}", "ids[0][0] is 0.5" },
        { "{\"E\": [[1], [2]], \"ids\": [[\"nan\"]], \"next\": [0]}", "ids[0][0] is nan" },
        { "{\"E\": [[1]], \"ids\": [[0]], \"next\": [7]}", "next[0] is 7" },
        { "{\"E\": [[1]], \"ids\": [[0]], \"next\": [0, 0]}", "next is 2: must be 1" },
        { "{\"E\": [1], \"ids\": [[0]], \"next\": [0]}", "E is 1: must be words x d" },
        { "{\"E\": [[\"nan\"]], \"ids\": [[0]], \"next\": [0]}", "E[0][0] is nan" },
        { "[1]", "must be an object" },
    };
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("bad.json"));
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct trop_dataset *dataset = NULL;
        write_text(path, refused[k].text);
        assert_says(trop_dataset_create(&dataset, path, 0, 0, 0, 0), TROP_ERR_IO, refused[k].words);
        assert_non_null(strstr(trop_error(), "bad.json"));
        assert_null(dataset);
    }
    remove_all();
}

static void sizes_that_disagree_are_refused(void **state)
{
    static const struct {
        const char *name;
        int64_t n, T, d;
        const char *words;
    } refused[] = {
        { "mm-fig-1a", 2, 0, 0, "n = 2: but mm-fig-1a has n = 1" },
        { "mm-fig-1c", 0, 8, 0, "T = 8: but mm-fig-1c has T = 7" },
        { "mm-fig-9", 5, 0, 20, "n = 5: but mm-fig-9 has n = 4" },
        { "tf-fig-1", 0, 0, 3, "d = 3: but tf-fig-1 has d = 2" },
        { "benign", 0, 2, 0, "T = 2: must be from 3 to 16777216 for benign" },
        { "benign", 0, 0, 1, "d = 1: must be from 2" },
        { "benign2", 0, 3, 0, "T = 3: but benign2 has T = 2" },
        { "attsvm", 20000000, 0, 0, "n = 20000000: must be from 1 to 16777216" },
        { "attsvm", -1, 0, 0, "n = -1" },
        { "attsvm", 0, 0, -3, "d = -3" },
        { NULL, 0, 0, 0, "a name is needed" },
        { "attsvn", 0, 0, 0, "no such data set; did you mean attsvm?" },
        { "mm-fig-4", 0, 0, 0, "did you mean mm-fig-" },
        { "something", 0, 0, 0, "data = something: must be FILE.json, FILE.h5" },
        { "x.npy", 0, 0, 0, "data = x.npy: must be FILE.json" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
        struct trop_dataset *dataset = NULL;
        enum trop_status status = trop_dataset_create(&dataset, refused[k].name, refused[k].n,
                                                      refused[k].T, refused[k].d, 1);
        assert_says(status, TROP_ERR_ARG, refused[k].words);
    }
    struct trop_dataset *dataset = drawn("mm-fig-1a", 1, 3, 3, 8); /* its own sizes may be said */
    trop_dataset_free(dataset);
    char path[256];
    snprintf(path, sizeof path, "%s", scratch("a.json"));
    write_text(path, "{\"X\": [[[1, 2, 3]], [[4, 5, 6]]]}");
    assert_says(trop_dataset_create(&dataset, path, 0, 2, 0, 0), TROP_ERR_ARG, "T = 2: but ");
    unlink(path);
    assert_says(trop_dataset_create(&dataset, path, 0, 0, 0, 0), TROP_ERR_IO, "No such file");
}

/* An HDF5 file with one dataset of three numbers. */
static void put_h5(const char *path, const char *name)
{
    static const double numbers[] = { 1, 2, 3 };
    const struct trop_value value = {
        .kind = TROP_KIND_NUMBERS, .numbers = numbers, .rank = 3, .shape = { 1, 1, 3 }
    };
    struct trop_h5 *h5 = NULL;

    assert_ok(trop_h5_create(&h5, path));
    assert_ok(trop_h5_put(h5, name, &value));
    assert_ok(trop_h5_close(h5));
}

static void wrong_hdf5_files_are_refused(void **state)
{
    struct trop_dataset *dataset = NULL;
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("a.h5"));
    put_h5(path, "X");
    dataset = made(path);
    assert_int_equal(trop_dataset_data(dataset)->d, 3);
    trop_dataset_free(dataset);
    put_h5(path, "x");
    assert_says(trop_dataset_create(&dataset, path, 0, 0, 0, 0), TROP_ERR_IO,
                "x: unknown dataset; did you mean X?");
    put_h5(path, "tokens");
    assert_says(trop_dataset_create(&dataset, path, 0, 0, 0, 0), TROP_ERR_IO,
                "tokens: unknown dataset; known are X, y");
    put_h5(path, "z");
    assert_says(trop_dataset_create(&dataset, path, 0, 0, 0, 0), TROP_ERR_IO, "X: is missing");
    put_h5(path, "X/inner");
    assert_says(trop_dataset_create(&dataset, path, 0, 0, 0, 0), TROP_ERR_IO, "not a dataset");
    write_text(path, "not HDF5");
    assert_says(trop_dataset_create(&dataset, path, 0, 0, 0, 0), TROP_ERR_IO, "a.h5");
    remove_all();
}

static void wrong_folders_are_refused(void **state)
{
    static const double numbers[] = { 1, 2, 3 };
    struct trop_dataset *dataset = NULL;
    char folder[256], path[300];

    (void)state;
    snprintf(folder, sizeof folder, "%s", scratch("f"));
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_says(trop_dataset_create(&dataset, folder, 0, 0, 0, 0), TROP_ERR_IO, "X: is missing");
    snprintf(path, sizeof path, "%s/X.npy", folder);
    assert_ok(trop_npy_write(path, numbers, 3, (const int64_t[]){ 1, 3, 1 }));
    snprintf(path, sizeof path, "%s/README.md", folder);
    write_text(path, "what these are");
    dataset = made(folder);
    assert_int_equal(trop_dataset_data(dataset)->T, 3);
    trop_dataset_free(dataset);
    static const struct {
        const char *name, *words;
    } strangers[] = { { "Y.npy", "Y: unknown array; did you mean y?" },
                      { "y.csv", "y.csv: must be NAME.npy" },
                      { "X.npz", "X.npz: must be NAME.npy" },
                      { "queries.npy", "queries: unknown array; known are" } };
    for (int k = 0; k < 4; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, strangers[k].name);
        write_text(path, "?");
        assert_says(trop_dataset_create(&dataset, folder, 0, 0, 0, 0), TROP_ERR_IO,
                    strangers[k].words);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/y.npy", folder);
    assert_ok(trop_npy_write(path, numbers, 1, (const int64_t[]){ 2 }));
    assert_says(trop_dataset_create(&dataset, folder, 0, 0, 0, 0), TROP_ERR_IO,
                "y is 2: must be 1");
    write_text(path, "?");
    assert_says(trop_dataset_create(&dataset, folder, 0, 0, 0, 0), TROP_ERR_IO, "y.npy");
    remove_all();
}

/* One dataset of a random kind, type and shape; sizes are mostly those that fit. */
static void put_random(struct trop_h5 *h5, const char *key, uint64_t seed)
{
    static const double numbers[81] = { [3] = 1, [5] = -1, [17] = NAN, [30] = INFINITY };
    static const double ones[81] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    static const int64_t integers[81] = { [2] = 1, [9] = -1, [40] = INT64_MAX };
    static const int64_t kinds[] = { TROP_KIND_NUMBERS,  TROP_KIND_NUMBERS,  TROP_KIND_NUMBERS,
                                     TROP_KIND_INTEGERS, TROP_KIND_BOOLEANS, TROP_KIND_TEXT,
                                     TROP_KIND_NULL };
    struct trop_value value = { .kind = kinds[whole(seed, 1, 7)], .integers = integers };

    value.numbers = whole(seed, 2, 3) ? ones : numbers;
    value.text = "inf";
    value.rank = whole(seed, 3, 4);
    for (int k = 0; k < 3; k++) {
        int64_t other = whole(seed, (uint64_t)(20 + k), 4);
        value.shape[k] = whole(seed, (uint64_t)(10 + k), 8) ? 2 : other;
    }
    assert_ok(trop_h5_put(h5, key, &value));
}

/* HDF5 files of any structure: read or refused with a sentence. */
static void random_structures_are_read_or_refused(void **state)
{
    int64_t read = 0, count = cases(30, 3000);
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch("r.h5"));
    for (int64_t k = 0; k < count; k++) {
        struct trop_dataset *dataset = NULL;
        struct trop_h5 *h5 = NULL;
        assert_ok(trop_h5_create(&h5, path));
        int64_t first = whole(11, (uint64_t)k, 5) ? 0 : 5; /* tokens, or next-token data */
        for (int64_t part = first; part < first + (first ? 3 : 5); part++) {
            if (part == first || whole(12, (uint64_t)(8 * k + part), 3) == 0) {
                put_random(h5, all_keys[part], (uint64_t)(1000 + 8 * k + part));
            }
        }
        assert_ok(trop_h5_close(h5));
        enum trop_status status = trop_dataset_create(&dataset, path, 0, 0, 0, 0);
        if (status == TROP_OK) {
            const struct trop_data *data = trop_dataset_data(dataset);
            assert_true(data->n > 0 && data->T > 0 && data->d > 0);
            read++;
        } else {
            assert_says(status, TROP_ERR_IO, "r.h5: ");
        }
        trop_dataset_free(dataset);
    }
    assert_true(read > 0 && read < count);
    remove_all();
}

static void files_cut_at_any_byte_are_refused(void **state)
{
    static const char *const names[] = { "c.json", "c.h5", "c/X.npy" };
    struct trop_dataset *dataset = made("md-joint"), *other = NULL;
    static char bytes[1 << 17];

    (void)state;
    for (int k = 0; k < 3; k++) {
        char path[256], whole[256];
        snprintf(whole, sizeof whole, "%s", scratch(k == 2 ? "c" : names[k]));
        snprintf(path, sizeof path, "%s", scratch(names[k]));
        assert_ok(trop_dataset_write(dataset, whole));
        FILE *file = fopen(path, "rb");
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_true(size > 100 && size < sizeof bytes);
        /* JSON does without the end of its line, HDF5 without the zeros that fill the file up. */
        size_t needed = k == 0 ? size - 1 : k == 1 ? 4096 : size;
        size_t step = k == 1 ? (size_t)cases(7, 1) : 1;
        for (size_t cut = needed - 1; cut < needed; cut -= step) { /* until it wraps below 0 */
            assert_int_equal(truncate(path, (off_t)cut), 0);
            assert_int_equal(trop_dataset_create(&other, whole, 0, 0, 0, 0), TROP_ERR_IO);
        }
        scratch_fill(path, bytes, size);
        other = made(whole);
        same_data(trop_dataset_data(dataset), trop_dataset_data(other));
        trop_dataset_free(other);
    }
    trop_dataset_free(dataset);
    remove_all();
}

static void a_folder_with_files_is_not_replaced(void **state)
{
    struct trop_dataset *dataset = made("md-joint"), *other = made("mm-fig-1a");
    char folder[256];

    (void)state;
    snprintf(folder, sizeof folder, "%s", scratch("g"));
    assert_ok(trop_dataset_write(dataset, folder));
    assert_says(trop_dataset_write(other, folder), TROP_ERR_IO, "not empty");
    trop_dataset_free(other);
    other = made(folder);
    same_data(trop_dataset_data(dataset), trop_dataset_data(other));
    assert_int_equal(scratch_count(), 1); /* nothing is left beside it */
    assert_says(trop_dataset_write(dataset, scratch("no/where.json")), TROP_ERR_IO, "where.json");
    assert_says(trop_dataset_write(dataset, scratch("no/where")), TROP_ERR_IO, "where");
    assert_says(trop_dataset_write(dataset, ""), TROP_ERR_ARG, "are needed");
    assert_says(trop_dataset_write(dataset, scratch("a.npy")), TROP_ERR_ARG, "a.npy: must end");
    assert_says(trop_dataset_write(dataset, scratch("a.csv")), TROP_ERR_ARG, "a.csv: must end");
    assert_int_equal(scratch_count(), 1);
    trop_dataset_free(dataset);
    trop_dataset_free(other);
    remove_all();
}

/* A set's name is the set, also when a folder has it; ./NAME is the folder. */
static void a_named_set_wins_over_a_folder(void **state)
{
    struct trop_dataset *dataset = made("md-joint"), *other;
    char back[1024];

    (void)state;
    assert_non_null(getcwd(back, sizeof back));
    scratch("");
    assert_int_equal(chdir(scratch_folder), 0);
    assert_ok(trop_dataset_write(dataset, "mm-fig-1a"));
    other = made("mm-fig-1a");
    assert_int_equal(trop_dataset_data(other)->n, 1);
    trop_dataset_free(other);
    other = made("./mm-fig-1a");
    assert_int_equal(trop_dataset_data(other)->n, 2);
    trop_dataset_free(other);
    trop_dataset_free(dataset);
    assert_int_equal(chdir(back), 0);
    remove_all();
}

/* ---- memory -------------------------------------------------------------------------------- */

static const char *source; /* what the attempts make */

/* Makes, writes, and removes what was written. */
static enum trop_status attempt(const char *target)
{
    struct trop_dataset *dataset = NULL;
    enum trop_status status = trop_dataset_create(&dataset, source, 0, 0, 0, TROP_DATASET_SEED);

    if (status == TROP_OK && target) {
        char path[256];
        snprintf(path, sizeof path, "%s", scratch(target));
        status = trop_dataset_write(dataset, path);
        remove_written(path);
        assert_int_equal(scratch_count(), 0); /* whatever failed, nothing is left beside it */
    }
    trop_dataset_free(dataset);
    return status;
}

static enum trop_status only_made(void)
{
    return attempt(NULL);
}

static enum trop_status to_json(void)
{
    return attempt("m.json");
}

static enum trop_status to_h5(void)
{
    return attempt("m.h5");
}

static enum trop_status to_folder(void)
{
    return attempt("m");
}

static void no_memory_is_told(void **state)
{
    static const char *const files[] = { "in.json", "in.h5", "in" };
    char path[256];

    (void)state;
    source = "tf-fig-1";
    alloc_refuse_each(to_json);
    alloc_refuse_each(to_h5);
    alloc_refuse_each(to_folder);
    source = "ntp";
    alloc_refuse_each(to_json);
    for (int k = 0; k < 3; k++) {
        struct trop_dataset *dataset = made(k == 2 ? "mm-fig-1a" : "ntp");
        snprintf(path, sizeof path, "%s", scratch(files[k]));
        assert_ok(trop_dataset_write(dataset, path));
        trop_dataset_free(dataset);
        source = path;
        alloc_refuse_each(only_made);
    }
    remove_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_survives_every_format_bit_by_bit),
        cmocka_unit_test(sequences_and_edge_numbers_survive_every_format),
        cmocka_unit_test(labels_that_are_absent_are_1),
        cmocka_unit_test(every_wrong_json_is_refused_by_name_and_place),
        cmocka_unit_test(sizes_that_disagree_are_refused),
        cmocka_unit_test(wrong_hdf5_files_are_refused),
        cmocka_unit_test(wrong_folders_are_refused),
        cmocka_unit_test(random_structures_are_read_or_refused),
        cmocka_unit_test(files_cut_at_any_byte_are_refused),
        cmocka_unit_test(a_folder_with_files_is_not_replaced),
        cmocka_unit_test(a_named_set_wins_over_a_folder),
        cmocka_unit_test(no_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_remove);
}
