/* The reader of archives, given any bytes as one; without any it is missing. Whatever loads can be
 * read and printed. */
#include "../../src/core/directories.h"
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SUMMED ((gsize) 1 << 20)

static char *path;

static void
clean_up (void)
{
  g_autofree char *directory = g_path_get_dirname (path);

  reel_directory_remove (directory, NULL);
}

static void
set_up (void)
{
  g_autofree char *directory = g_dir_make_tmp ("reel-fuzz-XXXXXX", NULL);

  if (!directory)
    abort ();
  path = g_build_filename (directory, "a.tdz", NULL);
  atexit (clean_up);
}

static void
put (const guint8 *data, gsize size)
{
  FILE *file = fopen (path, "wb");

  if (!file || fwrite (data, 1, size, file) != size || fclose (file) != 0
      || (size == 0 && remove (path) != 0))
    abort ();
}

/* Reads the bytes of every leaf, as far as that takes no time. */
static guint
sum (const ReelTensordict *td)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (td);
  guint result = 0;

  for (gsize i = 0; leaves[i]; i++)
    {
      g_autoptr (ReelTensor) tensor = reel_tensordict_ref_tensor (td, leaves[i], NULL);
      gsize length = tensor ? MIN (reel_tensor_nbytes (tensor), MAX_SUMMED) : 0;
      for (gsize at = 0; at < length; at++)
        result += tensor->data[at];
    }
  return result;
}

static void
load (ReelLoadFlags flags)
{
  g_auto (GStrv) left_out = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_tensordict_load_partial (path, flags, &left_out, &error);

  if (!td != (error != NULL))
    abort ();
  if (!td)
    return;
  g_autofree char *text = reel_tensordict_to_string (td);
  if (!text || sum (td) == G_MAXUINT)
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (!path)
    set_up ();
  put (data, size);
  load (REEL_LOAD_READ_ONLY);
  load (REEL_LOAD_VERIFY);
  return 0;
}
