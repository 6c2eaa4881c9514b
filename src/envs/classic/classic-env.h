/* The common part of the tasks of classic control: lanes in blocks of 64, a random stream a lane,
 * first states drawn evenly from a box, one action a lane. Private; a task is one class below
 * #ReelClassicEnv and one table of kernels. */
#pragma once

#include "../../core/image/canvas.h"
#include "../../core/math/isa.h"
#include "../../core/math/pcg64.h"
#include "../env.h"

G_BEGIN_DECLS

/* Lanes that a block holds. */
#define REEL_CLASSIC_TILE 64

/* Doubles of state, and floats of an observation, that a task may have. */
#define REEL_CLASSIC_MOST 6

/**
 * ReelClassicShape:
 * @n_state: doubles that a lane's physics takes
 * @n_kept: of these, how many come first that the others follow from: what a saved state holds
 * @n_drawn: of these, how many come first that a reset draws; it clears the others
 * @n_observed: floats of an observation
 * @n_actions: how many discrete actions there are; 0 for one float
 * @own_reward: whether its steps say what they are rewarded; otherwise the rules do
 *
 * The shape of a task.
 */
typedef struct
{
  gint n_state;
  gint n_kept;
  gint n_drawn;
  gint n_observed;
  gint n_actions;
  gboolean own_reward;
} ReelClassicShape;

/**
 * ReelClassicRules:
 * @physics: the constants of the task as its kernels take them, owned by the env
 * @low: least of each double that a reset draws
 * @width: highest minus least of each
 * @round_draws: whether what is drawn is rounded to float32
 * @alive: reward of a step that does not terminate, in tasks without their own
 * @terminating: of the first one that terminates
 * @terminated: of those that terminate after it, without a reset between
 *
 * Values that hold for every lane of an env.
 */
typedef struct
{
  gconstpointer physics;
  double low[REEL_CLASSIC_MOST];
  double width[REEL_CLASSIC_MOST];
  gboolean round_draws;
  float alive;
  float terminating;
  float terminated;
} ReelClassicRules;

/**
 * ReelClassicStream:
 * @state: PCG64 state
 * @inc: PCG64 increment
 *
 * The random stream of one lane. Resets draw doubles only, so no half of a draw ever waits.
 */
typedef struct
{
  ReelUint128 state;
  ReelUint128 inc;
} ReelClassicStream;

/**
 * ReelClassicLanes:
 * @blocks: the physics, aligned to 64 bytes: for every 64 lanes n_state columns of 64 doubles, so
 *   that a reset, which writes a place in each, stays within a page. Lanes past the last one are at
 *   rest
 * @streams: one a lane
 * @ended: one byte a lane: whether the episode has terminated, and goes on
 *
 * The state of an env.
 */
typedef struct
{
  double *blocks;
  ReelClassicStream *streams;
  guint8 *ended;
} ReelClassicLanes;

/**
 * ReelClassicColumns:
 * @action: float32, one a lane; or int64: rows as wide as there are actions, of which the last
 *   column that is not 0 counts, and the first where all are; or numbers, of which those that are
 *   no action count as the nearest one
 * @one_hot: whether @action has rows
 * @observation: rows of float32
 * @carry: (nullable): a second place for them
 * @reward: float32
 * @terminated: bytes
 *
 * Where a step reads and writes; every pointer is at lane 0.
 */
typedef struct
{
  gconstpointer action;
  gboolean one_hot;
  float *observation;
  float *carry;
  float *reward;
  guint8 *terminated;
} ReelClassicColumns;

/**
 * ReelClassicKernels:
 * @step: advances the lanes of [begin, end). Reads and writes nothing of other lanes; fastest where
 *   blocks are whole
 * @reset: draws the state of @n lanes from their streams, in the order of the columns, and writes
 *   their observation
 * @derive: brings the columns of one lane past those that are kept up to date
 *
 * One table per instruction set; the same bits from each, and for any partition of the lanes.
 */
typedef struct
{
  void (*step) (const ReelClassicRules *rules, const ReelClassicLanes *lanes, gint64 begin,
                gint64 end, const ReelClassicColumns *columns);
  void (*reset) (const ReelClassicRules *rules, const ReelClassicLanes *lanes, const gint64 *which,
                 gsize n, float *observation);
  void (*derive) (const ReelClassicLanes *lanes, gint64 lane);
} ReelClassicKernels;

/**
 * ReelClassicEnv:
 *
 * Base of the tasks. Properties of each: `math`.
 */
#define REEL_TYPE_CLASSIC_ENV (reel_classic_env_get_type ())
G_DECLARE_DERIVABLE_TYPE (ReelClassicEnv, reel_classic_env, REEL, CLASSIC_ENV, ReelEnv)

/**
 * ReelClassicBounds:
 * @low: least of each float of an observation
 * @high: highest of each
 * @action: the action is in [−action, action]; nothing of discrete ones
 */
typedef struct
{
  double low[REEL_CLASSIC_MOST];
  double high[REEL_CLASSIC_MOST];
  double action;
} ReelClassicBounds;

/**
 * ReelClassicEnvClass:
 * @shape: its sizes
 * @kernels: its tables, by instruction set; see REEL_CLASSIC_TAKE_KERNELS()
 * @prepare: required. Checks the properties and says what follows from them
 * @step_exactly: required. Advances one lane as Gymnasium does, bit for bit: state and, in tasks
 *   with their own, reward; @first tells the first step of an episode. Returns whether it
 *   terminated
 * @observe_exactly: (nullable): the observation of a state as Gymnasium has it; @first tells that
 *   of a reset. Without it the state is what is observed
 * @recall: (nullable): a state with an observation; needed beside @observe_exactly
 * @draw: required. The picture of a state, on a canvas whose world is `frame_width` by
 *   `frame_height`; @first tells that of a reset
 *
 * One task.
 */
struct _ReelClassicEnvClass
{
  ReelEnvClass parent_class;

  ReelClassicShape shape;
  const ReelClassicKernels *kernels[REEL_N_ISAS];
  gboolean (*prepare) (ReelClassicEnv *self, ReelClassicRules *rules, ReelClassicBounds *bounds,
                       GError **error);
  gboolean (*step_exactly) (ReelClassicEnv *self, gboolean first, double *state, double action,
                            float *reward);
  void (*observe_exactly) (ReelClassicEnv *self, gboolean first, const double *state,
                           float *observation);
  void (*recall) (ReelClassicEnv *self, const float *observation, double *state);
  void (*draw) (ReelClassicEnv *self, const ReelCanvas *canvas, gboolean first,
                const double *state);
};

/**
 * REEL_CLASSIC_TAKE_KERNELS:
 * @klass: a #ReelClassicEnvClass, in class_init
 * @x: a name that REEL_KERNEL_DECLARE() declared
 */
#define REEL_CLASSIC_TAKE_KERNELS(klass, x)                                                        \
  for (ReelIsa reel_isa_ = 0; reel_isa_ < REEL_N_ISAS; reel_isa_++)                                \
  (klass)->kernels[reel_isa_] = REEL_KERNEL_PICK (x, reel_isa_)

/**
 * reel_classic_env_class_add_constant:
 * @klass: the class, in its class_init
 * @name: the property
 * @offset: of a double field
 * @low: smallest value
 * @high: largest value
 * @initial: the default
 * @unit: (nullable): its unit
 * @blurb: what it is for
 *
 * Adds a number that is fixed at construction.
 */
void reel_classic_env_class_add_constant (ReelObjectClass *klass, const char *name, gsize offset,
                                          double low, double high, double initial, const char *unit,
                                          const char *blurb);

/**
 * reel_classic_rules_draw:
 * @rules: where it goes
 * @n: how many doubles a reset draws
 * @low: the value of `reset-low`
 * @high: the value of `reset-high`
 * @error: VALUE where @low is above @high
 *
 * Has resets draw each double from the same range, as Gymnasium's reset options have it.
 *
 * Returns: whether there is such a range
 */
gboolean reel_classic_rules_draw (ReelClassicRules *rules, gint n, double low, double high,
                                  GError **error);

/**
 * reel_classic_square:
 * @x: a number
 *
 * Returns: the C library's pow (x, 2), which is not x × x in one of 1 200 last bits, and which no
 *   compiler may make of it
 */
double reel_classic_square (double x);

G_END_DECLS
