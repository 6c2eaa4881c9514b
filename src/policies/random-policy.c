/* Every action of the spec with the same chance, whatever is observed. */
#include "../specs/non-tensor-spec.h"
#include "../specs/spec-kind.h"
#include "policy.h"

typedef struct
{
  const ReelSpec *spec;
  gsize row_bytes;
  guint64 seed;
} Leaf;

struct _ReelRandomPolicy
{
  ReelPolicy parent_instance;

  gint64 seed;
  /* What the leaves lend. */
  ReelSpec *action;
  gsize n_leaves;
  Leaf *leaves;
};

G_DECLARE_FINAL_TYPE (ReelRandomPolicy, reel_random_policy, REEL, RANDOM_POLICY, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelRandomPolicy, reel_random_policy, REEL_TYPE_POLICY)

static void
unbind (ReelRandomPolicy *self)
{
  g_clear_pointer (&self->leaves, g_free);
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
  for (gsize i = 0; i < self->n_leaves; i++)
    {
      const ReelSpec *spec = reel_spec_get (action, paths[i], NULL);

      self->leaves[i] = (Leaf){ .spec = spec,
                                .row_bytes = reel_spec_row_bytes (spec),
                                .seed = reel_spec_leaf_seed ((guint64) self->seed, (gint64) i) };
    }
  return TRUE;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const guint8 *const *observation,
     guint8 *const *action, GError **error)
{
  ReelRandomPolicy *self = (ReelRandomPolicy *) policy;

  for (gsize i = 0; i < self->n_leaves; i++)
    {
      const Leaf *leaf = &self->leaves[i];

      reel_spec_rand_rows (leaf->spec, leaf->seed, step, begin, end - begin,
                           action[i] + (gsize) begin * leaf->row_bytes);
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
  static const ReelId ids[] = { { "random", NULL, "uniform over the action spec" }, { NULL } };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelPolicyClass *policy_class = REEL_POLICY_CLASS (klass);

  object_class->ids = ids;
  reel_object_class_add_int64 (object_class, "seed", G_STRUCT_OFFSET (ReelRandomPolicy, seed), 0,
                               G_MAXINT64, 0, NULL, "which stream of actions",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  policy_class->lanewise = TRUE;
  policy_class->bind = bind;
  policy_class->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_random_policy_init (ReelRandomPolicy *self)
{
}
