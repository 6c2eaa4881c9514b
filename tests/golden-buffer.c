#include "golden-buffer.h"

#include "../src/core/formats/json.h"
#include "../src/core/system/directories.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

GPtrArray *
golden_list (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "torchrl", NULL);
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  while ((name = g_dir_read_name (directory)))
    if (g_str_has_prefix (name, "rb-"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_assert_cmpuint (names->len, >, 50);
  return names;
}

char *
golden_dump (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "torchrl", name, "dump", NULL);
}

json_t *
golden_expect (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "torchrl", name, "expect.json", NULL);
  g_autoptr (GError) error = NULL;
  json_t *expect = reel_json_load_file (path, &error);

  g_assert_no_error (error);
  return expect;
}

char *
golden_copy (const char *name)
{
  g_autofree char *from = golden_dump (name);
  char *to = scratch_path (name);

  tree_copy (from, to);
  return to;
}

/* ---- whole directories ---- */

static void
list_files (GPtrArray *files, const char *path, const char *prefix)
{
  GDir *directory = g_dir_open (path, 0, NULL);
  const char *name;

  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *full = g_build_filename (path, name, NULL);
      g_autofree char *below = g_build_filename (prefix, name, NULL);

      if (g_file_test (full, G_FILE_TEST_IS_DIR))
        list_files (files, full, below);
      else
        g_ptr_array_add (files, g_steal_pointer (&below));
    }
  if (directory)
    g_dir_close (directory);
  g_ptr_array_sort (files, compare_names);
}

static GPtrArray *
files_below (const char *path)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);

  list_files (files, path, "");
  return files;
}

static char *
contents (const char *path, const char *file, gsize *length)
{
  g_autofree char *full = g_build_filename (path, file, NULL);
  g_autoptr (GError) error = NULL;
  char *text;

  g_file_get_contents (full, &text, length, &error);
  g_assert_no_error (error);
  return text;
}

void
tree_copy (const char *from, const char *to)
{
  g_autoptr (GPtrArray) files = files_below (from);

  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *target = g_build_filename (to, files->pdata[i], NULL);
      g_autofree char *parent = g_path_get_dirname (target);
      gsize length;
      g_autofree char *text = contents (from, files->pdata[i], &length);

      g_assert_cmpint (g_mkdir_with_parents (parent, 0777), ==, 0);
      g_assert_true (g_file_set_contents (target, text, (gssize) length, NULL));
    }
}

void
ring_take_place (const char *run)
{
  g_autofree char *file = g_build_filename (run, "reel.json", NULL), *text = NULL, *name = NULL;
  g_autofree char *ring = g_build_filename (run, "reel.ring", NULL);
  g_autoptr (json_t) sidecar = json_load_file (file, 0, NULL);
  GStatBuf status;

  g_assert_cmpint (g_stat (ring, &status), ==, 0);
  if (!json_object_get (sidecar, "ring"))
    return;
  name = g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64) status.st_dev,
                          (guint64) status.st_ino);
  json_object_set_new (sidecar, "ring", json_string (name));
  g_assert_cmpint (json_dump_file (sidecar, file, JSON_COMPACT), ==, 0);
}

void
tree_copy_killed (const char *from, const char *to)
{
  tree_copy (from, to);
  ring_take_place (to);
}

char *
tree_digest (const char *path)
{
  g_autoptr (GPtrArray) files = files_below (path);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  if (files->len == 0)
    return g_strdup ("");
  for (guint i = 0; i < files->len; i++)
    {
      const char *name = files->pdata[i];
      gsize length;
      g_autofree char *text = contents (path, name, &length);

      g_checksum_update (sum, (const guchar *) name, (gssize) strlen (name) + 1);
      g_checksum_update (sum, (const guchar *) text, (gssize) length);
    }
  return g_strdup (g_checksum_get_string (sum));
}

void
remove_leftovers (gboolean allowed)
{
  g_auto (GStrv) names = reel_directory_list (scratch_directory, NULL);

  for (gsize i = 0; names[i]; i++)
    {
      g_autofree char *path = scratch_path (names[i]);

      if (names[i][0] != '.'
          || !(g_str_has_suffix (names[i], ".tmp") || g_str_has_suffix (names[i], ".old")))
        continue;
      g_assert_true (allowed);
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

void
replace_text (const char *path, const char *old, const char *by)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) parts = NULL;
  g_autofree char *new_text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  parts = g_strsplit (text, old, 2);
  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  new_text = g_strjoinv (by, parts);
  g_assert_true (g_file_set_contents (path, new_text, -1, NULL));
}

/* ---- golden cases ---- */

static void
assert_leaf (const json_t *leaf, const ReelTensor *tensor, gint64 rows)
{
  const json_t *shape = json_object_get (leaf, "shape");
  gsize bytes = reel_tensor_nbytes (tensor) / (gsize) tensor->shape[0] * (gsize) rows;
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, tensor->data, bytes);

  g_assert_cmpstr (reel_dtype_name (tensor->dtype), ==,
                   json_string_value (json_object_get (leaf, "dtype")));
  g_assert_cmpint (tensor->ndim, ==, (gint) json_array_size (shape));
  g_assert_cmpint (rows, ==, json_integer_value (json_array_get (shape, 0)));
  for (gint d = 1; d < tensor->ndim; d++)
    g_assert_cmpint (tensor->shape[d], ==, json_integer_value (json_array_get (shape, d)));
  g_assert_cmpstr (sum, ==, json_string_value (json_object_get (leaf, "sha256")));
}

static void
assert_chronology (const json_t *expect, ReelReplayBuffer *buffer)
{
  const json_t *rows = json_object_get (expect, "chronological_rows"), *row;
  ReelRingInfo info;
  gsize i;

  g_assert_true (reel_replay_buffer_get_ring (buffer, &info, NULL));
  if (!rows)
    return;
  g_assert_cmpint (info.end - info.begin, ==, (gint64) json_array_size (rows));
  json_array_foreach (rows, i, row)
  {
    g_assert_cmpint ((info.begin + (gint64) i) % info.capacity, ==, json_integer_value (row));
  }
}

const char *
golden_checkpointer (const json_t *expect)
{
  const char *name =
      json_string_value (json_object_get (json_object_get (expect, "storage"), "checkpointer"));
  g_autoptr (ReelCheckpointer) checkpointer =
      name ? reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, name, NULL, NULL) : NULL;

  return checkpointer ? name : NULL;
}

gint64
golden_rows (const json_t *expect)
{
  const json_t *storage = json_object_get (expect, "storage");
  const char *key = json_object_get (storage, "pytree") ? "len" : "rows_filled";

  return json_integer_value (json_object_get (storage, key));
}

gint64
golden_steps (const json_t *expect)
{
  const json_t *storage = json_object_get (expect, "storage");

  if (json_object_get (storage, "pytree"))
    return json_integer_value (json_object_get (storage, "max_size"));
  return json_integer_value (json_array_get (json_object_get (storage, "shape"), 0));
}

void
golden_assert_content (const json_t *expect, ReelReplayBuffer *buffer)
{
  const json_t *storage = json_object_get (expect, "storage");
  const json_t *writer = json_object_get (expect, "writer");
  const json_t *batch_size = json_object_get (json_object_get (expect, "buffer"), "batch_size");
  json_t *tree = json_object_get (storage, "pytree");
  json_t *keys = tree ? tree : json_object_get (storage, "keys"), *leaf;
  ReelTensordict *data = reel_storage_get_data (reel_replay_buffer_get_storage (buffer));
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (data);
  const char *key;

  g_assert_cmpint (
      reel_replay_buffer_get_length (buffer), ==,
      json_integer_value (json_object_get (json_object_get (expect, "buffer"), "len")));
  g_assert_cmpint (reel_replay_buffer_get_capacity (buffer), ==,
                   json_integer_value (json_object_get (storage, "max_size")));
  g_assert_cmpint (reel_storage_get_ndim (reel_replay_buffer_get_storage (buffer)), ==,
                   json_integer_value (json_object_get (storage, "ndim")));
  g_assert_cmpint (reel_replay_buffer_get_batch_size (buffer), ==, json_integer_value (batch_size));
  if (json_object_get (writer, "cursor"))
    {
      g_assert_cmpint (reel_replay_buffer_get_cursor (buffer), ==,
                       json_integer_value (json_object_get (writer, "cursor")));
      g_assert_cmpint (reel_replay_buffer_get_write_count (buffer), ==,
                       json_integer_value (json_object_get (writer, "write_count")));
    }
  g_assert_cmpuint (g_strv_length (leaves), ==, json_object_size (keys));
  json_object_foreach (keys, key, leaf)
  {
    g_autofree char *path = g_strdelimit (g_strdup (key), tree ? "." : "", '/');

    assert_leaf (leaf, reel_tensordict_get_tensor (data, path, NULL), golden_rows (expect));
  }
  assert_chronology (expect, buffer);
}

void
assert_equal_buffers (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = reel_replay_buffer_get_all (a, NULL);
  g_autoptr (ReelTensordict) other = reel_replay_buffer_get_all (b, NULL);
  ReelRingInfo left, right;

  g_assert_true (reel_tensordict_equal (one, other));
  g_assert_true (reel_replay_buffer_get_ring (a, &left, NULL));
  g_assert_true (reel_replay_buffer_get_ring (b, &right, NULL));
  g_assert_cmpint (left.begin, ==, right.begin);
  g_assert_cmpint (left.end, ==, right.end);
  g_assert_cmpint (reel_replay_buffer_get_cursor (a), ==, reel_replay_buffer_get_cursor (b));
  g_assert_cmpint (reel_replay_buffer_get_write_count (a), ==,
                   reel_replay_buffer_get_write_count (b));
}

static gboolean
is_compared (const char *file)
{
  return (g_str_has_prefix (file, "storage/") || g_str_has_prefix (file, "writer/")
          || g_str_has_prefix (file, "sampler/") || g_str_equal (file, "buffer_metadata.json"))
         && (g_str_has_suffix (file, ".json") || g_str_has_suffix (file, ".memmap")
             || g_str_has_suffix (file, ".pt"))
         && !g_str_has_suffix (file, "/reel.json");
}

static void
assert_same_file (const char *theirs, const char *ours, const char *file, gint64 rows,
                  gint64 capacity)
{
  gsize n, m;
  g_autofree char *a = contents (theirs, file, &n), *b = contents (ours, file, &m);

  if (g_str_has_suffix (file, ".json"))
    {
      g_autoptr (json_t) one = reel_json_parse (file, a, n, NULL);
      g_autoptr (json_t) other = reel_json_parse (file, b, m, NULL);

      g_assert_true (one && other && json_equal (one, other));
      return;
    }
  g_assert_cmpuint (n, ==, m);
  if (!g_str_has_prefix (file, "storage/"))
    rows = capacity;
  g_assert_cmpmem (a, n * (gsize) rows / (gsize) capacity, b, m * (gsize) rows / (gsize) capacity);
}

void
golden_assert_same_files (const char *theirs, const char *ours, gint64 rows, gint64 capacity)
{
  g_autoptr (GPtrArray) files = files_below (theirs), own = files_below (ours);
  guint n_compared = 0;

  for (guint i = 0; i < files->len; i++)
    if (is_compared (files->pdata[i]))
      {
        assert_same_file (theirs, ours, files->pdata[i], rows, capacity);
        n_compared++;
      }
  for (guint i = 0; i < own->len; i++)
    n_compared -= is_compared (own->pdata[i]);
  g_assert_cmpuint (n_compared, ==, 0);
}
