/* Values of several keys in a new dimension of one; the inverse takes one apart. */
#include "join.h"
#include "lane-join.h"

#include "../core/tensor/tensor-private.h"
#include "../core/tensordict/shape.h"
#include "../core/tensordict/tensordict-keys.h"
#include "../specs/kinds/bounded-spec.h"
#include "../specs/spec-keys.h"
#include "../specs/spec-stack.h"

#include <string.h>

struct _ReelStackTransform
{
  ReelTransform parent_instance;

  char *out_key;
  char *in_key_inv;
  GStrv out_keys_inv;
  gint64 dim;
  gboolean del_keys;
};

G_DECLARE_FINAL_TYPE (ReelStackTransform, reel_stack_transform, REEL, STACK_TRANSFORM,
                      ReelTransform)
G_DEFINE_FINAL_TYPE (ReelStackTransform, reel_stack_transform, REEL_TYPE_TRANSFORM)

/* check_dim: the place of the new dimension among @ndim, of which @n_batch are those of the batch,
 * which stay the first; −1 where it would not. */
static gint
check_dim (ReelStackTransform *self, const char *key, gint ndim, gint n_batch, GError **error)
{
  gint64 dim = self->dim + ndim + 1;

  if (dim >= n_batch && ndim < REEL_MAX_NDIM)
    return (gint) dim;
  g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
               "\"%s\" has %d dimensions of its own, so it cannot be stacked in dimension "
               "%" G_GINT64_FORMAT,
               key, ndim - n_batch, self->dim);
  return -1;
}

/* ---- data ---- */

static gint
get_n_batch (const ReelTensordict *td)
{
  gint ndim;

  reel_tensordict_get_batch_size (td, &ndim);
  return ndim;
}

static gboolean
stack_tensors (ReelStackTransform *self, ReelTensordict *td, const char *const *keys,
               GError **error)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_autoptr (ReelTensor) stacked = NULL;
  gint dim = 0;

  for (gsize i = 0; keys[i]; i++)
    {
      g_autoptr (ReelTensor) value = reel_tensordict_ref_tensor (td, keys[i], error);

      if (!value)
        return FALSE;
      dim = check_dim (self, keys[i], value->ndim, get_n_batch (td), error);
      if (dim < 0)
        return FALSE;
      g_ptr_array_add (values, reel_tensor_unsqueeze (value, dim, NULL));
    }
  stacked = reel_join_values (values, dim, error);
  return stacked && reel_tensordict_set_tensor (td, self->out_key, stacked, error);
}

static gboolean
stack_tensordicts (ReelStackTransform *self, ReelTensordict *td, const char *const *keys,
                   GError **error)
{
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
  g_autoptr (ReelTensordict) stacked = NULL;
  gint dim = 0;

  for (gsize i = 0; keys[i]; i++)
    {
      ReelTensordict *value = reel_tensordict_get_tensordict (td, keys[i], error);

      if (!value)
        return FALSE;
      dim = check_dim (self, keys[i], get_n_batch (value), get_n_batch (td), error);
      if (dim < 0)
        return FALSE;
      g_ptr_array_add (values, reel_tensordict_ref (value));
    }
  stacked =
      reel_tensordict_stack ((ReelTensordict *const *) values->pdata, values->len, dim, error);
  return stacked && reel_tensordict_set_tensordict (td, self->out_key, stacked, error);
}

/* drop_parents: removes what is above @key and has become empty. */
static gboolean
drop_parents (ReelTensordict *td, const char *key, GError **error)
{
  g_autofree char *parent = g_strdup (key);

  for (char *slash; (slash = strrchr (parent, '/'));)
    {
      const ReelTensordict *above;
      g_auto (GStrv) left = NULL;

      *slash = '\0';
      if (!reel_tensordict_contains (td, parent))
        continue;
      above = reel_tensordict_get_tensordict (td, parent, error);
      if (!above)
        return FALSE;
      left = reel_tensordict_list_keys (above, 0);
      if (*left)
        return TRUE;
      if (!reel_tensordict_remove (td, parent, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
drop_sources (ReelStackTransform *self, ReelTensordict *td, const char *const *keys, GError **error)
{
  if (!self->del_keys)
    return TRUE;
  if (!reel_join_drop (td, keys, self->out_key, error))
    return FALSE;
  for (; *keys; keys++)
    if (!drop_parents (td, *keys, error))
      return FALSE;
  return TRUE;
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelStackTransform *self = REEL_STACK_TRANSFORM (transform);
  const char *const *keys = reel_transform_get_in_keys (transform);
  gboolean deep;

  if (!reel_join_check_keys (td, keys, error))
    return NULL;
  deep = reel_tensordict_get_tensordict (td, keys[0], NULL) != NULL;
  if (!(deep ? stack_tensordicts : stack_tensors) (self, td, keys, error)
      || !drop_sources (self, td, keys, error))
    return NULL;
  return reel_tensordict_ref (td);
}

/* ---- data, the other way ---- */

static gboolean
check_count (ReelStackTransform *self, gint64 n, GError **error)
{
  guint n_keys = g_strv_length (self->out_keys_inv);

  if (n == n_keys)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" is a stack of %" G_GINT64_FORMAT " values, and there are %u out-keys-inv",
               self->in_key_inv, n, n_keys);
  return FALSE;
}

static gboolean
unstack_tensor (ReelStackTransform *self, ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensor) whole = reel_tensordict_ref_tensor (td, self->in_key_inv, error);
  gint dim =
      whole ? check_dim (self, self->in_key_inv, whole->ndim - 1, get_n_batch (td), error) : -1;

  if (dim < 0 || !check_count (self, whole->shape[dim], error))
    return FALSE;
  for (gint64 i = 0; self->out_keys_inv[i]; i++)
    {
      g_autoptr (ReelTensor) one = reel_tensor_select (whole, dim, i, error);

      if (!one || !reel_tensordict_set_tensor (td, self->out_keys_inv[i], one, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
unstack_tensordict (ReelStackTransform *self, ReelTensordict *td, ReelTensordict *whole,
                    GError **error)
{
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (whole, &ndim);
  gint dim = check_dim (self, self->in_key_inv, ndim - 1, get_n_batch (td), error);

  if (dim < 0 || !check_count (self, size[dim], error))
    return FALSE;
  for (gint64 i = 0; self->out_keys_inv[i]; i++)
    {
      g_autoptr (ReelTensordict) one = reel_tensordict_select_index (whole, dim, i, error);

      if (!one || !reel_tensordict_set_tensordict (td, self->out_keys_inv[i], one, error))
        return FALSE;
    }
  return TRUE;
}

/* As TorchRL's, it leaves data without the key alone. */
static gboolean
inverse (ReelTransform *transform, ReelTensordict *td, ReelTensordict **result, GError **error)
{
  ReelStackTransform *self = REEL_STACK_TRANSFORM (transform);
  g_autoptr (ReelTensordict) whole = NULL;

  if (self->in_key_inv && reel_tensordict_contains (td, self->in_key_inv))
    {
      ReelTensordict *deep = reel_tensordict_get_tensordict (td, self->in_key_inv, NULL);

      whole = deep ? reel_tensordict_ref (deep) : NULL;
      if (!(whole ? unstack_tensordict (self, td, whole, error) : unstack_tensor (self, td, error))
          || !reel_tensordict_remove (td, self->in_key_inv, error))
        return FALSE;
    }
  *result = reel_tensordict_ref (td);
  return TRUE;
}

/* ---- specs ---- */

static gint
get_part_ndim (const ReelSpec *spec, const char *part)
{
  gint ndim;

  reel_spec_get_shape (reel_spec_get (spec, part, NULL), &ndim);
  return ndim;
}

/* Bounds of stacked values, which are those of each. */
static ReelTensor *
stack_bounds (const GPtrArray *specs, gint which, gint dim, GError **error)
{
  g_autoptr (GPtrArray) bounds =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  for (guint i = 0; i < specs->len; i++)
    {
      const ReelSpec *spec = specs->pdata[i];

      g_ptr_array_add (bounds, reel_tensor_unsqueeze (spec->parameters[which], dim, NULL));
    }
  return reel_join_values (bounds, dim, error);
}

static gboolean
are_bounded (const GPtrArray *specs)
{
  for (guint i = 0; i < specs->len; i++)
    if (((const ReelSpec *) specs->pdata[i])->kind != &reel_bounded_spec_kind)
      return FALSE;
  return TRUE;
}

/* Specs of one shape that are not equal. Boxes keep their bounds; of observations there may be any
 * other kinds, which have no bounds in common. */
static ReelSpec *
stack_different (const GPtrArray *specs, gint dim, gboolean are_actions, GError **error)
{
  const ReelSpec *first = specs->pdata[0];
  ReelDtype dtype = reel_spec_get_dtype (first);
  gint64 stacked[REEL_MAX_NDIM];
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (first, &ndim);
  g_autoptr (ReelTensor) low = NULL, high = NULL;

  for (gint i = 0; i <= ndim; i++)
    stacked[i] = i == dim ? specs->len : shape[i - (i > dim)];
  for (guint i = 1; i < specs->len; i++)
    if (!reel_dtype_promote (dtype, reel_spec_get_dtype (specs->pdata[i]), &dtype, error))
      return NULL;
  if (!are_bounded (specs))
    {
      if (!are_actions)
        return reel_unbounded_spec_new (dtype, ndim + 1, stacked, error);
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                           "actions that are stacked need equal specs, or boxes");
      return NULL;
    }
  low = stack_bounds (specs, REEL_SPEC_LOW, dim, error);
  high = low ? stack_bounds (specs, REEL_SPEC_HIGH, dim, error) : NULL;
  return high ? reel_bounded_spec_new_from_tensors (low, high, dtype, ndim + 1, stacked, error)
              : NULL;
}

static gboolean
check_alike (const char *const *keys, const GPtrArray *specs, gboolean *equal, GError **error)
{
  gint ndim, n;
  const gint64 *shape = reel_spec_get_shape (specs->pdata[0], &ndim);

  *equal = TRUE;
  for (guint i = 0; i < specs->len; i++)
    {
      const ReelSpec *spec = specs->pdata[i];
      const gint64 *other = reel_spec_get_shape (spec, &n);
      g_autofree char *a = NULL, *b = NULL;

      if (reel_spec_is_composite (spec))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "\"%s\" has keys below it: in an environment single values are stacked, "
                       "so name those",
                       keys[i]);
          return FALSE;
        }
      *equal = *equal && reel_spec_equal (specs->pdata[0], spec);
      if (n == ndim && memcmp (shape, other, (gsize) n * sizeof *shape) == 0)
        continue;
      a = reel_shape_to_string (ndim, shape);
      b = reel_shape_to_string (n, other);
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "stack expects values of one shape, but \"%s\" is %s and \"%s\" %s", keys[0], a,
                   keys[i], b);
      return FALSE;
    }
  return TRUE;
}

static ReelSpec *
stack_specs (ReelStackTransform *self, const ReelSpec *spec, const char *part,
             const char *const *keys, gboolean are_actions, GError **error)
{
  g_autoptr (GPtrArray) specs = g_ptr_array_new ();
  gboolean equal;
  gint ndim, dim;

  for (gsize i = 0; keys[i]; i++)
    {
      const ReelSpec *leaf = reel_spec_get_in_part (spec, part, keys[i]);

      if (!leaf)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                       "\"%s\" is not in the part of the specs that has \"%s\"", keys[i], keys[0]);
          return NULL;
        }
      g_ptr_array_add (specs, (gpointer) leaf);
    }
  if (!check_alike (keys, specs, &equal, error))
    return NULL;
  reel_spec_get_shape (specs->pdata[0], &ndim);
  dim = check_dim (self, keys[0], ndim, get_part_ndim (spec, part), error);
  if (dim < 0)
    return NULL;
  return equal ? reel_spec_stack ((ReelSpec *const *) specs->pdata, specs->len, dim, error)
               : stack_different (specs, dim, are_actions, error);
}

/* drop_specs: removes @keys, and what is above them and has become empty. */
static gboolean
drop_specs (ReelSpec **spec, const char *part, const char *const *keys, GError **error)
{
  for (; *keys; keys++)
    {
      g_autofree char *parent = g_strdup (*keys);

      if (!reel_spec_set_in_part (spec, part, *keys, NULL, error))
        return FALSE;
      for (char *slash; (slash = strrchr (parent, '/'));)
        {
          g_auto (GStrv) left = NULL;

          *slash = '\0';
          left = reel_spec_list_keys (reel_spec_get_in_part (*spec, part, parent),
                                      REEL_SPEC_KEYS_NESTED);
          if (*left)
            break;
          if (!reel_spec_set_in_part (spec, part, parent, NULL, error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
change_part (ReelStackTransform *self, ReelSpec **spec, const char *part, const char *const *keys,
             const char *out, gboolean inverse, GError **error)
{
  g_autoptr (ReelSpec) stacked = stack_specs (self, *spec, part, keys, inverse, error);

  return stacked && (!(inverse || self->del_keys) || drop_specs (spec, part, keys, error))
         && reel_spec_set_in_part (spec, part, out, stacked, error);
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelStackTransform *self = REEL_STACK_TRANSFORM (transform);
  const char *const *keys = reel_transform_get_in_keys (transform);
  const char *const *actions = reel_transform_get_in_keys_inv (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  g_autofree char *part = reel_spec_find_part (spec, REEL_SPEC_OUTPUT, keys[0]);
  g_autofree char *input = NULL;

  if (!part)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "\"%s\" is not in the env's output specs",
                   keys[0]);
      return NULL;
    }
  if (!change_part (self, &changed, part, keys, self->out_key, FALSE, error))
    return NULL;
  for (gsize i = 0; actions[i] && !input; i++)
    input = reel_spec_find_part (spec, REEL_SPEC_INPUT, actions[i]);
  if (input && !change_part (self, &changed, input, actions, self->in_key_inv, TRUE, error))
    return NULL;
  return g_steal_pointer (&changed);
}

/* ---- in an env ---- */

/* The form of the stack of @n leaves as the first one, whose other dimensions were compared. */
static gboolean
measure (ReelStackTransform *self, const ReelLanePlan *plan, const guint *from,
         const char *const *keys, ReelLaneLeaf *result, gsize *n_pieces, GError **error)
{
  guint n = g_strv_length ((char **) keys);
  ReelLaneLeaf first = *reel_lane_plan_get_leaf (plan, from[0]);
  gint dim = check_dim (self, keys[0], first.ndim, 0, error);

  if (dim < 0)
    return FALSE;
  *result = first;
  result->ndim++;
  *n_pieces = 1;
  for (gint i = 0; i < result->ndim; i++)
    {
      result->shape[i] = i == dim ? n : first.shape[i - (i > dim)];
      *n_pieces *= i < dim ? (gsize) first.shape[i] : 1;
    }
  for (guint i = 0; i < n; i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (plan, from[i]);

      if (leaf->role != first.role)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "\"%s\" and \"%s\" of the env have values at different times", keys[0],
                       keys[i]);
          return FALSE;
        }
      if (!reel_dtype_promote (result->dtype, leaf->dtype, &result->dtype, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelStackTransform *self = REEL_STACK_TRANSFORM (transform);
  const char *const *keys = reel_transform_get_in_keys (transform);
  g_autofree guint *from = reel_lane_plan_require_all (plan, keys, error);
  ReelLaneLeaf result;
  gsize n_pieces;
  guint to;

  if (!from || !measure (self, plan, from, keys, &result, &n_pieces, error))
    return FALSE;
  for (gsize i = 0; self->del_keys && keys[i]; i++)
    reel_lane_plan_rename (plan, from[i], NULL);
  to = reel_lane_plan_define (plan, self->out_key, result.role, result.dtype, result.ndim,
                              result.shape);
  return reel_lane_plan_add_join (plan, from, g_strv_length ((char **) keys), to, n_pieces, error);
}

static gboolean
bind_inverse (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelStackTransform *self = REEL_STACK_TRANSFORM (transform);
  const char *const *keys = reel_transform_get_in_keys_inv (transform);
  gint from = *keys ? reel_lane_plan_find (plan, self->in_key_inv) : -1;
  guint n = g_strv_length ((char **) keys);
  g_autofree guint *to = g_new (guint, n + 1);
  ReelLaneLeaf whole, one;
  gsize n_pieces = 1;
  gint dim;

  if (from < 0)
    return TRUE; /* the specs have none of these actions */
  one = whole = *reel_lane_plan_get_leaf (plan, (guint) from);
  one.ndim--;
  dim = check_dim (self, self->in_key_inv, one.ndim, 0, error);
  if (dim < 0 || !check_count (self, whole.shape[dim], error))
    return FALSE;
  for (gint i = 0; i < one.ndim; i++)
    {
      one.shape[i] = whole.shape[i + (i >= dim)];
      n_pieces *= i < dim ? (gsize) one.shape[i] : 1;
    }
  reel_lane_plan_rename (plan, (guint) from, NULL);
  for (guint i = 0; i < n; i++)
    to[i] = reel_lane_plan_define (plan, keys[i], whole.role, whole.dtype, one.ndim, one.shape);
  return reel_lane_plan_add_split (plan, (guint) from, to, n, n_pieces, error);
}

/* ---- the class ---- */

static char *
to_string (ReelTransform *transform)
{
  ReelStackTransform *self = REEL_STACK_TRANSFORM (transform);
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "Stack(in_keys=%s, out_key=", keys);
  reel_key_append_repr (text, self->out_key, TRUE);
  g_string_append_printf (text, ", dim=%" G_GINT64_FORMAT ")", self->dim);
  return g_string_free (text, FALSE);
}

static gboolean
check (ReelStackTransform *self, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (REEL_TRANSFORM (self));

  if (!*keys || !self->out_key)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "stack needs to know which keys: stack:in-keys=[a,b],out-key=c");
  else if (g_strv_contains (keys, self->out_key))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "stack: out-key \"%s\" cannot be one of the in-keys", self->out_key);
  else if (self->dim >= 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "stack: dim is %" G_GINT64_FORMAT ": count dimensions from the end, −1 for the "
                 "last, which is right for any batch",
                 self->dim);
  else if (!self->in_key_inv != !self->out_keys_inv)
    g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                         "stack needs both in-key-inv and out-keys-inv, not one of them");
  else if (self->in_key_inv
           && g_strv_contains ((const char *const *) self->out_keys_inv, self->in_key_inv))
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "stack: in-key-inv \"%s\" cannot be one of the out-keys-inv", self->in_key_inv);
  else
    return TRUE;
  return FALSE;
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelStackTransform *self = REEL_STACK_TRANSFORM (object);
  ReelTransform *transform = REEL_TRANSFORM (object);
  const char *const out[] = { self->out_key, self->in_key_inv, NULL };

  if (!check (self, error)
      || !REEL_OBJECT_CLASS (reel_stack_transform_parent_class)->build (object, error)
      || !reel_key_check_all (out, error)
      || !reel_key_check_all ((const char *const *) self->out_keys_inv, error))
    return FALSE;
  g_auto (GStrv) keys = g_strdupv ((char **) reel_transform_get_in_keys (transform));
  reel_transform_set_keys (transform, (const char *const *) keys,
                           (const char *const[]){ self->out_key, NULL });
  if (self->in_key_inv)
    reel_transform_set_inverse_keys (transform, (const char *const *) self->out_keys_inv,
                                     (const char *const[]){ self->in_key_inv, NULL });
  return TRUE;
}

static void
add_properties (ReelObjectClass *klass)
{
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  reel_object_class_add_string (klass, "out-key", G_STRUCT_OFFSET (ReelStackTransform, out_key),
                                NULL, "key of the stack; to be given", fixed);
  reel_object_class_add_int64 (klass, "dim", G_STRUCT_OFFSET (ReelStackTransform, dim),
                               -REEL_MAX_NDIM, REEL_MAX_NDIM, -1, NULL,
                               "the new dimension, counted from the end of the stack", fixed);
  reel_object_class_add_bool (klass, "del-keys", G_STRUCT_OFFSET (ReelStackTransform, del_keys),
                              TRUE, "whether to remove the stacked keys", fixed);
  reel_object_class_add_string (klass, "in-key-inv",
                                G_STRUCT_OFFSET (ReelStackTransform, in_key_inv), NULL,
                                "key of a stack that the inverse takes apart", fixed);
  reel_object_class_add_words (klass, "out-keys-inv",
                               G_STRUCT_OFFSET (ReelStackTransform, out_keys_inv),
                               "keys of its values, such as the actions of an env", fixed);
}

static void
reel_stack_transform_class_init (ReelStackTransformClass *klass)
{
  static const ReelId ids[] = {
    { "stack", NULL, "values of several keys in a new dimension of one" },
    { "Stack", NULL, "values of several keys in a new dimension of one, by TorchRL's name" },
    { NULL },
  };
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_OBJECT_CLASS (klass)->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS);
  add_properties (REEL_OBJECT_CLASS (klass));
  transform_class->peer_name = "Stack";
  transform_class->forward = forward;
  transform_class->inverse = inverse;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->bind_inverse = bind_inverse;
  transform_class->to_string = to_string;
}

static void
reel_stack_transform_init (ReelStackTransform *self)
{
}
