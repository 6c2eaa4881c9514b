/* Where the pictures of an episode go, one after the other. */
#pragma once

#include "../common/options.h"

G_BEGIN_DECLS

typedef struct _Film Film;

/* `finish` puts the whole in its place; whoever is freed before leaves nothing. */
struct _Film
{
  gboolean (*add) (Film *self, ReelTensor *picture, GError **error);
  gboolean (*finish) (Film *self, GError **error);
  void (*free) (Film *self);
  gint64 n_left_out; /* pictures for which there was no time */
};

/* A directory to make, with a PNG for each picture, `frame-0000.png` and on; @n is how many. */
Film *film_new_png (const char *path, gint64 n, GError **error);

/* An animated GIF that repeats for ever. It has a hundred pictures a second at most, and browsers
 * show fifty: where @rate is higher pictures are left out, so that time passes as it should. The
 * last one stays for a second. */
Film *film_new_gif (const char *path, gint64 width, gint64 height, double rate, GError **error);

/* A film that the program ffmpeg writes, by the encoder that it takes for MP4. */
Film *film_new_mp4 (const char *path, gint64 width, gint64 height, double rate, GError **error);

static inline void
film_free (Film *self)
{
  self->free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Film, film_free)

G_END_DECLS
