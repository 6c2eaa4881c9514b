/* Handles of HDF5, names in a file, and what is wrong with them. */
#include "hdf5-private.h"

void
reel_hdf5_close (hid_t *handle)
{
  if (*handle >= 0)
    H5Idec_ref (*handle);
}

/* The innermost of its complaints. */
static herr_t
take_complaint (unsigned n, const H5E_error2_t *complaint, void *data)
{
  const char **text = data;

  if (n == 0 && complaint->desc)
    *text = complaint->desc;
  return 0;
}

gboolean
reel_hdf5_fail (const char *name, ReelError code, GError **error)
{
  const char *complaint = "no reason";

  H5Ewalk2 (H5E_DEFAULT, H5E_WALK_UPWARD, take_complaint, &complaint);
  g_set_error (error, REEL_ERROR, code, "\"%s\": HDF5 says: %s", name, complaint);
  return FALSE;
}

gboolean
reel_hdf5_damaged (const char *name, const char *what, GError **error)
{
  g_set_error (error, REEL_ERROR, REEL_ERROR_DAMAGED, "\"%s\" %s", name, what);
  return FALSE;
}

/* ---- names ---- */

char *
reel_hdf5_join (const char *prefix, const char *name)
{
  return *prefix ? g_strconcat (prefix, "/", name, NULL) : g_strdup (name);
}

typedef struct
{
  GPtrArray *names;
  char *elsewhere; /* the first that is a link, or no name */
} Names;

static herr_t
take_name (hid_t group, const char *name, const H5L_info_t *info, void *data)
{
  Names *taken = data;

  if (!taken->elsewhere
      && (info->type != H5L_TYPE_HARD || !*name || !g_utf8_validate (name, -1, NULL)))
    taken->elsewhere = g_utf8_make_valid (name, -1);
  g_ptr_array_add (taken->names, g_strdup (name));
  return 0;
}

/* The names in a group, none of which leads elsewhere. */
GPtrArray *
reel_hdf5_list_names (hid_t group, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  Names taken = { names, NULL };

  if (H5Literate (group, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, take_name, &taken) < 0)
    {
      reel_hdf5_fail (*name ? name : "/", REEL_ERROR_DAMAGED, error);
      return NULL;
    }
  g_autofree char *elsewhere = taken.elsewhere;
  g_autofree char *link = elsewhere ? reel_hdf5_join (name, elsewhere) : NULL;
  if (link)
    reel_hdf5_damaged (link, "is a link elsewhere, which is not followed", error);
  return link ? NULL : g_steal_pointer (&names);
}

/* Each name on the way is that of the thing itself. */
hid_t
reel_hdf5_open_hard (hid_t group, const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  hid_t at = group;

  for (gsize i = 0; parts[i] && at >= 0; i++)
    {
      H5L_info_t info;
      hid_t inner =
          H5Lget_info (at, parts[i], &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD
              ? H5Oopen (at, parts[i], H5P_DEFAULT)
              : -1;

      if (at != group)
        reel_hdf5_close (&at);
      at = inner;
    }
  return at;
}
