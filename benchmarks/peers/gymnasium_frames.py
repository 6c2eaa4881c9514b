"""Frames a second of Gymnasium's CartPole, render_mode="rgb_array", drawing alone.

    gymnasium_frames.py SECONDS
"""
import os
import sys
import time

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
import gymnasium

env = gymnasium.make("CartPole-v1", render_mode="rgb_array", disable_env_checker=True)
env.reset(seed=0)
env.render()
frames, begin = 0, time.perf_counter()
while time.perf_counter() - begin < float(sys.argv[1]):
    env.render()
    frames += 1
print(frames / (time.perf_counter() - begin))
