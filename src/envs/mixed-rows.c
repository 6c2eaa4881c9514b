#include "mixed-rows.h"

#include "../core/tensordict/lazy-stack.h"
#include "../core/tensordict/shape.h"
#include "../core/tensordict/tensordict-keys.h"
#include "../core/tensordict/tensordict-update.h"

/* Whether the rows of @part are a tensordict without batch dimensions. */
static gboolean
is_single (const ReelEnvPart *part)
{
  return part->after - part->first == 1;
}

static GPtrArray *
new_list (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) reel_tensordict_unref);
}

/* ---- from the stack ---- */

static ReelTensordict *
take_part (const ReelEnvPart *part, ReelTensordict *const *elements, GError **error)
{
  gsize n = (gsize) (part->after - part->first);

  elements += part->first;
  return is_single (part) ? reel_tensordict_clone (*elements, FALSE, error)
                          : reel_tensordict_stack (elements, n, 0, error);
}

GPtrArray *
reel_mixed_take (ReelEnv *env, const ReelTensordict *td, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (env);
  g_autoptr (GPtrArray) all = new_list ();
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (td, &n);

  for (guint i = 0; i < priv->n_parts; i++)
    {
      ReelTensordict *rows = take_part (&priv->parts[i], elements, error);

      if (rows == NULL)
        {
          g_prefix_error (error, "environment %u of %u: ", i, priv->n_parts);
          return NULL;
        }
      g_ptr_array_add (all, rows);
    }
  return g_steal_pointer (&all);
}

/* ---- to the stack ---- */

/* The row of lane @i of @part. */
static ReelTensordict *
get_row (const ReelEnvPart *part, ReelTensordict *rows, gint64 i, GError **error)
{
  return is_single (part) ? reel_tensordict_ref (rows)
                          : reel_tensordict_select_index (rows, 0, i, error);
}

/* The rows of all lanes. */
static GPtrArray *
list_rows (ReelEnv *env, const GPtrArray *rows, GError **error)
{
  const ReelEnvPrivate *priv = reel_env_get_private (env);
  g_autoptr (GPtrArray) all = new_list ();

  for (guint p = 0; p < priv->n_parts; p++)
    for (gint64 i = 0; i < priv->parts[p].after - priv->parts[p].first; i++)
      {
        ReelTensordict *row = get_row (&priv->parts[p], rows->pdata[p], i, error);

        if (row == NULL)
          return NULL;
        g_ptr_array_add (all, row);
      }
  return g_steal_pointer (&all);
}

ReelTensordict *
reel_mixed_join (ReelEnv *env, const GPtrArray *rows, GError **error)
{
  g_autoptr (GPtrArray) all = list_rows (env, rows, error);

  return all != NULL
             ? reel_lazy_stack_new ((ReelTensordict *const *) all->pdata, all->len, 0, error)
             : NULL;
}

static gboolean
give_row (ReelTensordict *row, ReelTensordict *element, const char *asked, GError **error)
{
  g_autoptr (ReelTensordict) root =
      reel_tensordict_exclude_keys (row, (const char *const[]){ "next", NULL });

  if (reel_tensordict_contains (row, "next"))
    {
      g_autoptr (ReelTensordict) next = reel_tensordict_ref_tensordict (row, "next", error);

      if (next == NULL || !reel_tensordict_set_tensordict (element, "next", next, error))
        return FALSE;
    }
  if (!reel_tensordict_update (element, root, NULL, FALSE, error))
    return FALSE;
  if (asked != NULL)
    reel_tensordict_remove (element, asked, NULL);
  return TRUE;
}

gboolean
reel_mixed_give (ReelEnv *env, const GPtrArray *rows, ReelTensordict *td, const char *asked,
                 GError **error)
{
  g_autoptr (GPtrArray) all = list_rows (env, rows, error);
  gsize n;
  ReelTensordict *const *elements = reel_lazy_stack_get_elements (td, &n);

  for (gsize i = 0; all != NULL && i < n; i++)
    if (!give_row (all->pdata[i], elements[i], asked, error))
      return FALSE;
  return all != NULL;
}

/* ---- steps of a rollout ---- */

ReelTensordict *
reel_mixed_choose (const ReelTensor *mask, const ReelTensordict *a, const ReelTensordict *b,
                   GError **error)
{
  g_autoptr (GPtrArray) chosen = new_list ();
  gsize n;
  ReelTensordict *const *of_a = reel_lazy_stack_get_elements (a, &n);
  ReelTensordict *const *of_b = reel_lazy_stack_get_elements (b, &n);

  for (gsize i = 0; i < n; i++)
    {
      ReelTensordict *clone =
          reel_tensordict_clone (mask->data[i] ? of_a[i] : of_b[i], FALSE, error);

      if (clone == NULL)
        return NULL;
      g_ptr_array_add (chosen, clone);
    }
  return reel_lazy_stack_new ((ReelTensordict *const *) chosen->pdata, chosen->len, 0, error);
}

/* The element @lane of each step, stacked. */
static ReelTensordict *
stack_lane (ReelTensordict *const *steps, gsize n, gsize lane, gboolean lazy, GError **error)
{
  g_autofree ReelTensordict **own = g_new (ReelTensordict *, n);
  gsize n_lanes;

  for (gsize i = 0; i < n; i++)
    own[i] = reel_lazy_stack_get_elements (steps[i], &n_lanes)[lane];
  return lazy ? reel_lazy_stack_new (own, n, 0, error) : reel_tensordict_stack (own, n, 0, error);
}

ReelTensordict *
reel_mixed_stack_steps (ReelTensordict *const *steps, gsize n, gboolean lazy, GError **error)
{
  g_autoptr (GPtrArray) lanes = new_list ();
  gsize n_lanes;

  reel_lazy_stack_get_elements (*steps, &n_lanes);
  for (gsize lane = 0; lane < n_lanes; lane++)
    {
      ReelTensordict *stacked = stack_lane (steps, n, lane, lazy, error);

      if (stacked == NULL)
        {
          g_prefix_error (error, "lane %" G_GSIZE_FORMAT ": ", lane);
          return NULL;
        }
      g_ptr_array_add (lanes, stacked);
    }
  return reel_lazy_stack_new ((ReelTensordict *const *) lanes->pdata, lanes->len, 0, error);
}
