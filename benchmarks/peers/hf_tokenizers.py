"""Texts to rows of ids by Hugging Face's tokenizers, one thread.

    hf_tokenizers.py make MEGABYTES FOLDER      writes texts.jsonl and tokenizer.json, trained on some of it
    hf_tokenizers.py run FOLDER OUT             writes ids and masks of 256 a row to OUT, and prints MB/s

A text has some 1000 characters of words by Zipf's law, in four alphabets.
"""
import json
import os
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

import numpy as np  # noqa: E402
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers  # noqa: E402

LENGTH, BATCH = 256, 1000
ALPHABETS = ((97, 123),) * 5 + ((0x430, 0x450), (0x4E00, 0x5000), (0x1F600, 0x1F640))


def make(megabytes, folder):
    random = np.random.default_rng(0)
    words = []
    for _ in range(30000):
        first, last = ALPHABETS[random.integers(len(ALPHABETS))]
        words.append("".join(map(chr, random.integers(first, last, random.integers(1, 10)))))
    texts, size = [], 0
    while size < megabytes * 1e6:
        drawn = (words[min(i, len(words)) - 1] for i in random.zipf(1.3, 150))
        texts.append(" ".join(drawn) + random.choice([".", "!\n", " 42", "  it's"]))
        size += len(texts[-1].encode())
    with open(f"{folder}/texts.jsonl", "w") as file:
        file.writelines(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(texts[:5000], trainers.BpeTrainer(vocab_size=16000, initial_alphabet=alphabet, show_progress=False))
    tokenizer.add_special_tokens(["<|endoftext|>"])
    tokenizer.save(f"{folder}/tokenizer.json")


def run(folder, out):
    tokenizer = Tokenizer.from_file(f"{folder}/tokenizer.json")
    end = tokenizer.token_to_id("<|endoftext|>")
    tokenizer.enable_truncation(LENGTH)
    tokenizer.enable_padding(length=LENGTH, pad_id=end, pad_token="<|endoftext|>")
    begin = time.monotonic()
    os.makedirs(out)
    with open(f"{folder}/texts.jsonl") as file:
        texts = [json.loads(line)["text"] for line in file]
    ids, mask = (np.memmap(f"{out}/{name}", np.int64, "w+", shape=(len(texts), LENGTH)) for name in ("ids", "mask"))
    for i in range(0, len(texts), BATCH):
        rows = tokenizer.encode_batch(texts[i:i + BATCH])
        ids[i:i + len(rows)] = [row.ids for row in rows]
        mask[i:i + len(rows)] = [row.attention_mask for row in rows]
    seconds = time.monotonic() - begin
    size = sum(len(text.encode()) for text in texts)
    print(size / 1e6 / seconds)


make(float(sys.argv[2]), sys.argv[3]) if sys.argv[1] == "make" else run(*sys.argv[2:])
