/* Keys and the names of their files: any text is a list of keys, one a line, each with what it is
 * the key of (the first byte). Either the whole is refused, or every name stays where it is put,
 * no two are the same, and the metadata bring back the keys. */
#include "../../src/core/formats/json.h"
#include "../../src/core/tensordict-files/memmap-format.h"
#include "../../src/core/tensordict-files/save-plan.h"
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void
demand (gboolean condition)
{
  if (!condition)
    abort ();
}

static void
add_key (ReelTensordict *td, const char *line)
{
  g_autofree char *path = reel_path_escape (line + 1);
  g_autoptr (ReelTensordict) child = reel_tensordict_new (0, NULL);
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT8, 0, NULL, NULL);
  ReelNonTensor *text = reel_non_tensor_new (g_variant_new_string ("x"), 0, NULL, NULL);

  if (line[0] == 'd')
    demand (reel_tensordict_set_tensordict (td, path, child, NULL));
  else if (line[0] == 'n')
    demand (reel_tensordict_set_non_tensor (td, path, text, NULL));
  else
    demand (reel_tensordict_set_tensor (td, path, tensor, NULL));
  reel_non_tensor_unref (text);
}

static void
check_name (const char *name)
{
  const char *last = strrchr (name, '/');
  const char *part = last ? last + 1 : name;

  demand (*part && strcmp (part, ".") != 0 && strcmp (part, "..") != 0);
  for (; *part; part++)
    demand ((guchar) *part > ' ' && *part != 0x7f && !strchr ("<>:\"|?*\\", *part));
}

static void
check_plan (const ReelSavePlan *plan)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < plan->files->len; i++)
    {
      const char *name = reel_save_plan_file (plan, i)->name;
      check_name (name);
      demand (g_hash_table_add (names, (gpointer) name));
    }
  for (guint i = 1; i < plan->directories->len; i++)
    {
      check_name (plan->directories->pdata[i]);
      demand (g_hash_table_add (names, plan->directories->pdata[i]));
    }
}

static void
check_metadata (const ReelTensordict *td)
{
  g_autofree char *text = reel_memmap_describe (td, FALSE);
  g_autoptr (json_t) root = reel_json_parse ("text", text, strlen (text), NULL);
  ReelTensordictIter iter;
  const char *key;
  gsize n = 0;

  demand (root != NULL);
  reel_tensordict_iter_init (&iter, td);
  for (; reel_tensordict_iter_next (&iter, &key, NULL, NULL); n++)
    demand (json_is_object (json_object_get (root, key)));
  demand (json_object_size (root) == n + 3);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (GStrv) lines = g_strsplit (text, "\n", 64);
  g_autoptr (ReelTensordict) td = reel_tensordict_new (0, NULL);
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; lines[i]; i++)
    if (lines[i][0])
      add_key (td, lines[i]);
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new (td, NULL, &error);
  demand (!plan == (error != NULL));
  if (!plan)
    return 0;
  check_plan (plan);
  check_metadata (td);
  return 0;
}
