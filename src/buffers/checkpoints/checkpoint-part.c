/* Where the parts of a checkpoint lie: its own below the directory, those of an ensemble's member
 * each below a number. */
#include "checkpoint-files.h"

#include "../../core/system/files.h"

#include <string.h>

#define STORAGE "storage"

static gboolean
is_number (const char *text, gsize length)
{
  return length > 0 && strspn (text, "0123456789") >= length;
}

/* Where the `storage/0` of `DIR/storage/0`, or `storage/0/1`, begins; NULL where there is none. */
static const char *
find_member (const char *path)
{
  const char *end = path + strlen (path);
  gboolean numbered = FALSE;

  for (;;)
    {
      const char *begin;

      while (end > path && end[-1] == G_DIR_SEPARATOR)
        end--;
      begin = end;
      while (begin > path && begin[-1] != G_DIR_SEPARATOR)
        begin--;
      if (numbered && end - begin == strlen (STORAGE)
          && strncmp (begin, STORAGE, strlen (STORAGE)) == 0)
        return begin;
      if (!is_number (begin, (gsize) (end - begin)))
        return NULL;
      numbered = TRUE;
      end = begin;
    }
}

/* A checkpoint of its own may have such a name. Where that cannot be told the rest will fail too.
 */
static const char *
find_true_member (const char *path)
{
  const char *member = find_member (path);
  g_autofree char *own = g_build_filename (path, "buffer_metadata.json", NULL);
  ReelPathKind kind;

  if (member && reel_path_query (own, &kind, NULL, NULL) && kind != REEL_PATH_MISSING)
    return NULL;
  return member;
}

gboolean
reel_checkpoint_is_member (const char *path)
{
  return find_true_member (path) != NULL;
}

/* Whether members have a number each below this part. */
static gboolean
is_numbered (const char *name, gsize length)
{
  static const char *const parts[] = { STORAGE, "sampler", "writer", "prefetch" };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strlen (parts[i]) == length && strncmp (name, parts[i], length) == 0)
      return TRUE;
  return FALSE;
}

char *
reel_checkpoint_part (const char *path, const char *name)
{
  const char *member = find_true_member (path);
  g_autofree char *root = NULL;
  const char *below, *numbers;
  gsize length;

  if (!member)
    return g_build_filename (path, name, NULL);
  if (g_str_has_prefix (name, REEL_SIDECAR_FILE) || g_str_has_prefix (name, REEL_RING_FILE))
    return g_build_filename (path, name, NULL);
  root = g_strndup (path, (gsize) (member - path));
  length = strcspn (name, "/");
  below = name + length;
  numbers = member + strlen (STORAGE);
  if (is_numbered (name, length))
    {
      g_autofree char *part = g_strndup (name, length);

      return g_strconcat (root, part, numbers, below, NULL);
    }
  return g_build_filename (*root ? root : ".", name, NULL);
}
