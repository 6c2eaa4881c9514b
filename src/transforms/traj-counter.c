/* Numbers the episodes of all lanes of an environment, in the order in which they begin. */
#include "lane-plan.h"
#include "transform-private.h"

#include <string.h>

#define OBSERVATION "output_spec/full_observation_spec"
#define DONE "output_spec/full_done_spec"

struct _ReelTrajCounter
{
  ReelTransform parent_instance;

  char *out_key;
  gint64 repeats;
  gint64 n_begun; /* episodes, of all lanes */
};

G_DECLARE_FINAL_TYPE (ReelTrajCounter, reel_traj_counter, REEL, TRAJ_COUNTER, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelTrajCounter, reel_traj_counter, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "traj-counter counts the resets of an environment, which stored data do not "
                       "tell; put it behind an environment: 'ENV|traj-counter'");
  return NULL;
}

/* ---- specs ---- */

/* The flag "done" next to the number: of the lane, or of a group. */
static char *
find_done (const ReelTrajCounter *self)
{
  const char *slash = strrchr (self->out_key, '/');

  return slash ? g_strdup_printf ("%.*s/done", (int) (slash - self->out_key), self->out_key)
               : g_strdup ("done");
}

static ReelSpec *
make_spec (const ReelSpec *flag, GError **error)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (flag, &ndim);
  g_autoptr (ReelTensor) lowest = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, error);
  g_autoptr (ReelTensor) highest = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, error);

  if (!lowest || !highest)
    return NULL;
  for (gint64 i = 0; i < reel_tensor_numel (highest); i++)
    ((gint64 *) (gpointer) highest->data)[i] = G_MAXINT64;
  return reel_bounded_spec_new_from_tensors (lowest, highest, REEL_DTYPE_INT64, ndim, shape, error);
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  const ReelTrajCounter *self = REEL_TRAJ_COUNTER (transform);
  g_autofree char *done = find_done (self);
  const ReelSpec *flag = reel_spec_get_in_part (spec, DONE, done);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec), number = NULL;

  if (!flag)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "traj-counter: \"%s\" has no flag \"%s\" next to it", self->out_key, done);
      return NULL;
    }
  number = make_spec (flag, error);
  return number && reel_spec_set_in_part (&changed, OBSERVATION, self->out_key, number, error)
             ? g_steal_pointer (&changed)
             : NULL;
}

/* ---- in an env: each lane keeps its number, and all have the next one in common ---- */

typedef struct
{
  ReelLaneWork work;
  ReelTrajCounter *counter;
  guint to;
  gsize n; /* numbers of a lane */
} Count;

static void
count_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Count *self = (const Count *) work;
  gsize at = (gsize) begin * work->state_bytes;

  memcpy (columns[self->to] + at, work->state + at, (gsize) (end - begin) * work->state_bytes);
}

static void
count_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Count *self = (const Count *) work;
  gint64 *numbers = (gint64 *) (gpointer) work->state;
  gint64 *out = (gint64 *) (gpointer) columns[self->to];

  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; k < self->n; k++)
      {
        gsize at = (gsize) lanes[i] * self->n + k;

        numbers[at] = out[at] = self->counter->n_begun++;
      }
}

static void
count_free (ReelLaneWork *work)
{
  g_object_unref (((Count *) work)->counter);
  g_free (work);
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelTrajCounter *self = REEL_TRAJ_COUNTER (transform);
  g_autofree char *done = find_done (self);
  gint flag = reel_lane_plan_require (plan, done, error);
  ReelLaneLeaf leaf;
  Count *count;

  if (flag < 0)
    return FALSE;
  leaf = *reel_lane_plan_get_leaf (plan, (guint) flag);
  reel_lane_plan_join_lanes (plan);
  reel_lane_plan_outlast_episodes (plan);
  count = g_new0 (Count, 1);
  *count = (Count){
    .work = { .step = count_step,
              .reset = count_reset,
              .free = count_free,
              .common = (guint8 *) &self->n_begun,
              .common_bytes = sizeof self->n_begun },
    .counter = g_object_ref (self),
    .to = reel_lane_plan_define (plan, self->out_key, REEL_LANE_OBSERVATION, REEL_DTYPE_INT64,
                                 leaf.ndim, leaf.shape),
    .n = leaf.row_bytes,
  };
  return reel_lane_plan_add (plan, &count->work, count->n * sizeof (gint64), error);
}

/* ---- the state ---- */

static gboolean
dup_state (ReelTransform *transform, ReelTensordict *state, GError **error)
{
  g_autoptr (ReelTensor) count = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, error);

  if (!count)
    return FALSE;
  memcpy (count->data, &REEL_TRAJ_COUNTER (transform)->n_begun, sizeof (gint64));
  return reel_tensordict_set_tensor (state, "traj_count", count, error);
}

static gboolean
set_state (ReelTransform *transform, const ReelTensordict *state, GError **error)
{
  const ReelTensor *count = reel_tensordict_get_tensor (state, "traj_count", error);

  if (!count)
    return FALSE;
  if (count->dtype != REEL_DTYPE_INT64 || reel_tensor_numel (count) != 1)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_TYPE,
                           "traj-counter: \"traj_count\" of a state is one int64");
      return FALSE;
    }
  memcpy (&REEL_TRAJ_COUNTER (transform)->n_begun, count->data, sizeof (gint64));
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  const char *const keys[] = { REEL_TRAJ_COUNTER (object)->out_key, NULL };

  return reel_key_check_all (keys, error)
         && REEL_OBJECT_CLASS (reel_traj_counter_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *self)
{
  return g_strdup ("TrajCounter(keys=[])");
}

static void
reel_traj_counter_class_init (ReelTrajCounterClass *klass)
{
  static const ReelId ids[] = {
    { "traj-counter", NULL, "numbers the episodes of all lanes" },
    { "TrajCounter", NULL, "numbers the episodes of all lanes, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_string (object_class, "out-key", G_STRUCT_OFFSET (ReelTrajCounter, out_key),
                                "traj_count",
                                "key of the number, next to the flag \"done\" of its group", fixed);
  reel_object_class_add_int64 (
      object_class, "repeats", G_STRUCT_OFFSET (ReelTrajCounter, repeats), 0, G_MAXINT64, 0, NULL,
      "argument of TorchRL's class, which changes nothing there either", fixed);
  transform_class->peer_name = "TrajCounter";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->dup_state = dup_state;
  transform_class->set_state = set_state;
  transform_class->to_string = to_string;
}

static void
reel_traj_counter_init (ReelTrajCounter *self)
{
}
