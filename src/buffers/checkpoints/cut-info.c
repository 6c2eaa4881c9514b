/* The member `cut_rows` of a sidecar's info. */
#include "cut-info.h"

#include "buffer-files.h"

/* The member of that name, made where it is absent or of another kind. */
static json_t *
need_member (json_t *object, const char *key, json_type type)
{
  json_t *member = json_object_get (object, key);

  if (member && json_typeof (member) == type)
    return member;
  member = type == JSON_ARRAY ? json_array () : json_object ();
  json_object_set_new (object, key, member);
  return member;
}

void
reel_cut_info_add (ReelReplayBuffer *self, const char *list, gint64 row)
{
  json_t *record = need_member (reel_buffer_files_get (self)->info, REEL_CUT_INFO, JSON_OBJECT);

  json_array_append_new (need_member (record, list, JSON_ARRAY), json_integer (row));
}

const json_t *
reel_cut_info_get (ReelReplayBuffer *self, const char *list)
{
  const json_t *record = json_object_get (reel_buffer_files_get (self)->info, REEL_CUT_INFO);

  return json_object_get (record, list);
}

void
reel_cut_info_clear (ReelReplayBuffer *self)
{
  json_object_del (reel_buffer_files_get (self)->info, REEL_CUT_INFO);
}
