/* Episodes, one after the other: those of a directory, or those of an environment that is played.
 */
#pragma once

#include "frames.h"

G_BEGIN_DECLS

typedef struct _Episodes Episodes;

typedef struct
{
  Frames *(*open) (Episodes *self, gint64 number, GError **error);
  gboolean (*find) (Episodes *self, const char *word, gint64 *number, GError **error);
  void (*look) (Episodes *self);
  void (*free) (Episodes *self);
} EpisodesClass;

struct _Episodes
{
  const EpisodesClass *klass;
  gint64 n; /* -1 where there is always one more */
};

/* How episodes are to look. */
typedef struct
{
  const char *env;          /* text, or NULL where the directory says it */
  gboolean as_written;      /* with the observations that the text asks for */
  const char *camera;       /* or NULL */
  gboolean draw;            /* anew, whatever pictures are stored */
  gboolean plot;            /* no pictures, but numbers */
  ReelTransform *transform; /* of stored rows, or NULL */
  const char *chain;        /* text of the same, of an env that is played, or NULL */
} EpisodesLook;

/* Plays an env; texts as on the command line. Episodes of more than @most steps end there. */
Episodes *episodes_new_played (const EpisodesLook *look, const char *policy, gint64 seed,
                               gint64 most, GError **error);

/* Plays it by a policy that is there, which is asked by no other meanwhile. */
Episodes *episodes_new_acted (const EpisodesLook *look, ReelPolicy *policy, gint64 seed,
                              gint64 most, GError **error);

/* Opens a directory that holds a buffer, or an ensemble of them: then the episodes of its members
 * one after the other. It stays as it is. */
Episodes *episodes_new_stored (const EpisodesLook *look, const char *path, GError **error);

/* Opens an episode, which may use @self as long as it is there: for one that is played it is the
 * last to be opened that can go on. */
Frames *episodes_open (Episodes *self, gint64 number, GError **error);

/* Finds the best, worst, longest or shortest of those that are stored. */
gboolean episodes_find (Episodes *self, const char *word, gint64 *number, GError **error);

/* Looks whether there are more by now. */
void episodes_look (Episodes *self);

void episodes_free (Episodes *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Episodes, episodes_free)

/* One lane of an env that observes what it draws itself from; @seed may be NULL. */
ReelEnv *episodes_open_env (const EpisodesLook *look, const char *text, const char *seed,
                            GError **error);

G_END_DECLS
