/* fuzz_result.c -- results of every verb, changed by structure, given to all that read results.
 *
 *   fuzz_result [-runs=N] [-seed=S]
 *
 * The files are made here, changed (mutate_*.h) and read in this process, which a sanitizer
 * watches. Trial k of seed S is a function of S and k: -seed=S-k -runs=1 repeats it alone.
 */
#include "mutate_h5.h"
#include "mutate_json.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "io/file.h"
#include "io/h5/h5_internal.h"
#include "io/h5/h5_seal.h"
#include "io/npy.h"
#include "tropism_lab.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE 2 /* questions of a computation whether to stop */
#define SECONDS 60 /* after which a trial counts as endless */

/* ---- verbs ---- */

static int stop(void *context, int64_t done, int64_t total)
{
    int *patience = context;

    (void)done, (void)total;
    return --*patience < 0;
}

static enum trop_status run(struct trop_setup *setup, int patience)
{
    struct trop_job *job = NULL;
    enum trop_status status = trop_job_create(&job, setup);

    if (status == TROP_OK) {
        status = trop_job_run(job, stop, &patience);
    }
    trop_job_free(job);
    return status;
}

/* "VERB name=value ...", as the command line would do it. */
static enum trop_status act(const char *line, int patience)
{
    char words[512];
    struct trop_setup *setup = NULL;

    snprintf(words, sizeof words, "%s", line);
    const char *verb = strtok(words, " ");
    enum trop_status status = trop_setup_create(&setup, verb);
    for (char *name = strtok(NULL, " "); name && status == TROP_OK; name = strtok(NULL, " ")) {
        char *value = strchr(name, '=');
        *value = '\0';
        status = trop_setup_set(setup, name, value + 1);
    }
    if (status == TROP_OK) {
        status = run(setup, patience);
    }
    trop_setup_free(setup);
    return status;
}

/* ---- files that are changed ---- */

static const struct seed {
    const char *file, *line; /* that makes it; NULL: made by one before */
    int stops;               /* 1: it is stopped on the way */
} seeds[] = {
    { "flow.h5", "flow n=8 d=2 rule=localmax epsilon=.3 gamma=.3 steps=6 record=tokens out=flow.h5",
      0 },
    { "given.h5",
      "flow tokens=x.npy key_query=b.npy beta=@list.npy masses=m.npy rule=softmax steps=4 "
      "record=tokens,clusters out=given.h5",
      0 },
    { "line.h5", "flow n=5 d=1 rule=hardmax gamma=.5 steps=5 record=tokens out=line.h5", 0 },
    { "leap.h5", "flow n=5 d=3 rule=softmax beta=9 gamma=.1 leap=1 steps=inf out=leap.h5", 0 },
    { "copies.h5", "flow copies=3 n=4 d=2 steps=3 print_tokens=1 out=copies.h5", 0 },
    { "run.h5.parts/000001.h5",
      "flow tokens=x.npy key_query=b.npy beta=@list.npy masses=m.npy rule=softmax steps=900 "
      "record=tokens checkpoint=1 out=run.h5",
      1 },
    { "run.h5.parts/000002.h5", NULL, 0 },
    { "cells.h5", "cells n=9 d=2 eta=.05 erode=.03 out=cells.h5", 0 },
    { "space.h5", "cells n=8 d=3 out=space.h5", 0 },
    { "escape.h5", "escape init=polygon n=3 beta=2,3 runs=20 gamma=.1 radius=.05 out=escape.h5",
      0 },
    { "threshold.h5", "threshold n=5 d=2 out=threshold.h5", 0 },
    { "margin.h5", "margin data=attsvm n=3 T=4 d=3 out=margin.h5 dump=problem.h5", 0 },
    { "problem.h5", NULL, 0 },
    { "train.h5", "train data=attsvm n=2 T=3 d=2 steps=20 out=train.h5", 0 },
    { "prompt.h5", "train data=mm-fig-1a steps=20 out=prompt.h5", 0 },
    { "path.h5", "path data=mm-fig-1a radius=3,9 out=path.h5", 0 },
    { "fit.h5", "train data=texts.tsv embed=2 epochs=2 show=4 threads=1 out=fit.h5", 0 },
    { "case.h5", "check claim=fw-lem-hull counterexample=case.h5", 0 },
    { "dump.json", "margin data=attsvm n=2 T=3 d=2 dump=dump.json", 0 },
    { "data.h5", NULL, 0 },
    { "data.json", NULL, 0 },
    { "start.json", NULL, 0 },
    { "sets.json", NULL, 0 },
    { "weights.json", NULL, 0 },
};
#define SEEDS ((int64_t)(sizeof seeds / sizeof seeds[0]))

static struct {
    unsigned char *bytes;
    int64_t size;
} contents[SEEDS];

static void must(enum trop_status status, const char *what)
{
    if (status != TROP_OK) {
        fprintf(stderr, "%s: %s\n", what, trop_error());
        exit(1);
    }
}

static void put_text(const char *file, const char *text)
{
    must(trop_file_write(file, text, (int64_t)strlen(text)), file);
}

static void make_data(void)
{
    struct trop_dataset *set = NULL;

    must(trop_dataset_create(&set, "attsvm", 2, 3, 2, 1), "attsvm");
    must(trop_dataset_write(set, "data.h5"), "data.h5");
    must(trop_dataset_write(set, "data.json"), "data.json");
    trop_dataset_free(set);
    char texts[4000] = "label\ttext\n";
    for (int k = 0; k < 40; k++) {
        snprintf(texts + strlen(texts), sizeof texts - strlen(texts),
                 "%s\tthis film , it is %s , %d times\n", k % 2 ? "good" : "bad",
                 k % 2 ? "a joy" : "too long", k);
    }
    put_text("texts.tsv", texts);
    put_text("start.json", "{\"W\": [[0.1, 0.2], [-0.3, 0.4]]}");
    put_text("sets.json", "{\"sets\": [[0, 1], [2]]}");
    put_text("weights.json", "{\"weights\": [[0.5, 0.5, 0], [0, 0, 1]]}");
}

static void make_seeds(void)
{
    static const double x[] = { 1, .3, -.1, .1, -1, -1, 0, .25, .4, -.7 };
    static const double b[] = { 1, .2, .1, .9 }, list[] = { 1, 2, 3 }, m[] = { 1, 2, 1, 1, .5 };

    must(trop_npy_write("x.npy", x, 2, (int64_t[]){ 5, 2 }), "x.npy");
    must(trop_npy_write("b.npy", b, 2, (int64_t[]){ 2, 2 }), "b.npy");
    must(trop_npy_write("list.npy", list, 1, (int64_t[]){ 3 }), "list.npy");
    must(trop_npy_write("m.npy", m, 1, (int64_t[]){ 5 }), "m.npy");
    make_data();
    for (int64_t k = 0; k < SEEDS; k++) {
        enum trop_status status =
            seeds[k].line ? act(seeds[k].line, seeds[k].stops ? 3 : INT32_MAX) : TROP_OK;
        must(seeds[k].stops && status == TROP_ERR_STOPPED ? TROP_OK : status, seeds[k].file);
    }
    for (int64_t k = 0; k < SEEDS; k++) {
        must(trop_file_read(&contents[k].bytes, &contents[k].size, seeds[k].file), seeds[k].file);
    }
}

static void put_back(int64_t k)
{
    mkdir("run.h5.parts", 0777); /* a run that came to its end removes it */
    FILE *file = fopen(seeds[k].file, "wb");
    if (!file ||
        fwrite(contents[k].bytes, 1, (size_t)contents[k].size, file) != (size_t)contents[k].size) {
        abort();
    }
    fclose(file);
}

/* ---- readers ---- */

/* Command lines that read a result: of the seed whose name begins like this; % stands for the
 * file. */
static const struct {
    const char *seed, *line;
} readers[] = {
    { "flow", "plot file=% out=x.svg kind=paths" },
    { "flow", "plot file=% out=x.gif kind=paths width=80 height=80" },
    { "flow", "plot file=% out=x.png kind=energy width=100 height=100" },
    { "flow", "plot file=% out=x.svg kind=graph" },
    { "flow", "plot file=% out=x.svg kind=graph record=2" },
    { "flow", "plot file=% out=x.svg kind=attention" },
    { "flow", "plot file=% out=x.svg kind=clusters against=epsilon" },
    { "flow", "plot file=% out=x.svg kind=curve x=/record/step y=/record/step,cluster_list/mass" },
    { "flow", "flow tokens=%:/result/tokens steps=1 threads=1" },
    { "given", "plot file=% out=x.svg kind=graph" },
    { "given", "plot file=% out=x.svg kind=attention record=1" },
    { "given", "plot file=% out=x.svg kind=paths" },
    { "given", "flow tokens=%:/input/tokens key_query=%:/input/key_query beta=@%:/input/beta "
               "masses=%:/input/masses steps=1 threads=1" },
    { "line", "plot file=% out=x.svg kind=paths" },
    { "line", "plot file=% out=x.svg kind=graph record=0" },
    { "leap", "plot file=% out=x.svg kind=staircase" },
    { "leap", "plot file=% out=x.svg kind=attention" },
    { "leap", "plot file=% out=x.svg" },
    { "copies", "plot file=% out=x.svg kind=heat y=result/tokens" },
    { "copies", "plot file=% out=x.svg kind=attention" },
    { "copies", "plot file=% out=x.svg kind=curve x=steps y=clusters,diameter" },
    { "run", "flow resume=run.h5 threads=1" },
    { "run", "flow resume=run.h5 threads=1" },
    { "run", "plot file=% out=x.svg kind=paths" },
    { "cells", "plot file=% out=x.svg" },
    { "cells", "plot file=% out=x.svg kind=cells" },
    { "cells", "plot file=% out=x.svg kind=cells width=200" },
    { "cells", "plot file=% out=x.svg kind=cells title=cells" },
    { "cells", "plot file=% out=x.svg kind=energy width=100 height=100" },
    { "cells", "cells tokens=%:/input/tokens threads=1" },
    { "space", "plot file=% out=x.svg" },
    { "space", "plot file=% out=x.svg kind=energy" },
    { "escape", "plot file=% out=x.svg" },
    { "threshold", "plot file=% out=x.svg kind=heat y=/input/tokens" },
    { "threshold", "threshold tokens=%:/input/tokens threads=1" },
    { "margin", "plot file=% out=x.svg" },
    { "margin", "margin data=% threads=1" },
    { "problem", "margin problem=% threads=1" },
    { "problem", "plot file=% out=x.svg kind=heat y=/point" },
    { "train", "plot file=% out=x.svg kind=training" },
    { "train", "plot file=% out=x.svg kind=bregman" },
    { "train", "plot file=% out=x.svg kind=outcomes" },
    { "train", "plot file=% out=x.svg kind=heat" },
    { "train", "train data=% steps=3 threads=1" },
    { "prompt", "plot file=% out=x.svg kind=training axes=1,0" },
    { "prompt", "plot file=% out=x.svg kind=correlation" },
    { "prompt", "plot file=% out=x.svg kind=loss" },
    { "prompt", "plot file=% out=x.svg kind=norm" },
    { "path", "plot file=% out=x.pdf" },
    { "path", "plot file=% out=x.svg kind=loss" },
    { "path", "path data=% radius=2 threads=1" },
    { "fit", "plot file=% out=x.svg kind=learning" },
    { "fit", "plot file=% out=x.svg kind=sentences" },
    { "fit", "plot file=% out=x.png kind=sentences width=80 height=80" },
    { "fit", "plot file=% out=x.svg kind=words" },
    { "fit", "plot file=% out=x.svg kind=sparsity" },
    { "case", "check claim=fw-lem-hull instance=% threads=1" },
    { "case", "flow tokens=%:/tokens steps=1 threads=1" },
    { "case", "plot file=% out=x.svg kind=heat y=/tokens" },
    { "dump", "margin problem=% threads=1" },
    { "data", "margin data=% threads=1" },
    { "data", "train data=% steps=3 threads=1" },
    { "data", "path data=% radius=2 threads=1" },
    { "start", "train data=attsvm n=2 T=3 d=2 start=% steps=2 threads=1" },
    { "start", "margin data=attsvm n=2 T=3 d=2 direction=% threads=1" },
    { "sets", "margin data=attsvm n=2 T=3 d=2 equal=% threads=1" },
    { "weights", "margin data=attsvm n=2 T=3 d=2 equal=% threads=1" },
};
#define READERS ((int64_t)(sizeof readers / sizeof readers[0]))

/* Chooses a command line that reads this kind of seed, and puts the file's name into it. */
static void choose(char out[512], const char *file)
{
    const size_t stem = strcspn(file, ".");
    int64_t k;
    size_t used = 0;

    do {
        k = mutate_pick(READERS);
    } while (strlen(readers[k].seed) != stem || strncmp(readers[k].seed, file, stem) != 0);
    for (const char *at = readers[k].line; *at && used + 64 < 512; at++) {
        used += (size_t)snprintf(out + used, 512 - used, "%.*s", *at == '%' ? 64 : 1,
                                 *at == '%' ? file : at);
    }
}

/* ---- one trial ---- */

/* The checksum over state and records, and the seal, as if the change had been written. */
static void seal(hid_t file, const char *path)
{
    static const char *const parts[] = { "/checkpoint/state", "/record/step", "/record/tokens" };
    struct trop_h5 h5 = { .file = file, .path = (char *)path, .size = INT64_MAX, .writing = 1 };
    int64_t sum = 0;

    for (int k = 0; k < 3; k++) {
        int64_t *words = NULL, count = 0;
        struct trop_array array = { 0 };
        if (k < 2 && trop_h5_integers(&words, &count, &h5, parts[k]) == TROP_OK) {
            sum = (int64_t)trop_checksum_words((uint64_t)sum, words, count);
        } else if (trop_h5_numbers(&array, &h5, parts[k]) == TROP_OK) {
            sum = (int64_t)trop_checksum_words((uint64_t)sum, array.data,
                                               trop_array_count(array.rank, array.shape));
        }
        trop_alloc_free(words);
        trop_array_free(&array);
    }
    const struct trop_value value = { .kind = TROP_KIND_INTEGER, .integer = sum };
    H5Ldelete(file, "/checkpoint/checksum", H5P_DEFAULT);
    trop_h5_put(&h5, "/checkpoint/checksum", &value);
    H5Adelete(file, "seal");
    trop_h5_seal(&h5);
}

static void change(int64_t k)
{
    const char *path = seeds[k].file;

    if (strstr(path, ".json")) {
        mutate_json(path);
        return;
    }
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    H5Pclose(access);
    mutate_h5(file);
    if (mutate_pick(4) > 0 && H5Aexists(file, "seal") > 0) {
        seal(file, path);
    }
    H5Fclose(file);
}

static struct {
    uint64_t seed;
    int64_t trial;
    const char *file;
    char line[512];
} now;

static void trial(void)
{
    mutate_state = now.seed * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)now.trial << 20;
    const int64_t k = mutate_pick(SEEDS);
    now.file = seeds[k].file;
    snprintf(now.line, sizeof now.line, "change");
    if (strncmp(now.file, "run", 3) == 0) {
        for (int64_t part = 0; part < SEEDS; part++) {
            if (strncmp(seeds[part].file, "run", 3) == 0) {
                put_back(part);
            }
        }
    }
    put_back(k);
    change(k);
    choose(now.line, now.file);
    act(now.line, PATIENCE);
}

/* ---- the program ---- */

void __sanitizer_set_death_callback(void (*callback)(void));
const char *__asan_default_options(void);

/* A size that a damaged file claims is refused, not allocated; 1 GB is more than any of these
 * needs. */
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=1024";
}

static void tell(void)
{
    fprintf(stderr, "trial %lld of seed %llu: %s changed, then %s\n", (long long)now.trial,
            (unsigned long long)now.seed, now.file ? now.file : "nothing", now.line);
}

static void give_up(int number)
{
    (void)number;
    fprintf(stderr, "no end after %d seconds\n", SECONDS);
    abort();
}

int main(int argc, char **argv)
{
    const char *around = getenv("TMPDIR");
    char folder[256], command[300];
    int64_t runs = 1000;

    now.seed = 1;
    for (int k = 1; k < argc; k++) {
        long long first = 0, at = 0;
        if (sscanf(argv[k], "-runs=%lld", &first) == 1) {
            runs = first;
        } else if (sscanf(argv[k], "-seed=%lld-%lld", &first, &at) >= 1) {
            now.seed = (uint64_t)first;
            now.trial = at;
        }
    }
    snprintf(folder, sizeof folder, "%s/tropism-fuzz-XXXXXX", around ? around : "/tmp");
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    make_seeds();
    __sanitizer_set_death_callback(tell);
    signal(SIGALRM, give_up);
    for (int64_t k = 0; k < runs; k++, now.trial++) {
        alarm(SECONDS);
        trial();
        if (now.trial % 5000 == 4999) {
            fprintf(stderr, "#%lld\n", (long long)now.trial + 1);
        }
    }
    alarm(0);
    for (int64_t k = 0; k < SEEDS; k++) {
        trop_alloc_free(contents[k].bytes);
    }
    snprintf(command, sizeof command, "rm -r %s", folder);
    fprintf(stderr, "stat::number_of_executed_units: %lld\n", (long long)runs);
    return system(command);
}
