"""Seeds of the fuzz target `datasets`: small raw files, whole and damaged. Needs h5py."""
import os
import sys

import h5py
import numpy as np

target = sys.argv[1] if len(sys.argv) > 1 else "tests/fuzz/corpus/datasets"
os.makedirs(target, exist_ok=True)


def write(name, letter, arrays, **more):
    path = os.path.join(target, name)
    with h5py.File(path, "w", libver="latest") as file:
        for key, array in arrays.items():
            file.create_dataset(key, data=array, **(more if array.ndim else {}))
    with open(path, "rb") as file:
        content = file.read()
    with open(path, "wb") as file:
        file.write(letter + content)


def d4rl(**other):
    arrays = {
        "observations": np.arange(8, dtype="f4").reshape(4, 2),
        "actions": np.arange(4, dtype="f4").reshape(4, 1),
        "rewards": np.arange(4, dtype="f4"),
        "terminals": np.arange(4) == 1,
        "timeouts": np.arange(4) == 2,
        "infos/qpos": np.arange(4, dtype="f8"),
        "metadata/algorithm": np.array(b"SAC"),
    }
    arrays.update(other)
    return {key: array for key, array in arrays.items() if array is not None}


def minari(**other):
    arrays = {
        "episode_0/observations/a": np.arange(8, dtype="f4").reshape(4, 2),
        "episode_0/actions": np.arange(3),
        "episode_0/rewards": np.arange(3, dtype="f8"),
        "episode_0/terminations": np.arange(3) == 2,
        "episode_0/truncations": np.arange(3) == 5,
    }
    arrays.update({key.replace("__", "/"): array for key, array in other.items()})
    return arrays


write("d4rl", b"a", d4rl())
write("d4rl-deflated", b"a", d4rl(), compression="gzip")
write("d4rl-float-flags", b"a", d4rl(terminals=np.arange(4, dtype="f4"), timeouts=None))
write("d4rl-next", b"a", d4rl(next_observations=np.ones((4, 2), "f4")))
write("d4rl-short", b"a", d4rl(rewards=np.arange(3, dtype="f4")))
write("d4rl-big-endian", b"a", d4rl(actions=np.arange(4, dtype=">f8")))
write("d4rl-text", b"a", d4rl(actions=np.array([b"a", b"b", b"c", b"d"])))
write("minari", b"b", minari())
write("minari-infos", b"b", minari(episode_0__infos__x=np.arange(3), episode_0__infos__y=np.arange(4)))
write("minari-second", b"b", minari(episode_7__rewards=np.arange(2)))
write("minari-other", b"b", minari(nothing__x=np.arange(2)))


def vd4rl(name, save=np.savez_compressed, **other):
    arrays = {
        "image": np.arange(24, dtype="u1").reshape(4, 1, 2, 3),
        "action": np.arange(4, dtype="f4").reshape(4, 1),
        "reward": np.arange(4, dtype="f4"),
        "is_first": np.arange(4) == 0,
        "is_last": np.arange(4) == 3,
        "is_terminal": np.arange(4) == 5,
        "height": np.arange(4, dtype="f8"),
    }
    arrays.update(other)
    path = os.path.join(target, name)
    with open(path, "wb") as file:
        save(file, **{key: array for key, array in arrays.items() if array is not None})
    with open(path, "rb") as file:
        content = file.read()
    with open(path, "wb") as file:
        file.write(b"c" + content)


vd4rl("vd4rl")
vd4rl("vd4rl-stored", np.savez)
vd4rl("vd4rl-short", reward=np.arange(3, dtype="f4"))
vd4rl("vd4rl-no-flags", is_last=None)
vd4rl("vd4rl-flat-image", image=np.arange(24, dtype="u1").reshape(4, 2, 3))
vd4rl("vd4rl-text", note=np.array(["a", "b", "c", "d"]))
with open(os.path.join(target, "html"), "wb") as file:
    file.write(b"a<html>404</html>")
