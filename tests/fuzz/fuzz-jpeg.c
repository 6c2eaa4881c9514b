/* JPEG files from any bytes; what is read is read the same again. */
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) image = reel_image_decode_jpeg (data, size, "it", &error);
  g_autoptr (ReelTensor) again = reel_image_decode_jpeg (data, size, "it", NULL);

  if (!image != !!error || !image != !again)
    abort ();
  if (image && !reel_tensor_equal (image, again))
    abort ();
  return 0;
}
