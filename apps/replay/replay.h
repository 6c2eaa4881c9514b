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
int replay_import (char ***argv, GError **error);
int replay_datasets (char ***argv, GError **error);
int replay_export (char ***argv, GError **error);
int replay_preprocess (char ***argv, GError **error);
int replay_tokenize (char ***argv, GError **error);
int replay_rollout (char ***argv, GError **error);

G_END_DECLS
