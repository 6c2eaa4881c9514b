/* Its state counts the steps of the episode and sums what was seen, so that a state that is lost,
 * kept too long or of another lane shows in every later row. */
#include "scribe-policy.h"

#include "make-spec.h"

#include <math.h>
#include <string.h>

struct _ScribePolicy
{
  ReelPolicy parent_instance;

  ReelPolicy *random; /* of the actions */
  gsize seen_bytes;   /* of the first leaf of the observation, a row */
  gint where;
  gint64 lane, step;
};

G_DEFINE_FINAL_TYPE (ScribePolicy, scribe_policy, REEL_TYPE_POLICY)

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  static const char *const deep_keys[] = { "deep" }, *const mood_keys[] = { "mood" };
  static const char *const output_keys[] = { "action_log_prob", "value" };
  static const char *const state_keys[] = { "age", "hidden" };
  ScribePolicy *self = SCRIBE_POLICY (policy);
  g_auto (GStrv) paths = reel_spec_list_leaves (observation);
  const gint64 lanes = 1;
  g_autoptr (ReelTensordict) one = reel_spec_zero_tensordict (observation, 1, &lanes, error);
  g_autoptr (ReelSpec) scalar = make_unbounded (REEL_DTYPE_FLOAT32, SCALAR);
  g_autoptr (ReelSpec) pair = make_unbounded (REEL_DTYPE_FLOAT64, SHAPE (2));
  g_autoptr (ReelSpec) age = make_unbounded (REEL_DTYPE_INT64, SHAPE (1));
  g_autoptr (ReelSpec) mood = make_unbounded (REEL_DTYPE_FLOAT64, SHAPE (3));
  g_autoptr (ReelSpec) value = make_composite (SCALAR, deep_keys, &pair, 1);
  g_autoptr (ReelSpec) hidden = make_composite (SCALAR, mood_keys, &mood, 1);

  reel_policy_declare (policy,
                       make_composite (SCALAR, output_keys, (ReelSpec *[]){ scalar, value }, 2),
                       make_composite (SCALAR, state_keys, (ReelSpec *[]){ age, hidden }, 2));
  self->seen_bytes = reel_tensor_nbytes (reel_tensordict_get_tensor (one, paths[0], NULL));
  return reel_policy_bind (self->random, observation, action, n_lanes, error);
}

static double
see (const guint8 *row, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += row[i] * (double) (i % 7 + 1);
  return sum;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  ScribePolicy *self = (ScribePolicy *) policy;
  const gint64 *age = (const gint64 *) io->state[0];
  const double *mood = (const double *) io->state[1];
  float *log_prob = (float *) io->output[0];
  double *deep = (double *) io->output[1], *next_mood = (double *) io->next_state[1];
  gint64 *next_age = (gint64 *) io->next_state[0];

  for (gint64 lane = begin; lane < end; lane++)
    {
      double seen = see (io->observation[0] + (gsize) lane * self->seen_bytes, self->seen_bytes);
      gboolean ill = lane == self->lane && step == self->step;

      log_prob[lane] = seen > 900 ? -INFINITY : (float) -seen;
      deep[2 * lane] = mood[3 * lane] + seen;
      deep[2 * lane + 1] = ill && self->where == 0 ? NAN : (double) age[lane];
      next_age[lane] = age[lane] + 1;
      for (gint i = 0; i < 3; i++)
        next_mood[3 * lane + i] = mood[3 * lane + i] * 0.5 + seen + i;
      if (ill && self->where == 1)
        next_mood[3 * lane + 2] = -NAN;
    }
  return reel_policy_act (self->random, step, begin, end, io, error);
}

static void
finalize (GObject *object)
{
  g_clear_object (&SCRIBE_POLICY (object)->random);
  G_OBJECT_CLASS (scribe_policy_parent_class)->finalize (object);
}

static void
scribe_policy_class_init (ScribePolicyClass *klass)
{
  static const ReelId ids[] = { { "scribe", NULL, "writes outputs and a state" }, { NULL } };

  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_POLICY_CLASS (klass)->lanewise = TRUE;
  REEL_POLICY_CLASS (klass)->bind = bind;
  REEL_POLICY_CLASS (klass)->act = act;
}

static void
scribe_policy_init (ScribePolicy *self)
{
  self->random = reel_object_new_from_text (REEL_TYPE_POLICY, "random:seed=11", NULL, NULL);
  self->where = -1;
}

ReelPolicy *
scribe_policy_new_with_nan (gint where, gint64 lane, gint64 step)
{
  ScribePolicy *self = reel_object_new_from_text (REEL_TYPE_POLICY, "scribe", NULL, NULL);

  self->where = where;
  self->lane = lane;
  self->step = step;
  return REEL_POLICY (self);
}
