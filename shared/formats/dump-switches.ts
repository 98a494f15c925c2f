import type { Stream } from '../model/streams.ts'
import { formatById } from './registry.ts'

/** Streams that hold a number for each token. */
export type TokenStream = Extract<
  Stream,
  'advantages' | 'logprobs.sampler' | 'logprobs.trainer' | 'logprobs.reference' | 'entropy' | 'kl' | 'mask' | 'ids'
>

const NATIVE = 'native'

/** Names of the native format that are not those of their streams. */
const FIELDS: Readonly<Partial<Record<TokenStream, string>>> = { ids: 'input_ids', mask: 'loss_mask' }

type Switches = Readonly<Partial<Record<TokenStream, string>>>

const SLIME_TRAIN =
  'save the training step as well: `--save-debug-train-data PATH`, or `--dump-details DIR` for both dumps'
const PRIME_EXPORT = 'set `trainer.enable_token_export = true` and open the `token_exports` folder with these files'
const VERL_BATCH =
  'this log holds text alone: save the batch itself after the advantages were computed (`DataProto.save_to_disk`) and open that'

const ROLL_BATCH =
  'this log holds text alone: set `rollout_mock` with `enable: true`, `mode: dump` and `dump_dir: DIR`, and open the pickles that it writes'

/**
 * What to switch on in a trainer so that its dump holds a stream, by format and stream, as far as the trainer's own code has a switch for it.
 * Sources: those that the formats name in `writer`.
 */
const SWITCHES: Readonly<Record<string, Switches>> = {
  slime: {
    'logprobs.trainer': SLIME_TRAIN,
    'logprobs.reference': `${SLIME_TRAIN}; it holds them where the run loads a reference model`,
    advantages: SLIME_TRAIN,
    entropy: SLIME_TRAIN,
    kl: SLIME_TRAIN,
  },
  'prime-rl-traces': {
    'logprobs.trainer': PRIME_EXPORT,
    entropy: PRIME_EXPORT,
    advantages: PRIME_EXPORT,
  },
  'prime-rl-batch': {
    'logprobs.trainer': PRIME_EXPORT,
    entropy: PRIME_EXPORT,
  },
  verl: {
    ids: VERL_BATCH,
    mask: VERL_BATCH,
    'logprobs.sampler': VERL_BATCH,
    'logprobs.trainer': VERL_BATCH,
    'logprobs.reference': VERL_BATCH,
    advantages: VERL_BATCH,
    entropy: VERL_BATCH,
  },
  'verl-batch': {
    'logprobs.sampler': 'keep what the rollout engine returned: `actor_rollout_ref.rollout.calculate_log_probs=True`',
    'logprobs.trainer': 'save the batch after `old_log_probs` were computed; RolloutSkip saves it before',
    'logprobs.reference':
      'save the batch after `ref_log_prob` was computed, in a run with a KL term (`actor_rollout_ref.actor.use_kl_loss=True`)',
    advantages: 'save the batch after its advantages were computed; RolloutSkip saves it before',
  },
  roll: { ids: ROLL_BATCH, mask: ROLL_BATCH, 'logprobs.sampler': ROLL_BATCH },
  'nemo-gym': {
    'logprobs.sampler': 'set `return_token_id_information: true` on the model server',
    ids: 'set `return_token_id_information: true` on the model server',
    'logprobs.trainer':
      'open the trainer’s own `train_data_step*.jsonl`, which NeMo-RL writes unless `env.should_log_nemo_gym_responses` is set',
    advantages:
      'open the trainer’s own `train_data_step*.jsonl`, which NeMo-RL writes unless `env.should_log_nemo_gym_responses` is set',
  },
  skyrl: {
    'logprobs.sampler': 'have the generator return `rollout_logprobs`; `trainer.dump_data_batch=true` then dumps them',
    'logprobs.reference': '`trainer.dump_data_batch=true` dumps them in a run that loads a reference model',
  },
  atropos: {
    'logprobs.sampler': 'generate through the managed server, which fills `inference_logprobs`',
  },
}

/** How a run would come to hold a stream: a sentence about what to switch on, where the trainer has a switch for it. */
export function howToDump(formatId: string, stream: TokenStream): string {
  const format = formatById(formatId)
  const title = format?.title ?? formatId
  const words = SWITCHES[formatId]?.[stream]
  const field = `one number for each token under \`${FIELDS[stream] ?? stream}\``
  if (words !== undefined) return `To have it, ${words}.`
  if (formatId === NATIVE) return `To have it, have the trainer write ${field}.`
  if (format?.streams.includes(stream)) return `Files of this kind (${title}) have a place for it that is empty here.`
  return `Files of this kind (${title}) never hold it: write the rollouts in the native format, with ${field}.`
}
