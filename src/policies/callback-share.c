#include "callback-share.h"

#include "../specs/spec-kind.h"

/* Columns of a kind: a worker's begin further on than those of all lanes. */
typedef struct
{
  gsize *offsets; /* by leaf: bytes to the first lane */
  gpointer *at;   /* by leaf */
  gsize n;
} Columns;

struct _ReelCallbackShare
{
  ReelPolicy parent_instance;

  ReelCallbackShareOptions options;
  gint64 n_lanes;
  Columns observation, state, action, output, next_state;
};

G_DECLARE_FINAL_TYPE (ReelCallbackShare, reel_callback_share, REEL, CALLBACK_SHARE, ReelPolicy)
G_DEFINE_FINAL_TYPE (ReelCallbackShare, reel_callback_share, REEL_TYPE_POLICY)

static void
columns_clear (Columns *columns)
{
  g_free (columns->offsets);
  g_free (columns->at);
  *columns = (Columns){ 0 };
}

static void
columns_init (Columns *columns, const ReelSpec *specs, gint64 first)
{
  g_auto (GStrv) paths = specs ? reel_spec_list_leaves (specs) : g_new0 (char *, 1);

  columns_clear (columns);
  columns->n = g_strv_length (paths);
  columns->offsets = g_new (gsize, columns->n + 1);
  columns->at = g_new0 (gpointer, columns->n + 1);
  for (gsize i = 0; i < columns->n; i++)
    columns->offsets[i] =
        (gsize) first * reel_spec_row_bytes (reel_spec_get (specs, paths[i], NULL));
}

/* shift: the columns of all lanes at @all to the share's. */
static gpointer
shift (const Columns *columns, gconstpointer all)
{
  guint8 *const *from = all;

  for (gsize i = 0; i < columns->n; i++)
    columns->at[i] = from[i] + columns->offsets[i];
  return columns->at;
}

static gboolean
bind (ReelPolicy *policy, const ReelSpec *observation, const ReelSpec *action, gint64 n_lanes,
      GError **error)
{
  ReelCallbackShare *self = REEL_CALLBACK_SHARE (policy);
  const ReelSpec *outputs = self->options.outputs, *state = self->options.state;
  gint64 first = self->options.first;

  self->n_lanes = n_lanes;
  columns_init (&self->observation, observation, first);
  columns_init (&self->state, state, first);
  columns_init (&self->action, action, first);
  columns_init (&self->output, outputs, first);
  columns_init (&self->next_state, state, first);
  reel_policy_declare (policy, outputs ? reel_spec_ref ((ReelSpec *) outputs) : NULL,
                       state ? reel_spec_ref ((ReelSpec *) state) : NULL);
  return TRUE;
}

static gboolean
act (ReelPolicy *policy, gint64 step, gint64 begin, gint64 end, const ReelPolicyIO *io,
     GError **error)
{
  const ReelCallbackShare *self = (ReelCallbackShare *) policy;
  const ReelPolicyIO own = {
    .observation = shift (&self->observation, io->observation),
    .state = shift (&self->state, io->state),
    .action = shift (&self->action, io->action),
    .output = shift (&self->output, io->output),
    .next_state = shift (&self->next_state, io->next_state),
    .exploration = io->exploration,
  };

  g_return_val_if_fail (begin == self->options.first && end == begin + self->n_lanes, FALSE);
  return self->options.call (self->options.whole, step, self->n_lanes, &own, error);
}

static void
finalize (GObject *object)
{
  ReelCallbackShare *self = REEL_CALLBACK_SHARE (object);

  columns_clear (&self->observation);
  columns_clear (&self->state);
  columns_clear (&self->action);
  columns_clear (&self->output);
  columns_clear (&self->next_state);
  g_object_unref (self->options.whole);
  G_OBJECT_CLASS (reel_callback_share_parent_class)->finalize (object);
}

static void
reel_callback_share_class_init (ReelCallbackShareClass *klass)
{
  REEL_POLICY_CLASS (klass)->bind = bind;
  REEL_POLICY_CLASS (klass)->act = act;
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
reel_callback_share_init (ReelCallbackShare *self)
{
}

ReelPolicy *
reel_callback_share_new (const ReelCallbackShareOptions *options)
{
  ReelCallbackShare *self =
      g_initable_new (reel_callback_share_get_type (), NULL, NULL, "id", "callback", NULL);

  self->options = *options;
  g_object_ref (options->whole);
  return REEL_POLICY (self);
}
