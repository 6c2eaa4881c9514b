/* Another process replaces a checkpoint, or writes into its files, while it is read: what is loaded
 * is all of the one or all of the other. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "sampler-state.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ReelReplayBuffer *
new_buffer (gint64 seed)
{
  g_autofree char *text = g_strdup_printf ("without-replacement:seed=%" G_GINT64_FORMAT, seed);

  return sampler_state_new_buffer ("tensor:capacity=4", text, 2);
}

/* Two checkpoints of as many rows, whose samplers remember different things. */
typedef struct
{
  gboolean same_sizes; /* of all files: only their times tell that they changed */
  char *path;          /* where the first one stands */
  char *other;
  char *spare;
  ReelReplayBuffer *buffers[2];
} World;

static void
make_old (const char *path)
{
  const struct timespec times[2] = { { 1000000, 0 }, { 1000000, 0 } };
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  const char *name;

  if (!directory)
    g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);

      make_old (below);
    }
}

/* Of two files of JSON the shorter one gets spaces at its end. */
static void
make_as_long (const char *path, const char *other)
{
  g_autoptr (GDir) directory = g_dir_open (path, 0, NULL);
  GStatBuf a, b;
  const char *name;

  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *below = g_build_filename (path, name, NULL);
      g_autofree char *beside = g_build_filename (other, name, NULL);

      make_as_long (below, beside);
    }
  if (directory)
    return;
  g_assert_cmpint (g_stat (path, &a), ==, 0);
  g_assert_cmpint (g_stat (other, &b), ==, 0);
  if (a.st_size == b.st_size)
    return;
  g_assert_true (g_str_has_suffix (path, ".json"));

  FILE *shorter = g_fopen (a.st_size < b.st_size ? path : other, "a");

  g_assert_cmpint (fprintf (shorter, "%*s", (int) ABS (a.st_size - b.st_size), ""), >, 0);
  g_assert_cmpint (fclose (shorter), ==, 0);
}

static void
begin (World *world, gboolean same_sizes)
{
  *world = (World){ .same_sizes = same_sizes,
                    .path = scratch_path ("dump"),
                    .other = scratch_path ("other"),
                    .spare = scratch_path ("spare") };
  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) batch = NULL;
      const char *path = i == 0 ? world->path : world->other;

      world->buffers[i] = new_buffer (i);
      counted_extend (world->buffers[i], 1, same_sizes ? 4 : 4 + i, 100 * i);
      g_assert_true (
          reel_replay_buffer_sample (world->buffers[i], same_sizes ? 1 : 1 + i, &batch, NULL));
      g_assert_true (
          reel_replay_buffer_dumps (world->buffers[i], path, REEL_CHECKPOINT_FORCE, NULL));
    }
  if (same_sizes)
    make_as_long (world->path, world->other);
  make_old (world->path);
  make_old (world->other);
}

static void
end (World *world)
{
  for (gint i = 0; i < 2; i++)
    g_object_unref (world->buffers[i]);
  g_free (world->path);
  g_free (world->other);
  g_free (world->spare);
}

static void
replace (gpointer data)
{
  World *world = data;

  g_assert_cmpint (g_rename (world->path, world->spare), ==, 0);
  g_assert_cmpint (g_rename (world->other, world->path), ==, 0);
  g_assert_cmpint (g_rename (world->spare, world->other), ==, 0);
}

/* Every file gets the content of the other one's, in its place. */
static void
overwrite (const char *path, const char *by, gboolean same_sizes)
{
  g_autoptr (GDir) directory = g_dir_open (by, 0, NULL);
  g_autofree char *bytes = NULL;
  const char *name;
  gsize length;
  int fd;

  while (directory && (name = g_dir_read_name (directory)))
    {
      g_autofree char *to = g_build_filename (path, name, NULL);
      g_autofree char *from = g_build_filename (by, name, NULL);

      overwrite (to, from, same_sizes);
    }
  if (directory)
    return;
  g_assert_true (g_file_get_contents (by, &bytes, &length, NULL));
  fd = g_open (path, O_WRONLY | O_CREAT, 0666);
  g_assert_true (!same_sizes || lseek (fd, 0, SEEK_END) == (off_t) length);
  g_assert_cmpint (pwrite (fd, bytes, length, 0), ==, length);
  g_assert_cmpint (ftruncate (fd, (off_t) length), ==, 0);
  close (fd);
}

static void
overwrite_all (gpointer data)
{
  const World *world = data;

  overwrite (world->path, world->other, world->same_sizes);
}

static gboolean
is_alike (ReelReplayBuffer *a, ReelReplayBuffer *b)
{
  g_autoptr (ReelTensordict) one = reel_replay_buffer_dup_state (a, NULL);
  g_autoptr (ReelTensordict) other = reel_replay_buffer_dup_state (b, NULL);

  return reel_tensordict_equal (one, other);
}

/* Files that are written into while their rows are copied, and those alone, cost what the buffer
 * held. */
static void
assert_emptied (ReelReplayBuffer *to, const GError *error, void (*change) (gpointer data),
                gint64 *n_torn)
{
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_true (change == overwrite_all);
  g_assert_cmpint (reel_replay_buffer_get_length (to), ==, 0);
  ++*n_torn;
}

/* Before every call that a load makes. */
static void
check_loads (void (*change) (gpointer data), gboolean same_sizes)
{
  gint64 n_first = 0, n_second = 0, n_torn = 0;
  gboolean struck = TRUE;

  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBuffer) to = new_buffer (0);
      g_autoptr (GError) error = NULL;
      World world;

      begin (&world, same_sizes);
      file_faults_begin ();
      file_faults_call (n, change, &world);
      reel_replay_buffer_loads (to, world.path, &error);
      struck = file_faults_struck ();
      file_faults_end ();
      if (error)
        assert_emptied (to, error, change, &n_torn);
      else
        g_assert_true (is_alike (to, world.buffers[0]) || is_alike (to, world.buffers[1]));
      n_first += is_alike (to, world.buffers[0]);
      n_second += is_alike (to, world.buffers[1]);
      end (&world);
    }
  g_test_message ("%" G_GINT64_FORMAT " times the first, %" G_GINT64_FORMAT
                  " times the second, %" G_GINT64_FORMAT " times none",
                  n_first, n_second, n_torn);
  g_assert_cmpint (n_second, >, 50);
}

static void
test_replaced (void)
{
  check_loads (replace, FALSE);
}

static void
test_overwritten (void)
{
  check_loads (overwrite_all, FALSE);
}

static void
test_overwritten_at_the_same_sizes (void)
{
  check_loads (overwrite_all, TRUE);
}

static void
test_opened (void)
{
  gboolean struck = TRUE;

  for (gint64 n = 1; struck; n++)
    {
      g_autoptr (ReelReplayBuffer) opened = NULL;
      World world;

      begin (&world, FALSE);
      file_faults_begin ();
      file_faults_call (n, replace, &world);
      opened = reel_replay_buffer_open (world.path, REEL_OPEN_READ_ONLY, NULL);
      struck = file_faults_struck ();
      file_faults_end ();
      g_assert_nonnull (opened);
      g_assert_true (is_alike (opened, world.buffers[0]) || is_alike (opened, world.buffers[1]));
      end (&world);
    }
}

/* One that never rests is refused, and the buffer is as before. */
static void
change_again (gpointer data)
{
  World *world = data;

  replace (world);
  file_faults_call (file_faults_count (NULL) + 20, change_again, world);
}

static void
test_never_at_rest (void)
{
  g_autoptr (ReelReplayBuffer) to = new_buffer (0);
  g_autoptr (GError) error = NULL;
  World world;

  begin (&world, FALSE);
  file_faults_begin ();
  file_faults_call (20, change_again, &world);
  g_assert_false (reel_replay_buffer_loads (to, world.path, &error));
  file_faults_end ();
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "another process changed"));
  g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (to)));
  end (&world);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/checkpoint-changes/" name, function)
  TEST ("replaced", test_replaced);
  TEST ("overwritten", test_overwritten);
  TEST ("overwritten-at-the-same-sizes", test_overwritten_at_the_same_sizes);
  TEST ("replaced-while-it-is-opened", test_opened);
  TEST ("never-at-rest", test_never_at_rest);
  return g_test_run ();
}
