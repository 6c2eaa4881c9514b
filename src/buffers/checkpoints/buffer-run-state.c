#include "buffer-run-state.h"

#include "../../core/object/error.h"
#include "../../core/system/files.h"
#include "../../core/system/paths.h"
#include "buffer-files.h"

static ReelRunState *
open_file (ReelBufferFiles *files, gsize bytes, gboolean exists, GError **error)
{
  g_autofree char *path = g_build_filename (files->path, REEL_RUN_STATE_FILE, NULL);
  ReelPathKind kind;
  ReelRunState *state;

  if (!reel_held_directory_check_place (files->held, error)
      || !reel_path_check_inside (path, files->path, error)
      || !reel_path_query (path, &kind, NULL, error))
    return NULL;
  if (exists && kind == REEL_PATH_MISSING)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s is missing, in which the state of its lanes is saved; start a new run",
                   path);
      return NULL;
    }
  state = exists ? reel_run_state_open (path, bytes, error)
                 : reel_run_state_create (path, bytes, error);
  if (state)
    g_ptr_array_add (files->leaves, g_strdup (REEL_RUN_STATE_FILE)); /* synced with these */
  return state;
}

ReelRunState *
reel_replay_buffer_open_run_state (ReelReplayBuffer *buffer, gsize bytes, gboolean exists,
                                   GError **error)
{
  ReelBufferFiles *files = reel_buffer_files_get (buffer);
  gboolean fits = files->run_state && reel_run_state_get_size (files->run_state) == bytes;

  if (fits)
    return files->run_state;
  if (files->run_state && exists)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "the state that was saved is of other lanes");
      return NULL;
    }
  g_clear_pointer (&files->run_state, reel_run_state_free);
  files->run_state =
      files->live ? open_file (files, bytes, exists, error) : reel_run_state_new (bytes, error);
  return files->run_state;
}
