/* Indices from any text, read from and written to a small tensordict. As tensors of int32, where
 * that is wide enough, and ints as tensors without dimensions, they mean the same. */
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* Batch size [3, 2, 4]; a: [3, 2, 4], n/c: [3, 2, 4, 2]. */
static ReelTensordict *
new_example (void)
{
  const gint64 shape[] = { 3, 2, 4, 2 };
  g_autoptr (ReelTensor) a = reel_tensor_new (REEL_DTYPE_INT16, 3, shape, NULL);
  g_autoptr (ReelTensor) c = reel_tensor_new (REEL_DTYPE_FLOAT64, 4, shape, NULL);
  ReelTensordict *td = reel_tensordict_new (3, shape);

  if (!reel_tensordict_set_tensor (td, "a", a, NULL)
      || !reel_tensordict_set_tensor (td, "n/c", c, NULL))
    abort ();
  return td;
}

/* NULL where an index is too large. */
static ReelTensor *
narrow (const ReelTensor *wide)
{
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_INT32, wide->ndim, wide->shape, NULL);

  for (gint64 i = 0; i < reel_tensor_numel (wide); i++)
    {
      gint64 value = ((const gint64 *) wide->data)[i];

      if (value != (gint32) value)
        return NULL;
      ((gint32 *) tensor->data)[i] = (gint32) value;
    }
  return g_steal_pointer (&tensor);
}

static void
add_same (ReelIndex *same, const ReelIndexItem *item)
{
  g_autoptr (ReelTensor) wide = NULL, tensor = NULL;

  if (item->kind == REEL_INDEX_INT)
    {
      wide = reel_tensor_new (REEL_DTYPE_INT64, 0, NULL, NULL);
      memcpy (wide->data, &item->begin, sizeof item->begin);
    }
  else if (item->kind == REEL_INDEX_TENSOR)
    wide = reel_tensor_ref (item->tensor);
  if (!wide)
    {
      same->items[same->n_items++] = *item;
      return;
    }
  tensor = wide->dtype == REEL_DTYPE_INT64 ? narrow (wide) : NULL;
  reel_index_add_tensor (same, tensor ? tensor : wide);
}

/* @found: what @index gives, or NULL */
static void
try_same (ReelTensordict *td, const ReelIndex *index, const ReelTensordict *found)
{
  g_auto (ReelIndex) same = REEL_INDEX_INIT;
  g_autoptr (ReelTensordict) again = NULL;

  for (guint i = 0; i < index->n_items; i++)
    add_same (&same, &index->items[i]);
  again = reel_tensordict_index (td, &same, NULL);
  if (!again != !found || (found && !reel_tensordict_equal (found, again)))
    abort ();
}

static void
try_index (ReelTensordict *td, const ReelIndex *index)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) found = reel_tensordict_index (td, index, &error);

  if (!found != !!error)
    abort ();
  if (!found && reel_tensordict_index (td, index, NULL))
    abort ();
  try_same (td, index, found);
  if (!found)
    return;
  /* The rows read may be written back. */
  g_autoptr (ReelTensordict) copy = reel_tensordict_clone (found, TRUE, &error);
  if (!copy || !reel_tensordict_assign (td, index, copy, &error))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static ReelTensordict *td;
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (ReelIndex) index = REEL_INDEX_INIT;
  g_autoptr (GError) error = NULL;

  /* A range of millions is no fault, and slow. */
  if (size > 256 || g_regex_match_simple ("range.*[0-9]{5}", text, G_REGEX_DOTALL, 0))
    return 0;
  if (!td)
    td = new_example ();
  if (!reel_index_parse (&index, text, &error))
    {
      if (!error || index.n_items != 0)
        abort ();
      return 0;
    }
  g_autofree char *again = reel_index_to_string (&index);
  try_index (td, &index);
  return 0;
}
