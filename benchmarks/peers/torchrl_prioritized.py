"""TorchRL's prioritised buffer: draw 256 of a million rows of CartPole in memory, give them new priorities.

    torchrl_prioritized.py SECONDS [alone]

Ten keys a row, as ours. Its priorities are float32, for the buffer fails with others; ours are float64. `alone` draws
rows and weights with the sampler, float64, and copies nothing. Prints such steps a second.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.data import LazyTensorStorage, PrioritizedSampler, TensorDictPrioritizedReplayBuffer  # noqa: E402

ROWS = 1_000_000


def make():
    flag = torch.zeros(ROWS, 1, dtype=torch.bool)
    return TensorDict({
        "observation": torch.rand(ROWS, 4), "action": torch.ones(ROWS, 2, dtype=torch.int64), "done": flag,
        "terminated": flag.clone(), "truncated": flag.clone(),
        ("next", "observation"): torch.rand(ROWS, 4), ("next", "reward"): torch.ones(ROWS, 1),
        ("next", "done"): flag.clone(), ("next", "terminated"): flag.clone(), ("next", "truncated"): flag.clone(),
    }, [ROWS])


def whole():
    buffer = TensorDictPrioritizedReplayBuffer(alpha=0.6, beta=0.4, storage=LazyTensorStorage(ROWS), batch_size=256)
    buffer.extend(make())
    buffer.update_priority(torch.arange(ROWS), torch.rand(ROWS))
    priorities = torch.rand(64, 256)
    return lambda i: buffer.update_priority(buffer.sample()["index"], priorities[i])


def alone():
    storage = LazyTensorStorage(ROWS)
    storage.set(range(ROWS), torch.zeros(ROWS, dtype=torch.bool))
    sampler = PrioritizedSampler(ROWS, alpha=0.6, beta=0.4, dtype=torch.float64)
    sampler.extend(torch.arange(ROWS))
    sampler.update_priority(torch.arange(ROWS), torch.rand(ROWS, dtype=torch.float64))
    priorities = torch.rand(64, 256, dtype=torch.float64)
    return lambda i: sampler.update_priority(sampler.sample(storage, 256)[0], priorities[i])


def main():
    seconds = float(sys.argv[1])
    step = alone() if sys.argv[2:] == ["alone"] else whole()
    for i in range(5):
        step(i)
    count, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        step(count % 64)
        count += 1
    print(count / (time.monotonic() - begin))


main()
