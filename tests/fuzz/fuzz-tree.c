/* The reader of trees, given any text as storage_metadata.json. Anything that loads is loaded again
 * by itself, as the tree to be like, and by a tree of other nodes; it is printed and saved. */
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAF_SIZE 256

static char *directory;
static char *saved; /* where what was loaded goes */
static ReelTensordict *like;

static void
clean_up (void)
{
  reel_tensordict_unref (like);
}

static void
put (const char *name, gconstpointer bytes, gsize length)
{
  g_autofree char *path = g_build_filename (directory, name, NULL);

  fuzz_put (path, bytes, length);
}

/* [int8 [4], (float32 [4, 2], int8 [4])], whose files are there. */
static ReelTensordict *
make_like (void)
{
  static const gint64 shape[] = { 4, 2 };
  g_autoptr (ReelTensordict) tree = reel_tree_new (REEL_TENSORDICT_LIST);
  g_autoptr (ReelTensordict) pair = reel_tree_new (REEL_TENSORDICT_TUPLE);
  g_autoptr (ReelTensor) bytes = reel_tensor_new (REEL_DTYPE_INT8, 1, shape, NULL);
  g_autoptr (ReelTensor) reals = reel_tensor_new (REEL_DTYPE_FLOAT32, 2, shape, NULL);

  if (!reel_tree_append_tensor (tree, bytes, NULL) || !reel_tree_append_tensor (pair, reals, NULL)
      || !reel_tree_append_tensor (pair, bytes, NULL) || !reel_tree_append (tree, pair, NULL))
    abort ();
  return g_steal_pointer (&tree);
}

/* The names in the texts of the corpus. */
static void
set_up (void)
{
  static const char *const leaves[] = {
    "0", "1", "1/0", "1/1", "a", "a/b", "a/0", "x.y", "x/y", "a b/c", "a/b/c", REEL_TREE_SINGLE_KEY
  };
  char bytes[LEAF_SIZE];
  const char *place = fuzz_make_directory ();

  directory = g_build_filename (place, "read", NULL);
  saved = g_build_filename (place, "saved", NULL);
  like = make_like ();
  atexit (clean_up);
  memset (bytes, 0xa5, sizeof bytes);
  for (gsize i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      g_autofree char *name = g_strconcat (leaves[i], ".memmap", NULL);
      put (name, bytes, sizeof bytes);
    }
  put ("short.memmap", bytes, 3);
}

static ReelTensordict *
load (const char *path, const ReelTensordict *as, GError **error)
{
  gint64 length = -1;
  GError *fault = NULL;
  ReelTensordict *tree = reel_tree_load (path, as, REEL_LOAD_READ_ONLY, &length, &fault);

  if (!tree != (fault != NULL) || (tree && length < 0))
    abort ();
  if (fault)
    g_propagate_error (error, fault);
  return tree;
}

static void
check_equal (const ReelTensordict *a, const ReelTensordict *b)
{
  if (!a || !b || !reel_tensordict_equal (a, b))
    abort ();
}

/* Names that would not be found again, and those that the file system has no room for. Leaves
 * without elements have no file, so that they load under any name. */
static gboolean
may_be_refused (const GError *error)
{
  return g_error_matches (error, REEL_ERROR, REEL_ERROR_KEY)
         || (g_error_matches (error, REEL_ERROR, REEL_ERROR_IO)
             && strstr (error->message, g_strerror (ENAMETOOLONG)));
}

static void
save (const ReelTensordict *tree)
{
  g_autoptr (ReelTensordict) again = NULL;
  g_autoptr (GError) error = NULL;

  if (reel_tree_save (tree, saved, 0, &error))
    {
      again = load (saved, tree, NULL);
      check_equal (tree, again);
    }
  else if (!may_be_refused (error))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (ReelTensordict) tree = NULL, again = NULL, other = NULL;

  if (!directory)
    set_up ();
  put ("storage_metadata.json", data, size);
  tree = load (directory, NULL, NULL);
  other = load (directory, like, NULL);
  if (other && !tree)
    abort ();
  if (!tree)
    return 0;
  g_autofree char *text = reel_tensordict_to_string (tree);
  if (!*text)
    abort ();
  again = load (directory, tree, NULL);
  check_equal (tree, again);
  save (tree);
  return 0;
}
