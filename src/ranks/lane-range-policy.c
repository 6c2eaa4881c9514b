#include "lane-range-policy.h"

#include "../policies/policy-weights.h"
#include "../specs/spec-kind.h"

/* Pointers to lane 0 of the whole, by leaf. */
typedef struct
{
  guint n;
  gsize *back; /* bytes from lane 0 here to lane 0 there */
} Shift;

struct _ReelLaneRangePolicy
{
  ReelPolicy parent_instance;

  ReelPolicy *whole;
  gint64 first;
  gint64 n_all;
  Shift observation, state, action, output;
};

G_DECLARE_FINAL_TYPE (ReelLaneRangePolicy, reel_lane_range_policy, REEL, LANE_RANGE_POLICY,
                      ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelLaneRangePolicy, reel_lane_range_policy, REEL_TYPE_POLICY)

static void
shift_by (Shift *self, const ReelSpec *spec, gint64 first)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (spec);

  g_free (self->back);
  self->n = g_strv_length (leaves);
  self->back = g_new (gsize, self->n);
  for (guint i = 0; i < self->n; i++)
    self->back[i] = reel_spec_row_bytes (reel_spec_get (spec, leaves[i], NULL)) * (gsize) first;
}

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelLaneRangePolicy *self = REEL_LANE_RANGE_POLICY (policy);

  g_return_val_if_fail (self->first + n_lanes <= self->n_all, FALSE);
  if (!reel_policy_bind (self->whole, observation, action, self->n_all, error))
    return FALSE;

  const ReelSpec *output = reel_policy_get_output_spec (self->whole);
  const ReelSpec *state = reel_policy_get_state_spec (self->whole);

  shift_by (&self->observation, observation, self->first);
  shift_by (&self->action, action, self->first);
  shift_by (&self->output, output, self->first);
  shift_by (&self->state, state, self->first);
  reel_policy_declare (policy, reel_spec_ref ((ReelSpec *) output),
                       reel_spec_ref ((ReelSpec *) state));
  return TRUE;
}

static void
move_back (const Shift *shift, guint8 *const *from, guint8 **to)
{
  for (guint i = 0; from != NULL && i < shift->n; i++)
    to[i] = from[i] - shift->back[i];
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  const ReelLaneRangePolicy *self = (ReelLaneRangePolicy *) policy;
  guint8 **observation = g_newa (guint8 *, self->observation.n + 1);
  guint8 **state = g_newa (guint8 *, self->state.n + 1);
  guint8 **next_state = g_newa (guint8 *, self->state.n + 1);
  guint8 **action = g_newa (guint8 *, self->action.n + 1);
  guint8 **output = g_newa (guint8 *, self->output.n + 1);
  ReelPolicyIO whole = *io;

  whole.observation = (const guint8 *const *) observation;
  whole.state = (const guint8 *const *) state;
  whole.action = action;
  whole.output = output;
  whole.next_state = next_state;

  move_back (&self->observation, (guint8 *const *) io->observation, observation);
  move_back (&self->state, (guint8 *const *) io->state, state);
  move_back (&self->state, io->next_state, next_state);
  move_back (&self->action, io->action, action);
  move_back (&self->output, io->output, output);
  return reel_policy_act (self->whole, step, self->first + begin, self->first + end, &whole, error);
}

static gconstpointer
see_weights (ReelPolicy *policy, gsize *n_bytes)
{
  ReelPolicyWeights weights;

  if (!reel_policy_see_weights (((ReelLaneRangePolicy *) policy)->whole, &weights))
    return NULL;
  *n_bytes = weights.n_bytes;
  return weights.bytes;
}

static void
put_weights (ReelPolicy *policy, gconstpointer bytes)
{
  ReelPolicy *whole = ((ReelLaneRangePolicy *) policy)->whole;

  REEL_POLICY_GET_CLASS (whole)->put_weights (whole, bytes);
}

static void
finalize (GObject *object)
{
  ReelLaneRangePolicy *self = REEL_LANE_RANGE_POLICY (object);

  g_clear_object (&self->whole);
  g_free (self->observation.back);
  g_free (self->state.back);
  g_free (self->action.back);
  g_free (self->output.back);
  G_OBJECT_CLASS (reel_lane_range_policy_parent_class)->finalize (object);
}

static void
reel_lane_range_policy_class_init (ReelLaneRangePolicyClass *klass)
{
  ReelPolicyClass *policy_class = REEL_POLICY_CLASS (klass);

  policy_class->lanewise = TRUE;
  policy_class->never_nan = TRUE; /* the whole looks for it */
  policy_class->bind = bind;
  policy_class->act = act;
  policy_class->see_weights = see_weights;
  policy_class->put_weights = put_weights;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_lane_range_policy_init (ReelLaneRangePolicy *self)
{
}

ReelPolicy *
reel_lane_range_policy_new (ReelPolicy *whole, gint64 first, gint64 n_all)
{
  ReelLaneRangePolicy *self =
      g_initable_new (reel_lane_range_policy_get_type (), NULL, NULL, "id", "lane-range", NULL);

  self->whole = g_object_ref (whole);
  self->first = first;
  self->n_all = n_all;
  return REEL_POLICY (self);
}
