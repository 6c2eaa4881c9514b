#include "contract.h"

#include "../src/core/object/registry.h"

static gboolean
is_among (const ReelId *id, const ReelId *const *ids, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (ids[i] == id)
      return TRUE;
  return FALSE;
}

void
contract_add (const char *folder, GType base, const ContractTest *tests, gsize n_tests)
{
  contract_add_but (folder, base, G_TYPE_INVALID, tests, n_tests);
}

void
contract_add_but (const char *folder, GType base, GType other, const ContractTest *tests,
                  gsize n_tests)
{
  gsize n_ids, n_others = 0;
  g_autofree const ReelId **ids = reel_object_list_ids (base, &n_ids);
  g_autofree const ReelId **others =
      other != G_TYPE_INVALID ? reel_object_list_ids (other, &n_others) : NULL;

  g_assert_cmpuint (n_ids, >, 0);
  for (gsize i = 0; i < n_ids; i++)
    for (gsize k = 0; k < n_tests; k++)
      {
        if (is_among (ids[i], others, n_others))
          continue;
        g_autofree char *path = g_strdup_printf ("/%s/%s/%s", folder, ids[i]->id, tests[k].name);

        g_test_add_data_func (path, ids[i]->id, tests[k].run);
      }
}

static gboolean
is_another_name (GType base, const ReelId *id)
{
  const ReelId *found;
  g_autoptr (GTypeClass) klass = g_type_class_ref (reel_registry_find (base, id->id, &found, NULL));

  for (const ReelId *first = REEL_OBJECT_CLASS (klass)->ids; first < id; first++)
    if (g_strcmp0 (first->preset, id->preset) == 0)
      return TRUE;
  return FALSE;
}

const ReelId **
contract_list_kinds (GType base, gsize *n)
{
  gsize n_ids;
  const ReelId **ids = reel_object_list_ids (base, &n_ids);

  *n = 0;
  for (gsize i = 0; i < n_ids; i++)
    if (!is_another_name (base, ids[i]))
      ids[(*n)++] = ids[i];
  ids[*n] = NULL;
  return ids;
}
