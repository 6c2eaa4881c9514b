/* Looks ahead by n steps before data are written, across the calls that bring them. */
#include "multi-step.h"
#include "transform-private.h"

#include "../core/tensordict/shape.h"

struct _ReelMultiStepTransform
{
  ReelTransform parent_instance;

  gint64 n_steps;
  double gamma;
  GStrv reward_keys;
  char *done_key;
  GStrv done_keys;
  char *mask_key;
  char *trajectory_key;
  ReelTensordict *held; /* the newest steps, which wait for what follows them */
};

G_DECLARE_FINAL_TYPE (ReelMultiStepTransform, reel_multi_step_transform, REEL, MULTI_STEP_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelMultiStepTransform, reel_multi_step_transform, REEL_TYPE_TRANSFORM)

/* The newest steps of @all: a copy, for whoever brought the data may write over them, or a view
 * where the transform joined them itself and little else stays in memory with it. */
static ReelTensordict *
keep_newest (ReelMultiStepTransform *self, ReelTensordict *all, GError **error)
{
  gint64 n = self->n_steps;
  gint ndim;
  gboolean few = reel_tensordict_get_batch_size (all, &ndim)[ndim - 1] <= 2 * n;
  g_autoptr (ReelTensordict) newest =
      reel_tensordict_slice (all, -1, n > 0 ? -n : 0, G_MAXINT64, 1, error);

  if (!newest || (self->held && few))
    return g_steal_pointer (&newest);
  return reel_tensordict_clone (newest, TRUE, error);
}

/* The held steps, then @td. */
static ReelTensordict *
join (ReelMultiStepTransform *self, ReelTensordict *td, GError **error)
{
  ReelTensordict *tds[2] = { self->held, td };

  return self->held ? reel_tensordict_cat (tds, 2, -1, error) : reel_tensordict_ref (td);
}

static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelMultiStepTransform *self = REEL_MULTI_STEP_TRANSFORM (transform);
  ReelMultiStep how = { self->n_steps,
                        self->gamma,
                        (const char *const *) self->reward_keys,
                        self->done_key,
                        (const char *const *) self->done_keys,
                        self->mask_key,
                        self->trajectory_key };
  g_autoptr (ReelTensordict) all = NULL, held = NULL, made = NULL;
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  if (ndim == 0)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "multi-step takes steps [*B, T], not one step without a batch size");
      return FALSE;
    }
  all = join (self, td, error);
  held = all ? keep_newest (self, all, error) : NULL;
  if (!held)
    return FALSE;
  if (reel_tensordict_get_batch_size (all, &ndim)[ndim - 1] > self->n_steps)
    {
      made = reel_multi_step (all, &how, error);
      *result = made ? reel_tensordict_slice (made, -1, 0, -self->n_steps, 1, error) : NULL;
      if (!*result)
        return FALSE;
    }
  g_clear_pointer (&self->held, reel_tensordict_unref);
  self->held = g_steal_pointer (&held);
  return TRUE;
}

static gboolean
changes_writes (ReelTransform *self)
{
  return TRUE;
}

static void
empty (ReelTransform *transform)
{
  g_clear_pointer (&REEL_MULTI_STEP_TRANSFORM (transform)->held, reel_tensordict_unref);
}

static gboolean
dup_state (ReelTransform *transform, ReelTensordict *state, GError **error)
{
  ReelTensordict *held = REEL_MULTI_STEP_TRANSFORM (transform)->held;
  g_autoptr (ReelTensordict) copy = held ? reel_tensordict_clone (held, TRUE, error) : NULL;

  return !held || (copy && reel_tensordict_set_tensordict (state, "held", copy, error));
}

static gboolean
set_state (ReelTransform *transform, const ReelTensordict *state, GError **error)
{
  ReelMultiStepTransform *self = REEL_MULTI_STEP_TRANSFORM (transform);
  const ReelTensordict *held = NULL;
  ReelTensordict *copy = NULL;

  if (reel_tensordict_contains (state, "held"))
    {
      held = reel_tensordict_get_tensordict (state, "held", error);
      copy = held ? reel_tensordict_clone (held, TRUE, error) : NULL;
      if (!copy)
        return FALSE;
    }
  g_clear_pointer (&self->held, reel_tensordict_unref);
  self->held = copy;
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "The MultiStepTransform is only an inverse transform and can be applied "
                       "exclusively to replay buffers.");
  return NULL;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelMultiStepTransform *self = REEL_MULTI_STEP_TRANSFORM (object);
  const char *const keys[] = { self->done_key, self->trajectory_key ? self->trajectory_key : "x",
                               self->mask_key, NULL };

  return REEL_OBJECT_CLASS (reel_multi_step_transform_parent_class)->build (object, error)
         && reel_key_check_all ((const char *const *) self->reward_keys, error)
         && reel_key_check_all ((const char *const *) self->done_keys, error)
         && reel_key_check_all (keys, error);
}

static void
finalize (GObject *object)
{
  empty (REEL_TRANSFORM (object));
  G_OBJECT_CLASS (reel_multi_step_transform_parent_class)->finalize (object);
}

static void
add_key_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_words (klass, "reward-keys",
                               G_STRUCT_OFFSET (ReelMultiStepTransform, reward_keys),
                               "keys below next that are summed up; by default reward", fixed);
  reel_object_class_add_string (klass, "done-key",
                                G_STRUCT_OFFSET (ReelMultiStepTransform, done_key), "done",
                                "key below next of the flag that ends a trajectory", fixed);
  reel_object_class_add_words (
      klass, "done-keys", G_STRUCT_OFFSET (ReelMultiStepTransform, done_keys),
      "keys below next that stay as they are; by default done, terminated and truncated", fixed);
  reel_object_class_add_string (klass, "mask-key",
                                G_STRUCT_OFFSET (ReelMultiStepTransform, mask_key), "mask",
                                "key of a mask, where there is one", fixed);
  reel_object_class_add_string (
      klass, "trajectory-key", G_STRUCT_OFFSET (ReelMultiStepTransform, trajectory_key),
      "collector/traj_ids", "key of ids, where there are any; a trajectory ends where they change",
      fixed);
}

static void
reel_multi_step_transform_class_init (ReelMultiStepTransformClass *klass)
{
  static const ReelId ids[] = {
    { "multi-step", NULL, "looks ahead by n steps on write" },
    { "MultiStepTransform", NULL, "looks ahead by n steps on write, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->ids = ids;
  object_class->build = build;
  reel_object_class_add_int64 (object_class, "n-steps",
                               G_STRUCT_OFFSET (ReelMultiStepTransform, n_steps), 1, G_MAXINT32, 3,
                               "steps", "how far to look ahead", REEL_PROPERTY_MUTABLE);
  reel_object_class_add_double (
      object_class, "gamma", G_STRUCT_OFFSET (ReelMultiStepTransform, gamma), G_MINDOUBLE, 1, 0.99,
      NULL, "discount of each further reward", REEL_PROPERTY_CONSTRUCT_ONLY);
  add_key_properties (object_class);
  transform_class->peer_name = "MultiStepTransform";
  transform_class->inverse = inverse;
  transform_class->changes_writes = changes_writes;
  transform_class->empty = empty;
  transform_class->dup_state = dup_state;
  transform_class->set_state = set_state;
  transform_class->env_spec = env_spec;
}

static void
reel_multi_step_transform_init (ReelMultiStepTransform *self)
{
}
