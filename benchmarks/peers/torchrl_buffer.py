"""TorchRL's replay buffer of a million rows of CartPole in memory.

    torchrl_buffer.py add|extend|sample SECONDS

Prints calls a second: of one row added, of a thousand added, of batches of 256 drawn.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.data import LazyTensorStorage, TensorDictReplayBuffer  # noqa: E402

ROWS = 1_000_000
BLOCK = 1000


def make(n):
    flag = torch.zeros(n, 1, dtype=torch.bool)
    return TensorDict({
        "observation": torch.rand(n, 4), "action": torch.ones(n, 2, dtype=torch.int64), "done": flag,
        "terminated": flag.clone(), "truncated": flag.clone(),
        ("next", "observation"): torch.rand(n, 4), ("next", "reward"): torch.ones(n, 1),
        ("next", "done"): flag.clone(), ("next", "terminated"): flag.clone(), ("next", "truncated"): flag.clone(),
    }, [n])


def main():
    seconds = float(sys.argv[2])
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(ROWS), batch_size=256)
    buffer.extend(make(ROWS))
    block = make(BLOCK)
    row = block[0]
    call = {"add": lambda: buffer.add(row), "extend": lambda: buffer.extend(block), "sample": buffer.sample}[sys.argv[1]]
    for _ in range(5):
        call()
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        call()
        count += 1
    print(count / (time.monotonic() - begin))


main()
