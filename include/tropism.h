/* tropism.h -- how attention selects tokens, in C.
 *
 * The public interface of the numbers (libtropism): include this file and no
 * other. Files, recorded runs and data sets are in tropism_lab.h.
 *
 * The nouns, each with options, create and free, a call that does the work, and
 * results by name. The verbs of the command line and the functions of the Python
 * package have the same names.
 *
 *   trop_cloud_options  n tokens of R^d, given or drawn, and the scores between them
 *   trop_flow           tokens that attend to each other: rules, dynamics, certificates
 *   trop_copies         many copies of a small flow (the verb flow with --copies)
 *   trop_threshold      the least epsilon at which localmax makes one cluster
 *   trop_hull           the convex hull of points
 *   trop_cells          what each vertex of a hull attracts under hardmax
 *   trop_escape         how long tokens stay near their vertices at finite beta
 *   trop_data           inputs of tokens that attention is trained on
 *   trop_margin         max-margin problems in six norms, with proved bounds
 *   trop_train          attention weights that are trained
 *   trop_sequences      labelled texts or images: sequences of different lengths
 *   trop_fit            attention that is trained on them (the verb train on real data)
 *   trop_path           regularisation paths: training under a bound on the norm
 *   trop_option, trop_field, trop_value
 *                       tables of options and results, and how they are read by name
 *
 * How far apart 64 tokens are when a hardmax flow has come to rest:
 *
 *   const char *options[] = { "n", "64", "d", "2", "rule", "hardmax", "until", "converged", NULL };
 *   struct trop_flow *flow = NULL;
 *   double diameter;
 *   if (trop_flow_create_from(&flow, options) || trop_flow_run(flow, NULL, NULL) ||
 *       trop_flow_number(&diameter, flow, "diameter")) {
 *       fprintf(stderr, "%s\n", trop_error());
 *   } else {
 *       printf("%g\n", diameter);
 *   }
 *   trop_flow_free(flow);
 *
 * True for every function below:
 *   - a function that can fail returns enum trop_status, and TROP_OK is 0; the
 *     sentence for the person is trop_error();
 *   - results go out through pointer arguments, written only on TROP_OK;
 *   - arrays are dense, row-major double; shapes are written (rows, columns);
 *   - what trop_X_create makes, trop_X_free releases; trop_X_free(NULL) is fine;
 *   - trop_X_create_from takes options as texts, pairs of name and value ended by
 *     NULL; trop_X_run does the work and takes a callback that may stop it;
 *   - options are copied, arrays that they point to as well, so the caller's may
 *     go after the call;
 *   - nothing prints, exits, handles signals, or lets the clock decide a result;
 *   - two threads may use two handles at once, never one handle;
 *   - indices count from 0; sizes, counts and indices are int64_t;
 *   - the same input gives the same bits on any number of threads and any
 *     instruction set. The order of a sum over tokens depends on their number:
 *     above 1,024 of them softmax takes a pair of tokens once for both its rows,
 *     which changes last bits; method = rows has one order at any n.
 */
#ifndef TROPISM_H
#define TROPISM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TROP_API __attribute__((visibility("default")))
#else
#define TROP_API
#endif

/* ---- status --------------------------------------------------------------- */

enum trop_status {
    TROP_OK = 0,
    TROP_ERR_ARG,         /* a wrong argument or option; the sentence names it */
    TROP_ERR_MEMORY,      /* no memory */
    TROP_ERR_IO,          /* a file could not be read or written */
    TROP_ERR_UNSUPPORTED, /* not in this build, or not for this model */
    TROP_ERR_NUMERIC,     /* the numbers left what double can carry */
    TROP_ERR_STOPPED      /* the progress callback asked to stop */
};

/* The sentence of the last failure in this thread; "" when there was none. */
TROP_API const char *trop_error(void);
TROP_API const char *trop_version(void);

/* Called between steps; a non-zero return stops the call with TROP_ERR_STOPPED,
 * with the handle in a state from which the call can be made again. */
typedef int trop_progress(void *context, int64_t done, int64_t total);

/* ---- options --------------------------------------------------------------
 *
 * Every noun has one table of its options. Validation, --help, study files, the
 * manual and trop_X_create_from read that table and nothing else. */

enum trop_type {
    TROP_TYPE_INT64,    /* int64_t */
    TROP_TYPE_SEED,     /* uint64_t */
    TROP_TYPE_DOUBLE,   /* double; a name from names stands for -1, -2, ... */
    TROP_TYPE_CHOICE,   /* int64_t, an index into names */
    TROP_TYPE_FLAG,     /* int64_t, 0 or 1 */
    TROP_TYPE_SCHEDULE, /* struct trop_schedule */
    TROP_TYPE_MATRIX,   /* struct trop_matrix */
    TROP_TYPE_COUNT,    /* struct trop_count */
    TROP_TYPE_ARRAY,    /* const double *, set by the program only, never by text */
    TROP_TYPE_TEXT      /* const char *, not copied by trop_option_set */
};

struct trop_option {
    const char *name; /* of the struct member; on the command line '_' is '-' */
    size_t offset;
    int64_t type;             /* enum trop_type */
    double min, max;          /* range of a number, and of every value of a schedule */
    int64_t above;            /* 1: min itself is refused */
    const char *const *names; /* NULL-ended: the choices, or special values of a double */
    const char *meaning;
    const char *argument; /* what --help calls the value; NULL: by its type */
    const char *when;     /* it applies: "rule=localmax|minp", see trop_option_when; NULL: always */
};

/* A number that may vary in time, t = 0, 1, 2, ... counting steps (or continuous
 * time in an ODE). As text: a number, or name:parameters, see docs/options.md. */
struct trop_schedule {
    int64_t kind;         /* enum trop_schedule_kind */
    double a, b;          /* parameters */
    const double *values; /* (count) of TROP_SCHEDULE_VALUES; the last one holds on */
    int64_t count;
};

enum trop_schedule_kind {
    TROP_SCHEDULE_UNSET,     /* the option's default */
    TROP_SCHEDULE_CONSTANT,  /* a */
    TROP_SCHEDULE_FW,        /* 2 / (t + 2) */
    TROP_SCHEDULE_HARMONIC,  /* 1 / (t + 1) */
    TROP_SCHEDULE_SUPEREXP,  /* 1 - exp(-a (t + 1)) */
    TROP_SCHEDULE_GEOMETRIC, /* a b^t */
    TROP_SCHEDULE_POWER,     /* a (t + 1)^-b */
    TROP_SCHEDULE_COSINE,    /* a + b cos t */
    TROP_SCHEDULE_LINEAR,    /* a + b t */
    TROP_SCHEDULE_VALUES     /* values[t] */
};

/* A d x d matrix: scale times the identity when values is NULL. */
struct trop_matrix {
    double scale;         /* NaN and values NULL: not given */
    const double *values; /* (d, d) */
};

/* A number of steps, which may leave int64_t: 1e400 and inf are counts. */
struct trop_count {
    int64_t value; /* INT64_MAX when it is larger */
    double log10;  /* of the count; infinity for inf */
};

/* The entry called name ('-' and '_' are the same), or NULL. */
TROP_API const struct trop_option *trop_option_find(const struct trop_option *table,
                                                    const char *name);
/* The nearest name in the table within a few typing errors, or NULL. */
TROP_API const char *trop_option_nearest(const struct trop_option *table, const char *name);
/* Sets one member of *options from text. */
TROP_API enum trop_status trop_option_set(void *options, const struct trop_option *table,
                                          const char *name, const char *text);
/* Every member of *options against its range. */
TROP_API enum trop_status trop_option_check(const void *options, const struct trop_option *table);
/* The member as text that trop_option_set reads back to the same bits; returns
 * the length it needs, as snprintf does. */
TROP_API int64_t trop_option_text(char *out, int64_t size, const void *options,
                                  const struct trop_option *option);
/* One line that says which values the option takes. */
TROP_API int64_t trop_option_range(char *out, int64_t size, const struct trop_option *option);

/* When the option applies, in words: "with rule localmax or minp"; "" when it always does. Given
 * by text where it does not, an option is refused. */
TROP_API int64_t trop_option_when(char *out, int64_t size, const struct trop_option *option);

TROP_API double trop_schedule_at(const struct trop_schedule *schedule, double t);

/* Tables and their entries by calls, for languages that mirror no C struct. */

/* Entry k = 0, 1, ... of a table; NULL behind the last. */
TROP_API const struct trop_option *trop_option_at(const struct trop_option *table, int64_t k);
TROP_API const char *trop_option_name(const struct trop_option *option);
TROP_API int64_t trop_option_type(const struct trop_option *option); /* enum trop_type */
TROP_API const char *trop_option_meaning(const struct trop_option *option);
/* Name k = 0, 1, ... of its choices or special values; NULL behind the last. */
TROP_API const char *trop_option_choice(const struct trop_option *option, int64_t k);

/* ---- results ---------------------------------------------------------------
 *
 * A result is read by the name of its field. One table per noun lists the
 * fields; JSON, HDF5 and Python are made from it. */

enum trop_kind {
    TROP_KIND_NULL,     /* there is no value */
    TROP_KIND_NUMBER,   /* number */
    TROP_KIND_INTEGER,  /* integer */
    TROP_KIND_BOOLEAN,  /* integer, 0 or 1 */
    TROP_KIND_TEXT,     /* text */
    TROP_KIND_NUMBERS,  /* numbers, of the given shape */
    TROP_KIND_INTEGERS, /* integers, of the given shape */
    TROP_KIND_LIST,     /* shape[0] rows, whose members are the field's columns */
    TROP_KIND_BOOLEANS, /* integers, 0 or 1, of the given shape */
    TROP_KIND_TEXTS     /* shape[0] texts */
};

struct trop_value {
    int64_t kind; /* enum trop_kind */
    double number;
    int64_t integer;
    const char *text;      /* texts and arrays are owned by the handle and valid */
    const double *numbers; /* until its next step or its end */
    const int64_t *integers;
    int64_t rank;
    int64_t shape[3];
    const char *axes[3]; /* names of the axes, for files */
    const char *const *texts;
};

/* One axis of an array, and its length: fixed, or a member of the handle. */
struct trop_axis {
    const char *name; /* for files */
    int64_t length;   /* 0: it is the int64_t ... */
    size_t at;        /* ... that stands here in the handle */
};

/* What a result has, and where: a plain member of the struct behind the handle needs no function.
 * A member that stands in an array of structs, or behind a pointer, is found through that pointer:
 * the one of row `row` of a list, whose columns are such fields.
 *
 * There is a value where `when` says so, and a pointer is not NULL. What the handle finds only
 * when it is asked for is found by `before`, ahead of all else. */
struct trop_field {
    const char *name; /* with a dot, "certificate.kind", it is a member of an object */
    const char *meaning;
    const struct trop_field *columns; /* of a list; NULL otherwise */
    int64_t kind;                     /* enum trop_kind; of a list the member is its int64_t rows */
    size_t at, size;                  /* of the member in its struct */
    size_t through, stride;           /* the pointer to it in the handle, bytes from row to row; 0:
                                         the struct is the handle itself */
    const char *const *names;         /* texts that an integer stands for */
    int64_t inside;                   /* 1: an array or text in the struct, not a pointer to it */
    int64_t by_row;                   /* 1: the array has such a block for each row of the list */
    struct trop_axis axes[3];         /* of an array, ended by a name NULL */
    enum trop_status (*before)(void *handle);     /* completes what the handle keeps */
    int (*when)(const void *handle, int64_t row); /* 1: there is a value; NULL: always */
    /* How a member is told that is not told as it stands; NULL: it is. */
    void (*form)(struct trop_value *out, const void *member);
    /* The value itself, where all this is not enough; it may complete what the handle keeps. */
    enum trop_status (*read)(struct trop_value *out, void *handle, int64_t row);
};

/* A field by its name, */
TROP_API enum trop_status trop_field_value(struct trop_value *out, const struct trop_field *table,
                                           const void *handle, const char *name);
/* the same as a number (counts and truths are numbers too), */
TROP_API enum trop_status trop_field_as_number(double *out, const struct trop_field *table,
                                               const void *handle, const char *name);
/* and a cell of a list: the column called so, of row 0, 1, ... */
TROP_API enum trop_status trop_field_cell(struct trop_value *out, const struct trop_field *table,
                                          const void *handle, const char *list, const char *column,
                                          int64_t row);

/* Tables and their entries by calls, as with options. */
TROP_API const struct trop_field *trop_field_at(const struct trop_field *table, int64_t k);
TROP_API const char *trop_field_name(const struct trop_field *field);
TROP_API const char *trop_field_meaning(const struct trop_field *field);
TROP_API const struct trop_field *trop_field_columns(const struct trop_field *field);
/* The value of an entry; row counts in the list that it is a column of, and is 0 otherwise. */
TROP_API enum trop_status trop_field_read(struct trop_value *out, const struct trop_field *field,
                                          const void *handle, int64_t row);

/* The members of a value, which is trop_value_size() bytes of the caller's, aligned as a double. */
TROP_API int64_t trop_value_size(void);
TROP_API int64_t trop_value_kind(const struct trop_value *value); /* enum trop_kind */
TROP_API double trop_value_number(const struct trop_value *value);
TROP_API int64_t trop_value_integer(const struct trop_value *value);
TROP_API const char *trop_value_text(const struct trop_value *value, int64_t k); /* of texts: k */
TROP_API const double *trop_value_numbers(const struct trop_value *value);
TROP_API const int64_t *trop_value_integers(const struct trop_value *value);
TROP_API int64_t trop_value_rank(const struct trop_value *value);
TROP_API int64_t trop_value_shape(const struct trop_value *value, int64_t axis);
TROP_API const char *trop_value_axis(const struct trop_value *value, int64_t axis);

/* ---- token clouds ------------------------------------------------------------
 *
 * n tokens of R^d, given or drawn, and the scores between them: what flows, cells, searches for
 * consensus and escapes start from. */

enum trop_init { TROP_INIT_GAUSSIAN, TROP_INIT_UNIFORM, TROP_INIT_SPHERE, TROP_INIT_POLYGON };

struct trop_cloud_options {
    int64_t n;                    /* tokens */
    int64_t d;                    /* dimension */
    const double *tokens;         /* (n, d); NULL: drawn as init says */
    const double *masses;         /* (n), of flow and consensus; NULL: all 1. Others refuse them */
    int64_t init;                 /* enum trop_init */
    uint64_t seed;                /* of drawn tokens, and of what else a noun draws */
    struct trop_matrix key_query; /* B of the scores <B x_i, x_j> */
};

TROP_API struct trop_cloud_options trop_cloud_options_default(void);

/* ---- token flow ------------------------------------------------------------
 *
 *   s_ij = <B x_i, x_j>,   a_i = rule(s_i1, ..., s_in),
 *   x_i <- x_i + P (sum_j a_ij x_j - x_i)              (layer)
 *
 * and its relatives: residual layers, ODEs, the sphere, the random chain. */

struct trop_flow;

enum trop_flow_dynamics {
    TROP_DYNAMICS_LAYER,    /* x + P (avg - x), P = gamma I or (I+V)^-1 V */
    TROP_DYNAMICS_RESIDUAL, /* x + V avg */
    TROP_DYNAMICS_ODE,      /* dx/dt = avg - x */
    TROP_DYNAMICS_CHAIN,    /* x + gamma (x_j - x), j drawn with probability a_ij */
    TROP_DYNAMICS_SA,       /* dx/dt = Proj_x V avg on the unit sphere */
    TROP_DYNAMICS_USA,      /* dx/dt = Proj_x (1/n) sum_j exp(beta s_ij) V x_j */
    TROP_DYNAMICS_SA_STEP   /* x + dt V avg, brought to unit length */
};

/* In the order of trop_rule_names(). */
enum trop_flow_rule {
    TROP_RULE_SOFTMAX,
    TROP_RULE_HARDMAX,
    TROP_RULE_LOCALMAX,
    TROP_RULE_MINP,
    TROP_RULE_TOPK,
    TROP_RULE_SPARSEMAX,
    TROP_RULE_ENTMAX,
    TROP_RULE_UNIFORM,
    TROP_RULE_CONFIDENCE
};

/* In the order of trop_integrator_names(). */
enum trop_flow_integrator {
    TROP_INTEGRATOR_AUTO, /* dopri5, or exact for the hardmax ODE */
    TROP_INTEGRATOR_EULER,
    TROP_INTEGRATOR_RK4,
    TROP_INTEGRATOR_DOPRI5,
    TROP_INTEGRATOR_CVODE, /* where the build has SUNDIALS */
    TROP_INTEGRATOR_EXACT  /* the hardmax ODE, piece by piece */
};

/* In the order of trop_kernel_names(), which are the same in every build. */
enum trop_flow_kernel {
    TROP_KERNEL_AUTO,     /* the fastest that runs here */
    TROP_KERNEL_BASELINE, /* in WebAssembly: vectors of two, fma in software */
    TROP_KERNEL_AVX2,
    TROP_KERNEL_AVX512,
    TROP_KERNEL_NEON,   /* 64-bit ARM */
    TROP_KERNEL_RELAXED /* WebAssembly, relaxed SIMD */
};

/* In the order of trop_device_names(). cuda is cuda:0, and cuda:1 is TROP_DEVICE_CUDA_0 + 1. */
enum trop_device_index { TROP_DEVICE_CPU, TROP_DEVICE_CUDA, TROP_DEVICE_CUDA_0 };

enum trop_mask { TROP_MASK_FULL, TROP_MASK_CAUSAL };

enum trop_ties {
    TROP_TIES_POINTS,  /* mean over the distinct points that attain the maximum */
    TROP_TIES_INDICES, /* mean over the tokens, by mass: the limit of softmax */
    TROP_TIES_FIRST    /* the lowest index */
};

enum trop_form {
    TROP_FORM_ADDITIVE,   /* s_j >= m - epsilon */
    TROP_FORM_RELATIVE,   /* s_j >= (1 - epsilon) m */
    TROP_FORM_COSINE,     /* additive, on unit vectors */
    TROP_FORM_PROBABILITY /* softmax weight >= epsilon times the largest */
};

enum trop_until { TROP_UNTIL_STEPS, TROP_UNTIL_CONVERGED };

enum trop_usa { TROP_USA_SURVEY, TROP_USA_SHIFTED };

enum trop_clock {
    TROP_CLOCK_TIME,
    TROP_CLOCK_GRADIENT /* velocities over their length in (R^d)^n: time is the length of the path
                         */
};

/* Matrices that the seed draws, entries of G from N(0, 1). */
enum trop_draw_key_query {
    TROP_DRAW_KEY_QUERY_NONE,
    TROP_DRAW_KEY_QUERY_GAUSSIAN, /* B = G_1 G_2 / sqrt(d) */
    TROP_DRAW_KEY_QUERY_GOE       /* B = (G + G') / sqrt(2) */
};
enum trop_draw_value {
    TROP_DRAW_VALUE_NONE,
    TROP_DRAW_VALUE_GRAM,   /* V = G G' / sqrt(d) */
    TROP_DRAW_VALUE_ASCENT, /* V = B over the root of d, of GOE of d + 1 */
    TROP_DRAW_VALUE_DESCENT /* V = -B over it */
};

enum trop_closed_form {
    TROP_CLOSED_FORM_AUTO,  /* where the neighbour sets are proved to last */
    TROP_CLOSED_FORM_NEVER, /* every step is taken */
    TROP_CLOSED_FORM_ONLY   /* refused unless it is known from the first state on */
};

#define TROP_MERGE_OFF (-1.0)
#define TROP_MERGE_AUTO (-2.0)

/* How a step of attention is computed. tree has bits of its own, hull those of direct. Above 1024
 * tokens direct, and so auto, may take softmax by pairs: one weight then serves the rows of both
 * tokens, and sums have another order, that of blocks of tokens that meet. Up to 1024 tokens, and
 * for every other rule, direct and rows are the same to the last bit; rows stays so at any n. */
enum trop_method {
    TROP_METHOD_AUTO,   /* by a cost model on the data, never the clock */
    TROP_METHOD_DIRECT, /* every pair of tokens */
    TROP_METHOD_TREE,   /* softmax and localmax, d <= 6: boxes, to a certified accuracy */
    TROP_METHOD_HULL,   /* hardmax: the tokens that can be maximal */
    TROP_METHOD_ROWS    /* every row by itself, in the order that a row has at any n */
};

/* single: float first; softmax comes with a bound of its error, hardmax and localmax with the
 * bits of double. */
enum trop_precision { TROP_PRECISION_DOUBLE, TROP_PRECISION_SINGLE };

struct trop_flow_options {
    struct trop_cloud_options cloud;
    int64_t dynamics; /* enum trop_flow_dynamics */
    int64_t rule;     /* enum trop_flow_rule */
    struct trop_schedule beta;
    struct trop_schedule epsilon;
    int64_t form;      /* enum trop_form */
    int64_t k;         /* of topk */
    double a;          /* of entmax */
    double confidence; /* radius of bounded confidence */
    int64_t ties;      /* enum trop_ties */
    int64_t mask;      /* enum trop_mask */
    struct trop_schedule gamma;
    double alpha; /* 0: not given */
    struct trop_matrix value;
    struct trop_count steps;
    double tolerance;
    int64_t until;      /* enum trop_until */
    int64_t integrator; /* enum trop_flow_integrator */
    double dt;
    double time;
    double accuracy;
    int64_t usa;            /* enum trop_usa */
    int64_t clock;          /* enum trop_clock */
    int64_t draw_key_query; /* enum trop_draw_key_query */
    int64_t draw_value;     /* enum trop_draw_value */
    double merge;           /* distance, TROP_MERGE_OFF or TROP_MERGE_AUTO */
    double cluster;
    int64_t closed_form; /* enum trop_closed_form */
    int64_t leap;        /* 1: slow times are leapt over */
    double leap_tolerance;
    int64_t method;    /* enum trop_method */
    int64_t precision; /* enum trop_precision */
    int64_t threads;   /* 0: every core */
    int64_t kernel;    /* enum trop_flow_kernel */
    int64_t device;    /* enum trop_device_index: where rows are computed, with the same bits */
};

TROP_API struct trop_flow_options trop_flow_options_default(void);
TROP_API const struct trop_option *trop_flow_option_table(void);

TROP_API enum trop_status trop_flow_create(struct trop_flow **out,
                                           const struct trop_flow_options *options);
/* Pairs of option name and text, NULL-ended: { "n", "64", "d", "2", NULL }. */
TROP_API enum trop_status trop_flow_create_from(struct trop_flow **out, const char *const *pairs);
TROP_API void trop_flow_free(struct trop_flow *flow);

/* Takes at most steps steps (INT64_MAX: all of them, however many), or with leap at most that
 * many moves; fewer when the run's end
 * (steps, time, converged with until = converged, sliding) comes first. */
TROP_API enum trop_status trop_flow_step(struct trop_flow *flow, int64_t steps);
/* Steps to the end of the run and judges it. progress may be NULL. */
TROP_API enum trop_status trop_flow_run(struct trop_flow *flow, trop_progress *progress,
                                        void *context);
TROP_API int trop_flow_done(const struct trop_flow *flow);
/* Moves the end of the run: name is "steps" or "time", text the new value of that option, later
 * than where the flow is. A run that had come to that end goes on, as if the end had never been
 * nearer; one that converged has converged. Not of runs that leap. */
TROP_API enum trop_status trop_flow_extend(struct trop_flow *flow, const char *name,
                                           const char *text);
/* Moves so far: steps, or with leap the leaps and steps that were taken. */
TROP_API int64_t trop_flow_moves(const struct trop_flow *flow);
/* Steps that cost about 1e7 products, as many fields as the integrator takes in one included: what
 * to ask for between two looks at the clock.
 * INT64_MAX when the rest of the run is known in closed form. */
TROP_API int64_t trop_flow_stride(const struct trop_flow *flow);
/* From now on progress is also asked within steps that are long: cvode integrates a whole dt in
 * one, by up to a million evaluations of the field. Where it answers 1, trop_flow_step returns
 * TROP_ERR_STOPPED, and the flow is where it was before that step. NULL: nobody is asked.
 * trop_flow_run does it by itself. */
TROP_API void trop_flow_listen(struct trop_flow *flow, trop_progress *progress, void *context);
/* Attends to the present state, so that the watched fields describe it. The next
 * step uses the same evaluation: looking costs nothing extra. */
TROP_API enum trop_status trop_flow_look(struct trop_flow *flow);
/* Brings everything a result says of the present state (residual, clusters,
 * certificate, converged) up to date. */
TROP_API enum trop_status trop_flow_judge(struct trop_flow *flow);
/* The same for its shape: clusters in detail, vertices of the hull, neighbour graph. Reading
 * these fields does it too. */
TROP_API enum trop_status trop_flow_describe(struct trop_flow *flow);

/* The tokens, (n, d), in their original order. Owned by flow, valid until its
 * next step. */
TROP_API const double *trop_flow_tokens(const struct trop_flow *flow);
/* The attention weights of token i in the present state: out (n), sum 1. */
TROP_API enum trop_status trop_flow_weights(double *out, struct trop_flow *flow, int64_t i);

/* Results by name: docs/results.md lists them. */
TROP_API const struct trop_field *trop_flow_field_table(void);
TROP_API enum trop_status trop_flow_number(double *out, const struct trop_flow *flow,
                                           const char *name);
TROP_API enum trop_status trop_flow_value(struct trop_value *out, const struct trop_flow *flow,
                                          const char *name);

/* What can be recorded of a step: numbers that describe the state last looked at.
 * names: those to watch, separated by commas ("residual,diameter"; NULL or "": none); what is not
 * watched is not computed. */
TROP_API const struct trop_field *trop_flow_watch_table(void);
TROP_API enum trop_status trop_flow_watch(struct trop_flow *flow, const char *names);

/* The whole state as words, for checkpoints: a flow made with the same options
 * that loads them goes on with the same bits. */
TROP_API int64_t trop_flow_state_size(const struct trop_flow *flow);
TROP_API void trop_flow_state_save(int64_t *words, const struct trop_flow *flow);
TROP_API enum trop_status trop_flow_state_load(struct trop_flow *flow, const int64_t *words,
                                               int64_t count);

/* ---- copies -----------------------------------------------------------------
 *
 * Many copies of one small flow, for statistics and studies over initial tokens and parameters.
 * Copy k is bit for bit the flow with the same options and the seed, tokens, beta, epsilon and step
 * size of its own: threads, and how copies are shared out among them, change no result. Softmax,
 * hardmax and localmax (additive and probability forms) with dynamics = layer and sa-step, and ode,
 * sa and usa with integrator = euler or rk4, run eight copies in the lanes of a register;
 * everything else that a flow can do runs copy after copy, and trop_copies_alone says why. */

struct trop_copies;

/* Sees copies as they end. Several threads may call at once, for different copies, in any order;
 * one thread, with threads = 1. What they return ends the run unless it is TROP_OK. A copy of a run
 * that was stopped may be shown again by the run that goes on. */
struct trop_copies_visitor {
    void *context;
    /* The copy is over. status is TROP_OK: the results of flow are those of the copy run alone and
     * judged, as far as fields names them; flow is the visitor's for the time of the call. Else the
     * copy has failed, trop_error() says what it says alone, flow is NULL, and the others go on. */
    enum trop_status (*end)(void *context, int64_t copy, enum trop_status status,
                            struct trop_flow *flow);
    const char *fields; /* of the result, those that end reads, separated by commas; NULL: all */
    /* The copy is at a step that every divides, and has been looked at; NULL: none of this. */
    enum trop_status (*look)(void *context, int64_t copy, struct trop_flow *flow);
    const char *watch; /* of a step, those that look reads, as for trop_flow_watch */
    int64_t every;
};

struct trop_copies_options {
    struct trop_flow_options flow; /* of every copy; its tokens, if any, are all copies' */
    int64_t copies;
    const double *tokens; /* (copies, n, d) tokens of each; NULL: flow's, or drawn by its seed */
    const uint64_t *seed; /* (copies) seed of each; NULL: flow's, and one more from copy to copy */
    /* (copies) constants of each; NULL: flow's. An alpha of 0 is none, as for a flow. */
    const double *beta, *epsilon, *alpha, *gamma;
    /* Lists, "0.1:9:0.1": all copies, with their seeds and tokens, at each point of the product of
     * betas, epsilons, alphas and gammas, of which the last is the fastest. NULL: none */
    const char *betas, *epsilons, *alphas, *gammas;
    double align; /* two tokens of the sphere are aligned when <x_i, x_j> is above it */
    int64_t keep; /* 1: the final tokens are kept */
    const struct trop_copies_visitor *visitor; /* copied, with its texts; NULL: none */
};

TROP_API struct trop_copies_options trop_copies_options_default(void);
/* Those that a flow has not. */
TROP_API const struct trop_option *trop_copies_option_table(void);
TROP_API enum trop_status trop_copies_create(struct trop_copies **out,
                                             const struct trop_copies_options *options);
/* Pairs of this table and of the flow's. */
TROP_API enum trop_status trop_copies_create_from(struct trop_copies **out,
                                                  const char *const *pairs);
TROP_API void trop_copies_free(struct trop_copies *copies);
/* "" when copies run in lanes; otherwise why each is a flow of its own, a sentence. Owned by
 * copies.
 */
TROP_API const char *trop_copies_alone(const struct trop_copies *copies);
/* Runs every copy to its end. Copies are done in blocks; a call that progress stops keeps the
 * blocks that are done, the next call goes on behind them. Without a visitor a copy that fails ends
 * the call, with its number in the sentence. */
TROP_API enum trop_status trop_copies_run(struct trop_copies *copies, trop_progress *progress,
                                          void *context);
/* Copies that are done: 0 .. done - 1. */
TROP_API int64_t trop_copies_done(const struct trop_copies *copies);
/* Their final tokens, (done, n, d), with keep; NULL without. Owned by copies. */
TROP_API const double *trop_copies_tokens(const struct trop_copies *copies);

/* Results by name: arrays with an entry for each copy that is done, and means. */
TROP_API const struct trop_field *trop_copies_field_table(void);
TROP_API enum trop_status trop_copies_number(double *out, const struct trop_copies *copies,
                                             const char *name);
TROP_API enum trop_status trop_copies_value(struct trop_value *out,
                                            const struct trop_copies *copies, const char *name);

/* ---- consensus --------------------------------------------------------------
 *
 * The least tolerance epsilon at which localmax (additive form, full mask, layers with a
 * constant step size) brings a cloud to one point. Consensus need not be monotone in
 * epsilon, so the answer is a bracket, with a proof at either end: at low the cloud keeps
 * several limits, at high it meets. */

struct trop_threshold;

struct trop_threshold_options {
    struct trop_cloud_options cloud;
    struct trop_schedule gamma; /* a constant */
    double alpha;               /* 0: not given */
    double width;               /* of the bracket, relative to the smaller of complete and bound */
    struct trop_count steps;    /* of each run, at most */
    double tolerance;           /* diameter that counts as a point, relative to the first one */
    int64_t threads;            /* 0: every core */
    int64_t kernel;             /* enum trop_flow_kernel */
};

TROP_API struct trop_threshold_options trop_threshold_options_default(void);
TROP_API const struct trop_option *trop_threshold_option_table(void);
/* Finds the thresholds; the bracket is trop_threshold_run's. */
TROP_API enum trop_status trop_threshold_create(struct trop_threshold **out,
                                                const struct trop_threshold_options *options);
TROP_API enum trop_status trop_threshold_create_from(struct trop_threshold **out,
                                                     const char *const *pairs);
TROP_API void trop_threshold_free(struct trop_threshold *threshold);

/* Bisects until the bracket is as narrow as width says; a run that comes to no proof within
 * its steps leaves a band in it that is not decided. progress may be NULL; done and total count
 * answers. With TROP_ERR_STOPPED the bracket is what is known so far. */
TROP_API enum trop_status trop_threshold_run(struct trop_threshold *threshold,
                                             trop_progress *progress, void *context);

/* The tokens, (n, d). Owned by consensus. */
TROP_API const double *trop_threshold_tokens(const struct trop_threshold *threshold);

/* Results by name: docs/results.md lists them. */
TROP_API const struct trop_field *trop_threshold_field_table(void);
TROP_API enum trop_status trop_threshold_number(double *out, const struct trop_threshold *threshold,
                                                const char *name);
TROP_API enum trop_status trop_threshold_value(struct trop_value *out,
                                               const struct trop_threshold *threshold,
                                               const char *name);

/* ---- hull -------------------------------------------------------------------
 *
 * The convex hull K of n points of R^d, any n and d. A cloud whose width in some
 * direction is below 1e-13 of its diameter is flat there: its dimension is that of what
 * is left, and its hull is that of its projection. Equal points count once, by the
 * first of them. */

struct trop_hull;

enum trop_side {
    TROP_SIDE_OUTSIDE, /* proved: a direction separates */
    TROP_SIDE_INSIDE,  /* proved: a convex combination, exact or with room to spare */
    TROP_SIDE_TOUCHING /* within rounding of the boundary: neither could be proved */
};

/* Where a point stands to the hull. */
struct trop_hull_position {
    int64_t side;    /* enum trop_side */
    double distance; /* from the point to its nearest point of the hull */
    double lower;    /* proved: the distance is at least this */
    double depth;    /* of a point inside: to the boundary; NaN where facets are not known; 0
                        for a point that is not inside, and in a flat cloud */
    int64_t atoms;   /* vertices in the combination that makes the nearest point */
};

/* Sizes of the hull; NaN where unknown (no facets: above 6 dimensions, or too many). */
struct trop_hull_measures {
    double diameter;
    double width;       /* least distance of two parallel planes around it */
    double width_lower; /* equal to width up to 3 dimensions; above, width is a bound from above */
    double volume;      /* in its own dimension: length, area, volume; 1 for a point */
};

/* Points are copied. threads 0: every core; never changes a result. */
TROP_API enum trop_status trop_hull_create(struct trop_hull **out, const double *x, int64_t n,
                                           int64_t d, int64_t threads);
TROP_API void trop_hull_free(struct trop_hull *hull);

TROP_API int64_t trop_hull_dimension(const struct trop_hull *hull);
/* Indices of the vertices, ascending; returns how many. Owned by hull, as every list. Every one
 * is a vertex, for the real numbers that the points stand for (those of the projection, of a
 * flat cloud); on a line and in the plane these are all, in space all but points that stick
 * out by less than double can prove, which are candidates. */
TROP_API int64_t trop_hull_vertices(const int64_t **out, const struct trop_hull *hull);
/* In two dimensions: the vertices counterclockwise from the lowest index. */
TROP_API int64_t trop_hull_outline(const int64_t **out, const struct trop_hull *hull);
/* Ascending: every point that attains, or by rounding could attain, the maximum of a
 * linear functional: vertices, points on faces, their doubles, and near ones. */
TROP_API enum trop_status trop_hull_candidates(const int64_t **out, int64_t *count,
                                               struct trop_hull *hull);
/* Pairs of vertices (count, 2), first < second, ascending. A pair that rounding leaves in
 * doubt is listed. */
TROP_API enum trop_status trop_hull_edges(const int64_t **out, int64_t *count,
                                          struct trop_hull *hull);
TROP_API enum trop_status trop_hull_measure(struct trop_hull_measures *out, struct trop_hull *hull);
/* max <direction, x> over the hull, and the first vertex that attains it (may be NULL). */
TROP_API double trop_hull_support(int64_t *vertex, const struct trop_hull *hull,
                                  const double *direction);
/* The point of the hull nearest to query. nearest (d), direction (d): unit, from the hull
 * to the query, 0 when it is inside; weights (n): the combination, 0 outside its atoms.
 * Each of the three may be NULL. */
TROP_API enum trop_status trop_hull_place(struct trop_hull_position *out, double *nearest,
                                          double *direction, double *weights,
                                          struct trop_hull *hull, const double *query);

/* All of this by name: dimension, vertices, outline, candidates, edges, diameter, ...
 * Edges are null where they would take too many pairs of vertices to try. */
TROP_API const struct trop_field *trop_hull_field_table(void);
TROP_API enum trop_status trop_hull_number(double *out, struct trop_hull *hull, const char *name);
TROP_API enum trop_status trop_hull_value(struct trop_value *out, struct trop_hull *hull,
                                          const char *name);
/* The members of a place by name, with trop_field_value; it has trop_hull_position_size() bytes. */
TROP_API const struct trop_field *trop_hull_position_table(void);
TROP_API int64_t trop_hull_position_size(void);

/* ---- cells ------------------------------------------------------------------
 *
 *   C_i = { x in K : <B x, v_i - v_j> >= 0 for all j },   v_i the vertices of K:
 *
 * the points that hardmax sends to v_i. Any B. Signs are decided exactly, for the real
 * numbers that B and the tokens stand for. */

struct trop_cells;

struct trop_cells_options {
    struct trop_cloud_options cloud;
    const double *query; /* (queries, d) further points to label, or NULL */
    int64_t queries;
    double eta;      /* of the dominance cones I_i(eta) */
    double erode;    /* radius of the erosion of I_i(eta) */
    int64_t threads; /* 0: every core */
};

TROP_API struct trop_cells_options trop_cells_options_default(void);
TROP_API const struct trop_option *trop_cells_option_table(void);
TROP_API enum trop_status trop_cells_create(struct trop_cells **out,
                                            const struct trop_cells_options *options);
TROP_API enum trop_status trop_cells_create_from(struct trop_cells **out, const char *const *pairs);
TROP_API void trop_cells_free(struct trop_cells *cells);

/* The hull of its tokens. Owned by cells. */
TROP_API struct trop_hull *trop_cells_hull(struct trop_cells *cells);
/* The tokens, (n, d). Owned by cells. */
TROP_API const double *trop_cells_tokens(const struct trop_cells *cells);

/* Results by name: docs/results.md lists them. */
TROP_API const struct trop_field *trop_cells_field_table(void);
TROP_API enum trop_status trop_cells_number(double *out, const struct trop_cells *cells,
                                            const char *name);
TROP_API enum trop_status trop_cells_value(struct trop_value *out, const struct trop_cells *cells,
                                           const char *name);

/* ---- escape -----------------------------------------------------------------
 *
 * First exits at finite beta. Groups are the cells at step 0; the exit is the first step,
 * counted from 1, after which some token is farther than radius from the convex hull of its
 * group's places at step 0. Of the random chain
 *
 *   x_i <- x_i + gamma (x_j - x_i),  j drawn with probability softmax_j(beta <B x_i, x_j>),
 *
 * over many runs, or of its mean, the deterministic flow. Times are carried as logarithms:
 * they grow like exp(c beta). */

struct trop_escape;

enum trop_escape_dynamics { TROP_ESCAPE_CHAIN, TROP_ESCAPE_FLOW };

struct trop_escape_options {
    struct trop_cloud_options cloud;
    const char *beta; /* "2,4,6", "2:60" or "2:60:2", and lists of these */
    double gamma;
    double radius;
    int64_t runs;     /* of the chain, at each beta */
    int64_t dynamics; /* enum trop_escape_dynamics */
    double near;      /* of the vertex, for the arrival; -1: tau of theorem 5.2 */
    double shadow;    /* distance from the hardmax flow to find the end of; -1: not asked */
    double tolerance;
    int64_t moves;   /* of a run, at most */
    int64_t threads; /* 0: every core */
};

TROP_API struct trop_escape_options trop_escape_options_default(void);
TROP_API const struct trop_option *trop_escape_option_table(void);
/* Finds groups, constants, hypotheses, bounds and the exact law; the rest is trop_escape_run's. A
 * token on a wall between cells is refused. */
TROP_API enum trop_status trop_escape_create(struct trop_escape **out,
                                             const struct trop_escape_options *options);
TROP_API enum trop_status trop_escape_create_from(struct trop_escape **out,
                                                  const char *const *pairs);
TROP_API void trop_escape_free(struct trop_escape *escape);

/* Runs beta after beta. progress may be NULL; done and total count runs. With TROP_ERR_STOPPED the
 * results are those of the runs that are done, and a further call makes the rest. */
TROP_API enum trop_status trop_escape_run(struct trop_escape *escape, trop_progress *progress,
                                          void *context);

/* The tokens at step 0, (n, d). Owned by escape. */
TROP_API const double *trop_escape_tokens(const struct trop_escape *escape);

/* Results by name: docs/results.md lists them. */
TROP_API const struct trop_field *trop_escape_field_table(void);
TROP_API enum trop_status trop_escape_number(double *out, const struct trop_escape *escape,
                                             const char *name);
TROP_API enum trop_status trop_escape_value(struct trop_value *out,
                                            const struct trop_escape *escape, const char *name);

/* ---- what this build has ---------------------------------------------------- */

TROP_API const char *const *trop_rule_names(void);       /* NULL-ended */
TROP_API const char *const *trop_integrator_names(void); /* NULL-ended */
TROP_API const char *const *trop_kernel_names(void);     /* NULL-ended; "auto" first */
TROP_API const char *const *trop_device_names(void);     /* NULL-ended; "cpu" first */
TROP_API const char *trop_kernel_in_use(void);           /* what auto takes here */
TROP_API const char *trop_lapack_core(void);             /* BLAS core, or "none" */
TROP_API int64_t trop_parallel_cores(void);

/* ---- mirror descent on weights of others ------------------------------------
 *
 * u <- u - lr g and w = sgn(u) |u|^e in single precision, u in single or (wide = 1) in double: what
 * tropism.torch does in a step. e > 0; with wide a multiple of 1/2. threads 0: every core. */

/* |g|_q; NaN where an entry is not finite. */
TROP_API double trop_mirror_norm(const float *g, int64_t n, double q, int64_t threads);
/* Steps the blocks of 512 entries in which w is what was kept of the last step (changed = 1: in
 * which it is not), and keeps what it writes. Returns how many blocks it left. law: e, lr and a
 * norm by which g is divided, 0: none. */
TROP_API int64_t trop_mirror_step(float *w, float *kept, void *u, int64_t wide, const float *g,
                                  int64_t n, const double *law, int64_t changed, int64_t threads);
/* The map by itself. out: as u. */
TROP_API void trop_mirror_map(void *out, const void *u, int64_t wide, int64_t n, double e);

/* ---- training data ----------------------------------------------------------
 *
 * n inputs of T tokens each, with what a model of attention reads beside them. Absent
 * arrays are NULL, and their sizes 0. */

struct trop_data {
    int64_t n, T, d;
    const double *x;          /* (n, T, d) tokens; NULL for next-token data */
    const double *y;          /* (n, labels) each -1 or 1 */
    int64_t labels;           /* of an input: 1, or T for sequences */
    const double *z;          /* (n, queries, d) */
    int64_t queries;          /* of an input: 1, or T for sequences */
    const double *v;          /* (d) decoder: token t of input i has the score y_i <v, x_it>; with
                                 heads > 1 (heads, d), for heads that are not linear */
    const double *k;          /* (n, T, dk) keys apart from the tokens, for the prompt model */
    int64_t dk;               /* their dimension */
    const double *vocabulary; /* (words, d) embeddings of next-token data */
    int64_t words;
    const int64_t *ids;  /* (n, T) which word stands at each place */
    const int64_t *next; /* (n) which word follows */
    int64_t heads;       /* rows of v; 0: one */
};

/* ---- max-margin problems ------------------------------------------------------
 *
 *   min |W|   subject to   <A_j, W> >= r_j  or  <A_j, W> = r_j,
 *   A_j = (x_plus - x_minus) z',
 *
 * where x_plus and x_minus are points and z is a query: the logit of one token is to
 * exceed that of another. With one query, the number 1, W is a vector. */

struct trop_problem {
    int64_t rows, columns;        /* of W */
    int64_t points, queries;      /* how many */
    int64_t count;                /* of constraints */
    const double *point;          /* (points, rows) */
    const double *query;          /* (queries, columns) */
    const int64_t *plus, *minus;  /* (count) points; -1 stands for the origin */
    const int64_t *asked;         /* (count) query */
    const int64_t *equal;         /* (count) 1: <A_j, W> = r_j */
    const double *right;          /* (count) r_j; 0 or 1 unless equal */
    const int64_t *input, *token; /* (count) which input and which token of it j is about */
};

struct trop_margin;

enum trop_model {
    TROP_MODEL_AUTO,     /* cross when the data have a query for each input, sequence when they have
                            one for each token, graph with a vocabulary, else prompt */
    TROP_MODEL_PROMPT,   /* vector p: logits k_t' p */
    TROP_MODEL_CROSS,    /* matrix W: logits x_t' W z */
    TROP_MODEL_SELF,     /* the same, one token of the input being the query */
    TROP_MODEL_SEQUENCE, /* the same, with a query for each token (SAtt-SVM) */
    TROP_MODEL_LABEL,    /* vector v: y_i v' x_i >= 1 for the selected tokens (SVM) */
    TROP_MODEL_GRAPH     /* next-token data: W from the token-priority graphs (Graph-SVM) */
};

enum trop_margin_norm {
    TROP_MARGIN_L2, /* Frobenius */
    TROP_MARGIN_LP, /* (sum |W_ab|^p)^(1/p) */
    TROP_MARGIN_L1,
    TROP_MARGIN_LINF,
    TROP_MARGIN_NUCLEAR, /* sum of the singular values */
    TROP_MARGIN_SPECTRAL /* the largest one */
};

enum trop_outcome {
    TROP_OUTCOME_SOLVED,          /* the proved gap is within the tolerance */
    TROP_OUTCOME_INFEASIBLE,      /* proved: no W satisfies the constraints */
    TROP_OUTCOME_STALLED,         /* no progress at working precision; the bounds hold */
    TROP_OUTCOME_ITERATION_LIMIT, /* the bounds hold */
    TROP_OUTCOME_NONE             /* not solved yet */
};

struct trop_margin_options {
    const struct trop_data *data;       /* or */
    const struct trop_problem *problem; /* one of the two; copied */
    int64_t model;                      /* enum trop_model */
    int64_t mask;                       /* enum trop_mask, of sequence */
    int64_t row;                        /* of self: the token that is the query */
    const char *select;                 /* "optimal", or a token for each input: "3,2,6"; of several
                                           that are as good, "3,0|2,6": any of them (ATT-SVM') */
    const char *relaxed;     /* inputs whose right side is 0: "1,4", or "auto": those that
                                do not support the label problem; NULL: none */
    const double *weights;   /* (n, T) Gen-SVM: selected tokens > 0, masked tokens 0 */
    int64_t norm;            /* enum trop_margin_norm */
    double p;                /* exponent of lp */
    double tolerance;        /* relative gap of a solution; 0: what the norm promises */
    int64_t iterations;      /* at most */
    int64_t enumerate;       /* 1: every selection, which of them are locally optimal */
    const double *direction; /* (rows, columns) a W to be looked at; NULL: none */
    int64_t threads;         /* workers, 0: every core; never changes a result */
};

/* The model that auto stands for: enum trop_model. */
TROP_API int64_t trop_margin_auto(const struct trop_data *data);

TROP_API struct trop_margin_options trop_margin_options_default(void);
TROP_API const struct trop_option *trop_margin_option_table(void);
/* Makes the problem; trop_margin_run solves it. */
TROP_API enum trop_status trop_margin_create(struct trop_margin **out,
                                             const struct trop_margin_options *options);
TROP_API enum trop_status trop_margin_create_from(struct trop_margin **out,
                                                  const struct trop_data *data,
                                                  const char *const *pairs);
TROP_API void trop_margin_free(struct trop_margin *margin);
/* With TROP_ERR_STOPPED the outcome is an iteration limit, with bounds that hold. */
TROP_API enum trop_status trop_margin_run(struct trop_margin *margin, trop_progress *progress,
                                          void *context);
/* The problem itself. Owned by margin, valid until trop_margin_free. */
TROP_API const struct trop_problem *trop_margin_problem(const struct trop_margin *margin);
/* W of the problem, (rows, columns): zero until it is solved. Owned by margin. */
TROP_API const double *trop_margin_weights(const struct trop_margin *margin);
TROP_API const struct trop_field *trop_margin_field_table(void);
TROP_API enum trop_status trop_margin_value(struct trop_value *out,
                                            const struct trop_margin *margin, const char *name);
/* A field that is a number, a count or a truth. */
TROP_API enum trop_status trop_margin_number(double *out, const struct trop_margin *margin,
                                             const char *name);

/* ---- weight flow: attention that is trained ------------------------------------
 *
 *   a_t = <key_t, u>,  u = p, W z or K Q'z;   s = softmax(a);   L = mean of l(y h(sum_t s_t x_t))
 */

enum trop_train_model {
    TROP_TRAIN_AUTO,   /* cross when the data have queries or a vocabulary, sequence when they have
                          a query for each token, else prompt */
    TROP_TRAIN_PROMPT, /* p */
    TROP_TRAIN_CROSS,  /* W */
    TROP_TRAIN_SELF,   /* W, one token of the input being the query */
    TROP_TRAIN_SEQUENCE, /* W, every token of the input being a query */
    TROP_TRAIN_KQ,       /* K and Q, W = K Q' */
    TROP_TRAIN_JOINT     /* the decoder v with p or W */
};

struct trop_train;

enum trop_train_head { TROP_HEAD_LINEAR, TROP_HEAD_RELU, TROP_HEAD_QUADRATIC };

enum trop_train_loss {
    TROP_LOSS_LOGISTIC,
    TROP_LOSS_EXPONENTIAL,
    TROP_LOSS_CORRELATION,
    TROP_LOSS_LOG
};

enum trop_train_optimizer {
    TROP_OPTIMIZER_GD,
    TROP_OPTIMIZER_NGD,
    TROP_OPTIMIZER_POLYAK,
    TROP_OPTIMIZER_MIRROR,
    TROP_OPTIMIZER_NMIRROR,
    TROP_OPTIMIZER_SQUARE,
    TROP_OPTIMIZER_STEEPEST,
    TROP_OPTIMIZER_SIGN,
    TROP_OPTIMIZER_SIGNUM,
    TROP_OPTIMIZER_GREEDY,
    TROP_OPTIMIZER_SPECTRAL,
    TROP_OPTIMIZER_MUON,
    TROP_OPTIMIZER_ADAM,
    TROP_OPTIMIZER_EG,
    TROP_OPTIMIZER_HYPENTROPY,
    TROP_OPTIMIZER_COSH
};

enum trop_train_gradient { TROP_TRAIN_STABLE, TROP_TRAIN_NAIVE, TROP_TRAIN_NAIVE_REVERSED };

enum trop_train_start { TROP_TRAIN_ZEROS, TROP_TRAIN_NORMAL, TROP_TRAIN_UNIFORM, TROP_TRAIN_GIVEN };

enum trop_train_compare {
    TROP_TRAIN_COMPARE_ALL,   /* with max-margin solutions, at every record */
    TROP_TRAIN_COMPARE_FINAL, /* at the end */
    TROP_TRAIN_COMPARE_NONE
};

struct trop_train_options {
    const struct trop_data *data; /* copied */
    int64_t model;                /* enum trop_train_model */
    int64_t mask;                 /* enum trop_mask, of sequence */
    int64_t row;                  /* the token that is the query, where the data have none */
    int64_t width;                /* columns of K and Q; 0: d */
    int64_t head;                 /* enum trop_train_head: what is read off the attended token */
    double lambda;                /* of the quadratic head */
    int64_t loss;                 /* enum trop_train_loss */
    int64_t optimizer;            /* enum trop_train_optimizer */
    double p;                     /* exponent of optimisers that have one */
    double eta;                   /* step size */
    struct trop_schedule eta_schedule; /* that it is multiplied by, t counting steps */
    int64_t backtrack;                 /* 1: steps are halved until the loss falls */
    int64_t batch;                     /* inputs of a mini-batch; 0: all */
    int64_t gradient;                  /* enum trop_train_gradient */
    double gradient_epsilon;           /* added to the dual norm */
    double decoder_epsilon;            /* of joint: to that of v; -1: the same */
    double decay;    /* lambda |T|^2 of every tensor T is added to the loss; of sequences: weights
                        shrink by 1 - eta decay in a step, dual variables of mirror maps likewise */
    double momentum; /* of signum and muon */
    double beta1, beta2, adam_epsilon; /* of adam */
    double bend;                       /* of eg and hypentropy: where they leave the linear part */
    int64_t polynomial;                /* of muon: 1: the Newton-Schulz polynomial */
    int64_t steps;
    int64_t start;               /* enum trop_train_start */
    double start_scale;          /* of what is drawn */
    const double *start_weights; /* of GIVEN: the tensors in the order of trop_train_tensor */
    uint64_t seed;               /* of what is drawn, and of mini-batches */
    int64_t records;             /* in each factor of ten of steps */
    int64_t compare;             /* enum trop_train_compare */
    int64_t threads;             /* workers, 0: every core; never changes a result */
};

/* The model that auto stands for: enum trop_train_model; of paths too. */
TROP_API int64_t trop_train_auto(const struct trop_data *data);

TROP_API struct trop_train_options trop_train_options_default(void);
TROP_API const struct trop_option *trop_train_option_table(void);
TROP_API enum trop_status trop_train_create(struct trop_train **out,
                                            const struct trop_train_options *options);
TROP_API enum trop_status trop_train_create_from(struct trop_train **out,
                                                 const struct trop_data *data,
                                                 const char *const *pairs);
TROP_API void trop_train_free(struct trop_train *train);
/* Runs to its last step. After TROP_ERR_STOPPED it can be called again and goes on. */
TROP_API enum trop_status trop_train_run(struct trop_train *train, trop_progress *progress,
                                         void *context);
/* Takes at most so many steps; fewer at the end of the run. Results are then those of the last
 * record. */
TROP_API enum trop_status trop_train_step(struct trop_train *train, int64_t steps,
                                          trop_progress *progress, void *context);
/* Steps that are done. */
TROP_API int64_t trop_train_steps(const struct trop_train *train);
/* Tensor k = 0, 1, ... of the weights: its name ("p", "W", "K", "Q", "v") and shape; NULL when
 * there are no more. The weights are exp(log_scale) values. Owned by train, valid until its next
 * step. */
TROP_API const char *trop_train_tensor(const double **values, double *log_scale, int64_t shape[2],
                                       const struct trop_train *train, int64_t k);
TROP_API const struct trop_field *trop_train_field_table(void);
TROP_API enum trop_status trop_train_value(struct trop_value *out, const struct trop_train *train,
                                           const char *name);
TROP_API enum trop_status trop_train_number(double *out, const struct trop_train *train,
                                            const char *name);

/* The whole state as words, for checkpoints, more of them with every record: a run made of the same
 * data and options that loads them goes on with the same bits. steps may be more then, as if the
 * run had had so many from the start. Words of another run, or damaged ones, are refused, and
 * change nothing. */
TROP_API int64_t trop_train_state_size(const struct trop_train *train);
TROP_API void trop_train_state_save(int64_t *words, const struct trop_train *train);
TROP_API enum trop_status trop_train_state_load(struct trop_train *train, const int64_t *words,
                                                int64_t count);

/* ---- real sequences --------------------------------------------------------
 *
 * Attention that learns to classify sequences of different lengths, such as texts: word w is a
 * trained vector E_w, and of the tokens x_t = E_w(t) (+ P_t) of an item each head gives
 *
 *   a_t = <x_t, u>,  u = W z or K Q'z,  s = softmax(a),  o = sum_t s_t x_t,  f = sum of v_h'o_h,
 *
 * z the first token, a trained prompt, or every token in turn (o is the mean then). A token that is
 * not there never attends. With two classes the loss is one of y f, y = 1 for class 1; with more
 * there is a v for each class, and the loss is the cross entropy of softmax. */

/* Items of tokens: words, or vectors as they are (patches of images). */
struct trop_sequences {
    int64_t n;              /* items */
    const int64_t *offsets; /* (n + 1) tokens of item i: offsets[i] to offsets[i + 1] - 1 */
    const int32_t *ids;     /* (offsets[n]) words, below words; NULL: vectors */
    int64_t words;          /* in the vocabulary */
    const double *vectors;  /* (offsets[n], width); NULL: ids */
    int64_t width;
    const int64_t *labels; /* (n) below classes */
    int64_t classes;
    const int64_t *splits;    /* (n) enum trop_split; NULL: fit draws them */
    const char *const *names; /* (words) the words; NULL: they have none */
    const int64_t *lexicon;   /* (words) 1: a word that should matter; NULL: nothing is known */
    const char *const *class_names; /* (classes) NULL: they have none */
};

enum trop_split { TROP_SPLIT_TRAIN, TROP_SPLIT_VALIDATION, TROP_SPLIT_TEST };

enum trop_fit_query { TROP_FIT_PROMPT, TROP_FIT_FIRST, TROP_FIT_EACH };

struct trop_fit; /* attention that learns from sequences */

struct trop_fit_options {
    const struct trop_sequences *sequences; /* not copied: valid until trop_fit_free */
    int64_t embed;                          /* dimension of the tokens; vectors have their own */
    int64_t query;                          /* enum trop_fit_query: what z is */
    int64_t heads;                          /* 0: the mean of all tokens, no attention */
    int64_t positions;                      /* 1: a trained vector is added for each place */
    int64_t layers;      /* before that, in which tokens attend to each other; 0: none */
    double beta;         /* of the softmax of these layers */
    int64_t bias;        /* 1: a trained number is added to each output */
    const char *trained; /* tensors that move, separated by commas: E,P,z,W,K,Q,v,a,b; NULL: all */
    const char *each;    /* optimisers of single tensors, "E=adam:0.001,v=gd"; NULL: one for all */
    int64_t epochs;
    int64_t patience;   /* epochs without a better validation loss that end a run; 0: none do */
    double validation;  /* share of the items, where splits is NULL */
    double test;        /* likewise */
    const char *theory; /* exponents of max-margin problems that W is compared with; NULL: none */
    int64_t folds;      /* runs, each tested on another part of the items; 0: one run */
    int64_t fold;       /* of folds: the one to run; -1: all */
    int64_t show;       /* items of which the weights of every token are told */
    struct trop_train_options train; /* of these model (cross, kq), width, loss, optimizer, p, eta,
                                      * eta_schedule, batch, its numbers, start, start_scale, seed,
                                      * threads */
};

TROP_API struct trop_fit_options trop_fit_options_default(void);
TROP_API const struct trop_option *trop_fit_option_table(void); /* without those of train */
TROP_API enum trop_status trop_fit_create(struct trop_fit **out,
                                          const struct trop_fit_options *options);
/* Pairs may name options of trop_train_option_table as well. */
TROP_API enum trop_status trop_fit_create_from(struct trop_fit **out,
                                               const struct trop_sequences *sequences,
                                               const char *const *pairs);
TROP_API void trop_fit_free(struct trop_fit *fit);
/* Epochs are counted by progress. */
TROP_API enum trop_status trop_fit_run(struct trop_fit *fit, trop_progress *progress,
                                       void *context);
TROP_API const struct trop_field *trop_fit_field_table(void);
TROP_API enum trop_status trop_fit_value(struct trop_value *out, const struct trop_fit *fit,
                                         const char *name);
TROP_API enum trop_status trop_fit_number(double *out, const struct trop_fit *fit,
                                          const char *name);
/* Tensor k as trop_train_tensor tells it: those of the chosen epoch. */
TROP_API const char *trop_fit_tensor(const double **values, int64_t shape[2],
                                     const struct trop_fit *fit, int64_t k);
/* What the chosen weights say of other items, whose words are those of the fit: scores (n,
 * classes), of two classes (n) f; attention (offsets[n]), the mean over heads (and queries); either
 * may be NULL. Labels are not read. */
TROP_API enum trop_status trop_fit_predict(double *scores, double *attention,
                                           const struct trop_fit *fit,
                                           const struct trop_sequences *items);

/* ---- regularisation paths ---------------------------------------------------------
 *
 *   W(R) = argmin of L(W) over |W|_p <= R, and jointly over |v|_p <= r: what training with a
 *   constraint on the norm selects as the constraint is lifted. */

struct trop_path;

struct trop_path_options {
    const struct trop_data *data; /* copied */
    int64_t model;              /* enum trop_train_model: prompt, cross, self, sequence or joint */
    int64_t mask;               /* enum trop_mask, of sequence */
    int64_t row;                /* of self: the token that is the query */
    int64_t loss;               /* enum trop_train_loss, all but log */
    double p;                   /* of the balls, above 1 */
    const char *radius;         /* "10,20,50", "10:100:10": ascending */
    const char *decoder_radius; /* of joint: r for each R, or one for all; NULL: r = R */
    int64_t local;              /* 1: in a cone around the solution for select */
    const char *select;         /* of local: tokens, as in trop_margin_options */
    double cone;                /* of local: largest directional Bregman divergence, mu */
    int64_t starts;             /* random ones at every radius, beside the warm ones */
    uint64_t seed;              /* of them */
    double tolerance;           /* 1 - alignment at which a point is stationary */
    int64_t iterations;         /* at most, of each start */
    int64_t threads;            /* workers, 0: every core; never changes a result */
};

TROP_API struct trop_path_options trop_path_options_default(void);
TROP_API const struct trop_option *trop_path_option_table(void);
TROP_API enum trop_status trop_path_create(struct trop_path **out,
                                           const struct trop_path_options *options);
TROP_API enum trop_status trop_path_create_from(struct trop_path **out,
                                                const struct trop_data *data,
                                                const char *const *pairs);
TROP_API void trop_path_free(struct trop_path *path);
/* TROP_ERR_STOPPED also when radii remain unfinished: what was found is there. */
TROP_API enum trop_status trop_path_run(struct trop_path *path, trop_progress *progress,
                                        void *context);
TROP_API const struct trop_field *trop_path_field_table(void);
TROP_API enum trop_status trop_path_number(double *out, const struct trop_path *path,
                                           const char *name);
TROP_API enum trop_status trop_path_value(struct trop_value *out, const struct trop_path *path,
                                          const char *name);

#ifdef __cplusplus
}
#endif

#endif
