#!/usr/bin/env python3
"""Writes tests/data/torchrl/archives/ with tensordict 0.14.3: one tensordict as every kind of archive.

usage: make-archives.py DIRECTORY
"""
import os
import sys
import zipfile

import torch
from tensordict import TensorDict

out = sys.argv[1]
os.makedirs(out, exist_ok=True)
td = TensorDict(
    {
        "a": torch.arange(6).view(2, 3),
        "next": TensorDict(
            {"k é/y": torch.tensor([0.5, -1.5]), "none": torch.zeros(2, 0)}, batch_size=[2]
        ),
        "wide": (torch.arange(2000) % 7).to(torch.int16).view(2, 1000),
    },
    batch_size=[2],
)
td.save(f"{out}/stored.tdz")
for name in ("deflate", "bzip2", "lzma"):
    td.save(f"{out}/{name}.tdz", compression=name)

# As `zip -r` over a directory: nothing aligned, directories listed, 32-bit headers.
with zipfile.ZipFile(f"{out}/stored.tdz") as source, zipfile.ZipFile(f"{out}/plain.tdz", "w") as zf:
    zf.writestr("next/", "")
    for info in source.infolist():
        zf.writestr(info.filename, source.read(info), zipfile.ZIP_STORED)
with open(f"{out}/print.txt", "w") as f:
    f.write(str(TensorDict.load_memmap(f"{out}/stored.tdz")))
