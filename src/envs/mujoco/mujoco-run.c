#include "mujoco-run.h"

#include "mujoco-guard.h"

/* MuJoCo writes the text of a lane's first warning where all threads do: none is the first. */
#define NOT_FIRST (1 << 20)

static void
forget_warnings (mjData *data)
{
  for (int i = 0; i < mjNWARNING; i++)
    data->warning[i].number = NOT_FIRST;
}

/* Where MuJoCo finds a bad number it clears all counters but that one's. A bad control it takes as
 * 0, as the tasks do. */
static void
report (ReelMujocoEnv *self, const mjData *data, gint64 lane)
{
  static const char *const words[mjNWARNING] = {
    [mjWARN_INERTIA] = "the inertia matrix is close to singular at degree of freedom",
    [mjWARN_CONTACTFULL] = "the buffer of contacts is full, nconmax =",
    [mjWARN_CNSTRFULL] = "the buffer of constraints is full, njmax =",
    [mjWARN_BADQPOS] = "NaN, infinite or huge, the simulation is unstable: qpos",
    [mjWARN_BADQVEL] = "NaN, infinite or huge, the simulation is unstable: qvel",
    [mjWARN_BADQACC] = "NaN, infinite or huge, the simulation is unstable: qacc",
  };

  for (int i = 0; i < mjNWARNING; i++)
    {
      int number = data->warning[i].number;

      if (number == NOT_FIRST || number == 0 || words[i] == NULL)
        continue;
      g_autofree char *what = g_strdup_printf ("%s %d", words[i], data->warning[i].lastinfo);
      reel_env_report_fault (REEL_ENV (self), lane, what);
    }
}

static gint64
get_lane (const ReelMujocoWork *work, gint64 i)
{
  return work->lanes ? work->lanes[i] : work->begin + i;
}

void
reel_mujoco_run (ReelMujocoEnv *self, ReelMujocoPool *pool, const ReelMujocoWork *work)
{
  const mjModel *model = reel_mujoco_env_get_model (self);
  ReelMujocoSlot *slot = reel_mujoco_pool_take (pool);
  ReelMujocoGuard guard;
  volatile gint64 i = 0;

  reel_mujoco_guard_begin (&guard);
  if (REEL_MUJOCO_CAUGHT (&guard) != 0)
    {
      reel_env_report_fault (REEL_ENV (self), get_lane (work, i), guard.message);
      if (slot->data != NULL)
        mj_resetData (model, slot->data);
      i++;
    }
  for (; i < work->n; i++)
    {
      gint64 lane = get_lane (work, i);

      if (slot->data == NULL)
        slot->data = mj_makeData (model);
      forget_warnings (slot->data);
      work->func (self, slot, lane, work->io);
      report (self, slot->data, lane);
    }
  reel_mujoco_guard_end ();
  reel_mujoco_pool_give (slot);
}

gboolean
reel_mujoco_run_first (ReelMujocoEnv *self, ReelMujocoSlot *slot, GError **error)
{
  ReelMujocoGuard guard;

  reel_mujoco_guard_begin (&guard);
  if (REEL_MUJOCO_CAUGHT (&guard) == 0)
    slot->data = mj_makeData (reel_mujoco_env_get_model (self));
  else
    g_set_error (error, REEL_ERROR, REEL_ERROR_NO_SPACE, "%s: MuJoCo: %s",
                 reel_object_get_id (REEL_OBJECT (self)), guard.message);
  reel_mujoco_guard_end ();
  return slot->data != NULL;
}
