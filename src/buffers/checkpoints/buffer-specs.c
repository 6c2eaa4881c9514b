/* Keeps the specs of an environment in the sidecar of a buffer, and reads them. */
#include "buffer-specs.h"

#include "../../core/system/files.h"
#include "../../core/formats/json.h"
#include "../../specs/spec-form.h"
#include "../../specs/spec-text.h"
#include "buffer-files.h"
#include "checkpoint-files.h"
#include "sidecar.h"

/* The last two are there where a policy writes such. */
#define N_PARTS 6
#define N_ENV_PARTS 4

static const char *const parts[N_PARTS] = { "observation", "action",        "reward",
                                            "done",        "policy_output", "policy_state" };

gboolean
reel_replay_buffer_set_specs (ReelReplayBuffer *self, const ReelSpec *spec, GError **error)
{
  g_autoptr (GString) json = g_string_new ("{");

  g_return_val_if_fail (spec, FALSE);

  for (gsize i = 0; i < N_PARTS; i++)
    {
      const ReelSpec *kept = reel_env_spec_get_part (spec, parts[i]);
      g_autofree char *part = kept ? reel_spec_to_json (kept, error) : NULL;

      if (!kept)
        continue;
      if (!part)
        return FALSE;
      g_string_append_printf (json, "%s\"%s\":%s", i > 0 ? "," : "", parts[i], part);
    }
  g_string_append_c (json, '}');
  return reel_replay_buffer_set_info (self, "specs", json->str, error);
}

/* The JSON form; or the text form, as it was kept at first. */
static ReelSpec *
read_part (const char *path, json_t *specs, const char *name, GError **error)
{
  json_t *part = json_object_get (specs, name);
  g_autoptr (GError) reason = NULL;
  ReelSpec *spec = NULL;

  if (json_is_string (part))
    spec = reel_spec_new_from_text (json_string_value (part), &reason);
  else if (json_is_object (part))
    spec = reel_spec_read_form (part, &(ReelSpecSource){ 0 }, &reason);
  if (spec && reel_spec_is_composite (spec))
    return spec;
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "%s%sinfo: specs: %s: %s", path ? path : "",
               path ? "/" REEL_SIDECAR_FILE ": " : "", name,
               reason ? reason->message : "expected a composite spec");
  g_clear_pointer (&spec, reel_spec_unref);
  return NULL;
}

static ReelSpec *
put_together (ReelSpec *const *read, GError **error)
{
  g_autoptr (ReelSpec) env = reel_env_spec_new (read[0], read[1], read[2], read[3], error);

  return env ? reel_env_spec_set_policy (env, read[4], read[5], error) : NULL;
}

/* @path, where there is one, is for messages. */
static ReelSpec *
read_specs (const char *path, json_t *info, GError **error)
{
  json_t *specs = json_object_get (info, "specs");
  g_autoptr (GPtrArray) read = g_ptr_array_new_with_free_func ((GDestroyNotify) reel_spec_unref);
  g_autoptr (GError) reason = NULL;
  ReelSpec *spec;

  if (!specs)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "no specs are stored with the rows, as in directories of TorchRL");
      return NULL;
    }
  for (gsize i = 0; i < N_PARTS; i++)
    {
      gboolean left_out = i >= N_ENV_PARTS && !json_object_get (specs, parts[i]);
      ReelSpec *part = left_out ? reel_composite_spec_new (0, NULL, NULL, NULL, 0, error)
                                : read_part (path, specs, parts[i], error);

      if (!part)
        return NULL;
      g_ptr_array_add (read, part);
    }
  spec = put_together ((ReelSpec *const *) read->pdata, &reason);
  if (!spec)
    g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED,
                 "the specs that were kept do not fit each other: %s", reason->message);
  return spec;
}

ReelSpec *
reel_replay_buffer_dup_specs (ReelReplayBuffer *self, GError **error)
{
  const ReelBufferFiles *files = reel_buffer_files_get (self);

  return read_specs (files->path, files->info, error);
}

ReelSpec *
reel_checkpoint_read_specs (const char *path, gint64 *lanes, GError **error)
{
  g_autoptr (ReelSidecar) sidecar = NULL;
  ReelCheckpointKind kind;

  g_return_val_if_fail (path, NULL);
  if (!reel_checkpoint_recognise_with_sidecar (path, &kind, &sidecar, error))
    return NULL;
  if (lanes)
    *lanes = sidecar ? reel_sidecar_get_lanes (sidecar) : 1;
  return read_specs (path, sidecar ? sidecar->info : NULL, error);
}
