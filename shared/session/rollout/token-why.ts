import type { TrajectoryView } from '../../checks/check.ts'
import { isAnswered } from '../../checks/oracles/structure-oracle.ts'
import type { PolicyId } from '../../model/policy.ts'
import { Expected, PART, PARTS, type Part, Provenance, type Turn } from '../../model/tokens.ts'

/** Why the structure of the turns says what it says of a token; null where there is no such oracle. */
export function whyStructure(view: TrajectoryView, token: number, policy: PolicyId): string | null {
  const { segmentation, expected } = view
  if (segmentation === null || expected === null) return null
  const part = PARTS[segmentation.parts[token] ?? PART.other] ?? 'other'
  const turn = segmentation.turns.find(({ start, end }) => token >= start && token < end) ?? null
  if (expected[token] === Expected.undecided) {
    return policy === 'last-turn' && turn?.kind === 'assistant' && isAnswered(turn, segmentation)
      ? 'the format trains the last turn unless it is told otherwise, and that is not the model’s here'
      : undecidedWords(part, policy)
  }
  if (expected[token] === Expected.trained) return trainedWords(part, turn)
  if (policy === 'last-turn' && turn?.kind === 'assistant') {
    return 'under the policy only the last assistant turn is trained'
  }
  return MASKED_WORDS[part]
}

function trainedWords(part: Part, turn: Turn | null): string {
  const which = turn === null ? '' : ` of assistant turn ${turn.ordinal}`
  if (part === 'end') return `the model samples the end${which} itself`
  if (part === 'header' || part === 'prefill') return `the dump says that the model wrote it, in the opening${which}`
  return `it stands ${placeIn(turn, which)}, where only the model writes`
}

/** A turn may lack its header or its end: then the token stands between no two of them. */
function placeIn(turn: Turn | null, which: string): string {
  if (turn === null || (turn.header === 'present' && turn.endToken >= 0))
    return `between the header and the end${which}`
  const name = `assistant turn ${turn.ordinal}`
  const header = turn.header === 'missing' ? 'has no header' : 'begins before the row does'
  if (turn.header === 'present') return `behind the header of ${name}, which has no end token`
  return turn.endToken >= 0
    ? `before the end of ${name}, which ${header}`
    : `in ${name}, which ${header} and has no end token`
}

function undecidedWords(part: Part, policy: PolicyId): string {
  if (part === 'separator' && policy === 'sft') return 'supervised data may train the newline after a turn or not'
  if (part === 'end') return 'the model may have sampled this end, or the environment appended it'
  if (part === 'think') return 'an opening think tag after the header may be the template’s or the model’s'
  if (part === 'other') return 'it stands outside of the turns, or in one whose role may be anyone’s'
  return 'the ids do not tell who wrote it: the turn may be part of the prompt, or the dump denies what its place says'
}

const MASKED_WORDS: Readonly<Record<Part, string>> = {
  bos: 'it opens every sequence and is never predicted',
  header: 'the template writes the header of a turn',
  prefill: 'the template writes this before the model begins',
  system: 'a system turn is not the model’s',
  user: 'a user turn is not the model’s',
  tool: 'a tool reply is the environment’s',
  assistant: 'the dump says that the model did not sample it',
  think: 'the dump says that the model did not sample it',
  tool_call: 'the dump says that the model did not sample it',
  end: 'this end was not sampled by the model',
  separator: 'the template writes this after the end of a turn',
  padding: 'padding is never predicted',
  other: 'it belongs to no turn of the model',
}

/** What in the dump tells who wrote a token; null where nothing does. */
export function whyProvenance({ trajectory, provenance }: TrajectoryView, token: number): string | null {
  if (provenance === null) return null
  if (trajectory.sampled !== null) {
    const flag = trajectory.sampled[token]
    return flag === 0 || flag === 1 ? `its sampled flag is ${flag}` : 'its sampled flag is neither 0 nor 1'
  }
  const logprob = trajectory.logprobs.sampler?.[token] ?? Number.NaN
  if (provenance[token] === Provenance.sampled) {
    return Number.isNaN(logprob)
      ? 'loss runs past its turn up to an end of the whole text, which only the model writes'
      : 'it has a sampler logprob'
  }
  if (provenance[token] === Provenance.notSampled) {
    return Number.isNaN(logprob)
      ? 'it has no sampler logprob where others have one'
      : 'a placeholder stands for its sampler logprob'
  }
  return logprob === 0
    ? 'its sampler logprob is exactly 0, which may be one or stand for none'
    : 'nothing in the dump tells who wrote it'
}
