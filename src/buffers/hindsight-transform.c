#include "hindsight-transform.h"

#include "../core/math/random.h"
#include "replay-buffer.h"
#include "storages/racy-copy.h"
#include "storages/storage-look.h"
#include "samplers/trajectory-index.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define STREAM 0x68696e6473696768 /* samplers of the same seed draw from other streams */

static const char *const strategies[] = { "future", "final", "episode", "random", NULL };
static const char *const rewards[] = { "sparse", "dense", NULL };

enum
{
  FUTURE,
  FINAL,
  EPISODE,
  RANDOM,
};

/* The trajectories of a storage. */
typedef struct
{
  ReelStorage *storage;
  ReelTrajectoryIndex *index;
} Known;

struct _ReelHindsightTransform
{
  ReelTransform parent_instance;

  int strategy;
  double ratio;
  char *goal_key;
  char *achieved_key;
  char *reward_key;
  char *traj_key;
  char *end_key;
  int reward;
  double threshold;
  gint64 seed;

  ReelHindsightRewardFunc function;
  gpointer user_data;
  GDestroyNotify destroy;

  atomic_llong n_calls;
  _Atomic (Known *) known; /* whoever needs it takes it out meanwhile */
};

G_DEFINE_FINAL_TYPE (ReelHindsightTransform, reel_hindsight_transform, REEL_TYPE_TRANSFORM)

/* ---- which rows goals come from ---- */

/* Some rows on their way to other goals. */
typedef struct
{
  ReelStorage *storage;
  const ReelColumn *achieved;
  const gint64 *rows;
  gint64 n;
  gint64 *goals; /* rows, −1 for none */
  guint8 *values;
  ReelRandomKey key;
} Relabelling;

static GObject *
find_owner (ReelTransform *transform)
{
  GObject *owner = reel_transform_get_parent (transform);

  while (owner && REEL_IS_TRANSFORM (owner))
    owner = reel_transform_get_parent (REEL_TRANSFORM (owner));
  return owner;
}

static void
known_free (Known *known)
{
  if (!known)
    return;
  reel_trajectory_index_free (known->index);
  g_object_unref (known->storage);
  g_free (known);
}

static ReelTrajectoryIndex *
new_index (ReelHindsightTransform *self, ReelStorage *storage, GError **error)
{
  const char *slash = self->end_key ? strrchr (self->end_key, '/') : NULL;
  g_autofree char *beside = NULL;
  const char *ends[] = { self->end_key, NULL, NULL };
  ReelTrajectoryKeys keys = { .trajectory = self->traj_key };

  if (self->end_key)
    {
      beside =
          slash ? g_strdup_printf ("%.*s/terminated", (int) (slash - self->end_key), self->end_key)
                : g_strdup ("terminated");
      ends[1] = beside;
      keys.ends = ends;
    }
  return reel_trajectory_index_new (storage, &keys, error);
}

/* The index of the storage, for one thread: that of the last call, or a new one. */
static Known *
take_known (ReelHindsightTransform *self, ReelStorage *storage, GError **error)
{
  Known *known = atomic_exchange (&self->known, NULL);
  ReelTrajectoryIndex *index;

  if (known && known->storage == storage)
    return known;
  known_free (known);
  index = new_index (self, storage, error);
  if (!index)
    return NULL;
  known = g_new (Known, 1);
  *known = (Known){ g_object_ref (storage), index };
  return known;
}

static gint64
choose_goal (ReelHindsightTransform *self, const Relabelling *work, ReelTrajectoryIndex *index,
             const ReelStorageView *view, gint64 i)
{
  gint64 row = work->rows[i], step;
  ReelTrajectory trajectory;

  if (self->strategy == RANDOM)
    return view->first_row + reel_random_below (work->key, i, view->end_row - view->first_row);
  if (!reel_trajectory_index_find (index, row, &trajectory))
    return -1;
  step = (row - trajectory.first_row) / view->lanes;
  if (self->strategy == FUTURE)
    step += reel_random_below (work->key, i, trajectory.n_steps - step);
  else if (self->strategy == FINAL)
    step = trajectory.n_steps - 1;
  else
    step = reel_random_below (work->key, i, trajectory.n_steps);
  return trajectory.first_row + step * view->lanes;
}

/* Goals of rows that may have been overwritten while they were copied are not whole. */
static gboolean
are_whole (const Relabelling *work, gint64 intact)
{
  for (gint64 i = 0; i < work->n; i++)
    if (work->goals[i] >= 0 && work->goals[i] < intact)
      return FALSE;
  return TRUE;
}

static gboolean
try_copy (ReelHindsightTransform *self, Relabelling *work, ReelTrajectoryIndex *index,
          gboolean *whole, GError **error)
{
  gsize size = work->achieved->row_bytes;
  ReelStorageLook look;

  if (!reel_storage_look (work->storage, &look, error)
      || !reel_trajectory_index_follow (index, &look.view, 1, error))
    return FALSE;
  for (gint64 i = 0; i < work->n; i++)
    {
      work->goals[i] = choose_goal (self, work, index, &look.view, i);
      if (work->goals[i] >= 0)
        racy_copy (work->values + (gsize) i * size,
                   work->achieved->data + (gsize) (work->goals[i] % look.view.capacity) * size,
                   size);
    }
  *whole = are_whole (work, reel_storage_look_again (work->storage, &look));
  return TRUE;
}

static gboolean
find_goals (ReelHindsightTransform *self, Relabelling *work, GError **error)
{
  Known *known = take_known (self, work->storage, error);
  gint64 deadline = 0;
  gboolean whole, done;

  if (!known)
    return FALSE;
  do
    done = try_copy (self, work, known->index, &whole, error);
  while (done && !whole && (done = reel_storage_may_retry (work->storage, &deadline, error)));
  known_free (atomic_exchange (&self->known, known));
  return done;
}

/* ---- what becomes of the rows ---- */

/* The leaf itself may be somebody's rows. */
static ReelTensor *
replace_leaf (ReelTensordict *td, const char *path, GError **error)
{
  ReelTensor *leaf = reel_tensordict_get_tensor (td, path, error);
  g_autoptr (ReelTensor) copy = leaf ? reel_tensor_clone (leaf, error) : NULL;

  return copy && reel_tensordict_set_tensor (td, path, copy, error)
             ? reel_tensordict_get_tensor (td, path, error)
             : NULL;
}

static gboolean
set_goals (ReelHindsightTransform *self, const Relabelling *work, ReelTensordict *td,
           const char *path, GError **error)
{
  ReelTensor *leaf = replace_leaf (td, path, error);
  gsize size = work->achieved->row_bytes;

  if (!leaf)
    return FALSE;
  if (leaf->dtype != work->achieved->dtype
      || reel_tensor_nbytes (leaf) / (gsize) leaf->shape[0] != size)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "hindsight: \"%s\" is %s of %" G_GSIZE_FORMAT
                   " bytes a row, \"%s\" is %s of %" G_GSIZE_FORMAT,
                   path, reel_dtype_name (leaf->dtype),
                   reel_tensor_nbytes (leaf) / (gsize) leaf->shape[0], self->achieved_key,
                   reel_dtype_name (work->achieved->dtype), size);
      return FALSE;
    }
  for (gint64 i = 0; i < work->n; i++)
    if (work->goals[i] >= 0)
      memcpy (leaf->data + (gsize) i * size, work->values + (gsize) i * size, size);
  return TRUE;
}

static double
measure (const ReelTensor *a, const ReelTensor *b, gint64 row)
{
  gint64 n = reel_tensor_numel (a) / a->shape[0];
  gsize size = reel_dtype_size (a->dtype), width = reel_dtype_size (b->dtype);
  double sum = 0;

  for (gint64 i = row * n; i < (row + 1) * n; i++)
    {
      double apart = reel_dtype_load_double (a->dtype, a->data + (gsize) i * size)
                     - reel_dtype_load_double (b->dtype, b->data + (gsize) i * width);

      sum += apart * apart;
    }
  return sqrt (sum);
}

/* The reward by the properties. */
static ReelTensor *
compute_reward (ReelHindsightTransform *self, ReelTensordict *rows, GError **error)
{
  g_autofree char *next = g_strconcat ("next/", self->achieved_key, NULL);
  const char *path = reel_tensordict_contains (rows, next) ? next : self->achieved_key;
  ReelTensor *leaf = reel_tensordict_get_tensor (rows, path, error);
  ReelTensor *goal_leaf = reel_tensordict_get_tensor (rows, self->goal_key, error);
  ReelTensor *stored = reel_tensordict_get_tensor (rows, self->reward_key, error);
  g_autoptr (ReelTensor) achieved = leaf ? reel_tensor_contiguous (leaf, error) : NULL;
  g_autoptr (ReelTensor) goal = goal_leaf ? reel_tensor_contiguous (goal_leaf, error) : NULL;
  ReelTensor *reward;

  if (!achieved || !goal || !stored)
    return NULL;
  reward = reel_tensor_new (stored->dtype, 1, stored->shape, error);
  for (gint64 i = 0; reward && i < stored->shape[0]; i++)
    {
      double distance = measure (achieved, goal, i);
      double value = self->reward == 1 ? -distance : distance > self->threshold ? -1 : 0;

      reel_dtype_store_double (stored->dtype,
                               reward->data + (gsize) i * reel_dtype_size (stored->dtype), value);
    }
  return reward;
}

static gboolean
set_reward (ReelHindsightTransform *self, const Relabelling *work, ReelTensordict *td,
            GError **error)
{
  g_autoptr (ReelTensordict) rows = reel_tensordict_slice (td, 0, 0, work->n, 1, error);
  g_autoptr (ReelTensor) given = NULL;
  g_autoptr (ReelTensor) reward = NULL;
  ReelTensor *leaf;
  gsize size;

  if (!rows)
    return FALSE;
  given = self->function ? self->function (rows, self->user_data, error)
                         : compute_reward (self, rows, error);
  reward = given ? reel_tensor_contiguous (given, error) : NULL;
  leaf = reward ? replace_leaf (td, self->reward_key, error) : NULL;
  if (!leaf)
    return FALSE;
  size = reel_dtype_size (leaf->dtype);
  if (reward->dtype != leaf->dtype || reel_tensor_numel (reward) != work->n
      || reel_tensor_numel (leaf) != leaf->shape[0])
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "hindsight: the reward is %" G_GINT64_FORMAT " elements of %s, %" G_GINT64_FORMAT
                   " of %s expected, one a row, for \"%s\"",
                   reel_tensor_numel (reward), reel_dtype_name (reward->dtype), work->n,
                   reel_dtype_name (leaf->dtype), self->reward_key);
      return FALSE;
    }
  for (gint64 i = 0; i < work->n; i++)
    if (work->goals[i] >= 0)
      memcpy (leaf->data + (gsize) i * size, reward->data + (gsize) i * size, size);
  return TRUE;
}

static gboolean
change_rows (ReelHindsightTransform *self, Relabelling *work, ReelTensordict *td, GError **error)
{
  g_autofree char *next = g_strconcat ("next/", self->goal_key, NULL);

  return find_goals (self, work, error) && set_goals (self, work, td, self->goal_key, error)
         && (!reel_tensordict_contains (td, next) || set_goals (self, work, td, next, error))
         && set_reward (self, work, td, error);
}

static gboolean
relabel (ReelHindsightTransform *self, ReelReplayBuffer *buffer, const ReelTensor *rows,
         ReelTensordict *td, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  gint column = reel_storage_find_column (storage, self->achieved_key, error), ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);
  Relabelling work = { .storage = storage, .rows = (const gint64 *) rows->data };
  gboolean done;
  guint n;

  if (column < 0)
    return FALSE;
  if (ndim != 1 || size[0] != rows->shape[0])
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "hindsight: the rows are not those that were sampled; put it before "
                           "transforms that change how many there are");
      return FALSE;
    }
  work.achieved = &reel_storage_get_columns (storage, &n)[column];
  work.n = (gint64) ((double) rows->shape[0] * self->ratio);
  if (work.n == 0)
    return TRUE;
  work.key = reel_random_key ((guint64) self->seed ^ STREAM,
                              atomic_fetch_add_explicit (&self->n_calls, 1, memory_order_relaxed));
  work.goals = g_new (gint64, work.n);
  work.values = g_malloc0 ((gsize) work.n * work.achieved->row_bytes + 1);
  done = change_rows (self, &work, td, error);
  g_free (work.goals);
  g_free (work.values);
  return done;
}

/* ---- the class ---- */

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelHindsightTransform *self = REEL_HINDSIGHT_TRANSFORM (transform);
  GObject *owner = find_owner (transform);
  g_autoptr (ReelTensor) rows = NULL;

  if (owner && !REEL_IS_REPLAY_BUFFER (owner))
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "hindsight: give it to the buffers of the ensemble, whose rows it "
                           "needs, not to the ensemble");
      return NULL;
    }
  if (!owner || !reel_tensordict_contains (td, REEL_ROW_NUMBERS))
    return reel_tensordict_ref (td);
  rows = reel_tensordict_ref_tensor (td, REEL_ROW_NUMBERS, error);
  if (!rows || !relabel (self, REEL_REPLAY_BUFFER (owner), rows, td, error))
    return NULL;
  return reel_tensordict_ref (td);
}

static gboolean
wants_rows (ReelTransform *transform)
{
  return TRUE;
}

static ReelTransform *
make_clone (ReelTransform *transform, GError **error)
{
  if (!REEL_HINDSIGHT_TRANSFORM (transform)->function)
    return REEL_TRANSFORM_CLASS (reel_hindsight_transform_parent_class)->clone (transform, error);
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "hindsight: one with a reward function cannot be made twice");
  return NULL;
}

static void
empty (ReelTransform *transform)
{
  known_free (atomic_exchange (&REEL_HINDSIGHT_TRANSFORM (transform)->known, NULL));
}

void
reel_hindsight_transform_set_reward (ReelHindsightTransform *self, ReelHindsightRewardFunc reward,
                                     gpointer user_data, GDestroyNotify destroy)
{
  if (self->destroy)
    self->destroy (self->user_data);
  self->function = reward;
  self->user_data = user_data;
  self->destroy = destroy;
}

static void
finalize (GObject *object)
{
  ReelHindsightTransform *self = REEL_HINDSIGHT_TRANSFORM (object);

  empty (REEL_TRANSFORM (object));
  reel_hindsight_transform_set_reward (self, NULL, NULL, NULL);
  G_OBJECT_CLASS (reel_hindsight_transform_parent_class)->finalize (object);
}

#define FIELD(name) G_STRUCT_OFFSET (ReelHindsightTransform, name)

static void
add_keys (ReelObjectClass *klass)
{
  const int how = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_string (klass, "goal-key", FIELD (goal_key), "desired_goal",
                                "key of the goal of a row", how);
  reel_object_class_add_string (klass, "achieved-goal-key", FIELD (achieved_key), "achieved_goal",
                                "key of the achieved goal", how);
  reel_object_class_add_string (klass, "reward-key", FIELD (reward_key), "next/reward",
                                "key of the reward", how);
  reel_object_class_add_string (klass, "traj-key", FIELD (traj_key), NULL,
                                "numbers of trajectories", how);
  reel_object_class_add_string (klass, "end-key", FIELD (end_key), NULL,
                                "flags of the last step of a trajectory", how);
}

static void
reel_hindsight_transform_class_init (ReelHindsightTransformClass *klass)
{
  static const ReelId ids[] = {
    { "hindsight", NULL, "gives sampled rows goals that were achieved later" },
    { "HERReplayBuffer", NULL, "other goals, by the name of TorchRL's buffer" },
    { NULL },
  };
  static const ReelAlias aliases[] = { { "her-ratio", "ratio" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  const int how = REEL_PROPERTY_CONSTRUCT_ONLY;

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->aliases = aliases;
  reel_object_class_add_enum (object_class, "strategy", FIELD (strategy), strategies, FUTURE,
                              "which rows goals come from", how);
  reel_object_class_add_double (object_class, "ratio", FIELD (ratio), 0, 1, 0.8, NULL,
                                "the part of a batch that gets other goals", how);
  add_keys (object_class);
  reel_object_class_add_enum (object_class, "reward", FIELD (reward), rewards, 0,
                              "reward of a reached goal", how);
  reel_object_class_add_double (object_class, "threshold", FIELD (threshold), 0, G_MAXDOUBLE, 0.05,
                                NULL, "distance up to which a goal is reached", how);
  reel_object_class_add_int64 (object_class, "seed", FIELD (seed), G_MININT64, G_MAXINT64, 0, NULL,
                               "of the choice of goals", how);
  transform_class->peer_name = "HERReplayBuffer";
  transform_class->forward = forward;
  transform_class->wants_rows = wants_rows;
  transform_class->clone = make_clone;
  transform_class->empty = empty;
}

static void
reel_hindsight_transform_init (ReelHindsightTransform *self)
{
}
