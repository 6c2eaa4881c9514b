/* The reader of specs that a program sends: those that it takes make columns, or an error. */
#include "../../src/envs/process/exec-columns.h"
#include "../../src/reel.h"
#include "../../src/specs/spec-kind.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#define LANES 3
#define MOST_BYTES 65536 /* of a row: zeros of it are made */

static gboolean
is_small (const ReelSpec *specs)
{
  g_auto (GStrv) leaves = reel_spec_list_leaves (specs);

  for (char **leaf = leaves; *leaf != NULL; leaf++)
    if (reel_spec_row_bytes (reel_spec_get (specs, *leaf, NULL)) > MOST_BYTES)
      return FALSE;
  return TRUE;
}

static void
place (const ReelSpec *observation, const ReelSpec *action)
{
  g_autoptr (GError) error = NULL;
  ReelExecColumns columns;
  gboolean placed = reel_exec_columns_init (&columns, LANES, observation, action, &error);

  if (placed != (error == NULL))
    abort ();
  if (placed)
    {
      g_autoptr (json_t) places = reel_exec_columns_to_json (&columns);

      for (gsize i = 0; i < columns.observation.n; i++)
        if (columns.observation.columns[i].at + LANES * columns.observation.columns[i].row_bytes
            > columns.places.bytes)
          abort ();
      if (json_object_size (json_object_get (places, "action")) != columns.action.n)
        abort ();
    }
  reel_exec_columns_clear (&columns);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_utf8_make_valid ((const char *) data, (gssize) size);
  g_autoptr (GError) error = NULL;
  ReelSpec *observation = NULL, *action = NULL;

  if (!reel_exec_specs_parse (text, &observation, &action, &error))
    {
      if (error == NULL || *error->message == '\0' || observation != NULL || action != NULL)
        abort ();
      return 0;
    }
  if (is_small (observation) && is_small (action))
    place (observation, action);
  reel_spec_unref (observation);
  reel_spec_unref (action);
  return 0;
}
