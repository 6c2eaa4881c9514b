/* The readers of episodes in archives and records, given any bytes. The first byte says what the
 * others are: `t` a tar archive, `x` one that xz packed, `r` records of TensorFlow that are
 * examples, `e` one such example, `p` a pickle of steps. */
#include "config.h"

#include "../../src/core/formats/tar.h"
#include "../../src/core/formats/tf-record.h"
#include "../../src/datasets/openx-steps.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static const char features[] =
    "{\"featuresDict\": {\"features\": {\"steps\": {\"sequence\": {\"feature\": {\"featuresDict\": "
    "{\"features\": {\"is_first\": {\"tensor\": {\"shape\": {}, \"dtype\": \"bool\"}}, "
    "\"action\": {\"tensor\": {\"shape\": {\"dimensions\": [\"3\"]}, \"dtype\": \"float64\"}}, "
    "\"language_instruction\": {\"text\": {}}, \"observation\": {\"featuresDict\": {\"features\": "
    "{\"image\": {\"image\": {}}}}}}}}}}}}}";

/* Every byte is looked at; each column has as many values as there are steps. */
static gboolean
check_steps (ReelOpenxSteps *steps)
{
  static guint sum;

  for (guint i = 0; steps && i < steps->columns->len; i++)
    {
      const ReelOpenxColumn *column = steps->columns->pdata[i];

      if (column->info.shape[0] != steps->n)
        abort ();
      for (guint k = 0; k < column->elements->len; k++)
        sum += column->elements->data[k];
      for (guint k = 0; k < column->images->len; k++)
        {
          const ReelTfBytes *image = &g_array_index (column->images, ReelTfBytes, k);

          for (gsize b = 0; b < image->length; b++)
            sum += image->data[b];
        }
    }
  reel_openx_steps_free (steps);
  return steps != NULL;
}

static gboolean
read_example (const guint8 *data, gsize size, GError **error)
{
  static GHashTable *known;

  if (!known)
    known = reel_openx_features_read (features, strlen (features), "features.json", NULL);
  return check_steps (reel_openx_steps_read_example (data, size, known, error));
}

static gboolean
read_records (ReelByteStream *stream, GError **error)
{
  g_autoptr (GByteArray) record = g_byte_array_new ();
  gboolean found;

  do
    if (!reel_tf_record_read (stream, record, &found, error)
        || (found && !read_example (record->data, record->len, error)))
      return FALSE;
  while (found);
  return TRUE;
}

static gboolean
read_archive (ReelByteStream *stream, GError **error)
{
  g_autoptr (ReelTar) tar = reel_tar_new (stream);
  const char *name = NULL;

  for (guint i = 0; reel_tar_next (tar, &name, error); i++)
    {
      g_autofree guint8 *bytes = NULL;
      gsize length;

      if (!name)
        return TRUE;
      if (i % 3 < 2 && !(bytes = reel_tar_read (tar, &length, error)))
        return FALSE;
    }
  return FALSE;
}

static gboolean
read_any (char form, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (ReelMemory) memory =
      reel_memory_new_wrapped (REEL_MEMORY_HEAP, (gpointer) data, size, NULL, NULL);
  g_autoptr (ReelByteStream) stream =
      form == 'x' ? reel_byte_stream_new_xz (memory, error) : reel_byte_stream_new (memory);

  if (form == 'e')
    return read_example (data, size, error);
  if (form == 'p')
    return check_steps (reel_openx_steps_read_pickle (data, size, error));
  return stream && (form == 'r' ? read_records (stream, error) : read_archive (stream, error));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  const char form = size > 0 ? (char) *data : 't';
  const guint8 *content = data + (size > 0);
  gboolean read = read_any (form, content, size - (size > 0), &error);

  if (read != (error == NULL) || read != read_any (form, content, size - (size > 0), NULL))
    abort ();
  return 0;
}
