import type { Message, RecordIssue, Trajectory } from '../model/trajectory.ts'
import { Fields, isObject } from './fields.ts'
import { type ModelCall, mergeByPrefix, prefixBreak, streamsOfCalls } from './model-calls.ts'
import { readIds } from './sequence.ts'
import { readConversation } from './verifiers-messages.ts'

interface Step extends ModelCall {
  readonly messages: Message[] | null
  readonly advantage: number | null
  readonly trajectoryId: string | null
  readonly isTruncated: boolean | null
  readonly issues: readonly RecordIssue[]
}

/** Steps of the saved state that carry tokens; null where the state was not saved. */
export function readSteps(fields: Fields): Step[] | null {
  const list = fields.list('trajectory')
  if (list === null) return null
  const steps: Step[] = []
  for (const [i, entry] of list.entries()) {
    if (!isObject(entry)) {
      fields.issue('bad-type', `trajectory[${i}]`, `trajectory[${i}] is no step`)
      continue
    }
    const step = new Fields(entry)
    const stored = step.objectAt('tokens')
    if (stored === null) continue
    const tokens = new Fields(stored, step.issues)
    const name = `trajectory[${i}].tokens`
    const ids = (key: string) => readIds(`${name}.${key}`, tokens.take(key) ?? [], step.issues)
    steps.push({
      name,
      prompt: ids('prompt_ids'),
      generated: ids('completion_ids'),
      logprobs: { name: `${name}.completion_logprobs`, value: tokens.take('completion_logprobs') },
      masks: { prompt: tokens.take('prompt_mask'), generated: tokens.take('completion_mask') },
      messages: readConversation(step),
      advantage: step.number('advantage'),
      trajectoryId: step.text('trajectory_id'),
      isTruncated: step.boolean('is_truncated'),
      issues: step.issues,
    })
  }
  return steps
}

/** One sequence as the trainer merges it from steps whose prompts extend each other. */
export interface StepSequence {
  readonly streams: Pick<Trajectory, 'ids' | 'promptLength' | 'sampled' | 'mask' | 'logprobs' | 'arrays'>
  readonly messages: Message[] | null
  /** The steps' common advantage, or one value a token where they differ. */
  readonly advantage: number | null
  readonly advantages: Float32Array | null
  readonly trajectoryId: string | null
  /** Whether its last step was cut; null where steps do not say. */
  readonly isTruncated: boolean | null
  /** Its last step is that of the rollout, which ended there. */
  readonly endsRollout: boolean
  readonly issues: readonly RecordIssue[]
}

export function sequencesOf(steps: readonly Step[]): StepSequence[] {
  const sequences = mergeByPrefix(steps)
  return sequences.map((sequence, part) => {
    const last = sequence.at(-1) as Step
    const issues = sequence.flatMap((step) => step.issues)
    const broken = prefixBreak(sequences, part)
    if (broken !== null) issues.push(broken)
    const { sampler, ...streams } = streamsOfCalls(sequence, issues)
    const common = sequence.every(({ advantage }) => advantage === last.advantage)
    return {
      streams: { ...streams, logprobs: { sampler, trainer: null, reference: null } },
      messages: last.messages,
      advantage: common ? last.advantage : null,
      advantages: common ? null : advantagesOf(sequence),
      trajectoryId: last.trajectoryId,
      isTruncated: last.isTruncated,
      endsRollout: last === steps.at(-1),
      issues,
    }
  })
}

function advantagesOf(sequence: readonly Step[]): Float32Array {
  const last = sequence.at(-1) as Step
  const advantages = new Float32Array(last.prompt.length + last.generated.length).fill(Number.NaN)
  for (const { prompt, generated, advantage } of sequence) {
    advantages.fill(advantage ?? Number.NaN, prompt.length, prompt.length + generated.length)
  }
  return advantages
}
