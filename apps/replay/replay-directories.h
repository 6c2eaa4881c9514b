/* The directories that commands read and make. */
#pragma once

#include "../../src/reel.h"

G_BEGIN_DECLS

/* Says on stderr what could not be represented, but for the first @from sentences. */
void replay_say_warnings (ReelReplayBuffer *buffer, guint from);

/* Opens the directory that the command line names, and says on stderr what could not be
 * represented. */
ReelReplayBuffer *replay_open (char **arguments, gboolean read_only, GError **error);

/* The same for a directory that may be an ensemble of buffers: a ReelReplayBuffer, or a
 * ReelReplayBufferEnsemble. */
GObject *replay_open_any (const char *path, gboolean read_only, GError **error);

/* Sets an error where the directory is still being written: its rows do not stay. */
gboolean replay_check_ended (ReelReplayBuffer *buffer, const char *path, GError **error);

/* Whether @path is the directory or lies in it, whatever their names; both must be there. */
gboolean replay_lies_in (const char *path, const char *directory);

/* Sets an error where the name of a directory to make is that of a file, such as out.csv. */
gboolean replay_check_directory_name (const char *path, GError **error);

/* Says on stderr that TorchRL loads the ensemble at @path, but cannot sample members that have
 * several storage dimensions; nothing where it has none. */
void replay_say_unsampleable (ReelReplayBufferEnsemble *ensemble, const char *path);

/* The exit status where @path could not be written; because of an interrupt, it is said, and @error
 * is cleared. */
int replay_end_interrupted (const char *path, GError **error);

G_END_DECLS
