/* Parts of TorchRL's checkpoints without a meaning here: warnings name them. */
#include "checkpoint-files.h"

#include "../../core/system/files.h"
#include "../../core/formats/pickle.h"
#include "../../core/formats/torch-archive.h"

#define MAX_QUEUE ((gsize) 1 << 30) /* bytes of batches */

/* −1 on failure. */
static gint
exists (const char *file, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (file, &kind, NULL, error))
    return -1;
  return kind != REEL_PATH_MISSING;
}

static void
warn (const char *file, const char *what, GPtrArray *warnings)
{
  g_ptr_array_add (warnings, g_strdup_printf ("%s: holds %s; left out", file, what));
}

static gboolean
name_generator (const char *file, GPtrArray *warnings, GError **error)
{
  gint there = exists (file, error);

  if (there > 0)
    warn (file, "the state of TorchRL's random generator", warnings);
  return there >= 0;
}

static char *
list_keys (const ReelTensordict *state)
{
  ReelTensordictIter iter;
  GString *keys = g_string_new (NULL);
  const char *key;

  reel_tensordict_iter_init (&iter, state);
  while (reel_tensordict_iter_next (&iter, &key, NULL, NULL))
    g_string_append_printf (keys, "%s%s", keys->len > 0 ? ", " : "", key);
  return g_string_free (keys, FALSE);
}

/* Chains that remember nothing leave a file too. */
static gboolean
name_transforms (const char *file, GPtrArray *warnings, GError **error)
{
  gint there = exists (file, error);
  g_autoptr (ReelTensordict) state = there > 0 ? reel_torch_archive_load (file, NULL) : NULL;
  g_autofree char *keys = state ? list_keys (state) : NULL;
  g_autofree char *what = keys && *keys
                              ? g_strdup_printf ("the state of transforms: %s", keys)
                              : g_strdup ("the state of transforms, which cannot be read");

  if (there > 0 && (!keys || *keys))
    warn (file, what, warnings);
  return there >= 0;
}

/* Whether a queue of TorchRL's has no batches. */
static gboolean
is_empty_queue (const char *file)
{
  gsize length;
  g_autofree char *bytes = reel_file_read (file, MAX_QUEUE, &length, NULL);
  g_autoptr (ReelTensordict) state =
      bytes ? reel_pickle_read ((const guint8 *) bytes, length, NULL, NULL, NULL) : NULL;
  g_autoptr (GVariant) queue = state ? reel_tensordict_dup_value (state, "queue", NULL) : NULL;

  return queue && g_variant_is_container (queue) && g_variant_n_children (queue) == 0;
}

static gboolean
name_batches (const char *file, GPtrArray *warnings, GError **error)
{
  gint there = exists (file, error);

  if (there > 0 && !is_empty_queue (file))
    warn (file, "batches that TorchRL drew ahead", warnings);
  return there >= 0;
}

gboolean
reel_checkpoint_name_left_out (const char *path, GPtrArray *warnings, GError **error)
{
  g_autofree char *generator = reel_checkpoint_part (path, "rng_state");
  g_autofree char *transforms = reel_checkpoint_is_member (path)
                                    ? g_strconcat (path, "_transform.pt", NULL)
                                    : g_build_filename (path, "transform.t", NULL);
  g_autofree char *batches = reel_checkpoint_part (path, "prefetch.pkl");

  return name_generator (generator, warnings, error)
         && name_transforms (transforms, warnings, error)
         && name_batches (batches, warnings, error);
}
