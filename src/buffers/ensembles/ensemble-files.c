/* An ensemble in files, as TorchRL's `dumps` lays it out: `storage`, `sampler` and `writer` with a
 * number below for each member. */
#include "config.h"

#include "ensemble-files.h"

#include "../../core/system/directories.h"
#include "../../core/system/drafts.h"
#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../checkpoints/buffer-files.h"
#include "../checkpoints/empty-chain.h"
#include "ensemble-members.h"
#include "ensemble-private.h"

#include <string.h>

#define METADATA "storage/metadata.json"
#define SAMPLEABLE "sampleable" /* in the place of weights */
#define WARNINGS "reel-ensemble-warnings"

static char *
member_path (const char *path, gint64 i)
{
  g_autofree char *storage = reel_checkpoint_part (path, "storage");

  return g_strdup_printf ("%s/%" G_GINT64_FORMAT, storage, i);
}

/* −1 on failure. */
static gint
is_there (const char *path, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return -1;
  return kind != REEL_PATH_MISSING;
}

/* The JSON of a file that may be left out: then an empty object. */
static json_t *
load_optional (const char *file, GError **error)
{
  gint there = is_there (file, error);

  if (there < 0)
    return NULL;
  return there ? reel_json_load_file (file, error) : json_object ();
}

gboolean
reel_checkpoint_is_ensemble (const char *path)
{
  g_autofree char *counts = reel_checkpoint_part (path, "storage/storage_metadata.json");
  g_autofree char *metadata = reel_checkpoint_part (path, METADATA);
  g_autofree char *first = member_path (path, 0);
  g_autoptr (json_t) root = NULL;

  if (is_there (counts, NULL) != 0)
    return FALSE;
  if (is_there (first, NULL) == 1)
    return TRUE;
  root = load_optional (metadata, NULL);
  return json_is_array (json_object_get (root, "empty_members"));
}

static GPtrArray *
get_warnings (ReelReplayBufferEnsemble *self)
{
  GPtrArray *warnings = g_object_get_data (G_OBJECT (self), WARNINGS);

  if (!warnings)
    {
      warnings = g_ptr_array_new_with_free_func (g_free);
      g_object_set_data_full (G_OBJECT (self), WARNINGS, warnings,
                              (GDestroyNotify) g_ptr_array_unref);
    }
  return warnings;
}

char **
reel_replay_buffer_ensemble_dup_warnings (ReelReplayBufferEnsemble *self)
{
  GPtrArray *own = get_warnings (self), *all = g_ptr_array_new ();

  for (guint i = 0; i < own->len; i++)
    g_ptr_array_add (all, g_strdup (own->pdata[i]));
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (self); i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (self, i, NULL);
      g_autofree char **theirs = REEL_IS_REPLAY_BUFFER (member)
                                     ? reel_replay_buffer_dup_warnings (member)
                                     : reel_replay_buffer_ensemble_dup_warnings (member);

      for (gsize j = 0; theirs[j]; j++)
        g_ptr_array_add (all, theirs[j]);
    }
  g_ptr_array_add (all, NULL);
  return (char **) g_ptr_array_free (all, FALSE);
}

/* ---- writing ---- */

static gboolean
write_text (const char *path, const char *name, json_t *root, ReelJsonStyle style, GError **error)
{
  g_autofree char *file = reel_checkpoint_part (path, name), *text = NULL;

  text = reel_json_to_string (root, style);
  json_decref (root);
  return reel_file_write_atomic (file, text, strlen (text), FALSE, error);
}

/* Members that TorchRL does not keep. */
static gboolean
write_options (ReelReplayBufferEnsemble *self, const char *path, GError **error)
{
  ReelEnsembleOptions options;
  json_t *p;

  reel_replay_buffer_ensemble_get_options (self, &options);
  p = options.p ? json_array () : options.sampleable ? json_string (SAMPLEABLE) : json_null ();
  for (gint64 i = 0; options.p && i < reel_replay_buffer_ensemble_get_length (self); i++)
    json_array_append_new (p, json_real (options.p[i]));
  return write_text (path, REEL_SIDECAR_FILE,
                     json_pack ("{s:i, s:s, s:{s:o, s:b, s:I, s:I, s:I}}", "format",
                                REEL_SIDECAR_FORMAT, "library", PACKAGE_VERSION, "ensemble", "p", p,
                                "sample_from_all", options.sample_from_all, "num_buffer_sampled",
                                (json_int_t) options.num_buffer_sampled, "seed",
                                (json_int_t) options.seed, "stream", (json_int_t) self->n_calls),
                     REEL_JSON_COMPACT, error);
}

static gboolean
make_directories (const char *path, GError **error)
{
  static const char *const parts[] = { "storage", "sampler", "writer" };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    {
      g_autofree char *directory = reel_checkpoint_part (path, parts[i]);

      if (!reel_directory_make (directory, error))
        return FALSE;
    }
  return TRUE;
}

/* TorchRL writes no storage without rows, but what the other parts remember. */
static gboolean
write_empty (ReelReplayBuffer *buffer, const char *path, GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (buffer);
  g_autofree char *writer = reel_checkpoint_part (path, "writer");

  if (reel_writer_may_write (files->writer, NULL)
      && (!reel_directory_make (writer, error)
          || !write_text (path, "writer/metadata.json",
                          json_pack ("{s:i, s:I}", "cursor", 0, "write_count",
                                     (json_int_t) reel_replay_buffer_get_write_count (buffer)),
                          REEL_JSON_SPACED, error)))
    return FALSE;
  return reel_checkpoint_write_sampler (path, files->sampler, files->storage, FALSE, error);
}

static gboolean
is_empty (gpointer member)
{
  return REEL_IS_REPLAY_BUFFER (member)
         && reel_storage_get_length (reel_replay_buffer_get_storage (member)) == 0;
}

static gboolean write_members (ReelReplayBufferEnsemble *self, const char *path, GError **error);

static gboolean
write_member (gpointer member, const char *path, GError **error)
{
  g_autofree char *chain = g_strconcat (path, "_transform.pt", NULL);

  if (!reel_empty_chain_write (chain, error))
    return FALSE;
  if (is_empty (member))
    return write_empty (member, path, error);
  return REEL_IS_REPLAY_BUFFER (member) ? reel_checkpoint_fill (member, path, error)
                                        : write_members (member, path, error);
}

static gboolean
write_members (ReelReplayBufferEnsemble *self, const char *path, GError **error)
{
  json_t *empty = json_array ();
  g_autoptr (json_t) root = json_pack ("{s:o}", "empty_members", empty);

  if (!make_directories (path, error))
    return FALSE;
  for (gint64 i = 0; i < reel_replay_buffer_ensemble_get_length (self); i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (self, i, NULL);
      g_autofree char *below = member_path (path, i);

      if (!write_member (member, below, error))
        return FALSE;
      if (is_empty (member))
        json_array_append_new (empty, json_integer (i));
    }
  return write_text (path, METADATA, json_incref (root), REEL_JSON_SPACED, error)
         && write_options (self, path, error);
}

static gboolean
write_all (ReelReplayBufferEnsemble *self, const char *path, GError **error)
{
  ReelEnsembleOptions options;

  reel_replay_buffer_ensemble_get_options (self, &options);
  return write_text (
             path, "buffer_metadata.json",
             json_pack ("{s:o, s:n}", "batch_size",
                        options.batch_size > 0 ? json_integer (options.batch_size) : json_null (),
                        "consume_after_n_samples"),
             REEL_JSON_SPACED, error)
         && write_members (self, path, error) && reel_checkpoint_sync_tree (path, error);
}

/* A batch has rows of several members, and no member's files could hold it. */
static void
warn_of_ahead (ReelReplayBufferEnsemble *self)
{
  gint64 n = self->ahead.queue ? reel_prefetch_count (self->ahead.queue) : 0;

  if (n > 0)
    g_ptr_array_add (get_warnings (self),
                     g_strdup_printf ("%" G_GINT64_FORMAT
                                      " batches that the ensemble drew ahead are not in the files: "
                                      "samplers continue after them",
                                      n));
}

gboolean
reel_replay_buffer_ensemble_dumps (ReelReplayBufferEnsemble *self, const char *path,
                                   ReelCheckpointFlags flags, GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self) && path, FALSE);
  if (!reel_checkpoint_check_target (path, flags, error) || !reel_draft_begin (&draft, path, error))
    return FALSE;
  warn_of_ahead (self);
  return write_all (self, draft.path, error)
         && reel_checkpoint_put_in_place (&draft, flags, get_warnings (self), error);
}

/* ---- reading ---- */

/* The contents of an ensemble's own files. */
typedef struct
{
  gint64 n_members;
  gboolean *empty; /* a flag a member */
  double *p;
  ReelEnsembleOptions options;
  gint64 stream; /* how far it is with its random numbers, −1 where that is not said */
} Description;

static void
description_clear (Description *self)
{
  g_free (self->empty);
  g_free (self->p);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Description, description_clear)

static gboolean
holds (const json_t *list, gint64 i)
{
  for (gsize j = 0; j < json_array_size (list); j++)
    if (json_is_integer (json_array_get (list, j))
        && json_integer_value (json_array_get (list, j)) == i)
      return TRUE;
  return FALSE;
}

/* TorchRL does not say how many there are: all up to the first that is neither there nor empty. */
static gboolean
find_members (Description *self, const char *path, GError **error)
{
  g_autofree char *file = reel_checkpoint_part (path, METADATA);
  g_autoptr (json_t) root = load_optional (file, error);
  const json_t *list = json_object_get (root, "empty_members");
  gint there = root ? 1 : -1;

  if (list && !json_is_array (list))
    return reel_json_bad_member (root, file, "empty_members", "an array", error);
  while (there > 0)
    {
      g_autofree char *below = member_path (path, self->n_members);
      gboolean empty = holds (list, self->n_members);

      there = empty ? 1 : is_there (below, error);
      if (there < 1)
        break;
      self->empty = g_renew (gboolean, self->empty, self->n_members + 1);
      self->empty[self->n_members++] = empty;
    }
  if (there < 0)
    return FALSE;
  if (self->n_members > 0)
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s: is not an ensemble: it has no storage/0",
               path);
  return FALSE;
}

static gboolean
read_weights (Description *self, const json_t *ensemble, const char *file, GError **error)
{
  const json_t *p = json_object_get (ensemble, "p");

  if (!p || json_is_null (p))
    return TRUE;
  self->options.sampleable = json_is_string (p) && g_str_equal (json_string_value (p), SAMPLEABLE);
  if (self->options.sampleable)
    return TRUE;
  if (json_array_size (p) != (gsize) self->n_members)
    return reel_json_bad_member (ensemble, file, "p", "a weight a member", error);
  self->p = g_new (double, self->n_members);
  for (gint64 i = 0; i < self->n_members; i++)
    {
      if (!json_is_number (json_array_get (p, (gsize) i)))
        return reel_json_bad_member (ensemble, file, "p", "numbers", error);
      self->p[i] = json_number_value (json_array_get (p, (gsize) i));
    }
  self->options.p = self->p;
  return TRUE;
}

static gboolean
read_options (Description *self, const char *path, GError **error)
{
  g_autofree char *file = reel_checkpoint_part (path, REEL_SIDECAR_FILE);
  g_autoptr (json_t) root = load_optional (file, error);
  const json_t *ensemble = json_object_get (root, "ensemble");

  self->stream = -1;
  if (!root || !ensemble)
    return root != NULL;
  return reel_sidecar_check_format (root, file, error) && read_weights (self, ensemble, file, error)
         && reel_json_get_bool (ensemble, file, "sample_from_all", &self->options.sample_from_all,
                                error)
         && reel_json_get_int64 (ensemble, file, "num_buffer_sampled", 0, G_MAXINT32,
                                 &self->options.num_buffer_sampled, error)
         && reel_json_get_int64_or (ensemble, file, "stream", 0, G_MAXINT64, -1, &self->stream,
                                    error)
         && reel_json_get_int64 (ensemble, file, "seed", G_MININT64, G_MAXINT64,
                                 &self->options.seed, error);
}

static gboolean
read_batch_size (Description *self, const char *path, GError **error)
{
  g_autofree char *file = reel_checkpoint_part (path, "buffer_metadata.json");
  g_autoptr (json_t) root = NULL;

  if (reel_checkpoint_is_member (path))
    return TRUE;
  if (is_there (path, NULL) == 0)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_IO, "%s: there is no such directory", path);
      return FALSE;
    }
  root = reel_json_load_file (file, error);
  return root
         && reel_json_get_int64_or (root, file, "batch_size", 1, G_MAXINT64 / 2, 0,
                                    &self->options.batch_size, error);
}

static gboolean
read_description (Description *self, const char *path, GError **error)
{
  return read_batch_size (self, path, error) && find_members (self, path, error)
         && read_options (self, path, error);
}

char **
reel_ensemble_list_members (const char *path, GError **error)
{
  g_auto (Description) description = { 0 };
  GPtrArray *paths;

  if (!read_description (&description, path, error))
    return NULL;
  paths = g_ptr_array_new ();
  for (gint64 i = 0; i < description.n_members; i++)
    if (!description.empty[i])
      g_ptr_array_add (paths, member_path (path, i));
  g_ptr_array_add (paths, NULL);
  return (char **) g_ptr_array_free (paths, FALSE);
}

/* ---- into buffers of the caller's ---- */

typedef struct
{
  ReelReplayBufferEnsemble *ensemble;
  gint64 stream;
} Going;

typedef struct
{
  GArray *loadings;   /* ReelLoading */
  GPtrArray *emptied; /* buffers */
  GArray *going;      /* Going */
  gint64 batch_size;
} Plan;

static void
plan_clear (Plan *plan)
{
  g_array_unref (plan->loadings);
  g_ptr_array_unref (plan->emptied);
  g_array_unref (plan->going);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plan, plan_clear)

static gboolean
plan_buffer (Plan *plan, ReelReplayBuffer *buffer, const char *path, gboolean empty, GError **error)
{
  g_auto (ReelLoading) loading = { 0 };

  if (empty)
    {
      g_ptr_array_add (plan->emptied, buffer);
      return reel_writer_may_write (reel_replay_buffer_get_writer (buffer), error);
    }
  if (!reel_loading_check (&loading, buffer, path, error))
    return FALSE;
  g_array_append_val (plan->loadings, loading);
  loading = (ReelLoading){ 0 };
  return TRUE;
}

static gboolean
plan_members (Plan *plan, ReelReplayBufferEnsemble *self, const char *path, GError **error)
{
  gint64 n = reel_replay_buffer_ensemble_get_length (self);
  g_auto (Description) description = { 0 };
  Going going = { .ensemble = self };

  if (!read_description (&description, path, error))
    return FALSE;
  going.stream = description.stream;
  g_array_append_val (plan->going, going);
  if (description.n_members != n)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "%s: is an ensemble of %" G_GINT64_FORMAT " buffers, one of %" G_GINT64_FORMAT
                   " is to be loaded",
                   path, description.n_members, n);
      return FALSE;
    }
  for (gint64 i = 0; i < n; i++)
    {
      gpointer member = reel_replay_buffer_ensemble_get (self, i, NULL);
      g_autofree char *below = member_path (path, i);

      if (REEL_IS_REPLAY_BUFFER (member)
              ? !plan_buffer (plan, member, below, description.empty[i], error)
              : !plan_members (plan, member, below, error))
        return FALSE;
    }
  plan->batch_size = description.options.batch_size;
  return TRUE;
}

/* Batches drawn ahead are of rows that are gone. */
static void
go_on (const Plan *plan)
{
  for (guint i = 0; i < plan->going->len; i++)
    {
      const Going *going = &g_array_index (plan->going, Going, i);

      reel_ensemble_forget_ahead (going->ensemble);
      if (going->stream >= 0)
        going->ensemble->n_calls = going->stream;
    }
}

static gboolean
prepare (Plan *plan, ReelReplayBufferEnsemble *self, const char *path, GError **error)
{
  if (!plan_members (plan, self, path, error))
    return FALSE;
  for (guint i = 0; i < plan->loadings->len; i++)
    if (!reel_loading_prepare (&g_array_index (plan->loadings, ReelLoading, i), error))
      return FALSE;
  return TRUE;
}

static void
take (Plan *plan, ReelReplayBufferEnsemble *self)
{
  for (guint i = 0; i < plan->emptied->len; i++)
    reel_replay_buffer_empty (plan->emptied->pdata[i], TRUE, NULL);
  for (guint i = 0; i < plan->loadings->len; i++)
    reel_loading_take (&g_array_index (plan->loadings, ReelLoading, i));
  go_on (plan);
  reel_replay_buffer_ensemble_set_batch_size (self, plan->batch_size);
}

static gboolean
check_taken (const Plan *plan, const ReelCheckpointFingerprint *look, GError **error)
{
  for (guint i = 0; i < plan->loadings->len; i++)
    if (!reel_loading_check_taken (&g_array_index (plan->loadings, ReelLoading, i), look, error))
      return FALSE;
  return TRUE;
}

gboolean
reel_replay_buffer_ensemble_loads (ReelReplayBufferEnsemble *self, const char *path, GError **error)
{
  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER_ENSEMBLE (self) && path, FALSE);
  for (gint attempt = 0; attempt < REEL_CHECKPOINT_ATTEMPTS; attempt++)
    {
      g_auto (Plan) plan = { .loadings = g_array_new (FALSE, FALSE, sizeof (ReelLoading)),
                             .emptied = g_ptr_array_new (),
                             .going = g_array_new (FALSE, FALSE, sizeof (Going)) };
      g_autoptr (ReelCheckpointFingerprint) look = reel_checkpoint_fingerprint_new (path);
      g_autoptr (GError) failure = NULL;

      g_array_set_clear_func (plan.loadings, (GDestroyNotify) reel_loading_clear);
      prepare (&plan, self, path, &failure);
      if (reel_checkpoint_fingerprint_differs (look))
        continue;
      if (failure)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      take (&plan, self);
      return check_taken (&plan, look, error);
    }
  reel_checkpoint_set_unsteady (path, error);
  return FALSE;
}

/* ---- as they lie there ---- */

/* One without rows has no files to open: nothing says how many it could hold. */
static GObject *
open_empty (GError **error)
{
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, "tensor:capacity=1", error, NULL);
  g_autoptr (ReelWriter) writer =
      reel_object_new_from_text (REEL_TYPE_WRITER, "immutable", error, NULL);

  return storage && writer ? G_OBJECT (reel_replay_buffer_new (storage, NULL, writer, 0, error))
                           : NULL;
}

static GObject *
open_member (const char *path, gboolean empty, ReelOpenFlags flags, GError **error)
{
  if (empty)
    return open_empty (error);
  if (reel_checkpoint_is_ensemble (path))
    return (GObject *) reel_replay_buffer_ensemble_open (path, flags, error);
  return (GObject *) reel_replay_buffer_open (path, flags, error);
}

ReelReplayBufferEnsemble *
reel_replay_buffer_ensemble_open (const char *path, ReelOpenFlags flags, GError **error)
{
  g_auto (Description) description = { 0 };
  g_autoptr (GPtrArray) members = g_ptr_array_new_with_free_func (g_object_unref);

  g_return_val_if_fail (path, NULL);
  if (!read_description (&description, path, error))
    return NULL;
  for (gint64 i = 0; i < description.n_members; i++)
    {
      g_autofree char *below = member_path (path, i);
      GObject *member = open_member (below, description.empty[i], flags, error);

      if (!member)
        return NULL;
      g_ptr_array_add (members, member);
    }
  return reel_replay_buffer_ensemble_new_mixed ((GObject *const *) members->pdata, members->len,
                                                &description.options, error);
}
