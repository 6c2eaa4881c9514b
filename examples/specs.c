/* Specs: one from text, values of it, and the fault of a value outside. */
#include <reel/reel.h>

#include <stdio.h>

static void
print (char *text)
{
  puts (text);
  g_free (text);
}

static void
print_values (const char *name, const ReelTensor *tensor)
{
  printf ("%s:", name);
  for (gint64 i = 0; i < reel_tensor_numel (tensor); i++)
    printf (" %g", reel_dtype_load_double (tensor->dtype,
                                           tensor->data + i * reel_dtype_size (tensor->dtype)));
  printf ("\n");
}

/* A spec of each entry; text and JSON say the same. */
static ReelSpec *
make_spec (GError **error)
{
  g_autoptr (ReelSpec) spec = reel_spec_new_from_text (
      "composite:observation=(bounded:low=-1,high=[1,2,3]),action=(one-hot:n=4)", error);

  if (!spec)
    return NULL;
  print (reel_spec_to_string (spec));
  print (reel_spec_to_text (spec));
  print (reel_spec_to_json (reel_spec_get (spec, "action", NULL), NULL));
  return g_steal_pointer (&spec);
}

/* Two values of every entry: the same seed and step draw the same, on any machine. */
static ReelTensordict *
draw (const ReelSpec *spec, GError **error)
{
  const gint64 two[] = { 2 };
  ReelTensordict *batch = reel_spec_rand_tensordict (spec, 1, 0, 1, two, error);

  if (batch)
    print (reel_tensordict_to_string (batch));
  return batch;
}

/* A value outside is reported with its place, and can be moved inside; plain numbers become values.
 */
static gboolean
leave_and_return (const ReelSpec *spec, ReelTensordict *batch, GError **error)
{
  ReelTensor *observation = reel_tensordict_get_tensor (batch, "observation", error);
  g_autoptr (GError) outside = NULL;

  if (!observation)
    return FALSE;
  *(float *) reel_tensor_element (observation, (const gint64[]){ 1, 2 }) = 5;
  if (!reel_spec_is_in_tensordict (spec, batch, &outside))
    puts (outside->message);

  g_autoptr (ReelTensor) inside =
      reel_spec_project (reel_spec_get (spec, "observation", NULL), observation, error);
  g_autoptr (ReelTensor) action =
      reel_spec_encode (reel_spec_get (spec, "action", NULL), g_variant_new_int64 (2), TRUE, error);

  if (!inside || !action)
    return FALSE;
  printf ("moved inside: %g\n", *(float *) reel_tensor_element (inside, (const gint64[]){ 1, 2 }));
  print_values ("action 2", action);
  return TRUE;
}

/* A mistake is named with its place in the text. */
static void
mistype (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelSpec) spec = reel_spec_new_from_text ("composite:action=(categorcal:n=4)", &error);

  if (!spec)
    puts (error->message);
}

int
main (void)
{
  g_autoptr (GError) error = NULL;

  reel_init ();
  g_autoptr (ReelSpec) spec = make_spec (&error);
  g_autoptr (ReelTensordict) batch = spec ? draw (spec, &error) : NULL;
  if (batch && leave_and_return (spec, batch, &error))
    {
      mistype ();
      return 0;
    }
  fprintf (stderr, "%s\n", error->message);
  return 1;
}
