#include "join.h"

#include "../core/tensor/tensor-private.h"
#include "../core/tensordict/shape.h"
#include "../core/tensordict/tensordict-keys.h"

/* Of the promoted type. */
static gboolean
promote_all (const GPtrArray *values, GPtrArray *promoted, GError **error)
{
  ReelDtype dtype = ((const ReelTensor *) values->pdata[0])->dtype;

  for (guint i = 1; i < values->len; i++)
    if (!reel_dtype_promote (dtype, ((const ReelTensor *) values->pdata[i])->dtype, &dtype, error))
      return FALSE;
  for (guint i = 0; i < values->len; i++)
    {
      ReelTensor *value = values->pdata[i], *changed = NULL;
      g_autoptr (ReelTensor) plain = NULL;

      if (value->dtype == dtype)
        changed = reel_tensor_ref (value);
      else if ((plain = reel_tensor_in_order (value, error)) != NULL)
        changed = reel_tensor_convert (plain, dtype, error);
      if (!changed)
        return FALSE;
      g_ptr_array_add (promoted, changed);
    }
  return TRUE;
}

ReelTensor *
reel_join_values (const GPtrArray *values, gint dim, GError **error)
{
  g_autoptr (GPtrArray) promoted =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);

  return promote_all (values, promoted, error)
             ? reel_tensor_cat ((ReelTensor *const *) promoted->pdata, promoted->len, dim, error)
             : NULL;
}

gboolean
reel_join_check_keys (const ReelTensordict *td, const char *const *keys, GError **error)
{
  g_autofree char *expected = NULL, *found = NULL;
  g_auto (GStrv) there = NULL;
  gsize n = 0;

  while (keys[n] && reel_tensordict_contains (td, keys[n]))
    n++;
  if (!keys[n])
    return TRUE;
  there = reel_tensordict_list_keys (td, REEL_KEYS_NESTED);
  expected = reel_key_format_list (keys);
  found = reel_key_format_list ((const char *const *) there);
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
               "cannot join %s: there is no \"%s\"; the keys are %s", expected, keys[n], found);
  return FALSE;
}

gboolean
reel_join_drop (ReelTensordict *td, const char *const *keys, const char *but, GError **error)
{
  for (; *keys; keys++)
    if (!g_str_equal (*keys, but) && reel_tensordict_contains (td, *keys)
        && !reel_tensordict_remove (td, *keys, error))
      return FALSE;
  return TRUE;
}
