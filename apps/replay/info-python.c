/* The lines of Python that load a directory with TorchRL. */
#include "info.h"

#include <string.h>

/* A literal for the path; names that are no UTF-8 go through os.fsdecode as Python's own do. */
char *
info_python_path (const char *path)
{
  char high[129] = { 0 };

  for (guint i = 0; i < 128; i++)
    high[i] = (char) (128 + i);
  if (g_utf8_validate (path, -1, NULL))
    {
      g_autofree char *escaped = g_strescape (path, high);
      return g_strdup_printf ("\"%s\"", escaped);
    }
  g_autofree char *escaped = g_strescape (path, NULL);
  return g_strdup_printf ("__import__(\"os\").fsdecode(b\"%s\")", escaped);
}

/* How a directory is loaded. */
typedef struct
{
  const char *path;
  char *literal;
  ReelReplayBuffer *buffer;
  ReelStorage *storage;
  gint64 capacity;
  gint ndim;
} Recipe;

static gboolean
has_file (const char *path, const char *name)
{
  g_autofree char *file = g_build_filename (path, name, NULL);

  return g_file_test (file, G_FILE_TEST_EXISTS);
}

/* ---- forms ---- */

static void
print_values (const Recipe *self)
{
  g_print ("from torchrl.data import CompressedListStorage, ReplayBuffer\n\n"
           "rb = ReplayBuffer(storage=CompressedListStorage(%" G_GINT64_FORMAT "))\n"
           "rb.loads(%s)\n",
           self->capacity, self->literal);
}

/* [done-keys=[a,b]] becomes done_keys=["a", "b"]; keys below others are tuples. */
static char *
python_keys (ReelCheckpointer *checkpointer, const char *property, const char *argument)
{
  g_auto (GStrv) keys = NULL;
  GString *text = g_string_new (NULL);

  g_object_get (checkpointer, property, &keys, NULL);
  for (char **key = keys; key && *key; key++)
    {
      g_auto (GStrv) parts = g_strsplit (*key, "/", -1);
      g_autofree char *joined = g_strjoinv ("\", \"", parts);
      gboolean nested = g_strv_length (parts) > 1;

      g_string_append_printf (text, "%s%s\"%s\"%s", text->len ? ", " : "", nested ? "(" : "",
                              joined, nested ? ")" : "");
    }
  if (text->len == 0)
    return g_string_free (text, FALSE);
  g_string_prepend_c (text, '[');
  g_string_prepend (text, "=");
  g_string_prepend (text, argument);
  g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* TorchRL's class reads the form into memory; it has to be named. */
static gboolean
print_ted (const Recipe *self, const char *form, GError **error)
{
  static const struct
  {
    const char *id, *name;
  } classes[] = { { "flat", "FlatStorageCheckpointer" },
                  { "nested", "NestedStorageCheckpointer" },
                  { "h5", "H5StorageCheckpointer" } };
  g_autoptr (ReelCheckpointer) checkpointer =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, form, error, NULL);
  const char *name = NULL;

  if (!checkpointer)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    if (g_str_has_prefix (form, classes[i].id))
      name = classes[i].name;
  g_autofree char *done = python_keys (checkpointer, "done-keys", "done_keys");
  g_autofree char *reward = python_keys (checkpointer, "reward-keys", "reward_keys");
  g_print ("from torchrl.data import LazyTensorStorage, ReplayBuffer\n"
           "from torchrl.data.replay_buffers.checkpointers import %s\n\n"
           "rb = ReplayBuffer(\n"
           "    storage=LazyTensorStorage(%" G_GINT64_FORMAT ", ndim=%d),\n"
           "    checkpointer=%s(%s%s%s))\n"
           "rb.loads(%s)\n",
           name, self->capacity, self->ndim, name, done, *done && *reward ? ", " : "", reward,
           self->literal);
  return TRUE;
}

static void
append_leaf (GString *text, const ReelTensor *leaf)
{
  g_string_append (text, "torch.zeros((");
  for (gint d = 0; d < leaf->ndim; d++)
    g_string_append_printf (text, "%" G_GINT64_FORMAT ", ", d == 0 ? 1 : leaf->shape[d]);
  g_string_append_printf (text, "), dtype=torch.%s)", reel_dtype_name (leaf->dtype));
}

/* Digits are a number, as files of trees are read. */
static void
append_key (GString *text, const char *key)
{
  const char *quote = strspn (key, "0123456789") == strlen (key) ? "" : "\"";

  g_string_append_printf (text, "%s%s%s: ", quote, key, quote);
}

/* One row of zeros. */
static void
append_tree (GString *text, const ReelTensordict *tree)
{
  static const char *const brackets[] = { [REEL_TENSORDICT_DICT] = "{}",
                                          [REEL_TENSORDICT_MAP] = "{}",
                                          [REEL_TENSORDICT_LIST] = "[]",
                                          [REEL_TENSORDICT_TUPLE] = "()",
                                          [REEL_TENSORDICT_SINGLE] = "  " };
  ReelTensordictKind kind = reel_tensordict_get_kind (tree);
  ReelTensordictIter iter;
  ReelTensordict *child;
  ReelTensor *leaf;
  const char *key;

  g_string_append_c (text, brackets[kind][0]);
  reel_tensordict_iter_init (&iter, tree);
  while (reel_tensordict_iter_next (&iter, &key, &leaf, &child))
    {
      if (kind == REEL_TENSORDICT_MAP)
        append_key (text, key);
      if (leaf)
        append_leaf (text, leaf);
      else
        append_tree (text, child);
      if (kind != REEL_TENSORDICT_SINGLE)
        g_string_append (text, ", ");
    }
  g_string_append_c (text, brackets[kind][1]);
}

/* TorchRL loads a tree only into a storage that has one of the same keys. */
static void
print_tree (const Recipe *self)
{
  GString *text = g_string_new (NULL);

  append_tree (text, reel_storage_get_data (self->storage));
  g_print ("import torch\n"
           "from torchrl.data import LazyTensorStorage, ReplayBuffer\n\n"
           "rb = ReplayBuffer(storage=LazyTensorStorage(%" G_GINT64_FORMAT ", ndim=%d))\n"
           "rb.extend(%s)\n"
           "rb.loads(%s)\n",
           self->capacity, self->ndim, g_strstrip (text->str), self->literal);
  g_string_free (text, TRUE);
}

static gboolean
print_columns (const Recipe *self, GError **error)
{
  g_autofree char *full = g_canonicalize_filename (self->path, NULL);
  g_autofree char *storage_path = g_build_filename (full, "storage", NULL);
  g_autofree char *scratch = info_python_path (storage_path);
  gboolean immutable = !has_file (self->path, "writer/metadata.json");
  ReelRingInfo ring;

  if (!reel_replay_buffer_get_ring (self->buffer, &ring, error))
    return FALSE;
  g_print ("from torchrl.data import %sLazyMemmapStorage, TensorDictReplayBuffer\n\n"
           "rb = TensorDictReplayBuffer(storage=LazyMemmapStorage(\n"
           "    %" G_GINT64_FORMAT ", scratch_dir=%s, ndim=%d, existsok=True)%s)\n"
           "rb.loads(%s)\n",
           immutable ? "ImmutableDatasetWriter, " : "", self->capacity, scratch, self->ndim,
           immutable ? ", writer=ImmutableDatasetWriter()" : "", self->literal);
  if (ring.end >= ring.capacity && !immutable)
    g_print ("rb.storage._set_last_cursor(%" G_GINT64_FORMAT
             ")  # the ring is full: its oldest step is %" G_GINT64_FORMAT "\n",
             (reel_replay_buffer_get_cursor (self->buffer) + ring.capacity - 1) % ring.capacity,
             ring.begin % ring.capacity);
  if (ring.torn_n > 0 && !ring.written)
    g_print ("# steps %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
             " were being overwritten when the writer ended: leave them out\n",
             ring.torn_first, (ring.torn_first + ring.torn_n - 1) % ring.capacity);
  return TRUE;
}

/* ---- all of it ---- */

/* Parts that TorchRL loads beside the same parts alone, as warnings name them; NULL for none. */
static const char *
find_obstacle (ReelReplayBuffer *buffer)
{
  static const char *const files[] = { "prefetch.pkl", "transform.t" };
  g_auto (GStrv) warnings = reel_replay_buffer_dup_warnings (buffer);

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    for (char **warning = warnings; *warning; warning++)
      if (strstr (*warning, files[i]))
        return files[i];
  return NULL;
}

gboolean
info_print_python (const char *path, ReelReplayBuffer *buffer, GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  g_autofree char *literal = info_python_path (full);
  const Recipe self = { path,
                        literal,
                        buffer,
                        storage,
                        reel_replay_buffer_get_capacity (buffer),
                        reel_storage_get_ndim (storage) };
  g_autofree char *form = reel_checkpoint_read_form (path, error);
  const char *obstacle = find_obstacle (buffer);

  if (!form)
    return FALSE;
  if (obstacle)
    {
      g_print ("# TorchRL loads %s only into a buffer with the parts that wrote it.\n"
               "# A copy without it: replay convert %s NEW\n",
               obstacle, path);
      return TRUE;
    }
  if (!reel_storage_get_data (storage))
    print_values (&self);
  else if (strcmp (form, "tensor") != 0 && strcmp (form, "TensorStorageCheckpointer") != 0)
    return print_ted (&self, form, error);
  else if (reel_tensordict_get_kind (reel_storage_get_data (storage)) != REEL_TENSORDICT_DICT)
    print_tree (&self);
  else
    return print_columns (&self, error);
  return TRUE;
}
