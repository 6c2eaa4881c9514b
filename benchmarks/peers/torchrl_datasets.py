"""A dataset of D4RL, from its raw file to TorchRL's memory-mapped one.

    torchrl_datasets.py make MEGABYTES plain|gzip FOLDER    writes halfcheetah_medium-v2.hdf5
    torchrl_datasets.py run FOLDER OUT                      imports it to OUT, and prints the seconds

The raw file is taken from FOLDER in the place of a download; all else is TorchRL's own.
"""
import os
import sys
import time

import h5py
import numpy as np

ID, FILE = "halfcheetah-medium-v2", "halfcheetah_medium-v2.hdf5"
WIDTHS = {"observations": 17, "actions": 6, "rewards": 0}
ROW_BYTES, LENGTH = 98, 1000


def make(megabytes, kind, folder):
    """Episodes of 1000 steps, of numbers that gzip halves."""
    n = int(megabytes * 1e6 / ROW_BYTES) // LENGTH * LENGTH
    random = np.random.default_rng(0)
    options = {"compression": "gzip"} if kind == "gzip" else {}
    with h5py.File(f"{folder}/{FILE}", "w") as file:
        for name, width in WIDTHS.items():
            numbers = random.integers(0, 1 << 12, (n, width) if width else n) / np.float32(1 << 12)
            file.create_dataset(name, data=numbers.astype(np.float32), **options)
        for name, last in (("terminals", False), ("timeouts", True)):
            file.create_dataset(name, data=np.arange(n) % LENGTH == LENGTH - 1 if last else np.zeros(n, bool), **options)


def run(folder, out):
    from torchrl.data.datasets import D4RLExperienceReplay, d4rl

    d4rl._download_dataset_from_url = lambda url, path: f"{folder}/{FILE}"
    begin = time.monotonic()
    data = D4RLExperienceReplay(ID, batch_size=256, root=out, direct_download=True)
    seconds = time.monotonic() - begin
    assert len(data) > 0 and os.path.isdir(f"{out}/{ID}")
    print(seconds)


make(float(sys.argv[2]), *sys.argv[3:]) if sys.argv[1] == "make" else run(*sys.argv[2:])
