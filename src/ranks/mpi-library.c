#include "config.h"

#include "mpi-library.h"

#if REEL_WITH_MPI

#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

/* The functions that are called, and the objects that the names of mpi.h are the addresses of. */
#define FUNCTIONS(X)                                                                               \
  X (Initialized)                                                                                  \
  X (Init_thread)                                                                                  \
  X (Finalize)                                                                                     \
  X (Comm_dup)                                                                                     \
  X (Comm_free)                                                                                    \
  X (Comm_rank)                                                                                    \
  X (Comm_size)                                                                                    \
  X (Comm_set_errhandler)                                                                          \
  X (Isend)                                                                                        \
  X (Irecv)                                                                                        \
  X (Testall)                                                                                      \
  X (Cancel)                                                                                       \
  X (Request_free)                                                                                 \
  X (Iprobe)

G_STATIC_ASSERT (sizeof (MPI_Request) == sizeof (gpointer));

#define DECLARE(name) __typeof__ (MPI_##name) *name;
static struct
{
  gpointer handle;
  FUNCTIONS (DECLARE)
  MPI_Comm world;
  MPI_Datatype byte;
  MPI_Errhandler errors_return;
  MPI_Request no_request;
  MPI_Comm comm; /* our own */
  gboolean started;
} mpi;

/* find: as the linker does, for objects of MPI are in the program where that is linked with it. */
static gpointer
find (const char *name, const char **missing)
{
  gpointer found = dlsym (RTLD_DEFAULT, name);

  if (found == NULL && *missing == NULL)
    *missing = name;
  return found;
}

static gboolean
load (GError **error)
{
  static const char *const files[] = { "libmpi.so.40", "libmpi.so" };
  const char *missing = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (files) && mpi.handle == NULL; i++)
    mpi.handle = dlopen (files[i], RTLD_NOW | RTLD_GLOBAL);
  if (mpi.handle == NULL)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                           "cannot load libmpi.so.40; Debian has it in openmpi-bin");
      return FALSE;
    }
#define FIND(name)                                                                                 \
  {                                                                                                \
    gpointer found = find ("MPI_" #name, &missing);                                                \
    memcpy (&mpi.name, &found, sizeof found);                                                      \
  }
  FUNCTIONS (FIND)
  mpi.world = find ("ompi_mpi_comm_world", &missing);
  mpi.byte = find ("ompi_mpi_byte", &missing);
  mpi.errors_return = find ("ompi_mpi_errors_return", &missing);
  mpi.no_request = find ("ompi_request_null", &missing);
  if (missing != NULL)
    g_set_error (error, REEL_ERROR, REEL_ERROR_RUNTIME,
                 "cannot use libmpi.so.40: it has no %s, so that it is not Open MPI 4", missing);
  return missing == NULL;
}

gboolean
reel_mpi_start (gint *rank, gint *n_ranks, GError **error)
{
  int running = FALSE, provided;

  if (mpi.handle == NULL && !load (error))
    return FALSE;
  mpi.Initialized (&running);
  if (!running && mpi.Init_thread (NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS)
    {
      g_set_error_literal (error, REEL_ERROR, REEL_ERROR_RUNTIME, "cannot start MPI");
      return FALSE;
    }
  mpi.started = !running;
  mpi.Comm_dup (mpi.world, &mpi.comm);
  mpi.Comm_set_errhandler (mpi.comm, mpi.errors_return);
  mpi.Comm_rank (mpi.comm, rank);
  mpi.Comm_size (mpi.comm, n_ranks);
  return TRUE;
}

void
reel_mpi_stop (void)
{
  mpi.Comm_free (&mpi.comm);
  if (mpi.started)
    mpi.Finalize ();
}

gpointer
reel_mpi_send (gconstpointer data, gsize n, gint to, gint tag)
{
  MPI_Request request = mpi.no_request;

  if (mpi.Isend (data, (int) n, mpi.byte, to, tag, mpi.comm, &request) != MPI_SUCCESS)
    return NULL;
  return request;
}

gpointer
reel_mpi_receive (gpointer data, gsize n, gint from, gint tag)
{
  MPI_Request request = mpi.no_request;

  if (mpi.Irecv (data, (int) n, mpi.byte, from, tag, mpi.comm, &request) != MPI_SUCCESS)
    return NULL;
  return request;
}

ReelMpiState
reel_mpi_test (gpointer *requests, guint n)
{
  int done = FALSE;

  for (guint i = 0; i < n; i++)
    if (requests[i] == NULL)
      return REEL_MPI_FAILED;
  if (mpi.Testall ((int) n, (MPI_Request *) requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
    return REEL_MPI_FAILED;
  return done ? REEL_MPI_DONE : REEL_MPI_UNDER_WAY;
}

void
reel_mpi_drop (gpointer *requests, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      MPI_Request request = requests[i];

      if (request == NULL || request == mpi.no_request)
        continue;
      mpi.Cancel (&request);
      mpi.Request_free (&request);
    }
}

gboolean
reel_mpi_probe (gint from, gint tag)
{
  int came = FALSE;

  mpi.Iprobe (from, tag, mpi.comm, &came, MPI_STATUS_IGNORE);
  return came;
}

#else

gboolean
reel_mpi_start (gint *rank, gint *n_ranks, GError **error)
{
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_NOT_IMPLEMENTED,
                       "this build leaves MPI out: configure it without --without-mpi");
  return FALSE;
}

void
reel_mpi_stop (void)
{
}

gpointer
reel_mpi_send (gconstpointer data, gsize n, gint to, gint tag)
{
  return NULL;
}

gpointer
reel_mpi_receive (gpointer data, gsize n, gint from, gint tag)
{
  return NULL;
}

ReelMpiState
reel_mpi_test (gpointer *requests, guint n)
{
  return REEL_MPI_FAILED;
}

void
reel_mpi_drop (gpointer *requests, guint n)
{
}

gboolean
reel_mpi_probe (gint from, gint tag)
{
  return FALSE;
}

#endif
