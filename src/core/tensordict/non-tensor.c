#include "non-tensor-private.h"

#include "../tensor/tensor-private.h"
#include "variant.h"

#include <stdatomic.h>
#include <string.h>

struct _ReelNonTensor
{
  atomic_int ref_count;
  GPtrArray *values; /* None, then the different values: the value of i is at i + 1 */
  ReelTensor *which; /* expanded from one element where single */
  gboolean single;
  gboolean meta; /* a single one, or what several were merged of */
  gint64 only;   /* where single, what all elements have; also of those without elements */
};

G_DEFINE_BOXED_TYPE (ReelNonTensor, reel_non_tensor, reel_non_tensor_ref, reel_non_tensor_unref)

/* ---- elements ---- */

/* To the next index in row-major order. */
static void
advance (gint ndim, const gint64 *shape, gint64 *index)
{
  for (gint i = ndim - 1; i >= 0; i--)
    {
      if (++index[i] < shape[i])
        return;
      index[i] = 0;
    }
}

static gint64
which_at (const ReelTensor *which, const gint64 *index)
{
  return *(gint64 *) reel_tensor_element (which, index);
}

static gboolean
is_expanded (const ReelTensor *tensor)
{
  for (gint i = 0; i < tensor->ndim; i++)
    if (tensor->strides[i] != 0)
      return FALSE;
  return TRUE;
}

static gboolean
all_are (const ReelTensor *which, gint64 value)
{
  gint64 n = is_expanded (which) ? MIN (reel_tensor_numel (which), 1) : reel_tensor_numel (which);
  gint64 index[REEL_MAX_NDIM] = { 0 };

  for (gint64 i = 0; i < n; i++, advance (which->ndim, which->shape, index))
    if (which_at (which, index) != value)
      return FALSE;
  return TRUE;
}

/* ---- values ---- */

static guint
hash_value (gconstpointer value)
{
  g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes ((GVariant *) value);

  return g_bytes_hash (bytes) ^ g_str_hash (g_variant_get_type_string ((GVariant *) value));
}

/* Collects different values, each with its place. */
typedef struct
{
  GPtrArray *values;
  GHashTable *places;
} Collection;

static void
collection_init (Collection *collection)
{
  collection->values = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  collection->places = g_hash_table_new (hash_value, g_variant_equal);
  g_ptr_array_add (collection->values, reel_variant_new_none ());
}

static void
collection_clear (Collection *collection)
{
  g_clear_pointer (&collection->values, g_ptr_array_unref);
  g_clear_pointer (&collection->places, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Collection, collection_clear)

/* Where @value is, or now is: −1 for None. */
static gint64
collect (Collection *collection, GVariant *value)
{
  gpointer place;

  if (reel_variant_is_none (value))
    return -1;
  if (g_hash_table_lookup_extended (collection->places, value, NULL, &place))
    return GPOINTER_TO_SIZE (place);
  gsize i = collection->values->len - 1;
  g_ptr_array_add (collection->values, g_variant_ref (value));
  g_hash_table_insert (collection->places, value, GSIZE_TO_POINTER (i));
  return (gint64) i;
}

/* As collect(), of a value in any form; −2 when it is none that can be kept. */
static gint64
collect_any (Collection *collection, GVariant *value, GError **error)
{
  g_autoptr (GVariant) canonical = reel_variant_canonical (value, error);

  return canonical ? collect (collection, canonical) : -2;
}

/* ---- life ---- */

static ReelNonTensor *
new_stack (GPtrArray *values, ReelTensor *which)
{
  ReelNonTensor *non_tensor = g_new0 (ReelNonTensor, 1);

  non_tensor->ref_count = 1;
  non_tensor->values = g_ptr_array_ref (values);
  non_tensor->which = reel_tensor_ref (which);
  return non_tensor;
}

static ReelNonTensor *
new_single (GPtrArray *values, gint64 only, gboolean meta, gint ndim, const gint64 *batch_size,
            GError **error)
{
  g_autoptr (ReelTensor) one = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, error);

  if (!one || !reel_shape_check (ndim, batch_size, 1, error))
    return NULL;
  *(gint64 *) one->data = only;
  g_autoptr (ReelTensor) which = reel_tensor_expand (one, ndim, batch_size, error);
  if (!which)
    return NULL;
  ReelNonTensor *non_tensor = new_stack (values, which);
  non_tensor->single = TRUE;
  non_tensor->meta = meta;
  non_tensor->only = only;
  return non_tensor;
}

static ReelNonTensor *
new_value (GVariant *value, gboolean meta, gint ndim, const gint64 *batch_size, GError **error)
{
  g_auto (Collection) collection;

  collection_init (&collection);
  gint64 only = collect_any (&collection, value, error);
  return only < -1 ? NULL : new_single (collection.values, only, meta, ndim, batch_size, error);
}

ReelNonTensor *
reel_non_tensor_new (GVariant *value, gint ndim, const gint64 *batch_size, GError **error)
{
  return new_value (value, FALSE, ndim, batch_size, error);
}

ReelNonTensor *
reel_non_tensor_new_meta (GVariant *value, gint ndim, const gint64 *batch_size, GError **error)
{
  return new_value (value, TRUE, ndim, batch_size, error);
}

ReelNonTensor *
reel_non_tensor_ref (ReelNonTensor *non_tensor)
{
  atomic_fetch_add_explicit (&non_tensor->ref_count, 1, memory_order_relaxed);
  return non_tensor;
}

void
reel_non_tensor_unref (ReelNonTensor *non_tensor)
{
  if (atomic_fetch_sub_explicit (&non_tensor->ref_count, 1, memory_order_acq_rel) > 1)
    return;
  g_ptr_array_unref (non_tensor->values);
  reel_tensor_unref (non_tensor->which);
  g_free (non_tensor);
}

/* ---- from which ---- */

/* A copy of @which in which @places[i + 1] stands for i. */
static ReelTensor *
renumber (const ReelTensor *which, const gint64 *places, GError **error)
{
  ReelTensor *result = reel_tensor_clone (which, error);

  for (gint64 i = 0; result && i < reel_tensor_numel (result); i++)
    {
      gint64 *element = (gint64 *) result->data + i;
      *element = places[*element + 1];
    }
  return result;
}

static gboolean
check_which (const ReelTensor *which, gint64 n, GError **error)
{
  gint64 index[REEL_MAX_NDIM] = { 0 };

  if (which->dtype != REEL_DTYPE_INT64)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                   "the numbers of an element's value must be int64, not %s",
                   reel_dtype_name (which->dtype));
      return FALSE;
    }
  for (gint64 i = reel_tensor_numel (which); i > 0; i--, advance (which->ndim, which->shape, index))
    {
      gint64 at = which_at (which, index);
      if (at >= -1 && at < n)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_INDEX,
                   "value %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " does not exist", at, n);
      return FALSE;
    }
  return TRUE;
}

ReelNonTensor *
reel_non_tensor_new_from_which (GVariant *const *values, gint64 n, ReelTensor *which,
                                GError **error)
{
  g_auto (Collection) collection;
  g_autofree gint64 *places = g_new (gint64, n + 1);
  gboolean valid = TRUE;

  collection_init (&collection);
  places[0] = -1;
  for (gint64 i = 0; i < n; i++)
    {
      places[i + 1] = collect_any (&collection, values[i], valid ? error : NULL);
      valid &= places[i + 1] >= -1;
    }
  if (!valid || !check_which (which, n, error))
    return NULL;
  g_autoptr (ReelTensor) own = renumber (which, places, error);
  if (!own)
    return NULL;
  if (is_expanded (which) && reel_tensor_numel (which) > 0)
    return new_single (collection.values, *(gint64 *) own->data, FALSE, which->ndim, which->shape,
                       error);
  return new_stack (collection.values, own);
}

/* ---- from a list ---- */

static gboolean
is_list (GVariant *value)
{
  return g_variant_is_of_type (value, G_VARIANT_TYPE ("av"));
}

static GVariant *
get_item (GVariant *list, gsize i)
{
  g_autoptr (GVariant) boxed = g_variant_get_child_value (list, i);

  return g_variant_get_variant (boxed);
}

/* How many levels of lists have items of one length each. */
static gint
count_levels (GVariant *list)
{
  gsize n = g_variant_n_children (list), length = 0;
  gint below = REEL_MAX_NDIM;

  for (gsize i = 0; i < n && below > 0; i++)
    {
      g_autoptr (GVariant) item = get_item (list, i);
      if (!is_list (item) || g_variant_n_children (item) == 0
          || (i > 0 && g_variant_n_children (item) != length))
        return 1;
      length = g_variant_n_children (item);
      below = MIN (below, count_levels (item));
    }
  return n == 0 ? 1 : below + 1;
}

static void
read_extents (GVariant *list, gint ndim, gint64 *shape)
{
  shape[0] = (gint64) g_variant_n_children (list);
  for (gint i = 1; i < ndim; i++)
    shape[i] = 0;
  if (ndim == 1 || shape[0] == 0)
    return;
  g_autoptr (GVariant) item = get_item (list, 0);
  if (is_list (item))
    read_extents (item, ndim - 1, shape + 1);
}

static gboolean
collect_items (Collection *collection, GVariant *list, gint ndim, const gint64 *shape, gint64 **at,
               GError **error)
{
  if (!is_list (list))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE, "a list is expected where there is a %s",
                   g_variant_get_type_string (list));
      return FALSE;
    }
  if ((gint64) g_variant_n_children (list) != shape[0])
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "lists of one level differ in length: %" G_GINT64_FORMAT " and %" G_GSIZE_FORMAT,
                   shape[0], g_variant_n_children (list));
      return FALSE;
    }
  for (gint64 i = 0; i < shape[0]; i++)
    {
      g_autoptr (GVariant) item = get_item (list, i);
      if (ndim == 1)
        *(*at)++ = collect (collection, item);
      else if (!collect_items (collection, item, ndim - 1, shape + 1, at, error))
        return FALSE;
    }
  return TRUE;
}

ReelNonTensor *
reel_non_tensor_new_from_list (GVariant *list, gint ndim, GError **error)
{
  g_autoptr (GVariant) items = reel_variant_canonical (list, error);
  g_auto (Collection) collection;
  gint64 shape[REEL_MAX_NDIM + 1] = { 0 };

  g_return_val_if_fail (ndim == -1 || (ndim >= 1 && ndim <= REEL_MAX_NDIM), NULL);

  collection_init (&collection);
  if (!items)
    return NULL;
  if (is_list (items))
    {
      ndim = ndim < 0 ? MIN (count_levels (items), REEL_MAX_NDIM) : ndim;
      read_extents (items, ndim, shape);
    }
  g_autoptr (ReelTensor) which = reel_tensor_new (REEL_DTYPE_INT64, ABS (ndim), shape, error);
  if (!which)
    return NULL;
  gint64 *at = (gint64 *) which->data;
  if (!collect_items (&collection, items, ndim, shape, &at, error))
    return NULL;
  return new_stack (collection.values, which);
}

/* ---- views ---- */

ReelNonTensor *
reel_non_tensor_new_view (const ReelNonTensor *non_tensor, ReelTensor *which)
{
  g_autoptr (ReelTensor) owned = which;
  gint64 only = which->ndim == 0 ? *(gint64 *) which->data : non_tensor->only;
  gboolean may_be_single = non_tensor->single || non_tensor->meta;

  if (which->ndim == 0 || (may_be_single && all_are (which, only)))
    return new_single (non_tensor->values, only, non_tensor->meta, which->ndim, which->shape, NULL);
  return new_stack (non_tensor->values, which);
}

ReelNonTensor *
reel_non_tensor_resize (const ReelNonTensor *non_tensor, gint ndim, const gint64 *batch_size,
                        GError **error)
{
  return new_single (non_tensor->values, non_tensor->only, non_tensor->meta, ndim, batch_size,
                     error);
}

ReelNonTensor *
reel_non_tensor_merge (ReelNonTensor *const *sources, gsize n, ReelTensor **whiches, GError **error)
{
  g_auto (Collection) collection;
  gboolean meta = TRUE;
  gint64 only = -1;

  collection_init (&collection);
  for (gsize i = 0; i < n; i++)
    {
      const GPtrArray *values = sources[i]->values;
      g_autofree gint64 *places = g_new (gint64, values->len);
      for (guint j = 0; j < values->len; j++)
        places[j] = collect (&collection, values->pdata[j]);
      meta &= sources[i]->meta;
      only = i == 0 ? places[sources[i]->only + 1] : only;
      whiches[i] = renumber (sources[i]->which, places, error);
      if (!whiches[i])
        {
          while (i-- > 0)
            reel_tensor_unref (whiches[i]);
          return NULL;
        }
    }
  ReelNonTensor *merged = new_stack (collection.values, whiches[0]);
  merged->meta = meta;
  merged->only = only;
  return merged;
}

/* ---- questions ---- */

const gint64 *
reel_non_tensor_get_batch_size (const ReelNonTensor *non_tensor, gint *ndim)
{
  *ndim = non_tensor->which->ndim;
  return non_tensor->which->shape;
}

gboolean
reel_non_tensor_is_single (const ReelNonTensor *non_tensor)
{
  return non_tensor->single;
}

gboolean
reel_non_tensor_is_meta (const ReelNonTensor *non_tensor)
{
  return non_tensor->meta;
}

const char *
reel_non_tensor_class_name (const ReelNonTensor *non_tensor)
{
  if (!non_tensor->single)
    return "NonTensorStack";
  return non_tensor->meta ? "MetaData" : "NonTensorData";
}

ReelTensor *
reel_non_tensor_get_which (const ReelNonTensor *non_tensor)
{
  return non_tensor->which;
}

GVariant *const *
reel_non_tensor_get_values (const ReelNonTensor *non_tensor, gint64 *n)
{
  *n = non_tensor->values->len - 1;
  return (GVariant *const *) non_tensor->values->pdata + 1;
}

GVariant *
reel_non_tensor_get_value (const ReelNonTensor *non_tensor, const gint64 *index)
{
  return non_tensor->values->pdata[which_at (non_tensor->which, index) + 1];
}

/* Returns: (transfer floating or full) */
static GVariant *
list_below (const ReelNonTensor *non_tensor, gint dim, gint64 *index)
{
  GVariantBuilder builder;

  if (dim == non_tensor->which->ndim)
    return g_variant_ref (reel_non_tensor_get_value (non_tensor, index));
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("av"));
  for (index[dim] = 0; index[dim] < non_tensor->which->shape[dim]; index[dim]++)
    {
      g_autoptr (GVariant) item = g_variant_take_ref (list_below (non_tensor, dim + 1, index));
      g_variant_builder_add (&builder, "v", item);
    }
  index[dim] = 0;
  return g_variant_builder_end (&builder);
}

GVariant *
reel_non_tensor_to_list (const ReelNonTensor *non_tensor)
{
  gint64 index[REEL_MAX_NDIM] = { 0 };

  return g_variant_take_ref (list_below (non_tensor, 0, index));
}

GVariant *
reel_non_tensor_dup_data (const ReelNonTensor *non_tensor)
{
  if (non_tensor->single)
    return g_variant_ref (non_tensor->values->pdata[non_tensor->only + 1]);
  return reel_non_tensor_to_list (non_tensor);
}

/* For each value of @a, from None on, its place in @b, or −2. */
static gint64 *
find_places (const ReelNonTensor *a, const ReelNonTensor *b)
{
  g_autoptr (GHashTable) known = g_hash_table_new (hash_value, g_variant_equal);
  gint64 *places = g_new (gint64, a->values->len);
  gpointer place;

  for (guint i = 0; i < b->values->len; i++)
    g_hash_table_insert (known, b->values->pdata[i], GUINT_TO_POINTER (i));
  for (guint i = 0; i < a->values->len; i++)
    places[i] = g_hash_table_lookup_extended (known, a->values->pdata[i], NULL, &place)
                    ? (gint64) GPOINTER_TO_UINT (place) - 1
                    : -2;
  return places;
}

gboolean
reel_non_tensor_equal (const ReelNonTensor *a, const ReelNonTensor *b)
{
  const ReelTensor *left = a->which, *right = b->which;
  gint64 index[REEL_MAX_NDIM] = { 0 };

  if (left->ndim != right->ndim
      || memcmp (left->shape, right->shape, left->ndim * sizeof left->shape[0]) != 0)
    return FALSE;
  g_autofree gint64 *places = find_places (a, b);
  for (gint64 i = reel_tensor_numel (left); i > 0; i--, advance (left->ndim, left->shape, index))
    if (places[which_at (left, index) + 1] != which_at (right, index))
      return FALSE;
  return TRUE;
}
