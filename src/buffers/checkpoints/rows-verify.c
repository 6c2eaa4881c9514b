/* Verifies rows that are no buffer, those of an imported dataset: their files against what
 * describes them, and bools. */
#include "buffer-files.h"
#include "checkpoint-report-private.h"
#include "checkpoint-verify.h"

#include "../../core/system/directories.h"
#include "../../core/system/files.h"
#include "../../core/tensor/mapped-memory.h"
#include "../../core/tensordict-files/memmap-format.h"
#include "../../core/tensordict-files/tensordict-files.h"
#include "../storages/ring.h"

#define PART ((gsize) 1 << 20)

static gboolean
has_file (const char *path, const char *name)
{
  g_autofree char *file = g_build_filename (path, name, NULL);
  ReelPathKind kind;

  return reel_path_query (file, &kind, NULL, NULL) && kind == REEL_PATH_FILE;
}

gboolean
reel_checkpoint_is_rows (const char *path)
{
  return has_file (path, REEL_MEMMAP_METADATA) && !has_file (path, "buffer_metadata.json")
         && !has_file (path, REEL_RING_FILE) && !has_file (path, "storage_metadata.json");
}

/* Bytes that are neither 0 nor 1; @first is the first of them. */
static gint64
count_no_bools (const ReelTensor *leaf, gsize *first)
{
  const gsize size = reel_tensor_nbytes (leaf);
  gint64 n = 0;

  for (gsize begin = 0; begin < size; begin += PART)
    {
      const gsize end = MIN (begin + PART, size);

      for (gsize i = begin; i < end; i++)
        if (leaf->data[i] > 1 && n++ == 0)
          *first = i;
      reel_memory_forget (leaf->memory, leaf->data + begin, end - begin);
    }
  return n;
}

static void
check_bools (ReelCheckpointReport *self, const char *key, const ReelTensor *leaf)
{
  const gsize row_bytes = reel_tensor_nbytes (leaf) / (gsize) MAX (leaf->shape[0], 1);
  gsize first;
  gint64 n = count_no_bools (leaf, &first);

  if (n > 0)
    g_ptr_array_add (self->faults,
                     reel_checkpoint_fault_new (
                         key, (gint64) (first / row_bytes), 0, n,
                         g_strdup_printf ("is %d, a bool expected: 0 or 1", leaf->data[first])));
}

gboolean
reel_checkpoint_verify_rows (ReelCheckpointReport *self, const char *path, gboolean rows,
                             GError **error)
{
  g_autoptr (ReelTensordict) data = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, error);
  g_auto (GStrv) leaves = data ? reel_tensordict_list_leaves (data) : NULL;
  gint ndim;
  const gint64 *size = data ? reel_tensordict_get_batch_size (data, &ndim) : NULL;

  if (!data)
    return FALSE;
  self->n_rows = ndim > 0 ? size[0] : 0;
  for (gsize i = 0; rows && leaves[i]; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (data, leaves[i], NULL);

      if (leaf && leaf->dtype == REEL_DTYPE_BOOL && leaf->ndim > 0)
        check_bools (self, leaves[i], leaf);
    }
  g_ptr_array_add (self->notes,
                   g_strdup (has_file (path, REEL_DATASET_FILE)
                                 ? "an imported dataset: it has no checksums, and its rows are as "
                                   "their publisher arranged them"
                                 : "a saved TensorDict: it has no checksums"));
  return TRUE;
}
