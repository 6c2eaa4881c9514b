/* Counts the steps of each episode, and may end it at a limit. */
#include <string.h>

#include "lane-plan.h"
#include "link-kernel.h"
#include "transform-private.h"

#define OBSERVATION "output_spec/full_observation_spec"
#define DONE "output_spec/full_done_spec"

struct _ReelStepCounter
{
  ReelTransform parent_instance;

  gint64 max_steps;
  char *truncated_key;
  char *step_count_key;
  gboolean update_done;
};

G_DECLARE_FINAL_TYPE (ReelStepCounter, reel_step_counter, REEL, STEP_COUNTER, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelStepCounter, reel_step_counter, REEL_TYPE_TRANSFORM)

/* ---- keys: a counter next to each flag "done" ---- */

/* The key @name in the place of the last component of @done. */
static char *
sibling (const char *done, const char *name)
{
  const char *slash = strrchr (done, '/');

  return slash ? g_strdup_printf ("%.*s/%s", (int) (slash - done), done, name) : g_strdup (name);
}

static gboolean
is_done (const char *path)
{
  const char *slash = strrchr (path, '/');

  return g_str_equal (slash ? slash + 1 : path, "done");
}

/* ---- specs ---- */

/* From 0 to the limit, or to the largest number. */
static ReelSpec *
make_count_spec (ReelStepCounter *self, const ReelSpec *flag, GError **error)
{
  const gint64 high = self->max_steps > 0 ? self->max_steps : G_MAXINT64;
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (flag, &ndim);
  g_autoptr (ReelTensor) lowest = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, error);
  g_autoptr (ReelTensor) highest = reel_tensor_new (REEL_DTYPE_INT64, ndim, shape, error);

  if (!lowest || !highest)
    return NULL;
  for (gint64 i = 0; i < reel_tensor_numel (highest); i++)
    ((gint64 *) (gpointer) highest->data)[i] = high;
  return reel_bounded_spec_new_from_tensors (lowest, highest, REEL_DTYPE_INT64, ndim, shape, error);
}

static gboolean
add_spec (ReelStepCounter *self, ReelSpec **spec, const char *done, GError **error)
{
  g_autoptr (ReelSpec) flag = reel_spec_ref (reel_spec_get_in_part (*spec, DONE, done));
  g_autofree char *count = sibling (done, self->step_count_key);
  g_autofree char *truncated = sibling (done, self->truncated_key);
  g_autoptr (ReelSpec) counter = make_count_spec (self, flag, error);

  if (!counter || !reel_spec_set_in_part (spec, OBSERVATION, count, counter, error))
    return FALSE;
  return self->max_steps == 0 || reel_spec_set_in_part (spec, DONE, truncated, flag, error);
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelStepCounter *self = REEL_STEP_COUNTER (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  g_auto (GStrv) flags = reel_spec_list_part (spec, DONE);

  for (guint i = 0; flags[i]; i++)
    if (is_done (flags[i]) && !add_spec (self, &changed, flags[i], error))
      return NULL;
  return g_steal_pointer (&changed);
}

/* ---- data ---- */

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (
      error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
      "step-counter counts the steps of an environment, and not those of data that "
      "are stored: rows of a batch need not follow one another");
  return NULL;
}

/* ---- in an env ---- */

typedef struct
{
  ReelLaneWork work;
  const ReelLinkKernels *kernels;
  guint count;
  gint64 max_steps;
  gboolean update_done;
  guint done;                        /* of the env */
  gint truncated;                    /* likewise; −1 where it has no such flag */
  guint done_after, truncated_after; /* of the result, where there is a limit */
  gsize n;                           /* counters of a lane */
} Count;

static void
count_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Count *self = (const Count *) work;
  gsize at = (gsize) begin * self->n, n = (gsize) (end - begin) * self->n;
  gint64 *counts = (gint64 *) (gpointer) work->state + at;

  self->kernels->count (counts, (gint64 *) (gpointer) columns[self->count] + at, n);
  if (self->max_steps == 0)
    return;

  guint8 *truncated = columns[self->truncated_after] + at;

  if (self->truncated >= 0)
    self->kernels->limit (counts, self->max_steps, columns[self->truncated] + at, truncated, n);
  for (gsize i = 0; self->truncated < 0 && i < n; i++)
    truncated[i] = counts[i] >= self->max_steps;
  if (self->update_done)
    self->kernels->either (columns[self->done] + at, truncated, columns[self->done_after] + at, n);
  else
    memcpy (columns[self->done_after] + at, columns[self->done] + at, n);
}

static void
count_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Count *self = (const Count *) work;
  gint64 *counts = (gint64 *) (gpointer) work->state;
  gint64 *out = (gint64 *) (gpointer) columns[self->count];
  gsize bytes = self->n * sizeof *counts;

  for (gsize i = 0; i < n; i++)
    if (self->n == 1)
      counts[lanes[i]] = out[lanes[i]] = 0;
    else
      {
        memset (counts + (gsize) lanes[i] * self->n, 0, bytes);
        memset (out + (gsize) lanes[i] * self->n, 0, bytes);
      }
}

static void
count_free (ReelLaneWork *work)
{
  g_free (work);
}

/* The flags of the result are leaves of their own: those of the env stay as they are. */
static void
bind_limit (ReelStepCounter *self, ReelLanePlan *plan, Count *count, const char *done)
{
  g_autofree char *key = sibling (done, self->truncated_key);
  ReelLaneLeaf leaf = *reel_lane_plan_get_leaf (plan, count->done);

  count->truncated = reel_lane_plan_find (plan, key);
  count->max_steps = self->max_steps;
  count->update_done = self->update_done;
  count->truncated_after =
      reel_lane_plan_define (plan, key, REEL_LANE_FLAG, REEL_DTYPE_BOOL, leaf.ndim, leaf.shape);
  count->done_after =
      reel_lane_plan_define (plan, done, REEL_LANE_FLAG, REEL_DTYPE_BOOL, leaf.ndim, leaf.shape);
}

static gboolean
bind_counter (ReelStepCounter *self, ReelLanePlan *plan, guint done, GError **error)
{
  ReelLaneLeaf leaf = *reel_lane_plan_get_leaf (plan, done);
  g_autofree char *path = g_strdup (leaf.path);
  g_autofree char *key = sibling (path, self->step_count_key);
  Count *count;
  ReelIsa isa;

  if (!reel_isa_choose (&isa, error))
    return FALSE;
  count = g_new0 (Count, 1);
  count->kernels = REEL_KERNEL_PICK (reel_link_kernels, isa);
  count->work = (ReelLaneWork){ .step = count_step, .reset = count_reset, .free = count_free };
  count->n = leaf.row_bytes;
  count->done = done;
  count->count = reel_lane_plan_define (plan, key, REEL_LANE_OBSERVATION, REEL_DTYPE_INT64,
                                        leaf.ndim, leaf.shape);
  if (self->max_steps > 0)
    bind_limit (self, plan, count, path);
  return reel_lane_plan_add (plan, &count->work, count->n * sizeof (gint64), error);
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  guint n = reel_lane_plan_get_n_leaves (plan);

  for (guint i = 0; i < n; i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (plan, i);

      if (leaf->role == REEL_LANE_FLAG && leaf->path && is_done (leaf->path)
          && !bind_counter (REEL_STEP_COUNTER (transform), plan, i, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  ReelStepCounter *self = REEL_STEP_COUNTER (object);

  for (const char *const *key =
           (const char *const[]){ self->truncated_key, self->step_count_key, NULL };
       *key; key++)
    if (**key == '\0' || strchr (*key, '/'))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                     "step-counter takes keys of one name, such as step_count, not \"%s\": it sets "
                     "them next to each \"done\"",
                     *key);
        return FALSE;
      }
  return REEL_OBJECT_CLASS (reel_step_counter_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *self)
{
  return g_strdup ("StepCounter(keys=[])");
}

static void
reel_step_counter_class_init (ReelStepCounterClass *klass)
{
  static const ReelId ids[] = {
    { "step-counter", NULL, "counts the steps of each episode" },
    { "StepCounter", NULL, "counts the steps of each episode, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_int64 (
      object_class, "max-steps", G_STRUCT_OFFSET (ReelStepCounter, max_steps), 0, G_MAXINT64, 0,
      "steps", "count at which an episode is truncated, 0 for never", fixed);
  reel_object_class_add_string (object_class, "truncated-key",
                                G_STRUCT_OFFSET (ReelStepCounter, truncated_key), "truncated",
                                "the flag that is set there", fixed);
  reel_object_class_add_string (object_class, "step-count-key",
                                G_STRUCT_OFFSET (ReelStepCounter, step_count_key), "step_count",
                                "key of the count", fixed);
  reel_object_class_add_bool (object_class, "update-done",
                              G_STRUCT_OFFSET (ReelStepCounter, update_done), TRUE,
                              "whether done is set there, too", fixed);
  transform_class->peer_name = "StepCounter";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_step_counter_init (ReelStepCounter *self)
{
}
