/* Joins the tensors of several keys into one. */
#include "lane-plan.h"
#include "link-kernel.h"
#include "transform-private.h"

#include "../core/tensordict/shape.h"
#include "../core/tensordict/tensordict-keys.h"

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

/* ---- data ---- */

static ReelTensor *
get_value (ReelCatTensors *self, const ReelTensordict *td, const char *key, GError **error)
{
  gint64 at = self->dim > 0 ? self->dim : -self->dim - 1;
  g_autoptr (ReelTensor) value = NULL;

  if (!reel_tensordict_contains (td, key))
    {
      g_auto (GStrv) there = reel_tensordict_list_keys (td, REEL_KEYS_NESTED);
      g_autofree char *expected =
          reel_key_format_list (reel_transform_get_in_keys (REEL_TRANSFORM (self)));
      g_autofree char *found = reel_key_format_list ((const char *const *) there);

      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "CatTensor failed, as it expected input keys = %s but got a TensorDict with "
                   "keys %s",
                   expected, found);
      return NULL;
    }
  value = reel_tensordict_ref_tensor (td, key, error);
  if (!value || !self->unsqueeze_if_oor || at < value->ndim)
    return g_steal_pointer (&value);
  return reel_tensor_unsqueeze (value, self->dim > 0 ? -1 : 0, error);
}

static gboolean
drop_sources (ReelCatTensors *self, ReelTensordict *td, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (REEL_TRANSFORM (self));

  for (; self->del_keys && *keys; keys++)
    if (!g_str_equal (*keys, self->out_key) && reel_tensordict_contains (td, *keys)
        && !reel_tensordict_remove (td, *keys, error))
      return FALSE;
  return TRUE;
}

static ReelTensordict *
forward (ReelTransform *transform, ReelTensordict *td, GError **error)
{
  ReelCatTensors *self = REEL_CAT_TENSORS (transform);
  const char *const *keys = reel_transform_get_in_keys (transform);
  g_autoptr (GPtrArray) values =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_autoptr (ReelTensor) joined = NULL;

  if (!*keys)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "cat-tensors was given no in-keys, and takes them from the specs of an "
                           "environment alone");
      return NULL;
    }
  for (; *keys; keys++)
    {
      ReelTensor *value = get_value (self, td, *keys, error);
      if (!value)
        return NULL;
      g_ptr_array_add (values, value);
    }
  joined =
      reel_tensor_cat ((ReelTensor *const *) values->pdata, values->len, (gint) self->dim, error);
  if (!joined || !reel_tensordict_set_tensor (td, self->out_key, joined, error)
      || !drop_sources (self, td, error))
    return NULL;
  return reel_tensordict_ref (td);
}

/* ---- specs ---- */

/* All observations of one dimension. */
static void
find_keys (ReelCatTensors *self, const ReelSpec *spec)
{
  g_auto (GStrv) keys = reel_spec_list_part (spec, OBSERVATION);
  guint n = 0;

  for (guint i = 0; keys[i]; i++)
    {
      const ReelSpec *leaf = reel_spec_get_in_part (spec, OBSERVATION, keys[i]);
      gint ndim = 0;

      if (leaf)
        reel_spec_get_shape (leaf, &ndim);
      if (ndim == 1)
        keys[n++] = keys[i];
      else
        g_free (keys[i]);
    }
  keys[n] = NULL;
  take_keys (self, keys);
}

/* The joint shape: that of the first, with the extents along the dimension summed up. */
static ReelSpec *
join_specs (ReelCatTensors *self, const ReelSpec *spec, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (REEL_TRANSFORM (self));
  gint64 shape[REEL_MAX_NDIM] = { 0 }, sum = 0;
  ReelDtype dtype = REEL_DTYPE_FLOAT32;
  gint ndim = 0, dim = 0;

  for (gint i = 0; keys[i]; i++)
    {
      const ReelSpec *leaf = reel_spec_get_in_part (spec, OBSERVATION, keys[i]);
      const gint64 *extents;
      gint n;

      if (!leaf || reel_spec_is_composite (leaf))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                       "CatTensor got a list of keys that does not match the keys in "
                       "observation_spec: \"%s\" is not there",
                       keys[i]);
          return NULL;
        }
      extents = reel_spec_get_shape (leaf, &n);
      if (i == 0)
        {
          ndim = MAX (n, 1);
          dim = (gint) (self->dim < 0 ? self->dim + ndim : self->dim);
          dtype = reel_spec_get_dtype (leaf);
          memcpy (shape, extents, sizeof *shape * (gsize) n);
        }
      if (dim < 0 || dim >= MAX (n, 1))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                       "\"%s\" has %d dimensions, so it cannot be joined along dimension %d",
                       keys[i], n, (gint) self->dim);
          return NULL;
        }
      sum = n > 0 && (extents[dim] < 0 || sum < 0) ? -1 : sum + (n > 0 ? extents[dim] : 1);
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

  if (!*reel_transform_get_in_keys (transform))
    find_keys (self, spec);
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

/* A row of the result is made of as many pieces of each source as there are places before the
 * dimension. */
typedef struct
{
  ReelLaneWork work;
  const ReelLinkKernels *kernels;
  guint n;
  guint to;
  guint *from;
  gsize *piece_bytes;  /* by source */
  ReelWordPlan *words; /* NULL where pieces are no short words */
  gsize n_pieces;      /* of each source in a row */
  gsize row_bytes;
} Join;

/* The first pieces, as many as vectors are made of. */
static gsize
join_words (const Join *self, guint8 *const *columns, gsize first, gsize n, guint8 *to)
{
  const guint8 **from = g_newa (const guint8 *, self->n);

  if (self->words == NULL)
    return 0;
  for (guint i = 0; i < self->n; i++)
    from[i] = columns[self->from[i]] + first * self->piece_bytes[i];
  return self->kernels->join_words (self->words, from, to, n);
}

/* Source after source: the pieces of one are one behind the other, in the result they are apart. */
static void
join_rows (const Join *self, guint8 *const *columns, gint64 begin, gint64 end)
{
  gsize first = (gsize) begin * self->n_pieces, n = (gsize) (end - begin) * self->n_pieces;
  gsize stride = self->row_bytes / self->n_pieces;
  gsize done = join_words (self, columns, first, n, columns[self->to] + first * stride);
  guint8 *to;

  first += done;
  n -= done;
  to = columns[self->to] + first * stride;

  for (guint i = 0; i < self->n; i++)
    {
      gsize bytes = self->piece_bytes[i];

      self->kernels->place (columns[self->from[i]] + first * bytes, bytes, to, stride, n);
      to += bytes;
    }
}

static void
join_step (ReelLaneWork *work, guint8 *const *columns, gint64 begin, gint64 end)
{
  join_rows ((const Join *) work, columns, begin, end);
}

static void
join_reset (ReelLaneWork *work, guint8 *const *columns, const gint64 *lanes, gsize n)
{
  const Join *self = (const Join *) work;
  guint8 *to = columns[self->to];

  if (self->n_pieces > 1)
    for (gsize i = 0; i < n; i++)
      join_rows (self, columns, lanes[i], lanes[i] + 1);
  else
    for (guint i = 0; i < self->n; to += self->piece_bytes[i++])
      self->kernels->place_lanes (columns[self->from[i]], self->piece_bytes[i], to, self->row_bytes,
                                  lanes, n);
}

static void
join_free (ReelLaneWork *work)
{
  Join *self = (Join *) work;

  g_free (self->from);
  g_free (self->piece_bytes);
  g_aligned_free (self->words);
  g_free (self);
}

/* check_form: whether @leaf can be joined to the others. */
static gboolean
check_form (ReelCatTensors *self, const ReelLaneLeaf *leaf, const ReelLaneLeaf *first, gint dim,
            GError **error)
{
  gboolean fits = leaf->dtype == first->dtype && leaf->ndim == first->ndim;

  for (gint i = 0; fits && i < leaf->ndim; i++)
    fits = i == dim || leaf->shape[i] == first->shape[i];
  if (!fits)
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "\"%s\" and \"%s\" of the env differ in type or in other dimensions than %d, so "
                 "they cannot be joined",
                 first->path, leaf->path, (gint) self->dim);
  return fits;
}

static gboolean
measure (ReelCatTensors *self, ReelLanePlan *plan, Join *join, gint64 *shape, GError **error)
{
  const char *const *keys = reel_transform_get_in_keys (REEL_TRANSFORM (self));
  const ReelLaneLeaf *first = reel_lane_plan_get_leaf (plan, join->from[0]);
  gint dim = (gint) (self->dim < 0 ? self->dim + first->ndim : self->dim);

  if (dim < 0 || dim >= first->ndim)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "\"%s\" has %d dimensions, so it cannot be joined along dimension %d", keys[0],
                   first->ndim, (gint) self->dim);
      return FALSE;
    }
  memcpy (shape, first->shape, (gsize) first->ndim * sizeof *shape);
  shape[dim] = 0;
  join->n_pieces = 1;
  for (gint i = 0; i < dim; i++)
    join->n_pieces *= MAX ((gsize) first->shape[i], 1);
  for (guint i = 0; i < join->n; i++)
    {
      const ReelLaneLeaf *leaf = reel_lane_plan_get_leaf (plan, join->from[i]);

      if (!check_form (self, leaf, first, dim, error))
        return FALSE;
      shape[dim] += leaf->shape[dim];
      join->piece_bytes[i] = leaf->row_bytes / join->n_pieces;
      join->row_bytes += leaf->row_bytes;
    }
  return TRUE;
}

static gboolean
bind (ReelTransform *transform, ReelLanePlan *plan, GError **error)
{
  ReelCatTensors *self = REEL_CAT_TENSORS (transform);
  const char *const *keys = reel_transform_get_in_keys (transform);
  Join *join = g_new0 (Join, 1);
  gint64 shape[REEL_MAX_NDIM];
  gboolean found = TRUE;
  ReelLaneLeaf first;
  ReelIsa isa;

  join->work = (ReelLaneWork){ .step = join_step, .reset = join_reset, .free = join_free };
  join->n = g_strv_length ((char **) keys);
  join->from = g_new0 (guint, join->n);
  join->piece_bytes = g_new0 (gsize, join->n);
  for (guint i = 0; found && i < join->n; i++)
    {
      gint leaf = reel_lane_plan_require (plan, keys[i], error);

      found = leaf >= 0;
      join->from[i] = (guint) MAX (leaf, 0);
    }
  if (!found || !reel_isa_choose (&isa, error) || !measure (self, plan, join, shape, error))
    {
      join_free (&join->work);
      return FALSE;
    }
  join->kernels = REEL_KERNEL_PICK (reel_link_kernels, isa);
  join->words = join->kernels->plan_words (join->piece_bytes, join->n);
  first = *reel_lane_plan_get_leaf (plan, join->from[0]);
  for (guint i = 0; self->del_keys && i < join->n; i++)
    reel_lane_plan_rename (plan, join->from[i], NULL);
  join->to = reel_lane_plan_define (plan, self->out_key, REEL_LANE_OBSERVATION, first.dtype,
                                    first.ndim, shape);
  return reel_lane_plan_add (plan, &join->work, 0, error);
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
