/* Copies of the state of lanes: that of the last step that was committed is whole, whenever the
 * writer was killed. */
#include "../src/buffers/checkpoints/buffer-run-state.h"
#include "../src/core/system/directories.h"
#include "collecting.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define BYTES 200
#define LANES 4
#define SLOTS 10

static ReelReplayBuffer *
create (const char *path)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, LANES, 0);
  ReelReplayBuffer *buffer = reel_replay_buffer_create_live (path, SLOTS * LANES, step, 0, NULL);

  g_assert_nonnull (buffer);
  return buffer;
}

static ReelReplayBuffer *
go_on (const char *path)
{
  g_autofree char *directory = g_build_filename (path, "storage", NULL);
  g_autofree char *text =
      g_strdup_printf ("memmap:existsok=true,ndim=2,capacity=%d", SLOTS * LANES);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, text, NULL, "scratch-dir", directory, NULL);
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, NULL, NULL, 0, NULL);

  g_assert_true (reel_replay_buffer_loads (buffer, path, NULL));
  return buffer;
}

static ReelRunState *
open_state (ReelReplayBuffer *buffer, gboolean exists)
{
  ReelRunState *state = reel_replay_buffer_open_run_state (buffer, BYTES, exists, NULL);

  g_assert_nonnull (state);
  return state;
}

static void
save (ReelRunState *state, gint64 step)
{
  memset (reel_run_state_begin (state), (gint) step, BYTES);
  reel_run_state_end (state, step);
}

static void
assert_state (ReelRunState *state, gint64 step)
{
  g_autoptr (GError) error = NULL;
  const guint8 *bytes = reel_run_state_find (state, step, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < BYTES; i++)
    g_assert_cmpint (bytes[i], ==, (guint8) step);
}

static void
refuse_state (ReelRunState *state, gint64 step, gint code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_run_state_find (state, step, &error));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("\"%s\" does not contain \"%s\"", error->message, part);
}

/* ---- kills ---- */

typedef enum
{
  COMMITTED,
  BEGUN,
  HALF_WRITTEN,
  ENDED, /* and not committed */
  N_MOMENTS
} Moment;

static void
stop_at (ReelRunState *state, gint64 next, Moment moment)
{
  guint8 *memory = moment > COMMITTED ? reel_run_state_begin (state) : NULL;

  if (moment > BEGUN)
    memset (memory, (gint) next, moment == ENDED ? BYTES : BYTES / 2);
  if (moment == ENDED)
    reel_run_state_end (state, next);
}

/* A copy of what a kill leaves goes on, and is killed again. */
static void
check_killed (const char *path, gint64 n)
{
  g_autofree char *copy = scratch_path ("copy");
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  ReelRunState *state;

  tree_copy_killed (path, copy);
  buffer = go_on (copy);
  state = open_state (buffer, TRUE);
  assert_state (state, n);
  for (Moment moment = COMMITTED; moment < N_MOMENTS; moment++)
    {
      stop_at (state, n + 1, moment);
      assert_state (state, n);
    }
  save (state, n + 1);
  assert_state (state, n + 1);
  g_clear_object (&buffer);
  g_assert_true (reel_directory_remove (copy, NULL));
}

static void
test_killed (void)
{
  for (gint64 n = 1; n <= 5; n++)
    for (Moment moment = COMMITTED; moment < N_MOMENTS; moment++)
      {
        g_autofree char *path = scratch_path ("run");
        g_autoptr (ReelReplayBuffer) buffer = create (path);
        ReelRunState *state = open_state (buffer, FALSE);

        for (gint64 step = 1; step <= n; step++)
          save (state, step);
        stop_at (state, n + 1, moment);
        check_killed (path, n);
        g_clear_object (&buffer);
        g_assert_true (reel_directory_remove (path, NULL));
      }
}

/* ---- power losses ---- */

/* The JSON files count @kept steps; whatever came after them is forgotten. */
static void
test_power_loss (void)
{
  for (gint64 kept = 1; kept <= 4; kept++)
    for (gint64 after = 0; after <= 4; after++)
      {
        g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
        g_autoptr (ReelReplayBuffer) buffer = create (path), other = NULL;
        ReelRunState *state = open_state (buffer, FALSE);

        for (gint64 step = 1; step <= kept + after; step++)
          {
            save (state, step);
            if (step == 1 || step == kept)
              reel_run_state_keep (state, step);
          }
        tree_copy_killed (path, copy);
        other = go_on (copy);
        state = open_state (other, TRUE);
        assert_state (state, kept);
        for (gint64 step = kept + 1; step <= kept + after; step++)
          refuse_state (state, step, REEL_ERROR_RUNTIME, "saved after step");
        for (gint64 step = kept + 1; step <= kept + 3; step++)
          {
            stop_at (state, step, HALF_WRITTEN);
            assert_state (state, step - 1);
            save (state, step);
          }
        g_clear_object (&other);
        g_clear_object (&buffer);
        g_assert_true (reel_directory_remove (copy, NULL));
        g_assert_true (reel_directory_remove (path, NULL));
      }
}

/* ---- what cannot go on ---- */

static void
refuse_file (ReelReplayBuffer *buffer, gsize bytes, gint code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_replay_buffer_open_run_state (buffer, bytes, TRUE, &error));
  g_assert_error (error, REEL_ERROR, code);
  if (!strstr (error->message, part))
    g_error ("\"%s\" does not contain \"%s\"", error->message, part);
}

static void
write_byte (const char *path, off_t at)
{
  int fd = open (path, O_RDWR);
  guint8 byte;

  g_assert_cmpint (pread (fd, &byte, 1, at), ==, 1);
  byte ^= 1;
  g_assert_cmpint (pwrite (fd, &byte, 1, at), ==, 1);
  close (fd);
}

static void
test_damage (void)
{
  static const struct
  {
    off_t flipped; /* −1 to cut the file short, −2 to remove it */
    gsize bytes;
    gint code;
    const char *part;
  } cases[] = {
    { -2, BYTES, REEL_ERROR_RUNTIME, "is missing" },
    { -1, BYTES, REEL_ERROR_DAMAGED, "reel.state" },
    { 0, BYTES, REEL_ERROR_DAMAGED, "is another file" },
    { 8, BYTES, REEL_ERROR_DAMAGED, "is another file" },
    { 12, BYTES, REEL_ERROR_DAMAGED, "is another file" },
    { 16, BYTES, REEL_ERROR_RUNTIME, "201 bytes" },
    { 25, BYTES + 8, REEL_ERROR_RUNTIME, "of another run" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
      g_autofree char *file = g_build_filename (copy, REEL_RUN_STATE_FILE, NULL);
      g_autoptr (ReelReplayBuffer) buffer = create (path), other = NULL;

      save (open_state (buffer, FALSE), 1);
      tree_copy_killed (path, copy);
      if (cases[i].flipped >= 0)
        write_byte (file, cases[i].flipped);
      else
        g_assert_cmpint (cases[i].flipped == -1 ? truncate (file, 300) : g_unlink (file), ==, 0);
      other = go_on (copy);
      refuse_file (other, cases[i].bytes, cases[i].code, cases[i].part);
      g_clear_object (&other);
      g_clear_object (&buffer);
      g_assert_true (reel_directory_remove (copy, NULL));
      g_assert_true (reel_directory_remove (path, NULL));
    }
}

/* Bytes of a state that changed are not believed. */
static void
test_flipped (void)
{
  g_autofree char *path = scratch_path ("run"), *copy = scratch_path ("copy");
  g_autofree char *file = g_build_filename (copy, REEL_RUN_STATE_FILE, NULL);
  g_autoptr (ReelReplayBuffer) buffer = create (path), other = NULL;
  ReelRunState *state = open_state (buffer, FALSE);

  save (state, 1);
  tree_copy_killed (path, copy);
  write_byte (file, 128 + 77);
  other = go_on (copy);
  refuse_state (open_state (other, TRUE), 1, REEL_ERROR_DAMAGED, "is damaged");
}

/* A run in memory keeps its state with the buffer. */
static void
test_in_memory (void)
{
  g_autoptr (ReelReplayBuffer) buffer = collecting_make_buffer ("tensor", SLOTS, 1);
  ReelRunState *state = open_state (buffer, FALSE);

  refuse_state (state, 0, REEL_ERROR_RUNTIME, "was not saved");
  save (state, 3);
  g_assert_true (open_state (buffer, TRUE) == state);
  assert_state (state, 3);
  refuse_file (buffer, BYTES + 1, REEL_ERROR_RUNTIME, "of other lanes");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();
  scratch_test ("/buffers/run-state/killed-at-any-moment", test_killed);
  scratch_test ("/buffers/run-state/power-loss", test_power_loss);
  scratch_test ("/buffers/run-state/damaged-files-are-named", test_damage);
  scratch_test ("/buffers/run-state/flipped-bytes-are-found", test_flipped);
  g_test_add_func ("/buffers/run-state/in-memory", test_in_memory);
  return g_test_run ();
}
