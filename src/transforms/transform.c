/* The base of transforms: keys, parents, and the ways forward and inverse. */
#include "lane-plan.h"
#include "transform-private.h"

#include "../core/object/property.h"

typedef struct
{
  GObject *parent; /* not held: it drops itself */
  GStrv in_keys;
  GStrv out_keys;
  GStrv in_keys_inv;
  GStrv out_keys_inv;
} ReelTransformPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelTransform, reel_transform, REEL_TYPE_OBJECT)

static ReelTransformPrivate *
get_private (ReelTransform *self)
{
  return reel_transform_get_instance_private (self);
}

/* ---- keys ---- */

static const char *const *
keys_or_none (char *const *keys)
{
  static const char *const none[] = { NULL };

  return keys ? (const char *const *) keys : none;
}

const char *const *
reel_transform_get_in_keys (ReelTransform *self)
{
  return keys_or_none (get_private (self)->in_keys);
}

const char *const *
reel_transform_get_out_keys (ReelTransform *self)
{
  ReelTransformPrivate *private = get_private (self);

  return keys_or_none (private->out_keys ? private->out_keys : private->in_keys);
}

const char *const *
reel_transform_get_in_keys_inv (ReelTransform *self)
{
  return keys_or_none (get_private (self)->in_keys_inv);
}

const char *const *
reel_transform_get_out_keys_inv (ReelTransform *self)
{
  ReelTransformPrivate *private = get_private (self);

  return keys_or_none (private->out_keys_inv ? private->out_keys_inv : private->in_keys_inv);
}

void
reel_transform_set_keys (ReelTransform *self, const char *const *in_keys,
                         const char *const *out_keys)
{
  ReelTransformPrivate *private = get_private (self);
  GStrv in = g_strdupv ((char **) in_keys), out = g_strdupv ((char **) out_keys);

  g_strfreev (private->in_keys);
  g_strfreev (private->out_keys);
  private->in_keys = in;
  private->out_keys = out;
}

void
reel_transform_set_inverse_keys (ReelTransform *self, const char *const *in_keys,
                                 const char *const *out_keys)
{
  ReelTransformPrivate *private = get_private (self);
  GStrv in = g_strdupv ((char **) in_keys), out = g_strdupv ((char **) out_keys);

  g_strfreev (private->in_keys_inv);
  g_strfreev (private->out_keys_inv);
  private->in_keys_inv = in;
  private->out_keys_inv = out;
}

void
reel_transform_default_to (ReelTransform *self, const char *key)
{
  ReelTransformPrivate *private = get_private (self);

  if (!private->in_keys)
  private->in_keys = g_strdupv ((char **) (const char *[]){ key, NULL });
}

void
reel_transform_default_to_pixels (ReelTransform *self)
{
  reel_transform_default_to (self, "pixels");
}

void
reel_transform_default_to_reward (ReelTransform *self)
{
  reel_transform_default_to (self, "reward");
}

static void
add_keys (ReelTransformClass *klass, const char *name, gsize offset, const char *blurb)
{
  reel_object_class_add_words (REEL_OBJECT_CLASS (klass), name, offset, blurb,
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

void
reel_transform_class_add_keys (ReelTransformClass *klass, ReelTransformKeys keys)
{
  if (keys & REEL_TRANSFORM_IN_KEYS)
    add_keys (klass, "in-keys", (gsize) G_PRIVATE_OFFSET (ReelTransform, in_keys),
              "keys that forward reads");
  if (keys & REEL_TRANSFORM_OUT_KEYS)
    add_keys (klass, "out-keys", (gsize) G_PRIVATE_OFFSET (ReelTransform, out_keys),
              "keys that forward writes; by default in-keys");
  if (keys & REEL_TRANSFORM_INVERSE_KEYS)
    {
      add_keys (klass, "in-keys-inv", (gsize) G_PRIVATE_OFFSET (ReelTransform, in_keys_inv),
                "keys that the inverse writes");
      add_keys (klass, "out-keys-inv", (gsize) G_PRIVATE_OFFSET (ReelTransform, out_keys_inv),
                "keys that the inverse reads; by default in-keys-inv");
    }
}

static gboolean
match (const char *kind, const char *const *in, const char *const *out, GError **error)
{
  guint n_in = g_strv_length ((char **) in), n_out = g_strv_length ((char **) out);

  if (n_in != n_out)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "The number of in_keys%s (%u) should match the number of out_keys%s (%u).", kind,
                   n_in, kind, n_out);
      return FALSE;
    }
  return reel_key_check_all (in, error) && reel_key_check_all (out, error);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelTransform *self = REEL_TRANSFORM (object);

  return REEL_OBJECT_CLASS (reel_transform_parent_class)->build (object, error)
         && match ("", reel_transform_get_in_keys (self), reel_transform_get_out_keys (self), error)
         && match ("_inv", reel_transform_get_in_keys_inv (self),
                   reel_transform_get_out_keys_inv (self), error);
}

/* ---- the defaults: key by key ---- */

static ReelTensordict *
forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  ReelTransformClass *klass = REEL_TRANSFORM_GET_CLASS (self);
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  for (gsize i = 0; in[i]; i++)
    {
      g_autoptr (ReelTensor) value = reel_tensordict_ref_tensor (td, in[i], error);
      g_autoptr (ReelTensor) changed = value ? klass->apply (self, value, error) : NULL;

      if (!changed || !reel_tensordict_set_tensor (td, out[i], changed, error))
        return NULL;
    }
  return reel_tensordict_ref (td);
}

static gboolean
inverse (ReelTransform *self, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelTransformClass *klass = REEL_TRANSFORM_GET_CLASS (self);
  const char *const *in = reel_transform_get_in_keys_inv (self);
  const char *const *out = reel_transform_get_out_keys_inv (self);

  for (gsize i = 0; in[i]; i++)
    {
      g_autoptr (ReelTensor) value = reel_tensordict_ref_tensor (td, out[i], error);
      g_autoptr (ReelTensor) changed = value ? klass->apply_inverse (self, value, error) : NULL;

      if (!changed || !reel_tensordict_set_tensor (td, in[i], changed, error))
        return FALSE;
    }
  *result = reel_tensordict_ref (td);
  return TRUE;
}

static gboolean
changes_reads (ReelTransform *self)
{
  return REEL_TRANSFORM_GET_CLASS (self)->forward != forward
         || *reel_transform_get_in_keys (self) != NULL;
}

static gboolean
changes_writes (ReelTransform *self)
{
  return *reel_transform_get_in_keys_inv (self) != NULL;
}

static gboolean
wants_rows (ReelTransform *self)
{
  return FALSE;
}

static gint64
get_demand (ReelTransform *self)
{
  return 1;
}

static ReelTensor *
apply (ReelTransform *self, ReelTensor *value, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED, "%s does not name its transform",
               G_OBJECT_TYPE_NAME (self));
  return NULL;
}

static ReelTensor *
apply_inverse (ReelTransform *self, ReelTensor *value, GError **error)
{
  return reel_tensor_ref (value);
}

static ReelSpec *
apply_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  return reel_spec_ref (spec);
}

typedef ReelSpec *(*ApplySpec) (ReelTransform *self, const ReelSpec *spec, GError **error);

/* Sets the spec of each of @to, in the part of @side where that of @from stands. */
static gboolean
map_specs (ReelTransform *self, ReelSpec **spec, ReelSpecSide side, const char *const *from,
           const char *const *to, ApplySpec function, GError **error)
{
  for (; *from; from++, to++)
    {
      g_autofree char *part = reel_spec_find_part (*spec, side, *from);
      const ReelSpec *value = part ? reel_spec_get_in_part (*spec, part, *from) : NULL;
      g_autoptr (ReelSpec) changed = NULL;

      if (!value)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "\"%s\" is not in the env's %s specs",
                       *from, side == REEL_SPEC_OUTPUT ? "output" : "input");
          return FALSE;
        }
      changed = function (self, value, error);
      if (!changed || !reel_spec_set_in_part (spec, part, *to, changed, error))
        return FALSE;
    }
  return TRUE;
}

static ReelSpec *
env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  ReelTransformClass *klass = REEL_TRANSFORM_GET_CLASS (self);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);

  if (!map_specs (self, &changed, REEL_SPEC_OUTPUT, reel_transform_get_in_keys (self),
                  reel_transform_get_out_keys (self), klass->apply_spec, error)
      || !map_specs (self, &changed, REEL_SPEC_INPUT, reel_transform_get_in_keys_inv (self),
                     reel_transform_get_out_keys_inv (self), klass->apply_inverse_spec, error))
    return NULL;
  return g_steal_pointer (&changed);
}

static gboolean
set_offline (ReelTransform *self, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
               "%s serves data that are stored, not an environment; append it to the buffer",
               reel_object_get_id (REEL_OBJECT (self)));
  return FALSE;
}

static gboolean
bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  ReelTransformClass *klass = REEL_TRANSFORM_GET_CLASS (self);
  const char *const *in = reel_transform_get_in_keys (self);
  const char *const *out = reel_transform_get_out_keys (self);

  if (klass->forward != forward)
    return set_offline (self, error);
  for (gsize i = 0; in[i]; i++)
    if (!reel_lane_plan_add_apply (plan, self, klass->apply, in[i], out[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
bind_inverse (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  ReelTransformClass *klass = REEL_TRANSFORM_GET_CLASS (self);
  const char *const *in = reel_transform_get_in_keys_inv (self);
  const char *const *out = reel_transform_get_out_keys_inv (self);

  if (klass->inverse != inverse && reel_transform_changes_writes (self))
    return set_offline (self, error);
  for (gsize i = 0; in[i]; i++)
    if (!reel_lane_plan_add_apply (plan, self, klass->apply_inverse, out[i], in[i], error))
      return FALSE;
  return TRUE;
}

static void
empty (ReelTransform *self)
{
}

static gboolean
dup_state (ReelTransform *self, ReelTensordict *state, GError **error)
{
  return TRUE;
}

static gboolean
set_state (ReelTransform *self, const ReelTensordict *state, GError **error)
{
  return TRUE;
}

/* Copies a property; what it holds of objects belongs to one transform, and is cloned. */
static gboolean
copy_property (GObject *from, GParamSpec *pspec, GValue *value, GError **error)
{
  g_value_init (value, pspec->value_type);
  g_object_get_property (from, pspec->name, value);
  if (!G_VALUE_HOLDS (value, REEL_TYPE_TRANSFORM) || !g_value_get_object (value))
    return TRUE;
  g_value_take_object (value, reel_transform_clone (g_value_get_object (value), error));
  return g_value_get_object (value) != NULL;
}

static ReelTransform *
make_clone (ReelTransform *self, GError **error)
{
  guint n;
  g_autofree GParamSpec **pspecs = reel_property_list (REEL_OBJECT_GET_CLASS (self), &n);
  g_autofree const char **names = g_new0 (const char *, n + 1);
  g_autofree GValue *values = g_new0 (GValue, n + 1);
  ReelTransform *made = NULL;
  gboolean copied = TRUE;

  names[0] = "id";
  g_value_init (&values[0], G_TYPE_STRING);
  g_value_set_string (&values[0], reel_object_get_id (REEL_OBJECT (self)));
  for (guint i = 0; copied && i < n; i++)
    {
      names[i + 1] = pspecs[i]->name;
      copied = copy_property (G_OBJECT (self), pspecs[i], &values[i + 1], error);
    }
  if (copied)
    made =
        REEL_TRANSFORM (g_object_new_with_properties (G_OBJECT_TYPE (self), n + 1, names, values));
  if (made && !g_initable_init (G_INITABLE (made), NULL, error))
    g_clear_object (&made);
  for (guint i = 0; i <= n; i++)
    g_value_unset (&values[i]);
  return made;
}

static char *
to_string (ReelTransform *self)
{
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (self));

  return g_strdup_printf ("%s(keys=%s)", REEL_TRANSFORM_GET_CLASS (self)->peer_name, keys);
}

/* ---- the class ---- */

static void
finalize (GObject *object)
{
  ReelTransformPrivate *private = get_private (REEL_TRANSFORM (object));

  g_strfreev (private->in_keys);
  g_strfreev (private->out_keys);
  g_strfreev (private->in_keys_inv);
  g_strfreev (private->out_keys_inv);
  private->in_keys = private->out_keys = private->in_keys_inv = private->out_keys_inv = NULL;
  G_OBJECT_CLASS (reel_transform_parent_class)->finalize (object);
}

static void
reel_transform_class_init (ReelTransformClass *klass)
{
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  object_class->kind = "transform";
  object_class->build = build;
  object_class->chain = reel_compose_chain;
  klass->forward = forward;
  klass->inverse = inverse;
  klass->changes_reads = changes_reads;
  klass->changes_writes = changes_writes;
  klass->wants_rows = wants_rows;
  klass->get_demand = get_demand;
  klass->apply = apply;
  klass->apply_inverse = apply_inverse;
  klass->env_spec = env_spec;
  klass->apply_spec = apply_spec;
  klass->apply_inverse_spec = apply_spec;
  klass->bind = bind;
  klass->bind_inverse = bind_inverse;
  klass->empty = empty;
  klass->dup_state = dup_state;
  klass->set_state = set_state;
  klass->clone = make_clone;
  klass->to_string = to_string;
}

static void
reel_transform_init (ReelTransform *self)
{
}

/* ---- what callers see ---- */

ReelTensordict *
reel_transform_dup_state (ReelTransform *self, GError **error)
{
  g_autoptr (ReelTensordict) state = NULL;

  g_return_val_if_fail (REEL_IS_TRANSFORM (self), NULL);

  state = reel_tensordict_new (0, NULL);
  return REEL_TRANSFORM_GET_CLASS (self)->dup_state (self, state, error) ? g_steal_pointer (&state)
                                                                         : NULL;
}

gboolean
reel_transform_set_state (ReelTransform *self, const ReelTensordict *state, GError **error)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self) && state, FALSE);

  return REEL_TRANSFORM_GET_CLASS (self)->set_state (self, state, error);
}

ReelTensordict *
reel_transform_forward (ReelTransform *self, ReelTensordict *td, GError **error)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), NULL);
  g_return_val_if_fail (td, NULL);

  return REEL_TRANSFORM_GET_CLASS (self)->forward (self, td, error);
}

gboolean
reel_transform_inverse (ReelTransform *self, ReelTensordict *td, ReelTensordict **result,
                        GError **error)
{
  g_autoptr (ReelTensordict) shared = NULL;

  g_return_val_if_fail (REEL_IS_TRANSFORM (self), FALSE);
  g_return_val_if_fail (td && result, FALSE);

  *result = NULL;
  shared = reel_tensordict_clone (td, FALSE, error);
  return shared && REEL_TRANSFORM_GET_CLASS (self)->inverse (self, shared, result, error);
}

gboolean
reel_transform_changes_reads (ReelTransform *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), FALSE);

  return REEL_TRANSFORM_GET_CLASS (self)->changes_reads (self);
}

gboolean
reel_transform_changes_writes (ReelTransform *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), FALSE);

  return REEL_TRANSFORM_GET_CLASS (self)->changes_writes (self);
}

gboolean
reel_transform_wants_rows (ReelTransform *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), FALSE);

  return REEL_TRANSFORM_GET_CLASS (self)->wants_rows (self);
}

gint64
reel_transform_get_demand (ReelTransform *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), 1);

  return REEL_TRANSFORM_GET_CLASS (self)->get_demand (self);
}

ReelSpec *
reel_transform_env_spec (ReelTransform *self, const ReelSpec *spec, GError **error)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), NULL);
  g_return_val_if_fail (spec && reel_spec_is_composite (spec), NULL);

  return REEL_TRANSFORM_GET_CLASS (self)->env_spec (self, spec, error);
}

gboolean
reel_transform_bind (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  return REEL_TRANSFORM_GET_CLASS (self)->bind (self, plan, error);
}

gboolean
reel_transform_bind_inverse (ReelTransform *self, ReelLanePlan *plan, GError **error)
{
  return REEL_TRANSFORM_GET_CLASS (self)->bind_inverse (self, plan, error);
}

void
reel_transform_empty (ReelTransform *self)
{
  g_return_if_fail (REEL_IS_TRANSFORM (self));

  REEL_TRANSFORM_GET_CLASS (self)->empty (self);
}

ReelTransform *
reel_transform_clone (ReelTransform *self, GError **error)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), NULL);

  return REEL_TRANSFORM_GET_CLASS (self)->clone (self, error);
}

GObject *
reel_transform_get_parent (ReelTransform *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), NULL);

  return get_private (self)->parent;
}

gboolean
reel_transform_set_parent (ReelTransform *self, GObject *parent, GError **error)
{
  ReelTransformPrivate *private = get_private (self);

  if (parent && private->parent)
    {
      g_autofree char *text = reel_object_to_text (REEL_OBJECT (self));

      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "parent of transform %s already set: clone it to get a similar transform "
                   "without a parent",
                   text);
      return FALSE;
    }
  private->parent = parent;
  return TRUE;
}

char *
reel_transform_to_string (ReelTransform *self)
{
  g_return_val_if_fail (REEL_IS_TRANSFORM (self), NULL);

  return REEL_TRANSFORM_GET_CLASS (self)->to_string (self);
}
