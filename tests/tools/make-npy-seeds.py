"""Seeds of the fuzz target `npy`: small arrays, whole and damaged. Needs NumPy."""
import gzip
import io
import os
import struct
import sys

import numpy as np

target = sys.argv[1] if len(sys.argv) > 1 else "tests/fuzz/corpus/npy"
os.makedirs(target, exist_ok=True)


def write(name, content):
    with open(os.path.join(target, name), "wb") as file:
        file.write(content)


def npy(array, **more):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **more)
    return file.getvalue()


def header(text, version=1):
    text = text.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text


plain = npy(np.arange(6, dtype="f4").reshape(3, 2))
write("plain", plain)
write("version-2", npy(np.arange(3), version=(2, 0)))
write("version-9", plain[:6] + b"\x09" + plain[7:])
write("scalar", npy(np.array(3)))
write("bool", npy(np.array([True, False])))
write("complex", npy(np.zeros(2, "c16")))
write("text", npy(np.array(["a", "b"])))
write("fortran", npy(np.asfortranarray(np.zeros((2, 3)))))
write("objects", npy(np.array([None]), allow_pickle=True))
write("record", npy(np.zeros(2, [("a", "f4"), ("b", "i4")])))
write("big-endian", npy(np.zeros(2, ">f4")))
write("empty", npy(np.zeros((0, 3))))
write("no-columns", npy(np.zeros((3, 0))))
write("cut-off", plain[:-1])
write("cut-off-header", plain[:40])
write("more", plain + b"x")
write("no-magic", b"PK" + plain)
start = "{'descr': '<f4', 'fortran_order': False, 'shape': "
for name, rest in {
    "huge": "(1099511627776, 2), }",
    "overflow": "(4294967296, 4294967296, 4294967296), }",
    "number-too-large": "(99999999999999999999999,), }",
    "wide-row": "(1, 100000000), }",
    "negative": "(-1,), }",
    "many-dimensions": "(" + "1, " * 40 + "), }",
    "not-a-tuple": "(2 3), }",
    "no-shape": "None, }",
    "twice": "(2,), 'shape': (2,), }",
    "unknown-key": "(2,), 'x': 1, }",
    "behind": "(2,), } x",
    "unended": "(2,)",
}.items():
    write(name, header(start + rest) + bytes(16))
write("no-dict", header("[1]"))
write("zero", header("{\0}"))
write("no-descr", header("{'fortran_order': False, 'shape': (1,)}") + bytes(4))
write("bad-order", header("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,)}") + bytes(4))
write("long-header", header("{" + " " * 70000 + "}", 2))
packed = gzip.compress(plain, mtime=0)
write("gzip", b"g" + packed)
write("gzip-two-members", b"g" + gzip.compress(plain[:100], mtime=0) + gzip.compress(plain[100:], mtime=0))
write("gzip-behind", b"g" + packed + b"junk")
write("gzip-cut-off", b"g" + packed[:-12])
write("gzip-wrong-sum", b"g" + packed[:-8] + bytes(4) + packed[-4:])
write("gzip-bomb", b"g" + gzip.compress(plain + bytes(1 << 22), mtime=0))
write("gzip-none", b"gtext")
