import { describe, expect, test } from 'vitest'
import { readLargeMetadata, readRunMetadata } from '../../shared/formats/run-metadata/read-metadata.ts'
import { runOfName } from '../../shared/formats/run-metadata/run-of-name.ts'
import { stepOfName } from '../../shared/formats/run-metadata/step-of-name.ts'

const read = (text: string) => readRunMetadata(new TextEncoder().encode(text))

describe('steps by name', () => {
  test.each([
    ['rollouts/step_12/rank_0.bin', 12],
    ['token_exports/step_3/rank_1.jsonl', 3],
    ['global_step_40_training_input.pkl', 40],
    ['train_data_step7.jsonl', 7],
    ['iteration_000012/train_rollout_summaries.jsonl', 12],
    ['12.jsonl', 12],
    ['run.zip › trajectories/train/0012.parquet', 12],
    ['rollout_data/5.pt', 5],
    ['step_4/step_6/rank_0.jsonl', 6],
    ['steps_2.jsonl.gz', 2],
    ['rollout_dump/a_b/GBS64_N8_in1024_out4096/7/gen_batch.dp', 7],
    ['GBS64_N8_in1024_out4096/7/0/tq_batch.pt', 7],
    ['0/tq_batch.pt', null],
    ['7/other.dp', null],
    ['rank_0.jsonl', null],
    ['run-2026-08-01.jsonl', null],
    ['data-00000-of-00001.arrow', null],
    ['footstep_3.jsonl', null],
    ['2026.tar', null],
    ['gsm8k.jsonl', null],
  ])('%s: %s', (name, step) => expect(stepOfName(name)).toBe(step))
})

describe('runs by name', () => {
  test('the folder in which verl keeps rollouts', () => {
    expect(runOfName('dump/a_b/GBS64_N8_in1024_out4096/7/0/tq_batch.pt')).toEqual({
      model: null,
      groupSize: 8,
      limits: { max_prompt_length: 1024, max_completion_length: 4096 },
    })
    expect(runOfName('GBS64_N1_in0_out64/7/gen_batch.dp')).toEqual({
      model: null,
      groupSize: null,
      limits: { max_completion_length: 64 },
    })
  })

  test.each(['7/gen_batch.dp', 'GBS64_N8_in1024_out4096.jsonl', 'N8_in1024_out4096/a.jsonl'])('none: %s', (name) =>
    expect(runOfName(name)).toBeNull())
})

describe('what describes a run', () => {
  test.each([
    [
      'verifiers',
      '{"env_id": "wiki", "model": "Qwen/Qwen2.5-7B", "num_examples": 5, "rollouts_per_example": 8, "sampling_args": {"max_tokens": 512}}',
      { model: 'Qwen/Qwen2.5-7B', groupSize: 8, limits: {} },
    ],
    [
      'open-instruct, a line',
      '{"run_name": "a", "git_commit": "b", "model_name": "allenai/Olmo", "timestamp": "t"}\n',
      { model: 'allenai/Olmo', groupSize: null, limits: {} },
    ],
    [
      'verl, YAML',
      'data:\n  max_prompt_length: 4096\n  max_response_length: 2048\nactor_rollout_ref:\n  model: {path: Qwen/Qwen2.5-7B}\n  rollout:\n    n: 8\n    multi_turn: {max_assistant_turns: 5, max_tool_response_length: 256}\n',
      {
        model: 'Qwen/Qwen2.5-7B',
        groupSize: 8,
        limits: { max_prompt_length: 4096, max_completion_length: 2048, max_turns: 5, max_tool_response_length: 256 },
      },
    ],
    [
      'prime-rl, TOML',
      'seq_len = 4096\nrollouts_per_example = 16\n\n[model]\nname = "Qwen/Qwen3-8B"\n',
      { model: 'Qwen/Qwen3-8B', groupSize: 16, limits: { max_seq_len: 4096 } },
    ],
    [
      'prime-rl, JSON of the orchestrator',
      '{"model": {"name": "Qwen/Qwen3-8B"}, "eval": {"group_size": 2}, "train": {"group_size": 4}, "seq_len": 2048, "group_size": 16}',
      { model: 'Qwen/Qwen3-8B', groupSize: 16, limits: { max_seq_len: 2048 } },
    ],
    [
      'a model with quantised weights',
      '{"model_name": "m", "quantization_config": {"group_size": 128}}',
      { model: 'm', groupSize: null, limits: {} },
    ],
    [
      'W&B config',
      'model_name_or_path:\n  desc: null\n  value: meta-llama/Llama-3.1-8B\nnum_generations:\n  desc: null\n  value: 4\nmax_completion_length:\n  value: 1024\n',
      { model: 'meta-llama/Llama-3.1-8B', groupSize: 4, limits: { max_completion_length: 1024 } },
    ],
    [
      'axolotl, YAML',
      'base_model: Qwen/Qwen2.5-7B\nsequence_len: 4096\nsample_packing: true\n',
      { model: 'Qwen/Qwen2.5-7B', groupSize: null, limits: { max_seq_len: 4096 } },
    ],
    [
      'a model beside the run, whose limits are not those of the run',
      '{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "max_seq_len": 32768, "group_size": 64, "model_name": "m"}',
      { model: null, groupSize: null, limits: {} },
    ],
    [
      'a report of this program, whose limits somebody tried',
      '{"schema": "rollout-inspector.report/1", "limits": {"max_seq_len": {"value": 4000, "origin": "given"}, "max_turns": {"value": 3}}}',
      { model: null, groupSize: null, limits: {} },
    ],
    [
      'a notebook of this program, whose experiments have settings',
      '{"schema": "rollout-inspector.notebook/1", "last": {"model_name": "m", "group_size": 4}}',
      { model: null, groupSize: null, limits: {} },
    ],
    [
      'inputs of NeMo-Gym, a line each',
      '{"_ng_task_index": 0, "responses_create_params": {"model": "m", "max_turns": 3}}\n{"_ng_task_index": 1}\n',
      { model: null, groupSize: null, limits: {} },
    ],
    [
      'a saved dataset',
      '{"_data_files": [], "_fingerprint": "f", "_split": "train"}',
      { model: null, groupSize: null, limits: {} },
    ],
  ])('%s', (_, text, facts) => expect(read(text)?.facts).toEqual(facts))

  test.each([
    ['prose', 'The model did not learn.\n'],
    ['a list', '[1, 2]'],
    ['one number', 'group_size: 8\n'],
    ['counts that are none', '{"group_size": "8", "max_seq_len": 0.5}'],
    ['bytes', 'model: a\u0000'],
    ['a rollout', '{"prompt": "a", "completion": "b", "reward": 1}'],
    [
      'aliases that multiply',
      `a: &a [1]\n${Array.from({ length: 30 }, (_, i) => `k${i}: &k${i} [*${i === 0 ? 'a' : `k${i - 1}`}, *${i === 0 ? 'a' : `k${i - 1}`}]`).join('\n')}\nmodel: m`,
    ],
  ])('%s is none', (_, text) => expect(read(text)).toBeNull())
})

test('a report that is too large to be read whole is known by its beginning', () => {
  const head = (schema: string) => new TextEncoder().encode(`{\n  "schema": "${schema}",\n  "tool": {`)
  expect(readLargeMetadata(head('rollout-inspector.report/1'))?.title).toBe('report of this program')
  expect(readLargeMetadata(head('rollout-inspector.trajectory/1'))).toBeNull()
})
