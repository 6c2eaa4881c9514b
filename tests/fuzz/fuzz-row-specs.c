/* The specs that a sidecar keeps with rows, from any text in their place. Specs among them describe
 * every row whether it is inside, or names the first that is not, and is kept and read again. */
#include "../../src/reel.h"
#include "../ted-rows.h"
#include "fuzz.h"

#include <stdlib.h>

static const TedRows rows = { 2, 4, 3, 0x14, FALSE };

static void
check_fault (const ReelRowFault *fault, gint64 n_rows, gint64 length)
{
  if (!fault->path || !fault->message || fault->row >= length || fault->row < -1
      || n_rows != MAX (fault->row, 0)
      || (fault->row >= 0 && (fault->step != fault->row / 2 || fault->lane != fault->row % 2)))
    abort ();
}

static void
check_rows (ReelReplayBuffer *buffer, const ReelSpec *spec)
{
  g_autoptr (ReelRowFault) fault = NULL;
  g_autoptr (GError) error = NULL;
  gint64 length = reel_replay_buffer_get_length (buffer), n_rows = -1;

  if (reel_replay_buffer_check_rows (buffer, spec, &n_rows, &fault, &error) != (error == NULL))
    abort ();
  if (fault)
    check_fault (fault, n_rows, length);
  else if (!error && n_rows != length)
    abort ();
}

static void
keep (ReelReplayBuffer *buffer, const ReelSpec *spec)
{
  g_autoptr (ReelSpec) again = NULL;

  if (!reel_replay_buffer_set_specs (buffer, spec, NULL))
    abort ();
  again = reel_replay_buffer_dup_specs (buffer, NULL);
  if (!again || !reel_spec_equal (spec, again))
    abort ();
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static ReelReplayBuffer *buffer;
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (ReelSpec) spec = NULL, of_rows = NULL;
  g_autoptr (GError) error = NULL, failure = NULL;

  if (!buffer)
    {
      reel_init ();
      buffer = ted_rows_buffer ("tensor", &rows);
    }
  if (!reel_replay_buffer_set_info (buffer, "specs", text, NULL))
    return 0;
  spec = reel_replay_buffer_dup_specs (buffer, &error);
  if (!spec != (error != NULL))
    abort ();
  if (!spec && reel_replay_buffer_dup_specs (buffer, NULL))
    abort ();
  of_rows = spec ? reel_env_spec_to_rows (spec, &failure) : NULL;
  if (spec && !of_rows != (failure != NULL))
    abort ();
  if (of_rows)
    check_rows (buffer, of_rows);
  if (spec)
    keep (buffer, spec);
  return 0;
}
