#include "../src/core/system/background.h"
#include "../src/core/object/error.h"
#include "../src/core/system/files.h"
#include "../src/core/system/gate.h"
#include "../src/core/system/mapping.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PATIENCE (60 * G_USEC_PER_SEC)

typedef struct
{
  gint64 at, longest; /* plain: the background's order must cover them */
  gint64 fail_at;     /* the chunk that begins there fails; -1 for none */
  gint64 stop_at;     /* the chunk that begins there waits for the gate; -1 for none */
  ReelGate release, reached;
} Job;

static gboolean
advance (gpointer data, gint64 begin, gint64 end, GError **error)
{
  Job *job = data;

  g_assert_cmpint (begin, ==, job->at);
  g_assert_cmpint (end, >, begin);
  if (begin == job->stop_at)
    {
      reel_gate_advance (&job->reached);
      g_assert_true (reel_gate_wait (&job->release, 0, -1));
    }
  if (begin == job->fail_at)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "the disk is gone");
      return FALSE;
    }
  job->longest = MAX (job->longest, end - begin);
  job->at = end;
  return TRUE;
}

static void
test_goes_in_chunks (void)
{
  Job job = { .fail_at = -1, .stop_at = -1 };
  g_autoptr (GError) error = NULL;
  ReelBackground *background = reel_background_new ("ahead", 10, advance, &job, &error);

  g_assert_no_error (error);
  for (gint64 end = 0; end < 5000; end += 37)
    {
      reel_background_request (background, end);
      reel_background_request (background, end / 2);
      if (end % 5 == 0)
        {
          g_assert_true (reel_background_wait (background, end, PATIENCE, &error));
          g_assert_cmpint (reel_background_done (background), ==, end);
          g_assert_cmpint (job.at, ==, end);
        }
    }
  g_assert_true (reel_background_wait (background, 100, 0, &error));
  g_assert_true (reel_background_free (background, PATIENCE, &error));
  g_assert_cmpint (job.longest, ==, 10);
}

/* A reader of the progress sees the work, without a wait. */
static void
test_done_covers_the_work (void)
{
  Job job = { .fail_at = -1, .stop_at = -1 };
  ReelBackground *background = reel_background_new ("ahead", 10, advance, &job, NULL);

  reel_background_request (background, 10);
  while (reel_background_done (background) < 10)
    g_usleep (10);
  g_assert_cmpint (job.at, ==, 10);
  g_assert_true (reel_background_free (background, PATIENCE, NULL));
}

static void
test_stops_after_the_chunk_in_hand (void)
{
  Job job = { .fail_at = -1, .stop_at = 0 };
  ReelBackground *background = reel_background_new ("ahead", 1, advance, &job, NULL);

  reel_background_request (background, G_MAXINT64);
  g_assert_true (reel_gate_wait (&job.reached, 0, -1));
  reel_gate_advance (&job.release);
  g_assert_true (reel_background_free (background, PATIENCE, NULL));
  for (int i = 0; i < 100; i++) /* idle, or not even begun */
    g_assert_true (reel_background_free (reel_background_new ("idle", 1, advance, &job, NULL),
                                         PATIENCE, NULL));
  g_assert_true (reel_background_free (NULL, 0, NULL));
}

static void
test_reports_a_failure (void)
{
  Job job = { .fail_at = 20, .stop_at = -1 };
  ReelBackground *background = reel_background_new ("ahead", 10, advance, &job, NULL);

  reel_background_request (background, 100);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (reel_background_wait (background, 100, PATIENCE, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
      g_assert_cmpstr (error->message, ==, "the disk is gone");
    }
  g_assert_false (reel_background_wait (background, 100, PATIENCE, NULL));
  g_assert_true (reel_background_wait (background, 20, PATIENCE, NULL));
  reel_background_request (background, 200);
  g_assert_true (reel_background_free (background, PATIENCE, NULL));
  g_assert_cmpint (job.at, ==, 20);
}

static gint64
threads_alive (void)
{
  g_autoptr (GDir) directory = g_dir_open ("/proc/self/task", 0, NULL);
  gint64 n = 0;

  while (g_dir_read_name (directory))
    n++;
  return n;
}

static void
test_says_who_is_stuck (void)
{
  static Job job = { .fail_at = -1, .stop_at = 30 }; /* the thread outlives the test's own frame */
  g_autoptr (GError) waiting = NULL, ending = NULL;
  gint64 before = threads_alive ();
  ReelBackground *background = reel_background_new ("leaf ahead", 10, advance, &job, NULL);

  reel_background_request (background, 50);
  g_assert_true (reel_gate_wait (&job.reached, 0, -1));
  g_assert_false (reel_background_wait (background, 50, 1000, &waiting));
  g_assert_error (waiting, REEL_ERROR, REEL_ERROR_TIMEOUT);
  g_assert_nonnull (strstr (waiting->message, "leaf ahead"));
  g_assert_nonnull (strstr (waiting->message, "at 30 of 50"));
  g_assert_false (reel_background_free (background, 1000, &ending));
  g_assert_error (ending, REEL_ERROR, REEL_ERROR_TIMEOUT);
  reel_gate_advance (&job.release);
  while (threads_alive () > before) /* it ends on its own */
    g_usleep (100);
}

/* Its purpose: pages ahead of a writer. */

typedef struct
{
  const char *path;
  ReelMapping mapping;
} Leaf;

static gboolean
populate (gpointer data, gint64 begin, gint64 end, GError **error)
{
  const Leaf *leaf = data;

  return reel_mapping_populate (&leaf->mapping, leaf->path, (gsize) begin, (gsize) end, error);
}

static void
test_populates_ahead (void)
{
  g_autofree char *path =
      g_strdup_printf ("%s/reel-background-%d", g_get_tmp_dir (), (int) getpid ());
  g_autoptr (GError) error = NULL;
  gsize size = 8 << 20, page = (gsize) sysconf (_SC_PAGESIZE);
  g_autofree guint8 *present = g_malloc0 (size / page);
  Leaf leaf = { .path = path };
  int fd = reel_file_create (path, (gint64) size, &error);
  ReelBackground *background;

  g_assert_no_error (error);
  g_assert_true (reel_file_map (path, fd, REEL_MAP_WRITE, (gint64) size, &leaf.mapping, &error));
  background = reel_background_new ("ahead", 1 << 20, populate, &leaf, NULL);
  for (gsize at = 0; at < size; at += 1 << 16)
    {
      reel_background_request (background, (gint64) MIN (at + (2 << 20), size));
      memset (leaf.mapping.data + at, 1, 1 << 16);
    }
  g_assert_true (reel_background_wait (background, (gint64) size, PATIENCE, &error));
  g_assert_no_error (error);
  g_assert_cmpint (mincore (leaf.mapping.data, size, present), ==, 0);
  for (gsize i = 0; i < size / page; i++)
    g_assert_true (present[i] & 1);
  for (gsize i = 0; i < size; i++)
    if (leaf.mapping.data[i] != 1)
      g_error ("byte %" G_GSIZE_FORMAT, i);
  g_assert_true (reel_background_free (background, PATIENCE, &error));
  reel_mapping_unmap (&leaf.mapping);
  g_assert_true (reel_file_close (fd, path, NULL) && reel_file_remove (path, NULL));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/core/background/goes-in-chunks", test_goes_in_chunks);
  g_test_add_func ("/core/background/done-covers-the-work", test_done_covers_the_work);
  g_test_add_func ("/core/background/stops-after-the-chunk-in-hand",
                   test_stops_after_the_chunk_in_hand);
  g_test_add_func ("/core/background/reports-a-failure", test_reports_a_failure);
  g_test_add_func ("/core/background/says-who-is-stuck", test_says_who_is_stuck);
  g_test_add_func ("/core/background/populates-ahead", test_populates_ahead);
  return g_test_run ();
}
