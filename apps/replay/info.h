/* `replay info` of buffers and ensembles. */
#pragma once

#include "replay.h"

#include <jansson.h>

G_BEGIN_DECLS

typedef enum
{
  INFO_TABLE,
  INFO_JSON,
  INFO_PYTHON,
} InfoForm;

/* Of one buffer, with digests of its keys where asked for. */
json_t *info_to_json (const char *path, ReelReplayBuffer *buffer, gboolean digest, GError **error);
gboolean info_print (const char *path, ReelReplayBuffer *buffer, gboolean digest, GError **error);

/* The lines of Python that load it with TorchRL, or a comment that says what makes it loadable. */
gboolean info_print_python (const char *path, ReelReplayBuffer *buffer, GError **error);

/* A Python literal for the path. */
char *info_python_path (const char *path);

/* Where the member i of the ensemble at `path` lies. */
char *info_member_path (const char *path, gint64 i);

gboolean info_show_ensemble (const char *path, ReelReplayBufferEnsemble *ensemble, InfoForm form,
                             gboolean digest, GError **error);

G_END_DECLS
