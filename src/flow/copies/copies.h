/* copies.h -- what the files of many copies share.
 *
 * A worker carries TROP_LANES copies side by side, one in each lane, and takes the next copy into
 * a lane that has ended. Copies never meet, so how they are shared among workers and lanes changes
 * no result.
 */
#ifndef TROP_FLOW_COPIES_H
#define TROP_FLOW_COPIES_H

#include "kernel/kernel_copies.h"
#include "flow/flow.h"

#include <stdatomic.h>

#define TROP_COPIES_STAGES 4 /* most stages of an integrator that the lanes have */
#define TROP_COPIES_SENTENCE 512
#define TROP_COPIES_TOKENS TROP_KERNEL_ALONE /* that the lanes take: rows by themselves */
#define TROP_COPIES_NUMBERS 16384

/* Numbers that differ from copy to copy, beside the seed; in the order of their product. */
enum trop_copies_axis {
    TROP_COPIES_BETA,
    TROP_COPIES_EPSILON,
    TROP_COPIES_ALPHA,
    TROP_COPIES_GAMMA,
    TROP_COPIES_AXES
};

/* The same of one copy, as its flow has them. */
struct trop_copies_point {
    struct trop_schedule beta, epsilon, gamma;
};

/* Where one copy stands; the rest of a flow's state follows from these. */
struct trop_copies_lane {
    int64_t copy; /* -1: the lane is idle */
    int64_t step;
    double time;
    int64_t next_try, next_proof, proved; /* as in struct trop_flow */
    double radius0, diameter0;
    struct trop_copies_point point;
    double beta_now, epsilon_now; /* of the rule, at the present time */
    double gamma_now;             /* the step of a layer, or the time step that is taken */
    int ready;                    /* 1: they hold for all time */
    int last;                     /* 1: the steps are over, and the residual is asked for */
    int fresh;                    /* 1: diameter0 is not known yet */
    int64_t looked;               /* last step that was shown, -1: none */

    /* of a proof that was found on the way, as in struct trop_flow_state; its limits: the worker's
     */
    struct trop_quiescence proof;
    int64_t from, has_limits;
};

struct trop_copies_worker {
    struct trop_copies *copies;
    struct trop_flow *flow; /* has one copy at a time, for what the lanes leave to it */
    const struct trop_kernel_copies *kernel;
    struct trop_kernel_group group;
    struct trop_copies_lane lanes[TROP_LANES];
    int64_t waiting, last; /* copies of its share that have no lane yet */

    /* arrays are (..., TROP_LANES), but for stash */
    double *x, *next, *trial;  /* (width, d) */
    double *y;                 /* (n, d) */
    double *k;                 /* (TROP_COPIES_STAGES, n, d) */
    double *reach_x, *reach_y; /* (d) */
    double *edge;              /* (2, d) one lane of them */
    int64_t *candidates;       /* (n), of one row and lane */
    double *stash;             /* (TROP_LANES, n, d) tokens that the flow has stepped */
    double *initial, *limits;  /* (TROP_LANES, n, d) of the lanes, for a visitor; or NULL */
    int64_t holds;             /* copy whose initial tokens the flow has, -1: none */
    int64_t alone;             /* steps that the flow has taken */
    enum trop_status status;
    char sentence[TROP_COPIES_SENTENCE];
};

struct trop_copies {
    struct trop_flow *model;          /* one copy, as made; its options are the owned ones */
    int64_t first;                    /* which */
    struct trop_flow_options options; /* of every copy, its pointers to what model owns */
    int64_t copies;                   /* how many there are: cycle of them for every beta */
    int64_t cycle; /* copies of one beta: copy k has the seed and tokens of k mod cycle */
    int64_t n, d, workers, done;
    double align;
    char alone[TROP_COPIES_SENTENCE]; /* why every copy is a flow of its own; "": lanes know all */
    int in_lanes;                     /* 1: they do */
    int shows_ends;                   /* 1: the visitor reads what attempts to end find */
    int looks;      /* 1: attempts to end matter to the steps, or to what is shown */
    int measured;   /* 1: the residual of the last state is the lanes' to find */
    int suited;     /* 1: proofs of lasting sets are looked for */
    int varies;     /* 1: some number of the rule or the step varies in time */
    double *given;  /* (cycle, n, d) initial tokens, or (n, d) of all copies, or NULL */
    int64_t pace;   /* numbers from one copy's tokens to the next; 0: all copies share them */
    uint64_t *seed; /* (copies), or NULL */
    double *axis[TROP_COPIES_AXES];  /* (copies) by enum trop_copies_axis, or NULL */
    double *final;                   /* (copies, n, d), or NULL */
    struct trop_copies_worker *crew; /* (workers) */
    atomic_int stop;                 /* 1: the workers leave what they have begun */

    struct trop_copies_visitor visitor; /* its texts are read; end NULL: there is none */
    uint64_t watched;                   /* bit by enum trop_flow_watched */
    int attends, methods; /* 1: it reads what the last state is looked at for; the methods */
    char unknown[64];     /* the first that it reads and lanes do not know, "": none */

    trop_progress *progress; /* of the present call */
    void *context;

    /* what is known of every copy */
    int64_t *steps, *clusters, *converged, *aligned; /* (copies) */
    double *residual, *diameter, *fraction, *betas;  /* (copies) */
    int64_t *histogram;                              /* (n + 1) copies by their clusters, */
    int64_t bins;                                    /* up to the most that there are, at least 1 */

    /* copies_report.c: means over the done copies of a group of equal beta */
    struct trop_copies_mean *means; /* (groups) */
    int64_t groups;
};

struct trop_copies_mean {
    double beta, epsilon, alpha, gamma;
    int64_t count;
    double clusters, clusters_error, fraction, fraction_error, diameter, diameter_error, steps;
    double converged;
};

/* copies_point.c: options of one copy, its tokens in given. */
struct trop_flow_options trop_copies_options_of(const struct trop_copies *copies, int64_t copy);
/* 1 when rule and dynamics have a part for the numbers of an axis, enum trop_copies_axis. */
int trop_copies_applies(const struct trop_flow_options *options, int axis);
/* Refuses arrays and lists that do not go together, or with the rule. */
enum trop_status trop_copies_axes_check(const struct trop_copies_options *options);
/* Points of the product of lists. */
enum trop_status trop_copies_axes_count(int64_t *out, const struct trop_copies_options *options);
/* Copies arrays, spreads lists over the copies; 0 when there is no memory. */
int trop_copies_axes_adopt(struct trop_copies *copies, const struct trop_copies_options *options);
/* Refuses what a flow with the options of some copy would refuse. */
enum trop_status trop_copies_axes_fit(const struct trop_copies *copies,
                                      const struct trop_copies_options *options);

/* copies_visit.c: reads what the visitor asks for; says why lanes do not know it, or the options.
 */
enum trop_status trop_copies_visit_read(struct trop_copies *copies,
                                        const struct trop_copies_visitor *visitor);
void trop_copies_judge_lanes(struct trop_copies *copies);
/* copies.c: copies that are asked for run on the processor. Exported for the lab. */
TROP_API enum trop_status trop_copies_check_device(const struct trop_flow_options *options);
/* Ends the worker's share, and all, with the present sentence; nothing of TROP_OK. */
void trop_copies_end(struct trop_copies_worker *worker, enum trop_status status);
/* Shows a copy that is over. */
void trop_copies_show(struct trop_copies_worker *worker, int64_t copy, enum trop_status status,
                      struct trop_flow *flow);
/* Shows the present step of a copy, where it is due; *looked: the last that was. TROP_ERR_STOPPED:
 * the visitor has ended all. */
enum trop_status trop_copies_look(struct trop_copies_worker *worker, int64_t copy,
                                  struct trop_flow *flow, int64_t *looked);
/* The flow of a copy to its end, shown on the way, judged. */
enum trop_status trop_copies_walk(struct trop_copies_worker *worker, int64_t copy,
                                  struct trop_flow *flow, int64_t *looked);

/* copies.c: keeps what a judged flow says of a copy. */
void trop_copies_keep(struct trop_copies *copies, int64_t copy, const struct trop_flow *flow);
/* Keeps that a copy has failed, where a visitor was told. */
void trop_copies_lose(struct trop_copies *copies, int64_t copy);
/* 1 when the workers are to leave; the first worker asks the caller's progress. */
int trop_copies_stopped(struct trop_copies *copies, int64_t worker);

/* copies_group.c: copies first .. last - 1 by one worker. */
void trop_copies_work(struct trop_copies_worker *worker, int64_t first, int64_t last);
enum trop_status trop_copies_worker_create(struct trop_copies_worker *worker,
                                           struct trop_copies *copies);
void trop_copies_worker_free(struct trop_copies_worker *worker);

/* copies_field.c: move and next of all lanes from x; the lanes in doubt, as bits. */
unsigned trop_copies_move(struct trop_copies_worker *worker);
/* 1 when a proof that the sets of a lane last would be tried now, were one due. */
int trop_copies_settled(const struct trop_copies_worker *worker, int lane);

/* The flow has the numbers of a copy. */
static inline void trop_copies_point_put(struct trop_flow *flow,
                                         const struct trop_copies_point *point)
{
    flow->options.beta = point->beta;
    flow->options.epsilon = point->epsilon;
    flow->gamma = point->gamma;
}

/* out (count): the numbers of one lane of x (count, TROP_LANES). */
static inline void trop_copies_gather(double *out, const double *x, int64_t count, int l)
{
    for (int64_t m = 0; m < count; m++) {
        out[m] = x[m * TROP_LANES + l];
    }
}

/* copies_report.c: sums up the copies that are done. */
void trop_copies_sum_up(struct trop_copies *copies);

#endif
