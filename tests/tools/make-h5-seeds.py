#!/usr/bin/env python3
"""Writes seeds of tests/fuzz/fuzz-h5 with h5py: small files of three rows in two trajectories, and room for one, each with one thing that is
read in another way than the rest, or refused."""
import pathlib
import sys
import tempfile

import h5py
import numpy as np

OUT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "fuzz/corpus/h5")
ROWS = (0, 2), (1, 1), (2, 1)  # of each trajectory; the last is what was never written


def value(file, name, data, dtype="<i8"):
    data = np.array(data, dtype=dtype)
    file.create_dataset(name, data=data.astype(h5py.opaque_dtype(data.dtype)))


def trajectory(file, name, done, observation, **options):
    group = file.create_group(name)
    group.create_dataset("done", data=np.array(done, dtype=bool).reshape(-1, 1))
    group.create_dataset("observation", data=np.array(observation, dtype="<f4").reshape(-1, 2), **options)
    return group


def good(file, **options):
    for name, data in {"_len": 3, "shift": 3, "_storage_shape": [4]}.items():
        value(file, name, data)
    value(file, "is_full", False, "bool")
    trajectory(file, "traj_0", [0, 1], range(6), **options)
    trajectory(file, "traj_1", [0], range(4), **options)
    trajectory(file, "traj_2", [0], range(2), **options)


def replace(file, path, data, **options):
    del file[path]
    return file.create_dataset(path, data=data, **options)


def no_trajectories(file):
    del file["traj_0"], file["traj_1"], file["traj_2"]


def all_types(file):
    for number, rows in ROWS:
        for dtype in "bool u1 i1 i2 i4 i8 u2 u4 u8 f2 f4 f8 c8 c16".split():
            file[f"traj_{number}/{dtype}"] = np.arange(rows).astype(dtype)


def other_byte_order(file):
    for number, rows in ROWS:
        file[f"traj_{number}/big"] = np.arange(rows, dtype=">i4")


def compact(file):
    layout = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    layout.set_layout(h5py.h5d.COMPACT)
    for number, rows in ROWS:
        data = np.arange(rows, dtype="<i4")
        h5py.h5d.create(file[f"traj_{number}"].id, b"compact", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((rows,)),
                        layout).write(h5py.h5s.ALL, h5py.h5s.ALL, data)


def never_written(file):
    for number, rows in ROWS:
        file[f"traj_{number}"].create_dataset("late", (rows,), "<i4")


def without_elements(file):
    for number, rows in ROWS:
        file[f"traj_{number}"].create_dataset("none", (rows, 0), "<i4", chunks=(1, 1), maxshape=(rows, None))


def nested(file, levels=1):
    for number, rows in ROWS:
        file[f"traj_{number}/" + "n/" * levels + "a b"] = np.arange(rows)


def twice_as_large(file):
    file["traj_0"].create_dataset("big", (2**40, 2), "<f4")


def squeezed_bomb(file):
    for number, _ in ROWS:
        replace(file, f"traj_{number}/observation", None, shape=(2**40, 2), dtype="<f4", chunks=(1024, 2), compression="gzip")


def extents_overflow(file):
    file["traj_0"].create_dataset("big", (2**40, 2**40), "<f4", chunks=(1, 1))


def other_file(file):
    file["traj_0"].create_dataset("outside", (2,), "<f4", external=[("/etc/passwd", 0, 8)])


def virtual(file):
    layout = h5py.VirtualLayout((2,), "<f4")
    layout[:] = h5py.VirtualSource("other.h5", "a", shape=(2,))
    file["traj_0"].create_virtual_dataset("virtual", layout)


def soft_link(file):
    file["traj_0/link"] = h5py.SoftLink("/traj_0/done")


def external_link(file):
    file["elsewhere"] = h5py.ExternalLink("other.h5", "/")


def soft_trajectory(file):
    file.move("traj_1", "other")
    file["traj_1"] = h5py.SoftLink("/other")


def soft_rows(file):
    del file["traj_1/observation"]
    file["traj_1/observation"] = h5py.SoftLink("/traj_0/done")


def loop(file):
    file["traj_0/again"] = file["traj_0"]


def shared(file):
    for number, _ in ROWS:
        file[f"traj_{number}/again"] = file[f"traj_{number}/done"]


def committed_type(file):
    file["traj_0/type"] = np.dtype("<i4")


def full(file):
    del file["is_full"], file["_len"], file["traj_1"], file["traj_2"]
    value(file, "is_full", True, "bool")
    value(file, "_len", 4)
    trajectory(file, "traj_1", [0, 0], range(6))


def no_integer(file):
    replace(file, "shift", "three")


def opaque(dtype, data):
    def change(file):
        del file["shift"]
        value(file, "shift", data, dtype)
    return change


def no_elements(file):
    del file["shift"]
    file.create_dataset("shift", data=h5py.Empty(h5py.opaque_dtype(np.dtype("<i8"))))


def wrong_checksum(file):
    data = file["_storage_shape"][()]
    shape = replace(file, "_storage_shape", data, chunks=(1,), fletcher32=True)
    file.flush()
    place = shape.id.get_chunk_info(0).byte_offset
    return lambda image: image[:place] + b"\x05" + image[place + 1:]


def three_byte_integer(file):
    kind = h5py.h5t.STD_I32LE.copy()
    kind.set_size(3)
    h5py.h5d.create(file["traj_0"].id, b"odd", kind, h5py.h5s.create_simple((2,)))


def set_to(path, data, **options):
    return lambda file: replace(file, path, data, **options)


def remove(*paths):
    def change(file):
        for path in paths:
            del file[path]
    return change


def number(name, data):
    def change(file):
        del file[name]
        value(file, name, data)
    return change


SEEDS = {
    "good": None,
    "all-types": all_types,
    "no-trajectories": no_trajectories,
    "byte-order": other_byte_order,
    "compact-rows": compact,
    "rows-never-written": never_written,
    "rows-without-elements": without_elements,
    "nested-rows": nested,
    "nested-too-deep": lambda file: nested(file, 40),
    "rows-in-two-places": shared,
    "rows-larger-than-file": twice_as_large,
    "rows-squeezed-without-end": squeezed_bomb,
    "rows-overflow": extents_overflow,
    "rows-in-another-file": other_file,
    "rows-virtual": virtual,
    "rows-fewer": set_to("traj_1/observation", np.zeros((0, 2), "<f4")),
    "rows-two-more": set_to("traj_1/observation", np.zeros((3, 2), "<f4")),
    "rows-other-features": set_to("traj_1/observation", np.zeros((1, 3), "<f4")),
    "rows-other-type": set_to("traj_1/observation", np.zeros((1, 2), "<f8")),
    "rows-larger-in-the-second": set_to("traj_1/observation", None, shape=(2**40, 2), dtype="<f4"),
    "rows-scalar": set_to("traj_0/observation", np.float32(1)),
    "rows-null": set_to("traj_0/observation", h5py.Empty("<f4")),
    "rows-of-text": set_to("traj_0/observation", "text"),
    "rows-of-enum": set_to("traj_0/observation", np.zeros(2, h5py.enum_dtype({"A": 1}, "i1"))),
    "rows-of-record": set_to("traj_0/observation", np.zeros(2, [("x", "<f4"), ("y", "<f4")])),
    "rows-of-odd-integers": three_byte_integer,
    "rows-long-double": set_to("traj_0/observation", np.zeros((2, 2), np.longdouble)),
    "done-missing": remove("traj_0/done"),
    "done-missing-in-the-second": remove("traj_1/done"),
    "done-is-a-group": lambda file: (remove("traj_1/done")(file), file.create_group("traj_1/done")),
    "done-without-end": set_to("traj_0/done", np.zeros((2, 1), bool)),
    "done-in-the-middle": set_to("traj_0/done", np.ones((2, 1), bool)),
    "trajectory-is-rows": set_to("traj_0", np.zeros(2)),
    "second-trajectory-is-rows": set_to("traj_1", np.zeros(2)),
    "trajectory-empty": lambda file: (remove("traj_0")(file), file.create_group("traj_0")),
    "trajectories-out-of-order": lambda file: file.move("traj_0", "traj_7"),
    "link-soft": soft_link,
    "link-external": external_link,
    "link-soft-trajectory": soft_trajectory,
    "link-soft-rows": soft_rows,
    "link-loop": loop,
    "type-committed": committed_type,
    "value-group-beside": lambda file: file.create_group("beside"),
    "value-numbers-beside": lambda file: file.create_dataset("beside", data=[1]),
    "value-text": no_integer,
    "value-other-tag": opaque("<u4", 3),
    "value-table": opaque("<i8", [[3]]),
    "value-flags": opaque("bool", [True]),
    "value-many-numbers": opaque("<i8", range(100)),
    "value-missing": remove("shift"),
    "value-without-elements": no_elements,
    "value-with-wrong-checksum": wrong_checksum,
    "length-missing": remove("_len"),
    "length-list": number("_len", [3]),
    "length-negative": number("_len", -1),
    "length-more": number("_len", 4),
    "length-none": number("_len", 0),
    "shift-beyond": number("shift", 5),
    "shift-less": number("shift", 2),
    "shape-larger": number("_storage_shape", [5]),
    "shape-two": number("_storage_shape", [2, 2]),
    "shape-huge": number("_storage_shape", [2**62, 4]),
    "rows-without-one-more": set_to("traj_1/observation", np.zeros((1, 2), "<f4")),
    "full": full,
}


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, change in [*SEEDS.items(), ("squeezed-rows", None)]:
        with tempfile.NamedTemporaryFile(suffix=".h5") as image:
            options = {"compression": "gzip", "chunks": (1, 2)} if name == "squeezed-rows" else {}
            with h5py.File(image.name, "w", libver=("v108", "v110")) as file:
                good(file, **options)
                damage = change(file) if change else None
            content = pathlib.Path(image.name).read_bytes()
            (OUT / name).write_bytes(b"w" + (damage(content) if callable(damage) else content))


main()
