"""Rings of TorchRL in each of its forms: what it writes is read and written anew by replay, and the
result is what it writes itself, and loads.

trajectory-checkpoints.py REPLAY [FORM…]: prints TAP.
"""

import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import warnings

os.environ.setdefault("RL_LOGGING_LEVEL", "ERROR")

import torch
from tensordict import TensorDict
from torchrl.data import LazyTensorStorage, ReplayBuffer
from torchrl.data.replay_buffers import checkpointers

warnings.simplefilter("ignore")
replay = sys.argv[1]
FORMS = {
    "flat": checkpointers.FlatStorageCheckpointer,
    "nested": checkpointers.NestedStorageCheckpointer,
    "h5": checkpointers.H5StorageCheckpointer,
}
forms = sys.argv[2:] or ["flat", "nested"]


def batch(lanes, first, n, ends):
    """Steps [first, first + n) of lanes; ends: the places of ends, by step and lane."""
    shape = (lanes, n) if lanes > 1 else (n,)
    step = torch.arange(first, first + n).expand(shape)
    lane = torch.arange(lanes).unsqueeze(-1).expand(lanes, n).reshape(shape)
    done = torch.tensor(
        [[(t, i) in ends for t in range(first, first + n)] for i in range(lanes)]
    ).reshape(*shape, 1)
    seen = (step * 10 + lane).unsqueeze(-1).float()
    zeros = torch.zeros_like(done)
    flags = {"done": zeros, "terminated": zeros.clone(), "truncated": zeros.clone()}
    after = {"done": done, "terminated": done.clone(), "truncated": zeros.clone()}
    seen_next = torch.where(done, seen + 1000, seen + 10)
    return TensorDict(
        {
            "observation": torch.cat([seen, seen + 0.5], -1),
            "action": step * 10 + lane,
            "collector": {"traj_ids": torch.zeros(shape, dtype=torch.int64)},
            **flags,
            "next": {
                "observation": torch.cat([seen_next, seen_next + 0.5], -1),
                "reward": -seen,
                **after,
            },
        },
        shape,
    )


def new_buffer(lanes, capacity, checkpointer=None):
    storage = LazyTensorStorage(capacity * lanes, ndim=2 if lanes > 1 else 1)
    return ReplayBuffer(storage=storage, checkpointer=checkpointer)


def filled(lanes, capacity, written, ends, checkpointer=None):
    buffer = new_buffer(lanes, capacity, checkpointer)
    for step in range(written):
        buffer.extend(batch(lanes, step, 1, ends))
        if step == 0:  # what is never written is anything in memory
            whole = buffer._storage._storage
            whole[1:] = whole[1:].clone().zero_()
    return buffer


def convert(source, target, *options):
    run = subprocess.run(
        [replay, "convert", str(source), str(target), *options], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return run.stderr


def files(folder):
    kept = {}
    for path in sorted(p for p in (folder / "storage").rglob("*") if p.is_file()):
        data = path.read_bytes()
        kept[str(path.relative_to(folder))] = json.loads(data) if path.suffix == ".json" else data
    return kept


def groups(path):
    """An HDF5 file as plain values."""
    import h5py

    found = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, node: found.update(
                {name: (str(node.dtype), node.dtype.metadata, node.shape, node[()].tobytes())}
                if isinstance(node, h5py.Dataset)
                else {name: None}
            )
        )
    return found


def assert_same(a, b, valid):
    keys = set(a.keys(True, True))
    assert keys == set(b.keys(True, True)), keys ^ set(b.keys(True, True))
    for key in keys:
        assert a[key].dtype == b[key].dtype, key
        assert torch.equal(a[key][:valid], b[key][:valid]), (key, a[key], b[key])


def assert_not_loadable(folder, buffer):
    """TorchRL cannot load what it wrote of several lanes whose newest step is in the last slot."""
    try:
        buffer.loads(folder)
    except RuntimeError as fault:
        assert "must match the size" in str(fault), fault
    else:
        raise AssertionError("TorchRL loads a full ring that ends in the last slot")


def check(folder, form, lanes, capacity, written, ends):
    make = FORMS[form]
    plain = filled(lanes, capacity, written, ends)
    theirs = filled(lanes, capacity, written, ends, make())
    plain.dumps(folder / "plain")
    theirs.dumps(folder / "theirs")
    told = convert(folder / "plain", folder / "ours", "--checkpointer", form)
    assert not told, told
    convert(folder / "theirs", folder / "back", "--checkpointer", "tensor")
    if form == "h5":
        name = "storage/checkpoint.h5"
        assert groups(folder / "theirs" / name) == groups(folder / "ours" / name)
        assert sorted(files(folder / "ours")) == [name]
    else:
        assert files(folder / "theirs") == files(folder / "ours")
    expected = plain._storage._storage
    valid = min(written, capacity)
    loadable = lanes == 1 or written < capacity or written % capacity
    if not loadable:
        assert_not_loadable(folder / "theirs", new_buffer(lanes, capacity, make()))
    for name, checkpointer in (("ours", make()), ("back", None)):
        if checkpointer and not loadable:
            continue
        loaded = new_buffer(lanes, capacity, checkpointer)
        loaded.loads(folder / name)
        assert len(loaded) == len(plain) and loaded._writer._cursor == plain._writer._cursor
        assert_same(loaded._storage._storage, expected, valid)


def cases():
    """Every ring of one lane and three steps; some others."""
    for written in range(1, 6):
        for picked in itertools.product((0, 1), repeat=min(written, 3)):
            first = max(written - 3, 0)
            yield 1, 3, written, {(first + i, 0) for i, end in enumerate(picked) if end}
    draw = random.Random(1)
    for _ in range(20):
        lanes, capacity = draw.choice((1, 2, 3)), draw.randint(2, 13)
        written = draw.randint(1, 2 * capacity)
        yield lanes, capacity, written, {
            (t, i) for t in range(written) for i in range(lanes) if draw.random() < 0.3
        }


def run():
    every = list(cases())
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    print(f"1..{len(forms)}")
    failed = False
    for number, form in enumerate(forms, 1):
        try:
            for case in every:
                with tempfile.TemporaryDirectory(dir=memory) as folder:
                    check(pathlib.Path(folder), form, *case)
            print(f"ok {number} - {len(every)} rings are {form} alike here and there")
        except Exception as fault:
            failed = True
            print(f"not ok {number} - rings are {form} alike here and there\n# {case}")
            print("# " + f"{type(fault).__name__}: {fault}".replace("\n", "\n# "))
    return failed


sys.exit(run())
