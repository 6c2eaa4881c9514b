/* Reads and checks the files of a checkpoint, and decides which of them to believe: the ring, the
 * sidecar or TorchRL's counts. */
#include "checkpoint-files.h"
#include "checkpoint-values.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/tensordict-files/memmap-format.h"
#include "../../core/tensordict/tree-private.h"
#include "checkpoint-writer.h"
#include "ted-checkpointer.h"
#include "../writers/writer.h"

#include <string.h>

#define MAX_NDIM 3 /* of a storage */

/* Steps by which a ring may be ahead of the JSON files. */
#define MOST_AHEAD ((gint64) 1 << 36)

void
reel_checkpoint_free (ReelCheckpoint *self)
{
  if (!self)
    return;
  g_free (self->path);
  g_free (self->storage);
  g_clear_pointer (&self->data, reel_tensordict_unref);
  reel_flat_unpack_free (self->packed);
  g_clear_pointer (&self->values, g_ptr_array_unref);
  g_clear_pointer (&self->writer_state, reel_tensordict_unref);
  reel_sidecar_free (self->sidecar);
  reel_ring_free (self->ring);
  g_ptr_array_unref (self->warnings);
  g_free (self);
}

static json_t *
read_json (const ReelCheckpoint *self, const char *name, char **path, GError **error)
{
  *path = reel_checkpoint_part (self->path, name);
  return reel_json_load_file (*path, error);
}

static gboolean
read_batch_size (ReelCheckpoint *self, GError **error)
{
  g_autofree char *path = NULL;
  g_autoptr (json_t) root = NULL;

  self->batch_size = -1; /* that of an ensemble is not its members' */
  if (reel_checkpoint_is_member (self->path))
    return TRUE;
  root = read_json (self, "buffer_metadata.json", &path, error);
  if (!root)
    return FALSE;
  if (!json_object_get (root, "batch_size"))
    return reel_json_bad_member (root, path, "batch_size", "an integer or null", error);
  return reel_json_get_int64_or (root, path, "batch_size", 1, G_MAXINT64 / 2, 0, &self->batch_size,
                                 error);
}

/* @write_count becomes −1 where the file does not say. */
static gboolean
read_writer (ReelCheckpoint *self, gint64 *cursor, gint64 *write_count, GError **error)
{
  g_autofree char *path = NULL, *directory = reel_checkpoint_part (self->path, "writer");
  g_autoptr (json_t) root = NULL;

  *cursor = *write_count = -1;
  if (g_str_equal (self->kind.writer, "immutable"))
    return TRUE;
  root = read_json (self, "writer/metadata.json", &path, error);
  if (!root || !reel_json_get_int64 (root, path, "cursor", 0, self->capacity - 1, cursor, error)
      || !reel_json_get_int64_or (root, path, "write_count", G_MININT64 / 2, G_MAXINT64 / 2, -1,
                                  write_count, error))
    return FALSE;
  *write_count = MAX (*write_count, -1); /* TorchRL's C int wraps to negative */
  return reel_checkpoint_read_writer (root, directory, path, self->writer_state, error);
}

static gint64
multiply (const gint64 *extents, gint n)
{
  gint64 product = 1;

  for (gint i = 0; i < n; i++)
    if (__builtin_mul_overflow (product, extents[i], &product))
      return -1;
  return product;
}

/* The most dimensions for which the counts make sense (TorchRL does not record it): whole steps,
 * no more than there are, and as many as were written. */
static gint
guess_ndim (const gint64 *shape, gint n_dims, gint64 len, gint64 write_count)
{
  for (gint strict = write_count >= 0; strict >= 0; strict--)
    for (gint ndim = MIN (n_dims, MAX_NDIM); ndim > 0; ndim--)
      {
        gint64 lanes = multiply (shape + 1, ndim - 1);

        if (lanes > 0 && len % lanes == 0 && len / lanes <= shape[0]
            && (!strict || len / lanes == MIN (write_count, shape[0])))
          return ndim;
      }
  return 0;
}

/* Other dimensions that the leaves of a tree share are features. */
static gboolean
narrow_tree (ReelCheckpoint *self, GError **error)
{
  gint64 shape[REEL_MAX_NDIM];
  gint n_dims;
  const gint64 *whole = reel_tensordict_get_batch_size (self->data, &n_dims);

  memcpy (shape, whole, (gsize) n_dims * sizeof *shape);
  return reel_tensordict_set_batch_size (self->data, self->ndim, shape, error);
}

static gboolean
fit_shape (ReelCheckpoint *self, gint64 len, gint64 write_count, GError **error)
{
  g_autofree char *counts = g_build_filename (self->storage, REEL_TREE_METADATA, NULL);
  gint n_dims;
  const gint64 *shape = reel_tensordict_get_batch_size (self->data, &n_dims);

  if (self->sidecar && self->ndim > 0 && self->ndim != self->sidecar->ndim)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s: is a storage with ndim=%d, one with ndim=%d is asked for", self->path,
                   self->sidecar->ndim, self->ndim);
      return FALSE;
    }
  if (self->sidecar)
    self->ndim = self->sidecar->ndim;
  if (self->ndim == 0)
    self->ndim = guess_ndim (shape, n_dims, len, write_count);
  if (self->ndim == 0)
    {
      gint64 rows = multiply (shape, MIN (n_dims, MAX_NDIM));

      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: \"len\" is %" G_GINT64_FORMAT
                   ", whole steps of a storage of %" G_GINT64_FORMAT " rows expected",
                   counts, len, rows);
      return FALSE;
    }
  self->lanes = multiply (shape + 1, self->ndim - 1);
  if (self->is_tree && !narrow_tree (self, error))
    return FALSE;
  if (len % self->lanes == 0 && len / self->lanes <= self->capacity)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: \"len\" is %" G_GINT64_FORMAT ", at most %" G_GINT64_FORMAT
               " steps of %" G_GINT64_FORMAT " rows expected",
               counts, len, self->capacity, self->lanes);
  return FALSE;
}

/* Where the ring stands, from TorchRL's counts alone. */
static void
place_from_counts (ReelCheckpoint *self, const ReelCheckpointCounts *counts)
{
  ReelCheckpointPlace *place = &self->place;
  gint64 steps = counts->len / self->lanes, cursor = counts->cursor;

  if (cursor < 0)
    cursor = steps % self->capacity;
  place->write_count = MAX (counts->write_count, 0);
  if (steps == self->capacity)
    {
      /* Numbers must agree with slots alone: where the write count does not fit the cursor, any
       * round will do. */
      gboolean counted = place->write_count >= steps && place->write_count % steps == cursor;

      place->end = counted ? place->write_count : steps + cursor;
      place->begin = place->end - steps;
      return;
    }
  place->begin = 0;
  place->end = steps;
  if (cursor != steps)
    g_ptr_array_add (self->warnings,
                     g_strdup_printf ("%s: the cursor is %" G_GINT64_FORMAT
                                      " after %" G_GINT64_FORMAT
                                      " steps; writing would continue after the last step",
                                      self->path, cursor, steps));
}

static gboolean
check_sidecar (ReelCheckpoint *self, GError **error)
{
  const ReelSidecar *sidecar = self->sidecar;
  gint n_dims;
  const gint64 *shape = reel_tensordict_get_batch_size (self->data, &n_dims);

  for (gint d = 0; sidecar && d < sidecar->ndim; d++)
    if (sidecar->ndim > MIN (n_dims, MAX_NDIM) || sidecar->shape[d] != shape[d])
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                     "%s/" REEL_SIDECAR_FILE ": \"shape\" differs from that of storage/meta.json",
                     self->path);
        return FALSE;
      }
  return TRUE;
}

static gboolean
read_sidecar (ReelCheckpoint *self, GError **error)
{
  g_autofree char *path = reel_checkpoint_part (self->path, REEL_SIDECAR_FILE);
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  self->sidecar = reel_sidecar_read (path, error);
  return self->sidecar != NULL;
}

/* No `writer` is what data without one have; what was written by one has lost it. */
static gboolean
check_writer (const ReelCheckpoint *self, GError **error)
{
  const char *text = self->sidecar ? self->sidecar->writer : NULL;
  g_autoptr (ReelWriter) writer = NULL;

  if (!text || !g_str_equal (self->kind.writer, "immutable"))
    return TRUE;
  writer = reel_object_new_from_text (REEL_TYPE_WRITER, text, NULL, NULL);
  if (!writer || REEL_WRITER_GET_CLASS (writer)->refusal)
    return TRUE;
  g_autofree char *missing = reel_checkpoint_part (self->path, "writer");
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: is missing; " REEL_SIDECAR_FILE " says that the writer \"%s\" has its counts "
               "there",
               missing, text);
  return FALSE;
}

/* A writer that continues holds the lock before it reads the files. */
static gboolean
open_ring (ReelCheckpoint *self, ReelRingAccess access, GError **error)
{
  g_autofree char *path = reel_checkpoint_part (self->path, REEL_RING_FILE);
  ReelPathKind kind;
  gint written;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING)
    return TRUE;
  if (kind != REEL_PATH_FILE)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: expected a ring file, found something else", path);
      return FALSE;
    }
  self->ring = reel_ring_open (path, access, error);
  if (!self->ring)
    return FALSE;
  written = reel_ring_is_written (self->ring, error);
  self->written = written > 0;
  return written >= 0;
}

/* A run whose disk is full goes on without it, and may be far ahead: not by hours at full speed. */
static gboolean
is_too_far_ahead (const ReelCheckpoint *self, gint64 end)
{
  const ReelSidecar *sidecar = self->sidecar;

  return sidecar && !sidecar->clean && end - sidecar->end > MOST_AHEAD;
}

static gboolean
check_ring (const ReelCheckpoint *self, GError **error)
{
  gint64 begin, end;

  if (!self->ring)
    return TRUE;
  reel_ring_get_view (self->ring, &begin, &end);
  if (reel_ring_get_capacity (self->ring) != self->capacity)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s/" REEL_RING_FILE ": is a ring of %" G_GINT64_FORMAT " steps, %" G_GINT64_FORMAT
                 " expected",
                 self->path, reel_ring_get_capacity (self->ring), self->capacity);
  else if (is_too_far_ahead (self, end))
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s/" REEL_RING_FILE ": counts %" G_GINT64_FORMAT " steps, and " REEL_SIDECAR_FILE
                 ", which follows it every second, %" G_GINT64_FORMAT
                 "; one of them is damaged. Without the ring the other is read",
                 self->path, end, self->sidecar->end);
  else
    return TRUE;
  return FALSE;
}

static gboolean
says_so (const ReelCheckpoint *self, const ReelCheckpointPlace *place,
         const ReelCheckpointCounts *counts)
{
  ReelCheckpointCounts own;

  reel_checkpoint_count (place, self->capacity, self->lanes, &own);
  return own.len == counts->len && own.cursor == counts->cursor
         && own.write_count == counts->write_count;
}

static void
forget_sidecar (ReelCheckpoint *self)
{
  g_ptr_array_add (
      self->warnings,
      g_strdup_printf ("%s: was written to by another program since; " REEL_SIDECAR_FILE
                       " describes its former state",
                       self->path));
  self->sidecar->clean = FALSE;
  self->sidecar->stream = -1;
  self->sidecar->prefetch = 0;
  g_clear_pointer (&self->sidecar->checksums, json_decref);
  g_clear_pointer (&self->sidecar->checksums_before, json_decref);
}

/* Steps that a failed sync may have dropped are left out once their writer is gone. */
static void
leave_out_lost (const ReelCheckpoint *self, ReelCheckpointPlace *place)
{
  gint64 lost = reel_ring_get_lost (self->ring), end = MIN (place->end, lost);

  if (self->written || lost < 0 || lost >= place->end)
    return;
  g_ptr_array_add (self->warnings,
                   g_strdup_printf ("%s: the disk failed while rows were made durable; the newest "
                                    "%" G_GINT64_FORMAT " steps may be lost and are left out",
                                    self->path, place->end - end));
  place->write_count = MAX (place->write_count - (place->end - end), 0);
  place->end = end;
  place->begin = MIN (place->begin, end);
}

/* Rows that the writer cannot have overwritten since the last update, after a power failure. */
static ReelCheckpointPlace
place_of_last_update (const ReelCheckpoint *self, gint64 begin)
{
  const ReelSidecar *sidecar = self->sidecar;
  gint64 kept = MAX (begin, reel_ring_first_kept (self->ring));

  return (ReelCheckpointPlace){ CLAMP (kept, sidecar->begin, sidecar->end), sidecar->end,
                                sidecar->write_count };
}

/* The rows that a ring counts may be missing where its directory was copied while it was written,
 * or where the machine was started anew since, for they may never have reached the disk. */
static gboolean
is_copy (const ReelCheckpoint *self)
{
  g_autofree char *file = reel_ring_dup_file (self->ring);

  return self->sidecar->ring && g_strcmp0 (file, self->sidecar->ring) != 0;
}

static gboolean
is_of_this_start (const ReelCheckpoint *self)
{
  g_autofree char *boot_id = reel_boot_id ();

  return g_strcmp0 (boot_id, self->sidecar->boot_id) == 0;
}

static void
warn_of_lost_rows (const ReelCheckpoint *self)
{
  g_ptr_array_add (
      self->warnings,
      g_strdup_printf (
          "%s: was not closed before %s; rows after its last update are missing, and "
          "%" G_GINT64_FORMAT
          " old steps that may be partly overwritten; rows that were changed in place, and those "
          "of a copy, may be of different times%s",
          self->path,
          !is_of_this_start (self) ? "its machine stopped, or before it was copied"
                                   : "it was copied",
          self->place.begin - self->sidecar->begin,
          is_of_this_start (self) ? "; the original has them: stop its writer, open it with "
                                    "\"replay info\" and copy it again"
                                  : ""));
}

/* A run that was not closed: the ring knows more than the JSON files. */
static void
place_from_ring (ReelCheckpoint *self, const ReelCheckpointCounts *counts)
{
  const ReelSidecar *sidecar = self->sidecar;
  ReelCheckpointPlace ring;

  reel_ring_get_view (self->ring, &ring.begin, &ring.end);
  /* The sidecar is behind the ring by steps that were written since. */
  ring.write_count = sidecar->write_count + MAX (ring.end - sidecar->end, 0);
  /* The run itself never lets the counts pass the ring: another program wrote here after it. */
  if (!self->written && counts->write_count > ring.write_count)
    {
      forget_sidecar (self);
      place_from_counts (self, counts);
    }
  /* The mapped pages are those of the writer, alive or killed: ring and rows agree. */
  else if (self->written || (is_of_this_start (self) && !is_copy (self)))
    {
      leave_out_lost (self, &ring);
      self->place = ring;
      /* A recovery that was killed may have left the sidecar alone behind. */
      self->behind = !self->written
                     && (!says_so (self, &ring, counts) || sidecar->end != ring.end
                         || sidecar->begin != ring.begin);
    }
  else
    {
      /* The ring may have reached the disk, or the copy, before the rows that it counts. */
      self->place = place_of_last_update (self, ring.begin);
      self->incomplete = TRUE;
      warn_of_lost_rows (self);
    }
}

/* Reel never makes a queue of TorchRL's, and a sidecar lists the one that it found: a new one is
 * part of a dump that TorchRL wrote over this directory, maybe with other rows and equal counts. */
static gboolean
has_new_queue (const ReelCheckpoint *self)
{
  const json_t *files = json_object_get (self->sidecar->checksums, "files");
  g_autofree char *queue = reel_checkpoint_part (self->path, REEL_CHECKPOINT_QUEUE_FILE);
  ReelPathKind kind;

  return files && !json_object_get (files, REEL_CHECKPOINT_QUEUE_FILE)
         && !reel_checkpoint_is_member (self->path) && reel_path_query (queue, &kind, NULL, NULL)
         && kind != REEL_PATH_MISSING;
}

/* Only the sidecar says which start of which machine wrote the ring: the rows may be behind it. */
static void
place_from_ring_alone (ReelCheckpoint *self, const ReelCheckpointCounts *counts)
{
  ReelCheckpointPlace ring;

  reel_ring_get_view (self->ring, &ring.begin, &ring.end);
  ring.write_count = ring.end;
  if (!self->written && counts->write_count > ring.end)
    {
      place_from_counts (self, counts);
      return;
    }
  leave_out_lost (self, &ring);
  self->place = ring;
  g_ptr_array_add (self->warnings,
                   g_strdup_printf ("%s: " REEL_SIDECAR_FILE
                                    " is missing; rows are read as " REEL_RING_FILE
                                    " counts them; after a power failure the last may be lost",
                                    self->path));
}

static void
find_place (ReelCheckpoint *self, const ReelCheckpointCounts *counts)
{
  const ReelSidecar *sidecar = self->sidecar;
  ReelCheckpointPlace place;

  if (!sidecar)
    {
      (self->ring ? place_from_ring_alone : place_from_counts) (self, counts);
      return;
    }
  place = (ReelCheckpointPlace){ sidecar->begin, sidecar->end, sidecar->write_count };
  if (self->ring && !sidecar->clean)
    place_from_ring (self, counts);
  /* A closed sidecar agrees with TorchRL's counts unless another program wrote since. Data without
   * a writer have no cursor to compare. */
  else if (!has_new_queue (self) && (says_so (self, &place, counts) || counts->cursor < 0))
    self->place = place;
  else
    {
      forget_sidecar (self);
      place_from_counts (self, counts);
    }
}

/* The file that find_place() believed. */
static char *
where_placed (const ReelCheckpoint *self)
{
  gboolean follows_ring = self->sidecar && self->ring && !self->sidecar->clean;

  return reel_checkpoint_part (self->path, follows_ring    ? REEL_RING_FILE
                                           : self->sidecar ? REEL_SIDECAR_FILE
                                                           : "writer/metadata.json");
}

/* Rows are numbered from the first that was ever written. */
static gboolean
check_place (const ReelCheckpoint *self, GError **error)
{
  g_autofree char *file = where_placed (self);

  if (self->place.end <= G_MAXINT64 / 4 / self->lanes)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s: %" G_GINT64_FORMAT " steps of %" G_GINT64_FORMAT
               " rows are said to have been written, more than can be counted",
               file, self->place.end, self->lanes);
  return FALSE;
}

/* The files that say which leaves there are, and of which types and shapes. */
static gboolean
check_metadata (const ReelCheckpoint *self, GError **error)
{
  json_t *checksums = self->sidecar ? self->sidecar->checksums : NULL;
  json_t *sums;
  const char *name;

  json_object_foreach (json_object_get (checksums, "files"), name, sums)
  {
    if (!g_str_has_prefix (name, "storage/") || !g_str_has_suffix (name, "meta.json"))
      continue;
    g_autofree char *path = reel_checkpoint_part (self->path, name);
    gint same = reel_checksums_check_file (path, checksums, sums, error);

    if (same == 0)
      g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                   "%s: has changed since it was written: its checksum in " REEL_SIDECAR_FILE
                   " differs. Without " REEL_SIDECAR_FILE " it is read as it is",
                   path);
    if (same <= 0)
      return FALSE;
  }
  return TRUE;
}

static gboolean
set_names (ReelCheckpoint *self, GError **error)
{
  const char *names[REEL_MAX_NDIM] = { NULL };

  if (!self->sidecar)
    return TRUE;
  for (gint d = 0; d < self->ndim; d++)
    names[d] = self->sidecar->names[d];
  if (reel_tensordict_set_names (self->data, names, error))
    return TRUE;
  g_prefix_error (error, "%s/" REEL_SIDECAR_FILE ": ", self->path);
  return FALSE;
}

/* Whose form it is: the buffer's own, the one that wrote it, or TorchRL's. */
static ReelCheckpointer *
find_checkpointer (const ReelCheckpoint *self, ReelCheckpointer *own, GError **error)
{
  const char *text = self->sidecar ? self->sidecar->checkpointer : NULL;
  g_autoptr (ReelCheckpointer) writer =
      text ? reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, text, NULL, NULL) : NULL;
  const char *format = self->kind.format;
  ReelCheckpointer *reader;

  if (own && g_str_equal (REEL_CHECKPOINTER_GET_CLASS (own)->format, format))
    return g_object_ref (own);
  if (writer && g_str_equal (REEL_CHECKPOINTER_GET_CLASS (writer)->format, format))
    return g_steal_pointer (&writer);
  reader = reel_object_new_from_text (REEL_TYPE_CHECKPOINTER, format, error, NULL);
  if (!reader)
    g_prefix_error (error, "%s: ", self->path);
  return reader;
}

static gboolean
read_data (ReelCheckpoint *self, ReelLoadFlags flags, ReelCheckpointer *own, gint64 *len,
           GError **error)
{
  g_autoptr (ReelCheckpointer) reader = find_checkpointer (self, own, error);

  if (!reader)
    return FALSE;
  self->in_place = REEL_CHECKPOINTER_GET_CLASS (reader)->in_place;
  if (REEL_IS_TED_CHECKPOINTER (reader) && !reel_checkpointer_has_load_hooks (own))
    {
      self->packed = reel_ted_checkpointer_open (reader, self->storage, len, self->warnings, error);
      self->data =
          self->packed ? reel_tensordict_ref (reel_flat_unpack_get_outline (self->packed)) : NULL;
      return self->data != NULL;
    }
  self->data = REEL_CHECKPOINTER_GET_CLASS (reader)->load (reader, self->storage, flags, len,
                                                           self->warnings, error);
  return self->data != NULL;
}

static gboolean
run_load_hooks (ReelCheckpoint *self, ReelCheckpointer *own, GError **error)
{
  const ReelCheckpointState state = { .path = self->storage };
  ReelTensordict *data;

  if (!reel_checkpointer_has_load_hooks (own))
    return TRUE;
  data = reel_checkpointer_run_load_hooks (own, self->data, &state, error);
  if (!data)
    return FALSE;
  reel_tensordict_unref (self->data);
  self->data = data;
  return TRUE;
}

static gboolean
load_data (ReelCheckpoint *self, ReelLoadFlags flags, ReelCheckpointer *own, gint64 *len,
           GError **error)
{
  g_auto (GStrv) leaves = NULL;
  const gint64 *shape;
  gint n_dims;

  if (!read_data (self, flags, own, len, error))
    return FALSE;
  self->is_tree = reel_tensordict_is_tree (self->data);
  if (!run_load_hooks (self, own, error))
    return FALSE;
  shape = reel_tensordict_get_batch_size (self->data, &n_dims);
  leaves = reel_tensordict_list_leaves (self->data);
  if (n_dims >= MAX (self->ndim, 1) && multiply (shape, n_dims) > 0 && leaves[0])
    {
      self->capacity = shape[0];
      return TRUE;
    }
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
               "%s/%s: %s, a storage of %d dimensions with a tensor expected", self->storage,
               self->is_tree ? REEL_TREE_METADATA : "meta.json",
               leaves[0] ? "\"shape\" has too few dimensions or an empty one" : "names no tensor",
               MAX (self->ndim, 1));
  return FALSE;
}

/* Without a sidecar nobody says how many rows there was room for: those that are there where the
 * cursor went round, else one more. */
static gint64
guess_capacity (const ReelCheckpoint *self, gint64 len, gint64 cursor)
{
  if (self->sidecar)
    return self->sidecar->shape[0];
  return cursor < len ? len : cursor + 1;
}

static gboolean
load_values (ReelCheckpoint *self, ReelCheckpointCounts *counts, GError **error)
{
  self->values = reel_values_load (self->storage, error);
  self->capacity = G_MAXINT64 / 2;
  if (!self->values || !read_writer (self, &counts->cursor, &counts->write_count, error))
    return FALSE;
  counts->len = self->values->len;
  self->capacity = guess_capacity (self, counts->len, counts->cursor);
  self->data = reel_tensordict_new (1, &self->capacity);
  return TRUE;
}

static gboolean
load_rows (ReelCheckpoint *self, ReelLoadFlags flags, ReelCheckpointer *checkpointer,
           ReelCheckpointCounts *counts, GError **error)
{
  if (g_str_equal (self->kind.format, REEL_VALUES_FORMAT))
    return load_values (self, counts, error);
  return load_data (self, flags, checkpointer, &counts->len, error)
         && read_writer (self, &counts->cursor, &counts->write_count, error);
}

/* Takes @storage. */
static ReelCheckpoint *
new_checkpoint (const char *path, char *storage, gint ndim)
{
  ReelCheckpoint *self = g_new0 (ReelCheckpoint, 1);

  self->path = g_strdup (path);
  self->storage = storage;
  self->ndim = ndim;
  self->warnings = g_ptr_array_new_with_free_func (g_free);
  self->writer_state = reel_tensordict_new (0, NULL);
  return self;
}

ReelCheckpoint *
reel_checkpoint_read (const char *path, ReelLoadFlags flags, gint ndim,
                      ReelCheckpointer *checkpointer, GError **error)
{
  g_autoptr (ReelCheckpoint) self =
      new_checkpoint (path, reel_checkpoint_part (path, "storage"), ndim);
  ReelRingAccess access = flags & REEL_LOAD_SHARED ? REEL_RING_WRITE : REEL_RING_FOLLOW;
  ReelCheckpointCounts counts = { 0 };

  if (!reel_checkpoint_recognise (path, &self->kind, self->warnings, error)
      || (flags & REEL_LOAD_SHARED && !reel_checkpoint_check_inside (path, error))
      || !open_ring (self, access, error) || !read_batch_size (self, error)
      || !read_sidecar (self, error) || !check_writer (self, error)
      || !load_rows (self, flags, checkpointer, &counts, error) || !check_sidecar (self, error)
      || !fit_shape (self, counts.len, counts.write_count, error) || !check_ring (self, error))
    return NULL;
  /* The ring was mapped before the files were read, and its counters are read now: they are not
   * older than the files. */
  find_place (self, &counts);
  return check_place (self, error) && check_metadata (self, error) && set_names (self, error)
             ? g_steal_pointer (&self)
             : NULL;
}

static gboolean
recognise_storage (ReelCheckpoint *self, GError **error)
{
  gint there = reel_checkpoint_find_format (self->storage, &self->kind.format, error);

  if (there == 0)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "%s: is not a storage: it has no " REEL_TREE_METADATA, self->storage);
  return there > 0;
}

/* The directory has no counts of a writer: there are as many rows as it says, from slot 0 on. */
ReelCheckpoint *
reel_checkpoint_read_storage (const char *path, ReelLoadFlags flags, gint ndim,
                              ReelCheckpointer *checkpointer, GError **error)
{
  g_autoptr (ReelCheckpoint) self = new_checkpoint (path, g_strdup (path), ndim);
  ReelCheckpointCounts counts = { .cursor = -1, .write_count = -1 };

  self->kind = (ReelCheckpointKind){ "random", NULL, "immutable", NULL, "tensor" };
  if (!recognise_storage (self, error) || !load_rows (self, flags, checkpointer, &counts, error)
      || !fit_shape (self, counts.len, counts.write_count, error))
    return NULL;
  place_from_counts (self, &counts);
  return g_steal_pointer (&self);
}
