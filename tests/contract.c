#include "contract.h"

#include "../src/reel.h"

void
contract_add (const char *folder, GType base, const ContractTest *tests, gsize n_tests)
{
  gsize n_ids;
  g_autofree const ReelId **ids = reel_object_list_ids (base, &n_ids);

  g_assert_cmpuint (n_ids, >, 0);
  for (gsize i = 0; i < n_ids; i++)
    for (gsize k = 0; k < n_tests; k++)
      {
        g_autofree char *path = g_strdup_printf ("/%s/%s/%s", folder, ids[i]->id, tests[k].name);

        g_test_add_data_func (path, ids[i]->id, tests[k].run);
      }
}
