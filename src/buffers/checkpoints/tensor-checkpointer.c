/* Rows in files as they lie in memory. */
#include "checkpointer-private.h"

#include "../../core/object/error.h"
#include "../../core/tensordict-files/save-plan.h"
#include "../../core/tensordict-files/tree-files.h"
#include "../../core/tensordict/tree-private.h"
#include "../storages/storage.h"

#include <string.h>

#define MAX_NDIM 3 /* of a storage */

struct _ReelTensorCheckpointer
{
  ReelCheckpointer parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelTensorCheckpointer, reel_tensor_checkpointer, REEL, TENSOR_CHECKPOINTER,
                      ReelCheckpointer)
G_DEFINE_FINAL_TYPE (ReelTensorCheckpointer, reel_tensor_checkpointer, REEL_TYPE_CHECKPOINTER)

/* The length of a tree is written with the other counts. */
static gboolean
save (ReelCheckpointer *self, const ReelTensordict *data, gint64 length,
      const ReelCheckpointState *state, GPtrArray *warnings, GError **error)
{
  return reel_tensordict_save_summed (data, state->path, state->sums, error);
}

/* A reader continues without unreadable parts. A writer that continues in these files needs all of
 * them: new rows would keep the strings of old ones. */
static ReelTensordict *
map_storage (const char *path, ReelLoadFlags flags, GPtrArray *warnings, GError **error)
{
  g_auto (GStrv) left_out = NULL;
  ReelTensordict *data;

  if (!(flags & REEL_LOAD_READ_ONLY))
    return reel_tensordict_load (path, flags | REEL_LOAD_TENSORS, error);
  data = reel_tensordict_load_partial (path, flags | REEL_LOAD_TENSORS, &left_out, error);
  for (gsize i = 0; left_out && left_out[i]; i++)
    g_ptr_array_add (warnings, g_strconcat (left_out[i], "; it is left out", NULL));
  return data;
}

/* The files of a tree do not say which dimensions are the storage's: those that all leaves share
 * may be. */
static gint
count_shared_dims (const ReelTensordict *tree, char *const *leaves)
{
  const ReelTensor *first = reel_tensordict_get_tensor (tree, leaves[0], NULL);
  gint n = MIN (first->ndim, MAX_NDIM);

  for (char *const *leaf = leaves + 1; *leaf; leaf++)
    {
      const ReelTensor *tensor = reel_tensordict_get_tensor (tree, *leaf, NULL);

      n = MIN (n, tensor->ndim);
      while (n > 0 && memcmp (tensor->shape, first->shape, (gsize) n * sizeof *first->shape) != 0)
        n--;
    }
  return n;
}

static ReelTensordict *
map_tree (const char *path, ReelLoadFlags flags, GError **error)
{
  gint64 length;
  g_autoptr (ReelTensordict) tree = reel_tree_load (path, NULL, flags, &length, error);
  g_auto (GStrv) leaves = tree ? reel_tensordict_list_leaves (tree) : NULL;

  if (!tree
      || (leaves[0]
          && !reel_tensordict_set_batch_size (
              tree, count_shared_dims (tree, leaves),
              reel_tensordict_get_tensor (tree, leaves[0], NULL)->shape, error)))
    return NULL;
  return g_steal_pointer (&tree);
}

static ReelTensordict *
load (ReelCheckpointer *self, const char *path, ReelLoadFlags flags, gint64 *length,
      GPtrArray *warnings, GError **error)
{
  gboolean is_tree;

  if (!reel_checkpointer_read_length (path, &is_tree, length, error))
    return NULL;
  return is_tree ? map_tree (path, flags, error) : map_storage (path, flags, warnings, error);
}

static void
reel_tensor_checkpointer_class_init (ReelTensorCheckpointerClass *klass)
{
  static const ReelId ids[] = {
    { "tensor", NULL, "rows with the layout that they have in memory" },
    { "TensorStorageCheckpointer", NULL,
      "rows with the layout that they have in memory, by TorchRL's name" },
    { NULL },
  };
  ReelCheckpointerClass *checkpointer_class = REEL_CHECKPOINTER_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  checkpointer_class->format = "tensor";
  checkpointer_class->in_place = TRUE;
  checkpointer_class->save = save;
  checkpointer_class->load = load;
}

static void
reel_tensor_checkpointer_init (ReelTensorCheckpointer *self)
{
}
