"""Runs the dump hook on batches shaped as a trainer's own: run_hook.py <trl|verl|verifiers> <rollouts.json> <folder>.

The rollouts are lists of {ids, prompt, mask, sampler, trainer, reference, reward, advantage}; `prompt` is a length. Tensors are
stand-ins with the few methods of torch's that the hook may use.
"""

import json
import os
import sys
from types import SimpleNamespace

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "integrations", "python"))
import rollout_dump  # noqa: E402

PAD = 151643
GROUP = 8


class Tensor:
    def __init__(self, values, dtype="float32"):
        self.values, self.dtype = values, dtype

    def detach(self):
        return self

    def float(self):
        return Tensor(self.values)

    def tolist(self):
        if self.dtype == "bfloat16":
            raise TypeError("Got unsupported ScalarType BFloat16")
        return self.values


def left(rows, fill):
    width = max(map(len, rows))
    return [[fill] * (width - len(row)) + row for row in rows]


def right(rows, fill):
    width = max(map(len, rows))
    return [row + [fill] * (width - len(row)) for row in rows]


def trl(rollouts, folder, rank=0, size=1, aggregation="sum_then_normalize"):
    """Two processes may share a batch: each has its slice of rows, and the rewards of all."""
    own = rollouts[rank * len(rollouts) // size : (rank + 1) * len(rollouts) // size]
    prompts = [r["ids"][: r["prompt"]] for r in own]
    completions = [r["ids"][r["prompt"] :] for r in own]
    after = lambda name, fill: Tensor(right([r[name][r["prompt"] :] for r in own], fill), "bfloat16")

    class Trainer:
        accelerator = SimpleNamespace(process_index=rank)
        state = SimpleNamespace(global_step=3)
        args = SimpleNamespace(max_completion_length=8192)
        model = SimpleNamespace(training=True, config=SimpleNamespace(_name_or_path="Qwen/Qwen2.5-7B-Instruct"))
        processing_class = SimpleNamespace(pad_token_id=PAD)
        num_generations, temperature = GROUP, 1.0
        multi_objective_aggregation = aggregation
        reward_func_names, reward_weights = ["answer", "format"], Tensor([1.0, 0.5])

        def _calculate_rewards(self, inputs):
            return Tensor([[r.get("reward", float("nan")), float("nan")] for r in rollouts])

        def _generate_and_score_completions(self, inputs):
            self._calculate_rewards(inputs)
            return {
                "prompt_ids": Tensor(left(prompts, PAD)),
                "prompt_mask": Tensor(left([[1] * len(p) for p in prompts], 0)),
                "completion_ids": Tensor(right(completions, PAD)),
                "completion_mask": Tensor(right([[1] * len(c) for c in completions], 0)),
                # Padded with ones, as the trainer does.
                "tool_mask": Tensor(right([r["mask"][r["prompt"] :] for r in own], 1)),
                "sampling_per_token_logps": after("sampler", 0.0),
                "old_per_token_logps": after("trainer", 0.0),
                "advantages": Tensor([r["advantage"] for r in own]),
                "num_items_in_batch": 1,
            }

    trainer = Trainer()
    rollout_dump.watch_trl(trainer, folder)
    trainer._generate_and_score_completions([])


class Columns(dict):
    """As a TensorDict: its keys are a method, and `in` asks the tensors."""

    def __contains__(self, name):
        raise NotImplementedError("TensorDict has no membership by name")


def verl(rollouts, folder):
    prompts = [r["ids"][: r["prompt"]] for r in rollouts]
    responses = [r["ids"][r["prompt"] :] for r in rollouts]
    seen = [p + r for p, r in zip(left([[1] * len(p) for p in prompts], 0), right([[1] * len(r) for r in responses], 0))]
    after = lambda name, fill: Tensor(right([r[name][r["prompt"] :] for r in rollouts], fill))
    scores = right([[0.0] * (len(row) - 1) + [r["reward"]] for row, r in zip(responses, rollouts)], 0.0)
    batch = SimpleNamespace(
        batch=Columns(
            prompts=Tensor(left(prompts, PAD)),
            responses=Tensor(right(responses, PAD)),
            attention_mask=Tensor(seen),
            position_ids=Tensor([[max(0, sum(row[: i + 1]) - 1) for i in range(len(row))] for row in seen]),
            response_mask=after("mask", 0),
            rollout_log_probs=after("sampler", 0.0),
            old_log_probs=after("trainer", 0.0),
            token_level_scores=Tensor(scores),
            advantages=Tensor(right([[r["advantage"]] * len(row) for row, r in zip(responses, rollouts)], 0.0)),
        ),
        non_tensor_batch={
            "uid": Tensor([f"u{i // GROUP}" for i in range(len(rollouts))]),
            "acc": Tensor([True] * len(rollouts)),
            "raw_prompt": Tensor([[{"role": "user", "content": "?"}]] * len(rollouts)),
        },
    )
    trained = []
    trainer = SimpleNamespace(
        global_steps=12,
        config=SimpleNamespace(actor_rollout_ref=SimpleNamespace(model=SimpleNamespace(path="Qwen/Qwen2.5-7B-Instruct"))),
        actor_rollout_wg=SimpleNamespace(update_actor=lambda data: trained.append(data) or "metrics"),
    )
    rollout_dump.watch_verl(trainer, folder)
    assert trainer.actor_rollout_wg.update_actor(batch) == "metrics" and trained == [batch]


def verifiers(rollouts, folder):
    ids = [r["ids"] for r in rollouts]
    result = SimpleNamespace(
        processed_results={
            "prompt_ids": [r["ids"][: r["prompt"]] for r in rollouts],
            "prompt_mask": [[0] * r["prompt"] for r in rollouts],
            "completion_ids": [r["ids"][r["prompt"] :] for r in rollouts],
            "completion_mask": [r["mask"][r["prompt"] :] for r in rollouts],
            "completion_logprobs": [r["sampler"][r["prompt"] :] for r in rollouts],
            "rewards": [r["reward"] for r in rollouts],
        },
        all_reward_dict={"reward": [r["reward"] for r in rollouts], "answer": [r["reward"] for r in rollouts]},
        prompts=[[{"role": "user", "content": "?"}]] * len(rollouts),
        completions=[[{"role": "assistant", "content": "!"}]] * len(rollouts),
    )

    class Trainer:
        state = SimpleNamespace(global_step=5)
        args = SimpleNamespace()
        model = SimpleNamespace(config=SimpleNamespace(_name_or_path="Qwen/Qwen2.5-7B-Instruct"))
        num_generations, max_seq_len = GROUP, 16384
        async_generator = SimpleNamespace(get_batch=lambda number: result)

        def _prepare_inputs(self, inputs):
            self.async_generator.get_batch(0)
            # This trainer concatenates the two masks into what it calls the attention mask. Only its own slice becomes tensors.
            half = len(rollouts) // 2
            attention = right([r["mask"] for r in rollouts[:half]], 0)
            self._buffered_inputs = [{"input_ids": Tensor(right(ids[:half], 0)), "attention_mask": Tensor(attention)}]
            return self._buffered_inputs[0]

    trainer = Trainer()
    rollout_dump.watch_verifiers(trainer, folder)
    assert trainer._prepare_inputs([]) is trainer._buffered_inputs[0]


def broken(rollouts, folder):
    """A batch that lacks what the hook needs must not stop the training."""

    class Trainer:
        def _generate_and_score_completions(self, inputs):
            return {"prompt_ids": Tensor([[1]])}

    trainer = Trainer()
    rollout_dump.watch_trl(trainer, folder)
    assert trainer._generate_and_score_completions([])["prompt_ids"].tolist() == [[1]]


with open(sys.argv[2], encoding="utf-8") as file:
    given = json.load(file)
if sys.argv[1] == "trl-ranks":
    trl(given, sys.argv[3], 0, 2)
    trl(given, sys.argv[3], 1, 2)
elif sys.argv[1] == "trl-parts":
    trl(given, sys.argv[3], aggregation="normalize_then_sum")
else:
    {"trl": trl, "verl": verl, "verifiers": verifiers, "broken": broken}[sys.argv[1]](given, sys.argv[3])
