/* Runs of learn that are cut and continued: after every round, for every learner, all states,
 * weights and figures become those of the run that nobody cut. */
#include "../apps/learn/run-facts.h"
#include "../apps/learn/run.h"

#include "scratch.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define MOST_SETTINGS 12

typedef struct
{
  const char *name;
  const LearnerClass *class;
  LearnOptions options;
  const char *settings[MOST_SETTINGS][2]; /* name and text */
  guint n_data;
} Case;

static const GOptionEntry no_entries[] = { { NULL } };

/* ---- saved data ---- */

/* The second has less rows. */
static char *
make_data (const char *env, guint i)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_strdup_printf ("data%u", i);
  g_autofree char *text = g_strdup_printf ("%s:num-envs=2,seed=%u", env, i);
  g_autofree char *collector =
      g_strdup_printf ("sync:frames-per-batch=10,total-frames=%u", 60 - 20 * i);
  char *path = scratch_path (name);
  g_autoptr (ReelCollector) run = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  run = reel_collector_new_live (path, 60, collector, text, "random", 0, &error);
  g_assert_no_error (error);
  while (reel_collector_next (run, NULL, &error) > 0)
    ;
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_close (reel_collector_get_buffer (run), NULL));
  return path;
}

/* ---- runs ---- */

/* Options and what they refer to. */
typedef struct
{
  LearnOptions options;
  char *data[3];
  char *path;
  Plan plan;
  Run run;
} Trial;

static void
set_settings (const Case *test, LearnOptions *options)
{
  const Setting *settings = test->class->settings;

  for (guint k = 0; k < MOST_SETTINGS && test->settings[k][0]; k++)
    {
      guint i = 0;

      while (strcmp (settings[i].name, test->settings[k][0]) != 0)
        i++;
      options->settings[i] = (char *) test->settings[k][1];
    }
}

static Trial *
trial_new (const Case *test, const char *name, gboolean resumes)
{
  Trial *self = g_new0 (Trial, 1);

  self->options = test->options;
  self->options.entries = no_entries;
  self->options.quiet = TRUE;
  self->path = scratch_path (name);
  set_settings (test, &self->options);
  for (guint i = 0; i < test->n_data; i++)
    self->data[i] = make_data (test->options.env, i);
  if (test->n_data > 0)
    self->options.data = self->data;
  if (resumes)
    self->options.resume = self->path;
  else
    self->options.out = self->path;
  return self;
}

static gboolean
trial_try (Trial *self, const Case *test, GError **error)
{
  return plan_init (&self->plan, test->class, &self->options, error)
         && run_begin (&self->run, &self->plan, error);
}

static void
trial_begin (Trial *self, const Case *test)
{
  g_autoptr (GError) error = NULL;

  trial_try (self, test, &error);
  g_assert_no_error (error);
}

static void
trial_free (Trial *self)
{
  run_clear (&self->run);
  plan_clear (&self->plan);
  for (guint i = 0; i < G_N_ELEMENTS (self->data); i++)
    g_free (self->data[i]);
  g_free (self->path);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Trial, trial_free)

/* So many rounds, or those that are left. Gives how many there were. */
static guint
trial_advance (Trial *self, guint most)
{
  g_autoptr (GError) error = NULL;
  guint n = 0;

  for (; n < most && !self->run.ended; n++)
    {
      run_advance (&self->run, &error);
      g_assert_no_error (error);
    }
  return n;
}

static void
trial_finish (Trial *self)
{
  g_autoptr (GError) error = NULL;

  trial_advance (self, G_MAXUINT);
  run_finish (&self->run, &error);
  g_assert_no_error (error);
}

/* ---- equality ---- */

static GBytes *
read_bytes (const char *directory, const char *name)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);
  char *text;
  gsize n;

  g_assert_true (g_file_get_contents (path, &text, &n, NULL));
  return g_bytes_new_take (text, n);
}

static void
assert_same_bytes (const char *a, const char *b, const char *name)
{
  g_autoptr (GBytes) one = read_bytes (a, name), other = read_bytes (b, name);

  if (!g_bytes_equal (one, other))
    g_error ("%s: %s differs", b, name);
}

/* Without the time, its parts, and the rate that follows from it. */
static char *
read_figures (const char *directory, const char *name, const char *pattern)
{
  g_autofree char *path = g_build_filename (directory, name, NULL), *text = NULL;
  g_autoptr (GRegex) times = g_regex_new (pattern, G_REGEX_MULTILINE, 0, NULL);

  g_assert_nonnull (times);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return g_regex_replace (times, text, -1, 0, "\\1", 0, NULL);
}

static void
assert_same_figures (const char *a, const char *b)
{
  static const char *const files[][2] = {
    { "metrics.csv", "^(\\d+)(,[^,]*){6}" },
    { "metrics.ndjson", "(\\{\"step\":\\d+),\"time\":[^,}]*(,\"time/[a-z]*\":[^,}]*)*" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *one = read_figures (a, files[i][0], files[i][1]);
      g_autofree char *other = read_figures (b, files[i][0], files[i][1]);

      g_assert_cmpstr (one, ==, other);
    }
}

/* The values of events have a fixed size. */
static goffset
count_event_bytes (const char *directory)
{
  g_autoptr (GDir) files = g_dir_open (directory, 0, NULL);
  const char *name;
  goffset bytes = 0;
  guint n = 0;

  while ((name = g_dir_read_name (files)))
    if (g_str_has_prefix (name, "events."))
      {
        g_autoptr (GBytes) contents = read_bytes (directory, name);

        bytes = (goffset) g_bytes_get_size (contents);
        n++;
      }
  g_assert_cmpuint (n, ==, 1);
  return bytes;
}

static ReelTensordict *
load_state (const char *directory)
{
  g_autofree char *path = g_build_filename (directory, RUN_CHECKPOINT, NULL);
  ReelTensordict *state = reel_tensordict_load (path, REEL_LOAD_VERIFY, NULL);

  g_assert_nonnull (state);
  return state;
}

static void
assert_same_states (const char *a, const char *b)
{
  static const char *const parts[] = { "learner", "buffer", "collector", "evaluation", "draws" };
  g_autoptr (ReelTensordict) one = load_state (a), other = load_state (b);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      gboolean there = reel_tensordict_contains (one, parts[i]);

      g_assert_cmpint (reel_tensordict_contains (other, parts[i]), ==, there);
      if (there
          && !reel_tensordict_equal (reel_tensordict_get_tensordict (one, parts[i], NULL),
                                     reel_tensordict_get_tensordict (other, parts[i], NULL)))
        g_error ("%s: %s differs", b, parts[i]);
    }
}

static void
assert_same_run (const char *a, const char *b)
{
  assert_same_states (a, b);
  assert_same_figures (a, b);
  assert_same_bytes (a, b, "last.safetensors");
  assert_same_bytes (a, b, "policy.safetensors");
  g_assert_cmpint (count_event_bytes (a), ==, count_event_bytes (b));
}

/* ---- tests ---- */

/* The run that nobody cuts. Gives its rounds. */
static guint
run_whole (const Case *test)
{
  g_autoptr (Trial) whole = trial_new (test, "whole", FALSE);
  guint n;

  trial_begin (whole, test);
  n = trial_advance (whole, G_MAXUINT);
  trial_finish (whole);
  return n;
}

/* Every second one as if it was killed two rounds after its checkpoint, the others as by Ctrl-C. */
static void
cut (const Case *test, const char *name, guint rounds)
{
  g_autoptr (Trial) first = trial_new (test, name, FALSE);
  g_autoptr (GError) error = NULL;

  trial_begin (first, test);
  trial_advance (first, rounds);
  if (rounds % 2 == 0)
    run_save (&first->run, &error);
  else
    run_finish (&first->run, &error);
  g_assert_no_error (error);
  if (rounds % 2 == 0)
    trial_advance (first, 2);
}

static void
test_rounds (gconstpointer data)
{
  const Case *test = data;
  g_autofree char *whole = scratch_path ("whole");
  guint n = run_whole (test);

  g_assert_cmpuint (n, >, 4);
  for (guint rounds = 0; rounds < n; rounds++)
    {
      g_autofree char *name = g_strdup_printf ("cut%u", rounds);
      g_autofree char *path = scratch_path (name);

      cut (test, name, rounds);
      g_autoptr (Trial) second = trial_new (test, name, TRUE);
      trial_begin (second, test);
      trial_finish (second);
      assert_same_run (whole, path);
    }
}

/* A checkpoint now and then changes nothing, and a run can be resumed twice. */
static void
test_checkpoints (gconstpointer data)
{
  const Case *test = data;
  g_autofree char *whole = scratch_path ("whole"), *often = scratch_path ("often");
  Case saved = *test;

  run_whole (test);
  saved.options.checkpoint_every = (char *) "1";
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (Trial) part = trial_new (&saved, "often", i > 0);

      trial_begin (part, &saved);
      trial_advance (part, 2);
    }
  g_autoptr (Trial) last = trial_new (test, "often", TRUE);
  trial_begin (last, test);
  trial_finish (last);
  assert_same_run (whole, often);
}

static const Case *find_case (const char *name);

/* A run that was cut after three rounds. */
static char *
make_cut (const Case *test)
{
  cut (test, "run", 3);
  return scratch_path ("run");
}

static void
assert_refused (const Case *test, const char *expected)
{
  g_autofree char *path = scratch_path ("run");
  g_autoptr (Trial) trial = trial_new (test, "run", TRUE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) before = scratch_read_all (path), after = NULL;

  g_assert_false (trial_try (trial, test, &error));
  if (!strstr (error->message, expected))
    g_error ("\"%s\" does not contain \"%s\"", error->message, expected);
  after = scratch_read_all (path);
  g_assert_true (g_bytes_equal (before, after));
}

static void
test_other_settings (void)
{
  Case test = *find_case ("dqn");
  g_autofree char *path = make_cut (&test);
  const Case same = test;

  test.settings[0][1] = "7";
  assert_refused (&test, "--batch-size 7: the run has 8");
  test = same;
  test.options.total = (char *) "1000";
  assert_refused (&test, "--frames 1000: the run has 96");
  test = same;
  test.options.stop_at = (char *) "400";
  assert_refused (&test, "--stop-at 400: the run has none");
  test = same;
  test.options.env = (char *) "CartPole:max-episode-steps=9";
  assert_refused (&test, "the environment CartPole-v1:");
  test = same;
  test.options.hidden = (char *) "5,5";
  assert_refused (&test, "--hidden 5,5: the run has 5");
}

/* Writes another text over one in the configuration. */
static void
change_config (const char *path, const char *from, const char *to)
{
  g_autofree char *file = g_build_filename (path, "config.json", NULL), *text = NULL;

  g_assert_true (g_file_get_contents (file, &text, NULL, NULL));
  g_auto (GStrv) parts = g_strsplit (text, from, -1);
  g_assert_cmpuint (g_strv_length (parts), ==, 2);
  g_autofree char *changed = g_strjoinv (to, parts);
  g_assert_true (g_file_set_contents (file, changed, -1, NULL));
}

static void
test_other_versions (void)
{
  const Case *test = find_case ("ppo");
  g_autofree char *path = make_cut (test);

  change_config (path, "\"reel\": \"", "\"reel\": \"0.0.");
  assert_refused (test, "version 0.0.");
}

static void
test_two_processes (void)
{
  const Case *test = find_case ("ppo");
  g_autofree char *path = make_cut (test);
  g_autoptr (Trial) first = trial_new (test, "run", TRUE);

  g_assert_false (run_files_are_written (path));
  trial_begin (first, test);
  g_assert_true (run_files_are_written (path));
  assert_refused (test, "another process writes");
}

/* Any byte that is flipped is noticed, or is one that nothing reads. */
static void
test_damage (void)
{
  const Case *test = find_case ("ppo");
  g_autofree char *path = make_cut (test);
  g_autofree char *file = g_build_filename (path, RUN_CHECKPOINT, NULL), *bytes = NULL;
  g_autoptr (ReelTensordict) whole = load_state (path);
  const ReelTensordict *before = reel_tensordict_get_tensordict (whole, "learner", NULL);
  guint n_refused = 0, n_tried = 0;
  gsize n;

  g_assert_true (g_file_get_contents (file, &bytes, &n, NULL));
  for (gsize i = 0; i < n; i += n / 97, n_tried++)
    {
      g_autoptr (Trial) trial = trial_new (test, "run", TRUE);
      g_autoptr (GError) error = NULL;

      bytes[i] ^= 0x10;
      g_assert_true (g_file_set_contents (file, bytes, (gssize) n, NULL));
      bytes[i] ^= 0x10;
      if (!trial_try (trial, test, &error))
        {
          g_assert_nonnull (error);
          n_refused++;
          continue;
        }
      g_autoptr (StateList) list = state_list_new ();
      learner_list_state (trial->run.learner, list);
      g_autoptr (ReelTensordict) after = state_list_save (list, NULL);
      g_assert_true (reel_tensordict_equal (before, after));
    }
  g_assert_cmpuint (n_refused, >, n_tried / 3);
  g_unlink (file);
  assert_refused (test, "it has no checkpoint");
}

/* Figures that somebody cut. */
static void
test_short_figures (void)
{
  const Case *test = find_case ("ppo");
  g_autofree char *path = make_cut (test);
  g_autofree char *file = g_build_filename (path, "metrics.ndjson", NULL);

  g_assert_true (g_file_set_contents (file, "{}\n", -1, NULL));
  assert_refused (test, "metrics.ndjson has 3 bytes");
}

/* Saved data that grew. */
static void
test_other_data (void)
{
  const Case *test = find_case ("bc");
  g_autofree char *path = make_cut (test), *data = scratch_path ("data0");
  g_autofree char *moved = scratch_path ("elsewhere"), *larger = scratch_path ("data1");
  Case several = *find_case ("bc-of-two");

  g_autofree char *second = make_data (several.options.env, 1);
  g_assert_cmpint (g_rename (data, moved), ==, 0);
  g_assert_cmpint (g_rename (larger, data), ==, 0);
  assert_refused (test, "the saved data have 40 rows, and had 60");
}

/* ---- what list and show print ---- */

static SavedRun *
read_facts (const char *path, RunFacts *facts)
{
  SavedRun *run = saved_run_read (path, NULL);

  g_assert_nonnull (run);
  run_facts_init (facts, run);
  return run;
}

static void
assert_progress (const RunFacts *facts, RunState state, const char *expected)
{
  g_autofree char *progress = run_facts_dup_progress (facts);

  g_assert_cmpint (facts->state, ==, state);
  g_assert_cmpstr (progress, ==, expected);
}

static void
test_facts (void)
{
  const Case *test = find_case ("dqn");
  g_autofree char *path = make_cut (test);
  RunFacts facts;
  g_autoptr (SavedRun) cut = read_facts (path, &facts);
  g_autoptr (Trial) rest = trial_new (test, "run", TRUE);

  assert_progress (&facts, RUN_IS_INTERRUPTED, "24 of 96 frames");
  g_assert_cmpstr (facts.learner, ==, "dqn");
  g_assert_true (isfinite (facts.best));
  trial_begin (rest, test);
  g_autoptr (SavedRun) written = read_facts (path, &facts);
  g_assert_cmpint (facts.state, ==, RUN_IS_WRITTEN);
  trial_finish (rest);
  run_clear (&rest->run);
  g_autoptr (SavedRun) complete = read_facts (path, &facts);
  assert_progress (&facts, RUN_IS_COMPLETE, "96 of 96 frames");
  g_assert_null (saved_run_read (scratch_directory, NULL));
}

static void
test_facts_of_updates (void)
{
  g_autofree char *path = make_cut (find_case ("bc"));
  RunFacts facts;
  g_autoptr (SavedRun) run = read_facts (path, &facts);

  g_assert_cmpstr (facts.unit, ==, "updates");
}

typedef struct
{
  const char *file, *text; /* NULL where it is gone */
  const char *fault;       /* or NULL */
  gint64 done;
} Damage;

static void
check_damage (const char *path, const Damage *damage)
{
  g_autofree char *file = g_build_filename (path, damage->file, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *whole = NULL;
  gboolean damaged = damage->fault != NULL;
  RunFacts facts;

  g_assert_true (g_file_get_contents (file, &whole, NULL, NULL));
  g_assert_cmpint (g_unlink (file), ==, 0);
  g_assert_true (!damage->text || g_file_set_contents (file, damage->text, -1, NULL));
  g_autoptr (SavedRun) run = read_facts (path, &facts);
  g_autoptr (SavedRun) opened = saved_run_open (path, &error);
  g_assert_cmpint (facts.state, ==, damaged ? RUN_IS_DAMAGED : RUN_IS_INTERRUPTED);
  g_assert_cmpint (facts.done, ==, damage->done);
  g_assert_cmpint (run->fault != NULL, ==, damaged);
  g_assert_cmpint (opened == NULL, ==, damaged);
  if (damaged && !strstr (run->fault->message, damage->fault))
    g_error ("\"%s\" does not contain \"%s\"", run->fault->message, damage->fault);
  g_assert_true (g_file_set_contents (file, whole, -1, NULL));
}

/* A last line without an end is still written. */
static void
test_facts_of_damage (void)
{
  static const Damage cases[] = {
    { "metrics.csv", "step,time,a\n8,1,30\n16,2,20\n24,x,", NULL, 16 },
    { "metrics.csv", "step,time,a\n8,1,30\n16,2,20\n24,x,9\n",
      "metrics.csv: line 4 has \"x\", which is not a number", 16 },
    { "metrics.csv", "", "metrics.csv: line 1 is missing: there are no figures", 0 },
    { "metrics.csv", NULL, "cannot read the figures of ", 0 },
    { "config.json", "{\n \"learner\": ", "config.json: line 2: ", 0 },
  };
  g_autofree char *path = make_cut (find_case ("dqn"));

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    check_damage (path, &cases[i]);
}

#define STEPS                                                                                      \
  .hidden = (char *) "5", .eval_every = (char *) "24", .eval_episodes = (char *) "2",              \
  .log_every = (char *) "8"
#define UPDATES                                                                                    \
  .hidden = (char *) "5", .eval_every = (char *) "3", .eval_episodes = (char *) "2",               \
  .log_every = (char *) "2", .total = (char *) "8"

static const Case cases[] = {
  { "dqn",
    &dqn_learner,
    { STEPS, .total = (char *) "96", .num_envs = (char *) "4" },
    { { "batch-size", "8" }, { "capacity", "40" }, { "learning-starts", "16" }, { "n-step", "3" } },
    0 },
  { "dqn-by-priorities",
    &dqn_learner,
    { STEPS, .total = (char *) "96", .num_envs = (char *) "2", .sampler = (char *) "prioritized" },
    { { "batch-size", "8" }, { "capacity", "40" }, { "learning-starts", "16" } },
    0 },
  { "dqn-of-one",
    &dqn_learner,
    { STEPS, .total = (char *) "64", .num_envs = (char *) "1",
      .sampler = (char *) "without-replacement" },
    { { "batch-size", "4" },
      { "learning-starts", "10" },
      { "n-step", "1" },
      { "target-every", "3" } },
    0 },
  { "dqn-with-a-chain",
    &dqn_learner,
    { STEPS, .total = (char *) "64", .num_envs = (char *) "2",
      .transform = (char *) "step-counter|vec-norm:in-keys=[observation]" },
    { { "batch-size", "4" }, { "learning-starts", "10" } },
    0 },
  { "r2d2",
    &r2d2_learner,
    { STEPS, .total = (char *) "96", .num_envs = (char *) "2", .sampler = (char *) "prioritized" },
    { { "batch-size", "4" }, { "learning-starts", "16" }, { "length", "3" }, { "burn-in", "2" } },
    0 },
  { "ppo",
    &ppo_learner,
    { STEPS, .total = (char *) "96", .num_envs = (char *) "2" },
    { { "batch-size", "5" }, { "rollout-steps", "8" }, { "epochs", "2" } },
    0 },
  { "ppo-of-a-box",
    &ppo_learner,
    { STEPS, .env = (char *) "Pendulum", .total = (char *) "96", .num_envs = (char *) "2" },
    { { "batch-size", "5" }, { "rollout-steps", "8" }, { "epochs", "2" } },
    0 },
  { "sac",
    &sac_learner,
    { STEPS, .total = (char *) "48", .num_envs = (char *) "2" },
    { { "batch-size", "8" }, { "capacity", "30" }, { "learning-starts", "8" } },
    0 },
  { "sac-by-priorities",
    &sac_learner,
    { STEPS, .total = (char *) "48", .num_envs = (char *) "2", .sampler = (char *) "prioritized" },
    { { "batch-size", "8" }, { "learning-starts", "8" } },
    0 },
  { "td3",
    &td3_learner,
    { STEPS, .total = (char *) "48", .num_envs = (char *) "2" },
    { { "batch-size", "8" },
      { "capacity", "30" },
      { "learning-starts", "8" },
      { "policy-delay", "3" } },
    0 },
  { "cql", &cql_learner, { UPDATES, .env = (char *) "CartPole" }, { { "batch-size", "8" } }, 2 },
  { "iql", &iql_learner, { UPDATES, .env = (char *) "CartPole" }, { { "batch-size", "8" } }, 2 },
  { "iql-of-a-box",
    &iql_learner,
    { UPDATES, .env = (char *) "Pendulum" },
    { { "batch-size", "8" }, { "normalize", "false" } },
    1 },
  { "td3-bc",
    &td3_bc_learner,
    { UPDATES, .env = (char *) "Pendulum" },
    { { "batch-size", "8" } },
    1 },
  { "bc", &bc_learner, { UPDATES, .env = (char *) "CartPole" }, { { "batch-size", "8" } }, 1 },
  { "bc-in-passes",
    &bc_learner,
    { UPDATES, .env = (char *) "CartPole", .sampler = (char *) "without-replacement" },
    { { "batch-size", "12" } },
    1 },
  { "bc-of-two",
    &bc_learner,
    { UPDATES, .env = (char *) "Pendulum", .weights = (char *) "0.7,0.3" },
    { { "batch-size", "8" } },
    2 },
};

static const Case *
find_case (const char *name)
{
  guint i = 0;

  while (strcmp (cases[i].name, name) != 0)
    i++;
  return &cases[i];
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_in_memory ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *rounds =
          g_strconcat ("/apps/learn/resume/", cases[i].name, "/every-round", NULL);
      g_autofree char *often =
          g_strconcat ("/apps/learn/resume/", cases[i].name, "/checkpoints-change-nothing", NULL);

      scratch_test_with_data (rounds, test_rounds, &cases[i]);
      scratch_test_with_data (often, test_checkpoints, &cases[i]);
    }
  scratch_test ("/apps/learn/resume/other-settings-are-named", test_other_settings);
  scratch_test ("/apps/learn/resume/other-versions-are-named", test_other_versions);
  scratch_test ("/apps/learn/resume/one-process-writes", test_two_processes);
  scratch_test ("/apps/learn/resume/damage-is-refused", test_damage);
  scratch_test ("/apps/learn/resume/figures-that-are-short", test_short_figures);
  scratch_test ("/apps/learn/resume/data-that-changed", test_other_data);
  scratch_test ("/apps/learn/facts/states", test_facts);
  scratch_test ("/apps/learn/facts/updates", test_facts_of_updates);
  scratch_test ("/apps/learn/facts/damage", test_facts_of_damage);

  return g_test_run ();
}
