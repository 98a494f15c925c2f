import { countedBy } from '../../shared/exports/phrases.ts'
import { valuesText } from '../../shared/model/number-text.ts'
import type { CheckStatus, Finding, HypothesisId, HypothesisResult, Severity, Unit } from '../../shared/model/report.ts'
import type { LimitInForce, LimitName, LimitOfRollouts, LimitsLeftOut, Stream } from '../../shared/model/streams.ts'
import type { Part, TurnKind } from '../../shared/model/tokens.ts'
import { count } from './numbers.ts'

/** Said wherever so many places of so many are counted. */
export const PLACES_WORDS =
  'Places are what the check looks at, mostly several in a rollout: turns, edges between turns, replies. Its page says which.'

/** What each stream is called, and how a run would come to write it. */
export const STREAM_WORDS: Readonly<Record<Stream, { readonly name: string; readonly how: string }>> = {
  ids: { name: 'token ids', how: 'dump the ids that the loss saw (input_ids)' },
  mask: { name: 'loss mask', how: 'dump the mask beside the ids (loss_mask or labels)' },
  sampled: { name: 'which tokens were sampled', how: 'dump a 0/1 array of the tokens the model wrote (sampled)' },
  attention_mask: { name: 'attention mask', how: 'dump it as the forward pass saw it (attention_mask)' },
  position_ids: { name: 'position ids', how: 'dump them as the forward pass saw them (position_ids)' },
  sequence_ids: { name: 'sequence ids', how: 'dump them for packed rows (sequence_ids)' },
  loss_weights: { name: 'loss weights', how: 'dump the mask as numbers where weights are not 0 or 1' },
  messages: { name: 'messages', how: 'dump the conversation as the environment saw it (messages)' },
  tools: { name: 'tool schemas', how: 'dump what inference was given (tools)' },
  documents: { name: 'documents', how: 'dump retrieved documents with their supporting flag (documents)' },
  answer: { name: 'reference answer', how: 'dump it (answer)' },
  tokenizer: { name: 'tokenizer', how: 'choose a family in the line above, or drop its tokenizer.json here' },
  template: { name: 'chat template', how: 'drop the tokenizer_config.json that goes with the tokenizer' },
  'logprobs.sampler': { name: 'sampler logprobs', how: 'dump what the inference engine returned (logprobs.sampler)' },
  'logprobs.trainer': { name: 'trainer logprobs', how: 'dump what the trainer recomputed (logprobs.trainer)' },
  'logprobs.reference': { name: 'reference logprobs', how: 'dump those of the reference model (logprobs.reference)' },
  entropy: { name: 'entropy', how: 'dump it per token (entropy)' },
  kl: { name: 'KL', how: 'dump it per token (kl)' },
  advantages: { name: 'advantages', how: 'dump them as the loss used them (advantage or advantages)' },
  rewards: { name: 'rewards', how: 'dump one per rollout (reward)' },
  reward_components: { name: 'reward components', how: 'dump them by name (rewards)' },
  group: { name: 'groups', how: 'dump which prompt a rollout belongs to (group_id)' },
  finish_reason: { name: 'finish reason', how: 'dump it as the inference engine gave it (finish_reason)' },
  limits: { name: 'length limits', how: 'give them under “limits” in the line above' },
  versions: { name: 'policy versions', how: 'dump one per token (versions)' },
  step: { name: 'training step', how: 'dump it (step)' },
}

/** End tokens by the role of their turn. */
export const ENDS_BY_ROLE: Readonly<Record<TurnKind, string>> = {
  system: 'end of system turns',
  user: 'end of user turns',
  tool: 'end of tool turns',
  assistant: 'end of assistant turns',
  other: 'end of other turns',
}

/** The check that speaks of loss, or of missing loss, in a part. */
export const PART_CHECKS: Readonly<Partial<Record<Part, readonly string[]>>> = {
  header: ['M08'],
  prefill: ['M09'],
  system: ['M01', 'M05', 'M06'],
  user: ['M01', 'M05', 'M06'],
  tool: ['M01', 'M05'],
  assistant: ['M02', 'M03', 'M06'],
  think: ['M03', 'M16'],
  tool_call: ['M03'],
  end: ['M10'],
  separator: ['M11'],
  padding: ['M12'],
}

export const LIMIT_WORDS: Readonly<Record<LimitName, string>> = {
  max_prompt_length: 'prompt length',
  max_completion_length: 'completion length',
  max_seq_len: 'sequence length',
  max_turns: 'turns',
  max_tool_response_length: 'tool reply length',
}

/** `completion length 512 per turn`, `tool reply length 256 characters`. */
export function limitWords(name: LimitName, limit: LimitInForce): string {
  return `${LIMIT_WORDS[name]} ${count(limit.value)}${countedBy(limit)}`
}

/** `prompt length 768 or 2,048, by rollout`. */
export function severalWords(
  name: LimitName,
  several: readonly LimitOfRollouts[],
  leftOut?: LimitsLeftOut[LimitName],
): string {
  const values = several.map(({ value, per }) => `${count(value)}${countedBy(per === undefined ? {} : { per })}`)
  return `${LIMIT_WORDS[name]} ${valuesText(values, leftOut?.values)}, by rollout`
}

export const POLICY_WORDS = {
  rl: { name: 'rl', what: 'only what the model sampled is trained' },
  sft: { name: 'sft', what: 'every assistant turn, with the newline after its end, is trained' },
  'last-turn': { name: 'last turn', what: 'only the last assistant turn is trained' },
} as const

export const VERDICT_WORDS: Readonly<
  Record<HypothesisResult['verdict'], { readonly glyph: string; readonly name: string }>
> = {
  supported: { glyph: '●', name: 'supported' },
  contradicted: { glyph: '○', name: 'contradicted' },
  inconclusive: { glyph: '◐', name: 'inconclusive' },
  'not-checkable': { glyph: '–', name: 'not checkable' },
}

/** Which way a measure speaks; the signs are those of the verdicts. */
export const SPEECH_WORDS = {
  for: { glyph: '●', name: 'for', title: 'Speaks for the hypothesis' },
  against: { glyph: '○', name: 'against', title: 'Speaks against the hypothesis' },
  undecided: {
    glyph: '◐',
    name: 'undecided',
    title: 'Compared, and speaks neither way: between its thresholds, or too thin to count',
  },
} as const

/** The sentence a supported hypothesis stands for; a title alone reads the same whichever way it falls. */
export const HYPOTHESIS_QUESTIONS: Readonly<Record<HypothesisId, string>> = {
  H01: 'Do tiny differences in a group blow up into large advantages?',
  H02: 'Are the mask, the ids or the context of the loss wrong?',
  H03: 'Is the KL term computed wrongly?',
  H04: 'Is what the answer needs cut away before the model sees it?',
  H05: 'Are the rewards too alike, or too noisy, to learn from?',
  'H06-library': 'Is the training library itself at fault?',
  'H06-lora': 'Do sampler and trainer run different weights?',
  H07: 'Does the fault come with the second turn?',
  H08: 'Do training and evaluation see different prompts?',
}

export const SEVERITY_WORDS: Readonly<Record<Severity, { readonly glyph: string; readonly name: string }>> = {
  error: { glyph: '✖', name: 'error' },
  warning: { glyph: '▲', name: 'warning' },
  info: { glyph: '◇', name: 'note' },
}

/** How a finding is drawn: one that the policy intends is no fault. */
export function findingLook({ severity, intended }: Pick<Finding, 'severity' | 'intended'>) {
  if (intended === true) return { glyph: '○', name: 'intended', className: 'intended' }
  return { ...SEVERITY_WORDS[severity], className: severity }
}

export const UNIT_WORDS: Readonly<Record<Unit, string>> = { trajectory: 'rollout', group: 'group', source: 'file' }

export const STATUS_WORDS: Readonly<Record<CheckStatus, string>> = {
  fail: 'failed',
  pass: 'passed',
  'not-checkable': 'not checkable',
  'not-applicable': 'had nothing to look at',
}
