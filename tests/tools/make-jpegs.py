"""Seeds of the fuzz target `jpeg`, with the digests of the pixels that Pillow makes of them, and the
case of JPEG frames among the raw files of Open X-Embodiment. Needs NumPy and Pillow."""
import hashlib
import io
import json
import os
import pickle
import struct
import tarfile
import zipfile

import numpy as np
from PIL import Image

SEEDS = "tests/fuzz/corpus/jpeg"
OPENX = "tests/data/datasets/openx"
WHICH = ("observation/image", "next/observation/image")


def scene(height, width):
    """Smooth colours, an edge and some noise."""
    y, x = np.mgrid[:height, :width]
    image = np.stack([9 * x + 2 * y, 200 - 7 * y, 128 + 60 * np.sin(x / 3)], -1)
    image[height // 2 :, width // 3 :] += 90
    image += np.random.default_rng(1).normal(0, 12, image.shape)
    return Image.fromarray(np.clip(image, 0, 255).astype("u1"))


def encode(image, **how):
    file = io.BytesIO()
    image.save(file, "JPEG", **how)
    return file.getvalue()


def decode(data):
    return np.array(Image.open(io.BytesIO(data)).convert("RGB"))


def resize(data, height, width):
    """The same file, which claims another size."""
    at = next(i for i in range(len(data)) if data[i] == 0xFF and data[i + 1] in (0xC0, 0xC2))
    return data[: at + 5] + struct.pack(">HH", height, width) + data[at + 9 :]


def write_seeds():
    picture = scene(19, 29)
    whole = {
        "420": encode(picture, quality=80, subsampling=2),
        "422": encode(picture, quality=90, subsampling=1),
        "444": encode(picture, quality=95, subsampling=0),
        "grey": encode(picture.convert("L"), quality=75),
        "one-pixel": encode(picture.crop((0, 0, 1, 1))),
        "progressive": encode(picture, quality=70, progressive=True),
        "restarts": encode(picture, quality=60, restart_marker_rows=1),
        "rgb": encode(picture, quality=85, keep_rgb=True),
    }
    plain = whole["420"]
    damaged = {
        "bomb": resize(plain, 13000, 13000),
        "bomb-progressive": resize(whole["progressive"], 32768, 5000),
        "cmyk": encode(picture.convert("CMYK")),
        "cut": plain[: len(plain) * 2 // 3],
        "cut-progressive": whole["progressive"][: len(whole["progressive"]) // 2],
        "header-alone": plain[:30],
        "huge": resize(plain, 65500, 65500),
        "no-size": resize(plain, 0, 9),
        "noise": plain[:-150] + bytes(b ^ 85 for b in plain[-150:-100]) + plain[-100:],
        "taller": resize(plain, 190, 29),
    }
    os.makedirs(SEEDS, exist_ok=True)
    for name, data in {**whole, **damaged}.items():
        with open(f"{SEEDS}/{name}.jpg", "wb") as file:
            file.write(data)
    for name in sorted(whole):
        image = decode(whole[name])
        digest = hashlib.sha256(image.tobytes()).hexdigest()
        print(f'  {{ "{name}", {image.shape[0]}, {image.shape[1]}, "{digest}" }},')


def members(archive):
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return [(info.name, tar.extractfile(info).read()) for info in tar.getmembers()]


def pack(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return packed.getvalue()


def to_jpeg(archive, frames, change):
    """The episodes of an archive with other images; @frames gets their pixels."""
    files = []
    for name, data in members(archive):
        episode = pickle.loads(data)
        for i, step in enumerate(episode["steps"]):
            picture = Image.open(io.BytesIO(step["observation"]["image"]["bytes"])).convert("RGB")
            jpeg = encode(picture, quality=85, subsampling=2 * (i % 2), progressive=i % 3 == 2)
            frames.append(decode(jpeg).transpose(2, 0, 1))
            step["observation"]["image"]["bytes"] = change(jpeg, i)
        files.append((name, pickle.dumps(episode, 4)))
    return pack(files)


def describe(frames):
    array = np.ascontiguousarray(np.stack(frames))
    return ["uint8", list(array.shape), hashlib.sha256(array.tobytes()).hexdigest()[:16]]


def write_openx():
    with zipfile.ZipFile(OPENX + ".zip") as archive:
        raw = {info.filename: archive.read(info) for info in archive.infolist()}
    with open(OPENX + ".json") as file:
        golden = json.load(file)
    shards = [f"cmu_stretch/cmu_stretch_0000{i}.tar" for i in range(2)]
    frames, ends = [], []
    for shard in shards:
        episodes = members(raw["cmu_stretch/" + shard])
        raw["jpeg/" + shard] = to_jpeg(raw["cmu_stretch/" + shard], frames, lambda data, i: data)
        for _, data in episodes:
            ends.append(len(pickle.loads(data)["steps"]) + (ends[-1] if ends else 0))
    after = [frames[i + 1] if i + 1 not in ends else 0 * frames[i] for i in range(len(frames))]
    keys = dict(golden["cases"]["cmu_stretch"]["keys"])
    keys.update(zip(WHICH, (describe(frames), describe(after))))
    golden["cases"]["jpeg"] = {
        "id": "cmu_stretch", "raw": "jpeg", "options": "", "jpeg": True, "keys": keys}
    first = raw["cmu_stretch/" + shards[0]]
    for name, change in (
        ("jpeg-cut", lambda data, i: data[: len(data) - 40] if i == 1 else data),
        ("jpeg-bomb", lambda data, i: resize(data, 30000, 30000) if i == 1 else data),
    ):
        raw[f"damaged/{name}/{shards[0]}"] = to_jpeg(first, [], change)
        golden["damaged"][name] = {
            "result": "error", "jpeg": True,
            "message": "step 1: \"observation/image\" is not a whole JPEG file"}
    with zipfile.ZipFile(OPENX + ".zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in raw.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data,
                             zipfile.ZIP_DEFLATED)
    with open(OPENX + ".json", "w") as file:
        json.dump(golden, file, ensure_ascii=False)
        file.write("\n")


write_seeds()
write_openx()
