/* Specs of classes: what is printed of one, and its JSON. */
#include "class-spec.h"
#include "../spec-classes.h"
#include "../spec-form.h"

/* A list of the last dimension, each item of which is a list of those before it. */
static void
append_boxes (const ReelTensor *nvec, const guint8 *at, gint ndim, GString *text)
{
  if (ndim == 0)
    {
      g_string_append_printf (text, "CategoricalBox(n=%" G_GINT64_FORMAT ")",
                              *(const gint64 *) (gconstpointer) at);
      return;
    }
  g_string_append (text, "BoxList(boxes=[");
  for (gint64 i = 0; i < nvec->shape[ndim - 1]; i++)
    {
      g_string_append (text, i > 0 ? ", " : "");
      append_boxes (nvec, at + i * nvec->strides[ndim - 1], ndim - 1, text);
    }
  g_string_append (text, "])");
}

char *
reel_class_spec_format_space (const ReelSpec *spec)
{
  const ReelTensor *nvec = spec->parameters[REEL_SPEC_NVEC];
  const ReelClassSpec *self = reel_class_spec (spec);
  GString *text;

  if (!nvec)
    return g_strdup_printf ("CategoricalBox(n=%" G_GINT64_FORMAT ")", self->n);
  text = g_string_new (NULL);
  if (spec->kind->classes == REEL_SPEC_CLASSES_INTEGERS)
    append_boxes (nvec, nvec->data, nvec->ndim, text);
  else
    {
      g_string_append (text, "BoxList(boxes=[");
      for (gint64 i = 0; i < self->n_components; i++)
        g_string_append_printf (text, "%sCategoricalBox(n=%" G_GINT64_FORMAT ")", i > 0 ? ", " : "",
                                self->sizes[i]);
      g_string_append (text, "])");
    }
  return g_string_free (text, FALSE);
}

const char *const reel_class_spec_single_names[] = { "n", "mask", NULL };
const char *const reel_class_spec_multi_names[] = { "nvec", "mask", NULL };

void
reel_class_spec_describe (const ReelSpec *spec, json_t *form)
{
  if (reel_class_spec_is_multi (spec))
    json_object_set_new (form, "nvec",
                         reel_spec_form_from_tensor (spec->parameters[REEL_SPEC_NVEC], 1));
  else if (spec->kind != &reel_binary_spec_kind)
    json_object_set_new (form, "n", json_integer (reel_class_spec (spec)->n));
  if (spec->parameters[REEL_SPEC_MASK])
    json_object_set_new (form, "mask",
                         reel_spec_form_from_tensor (spec->parameters[REEL_SPEC_MASK], 1));
}

ReelSpec *
reel_class_spec_take_mask (ReelSpec *spec, ReelSpecForm *form, GError **error)
{
  g_autoptr (ReelTensor) mask = NULL;
  ReelSpec *masked = NULL;

  if (!spec || !reel_spec_form_has (form, "mask"))
    return spec;
  mask = reel_spec_form_get_tensor (form, "mask", REEL_DTYPE_BOOL, error);
  if (mask)
    masked = reel_spec_with_mask (spec, mask, error);
  reel_spec_unref (spec);
  return masked;
}
