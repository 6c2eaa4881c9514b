#include "reel.h"
#include "core/system/file-ops.h"

#include <glib-object.h>

#define REEL_CLASS(name) extern GType name##_get_type (void);
#include "reel-classes.inc"
#undef REEL_CLASS

void
reel_init (void)
{
#define REEL_CLASS(name) g_type_ensure (name##_get_type ());
#include "reel-classes.inc"
#undef REEL_CLASS
}

void
reel_cancel_writes (void)
{
  reel_file_ops_cancel ();
}
