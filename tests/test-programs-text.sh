#!/bin/sh
# replay tokenize, and the commands of docs/text-data.md. Prints TAP.
texts=$(cd "${srcdir:-.}/tests/data/text" && pwd) || exit 99
page=$(cd "${srcdir:-.}/docs" && pwd)/text-data.md
. "${srcdir:-.}/tests/programs.sh"
cp "$texts/tokenizer.json" "$texts/tldr-train.csv" "$texts/comparisons-train.jsonl" . || exit 99

# blocks LANGUAGE: the lines of the page's blocks in LANGUAGE.
blocks () { awk -v language="$1" '$0 == "```" { inside = 0 } inside; $0 == "```" language { inside = 1 }' "$page"; }
walk () {
  blocks sh > commands
  while read -r line; do
    eval "$line" || { echo "failed: $line"; return 1; }
  done < commands
}
check 'the commands of docs/text-data.md run' eval 'walk > walked'
report 'and print what the page shows' "$(blocks text | grep -vxF -f walked)"

tokenize () { replay tokenize "$@" --tokenizer tokenizer.json; }
check 'prompts are written' gives 0 '^prompts$' tokenize tldr-train.csv prompts --kind prompt --max-length 160
# Of TorchRL's own loader, in the order of the file.
sums () { sha256sum prompts/storage/input_ids.memmap prompts/storage/attention_mask.memmap prompts/storage/prompt_rindex.memmap | cut -c 1-64; }
golden () { sed -n 's/.*"name": "csv".*"keys": {\(.*\)}.*/\1/p' "$texts/tensors.json" | grep -oE '[0-9a-f]{64}' | sort; }
check 'their files are those of TorchRL' same "$(sums | sort)" "$(golden)"
check 'a batch can be drawn' gives 0 'prompt_rindex: Tensor(shape=torch.Size(\[5\])' replay sample prompts --batch-size 5
check 'a row is decoded by no command, and printed as ids' gives 0 '^{' replay rows prompts 0:1 --json
check 'the files are intact' gives 0 '' replay fsck prompts
check 'pairs are counted' gives 0 '"length":15,"max_length":64' tokenize comparisons-train.jsonl pairs --kind pair --max-length 64 --json
check 'fewer words are enough' gives 0 '"length":17' tokenize comparisons-train.jsonl short --kind pair --min-words 3 --json
check 'a column has another name' gives 0 '^labels$' tokenize tldr-train.csv labels --key label --max-length 8 --padding-side left
check 'a number of rows' gives 0 '"length":7' tokenize tldr-train.csv seven --key label --rows 7 --pad-token a --json
check 'of which padding is made' gives 0 '"input_ids":\[.*,64,64,64\]' replay rows seven 0:1 --json

# ---- answers ----
roll () { replay rollout "$@" --model ngram:rows=labels,vocabulary=400 --reward-model ngram:rows=labels,vocabulary=400; }
check 'a model answers prompts' gives 0 '"prompts":24,"length":[0-9]*,"kl_coef":0.1' roll prompts rolled --max-new-tokens 12 --json
check 'an episode each' gives 0 '^episodes  24 whole, 0 cut' replay info rolled
check 'whose files are intact' gives 0 '' replay fsck rolled
rows () { replay rows "$1" --keys action,next/reward; }
check 'the seed decides' same "$(roll prompts again --max-new-tokens 12 > log; rows again)" "$(rows rolled)"
check 'the size of batches does not where none is drawn' same \
  "$(roll prompts one --max-new-tokens 9 --greedy --batch-size 5 > log; rows one)" "$(roll prompts two --max-new-tokens 9 --greedy > log; rows two)"
check 'a controller changes the weight' gives 0 '"kl_coef":0.0[0-9]*}' \
  roll prompts tuned --rows 9 --batch-size 3 --max-new-tokens 4 --kl-scheduler adaptive:horizon=2 --json
check 'what was made stays' gives 1 'rolled: a checkpoint is there' roll prompts rolled
check 'but by --force' gives 0 '^rolled$' roll prompts rolled --rows 2 --force
check 'models are needed' gives 2 'name the models with --model and --reward-model' replay rollout prompts none
check 'texts alone are no prompts' gives 2 'prompt_rindex' roll labels none
check 'an end is one of them' gives 2 'cannot end texts with the id 400' roll prompts none --eos-id 400
check 'nothing is made of them' eval '[ ! -e none ]'

check 'what is there stays' gives 1 'prompts: a checkpoint is there; .* replace it by --force ' tokenize tldr-train.csv prompts --kind prompt
check 'which is said before any text is read' gives 1 'prompts: a checkpoint is there' tokenize missing.csv prompts --kind prompt
check 'but by --force' gives 0 '"max_length":20' tokenize tldr-train.csv prompts --kind prompt --max-length 20 --force --json
check 'a tokenizer is needed' gives 2 'name the tokenizer.json with --tokenizer' replay tokenize tldr-train.csv none
check 'that is there' gives 1 '^replay: nowhere.json: there is no such file or directory' replay tokenize tldr-train.csv none --key label --tokenizer nowhere.json
check 'and whole' gives 3 'cut.json:1:' sh -c 'head -c 50 tokenizer.json > cut.json; replay tokenize tldr-train.csv none --key label --tokenizer cut.json'
check 'texts are there' gives 1 '^replay: nowhere.csv: ' tokenize nowhere.csv none --key label
check 'and two names' gives 2 'name the file of texts and the directory to make' tokenize tldr-train.csv
check 'a kind is one of three' gives 2 'cannot use --kind pairs: expected one of text, prompt, pair' tokenize tldr-train.csv none --kind pairs
check 'a side one of two' gives 2 'expected one of right, left' tokenize tldr-train.csv none --padding-side top
check 'words are of pairs' gives 2 'cannot use --min-words without --kind pair' tokenize tldr-train.csv none --min-words 3
check 'a row has an id' gives 2 'max-length' tokenize tldr-train.csv none --max-length 0
check 'a token is known' gives 2 'cannot find the token "nope"' tokenize tldr-train.csv none --key label --pad-token nope
check 'a column is there' gives 2 'no column "text"; its columns: prompt, label' tokenize tldr-train.csv none
check 'prompts are padded behind' gives 2 'cannot pad prompts on the left' tokenize tldr-train.csv none --kind prompt --padding-side left
check 'a tokenizer of another kind is refused by its name' gives 1 '"normalizer": NFC is unsupported' eval \
  'sed "s/\"normalizer\":null/\"normalizer\":{\"type\":\"NFC\"}/" tokenizer.json > other.json; replay tokenize tldr-train.csv none --key label --tokenizer other.json'
check 'nothing is made then' eval '[ ! -e none ]'
plan
