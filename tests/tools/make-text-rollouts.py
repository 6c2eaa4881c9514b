"""Writes tests/data/text/rollouts.json: what TorchRL's RolloutFromModel makes of models that are tables. Run by the
peer's Python, see HACKING.md, with transformers."""

import json
import sys
from unittest import mock

import torch
from torchrl.data import AdaptiveKLController, PromptData, RolloutFromModel

VOCABULARY, EOS, BLOCK, NEW, SHIFTS = 12, 11, 7, 5, 3
generator = torch.Generator().manual_seed(5)


def table(*shape, high=16):
    """Eighths: every sum of them is exact."""
    return torch.randint(-high, high + 1, shape, generator=generator).float() / 8


class Fields(dict):
    __getattr__ = dict.__getitem__


class Table(torch.nn.Module):
    """Logits of what follows a token: its row of words, and a row of places by the tokens so far."""

    def __init__(self, words, places, answers=None):
        super().__init__()
        self.words, self.places, self.answers = words, places, answers
        self.device = words.device

    def forward(self, input_ids, attention_mask, return_dict=True):
        place = (attention_mask.long().cumsum(-1) - 1).clamp(min=0) % len(self.places)
        return Fields(logits=self.words[input_ids] + self.places[place])

    def generate(self, input_ids, attention_mask, generation_config):
        ids, ended, scores = input_ids, torch.zeros(len(input_ids), dtype=torch.bool), []
        for t in range(generation_config.max_new_tokens):
            scores.append(self(ids, ids != EOS).logits[:, -1])
            token = scores[-1].argmax(-1) if self.answers is None else self.answers[:, t]
            token = torch.where(ended, EOS, token)
            ids, ended = torch.cat([ids, token[:, None]], 1), ended | (token == EOS)
            if ended.all():
                break
        return Fields(sequences=ids, scores=tuple(scores))


class Score(torch.nn.Module):
    """The value of the last token of a text."""

    def __init__(self, values):
        super().__init__()
        self.values = values

    def forward(self, input_ids, attention_mask):
        last = attention_mask.long().sum(-1) - 1
        return self.values[input_ids], self.values[input_ids.gather(1, last[:, None])].squeeze(1)


class Rollout(RolloutFromModel):
    EOS_TOKEN_ID = EOS


def leaf(tensor):
    data = [x.item() if tensor.dtype != torch.float32 else (float(x).hex() if x == x else "nan") for x in tensor.flatten()]
    return {"dtype": str(tensor.dtype).split(".")[1], "shape": list(tensor.shape), "data": [int(x) if isinstance(x, bool) else x for x in data]}


def leaves(td):
    return {"/".join(k) if isinstance(k, tuple) else k: leaf(v) for k, v in td.items(True, True)}


words, places, values = table(VOCABULARY, VOCABULARY), table(SHIFTS, VOCABULARY), table(VOCABULARY, high=40)
reference = words + table(VOCABULARY, VOCABULARY, high=4)
ids = torch.tensor([[3, 1, 4, 1, 5, EOS, EOS], [2, 7, 1, 8, 2, 8, 1], [6, 2, 8, EOS, EOS, EOS, EOS], [1, 6, 1, 8, 0, 3, EOS]])
prompts = PromptData(input_ids=ids, attention_mask=(ids != EOS).long(), prompt_rindex=torch.tensor([3, 6, 1, 4]), labels=ids, batch_size=[4])
some = torch.randint(0, EOS, (4, NEW), generator=generator)
some[0, 2] = some[1, 0] = some[3, NEW - 1] = EOS
early = some.clone()
early[2, 1] = early[3, 2] = EOS

golden = {"vocabulary": VOCABULARY, "eos": EOS, "max_new_tokens": NEW}
golden["tables"] = {name: leaf(x) for name, x in (("words", words), ("places", places), ("reference", reference), ("values", values))}
golden["prompts"] = {"batch_size": [4], "keys": {k: leaf(getattr(prompts, k)) for k in ("input_ids", "attention_mask", "prompt_rindex")}}
golden["cases"] = []
for name, answers, arguments in (("greedy", None, {}), ("some end", some, {"kl_coef": 0.25, "score_clip": 1.5, "num_steps": 2}), ("all end early", early, {"score_clip": 0.5})):
    scheduler = AdaptiveKLController(init_kl_coef=arguments.get("kl_coef", 0.1), target=0.05, horizon=30)
    rollout = Rollout(Table(words, places, answers), Table(reference, places), Score(values), max_new_tokens=NEW, kl_scheduler=scheduler, **arguments)
    with mock.patch.object(PromptData.mask_label, "__defaults__", (EOS,)), torch.no_grad():
        parts = rollout.generate(prompts)
        td = rollout.create_rollout_td(prompts, *parts)
        for _ in range(2):
            rollout.rollout_from_data(prompts)
    queue = [float(x) for x in rollout._kl_queue]
    rollout.step_scheduler()
    golden["cases"].append({"name": name, "arguments": arguments, "answers": None if answers is None else leaf(answers), "ids": leaf(parts[0]), "log_probs": leaf(parts[1]), "log_ratio": leaf(parts[2]),
                            "names": td.names, "td": {"batch_size": list(td.batch_size), "keys": leaves(td)}, "queue": queue, "kl_coef": float(rollout.kl_coef)})

json.dump(golden, open(sys.argv[1] if len(sys.argv) > 1 else "tests/data/text/rollouts.json", "w"), separators=(",", ":"))
