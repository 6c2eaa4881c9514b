#include "object.h"

#include "property.h"

typedef struct
{
  char *id;
} ReelObjectPrivate;

static void initable_init (GInitableIface *iface);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (ReelObject, reel_object, G_TYPE_OBJECT,
                                  G_ADD_PRIVATE (ReelObject)
                                      G_IMPLEMENT_INTERFACE (G_TYPE_INITABLE, initable_init))

enum
{
  PROP_ID = 1
};

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ReelObjectPrivate *priv = reel_object_get_instance_private (REEL_OBJECT (object));

  priv->id = g_value_dup_string (value);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_string (value, reel_object_get_id (REEL_OBJECT (object)));
}

static void
finalize (GObject *object)
{
  ReelObjectPrivate *priv = reel_object_get_instance_private (REEL_OBJECT (object));

  reel_property_clear_fields (object);
  g_free (priv->id);
  G_OBJECT_CLASS (reel_object_parent_class)->finalize (object);
}

static gboolean
build (ReelObject *self, GError **error)
{
  return TRUE;
}

static gboolean
init (GInitable *initable, GCancellable *cancellable, GError **error)
{
  ReelObject *self = REEL_OBJECT (initable);

  return REEL_OBJECT_GET_CLASS (self)->build (self, error);
}

static void
initable_init (GInitableIface *iface)
{
  iface->init = init;
}

static void
reel_object_class_init (ReelObjectClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->finalize = finalize;
  klass->kind = "object";
  klass->build = build;
  klass->to_text = reel_object_id_and_properties;

  g_object_class_install_property (
      object_class, PROP_ID,
      g_param_spec_string ("id", NULL, "the id that it was made by", NULL,
                           G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS));
}

static void
reel_object_init (ReelObject *self)
{
}

const char *
reel_object_get_id (ReelObject *self)
{
  ReelObjectPrivate *priv = reel_object_get_instance_private (self);

  g_return_val_if_fail (REEL_IS_OBJECT (self), NULL);

  return priv->id ? priv->id : G_OBJECT_TYPE_NAME (self);
}
