#include "exit-directories.h"

#include "directories.h"
#include "files.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* A place of a list that only grows; a free one has no path. */
struct _ReelExitDirectory
{
  char *_Atomic path;
  pid_t owner;
  ReelExitDirectory *next;
};

static ReelExitDirectory *_Atomic places;
static char reserved; /* stands for a path that is not there yet */

static gboolean
remove_directory (const char *path, gboolean *removed, GError **error)
{
  ReelPathKind kind;

  if (!reel_path_query (path, &kind, NULL, error))
    return FALSE;
  *removed = kind != REEL_PATH_MISSING;
  return reel_directory_remove (path, error);
}

static void
remove_all (void)
{
  for (ReelExitDirectory *place = atomic_load (&places); place; place = place->next)
    {
      g_autofree char *path = NULL;
      gboolean removed;

      if (place->owner == getpid () && atomic_load (&place->path) != &reserved)
        path = atomic_exchange (&place->path, NULL);
      if (path)
        remove_directory (path, &removed, NULL);
    }
}

static ReelExitDirectory *
find_free_place (void)
{
  for (ReelExitDirectory *place = atomic_load (&places); place; place = place->next)
    {
      char *nothing = NULL;

      if (atomic_compare_exchange_strong (&place->path, &nothing, &reserved))
        return place;
    }
  return NULL;
}

static ReelExitDirectory *
add_place (void)
{
  ReelExitDirectory *place = g_new0 (ReelExitDirectory, 1);

  atomic_init (&place->path, &reserved);
  place->next = atomic_load (&places);
  while (!atomic_compare_exchange_weak (&places, &place->next, place))
    ;
  return place;
}

ReelExitDirectory *
reel_exit_directory_new (const char *path)
{
  static atomic_flag asked = ATOMIC_FLAG_INIT;
  ReelExitDirectory *self = find_free_place ();

  if (!self)
    self = add_place ();
  self->owner = getpid ();
  atomic_store (&self->path, g_canonicalize_filename (path, NULL));
  if (!atomic_flag_test_and_set (&asked))
    atexit (remove_all);
  return self;
}

gboolean
reel_exit_directory_remove (ReelExitDirectory *self, gboolean *removed, GError **error)
{
  g_autofree char *path = self->owner == getpid () ? atomic_exchange (&self->path, NULL) : NULL;

  *removed = FALSE;
  return !path || remove_directory (path, removed, error);
}
