/* setup.h -- what the files of src/run share of a setup. */
#ifndef TROP_RUN_SETUP_H
#define TROP_RUN_SETUP_H

#include "io/array.h"
#include "run/dump.h"
#include "run/weights_file.h"
#include "tropism_lab.h"

#define TROP_SETUP_MAX 64  /* options of a part */
#define TROP_SETUP_PARTS 4 /* of a verb */

enum trop_setup_source { TROP_SETUP_DEFAULT, TROP_SETUP_FILE, TROP_SETUP_TEXT };

/* A kind of options: the struct, its table, its defaults. */
struct trop_setup_kind {
    const struct trop_option *(*table)(void);
    void (*fill)(void *options); /* with the defaults */
    size_t size;                 /* of the struct */
};

struct trop_setup_part {
    const struct trop_option *table;
    void *options;               /* the struct of its kind */
    const void *defaults;        /* another one */
    int sources[TROP_SETUP_MAX]; /* enum trop_setup_source, as everything here by place in table */
    char *texts[TROP_SETUP_MAX]; /* copies: of texts, and of names of files to be read */
    double *arrays[TROP_SETUP_MAX];          /* read from these files */
    struct trop_array given[TROP_SETUP_MAX]; /* in the place of files; data NULL: none */
};

struct trop_verb;

struct trop_setup {
    const struct trop_verb *verb;
    struct trop_setup_part parts[TROP_SETUP_PARTS]; /* the numbers come last */
    int64_t count;                                  /* of parts */
    struct trop_dataset *dataset;                   /* training data that were read; NULL: none */
    const struct trop_dataset *given_data;          /* in the place of their name; the caller's */
    struct trop_corpus *corpus;                     /* sequences that were read; NULL: none */
    struct trop_corpus *given_corpus;               /* in the place of their name; the caller's */
    char **given_texts;                             /* (given_text_count) in the place of one */
    int64_t given_text_count;                       /* 0: none */
    struct trop_weights_file given_start;           /* tensors in the place of a file of start */
    struct trop_dump *dump;                         /* problem that was read; NULL: none */
    double *equal;                                  /* selected sets read with them; NULL: none */
    double *weights;                                /* a direction or a start; NULL: none */
    int reading;                                    /* options come from a file just now */
    int again;        /* options of a result were read, as they were */
    int drawn;        /* tokens that were stored of a run were drawn at first */
    int proves;       /* what is proved of the result is written, though no option says so */
    char notice[512]; /* what the person should know of its files; "": nothing */
};

/* Where a name stands. */
struct trop_setup_place {
    struct trop_setup_part *part;
    const struct trop_option *option;
    int64_t index;
    void *member; /* of the struct */
};

/* setup.c */

/* 0 when there is not an option of that name which texts can set. */
int trop_setup_find(struct trop_setup_place *out, const struct trop_setup *setup, const char *name);
/* The same; a name that is unknown is refused, with the nearest one. */
enum trop_status trop_setup_locate(struct trop_setup_place *out, const struct trop_setup *setup,
                                   const char *name);
/* Sets the option; later: the text names a file, or stands for an array, that is read when the
 * options are used. */
enum trop_status trop_setup_keep(struct trop_setup *setup, const struct trop_setup_place *place,
                                 const char *text, int later);
/* enum trop_setup_source: not 0 when the option was set by text or file. */
int trop_setup_given(const struct trop_setup *setup, const char *name);
/* 1 when the text is a name with this ending. */
int trop_setup_ends(const char *text, const char *ending);

/* setup_array.c: arrays in memory in the place of files */

/* What the sentences call such an array where they have the name of a file. */
#define TROP_SETUP_MEMORY "array"
/* A copy, finite, of the array that stands in the place of the file of an option; data NULL when
 * there is none. */
enum trop_status trop_setup_array_of(struct trop_array *out, const struct trop_setup *setup,
                                     const char *name);
/* 1 when tensors were given in the place of a file of start; then a copy of them, finite. */
int trop_setup_array_start(const struct trop_setup *setup);
enum trop_status trop_setup_array_tensors(struct trop_weights_file *out,
                                          const struct trop_setup *setup);

/* setup_texts.c */

/* The texts that were given in the place of one, (count); NULL: there are none. */
const char *const *trop_setup_texts_of(int64_t *count, const struct trop_setup *setup);
void trop_setup_free_texts(struct trop_setup *setup);

/* setup_options.c */

/* The cloud that the numbers are about; NULL: about none. */
struct trop_cloud_options *trop_setup_cloud(struct trop_setup *setup);
/* The seed that the result tells: of what is drawn, a set's own when none was given. */
uint64_t trop_setup_seed(struct trop_setup *setup);

/* setup_apply.c */

/* Refuses options that were given where they do not apply: before files are read those whose
 * condition needs none of them, afterwards the others. */
enum trop_status trop_setup_apply(const struct trop_setup *setup, int is_read);
/* Options of a flow that nobody gave, as others make them. */
void trop_setup_settle(struct trop_setup *setup);
int trop_setup_applies(const struct trop_setup *setup, const struct trop_option *option);
/* As trop_setup_text; a model that was auto, and sizes that were left to a set of data, are told as
 * what they stand for, once the data are read. */
int64_t trop_setup_resolved(char *out, int64_t size, const struct trop_setup *setup,
                            const char *name);
/* 1 when the data are sequences, which conditions of options call data=sequences. */
int trop_setup_is_corpus(const struct trop_setup *setup);
/* setup_data.c: the model that auto stands for; NULL: it stands for none yet. */
const char *trop_setup_model(const struct trop_setup *setup);

/* setup_files.c: reads every file that the options name and points the options of
 * the numbers to what was read. */
enum trop_status trop_setup_resolve(struct trop_setup *setup);
/* The array of an option, from memory or from its file, finite. The option is named in front of the
 * sentence. */
enum trop_status trop_setup_read_array(struct trop_array *out, struct trop_setup *setup,
                                       const char *name, const char *path);
/* 1 when a training that was resolved has its data, start and batches without a draw: its seed has
 * no effect (setup_data.c). */
int trop_setup_draws_nothing(struct trop_setup *setup);
/* Notes that a line of the file of an option was passed over, where one was. */
void trop_setup_note_header(struct trop_setup *setup, const struct trop_array *array,
                            const char *name, const char *path);
/* The same for an array that was read elsewhere, such as the input of a result: judged as the file
 * of the option. The setup owns it, also when it is refused. */
enum trop_status trop_setup_take(struct trop_setup *setup, const char *name,
                                 struct trop_array *array, const char *path);

/* setup_data.c: the same for training data, problems and what belongs to them. */
enum trop_status trop_setup_resolve_data(struct trop_setup *setup);
void trop_setup_free_data(struct trop_setup *setup);

/* setup_outputs.c: refuses a file to be written that another option reads. */
enum trop_status trop_setup_outputs(const struct trop_setup *setup);

/* setup_start.c: weights at the start of training from a .json file. */
enum trop_status trop_setup_start(struct trop_setup *setup, const char *path,
                                  struct trop_train_options *options);

#endif
