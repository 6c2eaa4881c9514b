/* Columns under keys: made, looked up, viewed, stacked, saved. */
#include <reel/reel.h>

#include <stdio.h>

static void
print (const char *title, ReelTensordict *td)
{
  g_autofree char *text = reel_tensordict_to_string (td);

  printf ("%s: %s\n", title, text);
}

/* Three environments, four steps: observations of two numbers, a reward below `next`, a string. */
static ReelTensordict *
make (GError **error)
{
  const gint64 shape[] = { 3, 4, 2 };
  const char *const names[] = { NULL, "time" };
  g_autoptr (ReelTensordict) td = reel_tensordict_new (2, shape);
  g_autoptr (ReelTensor) observation = reel_tensor_new (REEL_DTYPE_FLOAT32, 3, shape, error);
  g_autoptr (ReelTensor) reward =
      reel_tensor_new (REEL_DTYPE_FLOAT32, 3, (const gint64[]){ 3, 4, 1 }, error);

  if (!observation || !reward || !reel_tensordict_set_tensor (td, "observation", observation, error)
      || !reel_tensordict_set_tensor (td, "next/reward", reward, error)
      || !reel_tensordict_set_value (td, "task", g_variant_new_string ("balance"), error)
      || !reel_tensordict_set_names (td, names, error))
    return NULL;
  print ("made", td);
  return g_steal_pointer (&td);
}

/* td[:, -1] is the last step of each: views, so what is written there is written here. */
static gboolean
look (ReelTensordict *td, GError **error)
{
  g_autoptr (ReelTensordict) last = reel_tensordict_select_index (td, 1, -1, error);
  ReelTensor *reward = last ? reel_tensordict_get_tensor (last, "next/reward", error) : NULL;
  ReelTensor *whole = reel_tensordict_get_tensor (td, "next/reward", error);

  if (!reward || !whole)
    return FALSE;
  *(float *) reel_tensor_element (reward, (const gint64[]){ 2, 0 }) = 7;
  printf ("written through a view: %g\n",
          *(float *) reel_tensor_element (whole, (const gint64[]){ 2, 3, 0 }));

  g_autoptr (GError) missing = NULL;
  if (!reel_tensordict_get_tensor (td, "next/rewrad", &missing))
    printf ("%s\n", missing->message);
  return TRUE;
}

/* Stacking copies; saving writes the directory that TensorDict.memmap () writes; loading maps it.
 */
static gboolean
keep (ReelTensordict *td, GError **error)
{
  ReelTensordict *const both[] = { td, td };
  g_autoptr (ReelTensordict) stacked = reel_tensordict_stack (both, 2, 0, error);

  if (!stacked || !reel_tensordict_save (stacked, "stacked", REEL_SAVE_DEFAULT, error))
    return FALSE;
  g_autoptr (ReelTensordict) loaded = reel_tensordict_load ("stacked", REEL_LOAD_READ_ONLY, error);
  if (!loaded)
    return FALSE;
  print ("loaded", loaded);
  return TRUE;
}

int
main (void)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  g_autoptr (ReelTensordict) td = make (&error);
  if (td && look (td, &error) && keep (td, &error))
    return 0;
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
