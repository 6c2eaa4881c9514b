/* The base of checkpointers: hooks around saves and loads, and the length that the files say. */
#include "checkpointer-private.h"

#include "../../core/object/error.h"
#include "../../core/formats/json.h"
#include "../../core/tensordict-files/memmap-format.h"
#include "../../core/tensordict/tree-private.h"

typedef struct
{
  ReelCheckpointHook run;
  gpointer user_data;
  GDestroyNotify destroy;
} Hook;

typedef struct
{
  GArray *save_hooks;
  GArray *load_hooks;
} ReelCheckpointerPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (ReelCheckpointer, reel_checkpointer, REEL_TYPE_OBJECT)

static ReelCheckpointerPrivate *
get_private (ReelCheckpointer *self)
{
  return reel_checkpointer_get_instance_private (self);
}

static void
clear_hook (gpointer data)
{
  Hook *hook = data;

  if (hook->destroy)
    hook->destroy (hook->user_data);
}

static void
finalize (GObject *object)
{
  ReelCheckpointerPrivate *private = get_private (REEL_CHECKPOINTER (object));

  g_array_unref (private->save_hooks);
  g_array_unref (private->load_hooks);
  G_OBJECT_CLASS (reel_checkpointer_parent_class)->finalize (object);
}

static const char *const of_hdf5[] = { "h5", "H5StorageCheckpointer", NULL };

static const ReelOptional hdf5 = {
  .names = of_hdf5,
  .library = "HDF5",
  .remedy = "install libhdf5-dev and configure without --without-hdf5",
};

static void
reel_checkpointer_class_init (ReelCheckpointerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
  REEL_OBJECT_CLASS (klass)->kind = "checkpointer";
  REEL_OBJECT_CLASS (klass)->optional = &hdf5;
}

static GArray *
new_hooks (void)
{
  GArray *hooks = g_array_new (FALSE, FALSE, sizeof (Hook));

  g_array_set_clear_func (hooks, clear_hook);
  return hooks;
}

static void
reel_checkpointer_init (ReelCheckpointer *self)
{
  ReelCheckpointerPrivate *private = get_private (self);

  private->save_hooks = new_hooks ();
  private->load_hooks = new_hooks ();
}

/* ---- hooks ---- */

void
reel_checkpointer_add_save_hook (ReelCheckpointer *self, ReelCheckpointHook hook,
                                 gpointer user_data, GDestroyNotify destroy)
{
  const Hook added = { hook, user_data, destroy };

  g_return_if_fail (REEL_IS_CHECKPOINTER (self) && hook);
  g_array_append_val (get_private (self)->save_hooks, added);
}

void
reel_checkpointer_add_load_hook (ReelCheckpointer *self, ReelCheckpointHook hook,
                                 gpointer user_data, GDestroyNotify destroy)
{
  const Hook added = { hook, user_data, destroy };

  g_return_if_fail (REEL_IS_CHECKPOINTER (self) && hook);
  g_array_append_val (get_private (self)->load_hooks, added);
}

static ReelTensordict *
run_hooks (const GArray *hooks, ReelTensordict *data, const ReelCheckpointState *state,
           GError **error)
{
  ReelTensordict *is = reel_tensordict_ref (data);

  for (guint i = 0; is && i < hooks->len; i++)
    {
      const Hook *hook = &g_array_index (hooks, Hook, i);
      ReelTensordict *was = is;

      is = hook->run (was, state, hook->user_data, error);
      reel_tensordict_unref (was);
    }
  return is;
}

gboolean
reel_checkpointer_is_plain (ReelCheckpointer *self)
{
  return !self
         || (REEL_CHECKPOINTER_GET_CLASS (self)->in_place
             && get_private (self)->save_hooks->len == 0);
}

gboolean
reel_checkpointer_has_load_hooks (ReelCheckpointer *self)
{
  return self && get_private (self)->load_hooks->len > 0;
}

ReelTensordict *
reel_checkpointer_run_save_hooks (ReelCheckpointer *self, ReelTensordict *data,
                                  const ReelCheckpointState *state, GError **error)
{
  return run_hooks (get_private (self)->save_hooks, data, state, error);
}

ReelTensordict *
reel_checkpointer_run_load_hooks (ReelCheckpointer *self, ReelTensordict *data,
                                  const ReelCheckpointState *state, GError **error)
{
  if (reel_checkpointer_has_load_hooks (self) && reel_tensordict_is_tree (data))
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                   "%s: holds a tree, and load hooks are for tensordicts; load it into a buffer "
                   "whose checkpointer has none",
                   state->path);
      return NULL;
    }
  return run_hooks (get_private (self)->load_hooks, data, state, error);
}

/* ---- what most of them share ---- */

gboolean
reel_checkpointer_read_length (const char *path, gboolean *is_tree, gint64 *length, GError **error)
{
  g_autofree char *file = g_build_filename (path, REEL_TREE_METADATA, NULL);
  g_autoptr (json_t) root = reel_json_load_file (file, error);

  return root && reel_json_get_bool (root, file, "is_pytree", is_tree, error)
         && reel_json_get_int64 (root, file, "len", 0, G_MAXINT64 / 2, length, error);
}
