/** The streams of the contract: what a dump may carry, what a check may need. */
export const STREAMS = [
  'ids',
  'mask',
  'sampled',
  'attention_mask',
  'position_ids',
  'sequence_ids',
  'loss_weights',
  'messages',
  'tools',
  'documents',
  'answer',
  'tokenizer',
  'template',
  'logprobs.sampler',
  'logprobs.trainer',
  'logprobs.reference',
  'entropy',
  'kl',
  'advantages',
  'rewards',
  'reward_components',
  'group',
  'finish_reason',
  'limits',
  'versions',
  'step',
] as const

export type Stream = (typeof STREAMS)[number]

/** Why what takes turns or texts cannot be said of a dump that has ids, where none of the known tokenizers is theirs. */
export const NO_FITTING_TOKENIZER =
  'nothing in the ids shows that a known tokenizer made them: name that of the model with --tokenizer'

/** The length limits of a run, in tokens (`max_turns` in turns); null where unknown. */
export interface Limits {
  max_prompt_length: number | null
  max_completion_length: number | null
  max_seq_len: number | null
  max_turns: number | null
  max_tool_response_length: number | null
}

/** A limit in force, where it is known from, and what it counts where its name does not say. */
export interface LimitInForce {
  value: number
  origin: 'given' | 'metadata' | 'inferred'
  /** Of `max_completion_length`: each assistant turn, or all that follows the prompt. Trainers use one name for both. */
  per?: 'turn' | 'completion'
  /** Of `max_tool_response_length`; absent where nothing tells. verl counts characters. */
  unit?: 'tokens' | 'characters'
}

/** A limit that some rollouts declare, where others declare another. */
export interface LimitOfRollouts {
  value: number
  /** Rollouts that declare it. */
  rollouts: number
  /** As that of `LimitInForce`. */
  per?: 'turn' | 'completion'
}

/** The values of limits of which rollouts declare several, in order; limits of which they declare one are not listed. */
export type LimitsByRollout = Partial<Record<LimitName, LimitOfRollouts[]>>

/** How many more values rollouts declare than are listed, and how many rollouts declare one of these; limits with all values listed are absent. */
export type LimitsLeftOut = Partial<Record<LimitName, { values: number; rollouts: number }>>

export type LimitName = keyof Limits

export const LIMIT_NAMES: readonly LimitName[] = [
  'max_prompt_length',
  'max_completion_length',
  'max_seq_len',
  'max_turns',
  'max_tool_response_length',
]
