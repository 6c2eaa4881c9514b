"""TorchRL: 400x600x3 bytes to 64x64 gray floats, on one thread. Prints images a second.

    torchrl_images.py SECONDS

Its Resize antialiases. It goes before GrayScale, which is faster there.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.envs.transforms import Compose, GrayScale, Resize, ToTensorImage  # noqa: E402

torch.set_num_threads(1)
IMAGES = 32


def main():
    seconds = float(sys.argv[1])
    chain = Compose(ToTensorImage(in_keys=["pixels"]), Resize(64, 64, in_keys=["pixels"]),
                    GrayScale(in_keys=["pixels"]))
    pixels = torch.randint(0, 256, (IMAGES, 400, 600, 3), dtype=torch.uint8)
    made = chain(TensorDict({"pixels": pixels}, [IMAGES]))["pixels"]
    assert made.shape == (IMAGES, 1, 64, 64) and made.dtype == torch.float32
    done, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        chain(TensorDict({"pixels": pixels}, [IMAGES]))
        done += IMAGES
    print(done / (time.monotonic() - begin))


if __name__ == "__main__":
    main()
