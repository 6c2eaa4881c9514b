/* Learners: a table of settings, a network that acts, and the update of a round. */
#pragma once

#include "network.h"
#include "spaces.h"
#include "state-list.h"

G_BEGIN_DECLS

typedef enum
{
  SETTING_INTEGER,
  SETTING_REAL,
  SETTING_SWITCH,
} SettingKind;

/* A number that a learner has: an option of its command. */
typedef struct
{
  const char *name;
  SettingKind kind;
  double initial, low, high;
  const char *about;
} Setting;

/* The default of a setting with --pixels. */
typedef struct
{
  const char *name; /* NULL behind the last */
  double initial;
} PixelDefault;

/* Settings that all learners begin with, in this order. */
enum
{
  LEARNING_RATE,
  BATCH_SIZE,
  N_COMMON_SETTINGS,
};

/* The origin of what a learner reads. */
typedef enum
{
  LEARN_FROM_STEPS,    /* a buffer, which steps are written to between updates */
  LEARN_FROM_ROLLOUTS, /* the newest steps of all lanes */
  LEARN_FROM_DATA,     /* saved buffers */
} LearnSource;

#define LEARNER_MOST_SETTINGS 24
#define LEARNER_MOST_SCALARS 8
#define LEARNER_MOST_LAYERS 8

typedef struct _Learner Learner;

typedef struct
{
  const char *name;
  const char *about;
  LearnSource source;
  const char *env;                                    /* by default */
  const char *total, *num_envs, *hidden, *activation; /* likewise */
  gboolean takes_classes, takes_boxes;
  gboolean remembers;                            /* by the last hidden layer, an LSTM */
  const PixelDefault *of_pixels;                 /* NULL for a learner that does not see any */
  const Setting *settings;                       /* the last without a name */
  guint normalizes;                              /* its switch for normalization.h; 0 for none */
  const char *scalars[LEARNER_MOST_SCALARS + 1]; /* TensorBoard's names, those of SB3 */
  gsize size;

  /* Makes networks. */
  gboolean (*begin) (Learner *self, GError **error);
  void (*clear) (Learner *self);
  /* Names all that its updates change and the next one reads, for checkpoints. */
  void (*list_state) (Learner *self, StateList *list);
  /* Optional: frames of a round, where they are not the setting "update-every". */
  gint64 (*count_frames) (const Learner *self);
  /* Optional: rows of a batch, where they are not as many as the size that is set; and the sampler
     of sequences around the rows that another one draws, whose rewards the learner sums up. */
  gint64 (*count_rows) (const Learner *self);
  char *(*dup_sampler) (const Learner *self, const char *rows);
  /* One update, by the next batch or by the rollout. */
  gboolean (*update) (Learner *self, ReelTensordict *rollout, GError **error);
  /* Actions of n lanes, as spaces_write_actions() has them, from the outputs of the network. */
  void (*choose) (const Learner *self, const float *outputs, gint64 n, gint64 step,
                  gboolean explore, double *actions);
  /* The network that acts, and the arguments of the mlp policy that acts likewise. */
  const Network *(*get_policy) (const Learner *self, const char **arguments);
  /* Optional: logarithms of the scales of a box's numbers, where they are no outputs of that
     network. The exported one has them as further outputs. */
  const float *(*get_log_scales) (const Learner *self);
} LearnerClass;

struct _Learner
{
  const LearnerClass *class;
  double values[LEARNER_MOST_SETTINGS]; /* of the settings */
  Spaces spaces;
  gint widths[LEARNER_MOST_LAYERS]; /* of hidden layers */
  guint n_hidden;
  Activation activation;
  gint64 n_lanes;
  guint64 seed;
  ReelPcg64 random;

  /* Set by the run. */
  gpointer source; /* of batches */
  ReelBatchFunc draw;
  ReelReplayBuffer *buffer; /* whose priorities are told; NULL where there is none */
  const char *directory;    /* of the run */
  gint64 frames;            /* that were collected */
  double done;              /* share of the run, 0 to 1 */

  gint64 n_updates;
  gint64 sampling; /* microseconds in which batches were drawn */
  ReelTensordict *batch;
  double sums[LEARNER_MOST_SCALARS]; /* of scalars since they were read */
  gint64 counts[LEARNER_MOST_SCALARS];
};

/* The deviation of an exported policy of a box that does not explore: the least of the mlp policy.
 */
#define LEAST_NOISE 1e-4

extern const LearnerClass dqn_learner, r2d2_learner, ppo_learner, sac_learner, td3_learner,
    bc_learner, cql_learner, iql_learner, td3_bc_learner;

Learner *learner_new (const LearnerClass *class, const Spaces *spaces, GError **error);
void learner_free (Learner *self);

/* The memory that class and base change while they learn. */
void learner_list_state (Learner *self, StateList *list);

/* The value of a setting by its name; `otherwise` where the class has none. */
double learner_get_value (const Learner *self, const char *name, double otherwise);

/* Frames of a round, which are collected before its updates. */
gint64 learner_count_frames (const Learner *self);

/* The updates of a round: as many as the setting "updates" has, or one, and none before
   "learning-starts". */
gboolean learner_update (Learner *self, ReelTensordict *rollout, GError **error);

/* A network from the observation, or more inputs, to so many outputs: hidden layers as they are
   set, behind convolutions for pixels. */
Network *learner_make_network (Learner *self, gint n_in, gint n_out, Gains gains);

/* The next batch, of the size that is set. */
gboolean learner_draw (Learner *self, gint64 n, GError **error);

/* The same of rows that the sampler of a buffer of the learner's own draws once each: FALSE behind
   the last, without an error. */
gboolean learner_draw_next (Learner *self, ReelReplayBuffer *rows, GError **error);

/* The weights of its rows: those of the sampler, or 1. */
gboolean learner_read_weights (Learner *self, gint64 n, float *weights, GError **error);

/* The discount of the value behind each row: that of its sum of rewards, where rows were written
   through multi-step, or `gamma`. */
gboolean learner_read_discounts (Learner *self, gint64 n, double gamma, float *discounts,
                                 GError **error);

/* Tells the sampler how far off the rows of the batch were, where it has priorities. */
gboolean learner_set_priorities (Learner *self, const float *off, gint64 n, GError **error);

/* Sums up n rewards where rows are written. Flags but done become those of the last step that a row
   sums up, so that a target values no state behind a terminal one. */
ReelTransform *learner_make_n_step (gint64 n, double gamma, GError **error);

/* Notes a value of one of the class's scalars, and the mean of them since it was asked; NaN where
   there are none. */
void learner_note (Learner *self, guint scalar, double value);
double learner_take_scalar (Learner *self, guint scalar);

/* Counts an update. A loss that is not finite is an error, and the batch is saved in the run. */
gboolean learner_check_loss (Learner *self, double loss, GError **error);

/* The first of the greatest outputs. */
gint64 learner_find_greatest (const float *outputs, gint64 n);

/* One of the classes that are allowed, each as likely, by an index of a key. */
gint64 learner_draw_any (const float *outputs, gint64 n, ReelRandomKey key, gint64 i);

/* A normal draw, of its own for each index of a key. */
double learner_draw_normal (ReelRandomKey key, gint64 i);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Learner, learner_free)

G_END_DECLS
