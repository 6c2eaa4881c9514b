#include "cold-rows.h"

#include "../core/tensor/mapped-memory.h"

#include <sys/resource.h>

#define REST 256 /* batches from memory, after one that was there whole */

static void
unref_memory (gpointer memory)
{
  reel_memory_unref (memory);
}

static void
find_files (ReelColdRows *self, ReelTensordict *data)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (data);

  reel_cold_rows_clear (self);
  self->data = data;
  self->files = g_ptr_array_new_with_free_func (unref_memory);
  for (gsize i = 0; leaves[i]; i++)
    {
      const ReelTensor *leaf = reel_tensordict_get_tensor (data, leaves[i], NULL);

      if (leaf && reel_memory_get_kind (leaf->memory) == REEL_MEMORY_FILE
          && reel_memory_is_read_only (leaf->memory))
        g_ptr_array_add (self->files, reel_memory_ref (leaf->memory));
    }
}

static glong
count_faults (void)
{
  struct rusage usage;

  return getrusage (RUSAGE_THREAD, &usage) == 0 ? usage.ru_majflt : 0;
}

static void
advise (const ReelColdRows *self, gboolean at_random)
{
  for (guint i = 0; i < self->files->len; i++)
    reel_memory_read_at_random (self->files->pdata[i], at_random);
}

void
reel_cold_rows_begin (ReelColdRows *self, ReelStorage *storage)
{
  ReelTensordict *data = reel_storage_get_data (storage);

  if (data != self->data)
    find_files (self, data);
  if (self->files->len == 0 || self->rest > 0)
    return;
  self->faults = count_faults ();
  advise (self, TRUE);
}

void
reel_cold_rows_end (ReelColdRows *self)
{
  if (self->files->len == 0 || self->rest-- > 0)
    return;
  advise (self, FALSE);
  self->rest = count_faults () > self->faults ? 0 : REST;
}

void
reel_cold_rows_clear (ReelColdRows *self)
{
  g_clear_pointer (&self->files, g_ptr_array_unref);
  *self = (ReelColdRows){ 0 };
}
