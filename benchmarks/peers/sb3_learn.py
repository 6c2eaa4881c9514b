"""Stable-Baselines3's DQN or PPO on CartPole, with the settings of `learn dqn` and `learn ppo`.

    sb3_learn.py dqn|ppo FRAMES [--seed N] [--eval-every N] [--eval-episodes N] [--out RUN]

Prints the seconds of learning, on one thread of PyTorch. With --out it makes a directory as `learn` does: evaluations
of the greedy policy in metrics.csv, so that `learn plot` draws them beside our runs. SB3's DQN has no double targets.
Its target network takes a step after each step of the environments, ours after each of four updates: hence tau.
"""
import argparse
import json
import os
import time
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402
from stable_baselines3 import DQN, PPO  # noqa: E402
from stable_baselines3.common.callbacks import BaseCallback  # noqa: E402
from stable_baselines3.common.env_util import make_vec_env  # noqa: E402
from stable_baselines3.common.evaluation import evaluate_policy  # noqa: E402

ENV = "CartPole-v1"
N_ENVS = 8
CLASSES = {"dqn": DQN, "ppo": PPO}
SETTINGS = {
    "dqn": dict(learning_rate=1e-3, batch_size=128, gamma=0.99, n_steps=5, buffer_size=100_000, learning_starts=1000,
                train_freq=1, gradient_steps=4, tau=0.02, target_update_interval=1, exploration_initial_eps=1,
                exploration_final_eps=0.02, exploration_fraction=0.1, max_grad_norm=10),
    "ppo": dict(learning_rate=lambda left: 1e-3 * left, batch_size=256, gamma=0.98, gae_lambda=0.8, n_steps=32,
                n_epochs=20, clip_range=0.2, ent_coef=0, vf_coef=0.5, max_grad_norm=0.5),
}


class Evaluations(BaseCallback):
    """Evaluates after so many frames, and at the end, in environments of its own."""

    def __init__(self, env, every, episodes, path, begin):
        super().__init__()
        self.env, self.every, self.episodes, self.path, self.begin = env, every, episodes, path, begin
        self.next = every

    def evaluate(self):
        mean, _ = evaluate_policy(self.model, self.env, self.episodes, deterministic=True)
        with open(self.path, "a") as file:
            file.write(f"{self.num_timesteps},{time.monotonic() - self.begin:.3f},{mean:.9g}\n")

    def _on_step(self):
        if self.num_timesteps >= self.next:
            self.next = self.num_timesteps + self.every
            self.evaluate()
        return True


def write_config(args):
    """What `learn plot` reads of a run."""
    os.makedirs(args.out)
    config = {"learner": f"SB3 {args.learner}", "env": ENV, "seed": args.seed, "unit": "frames", "total": args.frames}
    with open(os.path.join(args.out, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
    path = os.path.join(args.out, "metrics.csv")
    with open(path, "w") as file:
        file.write("step,time,eval/mean_reward\n")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("learner", choices=CLASSES)
    parser.add_argument("frames", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--eval-every", type=int, default=5000)
    parser.add_argument("--eval-episodes", type=int, default=20)
    parser.add_argument("--out")
    args = parser.parse_args()
    torch.set_num_threads(1)
    model = CLASSES[args.learner]("MlpPolicy", make_vec_env(ENV, N_ENVS, seed=args.seed * N_ENVS), seed=args.seed,
                                  policy_kwargs={"net_arch": [64, 64]}, device="cpu", **SETTINGS[args.learner])
    begin, callback = time.monotonic(), None
    if args.out:
        env = make_vec_env(ENV, min(args.eval_episodes, 20), seed=1_000_000 + args.seed)
        callback = Evaluations(env, args.eval_every, args.eval_episodes, write_config(args), begin)
    model.learn(args.frames, callback=callback)
    seconds = time.monotonic() - begin
    if callback and callback.next - args.eval_every < model.num_timesteps:
        callback.evaluate()
    print(f"{seconds:.3f}")


main()
