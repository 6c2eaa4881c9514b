/* The specs that a buffer keeps, and the first row that is outside of them. */
#include "../src/reel.h"
#include "counted-rows.h"
#include "make-spec.h"
#include "scratch.h"

#include <string.h>

/* ---- checking rows ---- */

static ReelSpec *
parse (const char *format, ...)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  va_list arguments;
  ReelSpec *spec;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  spec = reel_spec_new_from_text (text, &error);
  g_assert_no_error (error);
  return spec;
}

static ReelRowFault *
check (ReelReplayBuffer *buffer, const ReelSpec *spec, gint64 *n_rows)
{
  g_autoptr (GError) error = NULL;
  ReelRowFault *fault;

  g_assert_true (reel_replay_buffer_check_rows (buffer, spec, n_rows, &fault, &error));
  g_assert_no_error (error);
  return fault;
}

/* Rows that tell their number, of which those below low and above high are outside. */
static void
check_ring (ReelReplayBuffer *buffer, gint64 lanes, gint64 low, gint64 high)
{
  g_autoptr (ReelSpec) spec =
      parse ("composite:id=(bounded:low=%d,high=%d,dtype=int64)", (int) low, (int) high);
  ReelStorageView view;
  gint64 n_rows, row = 0;

  reel_storage_get_view (reel_replay_buffer_get_storage (buffer), &view);
  gint64 n = view.end_row - view.first_row;
  while (row < n && view.first_row + row >= low && view.first_row + row <= high)
    row++;
  g_autoptr (ReelRowFault) fault = check (buffer, spec, &n_rows);
  g_assert_cmpint (n_rows, ==, row);
  if (row == n)
    {
      g_assert_null (fault);
      return;
    }
  g_autofree char *value = g_strdup_printf ("%d", (int) (view.first_row + row));
  g_assert_cmpint (fault->row, ==, row);
  g_assert_cmpint (fault->step, ==, row / lanes);
  g_assert_cmpint (fault->lane, ==, row % lanes);
  g_assert_cmpstr (fault->path, ==, "id");
  g_assert_cmpstr (fault->element, ==, "[]");
  g_assert_cmpstr (fault->value, ==, value);
}

/* Every small ring, every state of it, every pair of bounds: as a naive search. */
static void
test_first_in_order_of_time (void)
{
  for (gint64 lanes = 1; lanes <= 2; lanes++)
    for (gint64 capacity = 1; capacity <= 4; capacity++)
      {
        g_autoptr (ReelReplayBuffer) buffer =
            counted_new_buffer ("tensor", capacity * lanes, lanes == 1 ? 1 : 2);

        for (gint64 step = 0; step < 2 * capacity + 1; step++)
          {
            counted_extend (buffer, lanes, 1, step);
            for (gint64 low = 0; low <= (step + 1) * lanes; low++)
              for (gint64 high = low; high <= (step + 1) * lanes; high++)
                check_ring (buffer, lanes, low, high);
          }
      }
}

/* The later leaf has the earlier row; of one row the leaf that the spec has first is named. */
static void
test_several_leaves (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 1000, 1);
  g_autoptr (ReelSpec) later = parse ("composite:id=(bounded:low=0,high=900,dtype=int64),"
                                      "observation=(bounded:low=0,high=800.5,shape=[3])");
  g_autoptr (ReelSpec) both = parse ("composite:observation=(bounded:low=0,high=[999,700.25,999]),"
                                     "id=(bounded:low=0,high=700,dtype=int64)");
  gint64 n_rows;

  counted_extend (buffer, 1, 1000, 0);
  g_autoptr (ReelRowFault) fault = check (buffer, later, &n_rows);
  g_assert_cmpint (fault->row, ==, 801);
  g_assert_cmpint (n_rows, ==, 801);
  g_assert_cmpstr (fault->path, ==, "observation");
  g_autoptr (ReelRowFault) first = check (buffer, both, NULL);
  g_assert_cmpint (first->row, ==, 701);
  g_assert_cmpstr (first->path, ==, "observation");
  g_assert_cmpstr (first->element, ==, "[1]");
  g_assert_cmpstr (first->value, ==, "701.25");
  g_assert_cmpstr (first->bound, ==, "at most 700.25");
  g_assert_cmpstr (first->message, ==, "is 701.25, not at most 700.25");
  counted_extend (buffer, 1, 500, 1000); /* the ring wraps: rows 500 to 1499 */
  g_autoptr (ReelRowFault) wrapped = check (buffer, later, &n_rows);
  g_assert_cmpint (wrapped->row, ==, 301);
  g_assert_cmpint (n_rows, ==, 301);
  g_assert_cmpstr (wrapped->path, ==, "observation");
}

static void
check_column (ReelReplayBuffer *buffer, const char *text, const char *path, const char *message)
{
  g_autoptr (ReelSpec) spec = parse ("%s", text);
  gint64 n_rows;
  g_autoptr (ReelRowFault) fault = check (buffer, spec, &n_rows);

  g_assert_cmpint (fault->row, ==, -1);
  g_assert_cmpint (n_rows, ==, 0);
  g_assert_cmpstr (fault->path, ==, path);
  g_assert_cmpstr (fault->message, ==, message);
  g_assert_null (fault->element);
}

static void
test_columns_that_do_not_fit (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 2);

  check_column (buffer, "composite:id=(unbounded)", "id", "is in the spec and not stored");
  counted_extend (buffer, 2, 3, 0);
  check_column (buffer, "composite:next=(composite:other=(unbounded))", "next/other",
                "is in the spec and not stored");
  check_column (buffer, "composite:id=(unbounded)", "id", "dtype int64 is not float32");
  check_column (buffer, "composite:observation=(unbounded:shape=[4])", "observation",
                "shape [3] does not end in [4]");
}

/* Specs of all lanes are as good as those of one; a key without a spec takes anything. */
static void
test_lanes_and_no_spec (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 2);
  g_autoptr (ReelSpec) lanes =
      parse ("composite:observation=(bounded:low=0,high=[[9,9,9],[2,2,2]]),"
             "id=(),none=(unbounded:shape=[2,0]),shape=[2]");
  g_autoptr (ReelSpec) nothing = parse ("composite");
  gint64 n_rows;

  counted_extend (buffer, 2, 3, 0);
  g_autoptr (ReelRowFault) fault = check (buffer, lanes, NULL);
  g_assert_cmpint (fault->row, ==, 3);
  g_assert_cmpint (fault->lane, ==, 1);
  g_assert_null (check (buffer, nothing, &n_rows));
  g_assert_cmpint (n_rows, ==, 6);
}

/* ---- specs kept with the rows ---- */

static ReelSpec *
make_env_spec (void)
{
  g_autoptr (ReelSpec) observation =
      parse ("composite:observation=(bounded:low=-1,high=[1,inf,3])");
  g_autoptr (ReelSpec) action = parse ("composite:action=(one-hot:n=2,dtype=int64)");
  g_autoptr (ReelSpec) reward = parse ("composite:reward=(unbounded:shape=[1])");
  g_autoptr (ReelSpec) done = parse ("composite:done=(categorical:n=2,dtype=bool,shape=[1])");
  g_autoptr (GError) error = NULL;
  ReelSpec *spec = reel_env_spec_new (observation, action, reward, done, &error);

  g_assert_no_error (error);
  return spec;
}

static void
test_env_spec (void)
{
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (ReelSpec) rows = reel_env_spec_to_rows (spec, NULL);
  g_autofree char *text = reel_spec_to_text (rows);
  g_autoptr (ReelSpec) action = parse ("composite:action=(one-hot:n=2,dtype=int64)");

  g_assert_true (reel_spec_equal (reel_env_spec_get_part (spec, "action"), action));
  g_assert_cmpstr (text, ==,
                   "composite:observation=(bounded:low=-1,high=[1,inf,3],shape=[3]),"
                   "action=(one-hot:n=2,dtype=int64,shape=[2]),"
                   "done=(categorical:n=2,dtype=bool,shape=[1]),"
                   "next=(composite:observation=(bounded:low=-1,high=[1,inf,3],shape=[3]),"
                   "reward=(unbounded:shape=[1]),done=(categorical:n=2,dtype=bool,shape=[1]))");
}

static void
test_same_key_twice (void)
{
  g_autoptr (ReelSpec) one = parse ("composite:a=(binary)");
  g_autoptr (ReelSpec) none = parse ("composite");
  g_autoptr (ReelSpec) spec = reel_env_spec_new (one, one, none, none, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_env_spec_to_rows (spec, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "the key \"a\" is in two of the env's specs"));
}

static void
test_kept_in_files (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 1);
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autofree char *path = scratch_path ("kept");
  g_autoptr (GError) error = NULL;

  counted_extend (buffer, 1, 3, 0);
  g_assert_null (reel_replay_buffer_dup_specs (buffer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  g_assert_true (reel_replay_buffer_set_specs (buffer, spec, &error));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, 0, &error));
  g_assert_no_error (error);
  g_autoptr (ReelReplayBuffer) opened = reel_replay_buffer_open (path, REEL_OPEN_READ_ONLY, &error);
  g_assert_no_error (error);
  g_autoptr (ReelSpec) kept = reel_replay_buffer_dup_specs (opened, &error);
  g_assert_no_error (error);
  g_assert_true (reel_spec_equal (kept, spec));
}

/* The specs of a policy are kept with those of the env, and are a part of the rows. */
static void
test_policy (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 1);
  g_autoptr (ReelSpec) env = make_env_spec ();
  g_autoptr (ReelSpec) output = reel_spec_new_from_text ("composite:score=(unbounded)", NULL);
  g_autoptr (ReelSpec) state =
      reel_spec_new_from_text ("composite:lstm=(composite:h=(unbounded:shape=[2]))", NULL);
  g_autoptr (ReelSpec) none = reel_composite_spec_new (0, NULL, NULL, NULL, 0, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) same = reel_env_spec_set_policy (env, none, none, &error);
  g_autoptr (ReelSpec) spec = reel_env_spec_set_policy (env, output, state, &error);

  g_assert_no_error (error);
  g_assert_true (reel_spec_equal (same, env));
  g_assert_null (reel_env_spec_get_part (same, "policy_output"));
  g_assert_true (reel_spec_equal (reel_env_spec_get_part (spec, "policy_state"), state));
  g_assert_true (reel_replay_buffer_set_specs (buffer, spec, &error));
  g_autoptr (ReelSpec) kept = reel_replay_buffer_dup_specs (buffer, &error);
  g_assert_no_error (error);
  g_assert_true (reel_spec_equal (kept, spec));
  g_autoptr (ReelSpec) rows = reel_env_spec_to_rows (kept, &error);
  g_assert_no_error (error);
  g_assert_nonnull (reel_spec_get (rows, "score", NULL));
  g_assert_nonnull (reel_spec_get (rows, "lstm/h", NULL));
  g_assert_nonnull (reel_spec_get (rows, "next/lstm/h", NULL));
  g_assert_null (reel_spec_get (rows, "next/score", NULL));
}

/* As they were kept before the JSON form. */
static void
test_texts (void)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 1);
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (GError) error = NULL;

  reel_replay_buffer_set_info (
      buffer, "specs",
      "{\"observation\":\"composite:observation=(bounded:low=[-1,-1,-1],high=[1,inf,3],shape=[3])"
      "\","
      "\"action\":\"composite:action=(one-hot:n=2,dtype=int64,shape=[2])\","
      "\"reward\":\"composite:reward=(unbounded:shape=[1])\","
      "\"done\":\"composite:done=(categorical:n=2,dtype=bool,shape=[1])\"}",
      NULL);
  g_autoptr (ReelSpec) kept = reel_replay_buffer_dup_specs (buffer, &error);
  g_assert_no_error (error);
  g_assert_true (reel_spec_equal (kept, spec));
}

static void
check_damaged (const char *json, const char *message)
{
  g_autoptr (ReelReplayBuffer) buffer = counted_new_buffer ("tensor", 6, 1);
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_replay_buffer_set_info (buffer, "specs", json, NULL));
  g_assert_null (reel_replay_buffer_dup_specs (buffer, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_damaged (void)
{
  check_damaged ("3", "info: specs: observation: expected a composite spec");
  check_damaged ("{\"observation\":\"binary\"}", "observation: expected a composite spec");
  check_damaged ("{\"observation\":\"composite\",\"action\":\"compost\"}",
                 "action: character 1, at \"compost\": there is no kind of spec \"compost\"");
  check_damaged (
      "{\"observation\":{\"kind\":\"composite\",\"specs\":{\"a\":{\"kind\":\"one-hot\"}}}}",
      "observation: \"a\": one-hot must have n");
  check_damaged ("{\"observation\":\"composite:shape=[2]\",\"action\":\"composite:a=(binary)\","
                 "\"reward\":\"composite\",\"done\":\"composite\"}",
                 "do not fit each other");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/buffers/specs/first-in-order-of-time", test_first_in_order_of_time);
  g_test_add_func ("/buffers/specs/several-leaves", test_several_leaves);
  g_test_add_func ("/buffers/specs/columns-that-do-not-fit", test_columns_that_do_not_fit);
  g_test_add_func ("/buffers/specs/lanes-and-no-spec", test_lanes_and_no_spec);
  g_test_add_func ("/buffers/specs/env-spec", test_env_spec);
  g_test_add_func ("/buffers/specs/same-key-twice", test_same_key_twice);
  scratch_test ("/buffers/specs/kept-in-files", test_kept_in_files);
  g_test_add_func ("/buffers/specs/policy", test_policy);
  g_test_add_func ("/buffers/specs/texts", test_texts);
  g_test_add_func ("/buffers/specs/damaged", test_damaged);

  return g_test_run ();
}
