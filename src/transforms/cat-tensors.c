/* Joins the tensors of several keys into one. */
#include "join.h"
#include "lane-join.h"

#include "../core/tensordict/shape.h"

#include <string.h>

#define OBSERVATION "output_spec/full_observation_spec"

struct _ReelCatTensors
{
  ReelTransform parent_instance;

  char *out_key;
  gint64 dim;
  gboolean del_keys;
  gboolean unsqueeze_if_oor;
  gboolean sort;
};

G_DECLARE_FINAL_TYPE (ReelCatTensors, reel_cat_tensors, REEL, CAT_TENSORS, ReelTransform)
G_DEFINE_FINAL_TYPE (ReelCatTensors, reel_cat_tensors, REEL_TYPE_TRANSFORM)

/* ---- keys ---- */

/* TorchRL compares nested keys as their parts joined by `_-|-_`. */
static gint
compare (gconstpointer a, gconstpointer b)
{
  g_autoptr (GString) left = g_string_new (*(const char *const *) a);
  g_autoptr (GString) right = g_string_new (*(const char *const *) b);

  g_string_replace (left, "/", "_-|-_", 0);
  g_string_replace (right, "/", "_-|-_", 0);
  return strcmp (left->str, right->str);
}

static void
take_keys (ReelCatTensors *self, char **keys)
{
  const char *out[] = { self->out_key, NULL };

  if (self->sort)
    qsort (keys, g_strv_length (keys), sizeof *keys, compare);
  reel_transform_set_keys (REEL_TRANSFORM (self), (const char *const *) keys, out);
}

/* ---- dimensions ---- */

/* A value behind the dimensions of its batch: the place to join along, which may be new. */
typedef struct
{
  gint n_batch;
  gint ndim;
  const gint64 *shape;
} Value;

/* Whether the dimension is out of range, so that the value gets one more. */
static gboolean
is_unsqueezed (ReelCatTensors *self, const Value *value)
{
  if (!self->unsqueeze_if_oor)
    return FALSE;
  return self->dim < 0 ? value->ndim - value->n_batch < -self->dim : value->ndim <= self->dim;
}

/* The shape to join with, and the dimension: behind the batch, which stays. */
static gboolean
find_dim (ReelCatTensors *self, const char *key, const Value *value, gint *ndim, gint64 *shape,
          gint *dim, GError **error)
{
  gint new_dim = self->dim < 0 ? value->n_batch : value->ndim;
  gint added = is_unsqueezed (self, value) ? 1 : 0;

  *ndim = value->ndim + added;
  *dim = (gint) (self->dim < 0 ? self->dim + *ndim : self->dim);
  if (*dim < value->n_batch || *dim >= *ndim || *ndim > REEL_MAX_NDIM)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "\"%s\" has %d dimensions of its own, so it cannot be joined along dimension %d",
                   key, value->ndim - value->n_batch, (gint) self->dim);
      return FALSE;
    }
  for (gint i = 0; i < *ndim; i++)
    shape[i] = added && i == new_dim ? 1 : value->shape[i - (added && i > new_dim)];
  return TRUE;
}

/* ---- data ---- */

static ReelTensor *
get_value (ReelCatTensors *self, const ReelTensordict *td, const char *key, gint *dim,
           GError **error)
{
  g_autoptr (ReelTensor) given = reel_tensordict_ref_tensor (td, key, error);
  gint64 shape[REEL_MAX_NDIM];
  gint ndim;
  Value value;

  if (!given)
    return NULL;
  reel_tensordict_get_batch_size (td, &value.n_batch);
  value.ndim = given->ndim;
  value.shape = given->shape;
  if (!find_dim (self, key, &value, &ndim, shape, dim, error))
    return NULL;
  return ndim == given->ndim
             ? g_steal_pointer (&given)
             : reel_tensor_unsqueeze (given, self->dim < 0 ? value.n_batch : -1, error);
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelCatTensors *self = REEL_CAT_TENSORS (transform);
  const char *const *keys = reel_transform_get_in_keys (transform);
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_autoptr (ReelTensor) joined = NULL;
  gint dim = 0;

  if (!*keys)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_KEY,
                           "cat-tensors was given no in-keys, and takes them from the specs of an "
                           "environment alone");
      return NULL;
    }
  if (!reel_join_check_keys (td, keys, error))
    return NULL;
  for (gsize i = 0; keys[i]; i++)
    {
      ReelTensor *value = get_value (self, td, keys[i], &dim, error);
      if (!value)
        return NULL;
      g_ptr_array_add (values, value);
    }
  joined = reel_join_values (values, dim, error);
  if (!joined || !reel_tensordict_set_tensor (td, self->out_key, joined, error)
      || (self->del_keys && !reel_join_drop (td, keys, self->out_key, error)))
    return NULL;
  return reel_tensordict_ref (td);
}

/* ---- specs ---- */

static gint
get_n_batch (const ReelSpec *spec)
{
  gint ndim;

  reel_spec_get_shape (reel_spec_get (spec, OBSERVATION, NULL), &ndim);
  return ndim;
}

/* All observations of one dimension. */
static gboolean
find_keys (ReelCatTensors *self, const ReelSpec *spec, GError **error)
{
  g_auto (GStrv) keys = reel_spec_list_part (spec, OBSERVATION);
  guint n = 0;

  for (guint i = 0; keys[i]; i++)
    {
      const ReelSpec *leaf = reel_spec_get_in_part (spec, OBSERVATION, keys[i]);
      gint ndim = 0;

      if (leaf)
        reel_spec_get_shape (leaf, &ndim);
      if (leaf && ndim == get_n_batch (spec) + 1)
        keys[n++] = keys[i];
      else
        g_free (keys[i]);
    }
  keys[n] = NULL;
  take_keys (self, keys);
  if (n > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_KEY,
                       "cat-tensors was given no in-keys, and the environment has no observation "
                       "of one dimension");
  return FALSE;
}

static const ReelSpec *
get_leaf (const ReelSpec *spec, const char *key, GError **error)
{
  const ReelSpec *leaf = reel_spec_get_in_part (spec, OBSERVATION, key);

  if (leaf && !reel_spec_is_composite (leaf))
    return leaf;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "CatTensor got a list of keys that does not match the keys in observation_spec: "
               "\"%s\" is not there",
               key);
  return NULL;
}

/* The joint shape: that of the first, with the extents along the dimension summed up. */
static ReelSpec *
join_specs (ReelCatTensors *self, const ReelSpec *spec, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (REEL_TRANSFORM (self));
  gint64 shape[REEL_MAX_NDIM] = { 0 }, extents[REEL_MAX_NDIM], sum = 0;
  ReelDtype dtype = REEL_DTYPE_BOOL;
  gint ndim = 0, n, dim = 0;

  for (gint i = 0; keys[i]; i++)
    {
      const ReelSpec *leaf = get_leaf (spec, keys[i], error);
      Value value = { .n_batch = get_n_batch (spec) };

      if (!leaf)
        return NULL;
      value.shape = reel_spec_get_shape (leaf, &value.ndim);
      if (!find_dim (self, keys[i], &value, &n, extents, &dim, error)
          || !reel_dtype_promote (i == 0 ? reel_spec_get_dtype (leaf) : dtype,
                                  reel_spec_get_dtype (leaf), &dtype, error))
        return NULL;
      if (i == 0)
        memcpy (shape, extents, sizeof *shape * (gsize) (ndim = n));
      sum = extents[dim] < 0 || sum < 0 ? -1 : sum + extents[dim];
    }
  shape[dim] = sum;
  return reel_unbounded_spec_new (dtype, ndim, shape, error);
}

static ReelSpec *
env_spec (ReelTransform *transform, const ReelSpec *spec, GError **error)
{
  ReelCatTensors *self = REEL_CAT_TENSORS (transform);
  g_autoptr (ReelSpec) changed = reel_spec_ref (spec);
  g_autoptr (ReelSpec) joined = NULL;
  const char *const *keys;

  if (!*reel_transform_get_in_keys (transform) && !find_keys (self, spec, error))
    return NULL;
  keys = reel_transform_get_in_keys (transform);
  joined = join_specs (self, spec, error);
  if (!joined || !reel_spec_set_in_part (&changed, OBSERVATION, self->out_key, joined, error))
    return NULL;
  for (; self->del_keys && *keys; keys++)
    if (!g_str_equal (*keys, self->out_key)
        && !reel_spec_set_in_part (&changed, OBSERVATION, *keys, NULL, error))
      return NULL;
  return g_steal_pointer (&changed);
}

/* ---- in an env ---- */

/* check_form: whether rows of @key can be joined to those of @first. */
static gboolean
check_form (const char *first, gint n_first, const gint64 *first_shape, const char *key, gint n,
            const gint64 *shape, gint dim, GError **error)
{
  gboolean fits = n == n_first;

  for (gint i = 0; fits && i < n; i++)
    fits = i == dim || shape[i] == first_shape[i];
  if (!fits)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "\"%s\" and \"%s\" of the env differ in other dimensions than %d, so they cannot "
                 "be joined",
                 first, key, dim - n);
  return fits;
}

/* measure: the form of the result. */
static gboolean
measure (ReelCatTensors *self, const ReelLanePlan *plan, const guint *from, ReelLaneLeaf *result,
         gint *dim, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (REEL_TRANSFORM (self));
  gint64 shape[REEL_MAX_NDIM], sum = 0;
  gint n;

  for (gsize i = 0; keys[i]; i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (plan, from[i]);
      const Value value = { 0, leaf->ndim, leaf->shape };

      if (!find_dim (self, keys[i], &value, &n, shape, dim, error)
          || (i > 0
              && !check_form (keys[0], result->ndim, result->shape, keys[i], n, shape, *dim, error))
          || !reel_dtype_promote (i == 0 ? leaf->dtype : result->dtype, leaf->dtype, &result->dtype,
                                  error))
        return FALSE;
      if (i == 0)
        memcpy (result->shape, shape, sizeof *shape * (gsize) (result->ndim = n));
      sum += shape[*dim];
    }
  result->shape[*dim] = sum;
  return TRUE;
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelCatTensors *self = REEL_CAT_TENSORS (transform);
  const char *const *keys = reel_transform_get_in_keys (transform);
  g_autofree guint *from = reel_lane_plan_require_all (plan, keys, error);
  ReelLaneLeaf result;
  gsize n_pieces = 1;
  gint dim = 0;
  guint to;

  if (!from || !measure (self, plan, from, &result, &dim, error))
    return FALSE;
  for (gint i = 0; i < dim; i++)
    n_pieces *= (gsize) result.shape[i];
  for (gsize i = 0; self->del_keys && keys[i]; i++)
    reel_lane_plan_rename (plan, from[i], NULL);
  to = reel_lane_plan_define (plan, self->out_key, REEL_LANE_OBSERVATION, result.dtype, result.ndim,
                              result.shape);
  return reel_lane_plan_add_join (plan, from, g_strv_length ((char **) keys), to, n_pieces, error);
}

/* ---- the class ---- */

static char *
to_string (ReelTransform *transform)
{
  ReelCatTensors *self = REEL_CAT_TENSORS (transform);
  g_autofree char *keys = reel_key_format_list (reel_transform_get_in_keys (transform));
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "CatTensors(in_keys=%s, out_key=", keys);
  reel_key_append_repr (text, self->out_key, TRUE);
  g_string_append_c (text, ')');
  return g_string_free (text, FALSE);
}

static gboolean
build (ReelObject *object, GError **error)
{
  ReelCatTensors *self = REEL_CAT_TENSORS (object);
  const char *const *given = reel_transform_get_in_keys (REEL_TRANSFORM (self));
  const char *const out[] = { self->out_key, NULL };

  if (!self->out_key)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE, "CatTensors requires an out_key");
      return FALSE;
    }
  if (!*given && self->dim != -1)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_VALUE,
                           "Lazy call to CatTensors is only supported when `dim=-1`.");
      return FALSE;
    }
  if (!REEL_OBJECT_CLASS (reel_cat_tensors_parent_class)->build (object, error)
      || !reel_key_check_all (out, error))
    return FALSE;
  g_auto (GStrv) keys = g_strdupv ((char **) given);
  take_keys (self, keys);
  return TRUE;
}

static void
reel_cat_tensors_class_init (ReelCatTensorsClass *klass)
{
  static const ReelId ids[] = {
    { "cat-tensors", NULL, "joins the tensors of several keys into one" },
    { "CatTensors", NULL, "joins the tensors of several keys into one, by TorchRL's name" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTransformClass *transform_class = REEL_TRANSFORM_CLASS (klass);
  ReelPropertyFlags fixed = REEL_PROPERTY_CONSTRUCT_ONLY;

  object_class->ids = ids;
  object_class->build = build;
  reel_transform_class_add_keys (transform_class, REEL_TRANSFORM_IN_KEYS);
  reel_object_class_add_string (object_class, "out-key", G_STRUCT_OFFSET (ReelCatTensors, out_key),
                                "observation_vector", "key of the result", fixed);
  reel_object_class_add_int64 (object_class, "dim", G_STRUCT_OFFSET (ReelCatTensors, dim),
                               -REEL_MAX_NDIM, REEL_MAX_NDIM - 1, -1, NULL,
                               "the dimension to join along; negative counts from the end", fixed);
  reel_object_class_add_bool (object_class, "del-keys", G_STRUCT_OFFSET (ReelCatTensors, del_keys),
                              TRUE, "whether to remove the joined keys", fixed);
  reel_object_class_add_bool (
      object_class, "unsqueeze-if-oor", G_STRUCT_OFFSET (ReelCatTensors, unsqueeze_if_oor), FALSE,
      "whether values without that dimension get one, in front, or behind for a dim over 0", fixed);
  reel_object_class_add_bool (object_class, "sort", G_STRUCT_OFFSET (ReelCatTensors, sort), TRUE,
                              "whether in the order of the keys, not as given", fixed);
  transform_class->peer_name = "CatTensors";
  transform_class->forward = forward;
  transform_class->env_spec = env_spec;
  transform_class->bind = bind;
  transform_class->to_string = to_string;
}

static void
reel_cat_tensors_init (ReelCatTensors *self)
{
}
