"""Writes what a trainer's loss sees as JSONL that Rollout Inspector reads (rollout-inspector.trajectory/1).

For trainers that write text only. Copy this file beside your training script and add two lines:

    import rollout_dump
    rollout_dump.watch_trl(trainer, "rollouts")        # TRL GRPOTrainer, before trainer.train()
    rollout_dump.watch_verl(trainer, "rollouts")       # verl RayPPOTrainer, between init_workers() and fit()
    rollout_dump.watch_verifiers(trainer, "rollouts")  # verifiers GRPOTrainer (to 0.1.4), before trainer.train()

The second argument is a folder; each process writes rank_<n>.jsonl there. `every=10` writes every tenth batch only.
Nothing is changed in the trainer, nothing is computed: what it does not hold is not written. A failure in here is
told once on standard error and never stops the run. Standard library only, Python 3.8 or newer.
"""

import json
import math
import os
import sys
import traceback

__all__ = ["watch_trl", "watch_verl", "watch_verifiers", "trl_records", "verl_records", "verifiers_records"]

SCHEMA = "rollout-inspector.trajectory/1"


# The three hooks.


def watch_trl(trainer, folder, every=1):
    """Writes each batch that TRL's GRPOTrainer generates and scores, from the process that holds it."""
    writer = _Writer(folder, _rank(trainer), every)
    scored = {}

    def keep_rewards(call, *args, **kwargs):
        scored["rewards"] = call(*args, **kwargs)
        return scored["rewards"]

    def dump(call, *args, **kwargs):
        scored.clear()
        batch = call(*args, **kwargs)
        if _is_training(trainer):
            writer.write(lambda name: trl_records(trainer, batch, scored.get("rewards"), name))
        return batch

    # The rewards of all processes pass through here on their way to the advantages; older versions do not have it.
    _wrap(trainer, "_calculate_rewards", keep_rewards, optional=True)
    _wrap(trainer, "_generate_and_score_completions", dump)
    return trainer


def watch_verl(trainer, folder, every=1):
    """Writes each batch that verl's RayPPOTrainer hands to the actor's update: advantages and masks are final there."""
    writer = _Writer(folder, 0, every)

    def dump(call, batch, *args, **kwargs):
        writer.write(lambda name: verl_records(trainer, batch, name))
        return call(batch, *args, **kwargs)

    if hasattr(trainer, "_update_actor"):
        _wrap(trainer, "_update_actor", dump)
    elif getattr(trainer, "actor_rollout_wg", None) is not None:
        _wrap(trainer.actor_rollout_wg, "update_actor", dump)
    else:
        raise ValueError("This verl trainer has no workers yet: call watch_verl after trainer.init_workers().")
    return trainer


def watch_verifiers(trainer, folder, every=1):
    """Writes each batch that the GRPOTrainer of verifiers takes from its generator, as the main process sees it."""
    writer = _Writer(folder, 0, every)
    waiting = []

    def keep(call, *args, **kwargs):
        result = call(*args, **kwargs)
        waiting.append(result)
        return result

    def dump(call, *args, **kwargs):
        inputs = call(*args, **kwargs)
        while waiting:
            result = waiting.pop(0)
            writer.write(lambda name: verifiers_records(trainer, result, name))
        return inputs

    if not hasattr(getattr(trainer, "async_generator", None), "get_batch"):
        raise ValueError("This trainer has no async_generator.get_batch: watch_verifiers knows verifiers 0.1.0 to 0.1.4.")
    _wrap(trainer.async_generator, "get_batch", keep)
    _wrap(trainer, "_prepare_inputs", dump)
    return trainer


# From batches to records.


def trl_records(trainer, batch, rewards=None, name="0"):
    """Records of one process's batch of TRL.

    `batch` is what `_generate_and_score_completions` returns: `prompt_ids` and `prompt_mask` (B, P) padded on the left,
    `completion_ids`, `completion_mask` and `tool_mask` (B, R) on the right, logprobs (B, R), `advantages` (B,).
    `rewards` is what `_calculate_rewards` returns, (rows of all processes, reward functions). `name` is the batch's own, so
    that its groups are told from those of other batches of the same step; it is the same in all processes.
    """
    prompts, prompt_masks = _lists(batch["prompt_ids"]), _lists(batch["prompt_mask"])
    completions, completion_masks = _lists(batch["completion_ids"]), _lists(batch["completion_mask"])
    tool_masks, advantages = _lists(batch.get("tool_mask")), _lists(batch.get("advantages"))
    streams = {
        "sampler": _lists(batch.get("sampling_per_token_logps")),
        "trainer": _lists(batch.get("old_per_token_logps")),
        "reference": _lists(batch.get("ref_per_token_logps")),
    }
    components = _components(trainer, _lists(rewards))
    pad, size = _pad_id(trainer), _number(trainer, "num_generations")
    first = _rank(trainer) * len(prompts)
    step = _step(trainer)
    for i, prompt in enumerate(prompts):
        left = _leading_zeros(prompt_masks[i])
        length = _real_length(completions[i], completion_masks[i], pad)
        kept, offset = completions[i][:length], len(prompt) - left
        seen = completion_masks[i][:length]
        # The loss takes the product; padding of tool_mask holds ones.
        trained = [a * b for a, b in zip(seen, tool_masks[i])] if tool_masks else seen
        record = {
            "input_ids": prompt[left:] + kept,
            "loss_mask": [0] * offset + trained,
            "attention_mask": prompt_masks[i][left:] + seen,
            "prompt_length": offset,
            "logprobs": _logprobs(streams, i, offset, 0, length),
        }
        if advantages:
            key = "advantages" if isinstance(advantages[i], list) else "advantage"
            record[key] = [0] * offset + advantages[i][:length] if key == "advantages" else advantages[i]
        if components is not None and first + i < len(components):
            record.update(components[first + i])
        if size:
            record.update(group_id=f"{name}-{(first + i) // size}", group_size=size)
        yield _finished(record, trainer, step, f"{name}-{first + i}")


def verl_records(trainer, batch, name="0"):
    """Records of a verl DataProto: `prompts` (B, P) padded on the left, `responses` (B, R) on the right.

    `attention_mask` (B, P + R) tells the real tokens, `response_mask` (B, R) which of them the loss takes. Scores and
    advantages (B, R); `uid` in `non_tensor_batch` is the group.
    """
    tensors, others = batch.batch, batch.non_tensor_batch
    prompts, responses = _lists(tensors["prompts"]), _lists(tensors["responses"])
    attention = _lists(tensors["attention_mask"])
    loss = _lists(_get(tensors, "response_mask"))
    positions = _lists(_get(tensors, "position_ids"))
    scores, advantages = _lists(_get(tensors, "token_level_scores")), _lists(_get(tensors, "advantages"))
    streams = {
        "sampler": _lists(_get(tensors, "rollout_log_probs")),
        "trainer": _lists(_get(tensors, "old_log_probs")),
        "reference": _lists(_get(tensors, "ref_log_prob")),
    }
    uids = _lists(_get(others, "uid"))
    columns = {key: _lists(others[key]) for key in others.keys() if key != "uid"}
    sizes = {uid: uids.count(uid) for uid in set(uids)} if uids else {}
    step = getattr(trainer, "global_steps", None)
    for i, prompt in enumerate(prompts):
        width = len(prompt)
        left = _leading_zeros(attention[i][:width])
        length = len(responses[i]) - _leading_zeros(attention[i][width:][::-1])
        offset = width - left
        record = {
            "input_ids": prompt[left:] + responses[i][:length],
            "attention_mask": attention[i][left : width + length],
            "prompt_length": offset,
            "logprobs": _logprobs(streams, i, offset, 0, length),
        }
        if loss:
            record["loss_mask"] = [0] * offset + loss[i][:length]
        # Models with images have three rows of positions, which are not those of a text.
        if positions and not isinstance(positions[i][0], list):
            record["position_ids"] = positions[i][left : width + length]
        if scores:
            record["reward"] = sum(scores[i])
        if advantages:
            record["advantages"] = [0] * offset + advantages[i][:length]
        if uids:
            record.update(group_id=f"{name}-{uids[i]}", group_size=sizes[uids[i]])
        extra = {key: _plain(values[i]) for key, values in columns.items() if _is_scalar(_plain(values[i]))}
        if extra:
            record["meta"] = extra
        yield _finished(record, trainer, step, f"{name}-{i}")


def verifiers_records(trainer, result, name="0"):
    """Records of a BatchResult of verifiers: ragged lists of `prompt_ids`, `completion_ids` and their masks.

    The attention mask is taken from the tensors that the trainer made of them (`_buffered_inputs`), where it holds some.
    """
    done = result.processed_results
    get = done.get if isinstance(done, dict) else lambda name, other=None: getattr(done, name, other)
    prompts, completions = get("prompt_ids"), get("completion_ids")
    prompt_masks, completion_masks = get("prompt_mask"), get("completion_mask")
    sampler, rewards = get("completion_logprobs"), get("rewards")
    parts = getattr(result, "all_reward_dict", None) or {}
    said = getattr(result, "completions", None) or []
    asked = getattr(result, "prompts", None) or []
    size = _number(trainer, "num_generations")
    step = _step(trainer)
    forward = _forward_masks(trainer)
    for i, prompt in enumerate(prompts):
        ids = list(prompt) + list(completions[i])
        mask = list(prompt_masks[i]) + list(completion_masks[i])
        record = {
            "input_ids": ids,
            "loss_mask": mask,
            "prompt_length": len(prompt),
            "logprobs": {"sampler": [None] * len(prompt) + _finite(sampler[i])} if sampler else {},
        }
        seen = forward(ids, mask)
        if seen is not None:
            record["attention_mask"] = seen
        if rewards:
            record["reward"] = float(rewards[i])
        components = {name: float(values[i]) for name, values in parts.items() if name != "reward"}
        if components:
            record["rewards"] = components
        if i < len(asked) and i < len(said) and isinstance(asked[i], list) and isinstance(said[i], list):
            record["messages"] = [_plain(message) for message in asked[i] + said[i]]
        if size:
            record.update(group_id=f"{name}-{i // size}", group_size=size)
        yield _finished(record, trainer, step, f"{name}-{i}")


def _forward_masks(trainer):
    """How the forward pass sees a row, told by the rows that this process has made tensors of."""
    rows = []
    for inputs in getattr(trainer, "_buffered_inputs", None) or []:
        ids, attention = _lists(inputs.get("input_ids")), _lists(inputs.get("attention_mask"))
        if ids and attention:
            rows += zip(ids, attention)

    def seen(ids):
        for row, attention in rows:
            if row[: len(ids)] == ids:
                return attention[: len(ids)]
        return None

    # A rollout of another process is in no row here. Its tensors are made by the same code: where that hides anything before
    # the last token it shows, it is because the two masks of the batch became one attention mask.
    hides = any(0 in attention[: len(attention) - _leading_zeros(attention[::-1])] for _, attention in rows)
    return lambda ids, mask: seen(ids) or (mask if hides else None)


# What trainers hold.


def _rank(trainer):
    return int(getattr(getattr(trainer, "accelerator", None), "process_index", 0) or 0)


def _step(trainer):
    return getattr(getattr(trainer, "state", None), "global_step", None)


def _is_training(trainer):
    return bool(getattr(getattr(trainer, "model", None), "training", True))


def _number(trainer, name):
    value = getattr(trainer, name, None)
    if value is None:
        value = getattr(getattr(trainer, "args", None), name, None)
    return int(value) if isinstance(value, (int, float)) and value > 0 else None


def _pad_id(trainer):
    for holder in (trainer, getattr(trainer, "processing_class", None), getattr(trainer, "tokenizer", None)):
        if getattr(holder, "pad_token_id", None) is not None:
            return holder.pad_token_id
    return None


def _model_name(trainer):
    config = getattr(getattr(trainer, "model", None), "config", None)
    name = getattr(config, "_name_or_path", None)
    if name is None:
        settings = getattr(getattr(trainer, "config", None), "actor_rollout_ref", None)
        name = getattr(getattr(settings, "model", None), "path", None)
    return name if isinstance(name, str) and name else None


def _components(trainer, rows):
    """Reward and its parts by row: the sum weighs as TRL's does, and leaves out what a function did not score.

    A row that none of them scored has no reward. Where each function is normalised by itself (`normalize_then_sum`), the sum is
    not what the trainer made advantages of, and only the parts are written.
    """
    names = getattr(trainer, "reward_func_names", None)
    if not rows or not names:
        return None
    weights = _lists(getattr(trainer, "reward_weights", None)) or [1.0] * len(names)
    sums = getattr(trainer, "multi_objective_aggregation", "sum_then_normalize") == "sum_then_normalize"
    found = []
    for row in rows:
        parts = {name: weight * value for name, weight, value in zip(names, weights, row) if math.isfinite(value)}
        record = {"rewards": parts} if parts else {}
        if parts and sums:
            record["reward"] = sum(parts.values())
        found.append(record)
    return found


# Small things.


def _finished(record, trainer, step, name):
    limits = {key: _number(trainer, key) for key in ("max_prompt_length", "max_completion_length", "max_seq_len")}
    model, temperature = _model_name(trainer), getattr(trainer, "temperature", None)
    more = {
        "schema": SCHEMA,
        "id": name,
        "step": step,
        "model": model,
        "temperature": float(temperature) if isinstance(temperature, (int, float)) else None,
        "limits": {key: value for key, value in limits.items() if value is not None} or None,
    }
    if not record["logprobs"]:
        del record["logprobs"]
    return {**{key: value for key, value in more.items() if value is not None}, **record}


def _lists(tensor):
    """Plain lists of a tensor, an array or a list; None stays None."""
    if tensor is None:
        return None
    if hasattr(tensor, "detach"):
        tensor = tensor.detach()
        if "bfloat16" in str(getattr(tensor, "dtype", "")):
            tensor = tensor.float()
    return tensor.tolist() if hasattr(tensor, "tolist") else list(tensor)


def _get(mapping, name):
    return mapping[name] if name in mapping.keys() else None


def _plain(value):
    value = value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value
    return value.model_dump() if hasattr(value, "model_dump") else value


def _is_scalar(value):
    return isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))


def _leading_zeros(mask):
    return next((i for i, value in enumerate(mask) if value), len(mask))


def _real_length(ids, mask, pad):
    """Without the padding on the right. A row that was masked as a whole tells nothing; then its pad ids do."""
    length = len(mask) - _leading_zeros(mask[::-1])
    if length > 0 or pad is None:
        return length if length > 0 else len(ids)
    return len(ids) - next((i for i, token in enumerate(reversed(ids)) if token != pad), len(ids))


def _finite(values):
    return [value if value is not None and math.isfinite(value) else None for value in values]


def _logprobs(streams, row, offset, start, end):
    return {
        name: [None] * offset + _finite(values[row][start:end]) for name, values in streams.items() if values is not None
    }


def _wrap(holder, name, around, optional=False):
    call = getattr(holder, name, None)
    if call is None:
        if optional:
            return
        raise ValueError(f"This {type(holder).__name__} has no {name}: the hook does not know its version.")
    setattr(holder, name, lambda *args, **kwargs: around(call, *args, **kwargs))


class _Writer:
    def __init__(self, folder, rank, every):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, f"rank_{rank}.jsonl")
        self.every, self.batches, self.failed = max(1, int(every)), 0, False

    def write(self, records):
        self.batches += 1
        if (self.batches - 1) % self.every:
            return
        try:
            lines = [json.dumps(record, separators=(",", ":")) for record in records(str(self.batches - 1))]
            # All lines at once, so that a killed run leaves whole batches.
            with open(self.path, "a", encoding="utf-8") as file:
                file.write("".join(line + "\n" for line in lines))
        except Exception:
            if not self.failed:
                print(f"rollout_dump: batch {self.batches} was not written to {self.path}:", file=sys.stderr)
                traceback.print_exc()
            self.failed = True
