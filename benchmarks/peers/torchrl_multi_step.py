"""TorchRL: n-step transitions of CartPole rows in 8 lanes, episodes of 200 on average.

    torchrl_multi_step.py ROWS SECONDS

Prints rows a second.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.data.postprocs import MultiStep  # noqa: E402

torch.set_num_threads(1)
LANES = 8


def make(rows):
    steps = rows // LANES
    torch.manual_seed(1)

    def flags():
        return torch.rand(steps, LANES, 1) < 1 / 200

    td = TensorDict({
        "observation": torch.randn(steps, LANES, 4),
        "next": {
            "observation": torch.randn(steps, LANES, 4), "reward": torch.ones(steps, LANES, 1),
            "done": flags(), "terminated": flags(), "truncated": flags(),
        },
    }, [steps, LANES])
    return td.transpose(0, 1)


def main():
    rows, seconds = int(sys.argv[1]), float(sys.argv[2])
    td, look_ahead = make(rows), MultiStep(gamma=0.99, n_steps=3)
    look_ahead(td)
    done, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        look_ahead(td)
        done += rows
    print(done / (time.monotonic() - begin))


if __name__ == "__main__":
    main()
