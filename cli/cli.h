/* cli.h -- what the files of the program share. */
#ifndef TROP_CLI_H
#define TROP_CLI_H

#include <tropism.h>
#include <tropism_lab.h>

enum cli_exit {
    CLI_GOES_ON = -1, /* not an exit yet */
    CLI_DONE = 0,     /* done; an answer that disappoints is an answer */
    CLI_FAILED = 1,   /* the run failed, or ended early with what it had */
    CLI_WRONG = 2     /* wrong command line */
};

/* ---- verbs: one file each ---- */

/* A table of fields that a verb prints. */
struct cli_section {
    const char *title; /* in docs/results.md, behind the verb; "" for its result */
    const char *words;
    const struct trop_field *(*table)(void);
    const char *heading; /* under which --help lists it; NULL: it does not */
};

struct cli_verb {
    const char *name, *meaning;
    int (*run)(int argc, char **argv);  /* the words after the verb */
    const char *own;                    /* of cli_options_own, parted by blanks */
    const char *words;                  /* beside options: "[VERB] ", or "" */
    const char *subject;                /* option that one word without -- sets; NULL: none */
    int many;                           /* 1: several words, which are joined by commas */
    const char *notes;                  /* at the end of its help, or "" */
    const char *examples;               /* lines; one that is continued ends in a backslash */
    const struct cli_section *sections; /* ended by a table NULL; NULL: none */
};

extern const struct cli_verb *const cli_verbs[]; /* NULL-ended */
extern const struct cli_verb cli_flow, cli_cells, cli_threshold, cli_escape, cli_margin, cli_train,
    cli_path, cli_plot, cli_claims, cli_check, cli_reproduce, cli_doctor, cli_help;

/* ---- main.c ---- */

/* Says sentence on stderr, for a wrong command line with where to read more. */
int cli_fail(const char *verb, int code, const char *sentence);
/* The same for trop_error() and the code that belongs to status. */
int cli_status(const char *verb, enum trop_status status);
/* The verb called name, or NULL; NULL too says which one is nearest. */
const struct cli_verb *cli_verb_find(const char *name);

/* ---- options.c: a command line against the tables ---- */

#define CLI_OPTIONS_MAX 128

/* Every option of a verb in one table, ended by a name NULL, and its default as text. */
struct cli_options {
    struct trop_option table[CLI_OPTIONS_MAX];
    char fallback[CLI_OPTIONS_MAX][48];
};

/* What a command line says, in its order. */
struct cli_line {
    int count;
    const struct trop_option *option[CLI_OPTIONS_MAX];
    const char *value[CLI_OPTIONS_MAX];
    int words; /* that belong to no option */
    const char *word[CLI_OPTIONS_MAX];
};

/* The options that the program itself has: json, from, help, generate. */
extern const struct trop_option cli_options_own[];

void cli_options_of(struct cli_options *out, const struct cli_verb *verb);
/* 0, or the exit code after a word on stderr. */
int cli_options_read(struct cli_line *out, const struct cli_options *options,
                     const struct cli_verb *verb, int argc, char **argv);
/* The same for a verb that takes options and at most its subject, and answers --help: CLI_GOES_ON,
 * or the exit code. */
int cli_options_begin(struct cli_line *out, struct cli_options *options,
                      const struct cli_verb *verb, int argc, char **argv);
/* The setup that the line and its --from file describe; the line wins. */
enum trop_status cli_options_setup(struct trop_setup **out, const struct cli_verb *verb,
                                   const struct cli_line *line);
/* The value of an option of the line; NULL when it is not there. */
const char *cli_options_value(const struct cli_line *line, const char *name);
/* The truth of a word: 1, 0, or -1 when it is neither; NULL is no. */
int cli_options_truth(const char *value);
/* 1 when the flag is given, and not as --name=no. */
int cli_options_flag(const struct cli_line *line, const char *name);
/* 1 when name is one of names, which are parted by blanks. */
int cli_options_has(const char *names, const char *name);
/* "--key-query" of "key_query". */
void cli_options_dashed(char out[64], const char *name);

/* ---- help.c and the pages that it generates ---- */

struct cli_group {
    const char *title, *names; /* option names, parted by blanks */
    const char *verbs;         /* that have it, likewise; NULL: all */
};

extern const struct cli_group cli_help_groups[]; /* ended by a title NULL */

void cli_help_verb(const struct cli_verb *verb);
/* What stands for the value: "N", "FILE". NULL for a flag. */
const char *cli_help_argument(const struct trop_option *option);
/* Which values it takes; "" when the argument says it all. */
void cli_help_range(char *out, int64_t size, const struct trop_option *option);
/* Its default as text, the option being one of the table; "" when it has none. */
const char *cli_help_default(const struct cli_options *options, const struct trop_option *option);
/* The group of an option of a verb. */
const struct cli_group *cli_help_group(const char *verb, const char *name);

void cli_pages_options(void);
void cli_pages_results(void);
void cli_pages_claims(void);
void cli_pages_man(void);
void cli_shells_bash(void);
void cli_shells_zsh(void);
void cli_shells_fish(void);

/* ---- print.c ---- */

/* "title  3: 0, 4, 7": how many whole numbers a list has, and the first of them. */
void cli_print_list(const char *title, const struct trop_value *list);
/* The named data sets: name and meaning. */
const struct trop_field *cli_print_data_sets(void);
/* One member of a row of a list in a table. */
struct trop_value cli_print_cell(const struct trop_field *table, const void *handle,
                                 const char *list, const char *column, int64_t row);

/* Words from the present column on, wrapped at 79 columns and indented by it. */
void cli_print_words(const char *text, int column);

/* ---- study.c ---- */

/* A trop_progress: shows it, and stops when Ctrl-C was seen. Its context is a cli_progress. */
int cli_study_watch(void *context, int64_t done, int64_t total);

/* A verb that is a study, from its command line to its exit code; summary prints for people. */
int cli_study(const struct cli_verb *verb, void (*summary)(const struct trop_study *study),
              int argc, char **argv);

/* ---- copies.c ---- */

/* The verb flow with --copies, from its setup to its exit code. */
int cli_copies(struct trop_setup *setup, int json);

/* ---- job.c ---- */

/* What a verb computes, from its setup to its result; its handle is called numbers here. */
struct cli_job {
    enum trop_status (*create)(void **out, struct trop_setup *setup);
    void (*free)(void *numbers);
    enum trop_status (*run)(void *numbers, trop_progress *progress, void *context);
    void (*print)(const void *numbers); /* for people */
    enum trop_status (*json)(const char **out, void *numbers);
};

/* Runs what is made and prints it, also what was stopped or could not be written; the exit code. */
int cli_job_go(const struct cli_verb *verb, const struct cli_job *job, void *numbers, int json);
/* The same from the command line on. */
int cli_job(const struct cli_verb *verb, const struct cli_job *job, int argc, char **argv);

/* ---- progress.c ---- */

struct cli_progress {
    double start, last; /* seconds of the clock */
    int shown;
};

void cli_progress_start(struct cli_progress *progress);
void cli_progress_show(struct cli_progress *progress, int64_t done, int64_t total);
void cli_progress_end(struct cli_progress *progress);

/* ---- signals.c ---- */

/* Signals that the system also reports as an error of the call. */
void cli_signals_ignore(void);
/* From now on the first Ctrl-C or SIGTERM is noted, the second one kills; SIGHUP is noted, unless
 * it was ignored (nohup). */
void cli_signals_catch(void);
int cli_signals_seen(void);

#endif
