#include "../src/core/system/directories.h"
#include "../src/core/system/drafts.h"
#include "../src/core/object/error.h"
#include "../src/core/system/file-ops.h"
#include "../src/core/system/files.h"
#include "../src/core/system/mapping.h"
#include "file-faults.h"
#include "power-loss.h"
#include "scratch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static gint64
descriptors_open (void)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/fd", 0, NULL);
  gint64 n = 0;

  while (g_dir_read_name (directory))
    n++;
  return n;
}

/* A job that uses everything, so that each of its calls can be made to fail. */
static gboolean
fill (const char *directory, const char *text, GError **error)
{
  g_autofree char *meta = g_build_filename (directory, "meta", NULL),
                  *leaf = g_build_filename (directory, "leaf", NULL);
  g_autofree char *index = g_build_filename (directory, "index", NULL);
  const ReelFileContent contents[] = { { meta, text, strlen (text) },
                                       { index, text, strlen (text) } };
  const ReelFileHandle handle = { leaf, -1 };
  int fd = reel_file_create (leaf, 4096, error);
  ReelMapping mapping;
  gboolean mapped;

  if (fd < 0)
    return FALSE;
  mapped = reel_file_map (leaf, fd, REEL_MAP_WRITE, 4096, &mapping, error);
  if (mapped)
    {
      gboolean populated = reel_mapping_populate (&mapping, leaf, 0, 4096, error);

      if (populated)
        strcpy ((char *) mapping.data, text);
      reel_mapping_unmap (&mapping);
      mapped = populated;
    }
  return reel_file_close (fd, leaf, mapped ? error : NULL) && mapped
         && reel_files_sync (&handle, 1, NULL, 0, error)
         && reel_files_write_atomic (contents, G_N_ELEMENTS (contents), TRUE, error);
}

/* Puts a directory of three files in place of what was there. */
static gboolean
publish (const char *run, const char *text, GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  return reel_directory_check_space (run, 4096, error) && reel_draft_begin (&draft, run, error)
         && fill (draft.path, text, error) && reel_draft_hold (&draft, error)
         && (draft.held < 0 ? reel_draft_install (&draft, TRUE, error)
                            : reel_draft_replace (&draft, NULL, TRUE, NULL, error));
}

/* All three files of one of these versions. */
static void
assert_version (const char *directory, const char *const *versions)
{
  static const char *const names[] = { "meta", "index", "leaf" };
  g_autofree char *first = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (directory, names[i], NULL), *text = NULL;

      g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
      if (!first)
        first = g_strdup (text);
      g_assert_true (g_strv_contains (versions, text));
      g_assert_cmpstr (text, ==, first);
    }
}

static void
test_every_call_may_fail (gconstpointer code)
{
  static const char *const versions[] = { "old", "new", NULL };
  g_autofree char *run = scratch_path ("run");

  g_assert_true (publish (run, "old", NULL));
  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      gint64 before = descriptors_open ();
      gboolean published, struck;

      file_faults_begin ();
      file_faults_fail (NULL, n, GPOINTER_TO_INT (code), FALSE);
      published = publish (run, "new", &error);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_true (published == (error == NULL));
      if (error)
        g_assert_true (error->domain == REEL_ERROR && strstr (error->message, scratch_directory));
      g_assert_cmpint (descriptors_open (), ==, before);
      assert_version (run, published ? &versions[1] : versions);
      if (!struck)
        break;
      g_assert_true (publish (run, "old", NULL));
    }
}

static void
test_interruptions_are_repeated (void)
{
  static const char *const versions[] = { "new", NULL };
  g_autofree char *run = scratch_path ("run");

  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      gboolean struck;

      file_faults_begin ();
      file_faults_fail (NULL, n, EINTR, FALSE);
      publish (run, "new", &error);
      struck = file_faults_struck ();
      if (error) /* these two neither wait nor move data: the system never interrupts them */
        g_assert_true (strstr (error->message, "map") || strstr (error->message, "list"));
      file_faults_end ();
      if (!error)
        {
          assert_version (run, versions);
          scratch_assert_names (scratch_directory, "run");
        }
      g_assert_true (reel_directory_remove (run, NULL));
      if (!struck)
        break;
    }
}

static void
test_short_transfers_are_completed (void)
{
  static const char *const versions[] = { "new", NULL };
  g_autofree char *run = scratch_path ("run");

  for (gint64 n = 1;; n++)
    {
      gboolean struck;

      file_faults_begin ();
      file_faults_shorten (n);
      g_assert_true (publish (run, "new", NULL));
      struck = file_faults_struck ();
      file_faults_end ();
      assert_version (run, versions);
      if (!struck)
        break;
    }
}

/* The power goes at each call in turn: what was published before is there whole, or what replaces
 * it. */
static void
test_power_may_fail_at_every_call (void)
{
  static const char *const versions[] = { "old", "new", NULL };
  g_autofree char *run = scratch_path ("run");

  for (gint64 n = 1;; n++)
    {
      PowerLoss *loss;
      gboolean published, struck;

      g_assert_true (publish (run, "old", NULL));
      file_faults_begin ();
      loss = power_loss_begin (scratch_directory);
      file_faults_fail (NULL, n, EIO, TRUE);
      published = publish (run, "new", NULL);
      struck = file_faults_struck ();
      for (PowerLossNames names = POWER_LOSS_SYNCED_NAMES; names <= POWER_LOSS_TORN; names++)
        {
          g_autofree char *after = g_strdup_printf ("%s.after", scratch_directory),
                          *found = g_build_filename (after, "run", NULL);

          power_loss_rebuild (loss, names, after);
          assert_version (found, published ? &versions[1] : versions);
          reel_file_ops_set (NULL);
          g_assert_true (reel_directory_remove (after, NULL));
        }
      power_loss_end (loss);
      file_faults_end ();
      g_assert_true (reel_directory_remove (run, NULL));
      if (!struck)
        break;
    }
}

/* The recorder itself: what is not synced is lost. */
static void
test_power_loss_forgets_what_was_not_synced (void)
{
  g_autofree char *file = scratch_path ("file"), *renamed = scratch_path ("renamed");
  g_autofree char *after = g_strdup_printf ("%s.after", scratch_directory),
                  *found = g_build_filename (after, "renamed", NULL);
  PowerLoss *loss = power_loss_begin (scratch_directory);

  g_assert_true (reel_file_write_atomic (file, "data", 4, FALSE, NULL));
  g_assert_cmpint (rename (file, renamed), ==, 0);
  power_loss_rebuild (loss, POWER_LOSS_SYNCED_NAMES, after);
  scratch_assert_names (after, "");
  g_assert_true (reel_directory_remove (after, NULL));
  power_loss_rebuild (loss, POWER_LOSS_ALL_NAMES, after);
  scratch_assert_holds (found, "");
  g_assert_true (reel_directory_remove (after, NULL));
  g_assert_true (reel_directory_sync (scratch_directory, NULL));
  power_loss_rebuild (loss, POWER_LOSS_SYNCED_NAMES, after);
  scratch_assert_holds (found, "");
  g_assert_true (reel_directory_remove (after, NULL));
  power_loss_end (loss);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  scratch_in_memory ();
  scratch_test_with_data ("/core/file-ops/every-call-may-fail-for-a-fault",
                          test_every_call_may_fail, GINT_TO_POINTER (EIO));
  scratch_test_with_data ("/core/file-ops/every-call-may-fail-for-space", test_every_call_may_fail,
                          GINT_TO_POINTER (ENOSPC));
  scratch_test ("/core/file-ops/interruptions-are-repeated", test_interruptions_are_repeated);
  scratch_test ("/core/file-ops/short-transfers-are-completed", test_short_transfers_are_completed);
  scratch_test ("/core/file-ops/power-may-fail-at-every-call", test_power_may_fail_at_every_call);
  scratch_test ("/core/file-ops/power-loss-forgets-what-was-not-synced",
                test_power_loss_forgets_what_was_not_synced);
  return g_test_run ();
}
