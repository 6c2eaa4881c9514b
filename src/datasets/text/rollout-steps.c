#include "rollout-steps.h"

/* The sources of all leaves. */
typedef struct
{
  const ReelPromptRows *prompts;
  const ReelGeneratedText *generated;
  gint64 eos;
  gint64 n_rows, n_steps, length; /* B, T, S + T */
  ReelTensordict *td;
} Steps;

static gpointer
add_leaf (Steps *self, const char *path, ReelDtype dtype, gint64 extent, GError **error)
{
  const gint64 shape[] = { self->n_rows, self->n_steps, extent };
  g_autoptr (ReelTensor) leaf = reel_tensor_new (dtype, extent > 0 ? 3 : 2, shape, error);

  return leaf && reel_tensordict_set_tensor (self->td, path, leaf, error) ? leaf->data : NULL;
}

static const gint64 *
answered_ids (const Steps *self, gint64 row)
{
  return (const gint64 *) self->generated->ids->data + row * self->length;
}

/* ---- what is seen ---- */

/* In step t the prompt and t tokens of the answer, and @more. */
static gboolean
add_texts (Steps *self, const char *ids_path, const char *mask_path, gint64 more, GError **error)
{
  gint64 *ids = add_leaf (self, ids_path, REEL_DTYPE_INT64, self->length, error);
  guint8 *mask = ids ? add_leaf (self, mask_path, REEL_DTYPE_BOOL, self->length, error) : NULL;

  for (gint64 i = 0; mask && i < self->n_rows * self->n_steps; i++)
    {
      gint64 row = i / self->n_steps, end = self->prompts->ends[row] + i % self->n_steps + more;
      const gint64 *all = answered_ids (self, row);
      for (gint64 k = 0; k < self->length; k++)
        {
          gint64 id = k < end ? all[k] : self->eos;
          ids[i * self->length + k] = id;
          mask[i * self->length + k] = id != self->eos;
        }
    }
  return mask != NULL;
}

static gboolean
add_actions (Steps *self, GError **error)
{
  gint64 *actions = add_leaf (self, "action", REEL_DTYPE_INT64, 0, error);

  for (gint64 i = 0; actions && i < self->n_rows * self->n_steps; i++)
    {
      gint64 row = i / self->n_steps;
      actions[i] = answered_ids (self, row)[self->prompts->ends[row] + i % self->n_steps];
    }
  return actions
         && reel_tensordict_set_tensor (self->td, "sample_log_prob", self->generated->log_probs,
                                        error);
}

/* ---- what follows ---- */

/* The step at which an answer ends: that of its first <|endoftext|>, else the last. */
static gint64
find_end (const Steps *self, gint64 row)
{
  const gint64 *answer = answered_ids (self, row) + self->prompts->ends[row];
  gint64 t = 0;

  while (t < self->n_steps - 1 && answer[t] != self->eos)
    t++;
  return t;
}

static gboolean
add_flags (Steps *self, const ReelStepRewards *rewards, GError **error)
{
  guint8 *done = add_leaf (self, "next/done", REEL_DTYPE_BOOL, 1, error);
  guint8 *terminated = done ? add_leaf (self, "next/terminated", REEL_DTYPE_BOOL, 1, error) : NULL;

  for (gint64 row = 0; terminated && row < self->n_rows; row++)
    {
      gint64 end = find_end (self, row), last = self->n_steps - 1;
      done[row * self->n_steps + end] = 1;
      terminated[row * self->n_steps + end] = end < last;
      if (!rewards->single_done)
        done[row * self->n_steps + last] = 1;
    }
  return terminated != NULL;
}

static gboolean
add_rewards (Steps *self, const ReelStepRewards *rewards, double *mean_kl, GError **error)
{
  const guint8 *done = reel_tensordict_get_tensor (self->td, "next/done", error)->data;
  const float *ratios = (const float *) self->generated->log_ratio->data;
  float *raw = add_leaf (self, "next/reward_raw", REEL_DTYPE_FLOAT32, 1, error);
  float *kl = raw ? add_leaf (self, "next/reward_kl", REEL_DTYPE_FLOAT32, 1, error) : NULL;
  float *reward = kl ? add_leaf (self, "next/reward", REEL_DTYPE_FLOAT32, 1, error) : NULL;
  double sum = 0;

  for (gint64 i = 0; reward && i < self->n_rows * self->n_steps; i++)
    {
      raw[i] = done[i] ? rewards->scores[i / self->n_steps] : 0;
      kl[i] = -(float) rewards->kl_coef * ratios[i];
      reward[i] = raw[i] + kl[i];
      sum += (double) kl[i];
    }
  *mean_kl = sum / (double) (self->n_rows * self->n_steps);
  return reward != NULL;
}

ReelTensordict *
reel_rollout_steps_new (const ReelPromptRows *prompts, const ReelGeneratedText *generated,
                        gint64 eos, const ReelStepRewards *rewards, double *mean_kl, GError **error)
{
  static const char *const names[] = { NULL, "time" };
  const gint64 *batch_size = generated->log_ratio->shape;
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, batch_size);
  Steps steps = { prompts, generated, eos, batch_size[0], batch_size[1], generated->ids->shape[1],
                  td };

  if (!add_actions (&steps, error) || !add_texts (&steps, "input_ids", "attention_mask", 0, error)
      || !add_texts (&steps, "next/input_ids", "next/attention_mask", 1, error)
      || !add_flags (&steps, rewards, error) || !add_rewards (&steps, rewards, mean_kl, error)
      || !reel_tensordict_set_names (td, names, error))
    return NULL;
  return g_steal_pointer (&td);
}
