/* Damage to a checkpoint is told, and touches nothing. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "golden-buffer.h"
#include "scratch.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define SIDECAR "reel.json"

typedef struct
{
  const char *file;
  const char *old; /* NULL: cut the file, or remove it */
  const char *by;  /* NULL: remove the file */
  const char *found;
} Damage;

static const Damage damages[] = {
  { "buffer_metadata.json", NULL, NULL, "not a replay buffer" },
  { "buffer_metadata.json", "{", "[", "buffer_metadata.json" },
  { "buffer_metadata.json", "\"batch_size\": null", "\"batch_size\": 2.0", "2.0" },
  { "buffer_metadata.json", "\"batch_size\"", "\"size\"", "batch_size" },
  { "storage/storage_metadata.json", NULL, NULL, "storage_metadata.json" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": 9", "len" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": 10", "len" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": -1", "-1" },
  { "storage/storage_metadata.json", "\"len\": 8", "\"len\": 8.0", "8.0" },
  { "storage/storage_metadata.json", "false", "0", "is_pytree" },
  { "writer/metadata.json", NULL, NULL, "metadata.json" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": 4", "cursor" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": -1", "cursor" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": 1.0", "cursor" },
  { "writer/metadata.json", "\"cursor\": 1", "\"cursor\": true", "cursor" },
  { "writer/metadata.json", "}", "", "metadata.json" },
  { "writer/metadata.json", "\"write_count\": 9", "\"write_count\": 4611686018427387897",
    "writer/metadata.json: 4611686018427387897 steps" },
  { "storage/meta.json", NULL, NULL, "meta.json" },
  { "storage/meta.json", "torch.float32", "torch.float31", "float31" },
  { "storage/meta.json", "[4,2,3]", "[5,2,3]", "observation" },
  { "storage/meta.json", "\"shape\":[4,2],\"device\":\"cpu\",\"_type\"",
    "\"shape\":[],\"device\":\"cpu\",\"_type\"", "meta.json" },
  { "storage/next/meta.json", NULL, NULL, "next" },
  { "storage/observation.memmap", NULL, "", "observation.memmap" },
  { "storage/next/reward.memmap", NULL, "", "reward.memmap" },
  { "storage/next/reward.memmap", NULL, NULL, "reward.memmap" },
  { SIDECAR, "\"shape\":[4,2]", "\"shape\":[3,2]", "reel.json" },
  { SIDECAR, "\"end\":9", "\"end\":\"9\"", "reel.json" },
  { SIDECAR, "\"ndim\":2", "\"ndim\":17", "reel.json" },
  { SIDECAR, "\"names\":[null,null]", "\"names\":[1,null]", "reel.json" },
};

static void
do_damage (const char *dump, const Damage *damage)
{
  g_autofree char *path = g_build_filename (dump, damage->file, NULL);

  if (damage->old)
    replace_text (path, damage->old, damage->by);
  else if (damage->by)
    g_assert_cmpint (truncate (path, 7), ==, 0);
  else
    g_assert_cmpint (g_unlink (path), ==, 0);
}

static void
assert_refused (const char *dump, const char *found)
{
  g_autofree char *before = tree_digest (dump), *after = NULL;
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 8, 2);
  g_autoptr (GError) error = NULL, other = NULL;

  g_assert_null (reel_replay_buffer_open (dump, REEL_OPEN_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, found));
  g_assert_false (reel_replay_buffer_loads (buffer, dump, &other));
  g_assert_error (other, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_false (reel_storage_is_allocated (reel_replay_buffer_get_storage (buffer)));
  after = tree_digest (dump);
  g_assert_cmpstr (before, ==, after);
}

static void
test_damage_is_told_and_touches_nothing (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (damages); i++)
    {
      g_autofree char *dump = golden_dump ("rb-ndim2-wrapped"), *path = NULL, *name = NULL;

      name = g_strdup_printf ("case-%" G_GSIZE_FORMAT, i);
      path = scratch_path (name);
      if (g_str_equal (damages[i].file, SIDECAR))
        {
          g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 8, 2);

          g_assert_true (reel_replay_buffer_loads (buffer, dump, NULL));
          g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
        }
      else
        tree_copy (dump, path);
      do_damage (path, &damages[i]);
      assert_refused (path, damages[i].found);
    }
}

static void
test_what_is_no_checkpoint (void)
{
  g_autofree char *file = scratch_path ("file"), *missing = scratch_path ("missing");
  g_autoptr (GError) error = NULL;

  assert_refused (scratch_directory, "not a replay buffer");
  scratch_put (file, "hello");
  g_assert_null (reel_replay_buffer_open (file, REEL_OPEN_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_clear_error (&error);
  g_assert_null (reel_replay_buffer_open (missing, REEL_OPEN_DEFAULT, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

#define TEST(name, function) scratch_test ("/buffers/checkpoint/" name, function)
  TEST ("damage-is-told-and-touches-nothing", test_damage_is_told_and_touches_nothing);
  TEST ("what-is-no-checkpoint", test_what_is_no_checkpoint);

  return g_test_run ();
}
