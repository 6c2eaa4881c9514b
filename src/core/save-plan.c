#include "save-plan.h"

#include "memmap-format.h"
#include "tensordict-private.h"

/* Starting a thread takes as long as copying a small part of this. */
#define BYTES_WORTH_A_THREAD ((gint64) 4 << 20)

/* Metadata are kept apart until all leaves are planned. */
typedef struct
{
  ReelSavePlan *plan;
  GArray *metadata;
} Draft;

static void
clear_file (gpointer data)
{
  ReelPlannedFile *file = data;

  g_free (file->name);
  g_free (file->text);
  g_clear_pointer (&file->tensor, reel_tensor_unref);
}

static GArray *
new_files (void)
{
  GArray *files = g_array_new (FALSE, FALSE, sizeof (ReelPlannedFile));

  g_array_set_clear_func (files, clear_file);
  return files;
}

static char *
join_names (const char *directory, const char *name)
{
  return *directory ? g_strconcat (directory, "/", name, NULL) : g_strdup (name);
}

static void
plan_leaf (ReelSavePlan *plan, const char *directory, const char *encoded, ReelTensor *tensor)
{
  g_autofree char *name = g_strconcat (encoded, REEL_MEMMAP_SUFFIX, NULL);
  ReelPlannedFile leaf = { .tensor = tensor };

  if (reel_tensor_numel (tensor) == 0)
    return;
  leaf.name = join_names (directory, name);
  reel_tensor_ref (tensor);
  g_array_append_val (plan->files, leaf);
  plan->n_bytes += (gint64) reel_tensor_nbytes (tensor);
}

static void
plan_metadata (Draft *draft, const char *directory, char *text)
{
  const ReelPlannedFile file = { .name = join_names (directory, REEL_MEMMAP_METADATA),
                                 .text = text };

  g_array_append_val (draft->metadata, file);
}

static void
plan_directory (Draft *draft, const char *directory)
{
  g_ptr_array_add (draft->plan->directories, g_strdup (directory));
}

static void plan_tensordict (Draft *draft, const ReelTensordict *td, const char *directory);

static void
plan_entry (Draft *draft, const ReelTensordict *td, const ReelTensordictEntry *entry,
            const char *directory)
{
  g_autofree char *encoded = reel_memmap_encode_key (entry->key);
  g_autofree char *name = join_names (directory, encoded);

  if (entry->tensor)
    plan_leaf (draft->plan, directory, encoded, entry->tensor);
  else if (entry->child)
    plan_tensordict (draft, entry->child, name);
  else
    {
      plan_directory (draft, name);
      plan_metadata (
          draft, name,
          reel_memmap_describe_non_tensor (entry->non_tensor, reel_tensordict_get_device (td)));
    }
}

/* The entries of a record stand in a directory of their own. */
static void
plan_tensordict (Draft *draft, const ReelTensordict *td, const char *directory)
{
  gboolean record = reel_tensordict_get_class_name (td) != NULL;
  g_autofree char *inside =
      record ? join_names (directory, REEL_MEMMAP_RECORD) : g_strdup (directory);
  const ReelTensordictEntry *entry;

  plan_directory (draft, directory);
  if (record)
    plan_directory (draft, inside);
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    plan_entry (draft, td, entry, inside);
  plan_metadata (draft, inside, reel_memmap_describe (td));
  if (record)
    plan_metadata (draft, directory, reel_memmap_describe_record (td));
}

ReelSavePlan *
reel_save_plan_new (const ReelTensordict *td, GError **error)
{
  g_autoptr (GArray) metadata = new_files ();

  if (!reel_memmap_check_keys (td, error))
    return NULL;
  ReelSavePlan *plan = g_new0 (ReelSavePlan, 1);
  plan->directories = g_ptr_array_new_with_free_func (g_free);
  plan->files = new_files ();
  plan_tensordict (&(Draft){ plan, metadata }, td, "");
  plan->n_leaves = plan->files->len;
  g_array_append_vals (plan->files, metadata->data, metadata->len);
  g_array_set_clear_func (metadata, NULL);
  return plan;
}

void
reel_save_plan_free (ReelSavePlan *plan)
{
  if (!plan)
    return;
  g_ptr_array_unref (plan->directories);
  g_array_unref (plan->files);
  g_free (plan);
}

const ReelPlannedFile *
reel_save_plan_file (const ReelSavePlan *plan, guint i)
{
  return &g_array_index (plan->files, ReelPlannedFile, i);
}

gint64
reel_save_plan_threads (const ReelSavePlan *plan)
{
  return 1 + plan->n_bytes / BYTES_WORTH_A_THREAD;
}
