/* Begins each episode with random actions. */
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/math/random.h"
#include "../specs/kinds/non-tensor-spec.h"
#include "../specs/spec-kind.h"

/* Episodes that end too early before a lane counts as failed, as with TorchRL. */
#define MAX_TRIALS 11

struct _ReelNoopReset
{
  ReelTransform parent_instance;

  gint64 noops;
  gboolean random;
};

G_DECLARE_FINAL_TYPE (ReelNoopReset, reel_noop_reset, REEL, NOOP_RESET, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelNoopReset, reel_noop_reset, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "noop-reset steps an environment, and stored data have none; put it behind "
                       "an environment: 'ENV|noop-reset'");
  return NULL;
}

/* ---- in an env ---- */

/* The random numbers of a lane: every draw takes the next step of its stream. */
typedef struct
{
  guint64 seed;
  gint64 n_draws;
} Stream;

typedef struct
{
  guint leaf;
  const ReelSpec *spec;
  gsize row_bytes;
} Action;

typedef struct
{
  ReelLaneWork work;
  gint64 noops;
  gboolean random;
  guint done;
  guint n_actions;
  Action *actions;
} Noop;

static Stream *
get_stream (const ReelLaneWork *work, gint64 lane)
{
  return &((Stream *) (gpointer) work->state)[lane];
}

static gint64
draw_noops (const Noop *self, Stream *stream)
{
  if (!self->random)
    return self->noops;
  return reel_random_below (reel_random_key (stream->seed, stream->n_draws++), 0,
                            MAX (self->noops, 1));
}

static void
draw_actions (const Noop *self, Stream *stream, guint8 *const *columns, gint64 lane)
{
  gint64 step = stream->n_draws++;

  for (guint i = 0; i < self->n_actions; i++)
    {
      const Action *action = &self->actions[i];

      reel_spec_rand_rows (action->spec, reel_spec_leaf_seed (stream->seed, (gint64) i), step, 0, 1,
                           columns[action->leaf] + (gsize) lane * action->row_bytes);
    }
}

/* Whether the episode lasted for @n steps. */
static gboolean
play (const Noop *self, guint8 *const *columns, gint64 lane, gint64 n)
{
  Stream *stream = get_stream (&self->work, lane);

  for (gint64 i = 0; i < n; i++)
    {
      draw_actions (self, stream, columns, lane);
      reel_lane_plan_step_before (&self->work, columns, lane, lane + 1);
      if (columns[self->done][lane])
        return FALSE;
    }
  return TRUE;
}

static void
begin_lane (const Noop *self, guint8 *const *columns, gint64 lane)
{
  gint64 n = draw_noops (self, get_stream (&self->work, lane));
  g_autofree char *what = NULL;

  for (gint trial = 0; trial < MAX_TRIALS; trial++)
    {
      if (play (self, columns, lane, n))
        return;
      reel_lane_plan_reset_before (&self->work, columns, &lane, 1);
    }
  what = g_strdup_printf ("%d episodes in a row ended within %" G_GINT64_FORMAT
                          " random actions; give noop-reset fewer noops",
                          MAX_TRIALS, n);
  reel_lane_plan_report (self->work.plan, lane, what);
}

static void
noop_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    begin_lane ((const Noop *) work, columns, lanes[i]);
}

static void
noop_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
}

static void
noop_seed (ReelLaneWork *work, gint64 lane, guint64 seed)
{
  *get_stream (work, lane) = (Stream){ .seed = seed };
}

static void
noop_free (ReelLaneWork *work)
{
  g_free (((Noop *) work)->actions);
  g_free (work);
}

static gboolean
check_action (const ReelSpec *spec, GError **error)
{
  if (spec->kind->draw && !reel_spec_is_non_tensor (spec))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "noop-reset cannot draw actions of a %s spec", reel_spec_class_name (spec));
  return FALSE;
}

static gboolean
find_actions (Noop *noop, const ReelLanePlan *plan, GError **error)
{
  guint n = reel_lane_plan_get_n_leaves (plan);

  noop->actions = g_new (Action, n);
  for (guint i = 0; i < n; i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (plan, i);

      if (leaf->role != REEL_LANE_ACTION)
        continue;
      if (!check_action (leaf->spec, error))
        return FALSE;
      noop->actions[noop->n_actions++] = (Action){ i, leaf->spec, leaf->row_bytes };
    }
  return TRUE;
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  const ReelNoopReset *self = REEL_NOOP_RESET (transform);
  Noop *noop = g_new0 (Noop, 1);

  noop->work = (ReelLaneWork){
    .step = noop_step,
    .reset = noop_reset,
    .seed = noop_seed,
    .free = noop_free,
  };
  noop->noops = self->noops;
  noop->random = self->random;
  noop->done = reel_lane_plan_get_done (plan);
  if (!find_actions (noop, plan, error))
    {
      noop_free (&noop->work);
      return FALSE;
    }
  reel_lane_plan_step_at_resets (plan);
  return reel_lane_plan_add (plan, &noop->work, sizeof (Stream), error);
}

/* ---- the class ---- */

static char *
to_string (ReelTransform *transform)
{
  const ReelNoopReset *self = REEL_NOOP_RESET (transform);

  return g_strdup_printf ("NoopResetEnv(noops=%" G_GINT64_FORMAT ", random=%s)", self->noops,
                          self->random ? "True" : "False");
}

static void
reel_noop_reset_class_init (ReelNoopResetClass *klass)
{
  static const ReelId ids[] = {
    { "noop-reset", NULL, "random actions before the first row of each episode" },
    { "NoopResetEnv", NULL, "random actions before each episode, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  reel_object_class_add_int64 (object_class, "noops", G_STRUCT_OFFSET (ReelNoopReset, noops), 0,
                               G_MAXINT64, 30, "steps", "steps before the first row",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_bool (object_class, "random", G_STRUCT_OFFSET (ReelNoopReset, random), TRUE,
                              "whether each episode draws their number, from 0 to below noops",
                              REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "NoopResetEnv";
  transform_class->forward = forward;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_noop_reset_init (ReelNoopReset *self)
{
}
