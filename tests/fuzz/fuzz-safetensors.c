/* The reader of safetensors, given any bytes as a file. A file that loads is printed, and its
 * tensors have all bytes behind the header. */
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static char *path;

static void
set_up (void)
{
  reel_init ();
  path = g_build_filename (fuzz_make_directory (), "any.safetensors", NULL);
}

static void
check (const ReelTensordict *tensors, const guint8 *data, gsize size)
{
  g_autofree char *text = reel_tensordict_to_string (tensors);
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (tensors);
  gsize bytes = 0;
  guint64 header;

  memcpy (&header, data, 8);
  for (char **leaf = leaves; *leaf; leaf++)
    bytes += reel_tensor_nbytes (reel_tensordict_get_tensor (tensors, *leaf, NULL));
  if (8 + GUINT64_FROM_LE (header) + bytes != size)
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;

  if (path == NULL)
    set_up ();
  fuzz_put (path, data, size);

  g_autoptr (ReelTensordict) tensors = reel_safetensors_load (path, &error);

  if (tensors)
    check (tensors, data, size);
  else if (error == NULL || !g_utf8_validate (error->message, -1, NULL)
           || reel_safetensors_load (path, NULL) != NULL)
    abort ();
  return 0;
}
