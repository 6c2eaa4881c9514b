/* Properties and keys of flat episode data. */
#include "flat-ted.h"

static const char *const default_done_keys[] = { REEL_FLAT_DONE, "truncated", "terminated", NULL };
static const char *const default_reward_keys[] = { "reward", NULL };

void
reel_flat_ted_add_properties (ReelObjectClass *klass, gsize offset)
{
  reel_object_class_add_words (klass, "done-keys",
                               offset + G_STRUCT_OFFSET (ReelFlatTed, done_keys),
                               "flags that are taken from next; the root's are zero when they are "
                               "read. Default: done, truncated, terminated",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_words (
      klass, "reward-keys", offset + G_STRUCT_OFFSET (ReelFlatTed, reward_keys),
      "other keys that are taken from next. Default: reward", REEL_PROPERTY_CONSTRUCT_ONLY);
}

/* Whether a key is taken from `next` alone. `done` is what trajectories are told by. */
gboolean
reel_flat_ted_is_of_next (const ReelFlatTed *self, const char *key)
{
  const char *const *done = (const char *const *) self->done_keys;
  const char *const *reward = (const char *const *) self->reward_keys;

  return g_str_equal (key, REEL_FLAT_DONE) || g_strv_contains (done ? done : default_done_keys, key)
         || g_strv_contains (reward ? reward : default_reward_keys, key);
}
