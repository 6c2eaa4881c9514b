"""TorchRL: collect some frames and save the replay buffer.

    torchrl_first.py FRAMES OUT
"""
import logging
import os
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

from torchrl.collectors import Collector  # noqa: E402
from torchrl.data import LazyMemmapStorage, TensorDictReplayBuffer  # noqa: E402
from torchrl.envs import GymEnv  # noqa: E402

frames, out = int(sys.argv[1]), sys.argv[2]
storage = LazyMemmapStorage(frames, scratch_dir=os.path.join(out, "live"))
buffer = TensorDictReplayBuffer(storage=storage, batch_size=256)
for batch in Collector(GymEnv("CartPole-v1"), None, frames_per_batch=frames, total_frames=frames):
    buffer.extend(batch)
buffer.dumps(os.path.join(out, "saved"))
