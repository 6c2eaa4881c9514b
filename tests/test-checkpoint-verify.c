/* Faults of a checkpoint are found, at their place, and nothing else is. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "file-faults.h"
#include "golden-buffer.h"
#include "scratch.h"
#include "ted-rows.h"

#include <glib/gstdio.h>
#include <string.h>

static ReelCheckpointReport *
verify (const char *path)
{
  g_autofree char *before = tree_digest (path), *after = NULL;
  g_autoptr (GError) error = NULL;
  ReelCheckpointReport *report = reel_checkpoint_verify (path, &error);

  g_assert_no_error (error);
  after = tree_digest (path);
  g_assert_cmpstr (before, ==, after);
  return report;
}

static void
assert_sound (const ReelCheckpointReport *report)
{
  if (report->faults->len > 0)
    {
      const ReelCheckpointFault *fault = report->faults->pdata[0];
      g_error ("%s: step %" G_GINT64_FORMAT ": %s", fault->where, fault->step, fault->what);
    }
}

static void
assert_fault (const ReelCheckpointReport *report, const char *where, gint64 step, gint64 lane,
              const char *what)
{
  const ReelCheckpointFault *fault;

  g_assert_cmpuint (report->faults->len, ==, 1);
  fault = report->faults->pdata[0];
  g_assert_cmpstr (fault->where, ==, where);
  g_assert_cmpint (fault->step, ==, step);
  g_assert_cmpint (fault->lane, ==, lane);
  g_assert_nonnull (strstr (fault->what, what));
}

static void
flip (const char *file, gsize at, guint8 by)
{
  g_autofree char *bytes = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (file, &bytes, &length, NULL));
  g_assert_cmpuint (at, <, length);
  bytes[at] ^= (char) by;
  g_assert_true (g_file_set_contents (file, bytes, (gssize) length, NULL));
}

/* ---- TorchRL's own ---- */

static const char *const golden[] = {
  "rb-memmap-full",      "rb-memmap-overrun", "rb-memmap-part",
  "rb-memmap-wrapped",   "rb-tensor-full",    "rb-tensor-overrun",
  "rb-tensor-part",      "rb-tensor-wrapped", "rb-plain-add",
  "rb-ndim2-dimextend0", "rb-ndim2-part",     "rb-ndim2-ram",
  "rb-ndim2-rounded",    "rb-ndim2-wrapped",  "rb-ndim3-part",
  "rb-live-dump",        "rb-capacity1",      "rb-collector-cartpole",
  "rb-pixels-agents",    "rb-slice",          "rb-slice-ndim2",
  "rb-prefetch",         "rb-rng-transform",  "rb-immutable",
  "rb-max-full",         "rb-strings",        "rb-swr-mid",
  "rb-per-updated"
};

static void
test_golden_is_sound (gconstpointer name)
{
  g_autofree char *dump = golden_dump (name);
  g_autoptr (ReelCheckpointReport) report = verify (dump);
  g_autoptr (json_t) expect = golden_expect (name);

  assert_sound (report);
  g_assert_false (report->checksums);
  g_assert_cmpint (
      report->n_rows, ==,
      json_integer_value (json_object_get (json_object_get (expect, "storage"), "len")));
}

/* These were made of batches that have the ids of others. */
static void
test_golden_with_seams (void)
{
  static const struct
  {
    const char *name;
    gint64 step, lane;
  } cases[] = { { "rb-generations", 4, 0 },
                { "rb-ndim3-wrapped", 4, 1 },
                { "rb-per-short-capacity", 2, 0 } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *dump = golden_dump (cases[i].name);
      g_autoptr (ReelCheckpointReport) report = verify (dump);
      g_autoptr (ReelCheckpointReport) files = reel_checkpoint_verify_files (dump, NULL);

      assert_sound (files); /* the bytes are those that were written */
      assert_fault (report, "observation", cases[i].step, cases[i].lane, "next of the step before");
    }
}

/* ---- episodes ---- */

/* The dump of a real collector: [steps, 2 lanes]. */
typedef struct
{
  char *path;
  ReelRingInfo ring;
  gint64 lanes;
  const ReelTensor *ids;
  const ReelTensor *done;
  ReelReplayBuffer *buffer;
} Run;

static void
open_run (Run *run)
{
  g_autoptr (GError) error = NULL;
  ReelStorage *storage;
  ReelTensordict *data;

  run->path = golden_copy ("rb-collector-cartpole");
  run->buffer = reel_replay_buffer_open (run->path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  storage = reel_replay_buffer_get_storage (run->buffer);
  data = reel_storage_get_data (storage);
  run->lanes = reel_storage_get_lanes (storage);
  g_assert_true (reel_replay_buffer_get_ring (run->buffer, &run->ring, NULL));
  run->ids = reel_tensordict_get_tensor (data, "collector/traj_ids", NULL);
  run->done = reel_tensordict_get_tensor (data, "next/done", NULL);
}

static void
close_run (Run *run)
{
  g_object_unref (run->buffer);
  g_free (run->path);
}

/* Where a row lies. */
static gint64
slot_of (const Run *run, gint64 row)
{
  return row % (run->ring.capacity * run->lanes);
}

static gboolean
is_inner (const Run *run, gint64 row)
{
  const gint64 *ids = (const gint64 *) run->ids->data;
  gint64 slot = slot_of (run, row), before = slot_of (run, row - run->lanes);

  return row - run->lanes >= run->ring.begin * run->lanes && ids[before] == ids[slot]
         && !run->done->data[before];
}

/* A changed observation is found where a step came before it in its episode, and nowhere else. */
static void
test_each_observation (void)
{
  Run run;
  g_autofree char *file = NULL;
  gint64 n_inner = 0;

  open_run (&run);
  file = g_build_filename (run.path, "storage", "observation.memmap", NULL);
  for (gint64 row = run.ring.begin * run.lanes; row < run.ring.end * run.lanes; row++)
    {
      g_autoptr (ReelCheckpointReport) report = NULL;
      gsize at = (gsize) slot_of (&run, row) * 4 * sizeof (float);

      at += row % 2 ? 5 : 15; /* the last byte too */
      flip (file, at, 0x10);
      report = verify (run.path);
      flip (file, at, 0x10);
      if (is_inner (&run, row))
        assert_fault (report, "observation", row / run.lanes, row % run.lanes,
                      "next of the step before");
      else
        assert_sound (report);
      n_inner += is_inner (&run, row);
    }
  g_assert_cmpint (n_inner, >, 10);
  g_assert_cmpint (n_inner, <, (run.ring.end - run.ring.begin) * run.lanes);
  close_run (&run);
}

/* done without terminated or truncated, and the reverse. */
static void
test_each_flag (void)
{
  static const char *const keys[] = { "done", "terminated", "truncated" };
  Run run;

  open_run (&run);
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    for (gint64 row = run.ring.begin * run.lanes; row < run.ring.end * run.lanes; row++)
      {
        g_autofree char *name = g_strconcat (keys[k], ".memmap", NULL);
        g_autofree char *file = g_build_filename (run.path, "storage", "next", name, NULL);
        g_autoptr (ReelCheckpointReport) report = NULL;

        if (run.done->data[slot_of (&run, row)] && k > 0) /* one of the two is enough */
          continue;
        flip (file, (gsize) slot_of (&run, row), 1);
        report = verify (run.path);
        flip (file, (gsize) slot_of (&run, row), 1);
        assert_fault (report, "next/done", row / run.lanes, row % run.lanes,
                      "terminated or truncated");
      }
  close_run (&run);
}

static void
test_bools_that_are_none (void)
{
  Run run;
  g_autofree char *file = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;

  open_run (&run);
  file = g_build_filename (run.path, "storage", "next", "terminated.memmap", NULL);
  for (gint64 row = run.ring.begin * run.lanes; row < run.ring.end * run.lanes; row++)
    if (run.done->data[slot_of (&run, row)])
      {
        flip (file, (gsize) slot_of (&run, row), 3); /* 2 */
        report = verify (run.path);
        assert_fault (report, "next/terminated", row / run.lanes, row % run.lanes, "0 nor 1");
        break;
      }
  g_assert_nonnull (report);
  close_run (&run);
}

/* ---- files ---- */

#define LANES 2
#define STEPS 4

/* A run of @n steps in a ring of 4, as it was killed and as it was closed. */
static void
make_runs (gint64 n, char **killed, char **closed)
{
  g_autoptr (ReelTensordict) step = counted_new_step (2, LANES, 0);
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  *killed = scratch_path ("killed");
  *closed = scratch_path ("closed");
  buffer = reel_replay_buffer_create_live (*closed, STEPS * LANES, step, 0, &error);
  g_assert_no_error (error);
  while (n > 0)
    {
      ReelReservation block;

      g_assert_true (reel_replay_buffer_reserve (buffer, n, &block, NULL));
      counted_fill_block (reel_replay_buffer_get_storage (buffer), &block, 0, LANES);
      n -= block.n_steps;
      reel_replay_buffer_commit (buffer, &block, block.n_steps);
    }
  tree_copy_killed (*closed, *killed);
  g_assert_true (reel_replay_buffer_close (buffer, NULL));
}

/* ---- the sidecar ---- */

/* A reader does without some members, and so does no check but this. */
static void
test_each_member_is_missed (void)
{
  /* Without these it cannot be read. */
  static const char required[] =
      "\"format\" \"ndim\" \"shape\" \"names\" \"begin\" \"end\" \"write_count\" \"clean\"";
  g_autofree char *killed = NULL, *closed = NULL;
  const char *key;
  json_t *value;

  make_runs (3, &killed, &closed);
  g_autofree char *file = g_build_filename (closed, "reel.json", NULL);
  g_autoptr (json_t) whole = json_load_file (file, 0, NULL);
  json_object_foreach (whole, key, value)
  {
    g_autofree char *member = g_strdup_printf ("\"%s\"", key);
    g_autoptr (json_t) part = json_copy (whole);

    json_object_del (part, key);
    g_assert_cmpint (json_dump_file (part, file, 0), ==, 0);
    g_autoptr (ReelCheckpointReport) report = verify (closed);
    assert_fault (report, strstr (required, member) ? "" : "reel.json", -1, -1, member);
  }
}

static void
test_run_without_ring (void)
{
  g_autofree char *killed = NULL, *closed = NULL;

  make_runs (3, &killed, &closed);
  for (gint i = 0; i < 2; i++)
    {
      g_autofree char *ring = g_build_filename (i ? killed : closed, "reel.ring", NULL);

      g_assert_cmpint (g_unlink (ring), ==, 0);
      g_autoptr (ReelCheckpointReport) report = verify (i ? killed : closed);
      assert_fault (report, "reel.ring", -1, -1, "cannot be resumed");
    }
}

static void
test_each_byte_has_a_checksum (void)
{
  static const char *const keys[] = { "id", "observation", "next/flag", "next/wide" };
  g_autofree char *killed = NULL, *closed = NULL;
  g_autoptr (ReelCheckpointReport) sound = NULL, unclosed = NULL;

  make_runs (7, &killed, &closed);
  sound = verify (closed);
  assert_sound (sound);
  g_assert_true (sound->checksums);
  g_assert_cmpint (sound->n_rows, ==, STEPS * LANES);
  unclosed = verify (killed);
  assert_sound (unclosed);
  g_assert_false (unclosed->checksums);
  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      g_autofree char *name = g_strconcat (keys[k], ".memmap", NULL);
      g_autofree char *file = g_build_filename (closed, "storage", name, NULL);
      g_autofree char *bytes = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (file, &bytes, &length, NULL));
      for (gsize at = 0; at < length; at++)
        {
          g_autoptr (ReelCheckpointReport) report = NULL;

          flip (file, at, 1);
          report = verify (closed);
          flip (file, at, 1);
          assert_fault (report, keys[k], -1, -1, "checksum of its bytes from 0");
        }
    }
}

/* A changed word in a file that describes the rows is noticed. */
static void
assert_noticed (const char *run, const char *name, const char *word, const char *other)
{
  g_autofree char *file = g_build_filename (run, name, NULL), *good = NULL;
  g_autoptr (GString) bad = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;

  g_assert_true (g_file_get_contents (file, &good, NULL, NULL));
  bad = g_string_new (good);
  g_assert_cmpint (g_string_replace (bad, word, other, 1), ==, 1);
  g_assert_true (g_file_set_contents (file, bad->str, -1, NULL));
  report = verify (run);
  g_assert_cmpint (report->faults->len, >, 0);
  g_assert_true (g_file_set_contents (file, good, -1, NULL));
}

static char *
make_dump (const char *checkpointer)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", STEPS * LANES, 2);
  g_autoptr (ReelCheckpointer) form =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, checkpointer, NULL, NULL);
  char *path = scratch_path ("dump");

  counted_extend (buffer, LANES, STEPS - 1, 0);
  reel_replay_buffer_set_checkpointer (buffer, form);
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, NULL));
  return path;
}

static void
test_metadata_has_checksums (void)
{
  g_autofree char *killed = NULL, *closed = NULL, *dump = NULL;

  make_runs (7, &killed, &closed);
  dump = make_dump ("tensor");
  for (gint i = 0; i < 2; i++)
    {
      const char *run = i == 0 ? closed : dump;
      g_autoptr (ReelCheckpointReport) sound = verify (run);

      assert_sound (sound);
      g_assert_true (sound->checksums);
      assert_noticed (run, "storage/meta.json", "torch.int64", "torch.float64");
      assert_noticed (run, "storage/meta.json", "\"observation\"", "\"observatiom\"");
      assert_noticed (run, "storage/next/meta.json", "\"flag\"", "\"type\"");
      assert_noticed (run, "storage/storage_metadata.json", "false", "false ");
      assert_noticed (run, "buffer_metadata.json", "null", "17");
      assert_noticed (run, "writer/metadata.json", "}", "} ");
    }
}

/* A key that is left out of the metadata is a file and checksums that nobody reads. */
static void
test_name_without_leaf (void)
{
  g_autofree char *killed = NULL, *closed = NULL, *file = NULL, *text = NULL;
  g_autoptr (json_t) root = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;

  make_runs (7, &killed, &closed);
  file = g_build_filename (closed, "storage", "next", "meta.json", NULL);
  root = reel_json_load_file (file, NULL);
  g_assert_cmpint (json_object_del (root, "flag"), ==, 0);
  text = reel_json_to_string (root, 0);
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
  buffer = reel_replay_buffer_open (closed, REEL_OPEN_READ_ONLY, &error);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "storage/next/meta.json"));
}

/* A file that the checksums leave out may have been added or changed. */
static void
test_leaf_without_checksums (void)
{
  g_autofree char *dump = make_dump ("tensor"), *file = NULL, *text = NULL;
  g_autoptr (json_t) root = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;

  file = g_build_filename (dump, "reel.json", NULL);
  root = reel_json_load_file (file, NULL);
  json_t *sums = json_object_get (json_object_get (root, "checksums"), "files");
  g_assert_cmpint (json_object_del (sums, "storage/id.memmap"), ==, 0);
  text = reel_json_to_string (root, 0);
  g_assert_true (g_file_set_contents (file, text, -1, NULL));
  report = verify (dump);
  assert_fault (report, "storage/id.memmap", -1, -1, "has 0 checksums");
}

/* TorchRL dumps to where it loaded from: a queue of its own beside rows that changed. */
static void
test_rows_of_another_program (void)
{
  g_autofree char *dump = make_dump ("tensor"), *leaf = NULL, *queue = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;

  leaf = g_build_filename (dump, "storage", "id.memmap", NULL);
  queue = g_build_filename (dump, "prefetch.pkl", NULL);
  flip (leaf, 0, 1);
  g_assert_true (g_file_set_contents (queue, "\x80\x04}.", 4, NULL));
  report = verify (dump);
  g_assert_false (report->checksums);
  for (guint i = 0; i < report->faults->len; i++)
    g_assert_null (strstr (((ReelCheckpointFault *) report->faults->pdata[i])->what, "checksum"));
}

/* A run in the form of another program, whose rows are in other places than in memory. */
static void
test_flat_rows_have_checksums (void)
{
  static const TedRows rows = { 2, 4, 3, 0x14, FALSE };
  g_autofree char *dump = scratch_path ("dump"), *leaf = NULL;
  g_autoptr (ReelReplayBuffer) buffer = ted_rows_buffer ("tensor", &rows);
  g_autoptr (ReelCheckpointer) form =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, "flat", NULL, NULL);
  g_autoptr (ReelCheckpointReport) sound = NULL, report = NULL;
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_set_checkpointer (buffer, form);
  reel_replay_buffer_dumps (buffer, dump, 0, &error);
  g_assert_no_error (error);
  sound = verify (dump);
  g_assert_true (sound->checksums);
  leaf = g_build_filename (dump, "storage", "observation.memmap", NULL);
  flip (leaf, 3, 1);
  report = verify (dump);
  g_assert_cmpint (report->faults->len, ==, sound->faults->len + 1);
}

/* Changes a leaf of a dump that is not in its place yet. */
static void
change_draft (gpointer data)
{
  gboolean *changed = data;
  g_autoptr (GDir) dir = g_dir_open (scratch_directory, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *leaf =
          g_build_filename (scratch_directory, name, "storage", "observation.memmap", NULL);

      if (*name != '.' || !g_file_test (leaf, G_FILE_TEST_EXISTS))
        continue;
      flip (leaf, 3, 1);
      *changed = TRUE;
    }
}

/* A checksum is that of what was written, not of what is there afterwards. */
static void
test_changed_while_it_was_dumped (gconstpointer form)
{
  static const TedRows rows = { 2, 4, 3, 0x14, FALSE };
  g_autofree char *dump = scratch_path ("dump"), *reference = scratch_path ("reference");
  g_autoptr (ReelReplayBuffer) buffer = ted_rows_buffer ("tensor", &rows);
  g_autoptr (ReelCheckpointer) checkpointer =
      reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, form, NULL, NULL);
  g_autoptr (ReelCheckpointReport) sound = NULL, report = NULL;
  g_autoptr (GError) error = NULL;
  gboolean changed = FALSE;

  reel_replay_buffer_set_checkpointer (buffer, checkpointer);
  g_assert_true (reel_replay_buffer_dumps (buffer, reference, 0, NULL));
  sound = verify (reference);
  for (gint64 nth = 1; !changed; nth++)
    {
      file_faults_begin ();
      file_faults_call (nth, change_draft, &changed);
      reel_replay_buffer_dumps (buffer, dump, REEL_CHECKPOINT_FORCE, &error);
      g_assert_no_error (error);
      g_assert_true (file_faults_struck ());
      file_faults_end ();
    }
  report = verify (dump);
  g_assert_cmpuint (report->faults->len, >, sound->faults->len);
}

/* A run without a sidecar is read by its ring, which wrapped and is ahead of the JSON files. */
static void
test_ring_alone (void)
{
  g_autofree char *killed = NULL, *closed = NULL, *sidecar = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;
  ReelRingInfo ring;

  make_runs (7, &killed, &closed);
  sidecar = g_build_filename (killed, "reel.json", NULL);
  g_assert_cmpint (g_unlink (sidecar), ==, 0);
  buffer = reel_replay_buffer_open (killed, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_get_ring (buffer, &ring, NULL));
  g_assert_cmpint (ring.begin, ==, 7 - STEPS);
  g_assert_cmpint (ring.end, ==, 7);
}

static void
test_torn_steps (void)
{
  g_autofree char *killed = NULL, *closed = NULL, *ring = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;

  make_runs (7, &killed, &closed);
  ring = g_build_filename (killed, "reel.ring", NULL);
  flip (ring, 16, 3 ^ 5); /* begin: 7 − 4 + 2 */
  ring_take_place (killed);
  report = verify (killed);
  assert_fault (report, "storage", -1, -1, "slots 3 to 0 were being written when the writer ended");
  g_assert_cmpint (((ReelCheckpointFault *) report->faults->pdata[0])->n, ==, 2);
}

static void
test_one_torn_step (void)
{
  g_autofree char *killed = NULL, *closed = NULL, *ring = NULL;
  g_autoptr (ReelCheckpointReport) report = NULL;

  make_runs (6, &killed, &closed);
  ring = g_build_filename (killed, "reel.ring", NULL);
  flip (ring, 16, 2 ^ 3); /* begin: 6 − 4 + 1 */
  ring_take_place (killed);
  report = verify (killed);
  assert_fault (report, "storage", -1, -1, "slot 2 was being written when the writer ended");
  g_assert_cmpint (((ReelCheckpointFault *) report->faults->pdata[0])->n, ==, 1);
}

static void
test_files_that_are_damaged (void)
{
  g_autofree char *killed = NULL, *closed = NULL, *leaf = NULL, *meta = NULL;
  g_autoptr (ReelCheckpointReport) longer = NULL, shorter = NULL, no_json = NULL;
  g_autofree char *bytes = NULL;
  gsize length;

  make_runs (7, &killed, &closed);
  leaf = g_build_filename (closed, "storage", "id.memmap", NULL);
  meta = g_build_filename (closed, "storage", "meta.json", NULL);
  g_assert_true (g_file_get_contents (leaf, &bytes, &length, NULL));
  bytes = g_realloc (bytes, length + 1);
  g_assert_true (g_file_set_contents (leaf, bytes, (gssize) length + 1, NULL));
  longer = verify (closed);
  assert_sound (longer);
  g_assert_true (g_file_set_contents (leaf, bytes, (gssize) length - 1, NULL));
  shorter = verify (closed);
  assert_fault (shorter, "", -1, -1, "id.memmap");
  scratch_put (meta, "{");
  no_json = verify (closed);
  assert_fault (no_json, "", -1, -1, "meta.json");
}

static void
test_what_cannot_be_read (void)
{
  g_autofree char *nothing = scratch_path ("nothing");
  g_autoptr (GError) missing = NULL;

  g_assert_null (reel_checkpoint_verify (nothing, &missing));
  g_assert_error (missing, REEL_ERROR, REEL_ERROR_IO);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  for (gsize i = 0; i < G_N_ELEMENTS (golden); i++)
    {
      g_autofree char *path = g_strconcat ("/buffers/verify/is-sound/", golden[i], NULL);

      scratch_test_with_data (path, test_golden_is_sound, golden[i]);
    }
#define TEST(name, function) scratch_test ("/buffers/verify/" name, function)
  TEST ("golden-with-seams", test_golden_with_seams);
  TEST ("each-observation", test_each_observation);
  TEST ("each-flag", test_each_flag);
  TEST ("bools-that-are-none", test_bools_that_are_none);
  TEST ("each-member-is-missed", test_each_member_is_missed);
  TEST ("run-without-ring", test_run_without_ring);
  TEST ("each-byte-has-a-checksum", test_each_byte_has_a_checksum);
  TEST ("torn-steps", test_torn_steps);
  TEST ("one-torn-step", test_one_torn_step);
  TEST ("files-that-are-damaged", test_files_that_are_damaged);
  TEST ("what-cannot-be-read", test_what_cannot_be_read);
  TEST ("metadata-has-checksums", test_metadata_has_checksums);
  TEST ("leaf-without-checksums", test_leaf_without_checksums);
  TEST ("name-without-leaf", test_name_without_leaf);
  TEST ("rows-of-another-program", test_rows_of_another_program);
  TEST ("flat-rows-have-checksums", test_flat_rows_have_checksums);
  TEST ("ring-alone", test_ring_alone);
  scratch_test_with_data ("/buffers/verify/changed-while-it-was-dumped/tensor",
                          test_changed_while_it_was_dumped, "tensor");
  scratch_test_with_data ("/buffers/verify/changed-while-it-was-dumped/flat",
                          test_changed_while_it_was_dumped, "flat");
  scratch_test_with_data ("/buffers/verify/changed-while-it-was-dumped/nested",
                          test_changed_while_it_was_dumped, "nested");

  return g_test_run ();
}
