#include "growing-leaves.h"

#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "../core/tensor/convert-kernel.h"
#include "../core/tensordict-files/save-plan.h"
#include "dataset-leaves.h"

#include <string.h>

#define BLOCK ((gsize) 1 << 20)

typedef struct
{
  char *path;       /* of the file; NULL for rows without elements */
  ReelTensor *like; /* a row */
  gsize n_elements; /* of a row */
  int fd;
  gint64 n_bytes;
} Leaf;

typedef struct
{
  GHashTable *numbers; /* of texts, +1 */
  GPtrArray *values;   /* of GVariant */
  GArray *which;       /* gint64, a row each */
} Texts;

struct _ReelGrowingLeaves
{
  char *directory;
  ReelTensordict *outline;
  GHashTable *leaves; /* by path */
  GHashTable *texts;  /* the same */
};

/* ---- files ---- */

static void
free_leaf (gpointer data)
{
  Leaf *self = data;

  if (self->fd >= 0)
    reel_file_close (self->fd, self->path, NULL);
  reel_tensor_unref (self->like);
  g_free (self->path);
  g_free (self);
}

static void
free_texts (gpointer data)
{
  Texts *self = data;

  g_hash_table_unref (self->numbers);
  g_ptr_array_unref (self->values);
  g_array_unref (self->which);
  g_free (self);
}

/* Rows without elements have no file. */
static char *
find_file (const ReelSavePlan *plan, const ReelTensor *leaf, const char *directory)
{
  for (guint i = 0; i < plan->n_leaves; i++)
    {
      const ReelPlannedFile *file = reel_save_plan_file (plan, i);

      if (file->tensor == leaf)
        return g_build_filename (directory, file->name, NULL);
    }
  return NULL;
}

static gboolean
add_leaf (ReelGrowingLeaves *self, const ReelSavePlan *plan, const char *path, GError **error)
{
  Leaf *leaf = g_new0 (Leaf, 1);

  leaf->like = reel_tensor_ref (reel_tensordict_get_tensor (self->outline, path, NULL));
  leaf->n_elements = (gsize) reel_tensor_numel (leaf->like);
  leaf->path = find_file (plan, leaf->like, self->directory);
  leaf->fd = leaf->path ? reel_file_create (leaf->path, 0, error) : -1;
  g_hash_table_insert (self->leaves, g_strdup (path), leaf);
  return !leaf->path || leaf->fd >= 0;
}

static gboolean
make_files (ReelGrowingLeaves *self, GError **error)
{
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new (self->outline, NULL, error);
  g_auto (GStrv) paths = reel_tensordict_list_leaves (self->outline);

  for (guint i = 0; plan && i < plan->directories->len; i++)
    {
      g_autofree char *path = g_build_filename (self->directory, plan->directories->pdata[i], NULL);

      if (!reel_directory_make (path, error))
        return FALSE;
    }
  for (gsize i = 0; plan && paths[i]; i++)
    if (!add_leaf (self, plan, paths[i], error))
      return FALSE;
  return plan != NULL;
}

ReelGrowingLeaves *
reel_growing_leaves_new (const ReelTensordict *outline, const char *directory, GError **error)
{
  g_autoptr (ReelGrowingLeaves) self = g_new0 (ReelGrowingLeaves, 1);

  self->directory = g_strdup (directory);
  self->outline = reel_tensordict_ref ((ReelTensordict *) outline);
  self->leaves = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_leaf);
  self->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, free_texts);
  return make_files (self, error) ? g_steal_pointer (&self) : NULL;
}

void
reel_growing_leaves_free (ReelGrowingLeaves *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->leaves);
  g_hash_table_unref (self->texts);
  reel_tensordict_unref (self->outline);
  g_free (self->directory);
  g_free (self);
}

const ReelTensor *
reel_growing_leaves_get (const ReelGrowingLeaves *self, const char *path)
{
  const Leaf *leaf = g_hash_table_lookup (self->leaves, path);

  return leaf ? leaf->like : NULL;
}

/* ---- rows ---- */

static gboolean
write_bytes (Leaf *leaf, const guint8 *bytes, gsize n, GError **error)
{
  if (!reel_file_write_at (leaf->fd, leaf->path, bytes, n, leaf->n_bytes, error))
    return FALSE;
  leaf->n_bytes += (gint64) n;
  return TRUE;
}

static gboolean
write_converted (Leaf *leaf, ReelDtype dtype, const guint8 *elements, gsize n, GError **error)
{
  const ReelDtype to = leaf->like->dtype;
  const gsize size = reel_dtype_size (to), most = MAX (BLOCK / size, 1);
  g_autofree guint8 *block = g_malloc (MAX (MIN (n, most), 1) * size);
  ReelIsa isa;

  /* The choice fails for a level that `REEL_ISA` may not have, and is the best then. */
  reel_isa_choose (&isa, NULL);
  for (gsize at = 0, some; at < n; at += some)
    {
      some = MIN (n - at, most);
      REEL_KERNEL_PICK (reel_convert_kernels, isa)
          ->convert (dtype, elements + at * reel_dtype_size (dtype), to, block, some);
      if (!write_bytes (leaf, block, some * size, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_growing_leaves_append (ReelGrowingLeaves *self, const char *path, ReelDtype dtype, gint64 n,
                            const guint8 *rows, GError **error)
{
  Leaf *leaf = g_hash_table_lookup (self->leaves, path);
  const gsize n_elements = (gsize) n * leaf->n_elements;

  if (leaf->fd < 0 || n_elements == 0)
    return TRUE;
  return dtype == leaf->like->dtype
             ? write_bytes (leaf, rows, n_elements * reel_dtype_size (dtype), error)
             : write_converted (leaf, dtype, rows, n_elements, error);
}

gboolean
reel_growing_leaves_append_zeros (ReelGrowingLeaves *self, const char *path, gint64 n,
                                  GError **error)
{
  Leaf *leaf = g_hash_table_lookup (self->leaves, path);
  const gsize n_bytes = (gsize) n * leaf->n_elements * reel_dtype_size (leaf->like->dtype);
  g_autofree guint8 *zeros = g_malloc0 (CLAMP (n_bytes, 1, BLOCK));

  for (gsize at = 0; leaf->fd >= 0 && at < n_bytes; at += BLOCK)
    if (!write_bytes (leaf, zeros, MIN (n_bytes - at, BLOCK), error))
      return FALSE;
  return TRUE;
}

void
reel_growing_leaves_append_text (ReelGrowingLeaves *self, const char *path, const char *text)
{
  Texts *texts = g_hash_table_lookup (self->texts, path);
  gint64 number;

  if (!texts)
    {
      texts = g_new0 (Texts, 1);
      texts->numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      texts->values = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
      texts->which = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_hash_table_insert (self->texts, g_strdup (path), texts);
    }
  number = GPOINTER_TO_SIZE (g_hash_table_lookup (texts->numbers, text)) - 1;
  if (number < 0)
    {
      number = texts->values->len;
      g_hash_table_insert (texts->numbers, g_strdup (text), GSIZE_TO_POINTER (number + 1));
      g_ptr_array_add (texts->values, g_variant_ref_sink (g_variant_new_string (text)));
    }
  g_array_append_val (texts->which, number);
}

/* ---- the end ---- */

static gboolean
close_files (ReelGrowingLeaves *self, GError **error)
{
  GHashTableIter iter;
  Leaf *leaf;

  g_hash_table_iter_init (&iter, self->leaves);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &leaf))
    {
      int fd = leaf->fd;

      leaf->fd = -1;
      if (fd >= 0 && !reel_file_close (fd, leaf->path, error))
        return FALSE;
    }
  return TRUE;
}

/* A list of its own for each row, though all be equal, as TorchRL has it. */
static gboolean
add_texts (ReelTensordict *outline, const char *path, const Texts *texts, GError **error)
{
  const gint64 n = texts->which->len;
  g_autoptr (ReelTensor) which = reel_tensor_new (REEL_DTYPE_INT64, 1, &n, error);
  g_autoptr (ReelNonTensor) values = NULL;

  if (!which)
    return FALSE;
  memcpy (which->data, texts->which->data, (gsize) n * sizeof (gint64));
  values = reel_non_tensor_new_from_which ((GVariant *const *) texts->values->pdata,
                                           texts->values->len, which, error);
  return values && reel_tensordict_set_non_tensor (outline, path, values, error);
}

static gboolean
add_all_texts (const ReelGrowingLeaves *self, ReelTensordict *outline, GError **error)
{
  GHashTableIter iter;
  const char *path;
  const Texts *texts;

  g_hash_table_iter_init (&iter, self->texts);
  while (g_hash_table_iter_next (&iter, (gpointer *) &path, (gpointer *) &texts))
    if (!add_texts (outline, path, texts, error))
      return FALSE;
  return TRUE;
}

gboolean
reel_growing_leaves_end (ReelGrowingLeaves *self, gint64 n, GError **error)
{
  g_autoptr (ReelTensordict) outline = reel_tensordict_new (1, &n);
  g_auto (GStrv) paths = reel_tensordict_list_leaves (self->outline);

  for (gsize i = 0; paths[i]; i++)
    {
      const ReelTensor *like = reel_growing_leaves_get (self, paths[i]);

      if (!reel_leaves_add (outline, paths[i], like->dtype, like->ndim - 1, like->shape + 1, error))
        return FALSE;
    }
  return close_files (self, error) && add_all_texts (self, outline, error)
         && reel_tensordict_save_metadata (outline, self->directory, error);
}
