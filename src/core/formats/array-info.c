#include "array-info.h"

static void
clear (gpointer data)
{
  g_free (((ReelArrayInfo *) data)->name);
}

GArray *
reel_array_infos_new (void)
{
  GArray *infos = g_array_new (FALSE, FALSE, sizeof (ReelArrayInfo));

  g_array_set_clear_func (infos, clear);
  return infos;
}
