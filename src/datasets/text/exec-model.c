/* A model of text that a program of any language computes, in a child process. docs/text-data.md
 * has the protocol. */
#include "text-model.h"

#include <string.h>

#include "../../specs/child/child-columns.h"
#include "../../specs/child/child-talk.h"

#define BLANK 0xff /* in each byte that the process is to write: NaN */

struct _ReelExecModel
{
  ReelTextModel parent_instance;

  char *command;
  gint64 timeout, seed;

  ReelChildProcess *child;
  ReelSpec *input_spec, *output_spec;
  ReelChildPlaces places;
  ReelChildLeaves input, output; /* as INPUTS and OUTPUTS list them */
  GError *failure;               /* the reason why no message is sent any more */
};

G_DECLARE_FINAL_TYPE (ReelExecModel, reel_exec_model, REEL, EXEC_MODEL, ReelTextModel)
G_DEFINE_FINAL_TYPE (ReelExecModel, reel_exec_model, REEL_TYPE_TEXT_MODEL)

static const char *const input_keys[] = { "ids", "mask", "used" };
static const char *const output_keys[] = { "logits", "log_probs", "end_score" };

static const ReelChildColumn *
find_column (const ReelChildLeaves *leaves, const char *path)
{
  for (gsize i = 0; i < leaves->n; i++)
    if (strcmp (leaves->columns[i].path, path) == 0)
      return &leaves->columns[i];
  g_return_val_if_reached (NULL);
}

/* ---- the beginning ---- */

static void
end (ReelExecModel *self)
{
  g_clear_pointer (&self->child, reel_child_process_free);
  reel_child_leaves_clear (&self->input);
  reel_child_leaves_clear (&self->output);
  g_clear_pointer (&self->input_spec, reel_spec_unref);
  g_clear_pointer (&self->output_spec, reel_spec_unref);
  g_clear_error (&self->failure);
}

static ReelSpec *
new_specs (const char *const *keys, const ReelDtype *dtypes, const gint *ndims,
           const gint64 *extents, GError **error)
{
  ReelSpec *leaves[3] = { NULL };
  ReelSpec *specs = NULL;
  gint n = 0;

  while (n < 3 && (leaves[n] = reel_unbounded_spec_new (dtypes[n], ndims[n], &extents[n], error)))
    n++;
  if (n == 3)
    specs = reel_composite_spec_new (0, NULL, keys, leaves, 3, error);
  for (gint i = 0; i < n; i++)
    reel_spec_unref (leaves[i]);
  return specs;
}

static gboolean
hear_vocabulary (ReelExecModel *self, gint64 *vocabulary, GError **error)
{
  g_autofree char *line = reel_child_process_read_line (self->child, error);
  json_t *answer = line ? reel_child_answer_parse (line, error) : NULL;
  gboolean heard = answer
                   && reel_json_get_int64 (answer, "its process", "vocabulary", 1, G_MAXINT32,
                                           vocabulary, error);

  json_decref (answer);
  return heard;
}

static gboolean
greet (ReelExecModel *self, gint64 n_rows, gint64 length, gint64 *vocabulary, GError **error)
{
  return reel_child_send_json (self->child,
                               json_pack ("{s:i, s:I, s:I, s:I}", "protocol", 1, "num_rows",
                                          (json_int_t) n_rows, "length", (json_int_t) length,
                                          "seed", (json_int_t) self->seed),
                               error)
         && hear_vocabulary (self, vocabulary, error);
}

static gboolean
place (ReelExecModel *self, gint64 n_rows, gint64 length, gint64 vocabulary, GError **error)
{
  const ReelDtype in[] = { REEL_DTYPE_INT64, REEL_DTYPE_BOOL, REEL_DTYPE_INT64 };
  const ReelDtype out[] = { REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT32, REEL_DTYPE_FLOAT32 };
  const gint ndims[] = { 1, 1, 0 };
  const gint64 in_extents[] = { length, length, 1 }, out_extents[] = { vocabulary, length, 1 };

  self->places = (ReelChildPlaces){ .n_lanes = n_rows };
  self->input_spec = new_specs (input_keys, in, ndims, in_extents, error);
  self->output_spec =
      self->input_spec ? new_specs (output_keys, out, ndims, out_extents, error) : NULL;
  return self->output_spec
         && reel_child_leaves_place (&self->input, &self->places, self->input_spec, error)
         && reel_child_leaves_place (&self->output, &self->places, self->output_spec, error);
}

static gboolean
share (ReelExecModel *self, GError **error)
{
  int fd = reel_child_process_share (self->child, self->places.bytes, error);
  g_autoptr (ReelMemory) memory = fd < 0 ? NULL : reel_child_memory_map (&self->places, fd, error);

  return memory && reel_child_leaves_map (&self->input, memory, self->places.n_lanes, error)
         && reel_child_leaves_map (&self->output, memory, self->places.n_lanes, error)
         && reel_child_send_json (self->child,
                                  json_pack ("{s:I, s:o, s:o}", "bytes",
                                             (json_int_t) self->places.bytes, "input",
                                             reel_child_leaves_to_json (&self->input), "output",
                                             reel_child_leaves_to_json (&self->output)),
                                  error);
}

/* Other sizes start another process. */
static gboolean
prepare (ReelTextModel *model, gint64 n_rows, gint64 length, gint64 *vocabulary, GError **error)
{
  ReelExecModel *self = REEL_EXEC_MODEL (model);

  end (self);
  self->child = reel_child_process_new (self->command, (gint) self->timeout, error);
  if (self->child && greet (self, n_rows, length, vocabulary, error)
      && place (self, n_rows, length, *vocabulary, error) && share (self, error))
    return TRUE;
  g_prefix_error (error, "exec:'%s': ", self->command);
  end (self);
  return FALSE;
}

/* ---- batches ---- */

/* Shorter rows are padded behind. */
static void
show (const ReelExecModel *self, const ReelTextBatch *batch)
{
  const ReelChildColumn *ids = find_column (&self->input, "ids"),
                        *mask = find_column (&self->input, "mask"),
                        *used = find_column (&self->input, "used");
  gsize n = (gsize) batch->length;

  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      guint8 *to_ids = reel_child_column_row (ids, row),
             *to_mask = reel_child_column_row (mask, row);

      memset (to_ids, 0, ids->row_bytes);
      memset (to_mask, 0, mask->row_bytes);
      memcpy (to_ids, batch->ids + row * batch->length, n * sizeof (gint64));
      memcpy (to_mask, batch->mask + row * batch->length, n);
      memcpy (reel_child_column_row (used, row), &batch->length, sizeof (gint64));
    }
}

static gboolean
is_blank (const guint8 *values, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (values[i] != BLANK)
      return FALSE;
  return TRUE;
}

/* Asks the process for a column, and copies the first @n floats of each row. */
static gboolean
exchange (ReelExecModel *self, char message, const char *key, const ReelTextBatch *batch, gsize n,
          float *values, GError **error)
{
  const ReelChildColumn *column = find_column (&self->output, key);

  show (self, batch);
  for (gint64 row = 0; row < batch->n_rows; row++)
    memset (reel_child_column_row (column, row), BLANK, column->row_bytes);
  if (!reel_child_exchange (self->child, (guint8) message, error))
    return FALSE;
  for (gint64 row = 0; row < batch->n_rows; row++)
    {
      const guint8 *from = reel_child_column_row (column, row);
      if (is_blank (from, n * sizeof (float)))
        {
          g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                       "its process wrote nothing to \"%s\" of row %" G_GINT64_FORMAT, key, row);
          return FALSE;
        }
      memcpy (values + (gsize) row * n, from, n * sizeof (float));
    }
  return TRUE;
}

/* After a failure the process is not asked again. */
static gboolean
ask (ReelTextModel *model, char message, const char *key, const ReelTextBatch *batch, gsize n,
     float *values, GError **error)
{
  ReelExecModel *self = REEL_EXEC_MODEL (model);

  if (!self->failure && !exchange (self, message, key, batch, n, values, &self->failure))
    g_prefix_error (&self->failure, "exec:'%s': ", self->command);
  if (!self->failure)
    return TRUE;
  g_propagate_error (error, g_error_copy (self->failure));
  return FALSE;
}

static gboolean
next_logits (ReelTextModel *model, const ReelTextBatch *batch, float *logits, GError **error)
{
  const ReelChildColumn *column = find_column (&REEL_EXEC_MODEL (model)->output, "logits");

  return ask (model, 'n', "logits", batch, column->row_bytes / sizeof (float), logits, error);
}

static gboolean
log_probs (ReelTextModel *model, const ReelTextBatch *batch, float *values, GError **error)
{
  return ask (model, 'l', "log_probs", batch, (gsize) batch->length, values, error);
}

static gboolean
end_scores (ReelTextModel *model, const ReelTextBatch *batch, float *scores, GError **error)
{
  return ask (model, 's', "end_score", batch, 1, scores, error);
}

/* ---- the class ---- */

static gboolean
build (ReelObject *object, GError **error)
{
  return reel_child_check_command (REEL_EXEC_MODEL (object)->command, "exec:'python3 my_model.py'",
                                   error);
}

static void
finalize (GObject *object)
{
  end (REEL_EXEC_MODEL (object));
  G_OBJECT_CLASS (reel_exec_model_parent_class)->finalize (object);
}

static void
add_properties (ReelObjectClass *klass)
{
  reel_object_class_add_string (klass, "command", G_STRUCT_OFFSET (ReelExecModel, command), NULL,
                                "the program and its arguments, quoted as for a shell",
                                REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "timeout", G_STRUCT_OFFSET (ReelExecModel, timeout), 1, 86400,
                               60, "seconds", "the longest wait for an answer",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
  reel_object_class_add_int64 (klass, "seed", G_STRUCT_OFFSET (ReelExecModel, seed), 0, G_MAXINT64,
                               0, NULL, "which stream of random numbers",
                               REEL_PROPERTY_CONSTRUCT_ONLY);
}

static void
reel_exec_model_class_init (ReelExecModelClass *klass)
{
  static const ReelId ids[] = {
    { "exec", NULL, "a program of any language, such as a network of PyTorch" },
    { NULL },
  };
  ReelObjectClass *object_class = REEL_OBJECT_CLASS (klass);
  ReelTextModelClass *model_class = REEL_TEXT_MODEL_CLASS (klass);

  object_class->ids = ids;
  object_class->build = build;
  object_class->positional = "command";
  add_properties (object_class);
  model_class->prepare = prepare;
  model_class->next_logits = next_logits;
  model_class->log_probs = log_probs;
  model_class->end_scores = end_scores;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_exec_model_init (ReelExecModel *self)
{
}
