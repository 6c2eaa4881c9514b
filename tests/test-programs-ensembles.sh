#!/bin/sh
# replay with ensembles of buffers: makes them, looks into them, draws from them. Prints TAP.
. "${srcdir:-.}/tests/programs.sh"
golden=$srcdir/tests/data/torchrl
collect --env CartPole --frames 2000 --capacity 800 --out A --quiet > log
collect --env CartPole --frames 600 --capacity 800 --seed 9 --out B --quiet > log
sums () { replay info --digest --json "$1" | grep -o '"sha256":"[0-9a-f]*"' | cksum; }

# ---- replay merge
check 'without --out it is said what goes together' gives 0 '^B  *600  *0.3$' replay merge A B --weights 0.7,0.3
check 'of all of them' gives 0 '^A  *800  *0.7$' replay merge A B --weights 0.7,0.3
check 'and nothing is written' same "$(ls -d AB all 2> log)" ''
check 'merge prints the path alone' gives 0 '^AB$' replay merge A B --weights 0.7,0.3 --out AB
check 'each keeps its rows and their slots' same "$(sums AB/storage/0) $(sums AB/storage/1)" "$(sums A) $(sums B)"
check 'weights are kept as they are given' gives 0 '"length":600,"weight":2.0}' replay merge A B --weights 6,2 --json
check 'one object has the members' gives 0 \
  '^{"path":"all","length":2200,"members":\[{"path":"A","length":800,"weight":1.0},{"path":"AB/storage/0","length":800,"weight":0.[67][0-9]*},{"path":"AB/storage/1","length":600,"weight":0.[23][0-9]*}\]}$' \
  replay merge A AB --out all --json
check 'members of an ensemble share its weight' gives 0 '"weights":\[0.5,0.3[45][0-9]*,0.1[45][0-9]*\]' replay info all --json
check 'what TorchRL wrote is merged' gives 0 '"length":14' replay merge --read-only \
  "$golden/rb-memmap-full/dump" "$golden/rb-ensemble2/dump" --out theirs --json
check 'TorchRL cannot sample members of several dimensions, which is said' gives 0 \
  '^replay: TorchRL loads lanes, but cannot sample members of several storage dimensions: --ndim 1 makes' replay merge A B --out lanes
check 'it can members of one' gives 0 '^rows_of_one$' replay merge A B --ndim 1 --out rows_of_one
check 'whose lanes are cut where they meet' gives 0 'A: the last rows of [1-9] lanes are marked as truncated' \
  replay merge A B --ndim 1 --out rows_of_one --force
check 'they have all rows' gives 0 '"shape":\[801\].*"shape":\[800\]' replay info rows_of_one --json
check 'and are whole' gives 0 . replay fsck rows_of_one
check '--ndim is of what is written' gives 2 'cannot use --ndim without --out' replay merge A B --ndim 1
check 'what stands there is not replaced' gives 1 'AB: a checkpoint is there; choose another path, or replace it by --force ' replay merge A B --out AB
check 'but by --force' gives 0 '^AB$' replay merge A B --weights 0.7,0.3 --out AB --force
check 'buffers of other dimensions do not go together' gives 2 'has 1 storage dimensions, A has 2; --ndim 1 converts all to one' \
  replay merge A "$golden/rb-memmap-full/dump"
check 'nor those without a key of the others' gives 2 'has no key "index", which .* has' \
  replay merge "$golden/rb-memmap-full/dump" "$golden/rb-plain-add/dump"
replay convert "$golden/rb-collector-cartpole/dump" flat --ndim 1 > log 2>&1
check 'nor with keys of other shapes' gives 2 '"observation" is float32 \[[0-9]*\], in .* it is float32 \[3\]' \
  replay merge "$golden/rb-plain-add/dump" flat
mkdir hollow
check 'what is missing is not said to be' gives 1 'hollow/nothere: there is no such directory' replay merge hollow/nothere B --out hollow
check 'what is merged is not replaced' gives 2 'out ./A would replace A, which is to be merged' replay merge A B --out ./A --force
check 'nor what holds it' gives 2 'AB would replace AB/storage/0' replay merge AB/storage/0 B --out AB --force
check 'and stands as it was' gives 0 '^rows      800 of 800$' replay A
check 'a weight for each' gives 2 '\-\-weights has 1 numbers for 2 directories' replay merge A B --weights 1
check 'that is a number' gives 2 '"x": it must be a number' replay merge A B --weights 1,x
check 'not negative' gives 2 'the weight of buffer 1 is -2' replay merge A B --weights 1,-2
check 'and not all 0' gives 2 'no buffer has a weight above 0' replay merge A B --weights 0,0
check 'one directory is too few' gives 2 'cannot merge A alone' replay merge A
check 'none as well' gives 2 'directories are missing' replay merge
check 'one that is none' gives 1 'there is no such directory' replay merge A nothing --out with-nothing
check 'leaves nothing' same "$(ls -a | grep nothing)" ''
merged_and_killed () {
  for call in renameat renameat2 mkdir fsync; do
    ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o log -e trace=$call -e inject=$call:signal=KILL:when=1 \
      replay merge A B --out unmerged > out 2>&1
    [ ! -e unmerged ] || replay fsck unmerged > out || return 1
    rm -rf unmerged
  done
}
if strace -o log true 2> log; then
  check 'a kill leaves all of it or none' merged_and_killed
else
  skip 'a kill leaves all of it or none' 'no strace here'
fi

# ---- old rows among new ones
mixed () { replay sample B --offline A --offline-fraction "$1" --batch-size 8 --json | grep -o '"index":\[\[[^"]*'; }
check 'sample mixes in a directory' gives 0 'batch_size=torch.Size(\[8\])' replay sample B --offline A --batch-size 8
check 'by the fraction, the rest as before' same \
  "$(mixed 0.25 | cut -d'[' -f5-)" "$(replay sample B --batch-size 6 --json | grep -o '"index":\[\[[^"]*' | cut -d'[' -f3-)"
check 'which is one' gives 2 'must be in (0, 1), got 1.5' replay sample B --offline A --offline-fraction 1.5
check 'of buffers, not of ensembles' gives 2 'needs one buffer' replay sample AB --offline A
check 'batches of both are kept' gives 0 '"batches":2,"rows":16}' replay sample B --offline A --batch-size 8 --batches 2 --out mixed --json

# ---- the others
check 'info names members and weights' gives 0 '^weights   0.7, 0.3$' replay info AB
check 'and says of each what it says of a buffer' gives 0 '^rows      600 of 800$' replay info AB
check 'as one object' gives 0 '"class":"ensemble","length":1400,"capacity":1600,"weights":\[0.[67][0-9]*,0.[23][0-9]*\]' replay info AB --json
check 'lines for Python' gives 0 '^    TensorDictReplayBuffer(storage=LazyMemmapStorage(800, ndim=2)),$' replay info AB --python
check 'a member is a buffer' gives 0 '^rows      600 of 800$' replay info AB/storage/1
check 'members without rows are named' gives 0 '"path":".*/storage/2","class":null,"length":0' \
  replay info --json "$golden/rb-ensemble3/dump"
labels () { replay "$@" --json | grep -o '"path":"[^"]*"' | tr '\n' ' '; }
mkdir nested
for part in storage writer; do mkdir nested/$part && cp -r AB/$part nested/$part/0; done
cp AB/buffer_metadata.json nested && cp AB/storage/metadata.json nested/storage
check 'a member that is an ensemble is one' same "$(labels info nested/storage/0)" \
  '"path":"nested/storage/0" "path":"nested/storage/0/0" "path":"nested/storage/0/1" '
check 'as it is below the whole' same "$(labels info nested)" "\"path\":\"nested\" $(labels info nested/storage/0)"
check 'and where it is merged' same "$(labels merge nested/storage/0 A | sed 's/^"path":null *//')" \
  '"path":"nested/storage/0/0" "path":"nested/storage/0/1" "path":"A" '
check 'rows are printed member by member' same \
  "$(replay rows AB --json | grep -c '"buffer":"0"') $(replay rows AB --json | grep -c '"buffer":"1"')" '800 600'
check 'the range is of each' gives 0 '^{"row":599,"buffer":"1",' replay rows AB --json -- -1:
check 'sample draws parts of them' gives 0 'batch_size=torch.Size(\[2, 4\])' replay sample AB --batch-size 8
ids () { replay sample all --batch-size 9 --batches 200 --seed 3 --json | grep -o '"buffer_ids":[^}]*' | cksum; }
check 'the same of the same seed' same "$(ids)" "$(ids)"
check 'of which a batch must be a multiple' gives 2 'must be divisible' replay sample theirs --batch-size 4
check 'by any sampler' gives 0 '^{"path":"S","sampler":"slice:num-slices=4","batches":3,"rows":192}$' \
  replay sample AB --sampler slice:num-slices=4 --batch-size 64 --batches 3 --out S --json
check 'through transforms' sh -c 'replay sample AB --transform exclude:keys=[action] | grep -q action && exit 1 || exit 0'
check 'goals in hindsight are of a buffer' gives 1 'not to the ensemble' replay sample AB --transform hindsight
check 'which gets them' gives 0 'batch_size=torch.Size(\[8\])' replay sample A --batch-size 8 \
  --transform 'hindsight:goal-key=observation,achieved-goal-key=next/observation,strategy=final'
check 'ensembles do not draw ahead' gives 1 'are not drawn ahead' replay sample AB --prefetch 2
check 'fsck looks at all' gives 0 '^AB: 1400 rows, nothing wrong; all checksums agree$' replay fsck AB
damaged () { cp -r AB bad && truncate -s 9 bad/storage/1/next/reward.memmap && gives 3 'bad/storage/1/next/reward.memmap' replay fsck bad; }
check 'and says where' damaged
check 'members of members by their paths' gives 0 'all checksums agree$' replay fsck nested
check 'convert takes a member by its path' gives 0 '^other$' replay convert AB/storage/1 other
check 'or all members' gives 0 '^{"path":"AB1","members":\[{"path":"AB/storage/0","length":800,.*"ndim":1,.*{"path":"AB/storage/1","length":600,' \
  replay convert AB AB1 --ndim 1 --json
check 'of the same weights' same "$(replay AB | grep weights)" "$(replay AB1 | grep weights)"
check 'each as it would be alone' same "$(replay convert AB/storage/1 alone --ndim 1 > log 2>&1 && sums alone)" "$(sums AB1/storage/1)"
check 'and says which lanes it cut' sh -c 'replay convert AB AB2 --ndim 1 2>&1 | grep -q "AB/storage/0: the last rows of"'
check 'members of members too' gives 0 '"path":"nested/storage/0/1"' replay convert nested nested1 --ndim 1 --json
check 'which stay where they were' gives 0 '"path":"nested1/storage/0/1"' replay info nested1 --json
check 'in any form' sh -c 'replay convert AB ABflat --checkpointer flat > log && replay diff AB ABflat'
check 'in its own place' sh -c 'replay convert AB2 AB2 --capacity 2000 --force > log && replay fsck AB2 | grep -q "1400 rows, nothing wrong"'
check 'or in one buffer' gives 0 '^{"path":"flat-AB","length":1400,"capacity":1400,"ndim":1,"dropped":0,"truncated":[0-9]*}$' \
  replay convert AB flat-AB --flatten --json
check 'which tells no trajectory from another by itself' sh -c 'replay fsck flat-AB | grep -q "1400 rows, nothing wrong; all checksums agree"'
check 'with room for fewer' gives 0 '"length":300,"capacity":300' replay convert AB flat-300 --flatten --capacity 300 --json
check 'as transforms show them' gives 0 '"length":300,"capacity":300' \
  replay convert AB flat-shown --flatten --capacity 300 --transform exclude:keys=collector --json
check 'which are for one buffer' gives 2 'AB is an ensemble: add --flatten' \
  replay convert AB shown --transform exclude:keys=collector
check 'and no lanes' gives 2 'flatten makes one dimension, not 2' replay convert AB flat-2 --flatten --ndim 2
check 'a buffer is flat' gives 2 'flatten is for ensembles; A is one buffer' replay convert A flat-A --flatten
check 'its weights are gone' sh -c 'replay convert AB flat-again --flatten 2>&1 | grep -q "weights of members are not kept"'
check 'not into itself' gives 2 'AB/inner is inside AB; choose another' replay convert AB AB/inner
plan
