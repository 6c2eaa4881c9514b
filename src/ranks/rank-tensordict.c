#include "rank-tensordict.h"

#include "../core/tensordict/tensordict-keys.h"

/* Batch size, names of the dimensions or "", and of each leaf path, type and shape. */
#define DESCRIPTION "(axasa(suax))"

static GVariant *
make_sizes (const gint64 *sizes, gint n)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, sizes, (gsize) n, sizeof *sizes);
}

static GVariant *
describe (const ReelTensordict *td, char **leaves)
{
  GVariantBuilder names, tensors;
  gint ndim;
  const gint64 *size = reel_tensordict_get_batch_size (td, &ndim);

  g_variant_builder_init (&names, G_VARIANT_TYPE ("as"));
  g_variant_builder_init (&tensors, G_VARIANT_TYPE ("a(suax)"));
  for (gint dim = 0; dim < ndim; dim++)
    {
      const char *name = reel_tensordict_get_name (td, dim);

      g_variant_builder_add (&names, "s", name ? name : "");
    }
  for (char **leaf = leaves; *leaf; leaf++)
    {
      const ReelTensor *tensor = reel_tensordict_get_tensor (td, *leaf, NULL);

      g_variant_builder_add (&tensors, "(su@ax)", *leaf, (guint32) tensor->dtype,
                             make_sizes (tensor->shape, tensor->ndim));
    }
  return g_variant_ref_sink (
      g_variant_new ("(@axasa(suax))", make_sizes (size, ndim), &names, &tensors));
}

/* lay_out: the tensors of the leaves, each in one piece. */
static GPtrArray *
lay_out (const ReelTensordict *td, char **leaves, GError **error)
{
  g_autoptr (GPtrArray) tensors =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  for (char **leaf = leaves; *leaf; leaf++)
    {
      g_autoptr (GError) failure = NULL;
      ReelTensor *tensor = reel_tensordict_get_tensor (td, *leaf, &failure);

      if (tensor == NULL)
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "\"%s\" cannot be sent to another rank: only tensors can", *leaf);
          return NULL;
        }
      tensor = reel_tensor_contiguous (tensor, error);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
    }
  return g_steal_pointer (&tensors);
}

static ReelRankPart *
list_parts (const GPtrArray *tensors)
{
  ReelRankPart *parts = g_new (ReelRankPart, MAX (tensors->len, 1));

  for (guint i = 0; i < tensors->len; i++)
    {
      const ReelTensor *tensor = tensors->pdata[i];

      parts[i] = (ReelRankPart){ tensor->data, reel_tensor_nbytes (tensor) };
    }
  return parts;
}

gboolean
reel_rank_send_tensordict (gint to, ReelRankMessage *message, const ReelTensordict *td,
                           GError **error)
{
  if (td == NULL)
    return reel_rank_send (to, message, NULL, 0, error);

  g_auto (GStrv) leaves = reel_tensordict_list_keys (td, REEL_KEYS_NESTED | REEL_KEYS_LEAVES);
  g_autoptr (GPtrArray) tensors = lay_out (td, leaves, error);

  if (tensors == NULL)
    return FALSE;

  g_autoptr (GVariant) description = describe (td, leaves);
  g_autofree ReelRankPart *parts = list_parts (tensors);

  return reel_rank_send (to, message, g_variant_get_data (description),
                         g_variant_get_size (description), error)
         && reel_rank_send_parts (to, parts, tensors->len, error);
}

/* ---- receiving ---- */

/* make_leaves: the leaves of a description, whose values are to come. */
static GPtrArray *
make_leaves (ReelTensordict *td, GVariant *leaves, GError **error)
{
  g_autoptr (GPtrArray) tensors =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  GVariantIter iter;
  const char *path;
  guint32 dtype;
  GVariant *sizes;

  g_variant_iter_init (&iter, leaves);
  while (g_variant_iter_next (&iter, "(&su@ax)", &path, &dtype, &sizes))
    {
      gsize n;
      const gint64 *shape = g_variant_get_fixed_array (sizes, &n, sizeof *shape);
      ReelTensor *tensor = reel_tensor_new ((ReelDtype) dtype, (gint) n, shape, error);

      g_variant_unref (sizes);
      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
      if (!reel_tensordict_set_tensor (td, path, tensor, error))
        return NULL;
    }
  return g_steal_pointer (&tensors);
}

static gboolean
name_dimensions (ReelTensordict *td, GVariant *names, GError **error)
{
  gsize n;
  g_autofree const char **list = g_variant_get_strv (names, &n);
  gboolean any = FALSE;

  for (gsize i = 0; i < n; i++)
    if (list[i][0] == '\0')
      list[i] = NULL;
    else
      any = TRUE;
  return !any || reel_tensordict_set_names (td, list, error);
}

static ReelTensordict *
receive_leaves (gint from, GVariant *description, GError **error)
{
  g_autoptr (GVariant) size = NULL, names = NULL, leaves = NULL;
  gsize ndim;

  g_variant_get (description, "(@ax@as@a(suax))", &size, &names, &leaves);

  const gint64 *batch_size = g_variant_get_fixed_array (size, &ndim, sizeof *batch_size);
  g_autoptr (ReelTensordict) td = reel_tensordict_new ((gint) ndim, batch_size);
  g_autoptr (GPtrArray) tensors = make_leaves (td, leaves, error);

  if (tensors == NULL)
    return NULL;

  g_autofree ReelRankPart *parts = list_parts (tensors);

  return reel_rank_receive_parts (from, parts, tensors->len, error)
                 && name_dimensions (td, names, error)
             ? g_steal_pointer (&td)
             : NULL;
}

gboolean
reel_rank_receive_tensordict (gint from, ReelRankMessage *message, ReelTensordict **td,
                              GError **error)
{
  g_autofree guint8 *body = NULL;

  *td = NULL;
  if (!reel_rank_receive (from, message, &body, error))
    return FALSE;
  if (message->n_bytes == 0)
    return TRUE;

  g_autoptr (GBytes) bytes = g_bytes_new (body, (gsize) message->n_bytes); /* aligned */
  g_autoptr (GVariant) description =
      g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (DESCRIPTION), bytes, FALSE));

  *td = receive_leaves (from, description, error);
  return *td != NULL;
}
