/* Rollouts of models that write: against those of TorchRL, and what is refused. */
#include "table-model.h"

#include <math.h>
#include <string.h>

static ReelTensor *
member (const json_t *object, const char *name)
{
  return golden_tensor (json_object_get (object, name));
}

/* ---- the golden cases ---- */

typedef struct
{
  json_t *golden;
  ReelPromptData prompts;
  gint64 block;
} Golden;

static void
golden_clear (Golden *self)
{
  reel_record_clear (reel_prompt_data_get_record_type (), &self->prompts);
  json_decref (self->golden);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Golden, golden_clear)

static Golden
golden_open (void)
{
  Golden self = { golden_load ("text/rollouts.json"), { NULL }, 0 };
  g_autoptr (ReelTensordict) rows = golden_tensordict (json_object_get (self.golden, "prompts"));

  g_assert_true (reel_prompt_data_from_rows (rows, &self.prompts, NULL));
  self.block = self.prompts.input_ids->shape[1];
  return self;
}

static ReelTextModel *
new_model (const Golden *golden, const char *words_name, ReelTensor *answers)
{
  const json_t *tables = json_object_get (golden->golden, "tables");
  g_autoptr (ReelTensor) words = member (tables, words_name), places = member (tables, "places"),
                         values = member (tables, "values");

  return table_model_new (words, places, values, answers, golden->block);
}

static double
argument (const json_t *test, const char *name, double otherwise)
{
  const json_t *value = json_object_get (json_object_get (test, "arguments"), name);

  return value ? json_number_value (value) : otherwise;
}

static ReelRolloutFromModel *
new_rollout (const Golden *golden, const json_t *test)
{
  const json_t *forced = json_object_get (test, "answers");
  g_autoptr (ReelTensor) answers = json_is_object (forced) ? golden_tensor (forced) : NULL;
  g_autoptr (ReelTextModel) model = new_model (golden, "words", answers),
                            reference = new_model (golden, "reference", NULL);
  double kl_coef = argument (test, "kl_coef", 0.1);
  g_autofree char *text = g_strdup_printf ("adaptive:kl-coef=%g,target=0.05,horizon=30", kl_coef);
  g_autoptr (ReelKLController) scheduler =
      reel_object_new_from_text (REEL_TYPE_KL_CONTROLLER, text, NULL, NULL);
  GError *error = NULL;
  ReelRolloutFromModel *self = g_initable_new (
      REEL_TYPE_ROLLOUT_FROM_MODEL, NULL, &error, "id", "RolloutFromModel", "model", model,
      "ref-model", reference, "reward-model", reference, "kl-scheduler", scheduler, "kl-coef",
      kl_coef, "score-clip", argument (test, "score_clip", 10), "num-steps",
      (gint64) argument (test, "num_steps", 0), "max-new-tokens",
      (gint64) json_integer_value (json_object_get (golden->golden, "max_new_tokens")), "eos-id",
      (gint64) json_integer_value (json_object_get (golden->golden, "eos")), "do-sample", FALSE,
      NULL);

  g_assert_no_error (error);
  return self;
}

/* NaN of TorchRL, where all answers have ended, is 0 here. */
static void
assert_near (const ReelTensor *found, const ReelTensor *expected)
{
  g_assert_cmpint (found->dtype, ==, expected->dtype);
  g_assert_cmpint (found->ndim, ==, expected->ndim);
  for (gint i = 0; i < found->ndim; i++)
    g_assert_cmpint (found->shape[i], ==, expected->shape[i]);
  if (found->dtype != REEL_DTYPE_FLOAT32)
    {
      g_assert_true (reel_tensor_equal (found, expected));
      return;
    }
  for (gint64 i = 0; i < reel_tensor_numel (found); i++)
    {
      float value = ((float *) expected->data)[i];
      g_assert_cmpfloat_with_epsilon (((float *) found->data)[i], isnan (value) ? 0 : value, 1e-5);
    }
}

static void
assert_leaves (const ReelTensordict *td, const json_t *golden)
{
  g_autoptr (ReelTensordict) expected = golden_tensordict (golden);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (expected);
  g_auto (GStrv) found = reel_tensordict_list_leaves (td);

  g_assert_cmpuint (g_strv_length (found), ==, g_strv_length (leaves));
  for (char **path = leaves; *path; path++)
    assert_near (reel_tensordict_get_tensor (td, *path, NULL),
                 reel_tensordict_get_tensor (expected, *path, NULL));
  g_assert_null (reel_tensordict_get_name (td, 0));
  g_assert_cmpstr (reel_tensordict_get_name (td, 1), ==, "time");
  g_assert_cmpstr (reel_tensordict_get_name (reel_tensordict_get_tensordict (td, "next", NULL), 1),
                   ==, "time");
}

/* The tables of a case that is forced have other logits, so that its log-probabilities are
 * TorchRL's. */
static void
check_case (const Golden *golden, const json_t *test)
{
  g_autoptr (ReelRolloutFromModel) rollout = new_rollout (golden, test);
  g_autoptr (ReelTensor) ids = member (test, "ids"), log_probs = member (test, "log_probs"),
                         log_ratio = member (test, "log_ratio");
  ReelGeneratedText generated;
  g_autoptr (GError) error = NULL;

  g_assert_true (reel_rollout_from_model_generate (rollout, &golden->prompts, &generated, &error));
  assert_near (generated.ids, ids);
  assert_near (generated.log_ratio, log_ratio);
  if (json_is_null (json_object_get (test, "answers")))
    assert_near (generated.log_probs, log_probs);
  else
    g_assert_true (reel_tensor_copy (generated.log_probs, log_probs, NULL));
  g_autoptr (ReelTensordict) td =
      reel_rollout_from_model_create_rollout_td (rollout, &golden->prompts, &generated, &error);
  g_assert_no_error (error);
  for (gint64 i = 0; i < reel_tensor_numel (log_probs); i++)
    if (isnan (((float *) log_probs->data)[i]))
      ((float *) generated.log_probs->data)[i] = 0;
  assert_leaves (td, json_object_get (test, "td"));
  for (gint i = 0; i < 2; i++)
    {
      g_autoptr (ReelTensordict) again =
          reel_rollout_from_model_rollout_from_data (rollout, &golden->prompts, &error);
      g_assert_no_error (error);
    }
  g_assert_true (reel_rollout_from_model_step_scheduler (rollout, &error));
  g_assert_cmpfloat_with_epsilon (reel_rollout_from_model_get_kl_coef (rollout),
                                  json_number_value (json_object_get (test, "kl_coef")), 1e-6);
  reel_generated_text_clear (&generated);
}

static void
test_equals_golden (void)
{
  g_auto (Golden) golden = golden_open ();
  const json_t *test;
  gsize i;

  g_assert_cmpuint (json_array_size (json_object_get (golden.golden, "cases")), ==, 3);
  json_array_foreach (json_object_get (golden.golden, "cases"), i, test) check_case (&golden, test);
}

/* ---- draws ---- */

static gint64
count_tokens (ReelRolloutFromModel *rollout, const Golden *golden, gint64 token, gint64 n)
{
  gint64 found = 0;

  for (gint64 i = 0; i < n; i++)
    {
      ReelGeneratedText text;
      g_assert_true (reel_rollout_from_model_generate (rollout, &golden->prompts, &text, NULL));
      gint64 end = *(gint64 *) golden->prompts.prompt_rindex->data;
      found += ((gint64 *) text.ids->data)[end] == token;
      reel_generated_text_clear (&text);
    }
  return found;
}

/* The first token of row 0, by a table of a token that is as likely as all others together. */
static void
test_draws_by_probability (void)
{
  g_auto (Golden) golden = golden_open ();
  g_autoptr (ReelTextModel) like = new_model (&golden, "words", NULL);
  const gint64 n = 12, shape[] = { n, n }, one[] = { 1, n };
  g_autoptr (ReelTensor) words = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL),
                         places = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, one, NULL),
                         values = reel_tensor_new (REEL_DTYPE_FLOAT32, 1, &n, NULL);

  for (gint64 i = 0; i < n; i++)
    ((float *) words->data)[i * n + 4] = logf (11);
  g_autoptr (ReelTextModel) model = table_model_new (words, places, values, NULL, golden.block);
  g_autoptr (ReelRolloutFromModel) rollout = g_initable_new (
      REEL_TYPE_ROLLOUT_FROM_MODEL, NULL, NULL, "model", model, "ref-model", like, "reward-model",
      like, "eos-id", (gint64) 11, "max-new-tokens", (gint64) 1, NULL);
  gint64 found = count_tokens (rollout, &golden, 4, 4000);
  g_assert_cmpint (found, >, 1850);
  g_assert_cmpint (found, <, 2150);
}

static ReelTensordict *
roll (const Golden *golden, gint64 seed, gboolean single_done)
{
  g_autoptr (ReelTextModel) model = new_model (golden, "words", NULL);
  g_autoptr (ReelRolloutFromModel) rollout =
      g_initable_new (REEL_TYPE_ROLLOUT_FROM_MODEL, NULL, NULL, "model", model, "ref-model", model,
                      "reward-model", model, "eos-id", (gint64) 11, "max-new-tokens", (gint64) 9,
                      "seed", seed, "single-done", single_done, NULL);

  return reel_rollout_from_model_rollout_from_data (rollout, &golden->prompts, NULL);
}

static void
test_seed_decides (void)
{
  g_auto (Golden) golden = golden_open ();
  g_autoptr (ReelTensordict) first = roll (&golden, 1, FALSE), again = roll (&golden, 1, FALSE),
                             other = roll (&golden, 2, FALSE);

  g_assert_true (reel_tensordict_equal (first, again));
  g_assert_false (reel_tensordict_equal (first, other));
}

/* Where an answer ended before, it is neither done nor paid at the last step. */
static void
test_single_done (void)
{
  g_auto (Golden) golden = golden_open ();
  gint64 n_early = 0;

  for (gint64 seed = 0; seed < 20; seed++)
    {
      g_autoptr (ReelTensordict) twice = roll (&golden, seed, FALSE),
                                 once = roll (&golden, seed, TRUE);
      const guint8 *both = reel_tensordict_get_tensor (twice, "next/done", NULL)->data,
                   *done = reel_tensordict_get_tensor (once, "next/done", NULL)->data;
      const float *raw = (float *) reel_tensordict_get_tensor (once, "next/reward_raw", NULL)->data;
      for (gint64 row = 0; row < 4; row++)
        {
          gint64 end = 0, sum = 0;
          while (!both[row * 9 + end])
            end++;
          for (gint64 t = 0; t < 9; t++)
            {
              sum += done[row * 9 + t];
              g_assert_true (done[row * 9 + t] || raw[row * 9 + t] == 0);
            }
          g_assert_true (done[row * 9 + end]);
          g_assert_cmpint (sum, ==, 1);
          n_early += end < 8;
        }
    }
  g_assert_cmpint (n_early, >, 0);
}

/* ---- what is refused ---- */

static void
assert_refused (const Golden *golden, gint64 eos, const char *what)
{
  g_autoptr (ReelTextModel) model = new_model (golden, "words", NULL);
  g_autoptr (ReelRolloutFromModel) rollout =
      g_initable_new (REEL_TYPE_ROLLOUT_FROM_MODEL, NULL, NULL, "model", model, "ref-model", model,
                      "reward-model", model, "eos-id", eos, NULL);
  g_autoptr (GError) error = NULL;
  ReelGeneratedText generated;

  g_assert_false (reel_rollout_from_model_generate (rollout, &golden->prompts, &generated, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, what));
  g_assert_null (generated.ids);
  g_assert_false (reel_rollout_from_model_step_scheduler (rollout, NULL));
}

static void
test_bad_prompts (void)
{
  g_auto (Golden) golden = golden_open ();
  gint64 *ends = (gint64 *) golden.prompts.prompt_rindex->data,
         *ids = (gint64 *) golden.prompts.input_ids->data, kept = ends[2];

  assert_refused (&golden, 12, "cannot end texts with the id 12: the model has 12 ids");
  ends[2] = 0;
  assert_refused (&golden, 11, "cannot answer prompt 2: its prompt_rindex is 0, not 1 to 7");
  ends[2] = 8;
  assert_refused (&golden, 11, "prompt_rindex is 8");
  ends[2] = kept;
  ids[1] = 40;
  assert_refused (&golden, 11, "row 0 is 40");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_test_add_func ("/datasets/text/rollout-from-model/equals-golden", test_equals_golden);
  g_test_add_func ("/datasets/text/rollout-from-model/draws-by-probability",
                   test_draws_by_probability);
  g_test_add_func ("/datasets/text/rollout-from-model/seed-decides", test_seed_decides);
  g_test_add_func ("/datasets/text/rollout-from-model/single-done", test_single_done);
  g_test_add_func ("/datasets/text/rollout-from-model/bad-prompts", test_bad_prompts);
  return g_test_run ();
}
