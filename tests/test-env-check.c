/* Every env keeps what it promises; one that does not is found out, and told where. */
#include "contract.h"
#include "counting-env.h"
#include "env-steps.h"
#include "env-text.h"
#include "masked-env.h"
#include "mock-envs.h"
#include "scripted-env.h"
#include "twin-env.h"

#include <string.h>

static void
check (const char *id, const char *arguments)
{
  g_autofree char *text = env_text (id, arguments);
  g_autoptr (ReelEnv) env = env_steps_open (text);
  g_autoptr (GError) error = NULL;

  reel_env_check (env, &error);
  g_assert_no_error (error);
}

static void
test_keeps_promises (gconstpointer id)
{
  check (id, "num-envs=1");
  check (id, "num-envs=3");
}

/* ---- envs that do not ---- */

typedef enum
{
  FAULT_NONE,
  FAULT_UNWRITTEN,  /* leaves a leaf of some lanes as it was */
  FAULT_OUTSIDE,    /* observes what the spec does not allow */
  FAULT_LAST,       /* observes it in the last step of an episode alone, which is no root */
  FAULT_FLAG,       /* a flag of 255 */
  FAULT_TWO,        /* of 2, the least that is none */
  FAULT_NEIGHBOUR,  /* looks at another lane */
  FAULT_STATE,      /* a part of the state is not saved */
  FAULT_UNREPEATED, /* draws from something that no seed reaches */
  N_FAULTS,
} Fault;

static const char *const fault_words[] = { "none", "unwritten", "outside", "last",       "flag",
                                           "two",  "neighbour", "state",   "unrepeated", NULL };

typedef struct
{
  gint32 count, saved;
} Lane;

typedef struct
{
  ReelEnv parent_instance;
  int fault;
} ReelFaultyEnv;

typedef struct
{
  ReelEnvClass parent_class;
} ReelFaultyEnvClass;

GType reel_faulty_env_get_type (void);
G_DEFINE_TYPE (ReelFaultyEnv, reel_faulty_env, REEL_TYPE_ENV)

static gint32 hidden;

static gboolean
setup (ReelEnv *env, GError **error)
{
  reel_env_take_specs (
      env,
      reel_spec_new_from_text (
          "composite:observation=(bounded:low=0,high=100,dtype=int32,shape=[2])", error),
      reel_spec_new_from_text ("composite:action=(binary:shape=[1])", error));
  return reel_env_make_lanes (env, sizeof (Lane), error);
}

static void
seed (ReelEnv *env, gint64 lane, const guint32 *words, gsize n_words)
{
  *(Lane *) reel_env_get_lane (env, lane) = (Lane){ 0 };
}

static void
observe (ReelEnv *env, gint64 lane, gint32 *observation)
{
  const Lane *at = reel_env_get_lane (env, lane);
  int fault = ((ReelFaultyEnv *) env)->fault;

  observation[2 * lane] = at->count;
  if (fault != FAULT_UNWRITTEN || lane != 2)
    observation[2 * lane + 1] = at->saved;
  if (fault == FAULT_OUTSIDE && at->count == 3)
    observation[2 * lane + 1] = 101;
  if (fault == FAULT_UNREPEATED)
    observation[2 * lane + 1] = hidden++ % 100;
  if (fault == FAULT_NEIGHBOUR && lane > 0)
    observation[2 * lane + 1] = ((const Lane *) reel_env_get_lane (env, lane - 1))->count;
}

static void
reset (ReelEnv *env, const gint64 *lanes, gsize n, guint8 *const *observation)
{
  for (gsize i = 0; i < n; i++)
    {
      ((Lane *) reel_env_get_lane (env, lanes[i]))->count = 0;
      observe (env, lanes[i], (gint32 *) (gpointer) observation[0]);
    }
}

static void
step (ReelEnv *env, gint64 begin, gint64 end, const ReelEnvIO *io)
{
  ReelFaultyEnv *self = (ReelFaultyEnv *) env;

  for (gint64 i = begin; i < end; i++)
    {
      Lane *lane = reel_env_get_lane (env, i);

      lane->count++;
      lane->saved = (lane->saved + 1) % 50;
      observe (env, i, (gint32 *) (gpointer) io->observation[0]);
      io->reward[i] = 1;
      io->terminated[i] = lane->count > 4 + i;
      if (self->fault == FAULT_LAST && io->terminated[i])
        ((gint32 *) (gpointer) io->observation[0])[2 * i] = 101;
      if (self->fault == FAULT_FLAG && io->terminated[i])
        io->terminated[i] = 255;
      if (self->fault == FAULT_TWO && io->terminated[i])
        io->terminated[i] = 2;
    }
}

static void
set_state (ReelEnv *env, gint64 lane, gconstpointer state)
{
  Lane *at = reel_env_get_lane (env, lane);
  gint32 saved = at->saved;

  REEL_ENV_CLASS (reel_faulty_env_parent_class)->set_state (env, lane, state);
  if (((ReelFaultyEnv *) env)->fault == FAULT_STATE)
    at->saved = saved;
}

static void
reel_faulty_env_class_init (ReelFaultyEnvClass *klass)
{
  static const ReelId ids[] = { { "Faulty-v0", NULL, "does what it may not" }, { NULL } };
  ReelEnvClass *env_class = REEL_ENV_CLASS (klass);

  REEL_OBJECT_CLASS (klass)->ids = ids;
  reel_object_class_add_enum (REEL_OBJECT_CLASS (klass), "fault",
                              G_STRUCT_OFFSET (ReelFaultyEnv, fault), fault_words, FAULT_NONE,
                              "what it does", REEL_PROPERTY_CONSTRUCT_ONLY);
  env_class->setup = setup;
  env_class->seed = seed;
  env_class->reset = reset;
  env_class->step = step;
  env_class->set_state = set_state;
}

static void
reel_faulty_env_init (ReelFaultyEnv *self)
{
}

static void
test_faults_are_found (void)
{
  static const char *const texts[N_FAULTS] = {
    [FAULT_UNWRITTEN] = "Faulty-v0: \"observation\" of lane 2 in step 0 differs between two runs*",
    [FAULT_OUTSIDE] = "Faulty-v0: \"*observation\" is outside of its spec: *101*100*",
    [FAULT_LAST] = "Faulty-v0: \"next/observation\" is outside of its spec: *101*100*",
    [FAULT_FLAG] = "Faulty-v0: \"next/*\" of lane 0 in step 4 is 255, and must be 0 or 1",
    [FAULT_TWO] = "Faulty-v0: \"next/*\" of lane 0 in step 4 is 2, and must be 0 or 1",
    [FAULT_NEIGHBOUR] = "Faulty-v0: \"*observation\" of lane * depends on which lanes*",
    [FAULT_STATE] =
        "Faulty-v0: \"*observation\" of lane * in step 12 differs when the lane continues*",
    [FAULT_UNREPEATED] = "Faulty-v0: \"observation\" of lane 0 in step 0 differs between two runs*",
  };

  for (Fault fault = FAULT_NONE; fault < N_FAULTS; fault++)
    {
      g_autofree char *text = g_strdup_printf ("Faulty:num-envs=3,fault=%s", fault_words[fault]);
      g_autoptr (ReelEnv) env = env_steps_open (text);
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (reel_env_check (env, &error), ==, fault == FAULT_NONE);
      if (fault == FAULT_NONE)
        continue;
      g_assert_error (error, REEL_ERROR, REEL_ERROR_ASSERTION);
      if (!g_pattern_match_simple (texts[fault], error->message))
        g_error ("\"%s\" is not \"%s\"", error->message, texts[fault]);
    }
}

static const ContractTest contract[] = {
  { "keeps-what-it-promises", test_keeps_promises },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  reel_init ();
  g_type_ensure (REEL_TYPE_COUNTING_ENV);
  g_type_ensure (reel_auto_resetting_counting_env_get_type ());
  g_type_ensure (REEL_TYPE_MASKED_ENV);
  g_type_ensure (REEL_TYPE_TWIN_ENV);
  mock_envs_init ();
  scripted_envs_init ();

  contract_add ("envs/check", REEL_TYPE_ENV, contract, G_N_ELEMENTS (contract));
  g_type_ensure (reel_faulty_env_get_type ());
  g_test_add_func ("/envs/check/faults-are-found", test_faults_are_found);
  return g_test_run ();
}
