/* Models of text: that of counts against counts by hand, and a program that keeps to its protocol
 * or not. */
#include "../src/reel.h"
#include "scratch.h"

#include <math.h>
#include <string.h>

/* ---- counts ---- */

#define LENGTH 5

/* Rows of tokens, −1 where they end: padded by 3, which ends them. */
static const gint64 corpus[][LENGTH] = {
  { 0, 1, 0, 1, 2 }, { 0, 1, -1 }, { 2, 2, 2, -1 }, { 1, 0, -1 }, { 0, 1, 2, 0, -1 }, { -1 },
};

/* The end counts as a token where the row has room for it, and any other. */
static gint64
corpus_token (gsize row, gint64 i)
{
  if (i >= LENGTH || corpus[row][0] < 0)
    return -1;
  for (gint64 k = 0; k < i; k++)
    if (corpus[row][k] < 0)
      return -1;
  return corpus[row][i] < 0 ? 3 : corpus[row][i];
}

static char *
write_corpus (void)
{
  gint64 n = G_N_ELEMENTS (corpus);
  const gint64 shape[] = { n, LENGTH };
  g_autoptr (ReelTensordict) rows = reel_tensordict_new (1, &n);
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL),
                         mask = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);
  g_autoptr (ReelReplayBuffer) buffer =
      reel_replay_buffer_new_from_text ("tensor:capacity=6", "random", 0, NULL);
  char *path = scratch_path ("texts");
  GError *error = NULL;

  for (gsize row = 0; row < G_N_ELEMENTS (corpus); row++)
    for (gint64 i = 0; i < LENGTH; i++)
      {
        gint64 token = corpus_token (row, i);
        ((gint64 *) ids->data)[(gint64) row * LENGTH + i] = token < 0 ? 3 : token;
        ((gint64 *) mask->data)[(gint64) row * LENGTH + i] = token >= 0 && token < 3;
      }
  g_assert_true (reel_tensordict_set_tensor (rows, "input_ids", ids, NULL));
  g_assert_true (reel_tensordict_set_tensor (rows, "attention_mask", mask, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rows, NULL, &error));
  g_assert_true (reel_replay_buffer_dumps (buffer, path, REEL_CHECKPOINT_DEFAULT, &error));
  g_assert_no_error (error);
  return path;
}

/* How often a sequence is in the corpus. */
static gint64
count (const gint64 *tokens, gint64 n)
{
  gint64 found = 0;

  for (gsize row = 0; row < G_N_ELEMENTS (corpus); row++)
    for (gint64 at = 0; at < LENGTH; at++)
      {
        gint64 same = 0;
        while (same < n && corpus_token (row, at + same) == tokens[same])
          same++;
        found += same == n && corpus_token (row, at) >= 0;
      }
  return found;
}

/* The formula, by recursion over contexts: the last @n of the tokens before @token. */
static double
oracle (const gint64 *before, gint64 n, gint64 token, gint64 vocabulary)
{
  gint64 sequence[8], followed = 0, different = 0;

  if (n < 0)
    return 1.0 / (double) vocabulary;
  double shorter = n == 0 ? oracle (before, -1, token, vocabulary)
                          : oracle (before + 1, n - 1, token, vocabulary);
  memcpy (sequence, before, (gsize) n * sizeof *before);
  for (gint64 id = 0; id < vocabulary; id++)
    {
      sequence[n] = id;
      followed += count (sequence, n + 1);
      different += count (sequence, n + 1) > 0;
    }
  if (followed == 0)
    return shorter;
  sequence[n] = token;
  return ((double) count (sequence, n + 1) + (double) different * shorter)
         / (double) (followed + different);
}

/* All texts of four tokens, with a hole in front of the last. */
static void
check_order (const char *path, gint64 order)
{
  g_autofree char *text =
      g_strdup_printf ("ngram:rows='%s',order=%" G_GINT64_FORMAT ",vocabulary=5", path, order);
  GError *error = NULL;
  g_autoptr (ReelTextModel) model =
      reel_object_new_from_text (REEL_TYPE_TEXT_MODEL, text, &error, NULL);

  g_assert_no_error (error);
  g_assert_cmpint (reel_text_model_prepare (model, 1, LENGTH, &error), ==, 5);
  for (gint64 number = 0; number < 4 * 4 * 4 * 4; number++)
    {
      const gint64 ids[] = { number % 4, number / 4 % 4, number / 16 % 4, 4, number / 64 };
      const gint64 text_ids[] = { ids[0], ids[1], ids[2], ids[4] };
      const guint8 mask[] = { 1, 1, 1, 0, 1 };
      const ReelTextBatch batch = { 1, LENGTH, ids, mask };
      float logits[5], values[LENGTH], score;
      double sum = 0, mean = 0;
      g_assert_true (reel_text_model_next_logits (model, &batch, logits, &error));
      for (gint64 id = 0; id < 5; id++)
        {
          gint64 n = MIN (order - 1, 4);
          double expected = oracle (text_ids + 4 - n, n, id, 5);
          sum += exp ((double) logits[id]);
          g_assert_cmpfloat_with_epsilon (exp ((double) logits[id]), expected, 1e-6);
        }
      g_assert_cmpfloat_with_epsilon (sum, 1, 1e-6);
      g_assert_true (reel_text_model_log_probs (model, &batch, values, &error));
      g_assert_cmpfloat_with_epsilon (
          exp ((double) values[4]),
          oracle (text_ids + 3 - MIN (order - 1, 3), MIN (order - 1, 3), ids[4], 5), 1e-6);
      const guint8 ones[] = { 1, 1, 1, 1 };
      const ReelTextBatch full = { 1, 4, text_ids, ones };
      g_assert_true (reel_text_model_log_probs (model, &full, values, &error));
      for (gint64 i = 0; i < 4; i++)
        {
          gint64 n = MIN (order - 1, i);
          double expected = log (oracle (text_ids + i - n, n, text_ids[i], 5));
          mean += expected / 4;
          g_assert_cmpfloat_with_epsilon (values[i], expected, 1e-5);
        }
      g_assert_true (reel_text_model_end_scores (model, &full, &score, &error));
      g_assert_cmpfloat_with_epsilon (score, mean, 1e-5);
    }
}

static void
test_counts_equal_oracle (void)
{
  g_autofree char *path = write_corpus ();

  for (gint64 order = 1; order <= 4; order++)
    check_order (path, order);
}

static void
assert_no_model (const char *text, const char *what)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_object_new_from_text (REEL_TYPE_TEXT_MODEL, text, &error, NULL));
  g_assert_nonnull (error);
  if (!strstr (error->message, what))
    g_error ("%s: no \"%s\"", error->message, what);
}

static void
test_bad_counts (void)
{
  g_autofree char *path = write_corpus (),
                  *small = g_strdup_printf ("ngram:rows='%s',vocabulary=3", path),
                  *key = g_strdup_printf ("ngram:rows='%s',key=chosen_data", path);

  assert_no_model ("ngram", "as in ngram:rows=DIR");
  assert_no_model ("ngram:rows=/nowhere", "/nowhere");
  assert_no_model (small, "a vocabulary of 3 has no id 3");
  assert_no_model (key, "chosen_data");
  assert_no_model ("exec", "exec needs a command");
}

/* ---- a program ---- */

static ReelTextModel *
new_program (const char *mode)
{
  g_autofree char *child = g_test_build_filename (G_TEST_BUILT, "exec-child", NULL);
  g_autofree char *command = g_strconcat ("'", child, "' ", mode, NULL);
  GError *error = NULL;
  ReelTextModel *self =
      reel_object_new_from_text (REEL_TYPE_TEXT_MODEL, "exec", &error, "command", command, NULL);

  g_assert_no_error (error);
  return self;
}

static const gint64 some_ids[] = { 1, 2, 3, 4, 0, 5 };
static const guint8 some_mask[] = { 1, 1, 1, 1, 0, 1 };
static const ReelTextBatch some = { 2, 3, some_ids, some_mask };

/* The child's logits of id v are v less the last id, a log-probability minus the id, a score the
 * sum of the text. */
static void
test_program_answers (void)
{
  g_autoptr (ReelTextModel) model = new_program ("good");
  float logits[2 * 7], values[2 * 3], scores[2];
  GError *error = NULL;

  for (gint64 length = 3; length < 5; length++)
    {
      g_assert_cmpint (reel_text_model_prepare (model, 2, length, &error), ==, 7);
      g_assert_true (reel_text_model_next_logits (model, &some, logits, &error));
      for (gint64 i = 0; i < 14; i++)
        g_assert_cmpfloat (logits[i], ==, (float) (i % 7) - (i < 7 ? 3 : 5));
      g_assert_true (reel_text_model_log_probs (model, &some, values, &error));
      for (gint64 i = 0; i < 6; i++)
        g_assert_cmpfloat (values[i], ==, -(float) some_ids[i]);
      g_assert_true (reel_text_model_end_scores (model, &some, scores, &error));
      g_assert_cmpfloat (scores[0], ==, 6);
      g_assert_cmpfloat (scores[1], ==, 9);
      g_assert_no_error (error);
    }
}

static void
assert_fails (const char *mode, const char *what)
{
  g_autoptr (ReelTextModel) model = new_program (mode);
  g_autoptr (GError) error = NULL;
  float scores[2];

  if (reel_text_model_prepare (model, 2, 3, &error) >= 0)
    {
      g_assert_false (reel_text_model_end_scores (model, &some, scores, &error));
      /* After a fault of the process it is not asked again. */
      g_assert_true (reel_text_model_end_scores (model, &some, scores, NULL)
                     == g_str_has_prefix (mode, "infinite"));
    }
  if (!error || !strstr (error->message, what))
    g_error ("%s: no \"%s\"", error ? error->message : mode, what);
}

static void
test_program_faults (void)
{
  assert_fails ("exit", "exited with status 7");
  assert_fails ("not-json", "exec:'");
  assert_fails ("no-object", "exec:'");
  assert_fails ("no-vocabulary", "vocabulary");
  assert_fails ("vocabulary-0", "vocabulary");
  assert_fails ("die 1", "exited with status 3");
  assert_fails ("reason 1", "the gripper is stuck");
  assert_fails ("one-nothing 1", "its process wrote nothing to \"end_score\" of row 1");
  assert_fails ("infinite 1", "a score of inf in row 1");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  scratch_test ("/datasets/text/models/counts-equal-oracle", test_counts_equal_oracle);
  scratch_test ("/datasets/text/models/bad-counts", test_bad_counts);
  g_test_add_func ("/datasets/text/models/program-answers", test_program_answers);
  g_test_add_func ("/datasets/text/models/program-faults", test_program_faults);
  return g_test_run ();
}
