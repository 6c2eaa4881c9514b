"""TorchRL collecting into memory-mapped files. Prints frames per second after the first batch.

    torchrl_collector.py KIND SECONDS OUT

KIND: single (one GymEnv), serial (8), sync (64 of Gymnasium's SyncVectorEnv), async (two collecting
processes). GymEnv (num_envs=64) is slower than sync and takes 64 processes; Gymnasium's NumPy
vector env has no autoreset mode that GymWrapper takes.
"""
import logging
import sys
import time
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import gymnasium  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from torchrl.collectors import Collector, MultiAsyncCollector  # noqa: E402
from torchrl.data import LazyMemmapStorage, TensorDictReplayBuffer  # noqa: E402
from torchrl.envs import GymEnv, GymWrapper, SerialEnv  # noqa: E402

TASK = "CartPole-v1"


def one():
    return GymEnv(TASK)


def sync_vector():
    return GymWrapper(gymnasium.make_vec(TASK, num_envs=64, vectorization_mode="sync",
                                         vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}))


ENVS = {"single": one, "serial": lambda: SerialEnv(8, one), "sync": sync_vector}


def main(kind, seconds, out):
    if kind == "async":
        collector = MultiAsyncCollector([one, one], None, frames_per_batch=1000, total_frames=-1)
    else:
        frames = 1000 if kind in ("single", "serial") else 3200
        collector = Collector(ENVS[kind](), None, frames_per_batch=frames, total_frames=-1)
    ndim = 1 if kind in ("single", "async") else 2
    buffer = TensorDictReplayBuffer(storage=LazyMemmapStorage(1 << 20, ndim=ndim, scratch_dir=out),
                                    batch_size=32)
    batches = iter(collector)
    buffer.extend(next(batches))
    frames, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        batch = next(batches)
        buffer.extend(batch)
        frames += batch.numel()
    print(frames / (time.perf_counter() - begin), flush=True)
    collector.shutdown()


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), sys.argv[3])
