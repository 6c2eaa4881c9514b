/* The place of an export: a file or a directory, written beside it and renamed once. */
#include "buffer-export.h"

#include "config.h"

#include "../buffers/checkpoints/checkpoint-files.h"
#include "../core/object/error.h"
#include "../core/object/registry.h"
#include "../core/system/directories.h"
#include "../core/system/drafts.h"
#include "../core/system/files.h"
#include "export-formats.h"

#include <string.h>

#define MINARI "minari"

/* A format of one file. */
typedef struct
{
  const char *name;
  gboolean (*write) (const ReelExportRows *rows, int fd, const char *path, GError **error);
} Format;

static const Format formats[] = {
  { "csv", reel_export_csv },
  { "npz", reel_export_npz },
#ifdef REEL_WITH_HDF5
  { "hdf5", reel_export_hdf5 },
#endif
};

const char *const *
reel_export_list_formats (void)
{
  static const char *const names[] = { "csv", "npz",
#ifdef REEL_WITH_HDF5
                                       "hdf5", MINARI,
#endif
                                       NULL };

  return names;
}

void
reel_export_clear (ReelExport *self)
{
  g_strfreev (self->notes);
  *self = (ReelExport){ 0 };
}

/* ---- a file ---- */

static gboolean
check_file_target (const char *path, gboolean force, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_MISSING || (kind == REEL_PATH_FILE && force))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               kind == REEL_PATH_FILE ? "%s: a file is there; choose another path, or replace it "
                                        "by --force (REEL_CHECKPOINT_FORCE in C)"
                                      : "%s: exists and is not a file; choose another path",
               path);
  return FALSE;
}

static gboolean
write_file (const Format *format, const ReelExportRows *rows, const char *path, GError **error)
{
  g_autofree char *temporary = NULL;
  int fd = reel_file_begin_temporary (path, &temporary, error);

  return fd >= 0 && reel_file_end_temporary (fd, path, format->write (rows, fd, path, error), error)
         && reel_file_rename (temporary, path, error)
         && reel_files_sync (&(const ReelFileHandle){ path, -1 }, 1, NULL, 0, error);
}

static gboolean
export_file (const Format *format, const ReelExportRows *rows, const char *path, gboolean force,
             GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;
  g_autofree char *name = g_path_get_basename (path), *file = NULL;

  if (!reel_draft_begin (&draft, path, error))
    return FALSE;
  file = g_build_filename (draft.path, name, NULL);
  return write_file (format, rows, file, error)
         && reel_draft_install_file (&draft, file, force, error);
}

/* ---- a dataset of Minari ---- */

#ifdef REEL_WITH_HDF5

/* Minari lists ids such as `namespace/name-v0`. */
static gboolean
check_id (const char *id, GError **error)
{
  if (g_regex_match_simple ("^([-_a-zA-Z0-9]+/)*[-_a-zA-Z0-9]+-v[0-9]+$", id,
                            G_REGEX_DOLLAR_ENDONLY, 0))
    return TRUE;
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "\"%s\" cannot be the id of a dataset of Minari: it must be letters, digits, \"-\" "
               "and \"_\" and end in a version, as in cartpole-v0",
               id);
  return FALSE;
}

/* Minari finds a dataset by its path below the root. */
static char *
find_id (const char *path, const char *id, GError **error)
{
  g_autofree char *whole = g_canonicalize_filename (path, NULL);
  g_autofree char *name = id ? g_strdup (id) : g_path_get_basename (whole);
  g_autofree char *end = g_strconcat ("/", name, NULL);

  if (!check_id (name, error))
    return NULL;
  if (g_str_has_suffix (whole, end))
    return g_steal_pointer (&name);
  g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
               "%s does not end in the id %s, by which Minari would look for it", path, name);
  return NULL;
}

static gboolean
contains_only (const char *path, const char *const *known, GError **error)
{
  g_auto (GStrv) names = reel_directory_list (path, error);

  for (gsize i = 0; names && names[i]; i++)
    if (!g_strv_contains (known, names[i]))
      {
        g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                     "%s: contains %s, which is not part of a dataset of Minari; choose another "
                     "path",
                     path, names[i]);
        return FALSE;
      }
  return names != NULL;
}

/* Whether all there is what an export makes. */
static gboolean
check_minari (const char *path, GError **error)
{
  g_autofree char *data = g_build_filename (path, "data", NULL);
  g_autofree char *metadata = g_build_filename (data, "metadata.json", NULL);
  ReelPathKind kind;

  if (!reel_path_query (metadata, &kind, NULL, error))
    return FALSE;
  if (kind == REEL_PATH_FILE)
    return contains_only (path, (const char *const[]){ "data", NULL }, error)
           && contains_only (data, (const char *const[]){ "metadata.json", "main_data.hdf5", NULL },
                             error);
  g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
               "%s: is not a dataset of Minari; choose another path", path);
  return FALSE;
}

/* 1 where a directory is there that is to be replaced, −1 where it may not be. */
static gint
check_directory_target (const char *path, gboolean force, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return -1;
  if (kind == REEL_PATH_MISSING)
    return 0;
  g_auto (GStrv) names = kind == REEL_PATH_DIRECTORY ? reel_directory_list (path, error) : NULL;
  if (kind == REEL_PATH_DIRECTORY && !names)
    return -1;
  if (names && !names[0])
    return 0;
  if (names && force)
    return check_minari (path, error) ? 1 : -1;
  g_set_error (
      error, REEL_ERROR, REEL_ERROR_RUNTIME,
      names
          ? "%s: exists; choose another path, or replace it by --force (REEL_CHECKPOINT_FORCE in C)"
          : "%s: exists and is not a directory; choose another path",
      path);
  return -1;
}

static gboolean
put_in_place (ReelDraft *draft, gint replaces, GError **error)
{
  g_autofree char *leftover = NULL;

  if (!replaces)
    return reel_draft_install (draft, TRUE, error);
  if (!reel_draft_hold (draft, error))
    return FALSE;
  return draft->held < 0 ? reel_draft_install (draft, TRUE, error)
                         : reel_draft_replace (draft, check_minari, TRUE, &leftover, error);
}

static gboolean
export_directory (const ReelExportRows *rows, ReelReplayBuffer *buffer, const char *path,
                  const char *id, gint replaces, GPtrArray *notes, GError **error)
{
  g_auto (ReelDraft) draft = REEL_DRAFT_NONE;

  return reel_draft_begin (&draft, path, error)
         && reel_export_minari (rows, buffer, id, draft.path, notes, error)
         && reel_checkpoint_sync_tree (draft.path, error) && put_in_place (&draft, replaces, error);
}

static gboolean
export_minari (ReelReplayBuffer *buffer, const ReelExportRows *rows, const char *path,
               const char *dataset_id, gboolean force, GPtrArray *notes, GError **error)
{
  g_autofree char *id = find_id (path, dataset_id, error);
  gint replaces = id ? check_directory_target (path, force, error) : -1;

  return replaces >= 0 && export_directory (rows, buffer, path, id, replaces, notes, error);
}

#else

static gboolean
export_minari (ReelReplayBuffer *buffer, const ReelExportRows *rows, const char *path,
               const char *dataset_id, gboolean force, GPtrArray *notes, GError **error)
{
  g_assert_not_reached (); /* check_format() refused it */
}

#endif

/* ---- all of it ---- */

static gboolean
check_format (const char *format, GError **error)
{
  const char *const *names = reel_export_list_formats ();
  g_autofree char *all = g_strjoinv (", ", (char **) names);

  if (g_strv_contains (names, format))
    return TRUE;
  if (g_str_equal (format, "hdf5") || g_str_equal (format, MINARI))
    g_set_error (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                 "the format %s needs HDF5, which is not in this build: install libhdf5-dev and "
                 "configure without --without-hdf5",
                 format);
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                 "there is no format \"%s\"; the formats are %s", format, all);
  return FALSE;
}

static const Format *
find_format (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_equal (formats[i].name, name))
      return &formats[i];
  return NULL;
}

/* Minari has flags of its own; a file has those that the rows have. */
static void
fill_report (ReelExport *report, const ReelExportRows *rows, const Format *format, GPtrArray *notes)
{
  const gboolean marked = !format || reel_export_rows_store_ends (rows);

  g_ptr_array_add (notes, NULL);
  *report = (ReelExport){ rows->n_rows, rows->episodes->len, marked ? rows->n_cut : 0,
                          g_strdupv ((char **) notes->pdata) };
}

/* Text beside the tensors of a dataset has no columns. */
static void
note_left_out (const ReelExportRows *rows, GPtrArray *notes)
{
  g_auto (GStrv) keys = reel_tensordict_list_non_tensors (reel_storage_get_data (rows->storage));

  for (gsize i = 0; keys[i]; i++)
    g_ptr_array_add (notes, g_strdup_printf ("\"%s\" is left out: it is not a tensor", keys[i]));
}

static gboolean
export_rows (ReelReplayBuffer *self, const Format *format, const ReelExportRows *rows,
             const char *path, const char *dataset_id, gboolean force, GPtrArray *notes,
             GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);

  if (format && !check_file_target (path, force, error))
    return FALSE;
  return reel_directory_make_durable (parent, error)
         && (format ? export_file (format, rows, path, force, error)
                    : export_minari (self, rows, path, dataset_id, force, notes, error));
}

gboolean
reel_replay_buffer_export (ReelReplayBuffer *self, const char *format, const char *path,
                           const char *dataset_id, ReelCheckpointFlags flags, ReelExport *report,
                           GError **error)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (ReelExportRows) rows = NULL;

  g_return_val_if_fail (REEL_IS_REPLAY_BUFFER (self) && format && path && *path, FALSE);
  if (!check_format (format, error) || !(rows = reel_export_rows_new (self, error))
      || !export_rows (self, find_format (format), rows, path, dataset_id,
                       (flags & REEL_CHECKPOINT_FORCE) != 0, notes, error))
    return FALSE;
  note_left_out (rows, notes);
  if (report)
    fill_report (report, rows, find_format (format), notes);
  return TRUE;
}
