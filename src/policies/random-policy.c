/* Every action of the spec, or of those that an observed mask allows, with the same chance. */
#include "../specs/kinds/non-tensor-spec.h"
#include "../specs/spec-kind.h"
#include "action-mask.h"
#include "policy.h"

typedef struct
{
  const ReelSpec *spec;
  const char *path;
  gsize row_bytes;
  guint64 seed;
  gint mask; /* the leaf of the observation that says what is allowed, or −1 */
  gsize mask_bytes;
} Leaf;

struct _ReelRandomPolicy
{
  ReelPolicy parent_instance;

  gint64 seed;
  /* Pointers lent by the leaves. */
  ReelSpec *action;
  GStrv paths;
  gsize n_leaves;
  Leaf *leaves;
};

G_DECLARE_FINAL_TYPE (ReelRandomPolicy, reel_random_policy, REEL, RANDOM_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelRandomPolicy, reel_random_policy, REEL_TYPE_POLICY)

static void
unbind (ReelRandomPolicy *self)
{
  g_clear_pointer (&self->leaves, g_free);
  g_clear_pointer (&self->paths, g_strfreev);
  g_clear_pointer (&self->action, reel_spec_unref);
}

/* Whether rows of every leaf can be drawn one after the other. */
static gboolean
check_leaves (const ReelSpec *action, char *const *paths, GError **error)
{
  for (gsize i = 0; paths[i]; i++)
    {
      const ReelSpec *spec = reel_spec_get (action, paths[i], NULL);

      if (spec->kind->draw && !reel_spec_is_non_tensor (spec))
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                   "the random policy cannot draw \"%s\", a %s spec", paths[i],
                   reel_spec_class_name (spec));
      return FALSE;
    }
  return TRUE;
}

/* Where what is allowed is observed of the action at @leaf. */
static gboolean
find_mask (Leaf *leaf, const ReelSpec *observation, GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (observation);

  leaf->mask = reel_action_mask_find (observation, leaf->path);
  if (leaf->mask < 0)
    return TRUE;

  const ReelSpec *mask = reel_spec_get (observation, paths[leaf->mask], NULL);

  leaf->mask_bytes = reel_spec_row_bytes (mask);
  return reel_action_mask_check (leaf->spec, leaf->path, mask, error);
}

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelRandomPolicy *self = REEL_RANDOM_POLICY (policy);
  g_auto (GStrv) paths = reel_spec_list_leaves (action);

  if (!check_leaves (action, paths, error))
    return FALSE;
  unbind (self);
  self->action = reel_spec_ref (action);
  self->n_leaves = g_strv_length (paths);
  self->leaves = g_new (Leaf, self->n_leaves);
  self->paths = g_steal_pointer (&paths);
  for (gsize i = 0; i < self->n_leaves; i++)
    {
      const ReelSpec *spec = reel_spec_get (action, self->paths[i], NULL);

      self->leaves[i] = (Leaf){ .spec = spec,
                                .path = self->paths[i],
                                .row_bytes = reel_spec_row_bytes (spec),
                                .seed = reel_spec_leaf_seed ((guint64) self->seed, (gint64) i) };
      if (!find_mask (&self->leaves[i], observation, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  ReelRandomPolicy *self = (ReelRandomPolicy *) policy;

  for (gsize i = 0; i < self->n_leaves; i++)
    {
      const Leaf *leaf = &self->leaves[i];
      guint8 *rows = io->action[i] + (gsize) begin * leaf->row_bytes;

      if (leaf->mask < 0)
        reel_spec_rand_rows (leaf->spec, leaf->seed, step, begin, end - begin, rows);
      else if (!reel_action_mask_draw (
                   leaf->spec, leaf->path, leaf->seed, step, begin, end - begin,
                   io->observation[leaf->mask] + (gsize) begin * leaf->mask_bytes, rows, error))
        return FALSE;
    }
  return TRUE;
}

static void
finalize (GObject *object)
{
  unbind (REEL_RANDOM_POLICY (object));
  G_OBJECT_CLASS (reel_random_policy_parent_class)->finalize (object);
}

static void
reel_random_policy_class_init (ReelRandomPolicyClass *klass)
{
  static const ReelId ids[] = {
    { "random", NULL, "uniform over the action spec" },
    { "RandomPolicy", NULL, "uniform over the action spec, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPolicyClass *policy_class = REEL_POLICY_CLASS (klass);

  object_class->ids = ids;
  reel_object_class_add_int64 (object_class, "seed", G_STRUCT_OFFSET (ReelRandomPolicy, seed), 0,
                               G_MAXINT64, 0, NULL, "which stream of actions",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  policy_class->lanewise = TRUE;
  policy_class->never_nan = TRUE;
  policy_class->bind = bind;
  policy_class->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_random_policy_init (ReelRandomPolicy *self)
{
}
