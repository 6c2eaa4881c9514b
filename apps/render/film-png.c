/* Films as a directory of PNG files. */
#include "film.h"

#include <string.h>

#include "../common/draft.h"

typedef struct
{
  Film base;
  Draft *draft;
  gint64 n;
  int digits;
} PngFilm;

static gboolean
add (Film *film, ReelTensor *picture, GError **error)
{
  PngFilm *self = (PngFilm *) film;
  g_autofree char *name =
      g_strdup_printf ("frame-%0*" G_GINT64_FORMAT ".png", self->digits, self->n++);

  return draft_add_png (self->draft, name, picture, error);
}

static gboolean
finish (Film *film, GError **error)
{
  return draft_keep (((PngFilm *) film)->draft, error);
}

static void
free_film (Film *film)
{
  draft_free (((PngFilm *) film)->draft);
  g_free (film);
}

Film *
film_new_png (const char *path, gint64 n, GError **error)
{
  Draft *draft = draft_new (path, TRUE, error);
  g_autofree char *last = g_strdup_printf ("%" G_GINT64_FORMAT, n - 1);

  if (!draft)
    return NULL;

  PngFilm *self = g_new0 (PngFilm, 1);

  self->base = (Film){ .add = add, .finish = finish, .free = free_film };
  self->draft = draft;
  self->digits = MAX ((int) strlen (last), 4);
  return &self->base;
}
