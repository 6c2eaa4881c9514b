"""TorchRL: CartPole behind StepCounter, RewardSum and CatTensors, through a collector. Prints frames per
second after the first batch.

    torchrl_transforms.py LANES SECONDS

Lanes are those of Gymnasium's SyncVectorEnv, which is faster there than SerialEnv.
"""
import logging
import sys
import time
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import gymnasium  # noqa: E402
import torch  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from torchrl.collectors import Collector  # noqa: E402
from torchrl.envs import CatTensors, Compose, GymWrapper, RewardSum, StepCounter, TransformedEnv  # noqa: E402

torch.set_num_threads(1)


def main():
    lanes, seconds = int(sys.argv[1]), float(sys.argv[2])
    base = GymWrapper(gymnasium.make_vec("CartPole-v1", num_envs=lanes, vectorization_mode="sync",
                                         vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP}))
    env = TransformedEnv(base, Compose(StepCounter(), RewardSum(),
                                       CatTensors(in_keys=["observation", "episode_reward"])))
    collector = Collector(env, None, frames_per_batch=50 * lanes, total_frames=-1)
    batches = iter(collector)
    next(batches)
    frames, begin = 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        frames += next(batches).numel()
    print(frames / (time.perf_counter() - begin), flush=True)
    collector.shutdown()


if __name__ == "__main__":
    main()
