/* The reader of memory-mapped tensordicts, given any text as meta.json: of the root and one level
 * below it, and of a collection in a root that is right. Anything that loads is printed, and can be
 * saved but for its keys. */
#include "../../src/core/tensordict-files/file-tree.h"
#include "../../src/core/tensordict-files/save-plan.h"
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TENSORDICT "\"_type\": \"<class 'tensordict._td.TensorDict'>\""
#define LAZY "{\"_type\": \"<class 'tensordict._lazy.LazyStackedTensorDict'>\"}"
#define CLASS "{\"_type\": \"<class 'my.Class'>\"}"
#define VALUES                                                                                     \
  "{\"_type\": \"<class 'tensordict.tensorclass.NonTensorStack'>\", \"data\": [\"x\", [1]]}"
#define VALUE "{\"_type\": \"<class 'tensordict.tensorclass.NonTensorData'>\", \"data\": 7}"
#define LEAF_SIZE 4096

static const char *directory;

static void
put (const char *name, gconstpointer bytes, gsize length)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  fuzz_put (path, bytes, length);
}

/* More levels than are followed. */
static void
put_deep (void)
{
  static const char level[] = "{\"d\": {\"type\": \"TensorDict\"}, \"shape\": [2], " TENSORDICT "}";
  g_autoptr (GString) name = g_string_new ("deep");

  for (gint i = 0; i <= REEL_FILE_TREE_DEPTH; i++)
    {
      g_autofree char *file = g_strconcat (name->str, "/meta.json", NULL);

      put (file, level, strlen (level));
      g_string_append (name, "/d");
    }
}

/* The names in the texts of the corpus. */
static void
set_up (void)
{
  static const char *const leaves[] = { "a",     "a b",      "c%20d",
                                        "%",     "%2E",      "nested/a",
                                        "sub/x", "old/x",    "plain name/x",
                                        "r",     "lazy/0/x", "lazy/1/x" };
  static const char *const folders[][2] = {
    { "sub/meta.json", "{\"x\": {\"dtype\": \"torch.int8\", \"shape\": [2, 3]}, \"shape\": [2], " },
    { "old/meta.json", "{\"x\": {\"dtype\": \"torch.int8\", \"shape\": [2]}, " },
    { "plain name/meta.json", "{\"device\": \"None\", \"shape\": [2, 3], " },
    { "class/_tensordict/meta.json", "{\"shape\": [2], " },
    { "right/meta.json", "{\"item\": {\"type\": \"NonTensorStack\"}, \"shape\": [2], " },
    { "right/item/_tensordict/meta.json", "{\"shape\": [2], " },
    { "lazy/0/meta.json", "{\"x\": {\"dtype\": \"torch.int8\", \"shape\": [2]}, " },
    { "lazy/1/meta.json", "{\"x\": {\"dtype\": \"torch.int8\", \"shape\": [3]}, " },
  };
  static const gint64 sizes[] = { 2, 3, 0, 3 };
  g_autofree char *bytes = g_malloc (LEAF_SIZE), *link = NULL;

  directory = fuzz_make_directory ();
  memset (bytes, 0xa5, LEAF_SIZE);
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      g_autofree char *name = g_strconcat (leaves[i], ".memmap", NULL);
      put (name, bytes, LEAF_SIZE);
    }
  put ("short.memmap", bytes, 3);
  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autofree char *text = g_strconcat (folders[i][1], TENSORDICT "}", NULL);
      put (folders[i][0], text, strlen (text));
    }
  put ("lazy/meta.json", LAZY, strlen (LAZY));
  put ("values/meta.json", VALUES, strlen (VALUES));
  put ("r.shape.memmap", sizes, sizeof sizes);
  put ("class/meta.json", CLASS, strlen (CLASS));
  put ("right/item/other.pickle", "x", 1);
  put ("right/item/0/meta.json", VALUE, strlen (VALUE));
  put ("right/item/1/meta.json", VALUE, strlen (VALUE));
  put_deep ();
  link = g_build_filename (directory, "link", NULL);
  if (symlink ("sub", link) != 0)
    abort ();
}

static void use (const ReelTensordict *td);

static void
use_stack (const ReelTensordict *td)
{
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (td, &n);

  for (gsize i = 0; i < n; i++)
    use (elements[i]);
}

static const gint64 *
shape_of (const ReelTensordictIter *iter, const ReelTensor *tensor, const ReelTensordict *child,
          gint *ndim)
{
  if (child)
    return reel_tensordict_get_batch_size (child, ndim);
  if (!tensor)
    return reel_non_tensor_get_batch_size (reel_tensordict_iter_get_non_tensor (iter), ndim);
  *ndim = tensor->ndim;
  return tensor->shape;
}

/* Every element can be read, and every entry has the batch size in front. */
static void
use (const ReelTensordict *td)
{
  ReelTensordictIter iter;
  ReelTensordict *child;
  ReelTensor *tensor;
  gint ndim, found_ndim;
  const gint64 *batch_size = reel_tensordict_get_batch_size (td, &ndim);

  if (reel_lazy_stack_get_dim (td) >= 0)
    {
      use_stack (td);
      return;
    }
  reel_tensordict_iter_init (&iter, td);
  while (reel_tensordict_iter_next (&iter, NULL, &tensor, &child))
    {
      const gint64 *found = shape_of (&iter, tensor, child, &found_ndim);
      if (found_ndim < ndim || memcmp (found, batch_size, ndim * sizeof *found) != 0)
        abort ();
      if (child)
        use (child);
      else if (tensor && !reel_tensor_equal (tensor, tensor))
        abort ();
    }
}

static void
plan_save (const ReelTensordict *td)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSavePlan) plan = reel_save_plan_new (td, NULL, &error);

  if (!plan != (error != NULL))
    abort ();
  if (!plan && reel_save_plan_new (td, NULL, NULL))
    abort ();
}

static void
load (const char *path, ReelLoadFlags flags)
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
  use (td);
  plan_save (td);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  if (!directory)
    set_up ();
  put ("meta.json", data, size);
  put ("nested/meta.json", data, size);
  put ("right/item/meta.json", data, size);
  g_autofree char *right = g_build_filename (directory, "right", NULL);
  load (directory, REEL_LOAD_READ_ONLY);
  load (right, REEL_LOAD_READ_ONLY);
  load (right, REEL_LOAD_READ_ONLY | REEL_LOAD_TENSORS);
  return 0;
}
