/* Values of any shape, each leaf compressed by itself. */
#include "../../core/tensordict/tensordict-apply.h"
#include "../../core/tensordict/tree-private.h"
#include "../../core/tensordict/variant.h"
#include "packed-leaf.h"
#include "item-storage.h"

struct _ReelCompressedListStorage
{
  ReelItemStorage parent_instance;

  gint64 level;
};

G_DECLARE_FINAL_TYPE (ReelCompressedListStorage, reel_compressed_list_storage, REEL,
                      COMPRESSED_LIST_STORAGE, ReelItemStorage)
G_DEFINE_FINAL_TYPE (ReelCompressedListStorage, reel_compressed_list_storage,
                     REEL_TYPE_ITEM_STORAGE)

/* ---- in ---- */

typedef struct
{
  gint level;
  GPtrArray *packed;
} Packing;

static gboolean
pack_leaf (const char *path, ReelTensor *const *leaf, gsize n, ReelTensor **result, gpointer data,
           GError **error)
{
  const Packing *packing = data;
  ReelTensor *packed = reel_packed_leaf_deflate (*leaf, packing->level, error);

  if (!packed)
    return FALSE;
  g_ptr_array_add (packing->packed, packed);
  *result = reel_packed_leaf_new_placeholder ((*leaf)->dtype, (*leaf)->ndim, (*leaf)->shape, error);
  return *result != NULL;
}

static ReelStoredValue *
pack (ReelItemStorage *storage, ReelTensordict *row, GError **error)
{
  g_autoptr (GPtrArray) packed =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  Packing packing = { (gint) REEL_COMPRESSED_LIST_STORAGE (storage)->level, packed };
  ReelTensordict *td = reel_tensordict_apply (&row, 1, -1, NULL, FALSE, pack_leaf, &packing, error);

  return td ? reel_stored_value_new (td, g_steal_pointer (&packed)) : NULL;
}

/* ---- out ---- */

typedef struct
{
  const GPtrArray *packed;
  guint next;
} Unpacking;

static gboolean
unpack_next (const char *path, ReelTensor *const *leaf, gsize n, ReelTensor **result, gpointer data,
             GError **error)
{
  Unpacking *unpacking = data;

  *result = reel_packed_leaf_inflate (unpacking->packed->pdata[unpacking->next++], *leaf, error);
  if (!*result)
    g_prefix_error (error, "\"%s\": ", path);
  return *result != NULL;
}

static ReelTensordict *
unpack (ReelItemStorage *storage, const ReelStoredValue *value, GError **error)
{
  Unpacking unpacking = { value->packed, 0 };

  return reel_tensordict_apply (&value->td, 1, -1, NULL, FALSE, unpack_next, &unpacking, error);
}

static ReelTensor *
unpack_leaf (ReelItemStorage *storage, const ReelStoredValue *value, const char *path)
{
  g_auto (GStrv) paths = reel_tensordict_list_leaves (value->td);
  const ReelTensor *like = reel_tensordict_get_tensor (value->td, path, NULL);

  for (guint i = 0; like && paths[i]; i++)
    if (g_str_equal (paths[i], path))
      return reel_packed_leaf_inflate (value->packed->pdata[i], like, NULL);
  return NULL;
}

/* ---- what it prints ---- */

static void
append_entry (GString *text, const ReelTensordictEntry *entry, const ReelStoredValue *value,
              guint *next)
{
  g_autofree char *printed = NULL;

  if (entry->tensor)
    printed = reel_tensor_to_string (value->packed->pdata[(*next)++]);
  else if (entry->child)
    {
      g_auto (GStrv) below = reel_tensordict_list_leaves (entry->child);

      *next += g_strv_length (below);
      printed = reel_tensordict_to_string (entry->child);
    }
  if (printed)
    g_string_append (text, printed);
  else if (value->td->kind == REEL_TENSORDICT_SINGLE)
    reel_variant_append_str (text, reel_non_tensor_get_value (entry->non_tensor, NULL));
  else
    reel_non_tensor_append_text (text, entry->non_tensor, NULL, 0);
}

/* TorchRL keeps a dict of the compressed leaves. */
static char *
describe (ReelItemStorage *storage, const ReelStoredValue *value)
{
  GString *text = g_string_new (NULL);
  gboolean single = value->td->kind == REEL_TENSORDICT_SINGLE;
  const ReelTensordictEntry *entry;
  guint next = 0;

  g_string_append (text, single ? "" : "{");
  for (guint i = 0; (entry = reel_tensordict_get_entry (value->td, i)); i++)
    {
      if (!single)
        g_string_append_printf (text, "%s'%s': ", i > 0 ? ", " : "", entry->key);
      append_entry (text, entry, value, &next);
    }
  g_string_append (text, single ? "" : "}");
  return g_string_free (text, FALSE);
}

static void
reel_compressed_list_storage_class_init (ReelCompressedListStorageClass *klass)
{
  static const ReelId ids[] = {
    { "compressed-list", NULL, "values of any shape, each leaf compressed" },
    { "CompressedListStorage", NULL, "each leaf compressed, by TorchRL's name" },
    { NULL },
  };
  ReelItemStorageClass *storage_class = REEL_ITEM_STORAGE_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_item_storage_class_set_up (storage_class, "CompressedListStorage", REEL_COLLATE_LAZY_STACK);
  storage_class->pack = pack;
  storage_class->unpack = unpack;
  storage_class->unpack_leaf = unpack_leaf;
  storage_class->describe = describe;
  reel_object_class_add_int64 (REEL_OBJECT_CLASS (klass), "compression-level",
                               G_STRUCT_OFFSET (ReelCompressedListStorage, level), 0, 9, 3, NULL,
                               "of zlib: 0 stores, 9 is smallest and slowest",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_compressed_list_storage_init (ReelCompressedListStorage *self)
{
}
