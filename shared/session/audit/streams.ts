import { STREAMS, type Stream } from '../../model/streams.ts'
import type { Trajectory } from '../../model/trajectory.ts'
import type { Tokenizer } from '../../tokens/tokenizer.ts'

/** The streams that one trajectory carries, with the tokenizer that was chosen for the dump. */
export function streamsOf(trajectory: Trajectory, tokenizer: Tokenizer | null): Set<Stream> {
  const has = new Set<Stream>()
  const add = (stream: Stream, value: unknown) => {
    if (value !== null && value !== undefined) has.add(stream)
  }
  // A row without a single token has neither, whatever arrays it stores.
  add('ids', trajectory.ids?.length ? trajectory.ids : null)
  add('mask', trajectory.mask?.length ? trajectory.mask : null)
  add('sampled', trajectory.sampled)
  add('attention_mask', trajectory.attentionMask)
  add('position_ids', trajectory.positionIds)
  add('sequence_ids', trajectory.sequenceIds)
  add('loss_weights', trajectory.weights)
  add('messages', trajectory.messages)
  add('tools', trajectory.tools)
  add('documents', trajectory.documents)
  add('answer', trajectory.answer)
  add('tokenizer', tokenizer?.frame)
  add('template', tokenizer?.template)
  add('logprobs.sampler', trajectory.logprobs.sampler)
  add('logprobs.trainer', trajectory.logprobs.trainer)
  add('logprobs.reference', trajectory.logprobs.reference)
  add('entropy', trajectory.entropy)
  add('kl', trajectory.kl)
  add('advantages', trajectory.advantage ?? trajectory.advantages)
  add('rewards', trajectory.reward)
  add('reward_components', trajectory.rewards)
  add('group', trajectory.group)
  add('finish_reason', trajectory.finishReason)
  add('limits', trajectory.limits)
  add('versions', trajectory.versions)
  add('step', trajectory.step)
  return has
}

/** Streams of the contract that are not in `present`, in the contract's order. */
export function missingStreams(present: ReadonlySet<Stream>): Stream[] {
  return STREAMS.filter((stream) => !present.has(stream))
}

/** What a person calls a stream, for the sentence that says it is not there. */
export const STREAM_TITLES: Readonly<Record<Stream, string>> = {
  ids: 'token ids',
  mask: 'loss mask',
  sampled: 'sampled flags',
  attention_mask: 'attention mask',
  position_ids: 'position ids',
  sequence_ids: 'sequence ids',
  loss_weights: 'loss weights',
  messages: 'messages',
  tools: 'tool schemas',
  documents: 'documents',
  answer: 'answer',
  tokenizer: 'tokenizer',
  template: 'chat template',
  'logprobs.sampler': 'sampler logprobs',
  'logprobs.trainer': 'trainer logprobs',
  'logprobs.reference': 'reference logprobs',
  entropy: 'entropy',
  kl: 'KL',
  advantages: 'advantages',
  rewards: 'rewards',
  reward_components: 'reward components',
  group: 'groups',
  finish_reason: 'finish reasons',
  limits: 'limits',
  versions: 'policy versions',
  step: 'training step',
}
