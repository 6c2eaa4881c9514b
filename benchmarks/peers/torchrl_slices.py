"""TorchRL's SliceSampler: 256 slices of 64 steps of rows of CartPole in memory, episodes of 100 to 300.

    torchrl_slices.py fresh|cached ROWS SECONDS

Prints batches a second; `cached` keeps the bounds of trajectories between draws.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.data import LazyTensorStorage, SliceSampler, TensorDictReplayBuffer  # noqa: E402


def make(rows):
    lengths = torch.randint(100, 301, (rows // 100,))
    ids = torch.repeat_interleave(torch.arange(len(lengths)), lengths)[:rows]
    done = torch.zeros(rows, 1, dtype=torch.bool)
    done[:-1, 0] = ids[1:] != ids[:-1]
    flag = torch.zeros(rows, 1, dtype=torch.bool)
    return TensorDict({
        "observation": torch.rand(rows, 4), "action": torch.ones(rows, 2, dtype=torch.int64), "done": flag,
        "terminated": flag.clone(), "truncated": flag.clone(), ("collector", "traj_ids"): ids,
        ("next", "observation"): torch.rand(rows, 4), ("next", "reward"): torch.ones(rows, 1),
        ("next", "done"): done, ("next", "terminated"): done.clone(), ("next", "truncated"): flag.clone(),
    }, [rows])


def main():
    cached, rows, seconds = sys.argv[1] == "cached", int(sys.argv[2]), float(sys.argv[3])
    sampler = SliceSampler(num_slices=256, end_key=("next", "done"), cache_values=cached)
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(rows), sampler=sampler, batch_size=256 * 64)
    buffer.extend(make(rows))
    for _ in range(5):
        buffer.sample()
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        buffer.sample()
        count += 1
    print(count / (time.monotonic() - begin))


main()
