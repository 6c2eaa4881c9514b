#include "source-sampler.h"

#include "../common/class-words.h"

/* The count that draws follow from; the rest of a state is about rows. */
#define STREAM_KEY "_stream"

/* A state brings the values of its own sampler along. */
static gboolean
take_state (ReelSampler *sampler, ReelStorage *storage, ReelTensordict *state, GError **error)
{
  guint n;
  g_autofree GParamSpec **pspecs =
      g_object_class_list_properties (G_OBJECT_GET_CLASS (sampler), &n);
  g_autofree GValue *values = g_new0 (GValue, n);
  gboolean taken;

  for (guint i = 0; i < n; i++)
    g_object_get_property (G_OBJECT (sampler), pspecs[i]->name, &values[i]);
  taken = reel_sampler_set_state (sampler, storage, state, error);
  for (guint i = 0; i < n; i++)
    {
      if (taken && !(pspecs[i]->flags & G_PARAM_CONSTRUCT_ONLY))
        g_object_set_property (G_OBJECT (sampler), pspecs[i]->name, &values[i]);
      g_value_unset (&values[i]);
    }
  return taken;
}

ReelSampler *
source_sampler_new (ReelReplayBuffer *opened, const char *text, const char *seed, GError **error)
{
  ReelSampler *own = reel_replay_buffer_get_sampler (opened), *sampler;
  g_autofree char *own_text = reel_object_to_text (REEL_OBJECT (own));
  const char *named = text ? text : own_text;
  GError *failure = NULL;

  if (!text && !seed)
    return g_object_ref (own);
  sampler = reel_object_new_like (REEL_OBJECT (own), REEL_TYPE_SAMPLER, named, &failure,
                                  seed ? "seed" : NULL, seed, NULL);
  if (!sampler)
    class_words_propagate (error, failure, "sampler", REEL_TYPE_SAMPLER, named);
  return sampler;
}

gboolean
source_sampler_keep_state (ReelReplayBuffer *opened, ReelSampler *sampler, const char *path,
                           GError **error)
{
  ReelStorage *storage = reel_replay_buffer_get_storage (opened);
  ReelSampler *own = reel_replay_buffer_get_sampler (opened);
  const char *form = reel_sampler_get_state_form (own);
  g_autoptr (ReelTensordict) state = NULL;

  if (sampler == own || !form || !reel_storage_is_allocated (storage))
    return TRUE;
  if (g_strcmp0 (form, reel_sampler_get_state_form (sampler)) != 0)
    {
      g_printerr ("replay: --sampler %s does not use the state of the %s sampler in %s\n",
                  reel_object_get_id (REEL_OBJECT (sampler)),
                  reel_object_get_id (REEL_OBJECT (own)), path);
      return TRUE;
    }
  state = reel_sampler_dup_state (own, storage, error);
  return state
         && (!reel_tensordict_contains (state, STREAM_KEY)
             || reel_tensordict_remove (state, STREAM_KEY, error))
         && take_state (sampler, storage, state, error);
}

ReelSampler *
sampler_from_text (const char *text, const char *seed, GError **error)
{
  const char *named = text ? text : "random";
  GError *failure = NULL;
  ReelSampler *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, named, &failure,
                                                    seed ? "seed" : NULL, seed, NULL);

  if (!sampler)
    class_words_propagate (error, failure, "sampler", REEL_TYPE_SAMPLER, named);
  return sampler;
}
