"""Ours over theirs, from one run: `make bench-peers`.

    compare.py COLLECT FILE [--only WORD] [--rounds N] [--seconds S] [--python INTERPRETER]

COLLECT is our program, FILE gets one JSON object a line: group name isa unit median min max limit ratio floor
goal noisy, where `limit` is the peer's median and `ratio` that of speeds. Works in a folder of its own
in the current one, so that files lie on the disk that is meant.
"""
import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FRAMES = 20_000_000
LEARN_FRAMES = 20_000
FOREIGN_MAX = 0.10
SCALES = {"GB/s": 1e9, "kleaves/s": 1e3, "ksteps/s": 1e3, "Mrows/s": 1e6}
SECONDS = {"ns": 1e9, "us": 1e6}
TICK = os.sysconf("SC_CLK_TCK")
CPUS = os.cpu_count() or 1


# ---- the machine --------------------------------------------------------------------------------

def used():
    """CPU seconds: of anyone, of this process and its children that ended; and the time."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:]]
    busy = sum(ticks[i] for i in (0, 1, 2, 5, 6, 7)) / TICK
    own = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        own += usage.ru_utime + usage.ru_stime
    return busy, own, time.monotonic()


def foreign(begin, end):
    """Share of the machine that others used, stolen time included."""
    busy, own, seconds = (b - a for a, b in zip(begin, end))
    return max(0.0, busy - own) / (seconds * CPUS)


def wait_for_quiet(limit=20.0):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        before = used()
        time.sleep(0.3)
        if foreign(before, used()) < 0.05:
            return


# ---- programs -----------------------------------------------------------------------------------

class Runner:
    def __init__(self, collect, python, folder):
        self.collect, self.python, self.folder = collect, python, folder
        self.count = 0
        self.figures = {}
        self.isa = os.environ.get("REEL_ISA") or self.run(
            [os.path.join(os.path.dirname(collect), "benchmarks", "isas")], "")[1].split()[-1]
        self.notes = []  # what programs say beside their figures, in the order in which they did

    def fresh(self):
        """A path at which nothing stands."""
        self.count += 1
        return os.path.join(self.folder, f"run{self.count}")

    def run(self, argv, out):
        """Seconds and output of a program that may write to `out`, which is removed."""
        env = dict(os.environ, PYTHONWARNINGS="ignore")
        begin = time.monotonic()
        done = subprocess.run(argv, env=env, cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=600)
        seconds = time.monotonic() - begin
        shutil.rmtree(out, ignore_errors=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(argv)}: {done.stderr.strip()[-400:]}")
        return seconds, done.stdout

    def note(self, text):
        if text and text not in self.notes:
            self.notes.append(text)

    def ours(self, *options):
        out = self.fresh()
        return self.run([self.collect, "--env", "CartPole", "--quiet", "--out", out, *options], out)[0]

    def learn(self, learner):
        """Seconds of a run of `learn` without evaluations, its start and files included."""
        out = self.fresh()
        argv = [os.path.join(os.path.dirname(self.collect), "learn"), learner, "CartPole", "--frames",
                str(LEARN_FRAMES), "--eval-every", "0", "--quiet", "--out", out]
        return self.run(argv, out)[0]

    def figure(self, program, name, again=False):
        """Units a second of one of our figures, which is measured once, or in each round."""
        if again or name not in self.figures:
            path = self.fresh()
            argv = [os.path.join(os.path.dirname(self.collect), "benchmarks", program), name, path]
            self.note(self.run(argv, "")[1].strip().split("\n")[0])
            with open(path) as file:
                self.figures[name] = next(f for f in map(json.loads, file) if f["name"].startswith(name))
            os.remove(path)
        found = self.figures[name]
        if found["unit"] in SECONDS:
            return SECONDS[found["unit"]] / found["median"]
        return SCALES[found["unit"]] * found["median"]

    def peer(self, script, *args, out=True):
        path = self.fresh()
        argv = [self.python, os.path.join(HERE, script), *args]
        return self.run(argv + [path] if out else argv, path)


def ours_rate(runner):
    return FRAMES / runner.ours("--num-envs", "1024", "--frames", str(FRAMES), "--capacity",
                                str(1 << 20))


def ours_first(runner):
    return 1e3 * runner.ours("--frames", "1000")


def rate(script, *args, out=True):
    """A peer prints its figure last."""
    def measured(runner):
        words = runner.peer(script, *args, out=out)[1].split()
        runner.note(" ".join(words[:-1]).rstrip(":"))
        return float(words[-1])
    return measured


def ours_figure(program, name, again=False):
    return lambda runner: runner.figure(program, name, again)


def first(script):
    return lambda runner: 1e3 * runner.peer(script, "1000")[0]


def learn_rows():
    """On one thread each; SB3's time is that of its learning, without imports."""
    for learner, floor, goal in (("dqn", 3, 8), ("ppo", 3, 8)):
        yield (f"learn {learner} CartPole, {LEARN_FRAMES // 1000}k frames; SB3, {learner.upper()}", "s", True,
               floor, goal, lambda runner, learner=learner: runner.learn(learner),
               rate("sb3_learn.py", learner, str(LEARN_FRAMES), out=False), 3)


def texts_of(runner):
    """A folder with 100 MB of texts and a tokenizer, made once."""
    path = os.path.join(runner.folder, "texts")
    if not os.path.isdir(path):
        os.mkdir(path)
        runner.run([runner.python, os.path.join(HERE, "hf_tokenizers.py"), "make", "100", path], "")
    return path


def ours_tokenize(runner):
    path, out = texts_of(runner), runner.fresh()
    program = os.path.join(os.path.dirname(runner.collect), "replay")
    with open(f"{path}/texts.jsonl") as file:
        size = sum(len(json.loads(line)["text"].encode()) for line in file)
    return size / 1e6 / runner.run([program, "tokenize", f"{path}/texts.jsonl", out, "--tokenizer",
                                    f"{path}/tokenizer.json", "--max-length", "256"], out)[0]


def theirs_tokenize(runner):
    return rate("hf_tokenizers.py", "run", texts_of(runner))(runner)


def dataset_of(runner, kind):
    """A folder with a raw file of D4RL of 1 GB, made once."""
    path = os.path.join(runner.folder, f"d4rl-{kind}")
    if not os.path.isdir(path):
        os.mkdir(path)
        runner.run([runner.python, os.path.join(HERE, "torchrl_datasets.py"), "make", "1000", kind, path], "")
    return path


def ours_import(kind):
    def measured(runner):
        path, out = dataset_of(runner, kind), runner.fresh()
        program = os.path.join(os.path.dirname(runner.collect), "replay")
        return runner.run([program, "import", "d4rl:halfcheetah-medium-v2", "--from", path, out], out)[0]
    return measured


def theirs_import(kind):
    return lambda runner: rate("torchrl_datasets.py", "run", dataset_of(runner, kind))(runner)


MUJOCO_TASKS = ("InvertedPendulum", "InvertedDoublePendulum", "Reacher", "Pusher", "Swimmer", "Hopper", "Walker2d",
                "HalfCheetah", "Ant", "Humanoid", "HumanoidStandup")


def mujoco_rows(seconds):
    for task in MUJOCO_TASKS:
        name = f"{task}-v5, 2 threads, collector"
        for kind, floor, goal in (("sync", 1.2, 2), ("async", 1.1, 1.5)):
            yield (f"{name}; EnvPool {kind}", "steps/s", False, floor, goal, ours_figure("bench-mujoco", name),
                   rate("envpool_mujoco.py", f"{task}-v5", kind, "64", "2", seconds, out=False), 3)


def rows(seconds, mujoco, learn):
    """name, unit, less is better, floor, goal, ours, theirs, most rounds"""
    whole = f"collect of {FRAMES // 10**6}M frames; "
    start = "collect of 1000 frames; "
    table = [(whole + "Gymnasium NumPy vector env, np.memmap", "frames/s", False, 3, 5, ours_rate,
              rate("gymnasium_vector.py", "8192", seconds), 7),
             (whole + "EnvPool async, nothing stored", "frames/s", False, None, None, ours_rate,
              rate("envpool_vector.py", "1024", "1", seconds, out=False), 5)]
    for kind in ("single", "serial", "sync", "async"):
        table.append((whole + f"TorchRL, {kind}", "frames/s", False, 2000, 8000, ours_rate,
                      rate("torchrl_collector.py", kind, seconds), 3))
    for word, program, name, unit in (
            ("get", "bench-tensordict", "get by path", "leaves/s"),
            ("view", "bench-tensordict", "views of", "leaves/s"),
            ("select", "bench-tensordict", "select of", "leaves/s"),
            ("stack", "bench-tensordict", "stack of", "bytes/s"),
            ("save", "bench-tensordict", "save of", "bytes/s"),
            ("load", "bench-tensordict", "load of", "leaves/s"),
            ("draw", "bench-specs", "random fill, bounded f32", "bytes/s"),
            ("is_in", "bench-specs", "is_in, bounded f32", "bytes/s")):
        peer = "TorchRL's specs" if program == "bench-specs" else "tensordict"
        table.append((f"{name.split(',')[0]}; {peer}, {word}", unit, False, None, None,
                      ours_figure(program, name), rate("tensordict_ops.py", word, seconds), 3))
    for rows_of, word, floor, goal in ((1, "fresh", 40, 80), (1, "cached", 20, 25),
                                       (5, "fresh", 40, 80), (5, "cached", 20, 25)):
        name = f"256 slices of 64 of {rows_of}M"
        table.append((f"{name} rows; TorchRL, {word}", "batches/s", False, floor, goal,
                      ours_figure("bench-slices", name),
                      rate("torchrl_slices.py", word, str(rows_of * 10**6), seconds, out=False), 3))
    table.append(("n = 3 of 128k rows in 8 lanes; TorchRL, MultiStep", "rows/s", False, 500, 2000,
                  ours_figure("bench-multi-step", "n = 3, 128k"),
                  rate("torchrl_multi_step.py", str(1 << 17), seconds, out=False), 3))
    table.append(("frame 600x400 of CartPole; Gymnasium, rgb_array", "frames/s", False, 50, 100,
                  ours_figure("bench-frames", "frame 600x400"),
                  rate("gymnasium_frames.py", seconds, out=False), 3))
    for name, word, peer, floor, goal in (
            ("antialias", "torchrl", "TorchRL", 10, 20), ("antialias", "opencv", "OpenCV, by area", None, None),
            ("no antialias", "opencv", "OpenCV", None, None)):
        args = [] if word == "torchrl" else ["antialias" if name == "antialias" else "plain"]
        table.append((f"400×600×3 to 64×64 gray, {name}; {peer}", "images/s", False, floor, goal,
                      ours_figure("bench-images", f"a chain: unit, gray, 64×64, {name}", again=True),
                      rate(f"{word}_images.py", *args, seconds, out=False), 3))
    for lanes in (64, 256):
        table.append((f"a transformed CartPole; TorchRL, {lanes} lanes", "frames/s", False, 500, 2000,
                      ours_figure("bench-collector", "step-counter, reward-sum, cat-tensors", again=True),
                      rate("torchrl_transforms.py", str(lanes), seconds, out=False), 3))
    if mujoco:
        table += mujoco_rows(seconds)
    if learn:
        table += learn_rows()
    for peer, floor, goal in (("TorchRL", 50, 100), ("cpprb", 20, 35)):
        name = "draw 256 of 1M by priority, update"
        table.append((f"{name}; {peer}, no rows", "steps/s", False, floor, goal, ours_figure("bench-priority", name),
                      rate(f"{peer.lower()}_prioritized.py", seconds, "alone", out=False), 3))
    for kind in ("rows", "records"):
        name = f"sample(256) by priority of 1M {kind}, update"
        for peer, floor, goal in (("TorchRL", 50, 100), ("cpprb", 20, 35)):
            table.append((f"{name}; {peer}", "steps/s", False, floor, goal, ours_figure("bench-priority", name),
                          rate(f"{peer.lower()}_prioritized.py", seconds, out=False), 3))
    for kind in ("columns", "records"):
        for name, word, peer, floor, goal in (
                (f"add one row of 10 keys to {kind}", "add", "TorchRL", 500, 2000),
                (f"add one row of 10 keys to {kind}", "add", "SB3", 15, 40),
                (f"extend {kind} by 1000 rows of 10 keys", "extend", "TorchRL", 10, 25),
                (f"extend {kind} by 1000 rows of 10 keys", "extend", "cpprb", 2, 4),
                (f"sample(256) of 10 keys in {kind}", "sample", "TorchRL", 20, 40),
                (f"sample(256) of 10 keys in {kind}", "sample", "SB3", 10, 20),
                (f"sample(256) of 10 keys in {kind}", "sample", "cpprb", 4, 8)):
            table.append((f"{name}; {peer}", "calls/s", False, floor, goal, ours_figure("bench-buffer", name),
                          rate(f"{peer.lower()}_buffer.py", word, seconds, out=False), 3))
    if learn:
        table.append(("update of 2×256, batch 256; PyTorch, 1 thread", "updates/s", False, 1, 2,
                      ours_figure("bench-learn", "update of 2×256", again=True),
                      rate("torch_update.py", seconds, out=False), 3))
    table.append(("texts of 100 MB to rows of ids; Hugging Face tokenizers, 1 thread", "MB/s", False, 1, 2,
                  ours_tokenize, theirs_tokenize, 3))
    table += [(f"import of 1 GB of D4RL{form}; TorchRL, from a local copy", "s", True, 5, 20, ours_import(kind),
               theirs_import(kind), 3) for kind, form in (("plain", ""), ("gzip", " in gzip"))]
    table += [(start + "Gymnasium loop, npz", "ms", True, 4, 15, ours_first,
               first("gymnasium_loop.py"), 9),
              (start + "TorchRL, dumps", "ms", True, 100, 300, ours_first,
               first("torchrl_first.py"), 3)]
    return table


# ---- figures ------------------------------------------------------------------------------------

def measure(runner, ours, theirs, rounds):
    """The calmest of up to three sets of rounds, ours and theirs in turn."""
    best = None
    for _ in range(3):
        wait_for_quiet()
        before, pairs = used(), []
        for _ in range(rounds):
            pairs.append((ours(runner), theirs(runner)))
        share = foreign(before, used())
        if best is None or share < best[0]:
            best = (share, pairs)
        if best[0] <= FOREIGN_MAX:
            break
    return best


def figure(runner, row, most):
    name, unit, is_time, floor, goal, ours, theirs, rounds = row
    share, pairs = measure(runner, ours, theirs, min(rounds, most))
    values = [pair[0] for pair in pairs]
    median, limit = statistics.median(values), statistics.median(pair[1] for pair in pairs)
    return {"group": "Reel and other programs", "name": name, "isa": runner.isa, "unit": unit, "median": round(median, 3), "min": round(min(values), 3),
            "max": round(max(values), 3), "limit": round(limit, 3),
            "ratio": round(limit / median if is_time else median / limit, 3), "floor": floor,
            "goal": goal, "noisy": share > FOREIGN_MAX}


def show(f):
    mark = "" if f["floor"] is None else "goal" if f["ratio"] >= f["goal"] else \
        "ok" if f["ratio"] >= f["floor"] else "below floor"
    number = "{:,.0f}" if f["unit"].endswith("/s") else "{:,.1f}"
    cells = [number.format(f[key]) for key in ("median", "min", "max", "limit")]
    print(f"{f['name']:<62} {'~' if f['noisy'] else ' '}{cells[0]:>12} {cells[1] + '-' + cells[2]:>25} "
          f"{cells[3]:>12} {'x%.1f' % f['ratio']:>9} {f['floor'] or '':>6} {f['goal'] or '':>6}  {mark}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("collect")
    parser.add_argument("file")
    parser.add_argument("--only", default="", help="figures with this in their names")
    parser.add_argument("--rounds", type=int, default=9, help="rounds of a figure at most")
    parser.add_argument("--seconds", default="2", help="how long a peer's rate is measured")
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the peers")
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="bench-peers-", dir=".")
    mujoco = os.path.exists(os.path.join(os.path.dirname(os.path.abspath(args.collect)), "benchmarks", "bench-mujoco"))
    learn = os.path.exists(os.path.join(os.path.dirname(os.path.abspath(args.collect)), "learn"))
    runner = Runner(os.path.abspath(args.collect), args.python, os.path.abspath(folder))
    print(f"{'ours, ' + runner.isa + '; theirs':<62} {'ours':>13} {'min-max':>25} {'theirs':>12} {'ratio':>9} {'floor':>6}"
          f" {'goal':>6}", flush=True)
    try:
        with open(args.file, "w") as file:
            said = 0
            for row in (row for row in rows(args.seconds, mujoco, learn) if args.only in row[0]):
                found = figure(runner, row, args.rounds)
                show(found)
                for note in runner.notes[said:]:
                    print(f"  {note}", flush=True)
                said = len(runner.notes)
                file.write(json.dumps(found) + "\n")
                file.flush()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
