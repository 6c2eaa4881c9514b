"""tensordict and TorchRL's specs: what bench-tensordict and bench-specs measure of ours.

    tensordict_ops.py WORD SECONDS [OUT]

Prints units a second: leaves for get, view and select; bytes for stack, save, draw and is_in; leaves for load.
"""
import itertools
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from tensordict import TensorDict  # noqa: E402
from torchrl.data import Bounded  # noqa: E402

torch.set_num_threads(1)
KEYS = ["observation", "action", "done", "terminated", "truncated", "step_count", "traj_ids",
        ("next", "observation"), ("next", "reward"), ("next", "done"), ("next", "terminated"),
        ("next", "truncated")]


def make(rows, columns):
    td = TensorDict({}, [rows])
    for key in KEYS:
        td[key] = torch.ones(rows, columns)
    return td


def get(out):
    td = make(8, 4)
    return len(KEYS), lambda: [td[key] for key in KEYS]


def view(out):
    td = make(8, 4)
    return len(KEYS), lambda: td[1:3]


def select(out):
    td = make(8, 4)
    return len(KEYS), lambda: td.select(*KEYS)


def stack(out):
    tds = [make(22, 1024) for _ in range(32)]
    return 32 * len(KEYS) * 22 * 4096, lambda: torch.stack(tds, 0)


def sync(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            file = os.open(os.path.join(parent, name), os.O_RDONLY)
            os.fsync(file)
            os.close(file)


def save(out):
    """Each time into a new folder and onto the disk, as ours."""
    td, count = make(21845, 1024), itertools.count()

    def once():
        path = os.path.join(out, f"saved{next(count)}")
        td.memmap(path, num_threads=2)
        sync(path)

    return len(KEYS) * 21845 * 4096, once


def load(out):
    path = os.path.join(out, "many")
    TensorDict({f"leaf{i}": torch.ones(16) for i in range(1000)}, [16]).memmap(path)
    return 1000, lambda: TensorDict.load_memmap(path)


def draw(out):
    spec, rows = Bounded(-1, 1, (4,), dtype=torch.float32), 1 << 22
    return rows * 16, lambda: spec.rand((rows,))


def is_in(out):
    spec = Bounded(-1, 1, (4,), dtype=torch.float32)
    values = spec.rand((1 << 22,))
    return values.nbytes, lambda: spec.is_in(values)


def main():
    word, seconds = sys.argv[1], float(sys.argv[2])
    out = sys.argv[3] if len(sys.argv) > 3 else "."
    os.makedirs(out, exist_ok=True)
    units, once = globals()[word](out)
    once()
    done, begin = 0, time.monotonic()
    while time.monotonic() - begin < seconds:
        once()
        done += units
    print(done / (time.monotonic() - begin))


if __name__ == "__main__":
    main()
