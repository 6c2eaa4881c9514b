/* The readers of specs: JSON where the first byte is a brace, else the text form. Anything read
 * is printed every way, and what is printed reads as the same spec. */
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static ReelSpec *
read_spec (const char *text, gboolean json)
{
  g_autoptr (GError) error = NULL;
  ReelSpec *spec =
      json ? reel_spec_new_from_json (text, &error) : reel_spec_new_from_text (text, &error);

  if (!spec != (error != NULL) || (error && *error->message == '\0'))
    abort ();
  if (!spec && (json ? reel_spec_new_from_json (text, NULL) : reel_spec_new_from_text (text, NULL)))
    abort ();
  return spec;
}

static void
check_again (const ReelSpec *spec, const char *text, gboolean json)
{
  g_autoptr (ReelSpec) again = read_spec (text, json);
  g_autofree char *printed = again ? reel_spec_to_text (again) : NULL;
  g_autofree char *first = reel_spec_to_text (spec);

  if (!again || !reel_spec_equal (spec, again) || !reel_spec_equal (again, spec)
      || strcmp (printed, first) != 0)
    abort ();
}

/* Python prints a box for each element of some kinds. */
static gboolean
is_small (const ReelSpec *spec)
{
  gint ndim;
  const gint64 *shape = reel_spec_get_shape (spec, &ndim);
  double numel = 1;

  for (gint i = 0; i < ndim; i++)
    numel *= (double) ABS (shape[i]);
  return numel <= 1000;
}

static gboolean
are_small (const ReelSpec *spec)
{
  g_auto (GStrv) leaves = reel_spec_is_composite (spec) ? reel_spec_list_leaves (spec) : NULL;

  for (char **leaf = leaves; leaf && *leaf; leaf++)
    if (!is_small (reel_spec_get (spec, *leaf, NULL)))
      return FALSE;
  return is_small (spec);
}

static void
use (const ReelSpec *spec)
{
  g_autofree char *text = reel_spec_to_text (spec);
  g_autofree char *python = are_small (spec) ? reel_spec_to_string (spec) : g_strdup ("large");
  g_autoptr (GError) error = NULL;
  g_autofree char *json = reel_spec_to_json (spec, &error);

  if (*text == '\0' || *python == '\0' || !json != (error != NULL))
    abort ();
  check_again (spec, text, FALSE);
  if (json)
    check_again (spec, json, TRUE);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (ReelSpec) spec = read_spec (text, *text == '{');

  if (spec)
    use (spec);
  return 0;
}
