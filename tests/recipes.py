"""Runs what `replay info --python` prints of golden directories and of those that programs wrote.

recipes.py GOLDEN WRITTEN: prints TAP.
"""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import warnings

os.environ.setdefault("RL_LOGGING_LEVEL", "ERROR")
warnings.simplefilter("ignore")

golden, written = map(pathlib.Path, sys.argv[1:])
n_tests = 0


def recipe(path):
    run = subprocess.run(
        ["replay", "info", "--python", "--read-only", str(path)], capture_output=True, text=True
    )
    return run.stdout if run.returncode == 0 else None


def rows_of(path):
    """Rows, of an ensemble by member."""
    import json

    said = json.loads(
        subprocess.run(
            ["replay", "info", "--json", "--read-only", str(path)], capture_output=True, text=True
        ).stdout
    )
    return [m["length"] for m in said["members"]] if "members" in said else said["length"]


def load(path, lines):
    names = {}
    exec(lines, names)
    if "rb" not in names:
        names["batch"].clone()  # batches that were saved, and no buffer
        return
    rb, rows = names["rb"], rows_of(path)
    if isinstance(rows, list):
        if [len(rb[i]) for i in range(len(rb))] != rows:
            raise AssertionError("other rows")
        if all(rows) and "cannot sample" not in lines:
            rb.sample(2 * len(rb))
        return
    if len(rb) != rows:
        raise AssertionError(f"{len(rb)} rows, not {rows}")
    rb.sample(2)
    rb[:]


def check(path, name):
    """A comment alone says which command makes it loadable: its copy is."""
    global n_tests
    lines = recipe(path)
    if lines is None or ("H5Storage" in lines and not importlib.util.find_spec("h5py")):
        return
    n_tests += 1
    try:
        if all(line.startswith("#") for line in lines.splitlines()):
            copy = written / f"copy-{n_tests}"
            subprocess.run(
                ["replay", "convert", "--read-only", str(path), str(copy)], check=True, capture_output=True
            )
            path, lines = copy, recipe(copy)
        load(path, lines)
        print(f"ok {n_tests} - {name}", flush=True)
    except Exception as error:
        print(f"not ok {n_tests} - {name}")
        for line in f"{type(error).__name__}: {error}\n{lines}".splitlines():
            print("#", line)


for case in sorted(golden.iterdir()):
    if case.name == "td-tensorclass":  # of a class that only its maker's Python has
        continue
    if (case / "dump").is_dir():  # TorchRL may write to what it loads
        copy = written / "golden" / case.name
        shutil.copytree(case / "dump", copy)
        subprocess.run(["chmod", "-R", "u+w", str(copy)], check=True)
        check(copy, f"golden {case.name}")
for path in sorted(written.iterdir()):
    if (path / "storage").is_dir():
        check(path, path.name)
print(f"1..{n_tests}")
