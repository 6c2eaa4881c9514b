#include "goal-rows.h"

static void
set_leaf (ReelTensordict *td, const char *path, ReelDtype dtype, gint ndim, gint64 lanes)
{
  gint64 shape[] = { lanes, 1 };
  g_autoptr (ReelTensor) leaf = reel_tensor_new (dtype, ndim, ndim > 1 ? shape : &shape[1], NULL);

  g_assert_true (reel_tensordict_set_tensor (td, path, leaf, NULL));
}

ReelStorage *
goal_new_storage (gint ndim, gint64 steps, gint64 lanes)
{
  g_autofree char *text =
      g_strdup_printf ("tensor:capacity=%" G_GINT64_FORMAT ",ndim=%d", steps * lanes, ndim);
  g_autoptr (ReelTensordict) step = reel_tensordict_new (ndim - 1, &lanes);
  g_autoptr (GError) error = NULL;
  ReelStorage *storage = reel_object_new_from_text (REEL_TYPE_STORAGE, text, &error, NULL);

  set_leaf (step, "achieved_goal", REEL_DTYPE_FLOAT64, ndim, lanes);
  set_leaf (step, "desired_goal", REEL_DTYPE_FLOAT64, ndim, lanes);
  set_leaf (step, "next/desired_goal", REEL_DTYPE_FLOAT64, ndim, lanes);
  set_leaf (step, "next/reward", REEL_DTYPE_FLOAT32, ndim, lanes);
  set_leaf (step, "next/done", REEL_DTYPE_BOOL, ndim, lanes);
  set_leaf (step, "next/terminated", REEL_DTYPE_BOOL, ndim, lanes);
  g_assert_true (reel_storage_allocate (storage, step, &error));
  return storage;
}

/* Step @t of each lane, which achieves the number of its row. */
void
goal_write_step (ReelStorage *storage, gint64 t, GoalEnds ends, guint pattern)
{
  gint64 lanes = reel_storage_get_lanes (storage);
  ReelReservation block;

#define COLUMN(path, type) ((type *) block.columns[reel_storage_find_column (storage, path, NULL)])
  g_assert_true (reel_storage_reserve (storage, 1, &block, NULL));
  for (gint64 lane = 0; lane < lanes; lane++)
    {
      gboolean end = ends (t, lane, pattern);

      COLUMN ("achieved_goal", double)[lane] = (double) (t * lanes + lane);
      COLUMN ("desired_goal", double)[lane] = GOAL_OWN;
      COLUMN ("next/desired_goal", double)[lane] = GOAL_OWN;
      COLUMN ("next/reward", float)[lane] = GOAL_REWARD;
      COLUMN ("next/done", guint8)[lane] = end && t % 2;
      COLUMN ("next/terminated", guint8)[lane] = end;
    }
  reel_storage_commit (storage, &block, 1);
}

double
goal_get (ReelTensordict *td, const char *path, gint64 i)
{
  ReelTensor *leaf = reel_tensordict_get_tensor (td, path, NULL);

  return reel_dtype_load_double (leaf->dtype,
                                 leaf->data + (gsize) i * reel_dtype_size (leaf->dtype));
}
