/* Changes by another process, at any moment of putting in place, are not undone. */
#include "../src/core/system/directories.h"
#include "../src/core/system/file-ops.h"
#include "../src/core/system/files.h"
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

/* ---- who puts something in place ---- */

static gboolean
put_dump (const char *path, ReelCheckpointFlags flags)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);

  counted_extend (buffer, 1, 3, 100);
  return reel_replay_buffer_dumps (buffer, path, flags, NULL);
}

static gboolean
put_in_order (const char *path, ReelCheckpointFlags flags)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  ReelOrderedDump dump = { 0 };

  counted_extend (buffer, 1, 3, 100);
  return reel_replay_buffer_dumps_in_order (buffer, path, &dump, flags, NULL);
}

static gboolean
put_ensemble (const char *path, ReelCheckpointFlags flags)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
  const ReelEnsembleOptions options = { 0 };
  g_autoptr (ReelReplayBufferEnsemble) ensemble = NULL;

  counted_extend (buffer, 1, 3, 100);
  ensemble = reel_replay_buffer_ensemble_new (&buffer, 1, &options, NULL);
  return reel_replay_buffer_ensemble_dumps (ensemble, path, flags, NULL);
}

static gboolean
put_live (const char *path, ReelCheckpointFlags flags)
{
  g_autoptr (ReelTensordict) step = counted_new_step (1, 1, 0);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_create_live (path, 4, step, flags, NULL);

  return buffer != NULL;
}

static gboolean
put_batches (const char *path, ReelCheckpointFlags flags)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);

  counted_extend (buffer, 1, 3, 100);
  return reel_replay_buffer_save_batches (buffer, 2, 1, path, NULL, NULL);
}

typedef gboolean (*Put) (const char *path, ReelCheckpointFlags flags);

static const struct
{
  const char *name;
  Put put;
} putters[] = {
  { "dump", put_dump }, { "in-order", put_in_order }, { "ensemble", put_ensemble },
  { "live", put_live }, { "batches", put_batches },
};

/* ---- what others do meanwhile ---- */

typedef struct
{
  char *path, *file, *ring;
  gboolean acted;
  int lock;
} Other;

/* mkdir PATH && echo kept >PATH/kept */
static void
make_directory (gpointer data)
{
  Other *self = data;

  self->acted = g_mkdir (self->path, 0777) == 0;
  if (self->acted)
    scratch_put (self->file, "kept");
}

static void
write_notes (gpointer data)
{
  Other *self = data;

  if (!g_file_test (self->path, G_FILE_TEST_IS_DIR))
    return;
  scratch_put (self->file, "kept");
  self->acted = TRUE;
}

/* Begins to write on in the run that is there. */
static void
take_ring (gpointer data)
{
  Other *self = data;
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

  self->lock = open (self->ring, O_RDWR | O_CLOEXEC);
  self->acted = self->lock >= 0 && fcntl (self->lock, F_OFD_SETLK, &lock) == 0;
}

static gboolean
is_ring_there (const Other *self)
{
  struct stat named, locked;

  return stat (self->ring, &named) == 0 && fstat (self->lock, &locked) == 0
         && named.st_ino == locked.st_ino && named.st_dev == locked.st_dev;
}

static void
make_closed_run (const char *path)
{
  g_autoptr (ReelTensordict) step = counted_new_step (1, 1, 0);
  g_autoptr (ReelReplayBuffer) buffer = reel_replay_buffer_create_live (path, 4, step, 0, NULL);

  g_assert_true (buffer && reel_replay_buffer_close (buffer, NULL));
}

/* ---- tests ---- */

/* Lets @act happen before the nth call, for every n; @check looks at what is left. */
static void
at_every_call (Put put, ReelCheckpointFlags flags, gboolean exists, void (*act) (gpointer data),
               void (*check) (const Other *other, gboolean done))
{
  g_autofree char *path = scratch_path ("run"), *file = scratch_path ("run/kept");
  g_autofree char *ring = scratch_path ("run/reel.ring");
  gint64 n_acted = 0;
  gboolean struck = TRUE;

  for (gint64 n = 1; struck; n++)
    {
      Other other = { path, file, ring, FALSE, -1 };
      gboolean done;

      if (exists)
        make_closed_run (path);
      file_faults_begin ();
      file_faults_call (n, act, &other);
      done = put (path, flags);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (done || other.acted);
      if (other.acted)
        check (&other, done);
      n_acted += other.acted;
      if (other.lock >= 0)
        close (other.lock);
      g_assert_true (reel_directory_remove (path, NULL));
      scratch_assert_names (scratch_directory, "");
    }
  g_assert_cmpint (n_acted, >, 3);
}

static void
check_kept (const Other *other, gboolean done)
{
  scratch_assert_holds (other->file, "kept");
}

static void
check_refused (const Other *other, gboolean done)
{
  check_kept (other, done);
  g_assert_false (done);
}

static void
check_ring (const Other *other, gboolean done)
{
  g_assert_true (is_ring_there (other));
}

static void
test_a_directory_that_appears (gconstpointer data)
{
  at_every_call ((Put) data, REEL_CHECKPOINT_DEFAULT, FALSE, make_directory, check_refused);
}

static void
test_a_directory_that_appears_before_force (gconstpointer data)
{
  at_every_call ((Put) data, REEL_CHECKPOINT_FORCE, FALSE, make_directory, check_refused);
}

static void
test_force_removes_no_foreign_file (gconstpointer data)
{
  at_every_call ((Put) data, REEL_CHECKPOINT_FORCE, TRUE, write_notes, check_kept);
}

static void
test_force_removes_no_run_that_goes_on (gconstpointer data)
{
  at_every_call ((Put) data, REEL_CHECKPOINT_FORCE, TRUE, take_ring, check_ring);
}

/* Each is named, wherever it is, and nothing is lost by the refusal. */
static void
test_foreign_files_are_named (void)
{
  static const char *const names[] = { "notes.txt",           "plots/loss.png",
                                       "storage/labels.json", "writer/notes",
                                       "reel.json.bak",       "obs.memmap",
                                       "storage/a/b/note",    "storage/reel.ring" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = scratch_path ("run"), *file = g_build_filename (path, names[i], NULL);
      g_autofree char *above = g_path_get_dirname (file);
      g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 4, 1);
      g_autoptr (GError) error = NULL;
      const char *named = g_str_has_prefix (names[i], "plots") ? "plots" : names[i];

      make_closed_run (path);
      g_assert_true (reel_directory_make (above, NULL));
      scratch_put (file, "kept");
      counted_extend (buffer, 1, 3, 100);
      g_assert_false (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_nonnull (strstr (error->message, named));
      scratch_assert_holds (file, "kept");
      g_assert_true (reel_directory_remove (file, NULL));
      if (named != names[i])
        g_assert_true (reel_directory_remove (above, NULL));
      g_clear_error (&error);
      reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_FORCE, &error);
      g_assert_no_error (error);
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

static void
add (const char *name, gsize first, gsize end, void (*test) (gconstpointer data))
{
  for (gsize i = first; i < end; i++)
    {
      g_autofree char *path =
          g_strdup_printf ("/buffers/put-in-place/%s/%s", name, putters[i].name);

      scratch_test_with_data (path, test, (gconstpointer) putters[i].put);
    }
}

int
main (int argc, char **argv)
{
  gsize all = G_N_ELEMENTS (putters), n_forced = all - 1; /* batches are never forced */

  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  add ("a-directory-that-appears", 0, all, test_a_directory_that_appears);
  add ("a-directory-that-appears-before-force", 0, n_forced,
       test_a_directory_that_appears_before_force);
  add ("force-removes-no-foreign-file", 0, n_forced, test_force_removes_no_foreign_file);
  add ("force-removes-no-run-that-goes-on", 0, n_forced, test_force_removes_no_run_that_goes_on);
  scratch_test ("/buffers/put-in-place/foreign-files-are-named", test_foreign_files_are_named);
  return g_test_run ();
}
