/* Stacks of frames, against the real library and against one walk back a window. */
#include "golden-tensor.h"
#include "make-transform.h"

#include <string.h>

/* ---- the real library ---- */

static char *
join_keys (const json_t *keys)
{
  GString *text = g_string_new ("[");
  const json_t *key;
  gsize i;

  json_array_foreach (keys, i, key)
  {
    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", json_string_value (key));
  }
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

static void
assert_same (const ReelTensordict *found, const ReelTensordict *expected)
{
  g_auto (GStrv) leaves = reel_tensordict_list_leaves (expected), there = NULL;

  there = reel_tensordict_list_leaves (found);
  g_assert_cmpint (g_strv_length (there), ==, g_strv_length (leaves));
  for (gint k = 0; leaves[k]; k++)
    g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (found, leaves[k], NULL),
                                      reel_tensordict_get_tensor (expected, leaves[k], NULL)));
}

/* T12.4-3 is among them. Windows of one frame of a pair fail there, and are the frames here. */
static void
test_golden (void)
{
  g_autoptr (json_t) file = golden_load ("cat-frames.json");
  const json_t *json;
  gsize i;
  gint n_failed = 0;

  json_array_foreach (json_object_get (file, "cases"), i, json)
  {
    gboolean future = json_is_true (json_object_get (json, "future"));
    g_autofree char *keys = join_keys (json_object_get (json, "in_keys"));
    g_autofree char *text = g_strdup_printf (
        "cat-frames:dim=-1,mask-key=m,in-keys=%s,n=%d,padding=%s,padding-value=%g,future=%s", keys,
        (gint) json_integer_value (json_object_get (json, "N")),
        json_string_value (json_object_get (json, "padding")),
        json_number_value (json_object_get (json, "padding_value")), future ? "true" : "false");
    g_autoptr (ReelTransform) transform = make_transform (text);
    g_autoptr (ReelTensordict) in = golden_tensordict (json_object_get (json, "input"));
    g_autoptr (ReelTensordict) result = forward (transform, in), expected = NULL;

    if (json_object_get (json, "output"))
      {
        expected = golden_tensordict (json_object_get (json, "output"));
        assert_same (result, expected);
      }
    else
      {
        expected = golden_tensordict (json_object_get (json, "input"));
        g_assert_true (reel_tensordict_remove (result, "m", NULL));
        assert_same (result, expected);
        n_failed++;
      }
  }
  g_assert_cmpint (i, ==, 48);
  g_assert_cmpint (n_failed, ==, 6);
}

/* ---- every small case ---- */

typedef struct
{
  gint64 lanes;
  gint64 steps;
  gint64 n;
  gboolean time_first;
  gboolean future;
  gboolean same;
  guint done; /* bit step × lanes + lane */
} Case;

#define OFFSET 1000
#define VALUE -7

/* Frames [2, 3], so that parts of two frames alternate along dimension −1. */
static ReelTensordict *
new_case (const Case *c)
{
  const gint64 size[2] = { c->time_first ? c->steps : c->lanes,
                           c->time_first ? c->lanes : c->steps };
  const gint64 shape[4] = { size[0], size[1], 2, 3 }, one[3] = { size[0], size[1], 1 };
  const char *const names[] = { c->time_first ? "time" : NULL, NULL };
  ReelTensordict *td = reel_tensordict_new (2, size);
  g_autoptr (ReelTensor) o = reel_tensor_new (REEL_DTYPE_INT32, 4, shape, NULL);
  g_autoptr (ReelTensor) next = reel_tensor_new (REEL_DTYPE_INT32, 4, shape, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 3, one, NULL);

  g_assert_true (reel_tensordict_set_names (td, names, NULL));
  for (gint64 t = 0; t < c->steps; t++)
    for (gint64 l = 0; l < c->lanes; l++)
      {
        gint64 at = c->time_first ? t * c->lanes + l : l * c->steps + t;

        for (gint64 k = 0; k < 6; k++)
          {
            ((gint32 *) o->data)[at * 6 + k] = (gint32) (100 * t + 10 * l + k);
            ((gint32 *) next->data)[at * 6 + k] = (gint32) (OFFSET + 100 * t + 10 * l + k);
          }
        done->data[at] = c->done >> (t * c->lanes + l) & 1;
      }
  g_assert_true (reel_tensordict_set_tensor (td, "o", o, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "next/o", next, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "next/done", done, NULL));
  return td;
}

static gboolean
ends (const Case *c, gint64 t, gint64 lane)
{
  return c->done >> (t * c->lanes + lane) & 1;
}

/* The frame @back steps before @t, walked to step by step. The frame before the first is that one
 * or the value. */
static gint64
look_back (const Case *c, gint64 t, gint64 lane, gint64 back, gint64 k, gboolean *missing)
{
  *missing = FALSE;
  for (; back > 0; back--, t--)
    if (t == 0 || ends (c, t - 1, lane))
      {
        *missing = TRUE;
        break;
      }
  return *missing && !c->same ? VALUE : 100 * t + 10 * lane + k;
}

static gint64
look_ahead (const Case *c, gint64 t, gint64 lane, gint64 ahead, gint64 k, gboolean *missing)
{
  *missing = FALSE;
  for (; ahead > 0; ahead--, t++)
    if (t == c->steps - 1 || ends (c, t, lane))
      {
        *missing = TRUE;
        break;
      }
  return *missing && !c->same ? VALUE : 100 * t + 10 * lane + k;
}

/* The window after step @t: the frames that `next` tells of, and before them the first of the
 * trajectory. */
static gint64
look_back_from_next (const Case *c, gint64 t, gint64 lane, gint64 back, gint64 k)
{
  for (; back > 0; back--, t--)
    if (t == 0 || ends (c, t - 1, lane))
      return back > 1 && !c->same ? VALUE : 100 * t + 10 * lane + k;
  return OFFSET + 100 * t + 10 * lane + k;
}

static void
check_case (const Case *c)
{
  g_autofree char *text =
      g_strdup_printf ("cat-frames:dim=-1,mask-key=m,in-keys=[%s],n=%d,padding=%s,padding-value=%d,"
                       "future=%s",
                       c->future ? "o" : "next/o,o", (gint) c->n, c->same ? "same" : "constant",
                       VALUE, c->future ? "true" : "false");
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) td = new_case (c), result = forward (transform, td);
  const gint32 *o = (const gint32 *) reel_tensordict_get_tensor (result, "o", NULL)->data;
  const gint32 *next = (const gint32 *) reel_tensordict_get_tensor (result, "next/o", NULL)->data;
  const guint8 *mask = reel_tensordict_get_tensor (result, "m", NULL)->data;

  for (gint64 t = 0; t < c->steps; t++)
    for (gint64 l = 0; l < c->lanes; l++)
      for (gint64 j = 0; j < c->n; j++)
        for (gint64 k = 0; k < 6; k++)
          {
            gint64 row = c->time_first ? t * c->lanes + l : l * c->steps + t;
            gint64 at = ((row * 2 + k / 3) * c->n + j) * 3 + k % 3;
            gboolean missing;
            gint64 expected = c->future ? look_ahead (c, t, l, j, k, &missing)
                                        : look_back (c, t, l, c->n - 1 - j, k, &missing);

            g_assert_cmpint (o[at], ==, expected);
            g_assert_cmpint (mask[row * c->n + j], ==, missing);
            if (!c->future)
              g_assert_cmpint (next[at], ==, look_back_from_next (c, t, l, c->n - 1 - j, k));
          }
}

/* Every placement of flags over up to 6 steps, over two lanes up to 3. */
static void
test_every_small_case (void)
{
  gint n_cases = 0;

  for (Case c = { .lanes = 1 }; c.lanes <= 2; c.lanes++)
    for (c.steps = 1; c.steps <= (c.lanes == 1 ? 6 : 3); c.steps++)
      for (c.n = 1; c.n <= 7; c.n++)
        for (gint how = 0; how < 8; how++)
          for (c.done = 0; c.done < 1u << (c.steps * c.lanes); c.done++, n_cases++)
            {
              c.time_first = how & 1;
              c.future = how >> 1 & 1;
              c.same = how >> 2 & 1;
              check_case (&c);
            }
  g_test_message ("%d cases", n_cases);
  g_assert_cmpint (n_cases, ==, 7 * 8 * (126 + 84));
}

/* T12.4-2: more frames than there are. */
static void
test_windows_longer_than_the_data (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("cat-frames:dim=-1,n=6,in-keys=o");
  const gint64 size[1] = { 3 }, shape[2] = { 3, 1 };
  const float expected[6] = { 0, 0, 0, 0, 1, 2 };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, size), result = NULL;
  const ReelTensor *o;

  set_leaf (td, "o", REEL_DTYPE_FLOAT32, 2, shape);
  set_leaf (td, "next/done", REEL_DTYPE_BOOL, 2, shape);
  result = forward (transform, td);
  o = reel_tensordict_get_tensor (result, "o", NULL);
  for (gint i = 0; i < 6; i++)
    {
      g_assert_cmpfloat (((float *) o->data)[i], ==, 0);
      g_assert_cmpfloat (((float *) o->data)[12 + i], ==, expected[i]);
    }
}

/* T12.4-4: joined along any dimension of a frame. */
static void
test_dimensions (void)
{
  const gint64 size[1] = { 8 }, shape[4] = { 8, 2, 3, 4 }, one[2] = { 8, 1 };
  const gint turn[4] = { 0, 3, 1, 2 }, back[4] = { 0, 2, 3, 1 };

  g_autoptr (ReelTransform) last = make_transform ("cat-frames:dim=-1,n=3,in-keys=o");
  g_autoptr (ReelTransform) first = make_transform ("cat-frames:dim=-3,n=3,in-keys=o");
  g_autoptr (ReelTensordict) a = reel_tensordict_new (1, size), b = NULL;
  g_autoptr (ReelTensordict) joined_a = NULL, joined_b = NULL;
  g_autoptr (ReelTensor) turned = NULL, again = NULL;

  set_leaf (a, "o", REEL_DTYPE_INT64, 4, shape);
  set_leaf (a, "next/done", REEL_DTYPE_BOOL, 2, one);
  b = reel_tensordict_clone (a, FALSE, NULL);
  turned = reel_tensor_permute (reel_tensordict_get_tensor (a, "o", NULL), turn, NULL);
  g_assert_true (reel_tensordict_set_tensor (b, "o", turned, NULL));
  joined_a = forward (last, a);
  joined_b = forward (first, b);
  again = reel_tensor_permute (reel_tensordict_get_tensor (joined_b, "o", NULL), back, NULL);
  g_assert_true (reel_tensor_equal (reel_tensordict_get_tensor (joined_a, "o", NULL), again));
}

/* ---- arguments ---- */

static void
assert_fails (const char *text, gint code, const char *message)
{
  g_autoptr (ReelTransform) transform = make_transform (text);
  g_autoptr (ReelTensordict) td = make_steps ();
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_transform_forward (transform, td, &error));
  g_assert_error (error, REEL_ERROR, code);
  g_assert_nonnull (strstr (error->message, message));
}

static void
test_refusals (void)
{
  g_autoptr (ReelTransform) transform = make_transform ("cat-frames:n=2,dim=-1,in-keys=o");
  g_autoptr (ReelTransform) late =
      make_transform ("cat-frames:n=2,dim=-1,in-keys=a,as-inverse=true");
  g_autoptr (ReelTensordict) single = reel_tensordict_new (0, NULL);
  g_autoptr (ReelSpec) spec = make_env_spec ();
  g_autoptr (GError) error = NULL;

  refuse_transform ("cat-frames", REEL_ERROR_VALUE,
                    "cat-frames needs to know how many: cat-frames:n=4,dim=-3");
  refuse_transform ("cat-frames:n=2,dim=0", REEL_ERROR_VALUE,
                    "dim must be < 0 to accommodate for tensordict of different batch-sizes (since "
                    "negative dims are batch invariant).");
  refuse_transform ("cat-frames:n=2,future=true,keep-last=true", REEL_ERROR_VALUE,
                    "keep-last is for reading, and for frames of the past: the last of a slice has "
                    "no frames after it");
  assert_fails ("cat-frames:n=2,dim=-1,in-keys=none", REEL_ERROR_KEY, "none");
  assert_fails ("cat-frames:n=2,dim=-2,in-keys=a", REEL_ERROR_VALUE, "dimension -2 of \"a\"");
  assert_fails ("cat-frames:n=2,dim=-1,in-keys=a,done-key=end", REEL_ERROR_KEY, "next/end");
  assert_fails ("cat-frames:n=2,dim=-1,in-keys=a,done-key=reward", REEL_ERROR_TYPE, "float32");
  assert_fails ("cat-frames:n=2,dim=-1,in-keys=a,done-key=observation", REEL_ERROR_TYPE, "bool");
  assert_fails ("cat-frames:n=2,dim=-1,in-keys=[observation,next/observation],future=true",
                REEL_ERROR_NOT_IMPLEMENTED, "next/observation");
  assert_fails ("cat-frames:n=2,dim=-1,in-keys=a,keep-last=true", REEL_ERROR_VALUE, "[4, 8]");
  /* T12.4-7 */
  g_assert_null (reel_transform_forward (transform, single, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_VALUE);
  g_assert_nonnull (strstr (error->message, "CatFrames cannot process unbatched tensordict"));
  g_clear_error (&error);
  g_assert_null (reel_transform_env_spec (late, spec, &error));
  g_assert_nonnull (strstr (error->message, "CatFrames as inverse is not supported"));
}

/* Ids end trajectories as flags do. On write, where that is asked for, reads change nothing. */
static void
test_ids_and_writes (void)
{
  const gint64 size[1] = { 6 }, one[2] = { 6, 1 };
  const gint32 expected[12] = { 0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5 };
  g_autoptr (ReelTransform) transform =
      make_transform ("cat-frames:n=2,dim=-1,in-keys=o,as-inverse=true,trajectory-key=t");
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, size), written = NULL, read = NULL;
  g_autoptr (ReelTensor) ids = reel_tensor_new (REEL_DTYPE_INT64, 1, size, NULL);
  g_autoptr (ReelTensor) never = reel_tensor_new (REEL_DTYPE_BOOL, 1, size, NULL);

  for (gint64 i = 0; i < 6; i++)
    ((gint64 *) ids->data)[i] = i / 2 % 2;
  set_leaf (td, "o", REEL_DTYPE_INT32, 2, one);
  g_assert_true (reel_tensordict_set_tensor (td, "t", ids, NULL));
  g_assert_true (reel_tensordict_set_tensor (td, "next/done", never, NULL));
  g_assert_true (reel_transform_changes_writes (transform));
  written = inverse (transform, td);
  g_assert_cmpmem (reel_tensordict_get_tensor (written, "o", NULL)->data, sizeof expected, expected,
                   sizeof expected);
  read = forward (transform, td);
  g_assert_cmpint (reel_tensordict_get_tensor (read, "o", NULL)->shape[1], ==, 1);
}

/* ---- buffers ---- */

/* Episodes of @length steps; `o` counts the steps of a lane from @first on, times 10, with its
 * number. */
static ReelReplayBuffer *
new_buffer (const char *sampler_text, const char *chain, gint64 lanes, gint64 steps, gint64 length,
            gint64 capacity)
{
  g_autofree char *storage_text =
      g_strdup_printf ("tensor:capacity=%d,ndim=%d", (gint) (capacity * lanes), lanes > 1 ? 2 : 1);
  g_autoptr (ReelStorage) storage =
      reel_object_new_from_text (REEL_TYPE_STORAGE, storage_text, NULL, NULL);
  g_autoptr (ReelSampler) sampler =
      reel_object_new_from_text (REEL_TYPE_SAMPLER, sampler_text, NULL, NULL);
  g_autoptr (ReelTransform) transform = make_transform (chain);
  g_autoptr (GError) error = NULL;
  ReelReplayBuffer *buffer = reel_replay_buffer_new (storage, sampler, NULL, 0, &error);

  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
  for (gint64 t = 0; t < steps; t++)
    {
      const gint64 two[3] = { lanes, 1, 1 };
      const gint64 *size = lanes > 1 ? two : two + 1;
      gint ndim = lanes > 1 ? 2 : 1;
      g_autoptr (ReelTensordict) td = reel_tensordict_new (ndim, size);
      g_autoptr (ReelTensor) o = reel_tensor_new (REEL_DTYPE_INT64, ndim + 1, size, NULL);
      g_autoptr (ReelTensor) next = reel_tensor_new (REEL_DTYPE_INT64, ndim + 1, size, NULL);
      g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, ndim + 1, size, NULL);

      for (gint64 l = 0; l < lanes; l++)
        {
          ((gint64 *) o->data)[l] = 10 * t + l;
          ((gint64 *) next->data)[l] = 10 * (t + 1) + l;
          done->data[l] = (t + l) % length == length - 1;
        }
      reel_tensordict_set_tensor (td, "o", o, NULL);
      reel_tensordict_set_tensor (td, "next/o", next, NULL);
      reel_tensordict_set_tensor (td, "next/done", done, NULL);
      reel_replay_buffer_extend (buffer, td, NULL, &error);
      g_assert_no_error (error);
    }
  return buffer;
}

/* T7.6-15 and T12.4-8: slices of as many rows as a stack has are drawn for each row that is asked
 * for, of which the last stays; nothing but single frames is stored. */
static void
test_one_row_a_slice (void)
{
  static const char chain[] = "cat-frames:n=4,dim=-1,in-keys=[o,next/o],out-keys=[s,next/s],"
                              "keep-last=true|exclude:keys=[s,next/s],inverse=true";

  for (gint64 lanes = 1; lanes <= 3; lanes++)
    for (gint64 ahead = 0; ahead < 3; ahead++)
      {
        g_autoptr (ReelReplayBuffer) buffer =
            new_buffer ("slice:slice-len=4", chain, lanes, 150, 13, 40);
        g_autoptr (ReelTensordict) batch = NULL;
        g_autoptr (GError) error = NULL;

        g_assert_false (
            reel_storage_find_column (reel_replay_buffer_get_storage (buffer), "s", NULL) >= 0);
        if (ahead > 0)
          {
            reel_replay_buffer_set_batch_size (buffer, 32);
            g_assert_true (reel_replay_buffer_set_prefetch (buffer, ahead, NULL));
          }
        for (gint i = 0; i < 20; i++)
          {
            const gint64 *s, *next;
            gint ndim;

            reel_replay_buffer_sample (buffer, 32, &batch, &error);
            g_assert_no_error (error);
            g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[0], ==, 32);
            g_assert_false (reel_tensordict_contains (batch, REEL_ROW_NUMBERS));
            s = (const gint64 *) reel_tensordict_get_tensor (batch, "s", NULL)->data;
            next = (const gint64 *) reel_tensordict_get_tensor (batch, "next/s", NULL)->data;
            for (gint64 k = 0; k < 128; k++)
              {
                g_assert_cmpint (next[k], ==, s[k] + 10);
                if (k % 4 > 0)
                  g_assert_cmpint (s[k], ==, s[k - 1] + 10);
              }
          }
      }
}

/* T12.4-8 by the function: rows of an env behind the same stacks are written without them. */
static void
test_transform_and_sampler (void)
{
  g_autoptr (ReelTransform) frames =
      make_transform ("cat-frames:n=4,dim=-1,in-keys=observation,out-keys=stack,padding=constant");
  g_autoptr (ReelTransform) transform = NULL, clone = reel_transform_clone (frames, NULL);
  g_autoptr (ReelSampler) sampler = NULL;
  g_autoptr (ReelReplayBuffer) buffer = NULL;
  g_autoptr (ReelEnv) base = reel_object_new_from_text (REEL_TYPE_ENV, "Pendulum", NULL, NULL), env;
  const ReelRolloutOptions options = { .end = REEL_ROLLOUT_MAX_STEPS };
  g_autoptr (ReelTensordict) rollout = NULL, batch = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL, *drawn = NULL;
  gint ndim;

  reel_cat_frames_make_transform_and_sampler (frames, "strict-length=false,traj-key=t", &transform,
                                              &sampler, &error);
  g_assert_no_error (error);
  text = reel_object_to_text (REEL_OBJECT (transform));
  drawn = reel_object_to_text (REEL_OBJECT (sampler));
  g_assert_cmpstr (text, ==,
                   "cat-frames:in-keys=[observation,next/observation],out-keys=[stack,next/stack],"
                   "n=4,dim=-1,padding=constant,keep-last=true|"
                   "exclude:keys=[stack,next/stack],inverse=true");
  g_assert_cmpstr (drawn, ==, "slice:slice-len=4,traj-key=t,strict-length=false");

  env = reel_transformed_env_new (base, clone, NULL);
  rollout = reel_env_rollout (env, 150, &options, NULL);
  buffer = reel_replay_buffer_new_from_text ("LazyTensorStorage:max-size=150", "slice:slice-len=4",
                                             3, &error);
  g_assert_no_error (error);
  g_assert_true (reel_replay_buffer_append_transform (buffer, transform, FALSE, NULL));
  g_assert_true (reel_replay_buffer_extend (buffer, rollout, NULL, NULL));
  g_assert_false (reel_storage_find_column (reel_replay_buffer_get_storage (buffer), "stack", NULL)
                  >= 0);
  reel_replay_buffer_sample (buffer, 32, &batch, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_tensordict_get_batch_size (batch, &ndim)[0], ==, 32);
  g_assert_cmpint (ndim, ==, 1);

  /* Each stack is one that the env showed, but where the slice begins behind the episode. */
  ReelTensor *stacks = reel_tensordict_get_tensor (batch, "stack", NULL);
  ReelTensor *index = reel_tensordict_get_tensor (batch, "index", NULL);
  ReelTensor *shown = reel_tensordict_get_tensor (rollout, "stack", NULL);

  for (gint64 i = 0; i < 32; i++)
    if (((const gint64 *) index->data)[i] >= 3)
      g_assert_cmpmem (stacks->data + 48 * i, 48,
                       shown->data + 48 * ((const gint64 *) index->data)[i], 48);
}

/* Stacks at the key of the frames: nothing is left out of what is written. */
static void
test_stacks_in_their_place (void)
{
  static const struct
  {
    const char *text;
    gint code;
  } refused[] = { { "sign", REEL_ERROR_TYPE },
                  { "cat-frames:n=4,future=true", REEL_ERROR_VALUE },
                  { "cat-frames:n=4,as-inverse=true", REEL_ERROR_VALUE },
                  { "cat-frames:n=4,keep-last=true", REEL_ERROR_VALUE } };
  g_autoptr (ReelTransform) frames = make_transform ("cat-frames:n=4,dim=-1,in-keys=[a,deep/b]");
  g_autoptr (ReelTransform) transform = NULL;
  g_autoptr (ReelSampler) sampler = NULL;
  g_autofree char *text = NULL;

  g_assert_true (
      reel_cat_frames_make_transform_and_sampler (frames, NULL, &transform, &sampler, NULL));
  text = reel_object_to_text (REEL_OBJECT (transform));
  g_assert_cmpstr (text, ==,
                   "(cat-frames:in-keys=[a,next/a,deep/b,next/deep/b],"
                   "out-keys=[a,next/a,deep/b,next/deep/b],n=4,dim=-1,keep-last=true)");
  for (gsize i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (ReelTransform) other = make_transform (refused[i].text), made = NULL;
      g_autoptr (ReelSampler) drawn = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_false (
          reel_cat_frames_make_transform_and_sampler (other, NULL, &made, &drawn, &error));
      g_assert_error (error, REEL_ERROR, refused[i].code);
      g_assert_null (made);
    }
}

/* Whole slices: padded where they begin, and never with what another one holds. */
static void
test_slices (void)
{
  g_autoptr (ReelReplayBuffer) buffer = new_buffer (
      "slice:slice-len=5,strict-length=false", "cat-frames:n=3,dim=-1,in-keys=[o]", 2, 90, 7, 30);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  for (gint i = 0; i < 50; i++)
    {
      const gint64 *o;
      const guint8 *done;
      gint ndim;
      gint64 n, since = 0;

      reel_replay_buffer_sample (buffer, 40, &batch, &error);
      g_assert_no_error (error);
      n = reel_tensordict_get_batch_size (batch, &ndim)[0];
      o = (const gint64 *) reel_tensordict_get_tensor (batch, "o", NULL)->data;
      done = reel_tensordict_get_tensor (batch, "next/done", NULL)->data;
      for (gint64 k = 0; k < n; k++)
        {
          g_assert_cmpint (o[3 * k + 1], ==, o[3 * k + 2] - (since > 0 ? 10 : 0));
          g_assert_cmpint (o[3 * k], ==, o[3 * k + 1] - (since > 1 ? 10 : 0));
          since = done[k] ? 0 : since + 1;
        }
    }
}

/* Rows that were drawn one by one make no stack, and it is said what does. */
static void
test_rows_in_no_order_are_refused (void)
{
  g_autoptr (ReelReplayBuffer) twice =
      new_buffer ("slice:slice-len=6",
                  "cat-frames:n=3,dim=-1,in-keys=[o],out-keys=s|cat-frames:n=2,dim=-1,in-keys=[o]",
                  2, 30, 15, 30);
  g_autoptr (ReelReplayBuffer) unmarked = new_buffer (
      "slice:slice-len=6,truncated-key=''", "cat-frames:n=3,dim=-1,in-keys=[o]", 1, 30, 30, 30);
  g_autoptr (ReelTensordict) batch = NULL;
  g_autoptr (GError) error = NULL;

  for (gint i = 0; i < 2; i++) /* ids that differ do not make it better */
    {
      g_autoptr (ReelReplayBuffer) each =
          new_buffer ("random",
                      i ? "cat-frames:n=3,dim=-1,in-keys=[o],trajectory-key=o"
                        : "cat-frames:n=3,dim=-1,in-keys=[o]",
                      1, 30, 30, 30);

      g_assert_false (reel_replay_buffer_sample (each, 12, &batch, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
      g_assert_nonnull (strstr (error->message, "slice:slice-len=3"));
      g_clear_error (&error);
    }
  g_assert_false (reel_replay_buffer_sample (unmarked, 24, &batch, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_clear_error (&error);
  reel_replay_buffer_sample (twice, 24, &batch, &error);
  g_assert_no_error (error);
  g_assert_cmpint (reel_tensordict_get_tensor (batch, "s", NULL)->shape[1], ==, 3);
  g_assert_cmpint (reel_tensordict_get_tensor (batch, "o", NULL)->shape[1], ==, 2);
}

/* Of slices of 1, 2, … steps the last row alone: its window is what it is among all. */
static void
test_last_rows_of_any_slices (void)
{
  const gint64 shape[2] = { 17, 1 }; /* the last slice is not ended */
  g_autoptr (ReelTransform) all = make_transform ("cat-frames:n=3,dim=-1,in-keys=[o]");
  g_autoptr (ReelTransform) last =
      make_transform ("cat-frames:n=3,dim=-1,in-keys=[o],keep-last=true");
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape);
  g_autoptr (ReelTensor) o = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);

  for (gint64 i = 0; i < shape[0]; i++)
    ((gint64 *) o->data)[i] = i;
  for (gint64 end = 0, length = 1; end < shape[0]; end += ++length)
    done->data[end] = TRUE;
  reel_tensordict_set_tensor (td, "o", o, NULL);
  reel_tensordict_set_tensor (td, "next/done", done, NULL);
  g_autoptr (ReelTensordict) other = reel_tensordict_clone (td, FALSE, NULL);
  g_autoptr (ReelTensordict) whole = reel_transform_forward (all, td, NULL);
  g_autoptr (ReelTensordict) kept = reel_transform_forward (last, other, NULL);
  const ReelTensor *expected = reel_tensordict_get_tensor (whole, "o", NULL);
  const ReelTensor *found = reel_tensordict_get_tensor (kept, "o", NULL);
  g_assert_cmpint (found->shape[0], ==, 6);
  for (gint64 i = 0, k = 0; i < shape[0]; i++)
    if (done->data[i] || i == shape[0] - 1)
      {
        g_assert_cmpmem (found->data + 24 * k, 24, expected->data + 24 * i, 24);
        k++;
      }
}

/* Rows at one distance, but from the last to the first. */
static void
test_rows_backwards_are_refused (void)
{
  const gint64 shape[2] = { 4, 1 };
  g_autoptr (ReelTransform) transform = make_transform ("cat-frames:n=2,dim=-1,in-keys=[o]");
  g_autoptr (ReelTensordict) td = reel_tensordict_new (1, shape), found = NULL;
  g_autoptr (ReelTensor) o = reel_tensor_new (REEL_DTYPE_INT64, 2, shape, NULL);
  g_autoptr (ReelTensor) rows = reel_tensor_new (REEL_DTYPE_INT64, 1, shape, NULL);
  g_autoptr (ReelTensor) done = reel_tensor_new (REEL_DTYPE_BOOL, 2, shape, NULL);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 4; i++)
    ((gint64 *) rows->data)[i] = 9 - 2 * i;
  reel_tensordict_set_tensor (td, "o", o, NULL);
  reel_tensordict_set_tensor (td, "next/done", done, NULL);
  reel_tensordict_set_tensor (td, REEL_ROW_NUMBERS, rows, NULL);
  found = reel_transform_forward (transform, td, &error);
  g_assert_null (found);
  g_assert_error (error, REEL_ERROR, REEL_ERROR_RUNTIME);
  g_assert_nonnull (strstr (error->message, "row 7 of the buffer comes after row 9"));
  g_clear_error (&error);
  for (gint64 i = 0; i < 4; i++) /* the last is padding */
    ((gint64 *) rows->data)[i] = 2 * MIN (i, 2);
  found = reel_transform_forward (transform, td, &error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/cat-frames/as-torchrl", test_golden);
  g_test_add_func ("/cat-frames/every-small-case", test_every_small_case);
  g_test_add_func ("/cat-frames/windows-longer-than-the-data", test_windows_longer_than_the_data);
  g_test_add_func ("/cat-frames/dimensions", test_dimensions);
  g_test_add_func ("/cat-frames/refusals", test_refusals);
  g_test_add_func ("/cat-frames/ids-and-writes", test_ids_and_writes);
  g_test_add_func ("/cat-frames/one-row-a-slice", test_one_row_a_slice);
  g_test_add_func ("/cat-frames/last-rows-of-any-slices", test_last_rows_of_any_slices);
  g_test_add_func ("/cat-frames/transform-and-sampler", test_transform_and_sampler);
  g_test_add_func ("/cat-frames/stacks-in-their-place", test_stacks_in_their_place);
  g_test_add_func ("/cat-frames/slices", test_slices);
  g_test_add_func ("/cat-frames/rows-backwards-are-refused", test_rows_backwards_are_refused);
  g_test_add_func ("/cat-frames/rows-in-no-order-are-refused", test_rows_in_no_order_are_refused);

  return g_test_run ();
}
