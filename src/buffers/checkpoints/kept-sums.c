#include "kept-sums.h"

gboolean
reel_checksums_are_known (const json_t *checksums)
{
  const char *algorithm = json_string_value (json_object_get (checksums, "algorithm"));
  gint64 block = json_integer_value (json_object_get (checksums, "block"));

  return g_strcmp0 (algorithm, "crc32c") == 0 && block >= (gint64) REEL_LEAST_SUM_BLOCK
         && (block & (block - 1)) == 0;
}

gboolean
reel_kept_sums_find (ReelKeptSums *self, const ReelSidecar *sidecar)
{
  json_t *sums = NULL;

  *self = (ReelKeptSums){ 0 };
  if (sidecar)
    sums = sidecar->clean ? sidecar->checksums : sidecar->checksums_before;
  if (!sums || !reel_checksums_are_known (sums))
    return FALSE;
  self->leaves = json_object_get (sums, "leaves");
  self->block = json_integer_value (json_object_get (sums, "block"));
  self->steps = json_integer_value (json_object_get (sums, "steps"));
  self->end = sidecar->clean ? sidecar->end : json_integer_value (json_object_get (sums, "end"));
  return json_is_object (self->leaves) && self->steps > 0 && self->steps <= sidecar->shape[0]
         && self->end >= self->steps && self->end < G_MAXINT64 / 2;
}

json_t *
reel_kept_sums_to_json (const ReelKeptSums *self)
{
  return json_pack ("{s:s, s:I, s:I, s:I, s:O}", "algorithm", "crc32c", "block",
                    (json_int_t) self->block, "steps", (json_int_t) self->steps, "end",
                    (json_int_t) self->end, "leaves", self->leaves);
}

/* Whether one of the slots [@first, @last) was written since the sums were made: those are the
 * slots of the steps from then on, as far as a writer has claimed them. */
static gboolean
is_touched (const ReelSumSpan *span, gint64 first, gint64 last)
{
  gint64 begin = span->self->end % span->capacity;
  gint64 end = begin + MAX (span->begin + span->capacity - span->self->end, 0);

  return begin < end && ((first < end && last > begin) || first < end - span->capacity);
}

gsize
reel_sum_span_find (const ReelSumSpan *span, gsize block, guint32 *crc)
{
  const ReelKeptSums *self = span->self;
  gsize step_bytes = span->column->step_bytes, size = (gsize) self->block;
  gsize begin = block * size, end = MIN (begin + size, step_bytes * (gsize) self->steps);
  const json_t *sums = json_object_get (self->leaves, span->column->path);
  const json_t *sum = json_array_get (sums, block);

  if (!json_is_integer (sum) || begin >= end
      || is_touched (span, (gint64) (begin / step_bytes),
                     (gint64) ((end + step_bytes - 1) / step_bytes)))
    return 0;
  *crc = (guint32) json_integer_value (sum);
  return end - begin;
}

json_t *
reel_kept_sums_dup_untouched (const ReelKeptSums *self, ReelStorage *storage, gint64 begin)
{
  json_t *leaves = json_deep_copy (self->leaves);
  guint n;
  const ReelColumn *columns = reel_storage_get_columns (storage, &n);

  for (guint i = 0; i < n; i++)
    {
      const ReelSumSpan span = { self, &columns[i],
                                 reel_ring_get_capacity (reel_storage_get_ring (storage)), begin };
      json_t *sums = json_object_get (leaves, columns[i].path);
      guint32 crc;

      for (gsize k = 0; k < json_array_size (sums); k++)
        if (reel_sum_span_find (&span, k, &crc) == 0)
          json_array_set_new (sums, k, json_null ());
    }
  return leaves;
}
