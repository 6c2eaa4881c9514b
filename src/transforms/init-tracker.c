/* Marks the first step of each episode. */
#include <string.h>

#include "lane-plan.h"
#include "transform-private.h"

#define OBSERVATION "output_spec/full_observation_spec"
#define DONE "output_spec/full_done_spec"

struct _ReelInitTracker
{
  ReelTransform parent_instance;

  char *init_key;
};

G_DECLARE_FINAL_TYPE (ReelInitTracker, reel_init_tracker, REEL, INIT_TRACKER, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelInitTracker, reel_init_tracker, REEL_TYPE_TRANSFORM)

/* ---- specs: a mark next to each flag "done" ---- */

static gboolean
is_done (const char *path)
{
  const char *slash = strrchr (path, '/');

  return g_str_equal (slash ? slash + 1 : path, "done");
}

static char *
mark_of (ReelInitTracker *self, const char *done)
{
  const char *slash = strrchr (done, '/');

  return slash ? g_strdup_printf ("%.*s/%s", (int) (slash - done), done, self->init_key)
               : g_strdup (self->init_key);
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  g_auto (GStrv) flags = reel_spec_list_part (spec, DONE);

  for (guint i = 0; flags[i]; i++)
    {
      g_autofree char *mark = mark_of (REEL_INIT_TRACKER (transform), flags[i]);

      if (is_done (flags[i])
          && !reel_spec_set_in_part (&changed, OBSERVATION, mark,
                                     reel_spec_get_in_part (spec, DONE, flags[i]), error))
        return NULL;
    }
  return g_steal_pointer (&changed);
}

/* ---- data ---- */

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "init-tracker marks the steps of an environment that follow a reset; resets "
                       "of stored data are not known");
  return NULL;
}

/* ---- in an env ---- */

typedef struct
{
  ReelLaneWork work;
  guint mark;
  gsize row_bytes;
} Track;

static void
track_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Track *self = (const Track *) work;

  memset (columns[self->mark] + (gsize) begin * self->row_bytes, 0,
          (gsize) (end - begin) * self->row_bytes);
}

static void
track_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Track *self = (const Track *) work;

  for (gsize i = 0; i < n; i++)
    memset (columns[self->mark] + (gsize) lanes[i] * self->row_bytes, TRUE, self->row_bytes);
}

static void
track_free (ReelLaneWork *work)
{
  g_free (work);
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  guint n = reel_lane_plan_get_n_leaves (plan);

  for (guint i = 0; i < n; i++)
    {
      ReelLaneLeaf leaf = *reel_lane_plan_get_leaf (plan, i);
      g_autofree char *key = NULL;
      Track *track;

      if (leaf.role != REEL_LANE_FLAG || !leaf.path || !is_done (leaf.path))
        continue;
      key = mark_of (REEL_INIT_TRACKER (transform), leaf.path);
      track = g_new0 (Track, 1);
      *track = (Track){
        .work = { .step = track_step, .reset = track_reset, .free = track_free },
        .mark = reel_lane_plan_define (plan, key, REEL_LANE_OBSERVATION, REEL_DTYPE_BOOL, leaf.ndim,
                                       leaf.shape),
        .row_bytes = leaf.row_bytes,
      };
      if (!reel_lane_plan_add (plan, &track->work, 0, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  const char *key = REEL_INIT_TRACKER (object)->init_key;

  if (*key == '\0' || strchr (key, '/'))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "init-tracker takes a key of one name, such as is_init, not \"%s\": it sets it "
                   "next to each \"done\"",
                   key);
      return FALSE;
    }
  return REEL_OBJECT_CLASS (reel_init_tracker_parent_class)->build (object, error);
}

static char *
to_string (ReelTransform *self)
{
  return g_strdup ("InitTracker(keys=[])");
}

static void
reel_init_tracker_class_init (ReelInitTrackerClass *klass)
{
  static const ReelId ids[] = {
    { "init-tracker", NULL, "marks the first step of each episode" },
    { "InitTracker", NULL, "marks the first step of each episode, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_object_class_add_string (REEL_OBJECT_CLASS (klass), "init-key",
                                G_STRUCT_OFFSET (ReelInitTracker, init_key), "is_init",
                                "key of the mark", REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "InitTracker";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_init_tracker_init (ReelInitTracker *self)
{
}
