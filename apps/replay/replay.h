/* The commands of replay; each takes its own command line and gives an exit status. */
#pragma once

#include "../common/options.h"

G_BEGIN_DECLS

int replay_info (char ***argv, GError **error);
int replay_sample (char ***argv, GError **error);
int replay_rows (char ***argv, GError **error);
int replay_classes (char ***argv, GError **error);
int replay_ls (char ***argv, GError **error);
int replay_episodes (char ***argv, GError **error);
int replay_diff (char ***argv, GError **error);
int replay_audit (char ***argv, GError **error);
int replay_convert (char ***argv, GError **error);
int replay_spec (char ***argv, GError **error);
int replay_check (char ***argv, GError **error);
int replay_fsck (char ***argv, GError **error);
int replay_merge (char ***argv, GError **error);

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

/* The sampler of --sampler, `random` where it was not given; --seed replaces its own. */
ReelSampler *sampler_from_text (const char *text, const char *seed, GError **error);

G_END_DECLS
