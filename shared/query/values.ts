import type { FactColumns } from '../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../checks/facts/facts.ts'
import { isCutReason } from '../checks/limits/limits.ts'
import type { KnownLimits, LimitedLength } from '../checks/limits/limits-left.ts'
import { EDGE_NAMES } from '../checks/oracles/edges.ts'
import type { Severity } from '../model/report.ts'

/** Codes of the findings of rollouts and of their groups, intended ones excepted: mostly few different lists of them. */
export interface CodeLists {
  readonly lists: readonly (readonly string[])[]
  /** By rollout, which of these it has. */
  readonly at: Int32Array
}

/** From nothing to the gravest. */
export const SEVERITY_RANKS = ['none', 'info', 'warning', 'error'] as const satisfies readonly (Severity | 'none')[]

/** What queries are asked of: rollouts in report order, more of them as they are read. */
export interface QueryableRollouts {
  readonly facts: readonly TrajectoryFacts[]
  codeLists(): CodeLists
  /** The gravest finding of each, as a place in `SEVERITY_RANKS`. */
  worstRanks(): Uint8Array
  /** Rollouts that lost the beginning of their prompt as the others of their group show, whether or not the run intends that. */
  beginLater(): ReadonlySet<TrajectoryFacts>
  /** Rollouts whose end tells nothing: without an end token, as most are, and without a word about it. */
  openEnds(): ReadonlySet<TrajectoryFacts>
  /** Rollouts that are said to have stopped, and that were cut. */
  refutedStops(): ReadonlySet<TrajectoryFacts>
  /** The limits that they are judged by. */
  limits(): KnownLimits
  /** Name of a source. */
  sourceName(source: number): string
}

/** Numbers of rollouts by field, NaN where one has none. What hangs on findings or on other rollouts stands elsewhere (`columns.ts`). */
export const NUMBERS: Readonly<Record<string, (facts: FactColumns) => Float64Array>> = {
  reward: (facts) => facts.numbers('reward'),
  advantage: (facts) => facts.numbers('advantage'),
  max_advantage: (facts) => facts.numbers('maxAdvantage'),
  step: (facts) => facts.numbers('step'),
  tokens: (facts) => ofThoseWithIds(facts, facts.numbers('realLength')),
  // A dump may declare any number.
  prompt_tokens: (facts) => withoutNegatives(facts.numbers('promptLength')),
  completion_tokens: (facts) =>
    ofThoseWithIds(facts, differences(facts.numbers('realLength'), facts.numbers('promptLength'))),
  trained_tokens: (facts) => facts.numbers('trained'),
  trained_share: (facts) => quotients(facts.numbers('trained'), withoutZeros(facts.numbers('realLength'))),
  padding_tokens: (facts) => ofThoseWithIds(facts, facts.numbers('padding')),
  turns: (facts) => withoutZeros(facts.numbers('turns')),
  assistant_turns: (facts) => ofThoseWithTurns(facts, facts.numbers('assistantTurns')),
  tool_turns: (facts) => ofThoseWithTurns(facts, facts.numbers('toolTurns')),
  mean_gap: (facts) => quotients(facts.numbers('gap', 'absolute'), facts.numbers('gap', 'count')),
  mean_kl: (facts) => quotients(facts.numbers('kl', 'formulas', 2), facts.numbers('kl', 'count')),
  lost: (facts) => facts.numbers('lost'),
  temperature: (facts) => facts.numbers('temperature'),
  index: ({ from, length }) => new Float64Array(length).map((_, i) => from + i),
  record: (facts) => facts.numbers('place', 'record'),
}

/** What a limit counts, by the field that holds what is left to it. */
export const LEFT_TO_LIMITS: Readonly<Record<string, LimitedLength>> = {
  sequence_left: 'sequence',
  prompt_left: 'prompt',
  completion_left: 'completion',
  turn_left: 'assistant-turn',
}

// Loops that call nothing for a rollout: what is no whole number would be made an object for each call.

function differences(lengths: Float64Array, others: Float64Array): Float64Array {
  for (let i = 0; i < lengths.length; i++) lengths[i] = (lengths[i] as number) - (others[i] as number)
  return lengths
}

function quotients(parts: Float64Array, wholes: Float64Array): Float64Array {
  for (let i = 0; i < parts.length; i++) parts[i] = (parts[i] as number) / (wholes[i] as number)
  return parts
}

function withoutNegatives(numbers: Float64Array): Float64Array {
  for (let i = 0; i < numbers.length; i++) if ((numbers[i] as number) < 0) numbers[i] = Number.NaN
  return numbers
}

function withoutZeros(numbers: Float64Array): Float64Array {
  return whereNotZero(numbers, numbers)
}

function whereNotZero(numbers: Float64Array, others: Float64Array): Float64Array {
  for (let i = 0; i < numbers.length; i++) if (others[i] === 0) numbers[i] = Number.NaN
  return numbers
}

/** The fact without which there is no number, by field, of those that many dumps lack. */
export const NEEDED: Readonly<Record<string, keyof TrajectoryFacts>> = {
  reward: 'reward',
  advantage: 'advantage',
  max_advantage: 'maxAdvantage',
  step: 'step',
  prompt_tokens: 'promptLength',
  completion_tokens: 'promptLength',
  trained_tokens: 'trained',
  trained_share: 'trained',
  mean_gap: 'gap',
  mean_kl: 'kl',
  temperature: 'temperature',
}

/** Where no turn is found, how many there are is not known. */
function ofThoseWithTurns(facts: FactColumns, numbers: Float64Array): Float64Array {
  return whereNotZero(numbers, facts.numbers('turns'))
}

/** Texts have no length in tokens. */
function ofThoseWithIds(facts: FactColumns, lengths: Float64Array): Float64Array {
  const hasIds = facts.present('idsHash')
  for (let i = 0; i < lengths.length; i++) if (hasIds[i] === 0) lengths[i] = Number.NaN
  return lengths
}

/** The fact that holds several numbers of a rollout, by field; one of them has to fit. */
export const NUMBER_LISTS: Readonly<Record<string, keyof TrajectoryFacts>> = {
  turn_tokens: 'assistantLengths',
  reply_tokens: 'toolReplyLengths',
}

/** The fact that holds a word of a rollout, by field; null or absent where there is none. */
export const WORDS = {
  id: 'id',
  group: 'group',
  environment: 'environment',
  model: 'model',
  answer: 'answerPlace',
  // The two that `end` asks for.
  end_reason: 'endReason',
  finish_reason: 'finishReason',
} as const satisfies Readonly<Record<string, keyof TrajectoryFacts>>

/** What the other rollouts tell, 1 for those of which it is so. */
export interface ToldByOthers {
  beginLater(): Uint8Array
  openEnds(): Uint8Array
  refutedStops(): Uint8Array
}

/** 1 where it is so. */
type Holds = (facts: FactColumns, told: ToldByOthers) => Uint8Array

const isPresent =
  (name: keyof TrajectoryFacts): Holds =>
  (facts) =>
    facts.present(name)

const isCut: Holds = (facts, told) =>
  either(without(facts.holds('endReason', isCutReason), told.openEnds()), told.refutedStops())

/** What may be so of a rollout, by field and choice. */
export const HOLDS: Readonly<Record<string, Readonly<Record<string, Holds>>>> = {
  lost: {
    any: (facts, told) =>
      either(
        arePositive(facts.numbers('lost')),
        facts.present('cutLeft'),
        facts.present('cutReplies'),
        isCut(facts, told),
        told.beginLater(),
      ),
    documents: hidesDocuments,
    start: (facts, told) => either(facts.present('cutLeft'), told.beginLater()),
    reply: isPresent('cutReplies'),
    end: isCut,
  },
  edge: Object.fromEntries(
    EDGE_NAMES.map((name, bit): [string, Holds] => [name, (facts) => hasBit(facts.numbers('edges'), bit)]),
  ),
  excluded: { yes: (facts) => facts.holds('excluded', (excluded) => excluded) },
  truncated: { yes: (facts) => facts.holds('isTruncated', (isTruncated) => isTruncated === true) },
  has: {
    ids: isPresent('idsHash'),
    mask: isPresent('trained'),
    reward: isPresent('reward'),
    advantage: isPresent('advantage'),
    group: isPresent('group'),
    step: isPresent('step'),
    turns: (facts) => arePositive(facts.numbers('turns')),
    finish_reason: isPresent('finishReason'),
    documents: isPresent('supportingDocuments'),
    logprob_gap: isPresent('gap'),
  },
}

/** As `hasHiddenDocuments` says. */
function hidesDocuments(facts: FactColumns): Uint8Array {
  const documents = facts.present('supportingDocuments')
  const [available, retrieved, visible] = (['available', 'retrieved', 'visible'] as const).map((name) =>
    facts.numbers('supportingDocuments', name),
  ) as [Float64Array, Float64Array, Float64Array]
  for (let i = 0; i < documents.length; i++) {
    const brought = retrieved[i] as number
    const wanted = Number.isNaN(brought) ? (available[i] as number) : brought
    documents[i] = (documents[i] as number) & Number((visible[i] as number) < wanted)
  }
  return documents
}

function arePositive(numbers: Float64Array): Uint8Array {
  const are = new Uint8Array(numbers.length)
  for (let i = 0; i < are.length; i++) are[i] = Number((numbers[i] as number) > 0)
  return are
}

/** Of numbers of 32 bits, NaN for none. */
function hasBit(numbers: Float64Array, bit: number): Uint8Array {
  const has = new Uint8Array(numbers.length)
  for (let i = 0; i < has.length; i++) has[i] = ((numbers[i] as number) >> bit) & 1
  return has
}

function without(flags: Uint8Array, others: Uint8Array): Uint8Array {
  return flags.map((flag, i) => (others[i] === 1 ? 0 : flag))
}

function either(first: Uint8Array, ...others: readonly Uint8Array[]): Uint8Array {
  const some = first.slice()
  for (const other of others) for (let i = 0; i < some.length; i++) if (other[i] === 1) some[i] = 1
  return some
}
