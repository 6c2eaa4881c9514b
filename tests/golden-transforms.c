#include "golden-transforms.h"

#include <math.h>
#include <string.h>

#include "../src/core/tensor/tensor-private.h"

static json_t *table;
static char *bytes;

static const json_t *
get (const json_t *owner, const char *key)
{
  return json_object_get (owner, key);
}

static const char *
get_text (const json_t *owner, const char *key)
{
  return json_string_value (get (owner, key));
}

static void
load (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "transforms", "golden.bin", NULL);

  if (table)
    return;
  table = golden_load ("transforms/golden.json");
  g_assert_true (g_file_get_contents (path, &bytes, NULL, NULL));
}

const json_t *
golden_env_table (const char *name)
{
  load ();
  return get (get (table, "envs"), name);
}

GArray *
golden_transforms (void)
{
  GArray *cases = g_array_new (FALSE, FALSE, sizeof (GoldenCase));
  const char *id;
  json_t *json;

  load ();
  json_object_foreach (json_object_get (table, "cases"), id, json)
  {
    const char *env = get_text (json, "env");
    g_autofree char *bare = g_strconcat (env, ".bare", NULL);
    const GoldenCase golden = { id, json, get (get (table, "envs"), env),
                                get (get (table, "envs"), bare) };

    g_array_append_val (cases, golden);
  }
  return cases;
}

/* ---- chains ---- */

/* A key is a name or a list of names. */
static void
append_key (GString *text, const json_t *key)
{
  if (json_is_string (key))
    g_string_append (text, json_string_value (key));
  for (gsize i = 0; i < json_array_size (key); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "/" : "",
                            json_string_value (json_array_get (key, i)));
}

static void append_value (GString *text, const char *name, const json_t *value);

static void
append_list (GString *text, const char *name, const json_t *list)
{
  gboolean keys = strstr (name, "keys") != NULL;

  g_string_append_c (text, '[');
  for (gsize i = 0; i < json_array_size (list); i++)
    {
      if (i > 0)
        g_string_append_c (text, ',');
      if (keys)
        append_key (text, json_array_get (list, i));
      else if (json_is_array (json_array_get (list, i)))
        append_value (text, name, json_array_get (json_array_get (list, i), 0));
      else
        append_value (text, name, json_array_get (list, i));
    }
  g_string_append_c (text, ']');
}

static void
append_value (GString *text, const char *name, const json_t *value)
{
  if (json_is_boolean (value))
    g_string_append (text, json_is_true (value) ? "true" : "false");
  else if (json_is_null (value))
    g_string_append (text, "''");
  else if (json_is_integer (value))
    g_string_append_printf (text, "%" JSON_INTEGER_FORMAT, json_integer_value (value));
  else if (json_is_real (value))
    g_string_append_printf (text, "%.17g", json_real_value (value));
  else if (json_is_string (value))
    g_string_append (text, json_string_value (value));
  else if (json_is_array (value) && g_str_has_suffix (name, "_key"))
    append_key (text, value);
  else if (json_is_array (value))
    append_list (text, name, value);
  else if (get (value, "dtype") && !get (value, "tensor"))
    g_string_append (text, get_text (value, "dtype"));
  else if (json_is_array (get (value, "tensor")))
    append_list (text, name, get (value, "tensor"));
  else if (get (value, "tensor"))
    append_value (text, name, get (value, "tensor"));
  else
    g_string_append (text, "unknown");
}

/* The positional arguments of a class are its keys. */
static const char *
name_of (const char *argument)
{
  return g_str_equal (argument, "excluded_keys") || g_str_equal (argument, "selected_keys")
             ? "keys"
             : argument;
}

char *
golden_chain (const GoldenCase *golden, gboolean offline)
{
  const json_t *other = get (golden->json, "offline_chain");
  const json_t *chain = offline && other ? other : get (golden->json, "chain");
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < json_array_size (chain); i++)
    {
      json_t *link = json_array_get (chain, i), *value;
      const char *name, *mark = ":";

      g_string_append_printf (text, "%s%s", i > 0 ? "|" : "", get_text (link, "transform"));
      json_object_foreach (json_object_get (link, "args"), name, value)
      {
        if (json_is_null (value) && !g_str_has_suffix (name, "_key"))
          continue;
        g_string_append_printf (text, "%s%s=", mark, name_of (name));
        append_value (text, name, value);
        mark = ",";
      }
    }
  return g_string_free (text, FALSE);
}

static gboolean
is_listed (const char *class_name)
{
  gsize n;
  g_autofree const ReelId **ids = reel_object_list_ids (REEL_TYPE_TRANSFORM, &n);

  for (gsize i = 0; i < n; i++)
    if (g_str_equal (ids[i]->id, class_name))
      return TRUE;
  return FALSE;
}

gboolean
golden_is_supported (const GoldenCase *golden)
{
  static const char *const keys[] = { "chain", "offline_chain" };

  for (gsize k = 0; k < G_N_ELEMENTS (keys); k++)
    {
      const json_t *chain = json_object_get (golden->json, keys[k]);

      for (gsize i = 0; i < json_array_size (chain); i++)
        if (!is_listed (
                json_string_value (json_object_get (json_array_get (chain, i), "transform"))))
          return FALSE;
    }
  return TRUE;
}

/* ---- data ---- */

static gint
read_shape (const json_t *extents, gint64 *shape)
{
  gsize n = json_array_size (extents);

  for (gsize i = 0; i < n; i++)
    shape[i] = json_integer_value (json_array_get (extents, i));
  return (gint) n;
}

static ReelDtype
read_dtype (const json_t *leaf)
{
  ReelDtype dtype;

  g_assert_true (reel_dtype_from_name (get_text (leaf, "dtype"), &dtype, NULL));
  return dtype;
}

static ReelTensor *
read_leaf (const json_t *leaf)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = read_shape (get (leaf, "shape"), shape);
  ReelTensor *tensor = reel_tensor_new (read_dtype (leaf), ndim, shape, NULL);

  memcpy (tensor->data, bytes + json_integer_value (get (leaf, "at")), reel_tensor_nbytes (tensor));
  return tensor;
}

const json_t *
golden_section (const json_t *owner, const char *name)
{
  return get (get (owner, "sections"), name);
}

ReelTensordict *
golden_section_data (const json_t *section)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = read_shape (get (section, "batch_size"), shape);
  ReelTensordict *td = reel_tensordict_new (ndim, shape);
  const json_t *names = get (section, "names");
  const char *words[REEL_MAX_NDIM], *path;
  json_t *leaf;

  json_object_foreach (json_object_get (section, "leaves"), path, leaf)
  {
    g_autoptr (ReelTensor) tensor = read_leaf (leaf);
    g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
  }
  for (gsize i = 0; i < json_array_size (names); i++)
    words[i] = json_string_value (json_array_get (names, i));
  if (json_is_array (names))
    g_assert_true (reel_tensordict_set_names (td, words, NULL));
  return td;
}

/* ---- specs ---- */

static ReelSpec *
make_leaf_spec (const json_t *batch, const json_t *leaf)
{
  const char *kind = get_text (leaf, "spec");
  double low = golden_double (get (leaf, "low")), high = golden_double (get (leaf, "high"));
  gint64 n = json_integer_value (get (leaf, "n")), shape[REEL_MAX_NDIM];
  gint ndim = read_shape (batch, shape);
  ReelDtype dtype = read_dtype (leaf);

  ndim += read_shape (get (leaf, "shape"), shape + ndim);
  if (g_strcmp0 (kind, "bounded") == 0)
    return reel_bounded_spec_new (dtype, ndim, shape, &low, 1, &high, 1, NULL);
  if (g_strcmp0 (kind, "categorical") == 0)
    return reel_categorical_spec_new (n, dtype, ndim, shape, NULL);
  if (g_strcmp0 (kind, "one-hot") == 0)
    return reel_one_hot_spec_new (n, dtype, ndim, shape, NULL);
  if (g_strcmp0 (kind, "binary") == 0)
    return reel_binary_spec_new (dtype, ndim, shape, NULL);
  return reel_unbounded_spec_new (dtype, ndim, shape, NULL);
}

static ReelSpec *
new_composite (const json_t *batch)
{
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = read_shape (batch, shape);

  return reel_composite_spec_new (ndim, shape, NULL, NULL, 0, NULL);
}

/* A group of agents has the batch of the env. */
static void
put (const json_t *batch, ReelSpec **spec, const char *path, ReelSpec *leaf)
{
  const char *slash = strchr (path, '/');
  g_autofree char *group = slash ? g_strndup (path, slash - path) : NULL;
  ReelSpec *changed;

  if (group && !reel_spec_contains (*spec, group))
    {
      g_autoptr (ReelSpec) empty = new_composite (batch);

      changed = reel_spec_set (*spec, group, empty, NULL);
      reel_spec_unref (*spec);
      *spec = changed;
    }
  changed = reel_spec_set (*spec, path, leaf, NULL);
  g_assert_nonnull (changed);
  reel_spec_unref (*spec);
  *spec = changed;
}

static ReelSpec *
make_part (const json_t *env, const json_t *batch, const char *part)
{
  ReelSpec *spec = new_composite (batch);
  const char *path;
  json_t *leaf;

  json_object_foreach (json_object_get (env, part), path, leaf)
  {
    g_autoptr (ReelSpec) made = make_leaf_spec (batch, leaf);
    put (batch, &spec, path, made);
  }
  return spec;
}

static ReelSpec *
make_done (const json_t *env, const json_t *batch)
{
  static const char *const flags[] = { "done", "terminated", "truncated" };
  const json_t *groups = get (env, "done_groups");
  gsize n = json_is_false (get (env, "has_truncated")) ? 2 : 3;
  ReelSpec *spec = new_composite (batch);
  gint64 shape[REEL_MAX_NDIM];
  gint ndim = read_shape (batch, shape);

  shape[ndim++] = 1;
  for (gsize g = 0; g < json_array_size (groups); g++)
    for (gsize i = 0; i < n; i++)
      {
        const char *group = json_string_value (json_array_get (groups, g));
        g_autofree char *path = g_strconcat (group, *group ? "/" : "", flags[i], NULL);
        g_autoptr (ReelSpec) flag =
            reel_categorical_spec_new (2, REEL_DTYPE_BOOL, ndim, shape, NULL);

        put (batch, &spec, path, flag);
      }
  return spec;
}

/* An echo shows the action among the observations. */
static ReelSpec *
make_observation (const json_t *env, const json_t *batch)
{
  ReelSpec *spec = make_part (env, batch, "observation");
  const char *path;
  json_t *action;

  json_object_foreach (json_object_get (env, "echo"), path, action)
  {
    gint64 shape[REEL_MAX_NDIM];
    gint ndim = read_shape (batch, shape);
    const json_t *leaf = get (get (env, "action"), json_string_value (action));
    g_autoptr (ReelSpec) echo = NULL;

    ndim += read_shape (get (leaf, "shape"), shape + ndim);
    echo = reel_unbounded_spec_new (read_dtype (leaf), ndim, shape, NULL);
    put (batch, &spec, path, echo);
  }
  return spec;
}

ReelSpec *
golden_env_spec (const GoldenCase *golden)
{
  const json_t *batch = get (golden->env, "batch_size");
  g_autoptr (ReelSpec) observation = make_observation (golden->env, batch);
  g_autoptr (ReelSpec) action = make_part (golden->env, batch, "action");
  g_autoptr (ReelSpec) reward = make_part (golden->env, batch, "reward");
  g_autoptr (ReelSpec) done = make_done (golden->env, batch);
  g_autoptr (ReelSpec) spec = reel_env_spec_new (observation, action, reward, done, NULL);

  return reel_spec_set_device (spec, "cpu", NULL);
}

ReelSpec *
golden_lane_observation (const json_t *env)
{
  return make_observation (env, NULL);
}

ReelSpec *
golden_lane_action (const json_t *env)
{
  return make_part (env, NULL, "action");
}

ReelSpec *
golden_lane_reward (const json_t *env)
{
  return make_part (env, NULL, "reward");
}

ReelSpec *
golden_lane_done (const json_t *env)
{
  return make_done (env, NULL);
}

const guint8 *
golden_array (const json_t *owner, const char *name)
{
  const json_t *leaf = get (get (owner, "arrays"), name);

  return leaf ? (const guint8 *) bytes + json_integer_value (get (leaf, "at")) : NULL;
}

/* ---- comparison ---- */

static void
assert_near (const char *what, const ReelTensor *ours, const ReelTensor *theirs, double bound)
{
  gsize size = reel_dtype_size (ours->dtype);

  for (gint64 i = 0; i < reel_tensor_numel (ours); i++)
    {
      double a = reel_dtype_load_double (ours->dtype, ours->data + (gsize) i * size);
      double b = reel_dtype_load_double (theirs->dtype, theirs->data + (gsize) i * size);

      if (a != b && !(isnan (a) && isnan (b)) && !(fabs (a - b) <= bound * MAX (1, fabs (b))))
        g_error ("%s: element %" G_GINT64_FORMAT " is %.9g, not %.9g", what, i, a, b);
    }
}

void
golden_assert_same (const char *what, const ReelTensordict *ours, const ReelTensordict *theirs,
                    double bound)
{
  g_auto (GStrv) mine = reel_tensordict_list_leaves (ours);
  g_auto (GStrv) others = reel_tensordict_list_leaves (theirs);
  gint ndim, n;
  const gint64 *a = reel_tensordict_get_batch_size (ours, &ndim);
  const gint64 *b = reel_tensordict_get_batch_size (theirs, &n);
  g_autofree char *size = reel_shape_to_string (ndim, a), *wanted = reel_shape_to_string (n, b);

  g_assert_cmpstr (size, ==, wanted);
  for (char **path = mine; *path; path++)
    if (!g_strv_contains ((const char *const *) others, *path))
      g_error ("%s: TorchRL has no %s", what, *path);
  for (char **path = others; *path; path++)
    {
      g_autoptr (ReelTensor) leaf = reel_tensordict_ref_tensor (ours, *path, NULL);
      g_autoptr (ReelTensor) plain = leaf ? reel_tensor_in_order (leaf, NULL) : NULL;
      const ReelTensor *golden = reel_tensordict_get_tensor (theirs, *path, NULL);
      g_autofree char *name = g_strdup_printf ("%s of %s", *path, what);

      if (!plain)
        g_error ("%s is missing", name);
      g_autofree char *form = reel_shape_to_string (plain->ndim, plain->shape);
      g_autofree char *other = reel_shape_to_string (golden->ndim, golden->shape);
      if (plain->dtype != golden->dtype || !g_str_equal (form, other))
        g_error ("%s is %s %s, not %s %s", name, reel_dtype_name (plain->dtype), form,
                 reel_dtype_name (golden->dtype), other);
      assert_near (name, plain, golden, bound);
    }
}

/* ---- errors ---- */

gint
golden_error (const json_t *json)
{
  static const struct
  {
    const char *type;
    ReelError code;
  } codes[] = {
    { "ValueError", REEL_ERROR_VALUE },     { "KeyError", REEL_ERROR_KEY },
    { "RuntimeError", REEL_ERROR_RUNTIME }, { "TypeError", REEL_ERROR_TYPE },
    { "IndexError", REEL_ERROR_INDEX },     { "NotImplementedError", REEL_ERROR_NOT_IMPLEMENTED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (g_str_equal (codes[i].type, get_text (json, "type")))
      return (gint) codes[i].code;
  return -1;
}
