#include "orders.h"

static void
swap (gint64 *order, int a, int b)
{
  gint64 kept = order[a];

  order[a] = order[b];
  order[b] = kept;
}

/* The longest tail that falls is the last of its orders: the thing before it moves on. */
gboolean
orders_next (gint64 *order, int n)
{
  int before = n - 2, larger = n - 1;

  while (before >= 0 && order[before] > order[before + 1])
    before--;
  if (before < 0)
    return FALSE;
  while (order[larger] < order[before])
    larger--;
  swap (order, before, larger);
  for (int a = before + 1, b = n - 1; a < b; a++, b--)
    swap (order, a, b);
  return TRUE;
}
