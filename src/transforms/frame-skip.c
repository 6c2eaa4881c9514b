/* Repeats each action, and adds up the rewards. */
#include "lane-plan.h"
#include "transform-private.h"

#include "episode-rewards.h"

#include <string.h>

struct _ReelFrameSkip
{
  ReelTransform parent_instance;

  gint64 frame_skip;
};

G_DECLARE_FINAL_TYPE (ReelFrameSkip, reel_frame_skip, REEL, FRAME_SKIP, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelFrameSkip, reel_frame_skip, REEL_TYPE_TRANSFORM)

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "frame-skip repeats the actions of an environment, and stored data have "
                       "none to step; put it behind an environment: 'ENV|frame-skip:frame-skip=4'");
  return NULL;
}

/* ---- in an env ---- */

/* A reward that is added up: of the env, and its sum. */
typedef struct
{
  guint from, to;
  ReelDtype dtype;
  gsize row_bytes;
} Reward;

typedef struct
{
  ReelLaneWork work;
  gint64 n_more; /* steps after the first */
  guint done;
  guint n_rewards;
  Reward *rewards;
} Skip;

static void
begin_sums (const Skip *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  for (guint i = 0; i < self->n_rewards; i++)
    {
      const Reward *reward = &self->rewards[i];
      gsize at = (gsize) begin * reward->row_bytes;

      memcpy (columns[reward->to] + at, columns[reward->from] + at,
              (gsize) (end - begin) * reward->row_bytes);
    }
}

static void
add_to_sums (const Skip *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  for (guint i = 0; i < self->n_rewards; i++)
    {
      const Reward *reward = &self->rewards[i];
      gsize at = (gsize) begin * reward->row_bytes;
      gsize bytes = (gsize) (end - begin) * reward->row_bytes;
      guint8 *sum = columns[reward->to] + at;

      reel_sum_rewards_row (reward->dtype, (gint64) (bytes / reel_dtype_size (reward->dtype)), sum,
                            NULL, columns[reward->from] + at, sum);
    }
}

/* One more step of the lanes whose episode goes on, run after run. */
static gboolean
step_more (const Skip *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  const guint8 *done = columns[self->done];
  gboolean stepped = FALSE;

  for (gint64 first = begin, after; first < end; first = after)
    {
      gboolean is_done = done[first];

      for (after = first + 1; after < end && done[after] == is_done;)
        after++;
      if (is_done)
        continue;
      reel_lane_plan_step_before (&self->work, columns, first, after);
      add_to_sums (self, columns, first, after);
      stepped = TRUE;
    }
  return stepped;
}

static void
skip_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  const Skip *self = (const Skip *) work;

  begin_sums (self, columns, begin, end);
  for (gint64 i = 0; i < self->n_more && step_more (self, columns, begin, end); i++)
    ;
}

static void
skip_free (ReelLaneWork *work)
{
  g_free (((Skip *) work)->rewards);
  g_free (work);
}

/* find_rewards: a sum for each reward that the env has at this place of the chain, and for the one
 * that counts, shown or not. */
static void
find_rewards (Skip *skip, ReelLanePlan *plan)
{
  guint n = reel_lane_plan_get_n_leaves (plan), counted = reel_lane_plan_get_reward (plan);

  skip->rewards = g_new (Reward, n);
  for (guint i = 0; i < n; i++)
    {
      ReelLaneLeaf leaf = *reel_lane_plan_get_leaf (plan, i);

      if (i == counted || (leaf.role == REEL_LANE_REWARD && leaf.path))
        skip->rewards[skip->n_rewards++] = (Reward){
          .from = i,
          .to = reel_lane_plan_replace (plan, i),
          .dtype = leaf.dtype,
          .row_bytes = leaf.row_bytes,
        };
    }
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  Skip *skip = g_new0 (Skip, 1);

  skip->work = (ReelLaneWork){ .step = skip_step, .free = skip_free };
  skip->n_more = REEL_FRAME_SKIP (self)->frame_skip - 1;
  skip->done = reel_lane_plan_get_done (plan);
  find_rewards (skip, plan);
  return reel_lane_plan_add (plan, &skip->work, 0, error);
}

/* ---- the class ---- */

static void
reel_frame_skip_class_init (ReelFrameSkipClass *klass)
{
  static const ReelId ids[] = {
    { "frame-skip", NULL, "each action several times, rewards added up" },
    { "FrameSkipTransform", NULL, "each action several times, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  object_class->ids = ids;
  reel_object_class_add_int64 (
      object_class, "frame-skip", G_STRUCT_OFFSET (ReelFrameSkip, frame_skip), 1, G_MAXINT64, 1,
      "steps", "steps of the environment for each action, fewer where the episode ends",
      REEL_PROPERTY_CONSTRUCT_ONLY);
  transform_class->peer_name = "FrameSkipTransform";
  transform_class->forward = forward;
  transform_class->bind = bind;
}

static void
reel_frame_skip_init (ReelFrameSkip *self)
{
}
