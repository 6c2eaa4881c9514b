"""TorchRL opens what collect wrote of trajectories, and splits plain steps into the same.

collected.py COLLECT: prints TAP.
"""

import os
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("RL_LOGGING_LEVEL", "ERROR")

import torch
from torchrl.collectors.utils import split_trajectories
from torchrl.data import LazyMemmapStorage, ReplayBuffer

warnings.simplefilter("ignore")
FRAMES, ROWS = 300, 60


def collect(folder, lanes, *options):
    path = os.path.join(folder, f"{lanes}{options and options[0]}")
    command = [sys.argv[1], "CartPole", "--seed=3", f"--num-envs={lanes}", f"--frames={FRAMES}", "--quiet"]
    subprocess.run([*command, *options, f"--out={path}"], check=True, stdout=subprocess.DEVNULL)
    return path


def load(path, capacity, ndim):
    buffer = ReplayBuffer(storage=LazyMemmapStorage(capacity, ndim=ndim))
    buffer.loads(path)
    return buffer[:]


def same(ours, theirs):
    keys = set(theirs.keys(True, True))
    assert set(ours.keys(True, True)) == keys, (ours, theirs)
    for key in keys:
        assert ours[key].dtype == theirs[key].dtype and torch.equal(ours[key], theirs[key]), key


def check_lanes(folder, lanes):
    plain = load(collect(folder, lanes), FRAMES + lanes, 2 if lanes > 1 else 1)
    theirs = split_trajectories(plain, prefix="collector")
    same(load(collect(folder, lanes, "--split-trajs", f"--capacity={ROWS}"), ROWS, 1), theirs)
    whole = load(collect(folder, lanes, "--trajs-per-batch=2"), FRAMES + lanes, 1)
    ids = whole["collector", "traj_ids"].unique_consecutive()
    assert len(ids) == len(set(ids.tolist())) == int(whole["next", "done"].sum()) > 0
    for number in ids.tolist():
        row = theirs[theirs["collector", "traj_ids"][:, 0] == number].squeeze(0)
        steps = row[row["collector", "mask"]].exclude(("collector", "mask"))
        same(whole[whole["collector", "traj_ids"] == number], steps)


print("1..2")
with tempfile.TemporaryDirectory() as folder:
    for number, lanes in enumerate((1, 3), 1):
        check_lanes(folder, lanes)
        print(f"ok {number} - trajectories of {lanes} environments are those of TorchRL", flush=True)
