#include "stacked-frames.h"

#include "../transforms/cat-frames.h"

gboolean
reel_cat_frames_make_transform_and_sampler (ReelTransform *frames, const char *arguments,
                                            ReelTransform **transform, ReelSampler **sampler,
                                            GError **error)
{
  g_autoptr (ReelTransform) chain = NULL;
  g_autofree char *text = NULL;
  gint64 n;

  g_return_val_if_fail (REEL_IS_TRANSFORM (frames), FALSE);
  g_return_val_if_fail (transform != NULL && sampler != NULL, FALSE);

  chain = reel_cat_frames_new_for_rows (frames, &n, error);
  if (!chain)
    return FALSE;
  text = g_strdup_printf ("slice:slice-len=%" G_GINT64_FORMAT "%s%s", n, arguments ? "," : "",
                          arguments ? arguments : "");
  *sampler = reel_object_new_from_text (REEL_TYPE_SAMPLER, text, error, NULL);
  if (!*sampler)
    return FALSE;
  *transform = g_steal_pointer (&chain);
  return TRUE;
}
