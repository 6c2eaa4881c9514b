/* Work in a process of its own: whatever comes of it there, this one goes on. */
#include "../src/core/formats/isolated.h"
#include "../src/reel.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static ReelTensordict *
make_all (gconstpointer data, int line, GError **error)
{
  static const gint64 numbers[] = { 3, G_MININT64, G_MAXINT64 };
  ReelTensordict *td = reel_tensordict_new (0, NULL);

  for (gint dtype = 0; dtype <= REEL_DTYPE_COMPLEX128; dtype++)
    for (gint64 n = 0; n < 3; n++)
      {
        const gint64 shape[] = { n, 2 };
        g_autofree char *path =
            g_strdup_printf ("%s/%" G_GINT64_FORMAT, reel_dtype_name ((ReelDtype) dtype), n);
        g_autoptr (ReelTensor) tensor = reel_tensor_new ((ReelDtype) dtype, 2, shape, NULL);

        memset (tensor->data, 1, reel_tensor_nbytes (tensor));
        g_assert_true (reel_tensordict_set_tensor (td, path, tensor, NULL));
      }
  reel_tensordict_set_value (td, "yes", g_variant_new_boolean (TRUE), NULL);
  reel_tensordict_set_value (td, "deep/number", g_variant_new_int64 (-7), NULL);
  reel_tensordict_set_value (
      td, "list", g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, numbers, 3, sizeof *numbers),
      NULL);
  return td;
}

static void
test_gives_what_was_made (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_isolated_run (make_all, NULL, NULL, 60, &error);
  g_autoptr (ReelTensordict) here = make_all (NULL, -1, NULL);

  g_assert_no_error (error);
  g_assert_true (reel_tensordict_equal (td, here));
}

static ReelTensordict *
make_large (gconstpointer data, int line, GError **error)
{
  const gint64 n = 20 << 20;
  g_autoptr (ReelTensor) tensor = reel_tensor_new (REEL_DTYPE_UINT8, 1, &n, NULL);
  ReelTensordict *td = reel_tensordict_new (0, NULL);

  for (gint64 i = 0; i < n; i++)
    tensor->data[i] = (guint8) (i * 7 / 3);
  g_assert_true (reel_tensordict_set_tensor (td, "x", tensor, NULL));
  return td;
}

static void
test_more_than_a_pipe_holds (void)
{
  g_autoptr (ReelTensordict) td = reel_isolated_run (make_large, NULL, NULL, 60, NULL);
  g_autoptr (ReelTensordict) here = make_large (NULL, -1, NULL);

  g_assert_true (reel_tensordict_equal (td, here));
}

/* ---- numbers on the way ---- */

#define TOLD 1000

static ReelTensordict *
tell (gconstpointer data, int line, GError **error)
{
  gint64 numbers[TOLD];

  for (gint64 n = 0; n < TOLD; n++)
    {
      numbers[n] = n * n;
      reel_isolated_tell (line, numbers, n);
    }
  return make_all (NULL, line, error);
}

/* Lists of 0, 1, 2 … numbers. */
static gboolean
take (gpointer data, const gint64 *numbers, gint64 n, GError **error)
{
  gint64 *n_taken = data;

  g_assert_cmpint (n, ==, (*n_taken)++);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpint (numbers[i], ==, i * i);
  return TRUE;
}

static void
test_tells_on_its_way (void)
{
  g_autoptr (ReelTensordict) here = make_all (NULL, -1, NULL);
  gint64 n_taken = 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td =
      reel_isolated_run_telling (tell, NULL, take, &n_taken, NULL, 60, &error);

  g_assert_no_error (error);
  g_assert_cmpint (n_taken, ==, TOLD);
  g_assert_true (reel_tensordict_equal (td, here));
}

static ReelTensordict *
tell_for_ever (gconstpointer data, int line, GError **error)
{
  const gint64 none = 0;

  for (gint64 i = 0; i < G_MAXINT64; i++)
    reel_isolated_tell (line, &none, 0);
  return NULL;
}

static gboolean
take_three (gpointer data, const gint64 *numbers, gint64 n, GError **error)
{
  gint *left = data;

  if (--*left > 0)
    return TRUE;
  g_set_error_literal (error, REEL_ERROR, REEL_ERROR_IO, "that is enough");
  return FALSE;
}

/* One that is not wanted any more is ended. */
static void
test_who_takes_may_stop_it (void)
{
  g_autoptr (GError) error = NULL;
  gint left = 3;

  g_assert_null (
      reel_isolated_run_telling (tell_for_ever, NULL, take_three, &left, NULL, 60, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_IO);
  g_assert_cmpstr (error->message, ==, "that is enough");
  g_assert_cmpint (left, ==, 0);
}

static int touched;

static ReelTensordict *
fail (gconstpointer data, int line, GError **error)
{
  touched = 1;
  g_set_error (error, REEL_ERROR, REEL_ERROR_KEY, "no \"%s\"", (const char *) data);
  return NULL;
}

static void
test_says_why_not (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_isolated_run (fail, "here", NULL, 60, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_KEY);
  g_assert_cmpstr (error->message, ==, "no \"here\"");
  g_assert_cmpint (touched, ==, 0);
}

static ReelTensordict *
crash (gconstpointer data, int line, GError **error)
{
  raise (GPOINTER_TO_INT (data));
  return NULL;
}

static void
on_signal (int number)
{
  touched = 2;
}

static void
test_a_crash_is_told (void)
{
  static const int signals[] = { SIGSEGV, SIGABRT, SIGFPE, SIGTERM, SIGKILL };

  signal (SIGTERM, on_signal);
  for (gsize i = 0; i < G_N_ELEMENTS (signals); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (reel_isolated_run (crash, GINT_TO_POINTER (signals[i]), NULL, 60, &error));
      g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
      g_assert_nonnull (strstr (error->message, "crashed"));
      g_assert_cmpint (touched, ==, 0);
    }
  signal (SIGTERM, SIG_DFL);
}

static void
test_a_cut_file_is_told (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_isolated_run (crash, GINT_TO_POINTER (SIGBUS), NULL, 60, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "was cut after it was opened"));
  g_assert_null (reel_isolated_run (crash, GINT_TO_POINTER (SIGBUS), NULL, 60, NULL));
}

static ReelTensordict *
hang (gconstpointer data, int line, GError **error)
{
  while (touched == 0)
    pause ();
  return NULL;
}

static void
test_a_wait_has_an_end (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (reel_isolated_run (hang, NULL, NULL, 1, &error));
  g_assert_error (error, REEL_ERROR, REEL_ERROR_TIMEOUT);
}

static gint n_forks;

static pid_t
count_fork (void)
{
  n_forks++;
  return fork ();
}

static ReelTensordict *
hang_at_first (gconstpointer data, int line, GError **error)
{
  return n_forks == 1 ? hang (data, line, error) : make_all (data, line, error);
}

static void
test_a_silent_child_is_made_again (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensordict) td = reel_isolated_run (hang_at_first, NULL, count_fork, 1, &error);

  g_assert_no_error (error);
  g_assert_nonnull (td);
  g_assert_cmpint (n_forks, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();

  g_test_add_func ("/core/isolated/a-silent-child-is-made-again",
                   test_a_silent_child_is_made_again);
  g_test_add_func ("/core/isolated/gives-what-was-made", test_gives_what_was_made);
  g_test_add_func ("/core/isolated/more-than-a-pipe-holds", test_more_than_a_pipe_holds);
  g_test_add_func ("/core/isolated/tells-on-its-way", test_tells_on_its_way);
  g_test_add_func ("/core/isolated/who-takes-may-stop-it", test_who_takes_may_stop_it);
  g_test_add_func ("/core/isolated/says-why-not", test_says_why_not);
  g_test_add_func ("/core/isolated/a-crash-is-told", test_a_crash_is_told);
  g_test_add_func ("/core/isolated/a-cut-file-is-told", test_a_cut_file_is_told);
  g_test_add_func ("/core/isolated/a-wait-has-an-end", test_a_wait_has_an_end);
  return g_test_run ();
}
