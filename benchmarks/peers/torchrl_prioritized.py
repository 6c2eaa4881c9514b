"""TorchRL's prioritised buffer: draw 256 of a million rows of CartPole in memory, give them new priorities.

    torchrl_prioritized.py SECONDS

Prints such steps a second.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.data import LazyTensorStorage, TensorDictPrioritizedReplayBuffer  # noqa: E402

ROWS = 1_000_000


def make():
    flag = torch.zeros(ROWS, 1, dtype=torch.bool)
    return TensorDict({
        "observation": torch.rand(ROWS, 4), "action": torch.ones(ROWS, 2, dtype=torch.int64), "done": flag,
        "terminated": flag.clone(), "truncated": flag.clone(),
        ("next", "observation"): torch.rand(ROWS, 4), ("next", "reward"): torch.ones(ROWS, 1),
        ("next", "done"): flag.clone(), ("next", "terminated"): flag.clone(), ("next", "truncated"): flag.clone(),
    }, [ROWS])


def main():
    seconds = float(sys.argv[1])
    buffer = TensorDictPrioritizedReplayBuffer(alpha=0.6, beta=0.4, storage=LazyTensorStorage(ROWS), batch_size=256)
    buffer.extend(make())
    buffer.update_priority(torch.arange(ROWS), torch.rand(ROWS))
    priorities = torch.rand(64, 256)
    for i in range(5):
        buffer.update_priority(buffer.sample()["index"], priorities[i])
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        buffer.update_priority(buffer.sample()["index"], priorities[count % 64])
        count += 1
    print(count / (time.monotonic() - begin))


main()
