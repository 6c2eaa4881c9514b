"""Seeds of the fuzz target `episodes`: small archives, records and pickles, whole and damaged."""
import io
import lzma
import os
import pickle
import sys
import tarfile
import zipfile

target = sys.argv[1] if len(sys.argv) > 1 else "tests/fuzz/corpus/episodes"
os.makedirs(target, exist_ok=True)
golden = zipfile.ZipFile("tests/data/datasets/openx.zip")


def write(name, letter, content):
    with open(os.path.join(target, name), "wb") as file:
        file.write(letter + content)


def archive(members, form=tarfile.PAX_FORMAT):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=form) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "a"
        tar.addfile(link)
    return content.getvalue()[:4096]


def step(t, **more):
    return {"observation": {"image": {"bytes": b"\x89PNG", "path": None}, "state": [0.5, t]}, "action": [[1, 2], [3, 4]],
            "is_first": t == 0, "reward": 1.0, "language_instruction": "go", **more}


small = archive([("a", b"hello"), ("directory/" * 12 + "b", b"x" * 600)])
write("tar", b"t", small)
write("tar-gnu", b"t", archive([("n" * 120, b"hello")], tarfile.GNU_FORMAT))
write("tar-cut", b"t", small[:1100])
write("tar-sum", b"t", small[:100] + b"1" + small[101:])
write("xz", b"x", lzma.compress(small))
write("xz-cut", b"x", lzma.compress(small)[:-20])
records = golden.read("tfrecord/cmu_stretch/0.1.0/cmu_stretch-train.tfrecord-00001-of-00002")
write("records", b"r", records)
write("records-cut", b"r", records[:-3])
write("records-sum", b"r", records[:700] + b"\0" + records[701:])
write("example", b"e", records[12:-4])
write("example-cut", b"e", records[12:200])
for protocol in (2, 3, 4):
    write(f"pickle-{protocol}", b"p", pickle.dumps({"steps": [step(0), step(1)]}, protocol))
write("pickle-ragged", b"p", pickle.dumps({"steps": [step(0), step(1, action=[[1], [2, 3]])]}, 4))
write("pickle-missing", b"p", pickle.dumps({"steps": [step(0, more=1), step(1)]}, 4))
write("pickle-global", b"p", pickle.dumps({"steps": os.getcwd}, 4))
with tarfile.open(fileobj=io.BytesIO(golden.read("numpy-arrays/toto/toto_00000.tar"))) as tar:
    write("pickle-numpy-2", b"p", tar.extractfile(tar.getmembers()[0]).read())
