#include "policy-leaves.h"

#include <string.h>

#include "../specs/kinds/non-tensor-spec.h"
#include "../specs/spec-kind.h"

/* ---- keys ---- */

/* Whether a leaf at one of the paths would be the other, or inside it. */
static gboolean
overlaps (const char *a, const char *b)
{
  gsize n = MIN (strlen (a), strlen (b));

  return strncmp (a, b, n) == 0 && (a[n] == '\0' || a[n] == '/') && (b[n] == '\0' || b[n] == '/');
}

/* Results of a step have these names, in groups of agents too. */
static gboolean
is_result (const char *path)
{
  static const char *const results[] = { "reward", "done", "terminated", "truncated", NULL };
  const char *slash = strrchr (path, '/');

  return g_strv_contains (results, slash ? slash + 1 : path);
}

static const char *
find_owner (const char *path, const ReelSpec *const *others, gsize n_others)
{
  if (path[0] == '_' || strstr (path, "/_"))
    return "begins with \"_\", and private keys are not stored";
  if (overlaps (path, "next"))
    return "is below \"next\": declare it as state, under its key at the root";
  if (overlaps (path, "collector"))
    return "belongs to the collector";
  if (is_result (path))
    return "belongs to the environment: it is a result of the step";
  for (gsize i = 0; i < n_others; i++)
    {
      g_auto (GStrv) taken = reel_spec_list_leaves (others[i]);

      for (char **other = taken; *other; other++)
        if (overlaps (path, *other))
          return "is taken: observations, actions, outputs and state each have keys of their own";
    }
  return NULL;
}

static gboolean
has_fixed_rows (const ReelSpec *spec)
{
  if (reel_spec_is_non_tensor (spec))
    return FALSE;
  for (gint i = 0; i < spec->ndim; i++)
    if (spec->shape[i] < 0)
      return FALSE;
  return TRUE;
}

gboolean
reel_policy_check_declared (const ReelSpec *declared, const ReelSpec *const *others, gsize n_others,
                            GError **error)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (declared);

  for (char **path = paths; *path; path++)
    {
      const char *fault = find_owner (*path, others, n_others);

      if (!fault && !has_fixed_rows (reel_spec_get (declared, *path, NULL)))
        fault = "is no tensor of a fixed shape, and columns contain nothing else";
      if (!fault)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE, "the policy cannot write \"%s\": it %s",
                   *path, fault);
      return FALSE;
    }
  return TRUE;
}

/* ---- NaN ---- */

static void
clear_leaf (gpointer data)
{
  g_free (((ReelFloatLeaf *) data)->path);
}

GArray *
reel_float_leaves_new (const ReelSpec *spec, const char *prefix)
{
  g_auto (GStrv) paths = reel_spec_list_leaves (spec);
  GArray *leaves = g_array_new (FALSE, FALSE, sizeof (ReelFloatLeaf));

  g_array_set_clear_func (leaves, clear_leaf);
  for (guint i = 0; paths[i]; i++)
    {
      const ReelSpec *leaf = reel_spec_get (spec, paths[i], NULL);

      if (reel_spec_is_non_tensor (leaf)
          || !(reel_dtype_is_float (leaf->dtype) || reel_dtype_is_complex (leaf->dtype)))
        continue;
      g_array_append_val (leaves, ((ReelFloatLeaf){ .path = g_strdup (paths[i]),
                                                    .prefix = prefix,
                                                    .place = i,
                                                    .dtype = leaf->dtype,
                                                    .row_bytes = reel_spec_row_bytes (leaf) }));
    }
  return leaves;
}

/* The first NaN among @n words of which @infinity is the least that is none once the sign is off;
 * @n where there is none. */
#define DEFINE_FIND(name, type, infinity)                                                          \
  static gsize name (const guint8 *at, gsize n)                                                    \
  {                                                                                                \
    const type sign = (type) ((type) 1 << (8 * sizeof (type) - 1));                                \
    const type *words = (const type *) (gconstpointer) at;                                         \
                                                                                                   \
    for (gsize i = 0; i < n; i++)                                                                  \
      if ((type) (words[i] & (type) ~sign) > (type) (infinity))                                    \
        return i;                                                                                  \
    return n;                                                                                      \
  }

DEFINE_FIND (find_in_halves, guint16, 0x7c00)
DEFINE_FIND (find_in_bfloats, guint16, 0x7f80)
DEFINE_FIND (find_in_floats, guint32, 0x7f800000)
DEFINE_FIND (find_in_doubles, guint64, G_GUINT64_CONSTANT (0x7ff0000000000000))

/* The first byte of a NaN; @n_bytes where there is none. Complex numbers are pairs. */
static gsize
find_nan (ReelDtype dtype, const guint8 *at, gsize n_bytes)
{
  switch (dtype)
    {
    case REEL_DTYPE_FLOAT16:
    case REEL_DTYPE_COMPLEX32: return 2 * find_in_halves (at, n_bytes / 2);
    case REEL_DTYPE_BFLOAT16: return 2 * find_in_bfloats (at, n_bytes / 2);
    case REEL_DTYPE_FLOAT32:
    case REEL_DTYPE_COMPLEX64: return 4 * find_in_floats (at, n_bytes / 4);
    default: return 8 * find_in_doubles (at, n_bytes / 8);
    }
}

gboolean
reel_float_leaves_check (const GArray *leaves, guint8 *const *columns, gint64 begin, gint64 end,
                         GError **error)
{
  for (guint i = 0; i < leaves->len; i++)
    {
      const ReelFloatLeaf *leaf = &g_array_index (leaves, ReelFloatLeaf, i);
      gsize n_bytes = (gsize) (end - begin) * leaf->row_bytes;
      gsize found =
          find_nan (leaf->dtype, columns[leaf->place] + (gsize) begin * leaf->row_bytes, n_bytes);

      if (found == n_bytes)
        continue;
      g_set_error (error, REEL_ERROR, REEL_ERROR_VALUE,
                   "the policy wrote NaN to \"%s%s\" of lane %" G_GINT64_FORMAT, leaf->prefix,
                   leaf->path, begin + (gint64) (found / leaf->row_bytes));
      return FALSE;
    }
  return TRUE;
}
