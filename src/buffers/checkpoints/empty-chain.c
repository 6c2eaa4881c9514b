/* Writes the archive that TorchRL expects for a chain of no transforms. */
#include "empty-chain.h"

#include "../../core/formats/torch-archive.h"

/* The state of PyTorch's modules: that of the chain, and of its list of transforms. */
static ReelTensordict *
describe_modules (GError **error)
{
  static const char *const versions[] = { "%/version", "transforms/version" };
  g_autoptr (ReelTensordict) modules = reel_tensordict_new (0, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (versions); i++)
    if (!reel_tensordict_set_value (modules, versions[i], g_variant_new_int64 (1), error))
      return NULL;
  return g_steal_pointer (&modules);
}

gboolean
reel_empty_chain_write (const char *path, GError **error)
{
  g_autoptr (ReelTensordict) state = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensordict) modules = describe_modules (error);

  return modules && reel_torch_archive_save (state, modules, path, FALSE, error);
}
