/* flow.h -- what the files of the token flow share. */
#ifndef TROP_FLOW_FLOW_H
#define TROP_FLOW_FLOW_H

#include "attend/attend.h"
#include "flow/dynamics/dynamics.h"
#include "flow/ode/ode.h"
#include "flow/slow/skip.h"
#include "flow/slow/slow.h"
#include "kernel/device.h"
#include "shape/graph.h"
#include "shape/quiescence.h"

enum trop_flow_outcome {
    TROP_FLOW_RUNNING,
    TROP_FLOW_STEPS,     /* took all its steps, or reached its time */
    TROP_FLOW_CONVERGED, /* with a certificate */
    TROP_FLOW_SLIDING    /* the hardmax ODE reached a wall that it cannot leave */
};

enum trop_flow_certificate {
    TROP_FLOW_CERTIFICATE_NONE,
    TROP_FLOW_CERTIFICATE_CONSENSUS,
    TROP_FLOW_CERTIFICATE_THEOREM_4_2,
    TROP_FLOW_CERTIFICATE_QUIESCENCE,
    TROP_FLOW_CERTIFICATE_FIXED_POINT,
    TROP_FLOW_CERTIFICATE_METASTABLE,
    TROP_FLOW_CERTIFICATE_SLIDING
};

#define TROP_FLOW_PAUSE 1e7         /* products between two looks at the clock */
#define TROP_FLOW_OWNED 6           /* arrays that options may point to, beside the tokens */
#define TROP_FLOW_OWNED_KEY_QUERY 1 /* places among them, see flow.c */
#define TROP_FLOW_OWNED_VALUE 2
#define TROP_FLOW_BOX_DIMENSION 6 /* the largest d of the methods tree and hull */

/* A Lyapunov candidate over a run; members are words of a checkpoint. */
struct trop_flow_observed {
    double value, error;      /* now */
    double rise;              /* largest one-step rise beyond rounding */
    int64_t rises, rise_step; /* how many; the step after the largest */
};

enum trop_flow_observable {
    TROP_FLOW_POTENTIAL,
    TROP_FLOW_DIRICHLET,
    TROP_FLOW_SPREAD,
    TROP_FLOW_SUPPORT,
    TROP_FLOW_OBSERVABLES
};

/* A time between two merges that outlasts all the time before. */
struct trop_flow_plateau {
    int64_t merge;  /* the one that ends it, from 0; the number of merges: none does */
    int64_t live;   /* tokens on it */
    double in, out; /* natural logarithms of when it begins and ends */
    double energy;  /* mean of J by mass when it begins; of the first 0 */
};

/* What a run is at a step: what checkpoints hold (flow_state.c, whose list has all of it).
 *
 * Tokens that have merged are one live token with their mass: tokens 0 .. live-1 of x are in use,
 * owner says which of them stands for an original token, head which original token a live one is
 * called by.
 *
 * A proof found on the way stands forever: leaders, targets and limits are those of that step.
 * (Later, rounding stalls followers an ulp short of their leaders and makes leaders of them.) */
struct trop_flow_state {
    int64_t step;
    double time;
    double h; /* next step of an adaptive integrator */
    int64_t live;
    double *x;           /* (n, d) */
    double *mass;        /* (n) */
    int64_t *owner;      /* (n) */
    int64_t *head;       /* (n) */
    int64_t *crowd;      /* (n) of a live token: how many original ones it stands for */
    int64_t *led;        /* (n) 1: was ever alone in its own set */
    int64_t *target;     /* (n) original index last followed, -1: not unique */
    int64_t methods;     /* bit by enum trop_method: those that steps were taken by */
    double error;        /* largest proved error of an average, relative to its farthest token */
    int64_t chosen;      /* 1: auto takes the tree */
    int64_t next_choice; /* step from which on auto asks again */
    int64_t switches;    /* changes of target, in all */
    int64_t last_switch;
    double merge_bound;
    int64_t merges;
    int64_t next_try; /* step from which a certificate is tried again */
    int64_t outcome;  /* enum trop_flow_outcome */
    int64_t slide[3]; /* token and the two points of the wall, of a sliding run */
    int64_t *follows; /* (n) leader of a live token in the hardmax ODE, -1: to be found */
    double *size;     /* (n) of a live token there: what its error is relative to */

    int64_t proved; /* enum trop_flow_certificate, NONE until then */
    struct trop_quiescence proof;
    int64_t has_limits;
    double *limits;     /* (n, d) by original token: where it goes, when that is proved */
    double *base;       /* (n, d) live tokens at the step of the proof */
    int64_t from;       /* that step */
    int64_t closed;     /* 1: from then on every state is known in closed form */
    double still;       /* step from which on the residual is small, by the closed form */
    int64_t jumped;     /* 1: the present state was made by the closed form */
    double log10_steps; /* logarithm of the steps, once they leave int64_t; NaN before */
    int64_t next_proof; /* step from which a proof that the sets last is tried again */

    /* what was seen of all states, when it is watched */
    struct trop_flow_observed observed[TROP_FLOW_OBSERVABLES];
    int64_t observed_at;  /* last step that was, -1: none */
    double *support;      /* (2, directions) support functions along the axes: now, before */
    double *energy_first; /* (n) J of a token when it was first seen */
    double *energy_last;  /* (n) and last */
    double *gap_least;    /* (n) least Frank-Wolfe gap before the present step */
    double energy_fall;   /* largest one-step fall of a J */

    double log10_time;                   /* logarithm of the time of leaps on the sphere */
    int64_t moves;                       /* moves taken, with leaps */
    int64_t leapt;                       /* 1: some were taken */
    int64_t over;                        /* 1: the clock stands at the end */
    int64_t skip_words[TROP_SKIP_WORDS]; /* state of the chain's leaps */
};

/* What was seen of the present state, since looked, judged and described say so. */
struct trop_flow_seen {
    int looked, judged, described;
    double *displacement;           /* (n, d) avg - x, or the velocity */
    struct trop_attend_note *notes; /* (n) */
    double residual, diameter, gap_max, energy, margin_min;
    double interaction; /* of softmax on the sphere, see flow_look.c */
    double gap_worst, gap_bound, gap_ratio, origin_distance, volume, outside;
    int64_t leaders, clusters, vertices, origin;
    double *full;       /* (n, d) tokens by original index */
    int64_t *hull_list; /* (n) vertices of the tokens' hull */
    int64_t hull_count; /* -1: not known */
};

/* What the run has come to: the certificate, and tokens by cluster and by closed component. */
struct trop_flow_verdict {
    int64_t certificate; /* enum trop_flow_certificate */
    int converged;
    int64_t *labels;         /* (n) */
    int64_t *leader_list;    /* (n) */
    int64_t *members;        /* (n) tokens by cluster */
    int64_t *member_of;      /* (n + 1) first place of a cluster in members */
    double *centres;         /* (n, d) */
    double *cluster_mass;    /* (n) */
    double *cluster_moved;   /* (n) distance of a centre to the nearest initial token */
    int64_t *cluster_from;   /* (n) that token */
    int64_t *cluster_vertex; /* (n) 1: the centre is a vertex of the centres' hull, -1: unknown */
    int64_t *class_members;  /* (n) tokens by closed component of the graph */
    int64_t *class_of;       /* (n + 1) first place of one in class_members */
    double *class_mass;      /* (n) */
    double *class_centres;   /* (n, d) */
    struct trop_flow_plateau *plateaus; /* (n) of slow, listed when they are asked for */
};

/* What computes, and its scratch. Those that only some flows need are NULL or made at first use. */
struct trop_flow_engines {
    struct trop_attend *attend;
    struct trop_quiescence_scratch *quiescence;
    struct trop_ode *ode;   /* of continuous time */
    struct trop_slow *slow; /* follows softmax layers and the sphere by leaps, or NULL */
    struct trop_skip *skip; /* follows the chain by leaps, or NULL */
    const struct trop_slow_merge *merge_list; /* owned by slow, or NULL */
    struct trop_shortlist *shortlist;
    void *tree;               /* made by the rule's tree->create */
    struct trop_graph *graph; /* of a set rule */
    struct trop_hull *hull0;  /* of the initial tokens */
    double *bounds;           /* (n) proved errors of the averages of a tree */
    int64_t *picks;           /* (n) of the chain */
    double *uniform;          /* (n) of the chain */
    int64_t *order, *parent;  /* (n) */
    double *far;              /* (n + d) */
};

struct trop_flow {
    /* constant once it is made */
    struct trop_flow_options options; /* its arrays are initial and those of owned */
    struct trop_schedule gamma;       /* the step size, alpha resolved */
    int64_t n, d, workers;
    int64_t directions; /* 2 d, those of support */
    const struct trop_kernel *kernel;
    const struct trop_rule *rule;
    const struct trop_dynamics *dynamics;
    const struct trop_integrator *integrator;
    double *initial;                /* (n, d) */
    double *step_map;               /* (d, d) P, or NULL: gamma I */
    double *owned[TROP_FLOW_OWNED]; /* the arrays that options points to, NULL where absent */
    double diameter0, radius0;      /* of the initial tokens */
    double *centre0;                /* (d) their mean */

    uint64_t watched;        /* bit by enum trop_flow_watched */
    trop_progress *progress; /* who is asked within a long step; NULL: nobody */
    void *context;           /* theirs */
    double unasked;          /* products in this step since they were */
    int64_t walk_wait;       /* steps to be taken singly before the next walk on a device, */
    int64_t walk_back;       /* and how many those were the last time */
    struct trop_flow_state state;
    struct trop_flow_seen seen;
    struct trop_flow_verdict verdict;
    struct trop_flow_engines engines;
};

/* Watchable fields by bit, in the order of trop_flow_watch_table(). */
enum trop_flow_watched {
    TROP_FLOW_WATCH_STEP,
    TROP_FLOW_WATCH_TIME,
    TROP_FLOW_WATCH_RESIDUAL,
    TROP_FLOW_WATCH_DIAMETER,
    TROP_FLOW_WATCH_ENERGY,
    TROP_FLOW_WATCH_GAP,
    TROP_FLOW_WATCH_MARGIN,
    TROP_FLOW_WATCH_LEADERS,
    TROP_FLOW_WATCH_SWITCHES,
    TROP_FLOW_WATCH_CLUSTERS,
    TROP_FLOW_WATCH_POTENTIAL, /* each followed by its rise */
    TROP_FLOW_WATCH_POTENTIAL_RISE,
    TROP_FLOW_WATCH_DIRICHLET,
    TROP_FLOW_WATCH_DIRICHLET_RISE,
    TROP_FLOW_WATCH_SPREAD,
    TROP_FLOW_WATCH_SPREAD_RISE,
    TROP_FLOW_WATCH_SUPPORT,
    TROP_FLOW_WATCH_SUPPORT_RISE,
    TROP_FLOW_WATCH_ENERGY_FALL,
    TROP_FLOW_WATCH_GAP_LEAST,
    TROP_FLOW_WATCH_GAP_BOUND,
    TROP_FLOW_WATCH_GAP_RATIO,
    TROP_FLOW_WATCH_VERTICES,
    TROP_FLOW_WATCH_ORIGIN,
    TROP_FLOW_WATCH_ORIGIN_DISTANCE,
    TROP_FLOW_WATCH_VOLUME,
    TROP_FLOW_WATCH_OUTSIDE,
    TROP_FLOW_WATCH_LOG_STEP,
    TROP_FLOW_WATCH_LOG_TIME,
    TROP_FLOW_WATCH_TOKENS,
    TROP_FLOW_WATCH_INTERACTION
};

static inline int trop_flow_watches(const struct trop_flow *flow, enum trop_flow_watched field)
{
    return (int)(flow->watched >> field & 1);
}

/* flow_watch.c: the field that the first of the names is, which are separated by commas; *names
 * goes on to the next, NULL after the last. option: what refusals call the list. Exported for the
 * lab.
 */
TROP_API enum trop_status trop_flow_watch_next(const struct trop_field **out, const char **names,
                                               const char *option);

/* flow.c: the workers of so many wished for, 0: one a core. Each has rows of its own, so far more
 * than there are cores would cost memory and give nothing. */
int64_t trop_flow_workers(int64_t wished);
/* The step size that gamma and alpha set, where no value does. */
TROP_API struct trop_schedule trop_flow_pace(const struct trop_flow_options *options);
/* Products of one attention to all live tokens. */
TROP_API double trop_flow_products(const struct trop_flow *flow);
/* Copies count numbers; 0 when there is no memory. Nothing to copy is fine. */
int trop_flow_copy(double **out, const double *from, int64_t count);

/* flow_check.c: every option, and all of them together. */
enum trop_status trop_flow_check(const struct trop_flow_options *options);

/* flow_draw.c: the matrices that the seed draws, in the place of given ones; 0 when there is no
 * memory. */
int trop_flow_draw(struct trop_flow *flow);
/* What is refused of them. */
enum trop_status trop_flow_draw_check(const struct trop_flow_options *options);

/* flow_rules.c: the numbers of the rule at the present time. */
enum trop_status trop_flow_numbers(struct trop_rule_numbers *out, const struct trop_flow *flow,
                                   double t);
/* The step size at the present step, checked to lie in (0, 1]. */
enum trop_status trop_flow_gamma(double *out, const struct trop_flow *flow);
/* Loads the live tokens into the attention handle. */
enum trop_status trop_flow_load(struct trop_flow *flow, const double *x, double t);

/* flow_look.c: takes the rows' notes into targets and leaders. */
void trop_flow_notice(struct trop_flow *flow);

/* flow_observe.c: takes what is watched of the present state; its memory. */
enum trop_status trop_flow_observe(struct trop_flow *flow);
enum trop_status trop_flow_observe_create(struct trop_flow *flow);
void trop_flow_observe_free(struct trop_flow *flow);
/* 1 when something is watched that must see every step. */
int trop_flow_observes_each(const struct trop_flow *flow);

/* flow_describe.c: columns of its lists. */
extern const struct trop_field trop_flow_cluster_columns[], trop_flow_class_columns[];

/* flow_leap.c: its memory; one leap or step. */
enum trop_status trop_flow_leap_create(struct trop_flow *flow);
void trop_flow_leap_free(struct trop_flow *flow);
enum trop_status trop_flow_leap(struct trop_flow *flow);
/* Goes on from the loaded state of the flow. */
void trop_flow_leap_resume(struct trop_flow *flow);
extern const struct trop_field trop_flow_merge_columns[], trop_flow_plateau_columns[];
/* Lists the plateaus of a flow that has its own pace; returns how many. */
int64_t trop_flow_plateaus(struct trop_flow *flow);

/* flow_method.c: displacement (live, d) and the notes of the loaded tokens, by the method that
 * the options ask for or the cost model picks. margins: notes have margins. */
enum trop_status trop_flow_attend(struct trop_flow *flow, double *displacement, int margins);
void trop_flow_method_free(struct trop_flow *flow);

/* flow_device.c: up to `most` steps with the tokens on the device; taken: how many, 0: none, the
 * next one is a step as any other. */
enum trop_status trop_flow_walk(int64_t *taken, struct trop_flow *flow, int64_t most);
/* flow.c: 1 when a look at the present state could end the run. */
int trop_flow_may_end(const struct trop_flow *flow);
/* Refuses a state that is not finite. */
enum trop_status trop_flow_check_finite(const struct trop_flow *flow);

/* flow_merge.c: joins live tokens that are as close as options.merge says. */
void trop_flow_merge(struct trop_flow *flow, double gamma);

/* flow_field.c: velocities at x, in discrete time averages less tokens; margins: notes have
 * margins. */
enum trop_status trop_flow_velocity(struct trop_flow *flow, double *velocity, const double *x,
                                    double t, int margins);
/* Divides velocities (live, d) by their length over all tokens, where the clock is of that kind. */
void trop_flow_rescale(const struct trop_flow *flow, double *velocity);
/* The same without margins and at its pace, for integrators. */
enum trop_status trop_flow_field(void *flow, double *velocity, const double *x, double t);
/* Asks who listens whether to go on: TROP_ERR_STOPPED when not. */
enum trop_status trop_flow_ask(struct trop_flow *flow);
/* Back to the unit sphere, token by token. */
enum trop_status trop_flow_project(void *flow, double *x);

/* flow_piecewise.c: one smooth piece of the hardmax ODE. */
enum trop_status trop_flow_piece(struct trop_flow *flow);

/* flow_proof.c: 1 when the step is x + gamma (avg - x) with gamma in (0, 1], or its ODE: then
 * the hull never grows (claim lm-thm-t1). */
int trop_flow_averages(const struct trop_flow *flow);
/* 1 when no number of the rule changes from now on. */
int trop_flow_settled(const struct trop_flow *flow);
/* The bounds of all steps from t on; 0 when there are none to build a proof on. */
int trop_flow_future(struct trop_quiescence_future *out, const struct trop_flow *flow, double t);
/* 1 when the present sets are proved to last; fills proof and limits. */
int trop_flow_prove(struct trop_flow *flow);
/* The certificate of an enum trop_quiescence_kind. */
int64_t trop_flow_certificate_of(int64_t kind);
/* Tries for such a proof now and then, and keeps it for jumps. */
enum trop_status trop_flow_foresee(struct trop_flow *flow);
/* Refuses closed_form = only when the first state has none, with the reason. */
enum trop_status trop_flow_insist(struct trop_flow *flow);
/* 1 when every later state is known in closed form. */
int trop_flow_jumps(const struct trop_flow *flow);
/* Goes up to steps steps (INT64_MAX: to the end) at once; returns how many. */
int64_t trop_flow_jump(struct trop_flow *flow, int64_t steps);

/* flow_judge.c: tries to prove that the present state has converged. */
void trop_flow_certify(struct trop_flow *flow);
/* The rest of trop_flow_judge, of a state that was looked at and whose diameter is known. */
enum trop_status trop_flow_judge_wide(struct trop_flow *flow, double diameter);

/* flow_report.c: full, from the live tokens. */
void trop_flow_expand(struct trop_flow *flow);

/* The time that schedules see: steps, or continuous time. */
static inline double trop_flow_clock(const struct trop_flow *flow)
{
    return flow->dynamics->continuous ? flow->state.time : (double)flow->state.step;
}

/* 1 when the ODE is solved exactly, piece by piece. */
static inline int trop_flow_is_piecewise(const struct trop_flow *flow)
{
    return flow->dynamics->pieces && flow->rule->best_only;
}

/* A tenth more steps from now on: when to try again what has failed. */
static inline int64_t trop_flow_later(const struct trop_flow *flow)
{
    int64_t more = 1 + flow->state.step / 10;

    return flow->state.step < INT64_MAX - more ? flow->state.step + more : INT64_MAX;
}

/* 1 when the rule is a matter of sets that can be asked for: hardmax, and localmax in its
 * additive and probability forms. */
static inline int trop_flow_has_sets(const struct trop_flow *flow)
{
    return flow->rule->neighbours && trop_rule_shifts(flow->rule, flow->options.form);
}

#endif
