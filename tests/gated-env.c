#include "gated-env.h"

#include "../src/core/system/gate.h"
#include "../src/core/system/mapping.h"

/* A gate is advanced once for each step that may pass. */
typedef struct
{
  ReelGate passes;
  atomic_int is_shut;
  atomic_uint n_passed;
} Gate;

struct _ReelGatedEnv
{
  ReelEnv parent_instance;
};

G_DEFINE_FINAL_TYPE (ReelGatedEnv, reel_gated_env, REEL_TYPE_ENV)

/* In memory that worker processes share. */
static Gate *gates;

void
gated_env_init (void)
{
  ReelMapping mapping;

  g_type_ensure (REEL_TYPE_GATED_ENV);
  g_assert_true (reel_mapping_new_shared (GATED_LANES * sizeof (Gate), &mapping));
  gates = (Gate *) (gpointer) mapping.data;
  for (gint64 lane = 0; lane < GATED_LANES; lane++)
    gates[lane].passes.shared = TRUE;
}

/* Passes that nobody took belong to the past. */
void
gated_env_shut (gint64 lane)
{
  Gate *gate = &gates[lane];

  atomic_store (&gate->n_passed, reel_gate_value (&gate->passes));
  atomic_store (&gate->is_shut, TRUE);
}

void
gated_env_let_through (gint64 lane)
{
  reel_gate_advance (&gates[lane].passes);
}

void
gated_env_open (void)
{
  for (gint64 lane = 0; lane < GATED_LANES; lane++)
    {
      atomic_store (&gates[lane].is_shut, FALSE);
      reel_gate_advance (&gates[lane].passes);
    }
}

static void
wait_at (Gate *gate)
{
  guint seen = atomic_load (&gate->n_passed);

  if (!atomic_load (&gate->is_shut))
    return;
  reel_gate_wait (&gate->passes, seen, -1);
  atomic_store (&gate->n_passed, seen + 1);
}

static gboolean
setup (ReelEnv *env, GError **error)
{
  const gint64 one[] = { 1 };
  g_autoptr (ReelSpec) count = reel_unbounded_spec_new (REEL_DTYPE_INT64, 1, one, error);
  g_autoptr (ReelSpec) action = reel_categorical_spec_new (3, REEL_DTYPE_INT64, 0, NULL, error);

  reel_env_take_specs (env,
                       reel_composite_spec_new (0, NULL, (const char *const[]){ "count", NULL },
                                                (ReelSpec *const[]){ count }, 1, error),
                       reel_composite_spec_new (0, NULL, (const char *const[]){ "action", NULL },
                                                (ReelSpec *const[]){ action }, 1, error));
  return reel_env_make_lanes (env, sizeof (gint64), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  *(gint64 *) reel_env_get_lane (env, lane) = 0;
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      *(gint64 *) reel_env_get_lane (env, lanes[i]) = 0;
      ((gint64 *) (gpointer) observation[0])[lanes[i]] = 0;
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  for (gint64 lane = begin; lane < end; lane++)
    {
      gint64 *count = reel_env_get_lane (env, lane);

      wait_at (&gates[lane]);
      ++*count;
      ((gint64 *) (gpointer) io->observation[0])[lane] = *count;
      io->reward[lane] = (float) ((const gint64 *) (gconstpointer) io->action[0])[lane];
      io->terminated[lane] = *count == 3 + lane;
    }
}

static void
reel_gated_env_class_init (ReelGatedEnvClass *klass)
{
  static const ReelId ids[] = { { "Gated-v0", NULL, "waits at gates" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  env_class->source = "none";
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
}

static void
reel_gated_env_init (ReelGatedEnv *self)
{
}
