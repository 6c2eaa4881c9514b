/* replay --list-samplers and the like: every class that a buffer is made of. */
#include "replay.h"

static struct
{
  char *env;
  char *policy;
  char *sampler;
  char *storage;
  char *transform;
  char *writer;
  char *checkpointer;
  gboolean json;
} options;

static const GOptionEntry entries[] = {
  { "env", 0, 0, G_OPTION_ARG_STRING, &options.env, "environment to describe", "ID" },
  { "policy", 0, 0, G_OPTION_ARG_STRING, &options.policy, "policy to describe", "ID" },
  { "sampler", 0, 0, G_OPTION_ARG_STRING, &options.sampler, "sampler to describe", "ID" },
  { "storage", 0, 0, G_OPTION_ARG_STRING, &options.storage, "storage to describe", "ID" },
  { "transform", 0, 0, G_OPTION_ARG_STRING, &options.transform, "transform to describe", "ID" },
  { "writer", 0, 0, G_OPTION_ARG_STRING, &options.writer, "writer to describe", "ID" },
  { "checkpointer", 0, 0, G_OPTION_ARG_STRING, &options.checkpointer, "checkpointer to describe",
    "ID" },
  OPTIONS_PLUGIN,
  { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "print one JSON object or list", NULL },
  { NULL },
};

int
replay_classes (char ***argv, GError **error)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- list the classes and describe their arguments");

  if (options_parse (context, entries, argv, error))
    set_usage_error (error, "cannot list classes: add --describe, or one of --list-samplers and "
                            "the like; 'replay classes --help' lists them");
  return EXIT_USAGE;
}
