#!/bin/sh
# replay import and replay datasets. Prints TAP.
data=$(cd "${srcdir:-.}/tests/data/datasets" && pwd) || exit 99
. "${srcdir:-.}/tests/programs.sh"

python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("atari")' "$data/atari.zip" 2>log ||
  unzip -q "$data/atari.zip" -d atari 2>>log || { skip 'datasets are imported' 'no unzip here'; plan; exit 0; }
check 'Atari needs no HDF5' gives 0 '"rows":15' replay import atari:Breakout/1 --from atari/small frames --json
check 'of some checkpoints' gives 0 '"rows":10' replay import atari:Breakout/1 --from atari/small fewer --max-runs 2 --json
check 'slices are drawn from it' gives 0 'torch.Size(\[4\])' \
  replay sample fewer --batch-size 4 --sampler slice:num-slices=2
check 'fsck reads a dataset' gives 0 'fewer: 10 rows, nothing wrong' replay fsck fewer
cp -r fewer cut && head -c 9 fewer/next/terminated.memmap > cut/next/terminated.memmap
check 'and finds a file that was cut' gives 3 'next/terminated.memmap' replay fsck cut
cp -r fewer bad && { head -c 9 fewer/next/terminated.memmap; printf '\007'; } > bad/next/terminated.memmap
check 'and a bool that is none' gives 3 'next/terminated: step 9, lane 0: is 7, a bool expected' replay fsck bad
check 'spec shows the types of its rows' gives 0 'observation=(unbounded:dtype=uint8,shape=\[8,8\])' replay spec fewer --rows --text
check 'and says what it lacks' gives 2 'fewer contains rows alone, and does not name their environment' replay spec fewer
check 'render shows its pixels' gives 0 '^fewer-0$' render fewer --episode 0 --png fewer-0
rm -r cut bad fewer-0
check 'a damaged frame is refused' gives 3 'observation_ckpt.0.gz: the compressed bytes are cut off' \
  replay import atari:Pong/1 --from atari/damaged/truncated-gz none
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("npz")' "$data/npz.zip" 2>>log ||
  unzip -q "$data/npz.zip" -d npz
check 'arrays of an archive of NumPy become leaves' gives 0 '"rows":7' replay import npz:mine --from npz/packed mine --json
check 'files of a directory are listed' gives 0 '^mine.npz ' replay datasets npz --from npz/packed
check 'arrays of other lengths are refused' gives 3 'mine.npz: "b" is int64 \[3\]; 4 rows' \
  replay import npz:mine --from npz/damaged/short none
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("openx")' "$data/openx.zip" 2>>log ||
  unzip -q "$data/openx.zip" -d openx
check 'episodes of pickles' gives 0 '"rows":12' replay import openx:cmu_stretch --from openx/cmu_stretch robot --json
check 'are those of records' gives 0 '^records$' replay import openx:cmu_stretch --from openx/tfrecord records
check 'with text' cmp robot/language_instruction/meta.json records/language_instruction/meta.json
check 'which programs leave out' gives 0 '^episode  *int32' replay info robot
check 'and an export names' gives 0 '"language_instruction" is left out: it is not a tensor' replay export robot robot.npz
check 'and which is replaced' gives 0 '^robot$' replay import openx:cmu_stretch --from openx/cmu_stretch robot --force
check 'a pickle that calls something is refused' gives 1 'a.data.pickle: .* the global posix.system is refused' \
  replay import openx:cmu_stretch --from openx/damaged/forbidden-global none

# ---- preprocess ----
check 'rows are changed once' gives 0 '"path":"returns","dataset":"Breakout/1","rows":15' \
  replay preprocess frames returns --transform 'double-to-float:in-keys=[next/reward]|exclude:keys=[action]' --json
check 'and are a dataset' sh -c '! replay info returns | grep -q "^action " && replay info frames | grep -q "^action "'
check 'or in their place' gives 0 '^returns$' \
  replay preprocess returns --in-place --transform 'exclude:keys=[next/truncated]' --num-frames 10 --num-workers 2
check 'of which some are left' gives 0 'returns: 10 rows, nothing wrong' replay fsck returns
check 'what is there is not replaced' gives 1 'mine' replay preprocess frames mine --transform 'exclude:keys=[action]'
check 'text is not lost' gives 1 'language_instruction' replay preprocess robot --in-place --transform 'exclude:keys=[action]'
check 'two places are one too many' gives 2 'and not both' replay preprocess frames x --in-place --transform 'exclude:keys=[action]'
check 'none is too few' gives 2 'or --in-place' replay preprocess frames --transform 'exclude:keys=[action]'
check 'a chain is needed' gives 2 'no transform' replay preprocess frames x
check 'the place is not in the dataset' gives 1 'is inside it' replay preprocess frames frames/x --transform 'exclude:keys=[action]'
check 'what is not there is no dataset' gives 1 'nowhere: there is no such directory' replay preprocess nowhere x --transform 'exclude:keys=[action]'
check 'other rows are not a dataset' gives 2 'only a dataset that was imported' replay preprocess npz x --transform 'exclude:keys=[action]'
check 'a missing key names rows' gives 2 'rows 0 to' replay preprocess frames x --transform 'cat-tensors:in-keys=[none],out-key=x'
rm -r returns

check 'a dataset that is there stays' gives 0 '^robot$' replay import openx:cmu_stretch --download=never robot
check 'one that is not is not imported' gives 2 'download=never imports none' \
  replay import openx:cmu_stretch --from openx/cmu_stretch --download=never none
check 'words are not any' gives 2 'download' replay import openx:cmu_stretch --from openx/cmu_stretch --download=often none
check 'two ways contradict' gives 2 'contradict' replay import openx:cmu_stretch --from openx --force --download=never none

# ---- --force replaces a dataset alone ----
forced () { replay import npz:mine --from npz/packed "$@" --force; }
mkdir -p user/below && echo mine > user/notes && echo too > user/below/more && ln -s user link && cp -r npz/packed source && cp -r mine noted &&
  echo mine > noted/notes && collect CartPole --frames 8 --out run --quiet && cp -r npz inner && cp -r mine inner/rows &&
  cp -r mine saved && rm saved/dataset.json && cp -r mine saved/inner
listed () { find user noted run source inner saved -type f -exec cksum {} + | sort; }
before=$(listed)
check 'a dataset is replaced' gives 0 '^mine$' forced mine
check 'and an empty directory' sh -c 'mkdir empty && replay import npz:mine --from npz/packed empty --force'
check 'files of a user are not' gives 1 'user: the directory is not a dataset' forced user
check 'nor at the end of a link' gives 1 'link: the directory is not a dataset' forced link
check 'nor in a dataset' gives 1 'noted/notes: is not part of the dataset' forced noted
check 'nor a saved run' gives 1 'run: the directory is not a dataset' forced run
check 'nor a part of one' gives 1 'run/storage: the directory is not a dataset' forced run/storage
check 'nor the rows within it' gives 1 'run/storage/next: the directory is not a dataset' forced run/storage/next
check 'nor rows that no import made' gives 1 'saved: the directory is not a dataset' forced saved
check 'nor a dataset within them' gives 1 'saved is a directory of rows, and contains it' forced saved/inner
check 'nor the source' gives 1 'source: the directory is not a dataset' replay import npz:mine --from source source --force
check 'nor what contains it' gives 1 'inner: the directory is not a dataset' replay import npz:mine --from inner/packed inner --force
mkdir ancestor && cp -r mine/. ancestor && cp -r npz/packed ancestor/raw
check 'be that a dataset' gives 1 'ancestor/raw/mine.npz: is not part' replay import npz:mine --from ancestor/raw ancestor --force
mkdir ancestor/none && rm -r ancestor/raw
check 'by its place alone' gives 1 'raw files, ancestor/none, are in ancestor' replay import npz:mine --from ancestor/none ancestor --force
check 'and all of them are as before' same "$(listed)" "$before"
ln -s mine alias
check 'a link to a dataset stays' gives 0 '^alias$' forced alias
check 'and leads to the new one' test -L alias -a -f mine/meta.json

# ---- export ----
check 'export writes a table' gives 0 '^table.csv$' replay export run table.csv
check 'with a line for each row, and names' same "$(wc -l < table.csv | tr -d ' ') $(head -1 table.csv | cut -d, -f3)" "9 observation[0]"
check 'a table is imported' gives 0 '"rows":8' replay import csv:table --from . tabular --reals float32 --json
check 'with the leaves of the run' gives 0 'next/observation *float32 *\[8, 4\]' replay info tabular
check 'what is there is refused' gives 1 'table.csv: a file is there; choose another path, or replace it by --force ' replay export run table.csv
check 'unless it is told to' gives 0 '"rows":8,"episodes":8,"truncated":8' replay export run table.csv --force --json
check 'arrays of NumPy come back' sh -c 'replay export run run.npz && replay import npz:run --from . back'
check 'as the same rows' gives 1 'row 0, next/done' replay diff run back
check 'a format is needed' gives 2 'by --format' replay export run table
check 'and one that there is' gives 2 'the formats are csv, npz' replay export run table --format parquet
check 'the output is not in the source' gives 2 'is inside' replay export run run/table.csv
mkdir place && check 'nor in the place of a directory' gives 1 'not a file' replay export run place --format csv --force
check 'an imported dataset is exported too' gives 0 '^fewer.csv$' replay export fewer fewer.csv
rm -r table.csv tabular run.npz back place fewer.csv atari frames fewer openx robot robot.npz records npz mine user link source noted run inner saved empty ancestor alias

if ! replay datasets | grep -q '^d4rl '; then
  skip 'datasets of HDF5 are imported' 'no HDF5 here'
  plan
  exit 0
fi
python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("raw")' "$data/d4rl.zip" 2>log ||
  unzip -q "$data/d4rl.zip" -d raw 2>>log || { skip 'datasets are imported' 'no unzip here'; plan; exit 0; }
hopper=d4rl:hopper-medium-v2

check 'import makes a directory' gives 0 '^rows$' replay import $hopper --from raw/mujoco-v2 rows
check 'info reads it' gives 0 '^rows *19 of 19' replay info rows
check 'sample draws from it' gives 0 'batch_size=torch.Size(\[8\])' replay sample rows --batch-size 8
check 'a sampler of slices finds its episodes' gives 0 'torch.Size(\[8\])' \
  replay sample rows --batch-size 8 --sampler slice:num-slices=4
if [ "$BLAS" != no ]; then
  check 'learn needs its environment' gives 2 'rows does not name its environment: name it by --env' learn bc --data rows
fi
if [ "$BLAS" != no ] && [ "$MUJOCO" != no ]; then
  check 'and learns from it then' sh -c 'learn bc Hopper-v5 --data rows --max-updates 20 --eval-episodes 1 --out learned --quiet &&
    collect Hopper-v5 --policy mlp:weights=learned/policy.safetensors,head=deterministic --frames 8 --out acted --quiet'
  rm -rf learned acted
fi
check 'states that Minari would lose are refused' gives 2 '15 rows differ from the row after them' replay export rows hop-v0 --format minari
check 'import again is refused' gives 1 'rows exists' replay import $hopper --from raw/mujoco-v2 rows
check 'unless it is told to' gives 0 '"rows":19' replay import $hopper --from raw/mujoco-v2 rows --force --json
check 'a row a trajectory' gives 0 '"rows":4' \
  replay import $hopper --from "file://$scratch/raw/mujoco-v2" split --split-trajs --json
check 'properties of the class are options' gives 0 '^flags$' \
  replay import d4rl:antmaze-umaze-v0 --from raw/antmaze flags --use-truncated-as-done false
check 'a wrong value is answered with the right ones' gives 2 'true or false' \
  replay import d4rl:antmaze-umaze-v0 --from raw/antmaze none --use-truncated-as-done maybe
check 'an unknown id is answered with the closest' gives 2 'did you mean "hopper-medium-v2"' \
  replay import d4rl:hoper-medium-v2 --from raw/mujoco-v2 none
check 'a damaged file names what is wrong' gives 3 'maze2d-open-sparse.hdf5: "rewards" is float32 \[6\]; 8 rows' \
  replay import d4rl:maze2d-open-v0 --from raw/damaged/short-rewards none
check 'and nothing is left' same "$(ls -A)" "$(printf '%s\n' check.log flags gives.err gives.out log raw rows split | sort)"
check 'a source is needed' gives 2 'from' replay import $hopper none
check 'and a directory' gives 2 'directory to make' replay import $hopper --from raw
check 'and a dataset' gives 2 'NAME:ID' replay import hopper none --from raw

python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("minari")' "$data/minari.zip" 2>log ||
  unzip -q "$data/minari.zip" -d minari
check 'datasets lists those of a Minari root' gives 0 '^golden/nested/smallimage-hdf5-v3 ' \
  replay datasets minari --from minari/root
check 'and import reads them' gives 0 '"rows":62' \
  replay import minari:golden/cartpole-hdf5-v0 --from minari/root cartpole --json
check 'a root that is missing' gives 1 '^replay: nowhere: there is no such file or directory' replay import minari:nowhere-v0 --from nowhere none
check 'a root without it says so' gives 2 'there is no file nowhere-v0/data/metadata.json in minari/root' \
  replay import minari:nowhere-v0 --from minari/root none

export_cartpole () { replay export cartpole out/golden/cartpole-hdf5-v0 --format minari --id golden/cartpole-hdf5-v0 "$@"; }
check 'Minari is written' gives 0 'does not name it\|do not name it' export_cartpole
check 'and read again, with the same rows' sh -c 'replay import minari:golden/cartpole-hdf5-v0 --from out again && replay diff cartpole again'
check 'a dataset is not replaced' gives 1 'cartpole-hdf5-v0: exists' export_cartpole
check 'unless it is told to' gives 0 '"rows":62' export_cartpole --force --json
echo mine > out/golden/cartpole-hdf5-v0/notes
check 'and has nothing else in it' gives 1 'contains notes' export_cartpole --force
check 'an id needs a version' gives 2 'must be letters, digits' replay export cartpole out/cartpole --format minari
check 'and is the path' gives 2 'does not end in the id a/b-v0' replay export cartpole out/b-v0 --format minari --id a/b-v0
check 'actions of a run become numbers, its environment is known' sh -c 'collect Pendulum --frames 30 --out swing --quiet &&
  replay export swing out/swing-v0 --format minari && grep -q "gymnasium.envs.classic_control.pendulum:PendulumEnv" out/swing-v0/data/metadata.json'
rm -r out again swing

python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("roboset")' "$data/roboset.zip" 2>log ||
  unzip -q "$data/roboset.zip" -d roboset
check 'ids may have slashes and brackets' gives 0 '"rows":18' \
  replay import 'roboset:FK1-v4(expert)/FK1_MicroOpenRandom_v2d-v4' --from roboset/fk1 kitchen --json

python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("vd4rl")' "$data/vd4rl.zip" 2>log ||
  unzip -q "$data/vd4rl.zip" -d vd4rl
check 'arrays of a file of HDF5 become leaves' gives 0 '"rows":7' \
  replay import hdf5:0_0_to_499 --from vd4rl/h5/vd4rl/main/cheetah_run/medium_replay/84px arrays --json

REEL_DATASETS=$scratch/all
export REEL_DATASETS
mkdir -p all/d4rl && mv rows all/d4rl/hopper-medium-v2
check 'datasets lists the classes' gives 0 '^d4rl *179 ' replay datasets
check 'and the sizes of what is there' gives 0 '^hopper-medium-v2 *[0-9.]* KiB' replay datasets d4rl
check 'and the ids' same "$(replay datasets d4rl --json | wc -l | tr -d ' ')" 179
check 'an unknown class is an error' gives 2 'did you mean "d4rl"' replay datasets d4r1
plan
