/* The file of a consuming sampler: its state as torch.save has it, with Python's numbers where ours
 * has tensors without dimensions. */
#include "checkpoint-files.h"

#include "../../core/system/directories.h"
#include "../../core/object/error.h"
#include "../../core/formats/torch-archive.h"
#include "../../core/tensordict/state-values.h"

#define FILE_NAME "consuming_sampler.pt"

/* The integer or bool at @key becomes a tensor; what is neither stays. */
static gboolean
to_tensor (ReelTensordict *state, const char *key, GError **error)
{
  g_autoptr (GVariant) value = reel_tensordict_dup_value (state, key, NULL);
  gint64 number;
  guint8 flag;

  if (value && g_variant_is_of_type (value, G_VARIANT_TYPE_INT64))
    {
      number = g_variant_get_int64 (value);
      return reel_state_set (state, key, REEL_DTYPE_INT64, 0, 1, &number, error);
    }
  if (value && g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    {
      flag = g_variant_get_boolean (value) ? 1 : 0;
      return reel_state_set (state, key, REEL_DTYPE_BOOL, 0, 1, &flag, error);
    }
  return TRUE;
}

ReelTensordict *
reel_checkpoint_read_consuming (const char *path, GError **error)
{
  g_autofree char *file = g_build_filename (path, FILE_NAME, NULL);
  g_autoptr (ReelTensordict) saved = reel_torch_archive_load (file, error);
  g_autoptr (ReelTensordict) state = saved ? reel_tensordict_clone (saved, TRUE, error) : NULL;
  g_auto (GStrv) keys = state ? reel_tensordict_list_non_tensors (state) : NULL;

  for (gsize i = 0; state && keys[i]; i++)
    if (!to_tensor (state, keys[i], error))
      return NULL;
  return g_steal_pointer (&state);
}

static GVariant *
to_value (const ReelTensor *tensor)
{
  return tensor->dtype == REEL_DTYPE_BOOL ? g_variant_new_boolean (*tensor->data != 0)
                                          : g_variant_new_int64 (*(const gint64 *) tensor->data);
}

gboolean
reel_checkpoint_write_consuming (const char *path, const ReelTensordict *state, GError **error)
{
  g_autofree char *file = g_build_filename (path, FILE_NAME, NULL);
  g_autoptr (ReelTensordict) saved = reel_tensordict_clone (state, FALSE, error);
  g_auto (GStrv) keys = saved ? reel_tensordict_list_leaves (saved) : NULL;

  for (gsize i = 0; keys && keys[i]; i++)
    {
      const ReelTensor *tensor = reel_tensordict_get_tensor (state, keys[i], NULL);

      if (tensor->ndim == 0
          && !reel_tensordict_set_value (saved, keys[i], to_value (tensor), error))
        return FALSE;
    }
  return saved && reel_directory_make (path, error)
         && reel_torch_archive_save (saved, NULL, file, TRUE, error);
}
