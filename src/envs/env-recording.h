/* Some steps of an env, as bytes that can be compared. Private. */
#pragma once

#include "../policies/policy.h"
#include "env-leaves.h"

G_BEGIN_DECLS

/**
 * REEL_ENV_RECORDING_STEPS:
 *
 * Steps of a recording. Lanes that are done are reset in between.
 */
#define REEL_ENV_RECORDING_STEPS 24

/**
 * ReelEnvRecording:
 *
 * Everything that resets and steps wrote.
 */
typedef struct _ReelEnvRecording ReelEnvRecording;

/**
 * reel_env_recording_new:
 * @env: an env
 * @filler: the byte that all memory has before
 * @error: NO_SPACE
 *
 * Returns: (transfer full): room for a recording
 */
ReelEnvRecording *reel_env_recording_new (ReelEnv *env, guint8 filler, GError **error);

/**
 * reel_env_recording_free:
 * @self: (transfer full) (nullable): a recording
 */
void reel_env_recording_free (ReelEnvRecording *self);

/**
 * reel_env_recording_run:
 * @self: a recording
 * @policy: a lanewise policy that is bound to the env and writes actions alone
 * @first: the first step; steps before it were recorded, those of lanes as they stand now
 * @end: one past the last
 * @apart: whether each lane is stepped, and reset, by itself, the last one first
 * @error: as reel_env_check_faults(), and whatever the policy says
 *
 * Records steps; with @first 0 all lanes are reset before.
 *
 * Returns: whether they were done
 */
gboolean reel_env_recording_run (ReelEnvRecording *self, ReelPolicy *policy, gint64 first,
                                 gint64 end, gboolean apart, GError **error);

/**
 * reel_env_recording_compare:
 * @self: a recording
 * @other: another of the same env
 * @why: what it means if they differ, the end of a sentence
 * @error: ASSERTION naming where they do
 *
 * Returns: whether they are the same
 */
gboolean reel_env_recording_compare (const ReelEnvRecording *self, const ReelEnvRecording *other,
                                     const char *why, GError **error);

/**
 * reel_env_recording_check_flags:
 * @self: a recording
 * @error: ASSERTION naming the first flag that is neither 0 nor 1
 *
 * Returns: whether there is none
 */
gboolean reel_env_recording_check_flags (const ReelEnvRecording *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ReelEnvRecording, reel_env_recording_free)

G_END_DECLS
