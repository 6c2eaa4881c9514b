/* Directories of tensordicts when the system fails at any call, or power does. */
#include "../src/core/system/directories.h"
#include "../src/reel.h"
#include "file-faults.h"
#include "memmap-example.h"
#include "power-loss.h"
#include "scratch.h"

#include <errno.h>

/* After the failure of any call: the old directory or the new one, never a mixture that
 * looks whole, and nothing beside it. */
static void
test_saving_fails_at_any_call (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("d");

  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      gboolean saved = reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, &error);
      gboolean struck = file_faults_struck ();
      file_faults_end ();
      g_assert_cmpint (saved, ==, error == NULL);
      if (!struck)
        {
          g_assert_no_error (error);
          break;
        }
      g_assert_true (reel_directory_remove (path, NULL));
    }
  g_autoptr (ReelTensordict) again = memmap_load (path);
  g_assert_true (reel_tensordict_equal (td, again));
}

static void
test_making_fails_at_any_call (void)
{
  g_autoptr (ReelTensordict) like = memmap_new_example ();
  g_autofree char *path = scratch_path ("d");

  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      file_faults_begin ();
      file_faults_fail (NULL, n, ENOSPC, FALSE);
      g_autoptr (ReelTensordict) td = reel_tensordict_save_like (like, path, &error);
      gboolean struck = file_faults_struck ();
      file_faults_end ();
      g_assert_cmpint (td != NULL, ==, error == NULL);
      if (!struck)
        break;
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

static void
test_reading_fails_at_any_call (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *path = scratch_path ("d");

  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  for (gint64 n = 1;; n++)
    {
      g_autoptr (GError) error = NULL;
      file_faults_begin ();
      file_faults_fail (NULL, n, EIO, FALSE);
      g_autoptr (ReelTensordict) found = reel_tensordict_load (path, REEL_LOAD_READ_ONLY, &error);
      gboolean struck = file_faults_struck ();
      file_faults_end ();
      /* A failed close after reading changes nothing. */
      g_assert_true (found ? reel_tensordict_equal (found, td) : error != NULL);
      if (!struck)
        break;
    }
}

/* Power goes at any call: the directory of before, or the one that was to be. */
static void
test_saving_survives_power_loss (void)
{
  g_autoptr (ReelTensordict) old = memmap_new_example ();
  g_autoptr (ReelTensordict) new = reel_tensordict_clone (old, TRUE, NULL);
  g_autofree char *root = scratch_path ("disk");
  g_autofree char *path = scratch_path ("disk/d");
  g_autofree char *target = scratch_path ("after");
  g_autofree char *after = scratch_path ("after/d");

  ((gint16 *) reel_tensordict_get_tensor (new, "a", NULL)->data)[0] = 99;
  g_assert_true (reel_tensordict_save (old, path, REEL_SAVE_DEFAULT, NULL));
  for (gint64 n = 1;; n++)
    {
      g_autoptr (ReelTensordict) before = memmap_load (path);
      if (!reel_tensordict_equal (before, old))
        g_assert_true (reel_tensordict_save (old, path, REEL_SAVE_DEFAULT, NULL));
      file_faults_begin ();
      PowerLoss *loss = power_loss_begin (root);
      file_faults_fail (NULL, n, EIO, TRUE);
      gboolean saved = reel_tensordict_save (new, path, REEL_SAVE_DEFAULT, NULL);
      gboolean struck = file_faults_struck ();
      power_loss_rebuild (loss, (PowerLossNames) (n % 3), target);
      power_loss_end (loss);
      file_faults_end ();
      g_autoptr (ReelTensordict) found = memmap_load (after);
      gboolean is_new = reel_tensordict_equal (found, new);
      g_assert_true (is_new || reel_tensordict_equal (found, old));
      g_assert_true (is_new || !saved);
      g_clear_pointer (&found, reel_tensordict_unref);
      g_assert_true (reel_directory_remove (target, NULL));
      if (!struck)
        break;
    }
}

/* Directories that had to be made are there after it too, all the way down. */
static void
test_new_directories_survive_power_loss (void)
{
  g_autoptr (ReelTensordict) td = memmap_new_example ();
  g_autofree char *root = scratch_path ("disk");
  g_autofree char *path = scratch_path ("disk/some/where/d");
  g_autofree char *target = scratch_path ("after");
  g_autofree char *after = scratch_path ("after/some/where/d");

  g_assert_true (reel_directory_make (root, NULL));
  file_faults_begin ();
  PowerLoss *loss = power_loss_begin (root);
  g_assert_true (reel_tensordict_save (td, path, REEL_SAVE_DEFAULT, NULL));
  power_loss_rebuild (loss, POWER_LOSS_SYNCED_NAMES, target);
  power_loss_end (loss);
  file_faults_end ();
  g_autoptr (ReelTensordict) found = memmap_load (after);
  g_assert_true (reel_tensordict_equal (found, td));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  scratch_test ("/core/tensordict-memmap/saving-fails-at-any-call", test_saving_fails_at_any_call);
  scratch_test ("/core/tensordict-memmap/making-fails-at-any-call", test_making_fails_at_any_call);
  scratch_test ("/core/tensordict-memmap/reading-fails-at-any-call",
                test_reading_fails_at_any_call);
  scratch_test ("/core/tensordict-memmap/saving-survives-power-loss",
                test_saving_survives_power_loss);
  scratch_test ("/core/tensordict-memmap/new-directories-survive-power-loss",
                test_new_directories_survive_power_loss);

  return g_test_run ();
}
