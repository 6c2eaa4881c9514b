/* Lists the directories, files and stale files of a save, before anything on disk is touched. */
#include "save-plan.h"

#include "file-tree.h"
#include "memmap-format.h"
#include "../tensordict/ragged.h"
#include "../tensordict/tree-private.h"

#include <string.h>

/* Starting a thread takes as long as copying a small part of this. */
#define BYTES_WORTH_A_THREAD ((gint64) 4 << 20)

/* Metadata are kept apart until all leaves are planned. */
typedef struct
{
  ReelSavePlan *plan;
  GArray *metadata;
  const ReelLeafStreams *streams;
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
plan_leaf (Draft *draft, const char *directory, const char *encoded, const char *suffix,
           ReelTensor *tensor)
{
  g_autofree char *name = g_strconcat (encoded, suffix, NULL);
  const ReelPlannedFile leaf = { .name = join_names (directory, name),
                                 .tensor = reel_tensor_ref (tensor) };

  g_array_append_val (draft->plan->files, leaf);
  draft->plan->n_bytes += (gint64) reel_tensor_nbytes (tensor);
}

static void
plan_stream (Draft *draft, const char *directory, const char *encoded, const char *suffix,
             const ReelTensor *tensor)
{
  gboolean sizes = g_str_equal (suffix, REEL_MEMMAP_SIZES_SUFFIX);
  g_autofree char *name = g_strconcat (encoded, suffix, NULL);
  const ReelPlannedFile leaf = { .name = join_names (directory, name),
                                 .stream =
                                     draft->streams->get (draft->streams->data, tensor, sizes) };

  g_array_append_val (draft->plan->files, leaf);
  draft->plan->n_bytes += leaf.stream->n_rows * (gint64) leaf.stream->row_bytes;
}

static void
plan_tensor (Draft *draft, const char *directory, const char *encoded, ReelTensor *tensor)
{
  gboolean ragged = draft->streams && draft->streams->ragged;

  if (ragged)
    plan_stream (draft, directory, encoded, REEL_MEMMAP_SIZES_SUFFIX, tensor);
  else if (reel_tensor_numel (tensor) == 0)
    return;
  if (draft->streams)
    plan_stream (draft, directory, encoded, REEL_MEMMAP_SUFFIX, tensor);
  else
    plan_leaf (draft, directory, encoded, REEL_MEMMAP_SUFFIX, tensor);
}

/* TorchRL takes a ragged tensor without elements for missing unless both files are there. */
static gboolean
plan_ragged (Draft *draft, const ReelTensordict *td, const char *directory, const char *encoded,
             GError **error)
{
  g_autoptr (ReelTensor) sizes = reel_ragged_dup_sizes (td);
  g_autoptr (ReelTensor) values = reel_ragged_dup_values (td, error);

  if (!values)
    return FALSE;
  plan_leaf (draft, directory, encoded, REEL_MEMMAP_SIZES_SUFFIX, sizes);
  plan_leaf (draft, directory, encoded, REEL_MEMMAP_SUFFIX, values);
  return TRUE;
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

/* Files of an earlier save would be read with those of this one. */
static void
plan_removal (Draft *draft, const char *directory, const char *name)
{
  g_ptr_array_add (draft->plan->stale, join_names (directory, name));
}

static gboolean plan_tensordict (Draft *draft, const ReelTensordict *td, const char *directory,
                                 GError **error);

static void
plan_non_tensor (Draft *draft, const ReelTensordict *td, const ReelNonTensor *non_tensor,
                 const char *directory)
{
  const char *device = reel_tensordict_get_device (td);

  plan_directory (draft, directory);
  plan_metadata (draft, directory, reel_memmap_describe_non_tensor (non_tensor, device));
  plan_removal (draft, directory, REEL_MEMMAP_PICKLED_DATA);
  plan_removal (draft, directory, REEL_MEMMAP_PICKLED_LIST);
}

static gboolean
plan_entry (Draft *draft, const ReelTensordict *td, const ReelTensordictEntry *entry,
            const char *directory, GError **error)
{
  g_autofree char *encoded = reel_memmap_encode_key (entry->key);
  g_autofree char *name = join_names (directory, encoded);

  if (entry->child)
    return reel_ragged_is (entry->child)
               ? plan_ragged (draft, entry->child, directory, encoded, error)
               : plan_tensordict (draft, entry->child, name, error);
  if (entry->non_tensor)
    plan_non_tensor (draft, td, entry->non_tensor, name);
  else
    plan_tensor (draft, directory, encoded, entry->tensor);
  return TRUE;
}

/* As many elements are read as there are directories numbered without a gap. */
static gboolean
plan_stack (Draft *draft, const ReelTensordict *td, const char *directory, GError **error)
{
  guint n = td->elements->len;
  g_autofree char *end = g_strdup_printf ("%u", n);

  plan_directory (draft, directory);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *number = g_strdup_printf ("%u", i);
      g_autofree char *name = join_names (directory, number);
      if (!plan_tensordict (draft, td->elements->pdata[i], name, error))
        return FALSE;
    }
  plan_metadata (draft, directory, reel_memmap_describe_stack (td));
  plan_removal (draft, directory, end);
  return TRUE;
}

/* The entries of a record stand in a directory of their own. */
static gboolean
plan_tensordict (Draft *draft, const ReelTensordict *td, const char *directory, GError **error)
{
  gboolean record = reel_tensordict_get_class_name (td) != NULL;
  g_autofree char *inside =
      record ? join_names (directory, REEL_MEMMAP_RECORD) : g_strdup (directory);
  const ReelTensordictEntry *entry;

  if (td->elements)
    return plan_stack (draft, td, directory, error);
  plan_directory (draft, directory);
  if (record)
    plan_directory (draft, inside);
  for (guint i = 0; (entry = reel_tensordict_get_entry (td, i)); i++)
    if (!plan_entry (draft, td, entry, inside, error))
      return FALSE;
  plan_metadata (draft, inside,
                 reel_memmap_describe (td, draft->streams && draft->streams->ragged));
  if (!record)
    return TRUE;
  plan_metadata (draft, directory, reel_memmap_describe_record (td));
  plan_removal (draft, directory, REEL_MEMMAP_PICKLED_DATA);
  return TRUE;
}

/* ---- trees ---- */

/* TorchRL joins keys with dots, and takes a component of digits for a number when it reads them. */
static gboolean
check_tree_entry (const ReelTensordictEntry *entry, const char *name, GError **error)
{
  gboolean digits = *entry->key && strspn (entry->key, "0123456789") == strlen (entry->key);
  const char *fault = NULL;

  if (!reel_tree_key_is_name (entry->key) || strchr (entry->key, '.')
      || !g_utf8_validate (entry->key, -1, NULL))
    fault = "it cannot be the name of a file without a dot";
  else if (digits && !entry->is_number)
    fault = "TorchRL would read it as a number";
  if (fault)
    {
      g_autofree char *shown = g_utf8_make_valid (name, -1);
      g_set_error (error, REEL_ERROR, REEL_ERROR_KEY,
                   "the key \"%s\" of a tree cannot be stored: %s; rename it", shown, fault);
    }
  else if (entry->non_tensor || (entry->child && !reel_tensordict_is_tree (entry->child)))
    g_set_error (error, REEL_ERROR, REEL_ERROR_TYPE,
                 "\"%s\" cannot be stored: files of a tree hold lists, tuples, plain dicts and "
                 "tensors alone",
                 name);
  else
    return TRUE;
  return FALSE;
}

static gboolean
plan_tree (Draft *draft, const ReelTensordict *tree, const char *directory, guint depth,
           json_t *listed, GError **error)
{
  const ReelTensordictEntry *entry;

  if (depth > REEL_FILE_TREE_DEPTH)
    {
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "trees nested more than %d levels deep cannot be stored", REEL_FILE_TREE_DEPTH);
      return FALSE;
    }
  plan_directory (draft, directory);
  for (guint i = 0; (entry = reel_tensordict_get_entry (tree, i)); i++)
    {
      g_autofree char *name = join_names (directory, entry->key);
      if (!check_tree_entry (entry, name, error)
          || (entry->child && !plan_tree (draft, entry->child, name, depth + 1, listed, error)))
        return FALSE;
      if (entry->child)
        continue;
      g_autofree char *dotted = g_strdelimit (g_strdup (name), "/", '.');
      plan_leaf (draft, directory, entry->key, REEL_MEMMAP_SUFFIX, entry->tensor);
      json_object_set_new (listed, dotted, reel_memmap_describe_tree_leaf (entry->tensor));
    }
  return TRUE;
}

/* ---- whole plans ---- */

static ReelSavePlan *
new_plan (void)
{
  ReelSavePlan *plan = g_new0 (ReelSavePlan, 1);

  plan->directories = g_ptr_array_new_with_free_func (g_free);
  plan->stale = g_ptr_array_new_with_free_func (g_free);
  plan->files = new_files ();
  return plan;
}

ReelSavePlan *
reel_save_plan_new_tree (const ReelTensordict *tree, gint64 length, GError **error)
{
  g_autoptr (ReelSavePlan) plan = new_plan ();
  g_autoptr (json_t) listed = json_object ();
  Draft draft = { plan, plan->files, NULL };

  if (!plan_tree (&draft, tree, "", 0, listed, error))
    return NULL;
  plan->n_leaves = plan->files->len;
  g_autoptr (json_t) root =
      json_pack ("{s:O, s:b, s:I}", "metadata", listed, "is_pytree", 1, "len", (json_int_t) length);
  const ReelPlannedFile metadata = { .name = g_strdup (REEL_TREE_METADATA),
                                     .text = reel_json_to_string (root, REEL_JSON_COMPACT) };
  g_array_append_val (plan->files, metadata);
  plan_removal (&draft, "", REEL_MEMMAP_METADATA);
  return g_steal_pointer (&plan);
}

ReelSavePlan *
reel_save_plan_new (const ReelTensordict *td, const ReelLeafStreams *streams, GError **error)
{
  g_autoptr (GArray) metadata = new_files ();
  g_autoptr (ReelSavePlan) plan = NULL;

  if (!reel_memmap_check_keys (td, streams && streams->ragged, error))
    return NULL;
  plan = new_plan ();
  if (!plan_tensordict (&(Draft){ plan, metadata, streams }, td, "", error))
    return NULL;
  plan->n_leaves = plan->files->len;
  /* Metadata last: where a first save is cut off, nothing describes leaves that are missing. */
  g_array_append_vals (plan->files, metadata->data, metadata->len);
  g_array_set_clear_func (metadata, NULL);
  return g_steal_pointer (&plan);
}

void
reel_save_plan_free (ReelSavePlan *plan)
{
  if (!plan)
    return;
  g_ptr_array_unref (plan->directories);
  g_ptr_array_unref (plan->stale);
  g_array_unref (plan->files);
  g_free (plan);
}

const ReelPlannedFile *
reel_save_plan_file (const ReelSavePlan *plan, guint i)
{
  return &g_array_index (plan->files, ReelPlannedFile, i);
}

const char *
reel_save_plan_find (const ReelSavePlan *plan, const ReelTensor *leaf)
{
  for (guint i = 0; i < plan->n_leaves; i++)
    if (reel_save_plan_file (plan, i)->tensor == leaf)
      return reel_save_plan_file (plan, i)->name;
  return NULL;
}

gint64
reel_save_plan_threads (const ReelSavePlan *plan)
{
  return 1 + plan->n_bytes / BYTES_WORTH_A_THREAD;
}
