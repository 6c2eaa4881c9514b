/* The actions of a run, step by step and lane by lane. It reads buffers, which policies below
 * cannot know. */
#include "../buffers/checkpoints/checkpoint.h"
#include "../policies/policy.h"
#include "../specs/spec-kind.h"

#include <string.h>

struct _ReelRecordedPolicy
{
  ReelPolicy parent_instance;

  char *directory;
  ReelReplayBuffer *buffer; /* opened when it is bound */
  ReelStorageView view;
  GArray *columns; /* of ReelColumn, by leaf of the action */
};

G_DECLARE_FINAL_TYPE (ReelRecordedPolicy, reel_recorded_policy, REEL, RECORDED_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelRecordedPolicy, reel_recorded_policy, REEL_TYPE_POLICY)

static void
unbind (ReelRecordedPolicy *self)
{
  g_clear_object (&self->buffer);
  g_array_set_size (self->columns, 0);
}

static gboolean
check_rows (const ReelRecordedPolicy *self, gint64 n_lanes, GError **error)
{
  const ReelStorageView *view = &self->view;

  if (view->end_row == 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "%s contains no rows, and thus no actions",
                 self->directory);
  else if (view->lanes != n_lanes)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s contains the actions of %" G_GINT64_FORMAT
                 " environments at once, and there are %" G_GINT64_FORMAT
                 ": num-envs must be %" G_GINT64_FORMAT,
                 self->directory, view->lanes, n_lanes, view->lanes);
  else if (view->first_row > 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "%s lacks the first %" G_GINT64_FORMAT
                 " steps, which newer ones overwrote: record with a larger capacity",
                 self->directory, view->first_row / view->lanes);
  else
    return TRUE;
  return FALSE;
}

/* The shape of a lane's value in the data, `[T, feature]` or `[T, B, feature]`. */
static gboolean
has_shape (ReelStorage *storage, const char *path, const ReelSpec *spec)
{
  const ReelTensor *stored =
      reel_tensordict_get_tensor (reel_storage_get_data (storage), path, NULL);
  gint batch = reel_storage_get_ndim (storage);

  return stored && stored->dtype == spec->dtype && stored->ndim == batch + spec->ndim
         && memcmp (stored->shape + batch, spec->shape, (gsize) spec->ndim * sizeof (gint64)) == 0;
}

static gboolean
find_columns (ReelRecordedPolicy *self, const ReelSpec *action, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (action);
  ReelStorage *storage = reel_replay_buffer_get_storage (self->buffer);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (char **path = paths; *path; path++)
    {
      const ReelSpec *spec = reel_spec_get (action, *path, NULL);
      gint found = columns ? reel_storage_find_column (storage, *path, NULL) : -1;

      if (found < 0 || !has_shape (storage, *path, spec))
        {
          g_autofree char *shape = reel_spec_format_shape (spec->ndim, spec->shape, ", ");

          g_set_error (error, REEL_ERROR, found < 0 ? REEL_ERROR_KEY : REEL_ERROR_VALUE,
                       "%s has no \"%s\" of %s %s, as the environment takes it", self->directory,
                       *path, reel_dtype_name (spec->dtype), shape);
          return FALSE;
        }
      g_array_append_val (self->columns, columns[found]);
    }
  return TRUE;
}

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelRecordedPolicy *self = REEL_RECORDED_POLICY (policy);

  unbind (self);
  self->buffer = reel_replay_buffer_open (self->directory, REEL_OPEN_READ_ONLY, error);
  if (self->buffer == NULL)
    return FALSE;
  reel_storage_get_view (reel_replay_buffer_get_storage (self->buffer), &self->view);
  return check_rows (self, n_lanes, error) && find_columns (self, action, error);
}

static gboolean
check_step (const ReelRecordedPolicy *self, gint64 step, GError **error)
{
  gint64 n_steps = self->view.end_row / self->view.lanes;

  if (step < n_steps)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "the actions in %s end after %" G_GINT64_FORMAT
               " steps of each environment: --frames %" G_GINT64_FORMAT " is the most",
               self->directory, n_steps, n_steps * self->view.lanes);
  return FALSE;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  ReelRecordedPolicy *self = (ReelRecordedPolicy *) policy;
  gint64 first = step * self->view.lanes;

  if (!check_step (self, step, error))
    return FALSE;
  for (guint i = 0; i < self->columns->len; i++)
    {
      const ReelColumn *column = &g_array_index (self->columns, ReelColumn, i);

      for (gint64 lane = begin; lane < end; lane++)
        memcpy (io->action[i] + (gsize) lane * column->row_bytes,
                column->data + (gsize) ((first + lane) % self->view.capacity) * column->row_stride,
                column->row_bytes);
    }
  if (first >= reel_storage_first_intact_row (reel_replay_buffer_get_storage (self->buffer)))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "step %" G_GINT64_FORMAT " of the actions in %s was overwritten meanwhile", step,
               self->directory);
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  if (REEL_RECORDED_POLICY (object)->directory)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "the recorded policy needs directory=DIR, a run whose actions it repeats");
  return FALSE;
}

static void
finalize (GObject *object)
{
  unbind (REEL_RECORDED_POLICY (object));
  g_array_unref (REEL_RECORDED_POLICY (object)->columns);
  G_OBJECT_CLASS (reel_recorded_policy_parent_class)->finalize (object);
}

static void
reel_recorded_policy_class_init (ReelRecordedPolicyClass *klass)
{
  static const ReelId ids[] = {
    { "recorded", NULL, "the actions of a run, step by step and lane by lane" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPolicyClass *policy_class = REEL_POLICY_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  object_class->positional = "directory";
  reel_object_class_add_path (object_class, "directory",
                              G_STRUCT_OFFSET (ReelRecordedPolicy, directory), NULL,
                              "the run, or another saved buffer", REEL_PROPERTY_CONSTRUCT_ONLY);
  /* Not lanewise: where the actions end, the steps before are stored. */
  policy_class->bind = bind;
  policy_class->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_recorded_policy_init (ReelRecordedPolicy *self)
{
  self->columns = g_array_new (FALSE, FALSE, sizeof (ReelColumn));
}
