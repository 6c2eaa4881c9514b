/* The readers of dicts that Python pickled. The first byte says of what: `a` of a whole archive,
 * else of a pickle, whose storages `0` to `9` have so many times 8 bytes. The result is printed,
 * written and read again, the same. */
#include "../../src/core/formats/pickle.h"
#include "../../src/core/formats/torch-archive.h"
#include "../../src/reel.h"
#include "fuzz-files.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static char *path;

static ReelMemory *
find_small (gpointer source, const char *name, GError **error)
{
  if (g_ascii_isdigit (*name) && name[1] == '\0')
    return reel_memory_new ((gsize) (*name - '0') * 8, error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "there is no storage \"%s\"", name);
  return NULL;
}

static ReelMemory *
find_written (gpointer source, const char *name, GError **error)
{
  const GPtrArray *storages = source;
  const ReelTensor *tensor = storages->pdata[g_ascii_strtoull (name, NULL, 10)];
  gsize size = reel_tensor_nbytes (tensor);
  ReelMemory *memory = reel_memory_new (size, error);

  if (memory && size > 0)
    memcpy (reel_memory_get_data (memory, NULL), tensor->data, size);
  return memory;
}

/* Floats that are no numbers equal nothing, themselves neither: the pickles are compared. */
static void
write_and_read (const ReelTensordict *dict)
{
  g_autoptr (GPtrArray) storages =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_autoptr (GPtrArray) others =
      g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensor_unref);
  g_autoptr (GByteArray) bytes = reel_pickle_write (dict, NULL, storages, NULL), again = NULL;
  g_autoptr (ReelTensordict) read = NULL;

  if (!bytes)
    abort ();
  read = reel_pickle_read (bytes->data, bytes->len, find_written, storages, NULL);
  again = read ? reel_pickle_write (read, NULL, others, NULL) : NULL;
  if (!again || again->len != bytes->len || memcmp (again->data, bytes->data, bytes->len) != 0)
    abort ();
}

static ReelTensordict *
read_either (const guint8 *data, gsize size, GError **error)
{
  if (*data != 'a')
    return reel_pickle_read (data + 1, size - 1, find_small, NULL, error);
  fuzz_put (path, data + 1, size - 1);
  return reel_torch_archive_load (path, error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (ReelTensordict) dict = NULL;
  g_autoptr (GError) error = NULL;

  if (size == 0)
    return 0;
  if (!path)
    path = g_build_filename (fuzz_make_directory (), "a.pt", NULL);
  dict = read_either (data, size, &error);
  if (!dict != (error != NULL) || (error && !g_utf8_validate (error->message, -1, NULL)))
    abort ();
  if (!dict && read_either (data, size, NULL))
    abort ();
  if (!dict)
    return 0;
  g_free (reel_tensordict_to_string (dict));
  write_and_read (dict);
  return 0;
}
