#include "weights-file.h"

#include "../core/formats/safetensors.h"
#include "../core/system/paths.h"
#include "../core/tensordict-files/tensordict-files.h"

ReelTensordict *
reel_weights_file_load (const char *path, GError **error)
{
  if (!reel_path_check_exists (path, error))
    return NULL;
  return g_str_has_suffix (path, ".safetensors")
             ? reel_safetensors_load (path, error)
             : reel_tensordict_load (path, REEL_LOAD_READ_ONLY | REEL_LOAD_TENSORS, error);
}
