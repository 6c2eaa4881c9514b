/* PNG files from any bytes; what is read is written and read again. */
#include "../../src/reel.h"
#include "fuzz.h"

#include <stdlib.h>

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ReelTensor) image = reel_image_decode_png (data, size, "it", &error);

  if (!image != !!error)
    abort ();
  if (!image && reel_image_decode_png (data, size, "it", NULL))
    abort ();
  if (!image || reel_tensor_nbytes (image) > 1 << 20)
    return 0;

  g_autoptr (GBytes) bytes = reel_image_encode_png (image, &error);
  gsize length = 0;
  const guint8 *written = bytes ? g_bytes_get_data (bytes, &length) : NULL;
  g_autoptr (ReelTensor) again =
      written ? reel_image_decode_png (written, length, "it", &error) : NULL;

  if (!again || !reel_tensor_equal (image, again))
    abort ();
  return 0;
}
