import { STREAMS, type Stream } from '../model/streams.ts'

const TOKEN_DUMPS =
  'prime-rl trainer.enable_token_export=true, slime --save-debug-train-data FILE, SkyRL trainer.dump_data_batch=true'
const SCORED_DUMPS = 'slime --save-debug-train-data FILE, SkyRL trainer.dump_data_batch=true'
const REWARD_DUMPS =
  'verl trainer.rollout_data_dir=DIR, slime --save-debug-rollout-data FILE, verifiers vf-eval -s, open-instruct --save_traces --rollouts_save_path DIR'

/** The switches of trainers that write a stream to disk; streams that no switch brings are not listed. */
const SWITCHES: Readonly<Partial<Record<Stream, string>>> = {
  ids: TOKEN_DUMPS,
  mask: TOKEN_DUMPS,
  advantages: TOKEN_DUMPS,
  'logprobs.sampler': `${TOKEN_DUMPS}, verifiers vf-eval -s -C trajectory`,
  'logprobs.trainer': TOKEN_DUMPS,
  'logprobs.reference': SCORED_DUMPS,
  kl: SCORED_DUMPS,
  entropy: 'prime-rl trainer.enable_token_export=true, slime --save-debug-train-data FILE',
  position_ids: 'prime-rl trainer.enable_token_export=true',
  attention_mask: 'SkyRL trainer.dump_data_batch=true',
  versions: 'slime --save-debug-rollout-data FILE',
  step: 'prime-rl trainer.enable_token_export=true, verl trainer.rollout_data_dir=DIR',
  rewards: REWARD_DUMPS,
  reward_components: 'verifiers vf-eval -s, TRL log_completions=True',
  messages: 'verifiers vf-eval -s, NeMo-Gym +output_jsonl_fpath=FILE',
  tools: 'NeMo-Gym +output_jsonl_fpath=FILE',
  finish_reason: 'slime --save-debug-rollout-data FILE, open-instruct --save_traces --rollouts_save_path DIR',
  group: 'slime --save-debug-rollout-data FILE, open-instruct --save_traces --rollouts_save_path DIR',
  limits: '--max-seq-len, --max-prompt-length or --max-completion-length with the number that the run had',
  tokenizer: '--tokenizer with a folder that holds tokenizer.json',
}

/**
 * For what a verdict lacks: `kl: slime --save-debug-train-data FILE, …`. A sentence counts for the stream that it begins with
 * (`rewards of at least 8 training steps`); those that name none give none.
 */
export function recordedBy(missing: readonly string[]): string[] {
  const lines = missing.flatMap((what) => {
    const stream = STREAMS.find((name) => what === name || what.startsWith(`${name} `) || what.startsWith(`${name}:`))
    const switches = stream === undefined ? undefined : SWITCHES[stream]
    return switches === undefined ? [] : [`${stream}: ${switches}`]
  })
  return [...new Set(lines)]
}
