/* The counters that say which steps of a storage are valid: in memory, in files, and after a kill.
 */
#include "../src/reel.h"
#include "../src/buffers/storages/ring.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>

static void
assert_view (const ReelRing *ring, gint64 first, gint64 end)
{
  gint64 seen_first, seen_end;

  reel_ring_get_view (ring, &seen_first, &seen_end);
  g_assert_cmpint (seen_first, ==, first);
  g_assert_cmpint (seen_end, ==, end);
}

/* Every capacity up to 8, every pair of blocks, from every place in the ring. */
static void
test_views_follow_every_history (void)
{
  for (gint64 capacity = 1; capacity <= 8; capacity++)
    for (gint64 start = 0; start <= 2 * capacity; start++)
      for (gint64 block = 0; block <= capacity; block++)
        for (gint64 kept = 0; kept <= block; kept++)
          {
            g_autoptr (ReelRing) ring = reel_ring_new (capacity, FALSE);
            gint64 oldest;

            for (gint64 end = 1; end <= start; end++)
              {
                reel_ring_claim (ring, end);
                reel_ring_publish (ring, end);
              }
            assert_view (ring, MAX (0, start - capacity), start);
            reel_ring_claim (ring, start + block);
            oldest = MAX (0, start + block - capacity);
            assert_view (ring, oldest, start);
            g_assert_cmpint (reel_ring_first_intact (ring), ==, oldest);
            reel_ring_publish (ring, start + kept);
            assert_view (ring, oldest, start + kept);
            reel_ring_empty (ring);
            g_assert_cmpint (reel_ring_get_end (ring) % capacity, ==, 0);
            assert_view (ring, reel_ring_get_end (ring), reel_ring_get_end (ring));
            g_assert_cmpint (reel_ring_get_end (ring), >=, start + kept);
          }
}

static void
test_skipping_leaves_nothing (void)
{
  g_autoptr (ReelRing) ring = reel_ring_new (4, FALSE);

  reel_ring_claim (ring, 3);
  reel_ring_publish (ring, 3);
  reel_ring_skip (ring, 9);
  assert_view (ring, 9, 9);
}

/* ---- files ---- */

static ReelRing *
create (gint64 capacity)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  g_autoptr (GError) error = NULL;
  ReelRing *ring = reel_ring_create (path, capacity, &error);

  g_assert_no_error (error);
  return ring;
}

static ReelRing *
open_ring (ReelRingAccess access)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  g_autoptr (GError) error = NULL;
  ReelRing *ring = reel_ring_open (path, access, &error);

  g_assert_no_error (error);
  return ring;
}

/* The file of docs/file-format.md, byte for byte. */
static void
test_bytes (void)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  static const guint8 expected[64] = { 'R', 'E', 'E', 'L', 'R', 'I', 'N', 'G',
                                       1,   0,   0,   0,   0,   0,   0,   0, /* magic, version */
                                       3,   0,   0,   0,   0,   0,   0,   0,
                                       7,   1,   0,   0,   0,   0,   0,   0,   /* begin, end */
                                       4,   1,   0,   0,   0,   0,   0,   0,   /* capacity */
                                       0,   0,   0,   0,   0,   0,   0,   0,   /* revision */
                                       4,   1,   0,   0,   0,   0,   0,   0 }; /* horizon */
  g_autoptr (ReelRing) ring = create (260);
  g_autofree char *found = NULL;
  gsize length;

  reel_ring_claim (ring, 263);
  reel_ring_publish (ring, 263);
  g_assert_true (g_file_get_contents (path, &found, &length, NULL));
  g_assert_cmpmem (found, length, expected, sizeof expected);
}

static void
test_others_follow (void)
{
  g_autoptr (ReelRing) writer = create (4);
  g_autoptr (ReelRing) reader = open_ring (REEL_RING_FOLLOW);

  g_assert_cmpint (reel_ring_get_capacity (reader), ==, 4);
  assert_view (reader, 0, 0);
  reel_ring_claim (writer, 6);
  assert_view (reader, 0, 0);
  reel_ring_publish (writer, 6);
  assert_view (reader, 2, 6);
}

static void
test_lock_tells_whether_the_writer_lives (void)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  g_autoptr (GError) error = NULL;
  ReelRing *writer = create (4);
  g_autoptr (ReelRing) reader = open_ring (REEL_RING_FOLLOW);
  g_autoptr (ReelRing) second = NULL;

  g_assert_cmpint (reel_ring_is_written (reader, NULL), ==, 1);
  g_assert_null (reel_ring_open (path, REEL_RING_WRITE, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, path));
  reel_ring_free (writer);
  g_assert_cmpint (reel_ring_is_written (reader, NULL), ==, 0);
  second = open_ring (REEL_RING_WRITE);
  g_assert_cmpint (reel_ring_is_written (reader, NULL), ==, 1);
}

static void
test_released_ring_can_be_read (void)
{
  g_autoptr (ReelRing) writer = create (4);
  g_autoptr (ReelRing) reader = open_ring (REEL_RING_FOLLOW);
  gint64 first, end;

  reel_ring_publish (writer, 3);
  reel_ring_release (writer);
  g_assert_cmpint (reel_ring_is_written (reader, NULL), ==, 0);
  reel_ring_get_view (writer, &first, &end);
  g_assert_cmpint (first, ==, 0);
  g_assert_cmpint (end, ==, 3);
}

static void
test_create_replaces_nothing (void)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  g_autoptr (ReelRing) writer = create (4);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_ring_create (path, 4, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
}

static void
patch (gsize offset, guint64 value)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  g_autofree char *bytes = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  memcpy (bytes + offset, &value, sizeof value);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
}

/* A kill between the two stores of a skip leaves begin above end: nothing is valid, nobody hangs,
 * and a writer goes on behind it. */
static void
test_begin_above_end_is_empty (void)
{
  g_autoptr (ReelRing) reader = NULL;
  g_autoptr (ReelRing) writer = NULL;

  reel_ring_free (create (4));
  patch (16, 9);
  patch (24, 5);
  reader = open_ring (REEL_RING_FOLLOW);
  assert_view (reader, 5, 5);
  writer = open_ring (REEL_RING_WRITE);
  assert_view (writer, 9, 9);
}

/* Rows were being changed when the writer was killed: who opens it to write ends that. */
static void
test_killed_in_a_change (void)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  g_autoptr (GError) error = NULL;
  ReelRing *killed = reel_ring_create (path, 4, &error);
  guint64 revision;

  g_assert_no_error (error);
  reel_ring_begin_change (killed);
  revision = reel_ring_get_revision (killed);
  reel_ring_free (killed);
  g_autoptr (ReelRing) ring = reel_ring_open (path, REEL_RING_WRITE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (reel_ring_get_revision (ring), ==, revision + 1);
}

/* A file may say that it begins more steps ago than it holds. */
static void
test_never_more_than_its_capacity (void)
{
  g_autoptr (ReelRing) ring = reel_ring_new (4, FALSE);

  reel_ring_set (ring, 1, 10);
  assert_view (ring, 6, 10);
}

static void
test_damage_is_named (void)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  static const struct
  {
    gsize offset;
    guint64 value;
    const char *word;
  } damages[] = {
    { 0, 0, "REELRING" },
    { 8, 2, "version" },
    { 8, 1ull | 1ull << 32, "version" },
    { 32, 0, "capacity" },
    { 32, G_MAXUINT64, "capacity" },
    { 16, G_MAXUINT64, "counters" },
    { 24, 1ull << 63, "counters" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autoptr (GError) error = NULL;

      g_remove (path);
      reel_ring_free (create (4));
      patch (damages[i].offset, damages[i].value);
      g_assert_null (reel_ring_open (path, REEL_RING_FOLLOW, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, damages[i].word));
      g_assert_nonnull (strstr (error->message, path));
    }
}

static void
test_short_file_is_damaged (void)
{
  g_autofree char *path = scratch_path (REEL_RING_FILE);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "REELRING", 8, NULL));
  g_assert_null (reel_ring_open (path, REEL_RING_FOLLOW, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
}

#define ADD_FILE_TEST(name, function) scratch_test ("/buffers/ring/" name, function)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/buffers/ring/views-follow-every-history", test_views_follow_every_history);
  g_test_add_func ("/buffers/ring/skipping-leaves-nothing", test_skipping_leaves_nothing);
  g_test_add_func ("/buffers/ring/never-more-than-its-capacity", test_never_more_than_its_capacity);
  ADD_FILE_TEST ("killed-in-a-change", test_killed_in_a_change);
  ADD_FILE_TEST ("bytes", test_bytes);
  ADD_FILE_TEST ("others-follow", test_others_follow);
  ADD_FILE_TEST ("lock-tells-whether-the-writer-lives", test_lock_tells_whether_the_writer_lives);
  ADD_FILE_TEST ("released-ring-can-be-read", test_released_ring_can_be_read);
  ADD_FILE_TEST ("create-replaces-nothing", test_create_replaces_nothing);
  ADD_FILE_TEST ("begin-above-end-is-empty", test_begin_above_end_is_empty);
  ADD_FILE_TEST ("damage-is-named", test_damage_is_named);
  ADD_FILE_TEST ("short-file-is-damaged", test_short_file_is_damaged);

  return g_test_run ();
}
