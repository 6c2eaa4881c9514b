#include "growing-leaves.h"

#include "../core/system/directories.h"
#include "../core/system/files.h"
#include "../core/system/pages.h"
#include "../core/tensor/convert-kernel.h"
#include "../core/tensordict-files/save-plan.h"
#include "dataset-leaves.h"

#include <string.h>

#define HELD ((gsize) 64 << 20) /* bytes of all leaves */
#define LEAST_BLOCK ((gsize) 64 << 10)

typedef struct
{
  char *path;       /* of the file; NULL for rows without elements */
  ReelTensor *like; /* a row */
  gsize n_elements; /* of a row */
  int fd;
  gint64 n_bytes; /* with those that are held */
  guint8 *held;   /* the bytes behind the last whole block of the file */
  gsize block;
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
  g_free (self->held);
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

/* A file that is written by huge pages is in such pages for who maps it next. */
static gsize
choose_block (guint n_leaves)
{
  gsize block = REEL_HUGE_PAGE;

  while (block > LEAST_BLOCK && block * n_leaves > HELD)
    block /= 2;
  return block;
}

static gboolean
add_leaf (ReelGrowingLeaves *self, const ReelSavePlan *plan, const char *path, GError **error)
{
  Leaf *leaf = g_new0 (Leaf, 1);
  const char *name;

  leaf->like = reel_tensor_ref (reel_tensordict_get_tensor (self->outline, path, NULL));
  leaf->n_elements = (gsize) reel_tensor_numel (leaf->like);
  leaf->block = choose_block (plan->n_leaves);
  name = reel_save_plan_find (plan, leaf->like);
  leaf->path = name ? g_build_filename (self->directory, name, NULL) : NULL;
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

static void
convert (ReelDtype from, const guint8 *elements, ReelDtype to, guint8 *at, gsize n)
{
  ReelIsa isa;

  /* The choice fails for a level that `REEL_ISA` may not have, and is the best then. */
  reel_isa_choose (&isa, NULL);
  REEL_KERNEL_PICK (reel_convert_kernels, isa)->convert (from, elements, to, at, n);
}

/* Without @elements they are zeros. */
static void
fill (ReelDtype from, const guint8 *elements, ReelDtype to, guint8 *at, gsize n)
{
  if (!elements)
    memset (at, 0, n * reel_dtype_size (to));
  else if (from == to)
    memcpy (at, elements, n * reel_dtype_size (to));
  else
    convert (from, elements, to, at, n);
}

/* Writes the bytes that are held. */
static gboolean
write_held (Leaf *leaf, GError **error)
{
  const gsize n = (gsize) (leaf->n_bytes - 1) % leaf->block + 1;
  const gint64 at = leaf->n_bytes - (gint64) n;

  if (!reel_file_write_at (leaf->fd, leaf->path, leaf->held, n, at, error))
    return FALSE;
  reel_file_write_back (leaf->fd, at, (gint64) n);
  return TRUE;
}

/* A block is a multiple of every element. */
static gboolean
append (Leaf *leaf, ReelDtype dtype, const guint8 *elements, gsize n, GError **error)
{
  const ReelDtype to = leaf->like->dtype;
  const gsize from_size = reel_dtype_size (dtype), size = reel_dtype_size (to);

  if (!leaf->held && n > 0)
    leaf->held = g_malloc (leaf->block);
  for (gsize at = 0, some; at < n; at += some)
    {
      const gsize begin = (gsize) leaf->n_bytes % leaf->block;

      some = MIN (n - at, (leaf->block - begin) / size);
      fill (dtype, elements ? elements + at * from_size : NULL, to, leaf->held + begin, some);
      leaf->n_bytes += (gint64) (some * size);
      if (begin + some * size == leaf->block && !write_held (leaf, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
reel_growing_leaves_append (ReelGrowingLeaves *self, const char *path, ReelDtype dtype, gint64 n,
                            const guint8 *rows, GError **error)
{
  Leaf *leaf = g_hash_table_lookup (self->leaves, path);

  return leaf->fd < 0 || append (leaf, dtype, rows, (gsize) n * leaf->n_elements, error);
}

gboolean
reel_growing_leaves_append_zeros (ReelGrowingLeaves *self, const char *path, gint64 n,
                                  GError **error)
{
  Leaf *leaf = g_hash_table_lookup (self->leaves, path);

  return leaf->fd < 0
         || append (leaf, leaf->like->dtype, NULL, (gsize) n * leaf->n_elements, error);
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

      if (fd >= 0 && leaf->n_bytes % (gint64) leaf->block > 0 && !write_held (leaf, error))
        return FALSE;
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
