/* Some lanes of a policy of more: it acts on them as they are numbered among all. */
#include "../specs/spec-kind.h"
#include "policy-weights.h"

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
  gboolean is_given; /* whether it acts with weights that another process gave it */
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

  if (self->first > self->n_all - n_lanes)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the policy lane-range acts on lanes from first-lane=%" G_GINT64_FORMAT
                   " on, of all-lanes=%" G_GINT64_FORMAT ", and is to act on %" G_GINT64_FORMAT,
                   self->first, self->n_all, n_lanes);
      return FALSE;
    }
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

/* ---- weights ---- */

static gboolean
update_weights (ReelPolicy *policy, const ReelTensordict *weights, const char *source,
                GError **error)
{
  ReelPolicy *whole = REEL_LANE_RANGE_POLICY (policy)->whole;
  const ReelPolicyClass *klass = REEL_POLICY_GET_CLASS (whole);

  return klass->update_weights ? klass->update_weights (whole, weights, source, error)
                               : reel_policy_update_weights (whole, weights, error);
}

/* Weights that another process gives replace those that the whole would read for itself. */
static gboolean
take_weights (ReelPolicy *policy, gint64 *version, GError **error)
{
  const ReelLaneRangePolicy *self = REEL_LANE_RANGE_POLICY (policy);

  if (self->is_given)
    return TRUE;
  if (!reel_policy_take_weights (self->whole, error))
    return FALSE;
  *version = reel_policy_get_version (self->whole);
  return TRUE;
}

static gconstpointer
see_weights (ReelPolicy *policy, gsize *n_bytes)
{
  ReelPolicyWeights weights;

  if (!reel_policy_see_weights (REEL_LANE_RANGE_POLICY (policy)->whole, &weights))
    return NULL;
  *n_bytes = weights.n_bytes;
  return weights.bytes;
}

static void
put_weights (ReelPolicy *policy, gconstpointer bytes)
{
  ReelLaneRangePolicy *self = REEL_LANE_RANGE_POLICY (policy);

  REEL_POLICY_GET_CLASS (self->whole)->put_weights (self->whole, bytes);
  self->is_given = TRUE;
}

/* share_whole: what acts for some of its lanes in a thread of its own. */
static ReelPolicy *
share_whole (ReelPolicy *whole, gint64 first, GError **error)
{
  const ReelPolicyClass *klass = REEL_POLICY_GET_CLASS (whole);
  g_autofree char *text = klass->share ? NULL : reel_object_to_text (REEL_OBJECT (whole));

  return klass->share ? klass->share (whole, first, error)
                      : reel_object_new_from_text (REEL_TYPE_POLICY, text, error, NULL);
}

/* share: a worker's lanes are told by their numbers among those here. */
static ReelPolicy *
share (ReelPolicy *policy, gint64 first, GError **error)
{
  const ReelLaneRangePolicy *self = REEL_LANE_RANGE_POLICY (policy);
  g_autoptr (ReelPolicy) whole = share_whole (self->whole, self->first + first, error);

  return whole ? g_initable_new (reel_lane_range_policy_get_type (), NULL, error, "id",
                                 "lane-range", "policy", whole, "first-lane", self->first,
                                 "all-lanes", self->n_all, NULL)
               : NULL;
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  const ReelLaneRangePolicy *self = REEL_LANE_RANGE_POLICY (object);

  if (self->whole == NULL)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "the policy lane-range needs policy=(…), that of all lanes");
  else if (!reel_policy_is_lanewise (self->whole))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "the policy %s acts on all lanes at once, and there are only some of them",
                 reel_object_get_id (REEL_OBJECT (self->whole)));
  else
    return TRUE;
  return FALSE;
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
  static const ReelId ids[] = {
    { "lane-range", NULL, "another policy, for some of its lanes, such as those of one rank" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPolicyClass *policy_class = REEL_POLICY_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_object (object_class, "policy",
                                G_STRUCT_OFFSET (ReelLaneRangePolicy, whole), REEL_TYPE_POLICY,
                                "the policy of all lanes", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (
      object_class, "first-lane", G_STRUCT_OFFSET (ReelLaneRangePolicy, first), 0, G_MAXINT64 / 2,
      0, "lanes", "the lane of it that is the first here", REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (object_class, "all-lanes",
                               G_STRUCT_OFFSET (ReelLaneRangePolicy, n_all), 1, G_MAXINT64 / 2, 1,
                               "lanes", "all of its lanes", REEL_PROPERTY_CONSTRUCT_ONLY);
  policy_class->lanewise = TRUE;
  policy_class->never_nan = TRUE; /* the whole looks for it */
  policy_class->bind = bind;
  policy_class->act = act;
  policy_class->update_weights = update_weights;
  policy_class->take_weights = take_weights;
  policy_class->see_weights = see_weights;
  policy_class->put_weights = put_weights;
  policy_class->share = share;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_lane_range_policy_init (ReelLaneRangePolicy *self)
{
}
