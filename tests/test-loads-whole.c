/* A load that fails, early or late, leaves the buffer as it was: its rows, what its parts remember,
 * and what it draws and writes next. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "buffer-parts.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "scratch.h"
#include "ted-rows.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define N_MEMBERS 3 /* of an ensemble */

static const TedRows rows = { 1, 6, 0, 0x12, FALSE };

/* Its files hold no such keys. */
static const char *const nested[] = { "next", "collector" };

/* ---- what is loaded into ---- */

typedef struct
{
  const char *storage;
  const char *sampler;
  const char *writer;
  const char *checkpointer;
  gint64 prefetch;
} Parts;

/* NULL where the parts refuse each other. */
static ReelReplayBuffer *
new_buffer (const Parts *parts)
{
  ReelReplayBuffer *buffer =
      buffer_parts_new (parts->storage, parts->sampler, parts->writer, 3, parts->prefetch);

  if (buffer && parts->checkpointer)
    ted_rows_set_checkpointer (buffer, parts->checkpointer);
  return buffer;
}

static void
extend (ReelReplayBuffer *buffer, gint64 first, gint64 n)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (buffer);
  g_autoptr (ReelTensordict) batch = ted_rows_batch (&rows, first, n);
  g_autoptr (GError) error = NULL;

  if (g_str_equal (reel_object_get_id (REEL_OBJECT (storage)), "compressed-list"))
    for (gsize i = 0; i < G_N_ELEMENTS (nested); i++)
      g_assert_true (reel_tensordict_remove (batch, nested[i], NULL));
  reel_tensordict_unref (buffer_parts_get_state (buffer)); /* copies have ended */
  g_assert_true (reel_replay_buffer_extend (buffer, batch, NULL, &error));
  g_assert_no_error (error);
}

/* NULL where the sampler refuses the rows of the storage. */
static ReelTensordict *
draw (ReelReplayBuffer *buffer, gint64 slot)
{
  g_autoptr (ReelTensordict) batch = NULL;
  const double priority = 2 + (double) slot;

  if (!reel_replay_buffer_sample (buffer, 0, &batch, NULL))
    return NULL;
  g_assert_true (reel_sampler_update_priority (reel_replay_buffer_get_sampler (buffer),
                                               reel_replay_buffer_get_storage (buffer), &slot, 1,
                                               &priority, NULL));
  return g_steal_pointer (&batch);
}

/* With @n steps from @first on, and drawn from; with none it never held any. */
static ReelReplayBuffer *
new_used_buffer (const Parts *parts, gint64 first, gint64 n)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (parts);
  g_autoptr (ReelTensordict) batch = NULL;

  if (!buffer || n == 0)
    return g_steal_pointer (&buffer);
  extend (buffer, first, n);
  batch = draw (buffer, first % 2);
  return batch ? g_steal_pointer (&buffer) : NULL;
}

/* ---- one buffer or an ensemble ---- */

typedef struct
{
  guint n;
  Parts parts[N_MEMBERS];
  gint64 n_steps;
  ReelReplayBuffer *buffers[N_MEMBERS];
  ReelReplayBufferEnsemble *ensemble; /* NULL for one buffer */
  ReelTensordict *before[N_MEMBERS];  /* their states */
} Target;

static void
target_clear (Target *self)
{
  g_clear_object (&self->ensemble);
  for (guint i = 0; i < self->n; i++)
    {
      g_clear_object (&self->buffers[i]);
      g_clear_pointer (&self->before[i], reel_tensordict_unref);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Target, target_clear)

static gboolean
target_make (Target *self, gint64 first)
{
  target_clear (self);
  for (guint i = 0; i < self->n; i++)
    {
      self->buffers[i] = new_used_buffer (&self->parts[i], first + i, self->n_steps);
      if (!self->buffers[i])
        return FALSE;
      self->before[i] = buffer_parts_get_state (self->buffers[i]);
    }
  if (self->n > 1)
    self->ensemble = reel_replay_buffer_ensemble_new (self->buffers, self->n, NULL, NULL);
  return TRUE;
}

static gboolean
target_loads (Target *self, const char *path, GError **error)
{
  return self->ensemble ? reel_replay_buffer_ensemble_loads (self->ensemble, path, error)
                        : reel_replay_buffer_loads (self->buffers[0], path, error);
}

static void
target_dumps (Target *self, const char *path)
{
  g_autoptr (GError) error = NULL;

  if (self->ensemble)
    reel_replay_buffer_ensemble_dumps (self->ensemble, path, REEL_CHECKPOINT_FORCE, &error);
  else
    reel_replay_buffer_dumps (self->buffers[0], path, REEL_CHECKPOINT_FORCE, &error);
  g_assert_no_error (error);
}

static void
assert_as_before (const Target *self)
{
  for (guint i = 0; i < self->n; i++)
    {
      ReelStorage *storage = reel_replay_buffer_get_storage (self->buffers[i]);
      g_autoptr (ReelTensordict) now = buffer_parts_get_state (self->buffers[i]);

      g_assert_true (reel_tensordict_equal (now, self->before[i]));
      g_assert_true (self->n_steps > 0 || reel_storage_get_data (storage) == NULL);
    }
}

/* A twin that never loaded anything goes on alike. */
static void
assert_same_future (Target *self, gint64 first)
{
  g_auto (Target) twin = { .n = self->n, .n_steps = self->n_steps };

  memcpy (twin.parts, self->parts, sizeof twin.parts);
  g_assert_true (target_make (&twin, first));
  for (guint i = 0; i < self->n; i++)
    for (gint64 round = 0; round < 4; round++)
      {
        g_autoptr (ReelTensordict) one = NULL, other = NULL;

        if (self->n_steps == 0 || round == 2)
          {
            extend (self->buffers[i], 50 + round, 2);
            extend (twin.buffers[i], 50 + round, 2);
          }
        one = draw (self->buffers[i], round);
        other = draw (twin.buffers[i], round);
        g_assert_true ((one == NULL) == (other == NULL));
        g_assert_true (!one || reel_tensordict_equal (one, other));
      }
  for (guint i = 0; i < self->n; i++)
    {
      g_autoptr (ReelTensordict) one = buffer_parts_get_state (self->buffers[i]);
      g_autoptr (ReelTensordict) other = buffer_parts_get_state (twin.buffers[i]);

      g_assert_true (reel_tensordict_equal (one, other));
    }
}

/* ---- what can go wrong ---- */

static void
list_files (const char *path, GPtrArray *files)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (directory)))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);

      if (g_file_test (below, G_FILE_TEST_IS_DIR))
        list_files (below, files);
      else
        g_ptr_array_add (files, g_steal_pointer (&below));
    }
}

typedef struct
{
  char *bytes;
  gsize length;
} Content;

static void
remove_it (const char *path, const Content *content)
{
  g_assert_true (g_unlink (path) == 0);
}

static void
halve (const char *path, const Content *content)
{
  g_assert_true (g_file_set_contents (path, content->bytes, (gssize) content->length / 2, NULL));
}

static void
fill (const char *path, const Content *content)
{
  g_autofree char *bytes = g_malloc (content->length + 1);

  memset (bytes, 0xff, content->length);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) content->length, NULL));
}

static void
lengthen (const char *path, const Content *content)
{
  g_autofree char *bytes = g_strndup ("", content->length + 8);

  memcpy (bytes, content->bytes, content->length);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) content->length + 8, NULL));
}

static void (*const damages[]) (const char *, const Content *) = { remove_it, halve, fill,
                                                                   lengthen };

typedef struct
{
  gint64 begun; /* series of loads */
  gint64 failed;
  gint64 loaded;
} Count;

/* One of so many is tried, another one in each composition; all of them with -m slow. */
static gint64
stride (void)
{
  return g_test_slow () ? 1 : 61;
}

/* After what a load gave back. Going on changes both twins, and takes time: not after each. */
static void
check (Target *to, gboolean loaded, const GError *error, Count *count)
{
  g_assert_true (loaded == (error == NULL));
  count->loaded += loaded;
  count->failed += !loaded;
  if (!loaded)
    assert_as_before (to);
  if (!loaded && count->failed % 5 == 0)
    assert_same_future (to, 20);
  if (loaded || count->failed % 5 == 0)
    g_assert_true (target_make (to, 20));
}

static void
try_load (Target *to, const char *path, Count *count)
{
  g_autoptr (GError) error = NULL;
  gboolean loaded = target_loads (to, path, &error);

  check (to, loaded, error, count);
}

static void
damage_every_file (Target *to, const char *path, Count *count)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);

  list_files (path, files);
  for (gint64 i = 17 * count->begun++ % stride ();
       i < (gint64) (files->len * G_N_ELEMENTS (damages)); i += stride ())
    {
      const char *file = files->pdata[i / (gint64) G_N_ELEMENTS (damages)];
      Content content;

      g_assert_true (g_file_get_contents (file, &content.bytes, &content.length, NULL));
      damages[i % (gint64) G_N_ELEMENTS (damages)](file, &content);
      try_load (to, path, count);
      g_assert_true (g_file_set_contents (file, content.bytes, (gssize) content.length, NULL));
      g_free (content.bytes);
    }
}

static void
fail_every_call (Target *to, const char *path, Count *count)
{
  gboolean struck = TRUE;

  for (gint64 n = 1 + 17 * count->begun++ % stride (); struck; n += stride ())
    {
      g_autoptr (GError) error = NULL;
      gboolean done;

      file_faults_begin ();
      file_faults_fail (NULL, n, n % 2 ? EIO : ENOSPC, n % 3 == 0);
      done = target_loads (to, path, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      check (to, done, error, count);
    }
}

static void
check_every_failure (Target *from, Target *to, gboolean calls, Count *count)
{
  g_autofree char *path = scratch_path ("dump");

  target_dumps (from, path);
  damage_every_file (to, path, count);
  if (calls)
    fail_every_call (to, path, count);
}

/* ---- what it is made of ---- */

static const char *const storages[] = { "tensor:capacity=6", "tensor:capacity=6,layout=records",
                                        "memmap:capacity=6", "compressed-list:capacity=6" };
static const char *const samplers[] = {
  "random:seed=3",
  "without-replacement:seed=3",
  "consuming:seed=3,max-sample-count=2",
  "prioritized:seed=3",
  "staleness-aware:seed=3,version-key=action,consumer-version=100",
  "slice:seed=3,slice-len=1,end-key=next/done",
  "slice-without-replacement:seed=3,slice-len=1,end-key=next/done",
  "prioritized-slice:seed=3,slice-len=1,end-key=next/done",
  "sequence:length=1,done-key=next/done,sampler=(prioritized:seed=3)",
};
static const char *const writers[] = { "round-robin", "round-robin:track-generations=true",
                                       "max-value:rank-key=action" };

/* FALSE where the parts refuse each other. */
static gboolean
check_parts (const Parts *parts, gint64 n_steps, gboolean calls, Count *count)
{
  g_auto (Target) from = { .n = 1, .parts = { *parts }, .n_steps = 5 };
  g_auto (Target) to = { .n = 1, .parts = { *parts }, .n_steps = n_steps };

  if (!target_make (&from, 0) || !target_make (&to, 20))
    return FALSE;
  check_every_failure (&from, &to, calls, count);
  return TRUE;
}

/* Each storage with each writer: into buffers that hold rows, and into such that never did; with
 * the first writer every call fails too. */
static void
test_every_composition (gconstpointer sampler)
{
  Count count = { 0 };
  gint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (storages) * G_N_ELEMENTS (writers); i++)
    {
      const Parts parts = { storages[i % G_N_ELEMENTS (storages)], sampler,
                            writers[i / G_N_ELEMENTS (storages)], NULL,
                            strstr (sampler, "consuming") ? 0 : (gint64) i % 2 * 2 };

      n += check_parts (&parts, (i + i / G_N_ELEMENTS (storages)) % 2 * 8,
                        i < G_N_ELEMENTS (storages), &count);
    }
  g_test_message ("%d compositions: %" G_GINT64_FORMAT " loads failed, %" G_GINT64_FORMAT
                  " did not",
                  n, count.failed, count.loaded);
  g_assert_cmpint (n, >=, 4);
  g_assert_cmpint (count.failed, >, 50 * n / stride ());
}

static void
test_every_checkpointer (gconstpointer id)
{
  Count count = { 0 };

  for (gsize i = 0; i < 3; i++)
    {
      const Parts parts = { storages[i], samplers[3], writers[0], id, 2 };

      g_assert_true (check_parts (&parts, 0, TRUE, &count));
      g_assert_true (check_parts (&parts, 8, TRUE, &count));
    }
  g_test_message ("%" G_GINT64_FORMAT " loads failed, %" G_GINT64_FORMAT " did not", count.failed,
                  count.loaded);
}

/* Members of every storage, sampler and writer: what one of them says last must not find that the
 * others changed. */
static void
test_ensembles (void)
{
  Count count = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (samplers); i++)
    for (gint64 n_steps = 0; n_steps < 9; n_steps += 8)
      {
        g_auto (Target) from = { .n = N_MEMBERS, .n_steps = 5 };
        g_auto (Target) to = { .n = N_MEMBERS, .n_steps = n_steps };

        for (gsize k = 0; k < N_MEMBERS; k++)
          from.parts[k] = to.parts[k] =
              (Parts){ storages[(i + k) % 3], samplers[(i + k * 2) % G_N_ELEMENTS (samplers)],
                       writers[k], NULL, 0 };
        if (target_make (&from, 0) && target_make (&to, 20))
          check_every_failure (&from, &to, TRUE, &count);
      }
  g_test_message ("%" G_GINT64_FORMAT " loads failed, %" G_GINT64_FORMAT " did not", count.failed,
                  count.loaded);
  g_assert_cmpint (count.failed, >, 5000 / stride ());
}

/* Files that a load made are gone when it failed, and what lay beside them is not. */
static void
test_files_go_again (void)
{
  g_autofree char *home = scratch_path ("home"), *path = scratch_path ("dump");
  g_autofree char *other = scratch_path ("home/other");
  g_autofree char *text = g_strdup_printf ("memmap:capacity=6,scratch-dir='%s'", home);
  const Parts source = { storages[0], samplers[4], writers[0], NULL, 0 };
  const Parts parts = { text, "staleness-aware:version-key=observation", writers[0], NULL, 0 };
  g_autoptr (ReelReplayBuffer) from = new_used_buffer (&source, 0, 5);

  g_assert_true (reel_replay_buffer_dumps (from, path, 0, NULL));
  for (gint kind = 0; kind < 3; kind++)
    {
      g_autoptr (ReelReplayBuffer) to = new_buffer (&parts);
      g_autoptr (GError) error = NULL;

      if (kind > 0)
        g_mkdir (home, 0777);
      if (kind > 1)
        scratch_put (other, "kept");
      g_assert_false (reel_replay_buffer_loads (to, path, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_TYPE);
      scratch_assert_names (scratch_directory, kind > 0 ? "dump home" : "dump");
      if (kind > 0)
        scratch_assert_names (home, kind > 1 ? "other" : "");
    }
}

int
main (int argc, char **argv)
{
  g_autofree const ReelId **checkpointers = NULL;
  gsize n_checkpointers;

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  checkpointers = reel_object_list_ids (REEL_TYPE_CHECKPOINTER, &n_checkpointers);
  for (gsize i = 0; i < G_N_ELEMENTS (samplers); i++)
    {
      g_auto (GStrv) words = g_strsplit (samplers[i], ":", 2);
      g_autofree char *name =
          g_strconcat ("/buffers/loads-whole/every-composition/", words[0], NULL);

      scratch_test_with_data (name, test_every_composition, samplers[i]);
    }
  for (gsize i = 0; i < n_checkpointers; i++)
    {
      g_autofree char *name = g_strconcat ("/buffers/loads-whole/", checkpointers[i]->id, NULL);

      if (g_ascii_islower (checkpointers[i]->id[0]))
        scratch_test_with_data (name, test_every_checkpointer, checkpointers[i]->id);
    }
  scratch_test ("/buffers/loads-whole/ensembles", test_ensembles);
  scratch_test ("/buffers/loads-whole/files-go-again", test_files_go_again);
  return g_test_run ();
}
