/* Classes of a user's own in a shared object, a plugin. */
#pragma once

#include "buffers/checkpoints/checkpointer.h"
#include "buffers/samplers/sampler.h"
#include "buffers/samplers/scheduler.h"
#include "buffers/storages/storage.h"
#include "buffers/writers/writer.h"
#include "collectors/collector.h"
#include "core/object/object.h"
#include "envs/env.h"
#include "policies/policy.h"
#include "transforms/transform.h"

G_BEGIN_DECLS

/**
 * REEL_PLUGIN_ABI:
 *
 * A number for the memory layout of everything that classes fill in and read. Plugins contain the
 * number of the headers that they were compiled with, and the library loads those with its own
 * number alone. It counts layouts in its upper part and has the sizes of the structs in the lower.
 */
#define REEL_PLUGIN_ABI                                                                            \
  ((guint32) (2u << 16)                                                                            \
   + (guint32) (sizeof (ReelEnvClass) + sizeof (ReelEnvIO) + sizeof (ReelPolicyClass)              \
                + sizeof (ReelPolicyIO) + sizeof (ReelTransformClass) + sizeof (ReelStorageClass)  \
                + sizeof (ReelSamplerClass) + sizeof (ReelSchedulerClass)                          \
                + sizeof (ReelWriterClass) + sizeof (ReelCheckpointerClass)                        \
                + sizeof (ReelCollectorClass)))

/**
 * ReelPluginClass:
 * @name: the name of its type, such as `MyEnv`
 * @get_type: (scope forever): registers the type
 *
 * A class of a plugin.
 */
typedef struct
{
  const char *name;
  GType (*get_type) (void);
} ReelPluginClass;

/**
 * ReelPlugin:
 * @abi: %REEL_PLUGIN_ABI, which is checked before all else
 * @library: (scope forever): a function of the library that the plugin calls, to find a second copy
 * @classes: (array zero-terminated=1): the classes, ended by a %NULL name
 *
 * The one symbol that a plugin exports, `reel_plugin`. REEL_PLUGIN() defines it.
 */
typedef struct
{
  guint32 abi;
  GType (*library) (void);
  const ReelPluginClass *classes;
} ReelPlugin;

/**
 * REEL_PLUGIN_CLASS:
 * @Name: the name of a type, as for G_DEFINE_TYPE()
 * @name: the same in lower case, words joined by `_`
 *
 * A class, for REEL_PLUGIN().
 */
#define REEL_PLUGIN_CLASS(Name, name)                                                              \
  {                                                                                                \
#Name, name##_get_type                                                                         \
  }

/**
 * REEL_PLUGIN:
 * @...: a REEL_PLUGIN_CLASS() for each class, separated by commas
 *
 * Makes a plugin of a shared object: `REEL_PLUGIN (REEL_PLUGIN_CLASS (MyEnv, my_env));` in one of
 * its files.
 */
#define REEL_PLUGIN(...)                                                                           \
  static const ReelPluginClass reel_plugin_classes[] = { __VA_ARGS__, { NULL, NULL } };            \
  const ReelPlugin reel_plugin = { REEL_PLUGIN_ABI, reel_object_get_type, reel_plugin_classes }

/**
 * reel_plugin: (skip)
 *
 * Defined by plugins, never by the library.
 */
REEL_API
extern const ReelPlugin reel_plugin;

/**
 * reel_plugin_load:
 * @file: (type filename): a shared object that uses REEL_PLUGIN()
 * @error: IO where the system cannot load it; TYPE where it is no plugin; NOT_IMPLEMENTED where it
 *   was compiled for another layout or uses another copy of the library; VALUE for a class that has
 *   no ids, or an id that exists
 *
 * Registers the classes of a plugin: from now on text can name them. The file stays loaded for the
 * rest of the process; loading it again does nothing. A plugin is code and may do anything. After
 * reel_init(), in one thread, while no other thread makes objects.
 *
 * Returns: whether all classes of @file are there
 */
REEL_API
gboolean reel_plugin_load (const char *file, GError **error);

G_END_DECLS
