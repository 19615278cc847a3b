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

/* ---- verbs: what the program adds to a verb of the library ---- */

/* A table of fields that a verb prints. */
struct cli_section {
    const char *title; /* in docs/results.md, behind the verb; "" for its result */
    const char *words;
    const struct trop_field *(*table)(void);
    const char *heading; /* under which --help lists it; NULL: it does not */
};

/* Every member but the name may be left out. */
struct cli_verb {
    const char *name; /* of the library, or of the program alone: run */
    /* The result, for people; NULL: every field of it (cli_print_result). */
    void (*print)(const struct trop_job *job);
    int says_what; /* 1: print begins with what it is about, so options are not printed before it */
    int (*fails)(const struct trop_job *job); /* 1: the result itself is a failure; NULL: never */
    int (*run)(int argc, char **argv);        /* of a verb that is not the library's */
    const char *meaning;                      /* likewise */
    const char *own;   /* of cli_options_own, separated by blanks; NULL: "json from help" */
    const char *words; /* beside options: "[VERB] " */
    int many;          /* 1: several words, which are joined by commas */
    const char *unit;  /* of progress, told with how fast it goes; NULL: steps */
    int (*mute)(const struct trop_job *job); /* 1: another process speaks for it; NULL: none */
    const char *notes;                       /* at the end of its help */
    const char *examples;                    /* lines; one that is continued ends in a backslash */
    const struct cli_section *sections;      /* ended by a table NULL; NULL: its fields alone */
};

/* The verbs of the library in its order, then help; ended by a name NULL. */
#define CLI_VERBS_MAX 32
extern struct cli_verb cli_verbs[CLI_VERBS_MAX];
extern const struct cli_verb cli_help;

/* ---- main.c ---- */

/* Prints sentence to stderr; for a wrong command line also where to read more. */
int cli_fail(const char *verb, int code, const char *sentence);
/* The same for trop_error() and the code that belongs to status. */
int cli_status(const char *verb, enum trop_status status);
/* What the verb does, in one line; and the option that a word without -- sets, NULL when there is
 * none. */
const char *cli_verb_meaning(const struct cli_verb *verb);
const char *cli_verb_subject(const struct cli_verb *verb);
/* The verb called name; when there is none, NULL, and stderr names the nearest. */
const struct cli_verb *cli_verb_find(const char *name);

/* ---- options.c: a command line against the tables ---- */

#define CLI_OPTIONS_MAX 128
#define CLI_WORDS_MAX 1024

/* Every option of a verb in one table, ended by a name NULL, and its default as text. */
struct cli_options {
    struct trop_option table[CLI_OPTIONS_MAX];
    char fallback[CLI_OPTIONS_MAX][48];
};

/* The options and words of a command line, in its order. */
struct cli_line {
    int count;
    const struct trop_option *option[CLI_OPTIONS_MAX];
    const char *value[CLI_OPTIONS_MAX];
    int words; /* that belong to no option */
    const char *word[CLI_WORDS_MAX];
};

/* The options that the program itself has: json, from, help, generate. */
extern const struct trop_option cli_options_own[];

void cli_options_of(struct cli_options *out, const struct cli_verb *verb);
/* Returns 0, or the exit code after a message on stderr. */
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
/* 1 when name is one of names, which are separated by blanks. */
int cli_options_has(const char *names, const char *name);
/* "--key-query" of "key_query". */
void cli_options_dashed(char out[64], const char *name);

/* ---- help.c and the pages that it generates ---- */

struct cli_group {
    const char *title, *names; /* option names, separated by blanks */
    const char *verbs;         /* that have it, likewise; NULL: all */
};

extern const struct cli_group cli_help_groups[]; /* ended by a title NULL */

void cli_help_verb(const struct cli_verb *verb);
/* The placeholder of the value: "N", "FILE". NULL for a flag. */
const char *cli_help_argument(const struct trop_option *option);
/* The allowed values; "" when the placeholder says enough. */
void cli_help_range(char *out, int64_t size, const struct trop_option *option);
/* "with --rule localmax or minp"; "" when it always applies. */
void cli_help_when(char *out, int64_t size, const struct trop_option *option);
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
/* A summary of any result: single values, arrays by their shapes, lists as tables. */
void cli_print_result(const struct trop_job *job);
/* A field of the result, and a member of a row of a list; one that cannot be read is said on stderr
 * and counted. */
struct trop_value cli_print_value(const struct trop_job *job, const char *name);
struct trop_value cli_print_cell(const struct trop_job *job, const char *list, const char *column,
                                 int64_t row);
int cli_print_failures(void);
/* "title        text", "yes" or "no"; a number with so many digits. Nothing where there is none. */
void cli_print_text(const struct trop_job *job, const char *title, const char *name);
void cli_print_number(const struct trop_job *job, const char *title, const char *name, int digits);
/* "title         text", wrapped. */
void cli_print_paragraph(const struct trop_job *job, const char *title, const char *name);
/* A member of a row of a list behind a blank, right-aligned; "-" where there is none. */
void cli_print_column(const struct trop_job *job, const char *list, const char *column, int64_t row,
                      int width);
/* "written to   FILE", when there is one. */
void cli_print_out(const struct trop_job *job);

/* Words from the present column on, wrapped at 79 columns and indented by it. */
void cli_print_words(const char *text, int column);

/* ---- fit.c ---- */

/* The result of the verb train on sequences. */
void cli_fit_print(const struct trop_job *job);

/* ---- copies.c ---- */

/* The result of the verb flow with --copies. */
void cli_copies_print(const struct trop_job *job);

/* ---- job.c ---- */

/* A verb from its command line to its exit code. */
int cli_job(const struct cli_verb *verb, int argc, char **argv);

/* ---- progress.c ---- */

struct cli_progress {
    double start, last; /* seconds of the clock */
    const char *unit;   /* NULL: steps */
    int shown;
    const struct trop_job *job; /* that creep.c looks at */
    int begun, told;            /* likewise */
    double from;                /* time of the flow at the beginning */
    int64_t first;              /* and its step */
};

void cli_progress_start(struct cli_progress *progress);
void cli_progress_show(struct cli_progress *progress, int64_t done, int64_t total);
void cli_progress_end(struct cli_progress *progress);

/* ---- creep.c ---- */

/* Says once that the integrator of progress->job creeps, seconds after its beginning. */
void cli_creep_watch(struct cli_progress *progress, int64_t done, double seconds);

/* ---- terminal.c ---- */

/* 1 when stdout is a terminal, and neither NO_COLOR nor TERM=dumb says that it shall have none. */
int cli_terminal_has_colours(void);
/* Columns of a line there. */
int64_t cli_terminal_width(void);
/* Columns that so many bytes of UTF-8 take. */
int64_t cli_terminal_columns(const char *text, size_t length);

/* ---- signals.c ---- */

/* Signals that the system also reports as an error of the call. */
void cli_signals_ignore(void);
/* From now on the first Ctrl-C or SIGTERM is noted, the second one kills; SIGHUP is noted, unless
 * it was ignored (nohup). */
void cli_signals_catch(void);
int cli_signals_seen(void);

#endif
