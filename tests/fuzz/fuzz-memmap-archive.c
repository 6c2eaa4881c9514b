/* The reader of archives, given any bytes as one; without any it is missing. Anything that loads
 * can be read and printed. */
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>

#define MAX_SUMMED ((gsize) 1 << 20)

static char *path;

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
  if (!td && reel_tensordict_load_partial (path, flags, &left_out, NULL))
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
    path = g_build_filename (fuzz_make_directory (), "a.tdz", NULL);
  fuzz_put (path, size > 0 ? data : NULL, size);
  load (REEL_LOAD_READ_ONLY);
  load (REEL_LOAD_VERIFY);
  return 0;
}
