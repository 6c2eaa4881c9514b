#include "one-group.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

static char *
name_group (gpointer data, gint64 group)
{
  return g_strdup ("group_0");
}

static gint64
count_rows (gpointer data, const ReelTensor *leaf, gint64 group)
{
  return leaf->shape[0];
}

void
one_group_write (const ReelTensordict *outline,
                 const ReelRowStream *(*get_rows) (gpointer data, const ReelTensor *leaf),
                 gpointer data, const char *path)
{
  g_autoptr (ReelTensordict) values = reel_tensordict_new (0, NULL);
  const ReelHdf5Groups groups = { .values = values,
                                  .outline = outline,
                                  .n_groups = 1,
                                  .name_group = name_group,
                                  .count_rows = count_rows,
                                  .get_rows = get_rows,
                                  .data = data };
  g_autoptr (GError) error = NULL;
  int fd = g_open (path, O_RDWR | O_CREAT | O_TRUNC, 0600);

  reel_hdf5_write (&groups, fd, path, &error);
  g_assert_no_error (error);
  close (fd);
}
