/* Flat rows, cut into trajectories. */
#include "ted-checkpointer.h"

#include "../../core/tensordict-files/save-plan.h"

#include <string.h>

struct _ReelNestedCheckpointer
{
  ReelTedCheckpointer parent_instance;
};

G_DECLARE_FINAL_TYPE (ReelNestedCheckpointer, reel_nested_checkpointer, REEL, NESTED_CHECKPOINTER,
                      ReelTedCheckpointer)
G_DEFINE_FINAL_TYPE (ReelNestedCheckpointer, reel_nested_checkpointer, REEL_TYPE_TED_CHECKPOINTER)

/* ---- to trajectories ---- */

/* One key: how many rows each trajectory has of it, and these. */
typedef struct
{
  const gint64 *lengths;
  gint64 size[REEL_MAX_NDIM];
  ReelRowStream sizes;
  const ReelRowStream *values;
} Leaf;

/* The shapes of the next trajectories. */
static void
read_sizes (gpointer data, guint8 *to, gint64 n)
{
  Leaf *leaf = data;
  gsize bytes = leaf->sizes.row_bytes;

  for (gint64 i = 0; i < n; i++)
    {
      leaf->size[0] = *leaf->lengths++;
      memcpy (to + (gsize) i * bytes, leaf->size, bytes);
    }
}

static Leaf *
new_leaf (ReelFlatPack *pack, const ReelTensor *rows)
{
  Leaf *leaf = g_new (Leaf, 1);

  *leaf = (Leaf){ .lengths = reel_flat_pack_choose (pack, rows),
                  .values = reel_flat_pack_get_stream (pack, rows) };
  memcpy (leaf->size, rows->shape, (gsize) rows->ndim * sizeof *leaf->size);
  leaf->sizes = (ReelRowStream){ reel_flat_pack_get_cut (pack)->n,
                                 (gsize) rows->ndim * sizeof *leaf->size, read_sizes, leaf };
  return leaf;
}

static const ReelRowStream *
get_stream (gpointer leaves, const ReelTensor *outline, gboolean sizes)
{
  const Leaf *leaf = g_hash_table_lookup (leaves, outline);

  return sizes ? &leaf->sizes : leaf->values;
}

/* The outline of a ragged tensor, and what gives it. */
static gboolean
add_leaf (ReelFlatPack *pack, const char *key, ReelTensordict *nested, GHashTable *leaves,
          GError **error)
{
  const ReelTensor *rows =
      reel_tensordict_get_tensor (reel_flat_pack_get_outline (pack), key, error);
  gint64 shape[REEL_MAX_NDIM];
  g_autoptr (ReelTensor) outline = NULL;

  memcpy (shape, rows->shape, (gsize) rows->ndim * sizeof *shape);
  shape[0] = reel_flat_pack_get_cut (pack)->n;
  outline = reel_flat_new_outline (rows->dtype, rows->ndim, shape, error);
  if (!outline || !reel_tensordict_set_tensor (nested, key, outline, error))
    return FALSE;
  g_hash_table_insert (leaves, reel_tensordict_get_tensor (nested, key, NULL),
                       new_leaf (pack, rows));
  return TRUE;
}

static gboolean
write_trajectories (ReelFlatPack *pack, gint64 length, const char *path, ReelFileSums *sums,
                    GError **error)
{
  const ReelTensordict *flat = reel_flat_pack_get_outline (pack);
  g_auto (GStrv) keys = reel_tensordict_list_leaves (flat);
  g_autoptr (ReelTensordict) nested = reel_tensordict_new (1, &reel_flat_pack_get_cut (pack)->n);
  g_autoptr (GHashTable) leaves = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  const ReelLeafStreams streams = { TRUE, get_stream, leaves };

  if (!reel_flat_copy_values (flat, nested, error))
    return FALSE;
  for (gsize i = 0; keys[i]; i++)
    if (!add_leaf (pack, keys[i], nested, leaves, error))
      return FALSE;
  return reel_tensordict_save_streamed (nested, &streams, path, sums, error);
}

/* ---- and back ---- */

static ReelFlatRows *
read_trajectories (const char *path, gint64 *length, GPtrArray *warnings, GError **error)
{
  ReelTensordict *flat = reel_ted_checkpointer_map (path, TRUE, warnings, error);

  return flat ? reel_flat_rows_new (flat) : NULL;
}

static void
reel_nested_checkpointer_class_init (ReelNestedCheckpointerClass *klass)
{
  static const ReelId ids[] = {
    { "nested", NULL, "TED data, a ragged row a trajectory" },
    { "NestedStorageCheckpointer", NULL, "TED data, a ragged row a trajectory, by TorchRL's name" },
    { NULL },
  };

  REEL_OBJECT_CLASS (klass)->ids = ids;
  REEL_CHECKPOINTER_CLASS (klass)->format = "nested";
  REEL_TED_CHECKPOINTER_CLASS (klass)->is_cut = TRUE;
  REEL_TED_CHECKPOINTER_CLASS (klass)->write = write_trajectories;
  REEL_TED_CHECKPOINTER_CLASS (klass)->read = read_trajectories;
}

static void
reel_nested_checkpointer_init (ReelNestedCheckpointer *self)
{
}
