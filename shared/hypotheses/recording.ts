import type { Stream } from '../model/streams.ts'

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
  rewards: REWARD_DUMPS,
  group: 'slime --save-debug-rollout-data FILE, open-instruct --save_traces --rollouts_save_path DIR',
  tokenizer: '--tokenizer with a folder that holds tokenizer.json',
}

/** For what a verdict lacks: `kl: slime --save-debug-train-data FILE, …`; sentences that name no stream give none. */
export function recordedBy(missing: readonly string[]): string[] {
  return missing.flatMap((name) => {
    const switches = SWITCHES[name as Stream]
    return switches === undefined ? [] : [`${name}: ${switches}`]
  })
}
