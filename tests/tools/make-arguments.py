"""Short episodes of Gymnasium with every argument away from its default: make-arguments.py [STAND-IN]  (with
the peers' Python)

Writes into tests/data/gymnasium NAME.bin, its rows into cases.tsv and, into arguments.tsv, a line a case: its
name and the text of our env. With a STAND-IN, a Python file whose install() puts a `mujoco` on top of Debian's
MuJoCo 2.2.2 into sys.modules, it does the tasks of MuJoCo, into mujoco-2.2.2. The argument -model is the test's."""

import importlib.util
import pathlib
import sys

import gymnasium as gym
import numpy as np

SEED = 7
FOLDER = pathlib.Path(__file__).resolve().parent.parent / "data" / "gymnasium"
WALK = {"forward_reward_weight": 2.0, "ctrl_cost_weight": 0.05, "healthy_reward": 0.3, "reset_noise_scale": 0.02,
        "exclude_current_positions_from_observation": False}
RUN = {"forward_reward_weight": 0.5, "ctrl_cost_weight": 0.3, "reset_noise_scale": 0.2,
       "exclude_current_positions_from_observation": False}
STILL = {"terminate_when_unhealthy": False}
HOPPER = {"healthy_state_range": (-3.0, 4.0), "healthy_z_range": (1.0, 1.3), "healthy_angle_range": (-0.05, 0.1)}
WALKER = {"healthy_z_range": (1.1, 1.3), "healthy_angle_range": (-0.1, 0.2)}
ANT = {**RUN, "contact_cost_weight": 0.01, "contact_force_range": (-0.5, 0.25), "healthy_reward": 0.2,
       "healthy_z_range": (0.4, 0.8)}
FIGURE = {"ctrl_cost_weight": 0.3, "healthy_reward": 2.0, "healthy_z_range": (1.2, 1.45), "reset_noise_scale": 0.05,
          "forward_reward_weight": 2.0, "exclude_current_positions_from_observation": False}
PARTS = [f"include_{part}_in_observation" for part in ("cinert", "cvel", "qfrc_actuator", "cfrc_ext")]
NO_PARTS = dict.fromkeys(PARTS, False)
IMPACT = {"frame_skip": 3, "contact_cost_weight": 0.001, "contact_cost_range": (-1.0, 2.0)}
UP = {"uph_cost_weight": 2.0, "ctrl_cost_weight": 0.5, "impact_cost_weight": 0.001, "impact_cost_range": (-1.0, 3.0),
      "reset_noise_scale": 0.05, "frame_skip": 3, "exclude_current_positions_from_observation": False}

# Name, steps, constructor's arguments, attributes of the class, options of each reset.
CLASSIC = [
    ("CartPole-v1-integrator", 120, {}, {"kinematics_integrator": "semi-implicit euler"}, {}),
    ("CartPole-v1-physics", 120, {}, {"gravity": 3.7, "masscart": 2.0, "masspole": 0.3, "length": 0.8,
                                      "force_mag": 16.0, "tau": 0.03, "theta_threshold_radians": 0.3,
                                      "x_threshold": 0.4}, {}),
    ("CartPole-v0-all", 120, {"sutton_barto_reward": True, "max_episode_steps": 15}, {}, {"low": -0.2, "high": 0.1}),
    ("CartPole-v1-point", 60, {}, {}, {"low": 0.03, "high": 0.03}),
    ("CartPole-v1-low", 60, {}, {}, {"low": -0.1}),
    ("Pendulum-v1-all", 120, {"g": 3.7, "max_episode_steps": 30}, {}, {"x_init": 0.7, "y_init": 2.5}),
    ("Pendulum-v1-yinit", 90, {"g": -9.81, "max_episode_steps": 30}, {}, {"y_init": 8}),
    ("Acrobot-v1-nips", 150, {"max_episode_steps": 50}, {"book_or_nips": "nips"}, {"low": -0.3, "high": 0.2}),
    ("MountainCar-v0-all", 150, {"goal_velocity": 0.01, "max_episode_steps": 40}, {}, {"low": 0.3, "high": 0.6}),
    ("MountainCar-v0-high", 60, {"max_episode_steps": 20}, {}, {"high": 0.2}),
    ("MountainCarContinuous-v0-all", 150, {"goal_velocity": 0.01, "max_episode_steps": 40}, {},
     {"low": 0.2, "high": 0.6}),
]
MUJOCO = [
    ("InvertedPendulum-v5-all", 60, {"frame_skip": 3, "reset_noise_scale": 0.1}),
    ("InvertedDoublePendulum-v5-all", 60, {"frame_skip": 3, "healthy_reward": 2.5, "reset_noise_scale": 0.05}),
    ("Reacher-v5-all", 60, {"frame_skip": 3, "reward_dist_weight": 0.5, "reward_control_weight": 0.1}),
    ("Pusher-v5-all", 40, {"frame_skip": 3, "reward_near_weight": 0.25, "reward_dist_weight": 2.0,
                           "reward_control_weight": 0.3}),
    ("Swimmer-v4-all", 40, RUN),
    ("Swimmer-v5-all", 40, {**RUN, "frame_skip": 3}),
    ("Hopper-v4-all", 40, {**WALK, **HOPPER, **STILL}),
    ("Hopper-v4-ends", 60, {**WALK, **HOPPER}),
    ("Hopper-v5-all", 40, {**WALK, **HOPPER, **STILL, "frame_skip": 3}),
    ("Hopper-v5-states", 60, {"healthy_state_range": (-3.0, 4.0)}),
    ("Walker2d-v4-all", 40, {**WALK, **WALKER, **STILL}),
    ("Walker2d-v4-ends", 60, {**WALK, **WALKER}),
    ("Walker2d-v5-all", 40, {**WALK, **WALKER, **STILL, "frame_skip": 3}),
    ("Walker2d-v5-ends", 60, {**WALK, **WALKER}),
    ("Walker2d-v5-model", 40, {"xml_file": "walker2d.xml"}),
    ("HalfCheetah-v4-all", 40, RUN),
    ("HalfCheetah-v5-all", 40, {**RUN, "frame_skip": 3}),
    ("Ant-v4-all", 40, {"use_contact_forces": True, **{k: v for k, v in ANT.items() if k != "forward_reward_weight"}}),
    ("Ant-v4-unhealthy", 40, {**STILL, "healthy_z_range": (0.4, 0.8), "use_contact_forces": True}),
    ("Ant-v5-all", 40, {**ANT, "frame_skip": 3, "main_body": "aux_1"}),
    ("Humanoid-v4-all", 20, FIGURE),
    ("Humanoid-v4-unhealthy", 20, {**STILL, "healthy_z_range": (1.3, 1.4)}),
    ("Humanoid-v5-all", 40, {**FIGURE, **IMPACT, **NO_PARTS}),
    ("HumanoidStandup-v5-all", 40, {**UP, **NO_PARTS}),
] + [(f"{task}-v5-{part.split('_')[1]}", 4, {part: False}) for task in ("Humanoid", "HumanoidStandup") for part in PARTS]

OURS = {"low": "reset-low", "high": "reset-high", "masscart": "mass-cart", "masspole": "mass-pole",
        "theta_threshold_radians": "theta-threshold", "book_or_nips": "equations"}


def play(env_id, steps, arguments, attributes, options):
    """Arrays of an env's steps; its first reset is seeded."""
    env = gym.make(env_id, disable_env_checker=True, **arguments)
    inner = env.unwrapped
    for name, value in attributes.items():
        assert hasattr(inner, name)
        setattr(inner, name, value)
    if "masspole" in attributes:  # what the constructor made of them
        inner.total_mass = inner.masspole + inner.masscart
        inner.polemass_length = inner.masspole * inner.length
    states = ["qpos", "qvel", "qacc_warmstart"] if hasattr(inner, "data") else ["state"]
    rows = {}

    def keep(**values):
        for name, value in values.items():
            rows.setdefault(name, []).append(np.array(value))

    def keep_states(prefix):
        keep(**{prefix + s: np.array(getattr(getattr(inner, "data", inner), s), "f8") for s in states})

    env.action_space.seed(SEED)
    ended, more = True, {"seed": SEED}
    for t in range(steps):
        if ended:
            keep(reset_at=t, reset_obs=env.reset(options=options or None, **more)[0])
            keep_states("reset_")
            more = {}
        action = env.action_space.sample()
        seen, reward, terminated, truncated, _ = env.step(action)
        keep(action=action, next_obs=seen, reward=float(reward), terminated=np.uint8(terminated),
             truncated=np.uint8(truncated))
        keep_states("")
        ended = terminated or truncated
    return {name: np.stack(values) for name, values in rows.items()}


def write(folder, name, arrays):
    blob, table = b"", []
    for key, array in arrays.items():
        blob += b"\0" * (-len(blob) % 8)
        shape = "x".join(map(str, array.shape))
        table.append(f"{name}\t{key}\t{array.dtype.name}\t{shape}\t{len(blob)}\t{array.nbytes}\n")
        blob += array.tobytes()
    (folder / f"{name}.bin").write_bytes(blob)
    index = folder / "cases.tsv"
    others = [line for line in index.read_text().splitlines(True) if not line.startswith(name + "\t")]
    index.write_text("".join(others + table))


def text(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ",".join(map(text, value)) + "]"
    return str(value).replace(" ", "-") if isinstance(value, str) else f"{value:g}"


def line(name, arguments):
    ours = [f"{OURS.get(k, k.replace('_', '-'))}={text(v)}" for k, v in arguments.items() if k != "xml_file"]
    return f"{name}\t{name.rsplit('-', 1)[0]}{':' if ours else ''}{','.join(ours)}\n"


gym.logger.min_level = gym.logger.ERROR
if len(sys.argv) > 1:
    spec = importlib.util.spec_from_file_location("stand_in", sys.argv[1])
    stand_in = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stand_in)
    stand_in.install()
    FOLDER /= "mujoco-2.2.2"
cases = [(*case, {}, {}) for case in MUJOCO] if len(sys.argv) > 1 else CLASSIC
with open(FOLDER / "arguments.tsv", "w") as table:
    for name, steps, arguments, attributes, options in cases:
        arrays = play(name.rsplit("-", 1)[0], steps, arguments, attributes, options)
        write(FOLDER, name, arrays)
        table.write(line(name, {**arguments, **attributes, **options}))
        print(f"{name}: {len(arrays['reset_at'])} resets, {arrays['terminated'].sum()} terminated")
