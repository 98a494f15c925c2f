import { ANSWER_PLACES } from '../checks/answer-place.ts'
import { END_REASONS, type TrajectoryFacts } from '../checks/facts.ts'
import { plainFacts } from '../checks/kept-facts.ts'
import { KL_FORMULAS } from '../checks/logprobs/kl-formulas.ts'
import type { GapSums, KlSums } from '../checks/logprobs/sums.ts'
import { LOSS_STREAMS } from '../checks/no-numbers.ts'
import type { PairingFacts } from '../checks/pairing.ts'
import { LIMIT_NAMES, type LimitName } from '../model/streams.ts'
import {
  type Cells,
  COUNT,
  ColumnError,
  ColumnReader,
  ColumnWriter,
  countTo,
  EXPECTED,
  FLAG,
  NUMBER,
  nullable,
  oneOf,
  optional,
  orExpected,
  TEXT,
} from './merge-columns.ts'
import { listOf, PAIR, recordOf } from './merge-composites.ts'

/** The facts of rollouts as a report keeps them: a text for each column, those that say nothing left out. */
export type FactColumns = Readonly<Record<string, string>>

type Pairing = PairingFacts[keyof PairingFacts]

/** A rollout as the columns have it: objects whose fields repeat from row to row by their own are spread over several. */
interface Row extends Omit<TrajectoryFacts, 'place' | 'strip' | 'pairing' | 'rewards' | 'limits'> {
  readonly record: number
  readonly part: number
  /** Names and values of the reward's components, and of the limits that the record declares. */
  readonly rewardNames: readonly string[] | null
  readonly rewardValues: readonly number[] | null
  readonly limitNames: readonly LimitName[] | undefined
  readonly limitValues: readonly number[] | undefined
  /** Undefined where the rollout has no `pairing`. */
  readonly question: Pairing | undefined
  readonly questionIds: Pairing | undefined
  readonly system: Pairing | undefined
  readonly tools: Pairing | undefined
  readonly answer: Pairing | undefined
}

interface Column<Value> {
  readonly cells: Cells<Value>
  /** The value that nearly every row has, from what stands in the columns before it and in the row before it; then the cell is `=`. */
  readonly expected?: (row: Row, before: Row | null) => Value
}

const text = nullable(TEXT)
const number = nullable(NUMBER)
const digest = { cells: optional(text) }

const STORED_KL: Cells<NonNullable<KlSums['stored']>> = recordOf(
  {
    count: NUMBER,
    sum: NUMBER,
    least: NUMBER,
    leastToken: NUMBER,
    squares: NUMBER,
    products: listOf(NUMBER),
    formulaSquares: listOf(NUMBER),
  },
  ';',
)

const GAP: Cells<GapSums> = recordOf(
  {
    count: NUMBER,
    sum: NUMBER,
    absolute: NUMBER,
    squares: NUMBER,
    largest: NUMBER,
    trainerSum: NUMBER,
    samplerValues: NUMBER,
    samplerHash: TEXT,
  },
  ':',
)

const KL: Cells<KlSums> = recordOf(
  {
    count: NUMBER,
    formulas: listOf(NUMBER),
    largest: NUMBER,
    largestToken: NUMBER,
    trainerSum: NUMBER,
    referenceSum: NUMBER,
    stored: nullable(STORED_KL),
    declared: nullable(oneOf(KL_FORMULAS)),
  },
  ':',
)

const CUT_LEFT: Cells<NonNullable<TrajectoryFacts['cutLeft']>> = recordOf(
  { tokens: PAIR, text: TEXT, lost: number },
  ':',
)

/** Turn by turn is counted over all rollouts: a file may not claim more of them than a context has tokens. */
const TURNS = countTo(1 << 20)

/** In the order in which they are read; a fact that is not here would be lost, so every one must be. */
const COLUMNS: { readonly [Name in keyof Required<Row>]: Column<Row[Name]> } = {
  recordHash: { cells: TEXT },
  part: { cells: COUNT, expected: () => 0 },
  record: {
    cells: COUNT,
    expected: ({ part }, before) => (before === null ? 0 : part > 0 ? before.record : before.record + 1),
  },
  line: {
    cells: optional(COUNT),
    expected: ({ record }, before) =>
      before === null ? record + 1 : before.line === undefined ? undefined : before.line + record - before.record,
  },
  id: { cells: TEXT, expected: ({ part, record }) => (part === 0 ? String(record) : `${record}.${part}`) },
  branchOf: { cells: text },
  prefixBroken: { cells: optional(TEXT) },
  group: { cells: text },
  groupSize: { cells: number },
  step: { cells: number },
  reward: { cells: number },
  rewardNames: { cells: nullable(listOf(TEXT)) },
  rewardValues: { cells: nullable(listOf(NUMBER)) },
  limitNames: { cells: optional(listOf(oneOf(LIMIT_NAMES))) },
  limitValues: { cells: optional(listOf(NUMBER)) },
  advantage: { cells: number },
  maxAdvantage: { cells: number, expected: ({ advantage }) => (advantage === null ? null : Math.abs(advantage)) },
  advantageChangesAt: { cells: optional(NUMBER) },
  length: { cells: NUMBER },
  reconstructed: { cells: optional(FLAG) },
  padding: { cells: NUMBER },
  realLength: { cells: NUMBER, expected: ({ length, padding }) => length - padding },
  promptLength: { cells: number },
  unknown: { cells: NUMBER },
  trained: { cells: number },
  masked: {
    cells: number,
    expected: ({ trained, length, padding, unknown }) =>
      trained === null ? null : length - padding - unknown - trained,
  },
  weight: { cells: number, expected: ({ trained }) => trained },
  turns: { cells: TURNS },
  assistantTurns: { cells: TURNS },
  toolTurns: { cells: TURNS },
  edges: { cells: optional(NUMBER) },
  firstRole: { cells: optional(text) },
  lastToken: { cells: optional(number) },
  endsClosed: { cells: optional(nullable(FLAG)) },
  cutLeft: { cells: optional(CUT_LEFT) },
  systemHash: { cells: optional(text) },
  promptDate: { cells: optional(text) },
  answerPlace: { cells: optional(nullable(oneOf(ANSWER_PLACES))) },
  answerAt: { cells: optional(PAIR) },
  trainedPrompt: { cells: optional(nullable(PAIR)) },
  endReason: { cells: oneOf(END_REASONS) },
  finishReason: { cells: text },
  isTruncated: { cells: nullable(FLAG) },
  excluded: { cells: FLAG },
  gap: { cells: optional(GAP) },
  kl: { cells: optional(KL) },
  klRounded: {
    cells: optional(recordOf({ decimals: NUMBER, told: NUMBER, within: listOf(NUMBER) }, ':')),
  },
  brokenAdvantage: { cells: optional(recordOf({ value: TEXT, token: number, tokens: NUMBER }, ':')) },
  noNumbers: { cells: optional(listOf(oneOf(LOSS_STREAMS))) },
  rendersOtherwise: { cells: optional(FLAG) },
  toolsDiffer: { cells: optional(FLAG) },
  question: digest,
  questionIds: digest,
  system: digest,
  tools: digest,
  answer: digest,
  model: { cells: text },
  temperature: { cells: optional(number) },
  assistantLengths: { cells: listOf(NUMBER) },
  toolReplyLengths: { cells: listOf(NUMBER) },
  lost: { cells: NUMBER },
  cutReplies: { cells: optional(listOf(recordOf({ tokens: NUMBER, characters: NUMBER }, ':'))) },
  longestReply: { cells: optional(NUMBER) },
  openReplies: {
    cells: optional(listOf(recordOf({ start: NUMBER, tokens: NUMBER, text: TEXT, tail: TEXT }, ':'))),
  },
  supportingDocuments: {
    cells: nullable(recordOf({ available: NUMBER, retrieved: number, visible: NUMBER, standing: NUMBER }, ':')),
  },
  idsHash: { cells: text },
  promptHash: { cells: text },
  drift: { cells: optional(recordOf({ tokens: NUMBER, splits: NUMBER }, ':')) },
  prefixHashes: { cells: optional(listOf(TEXT)) },
}

const NAMED = Object.entries(COLUMNS) as unknown as readonly (readonly [keyof Row, Column<unknown>])[]

/** The facts of rollouts in report order. The number of their source is left to who reads them, as are the drawings of their rows. */
export function encodeFacts(facts: Iterable<TrajectoryFacts>): FactColumns {
  const writers = NAMED.map(
    ([name, { cells }]) => new ColumnWriter(name === 'recordHash' ? unrepeated(cells) : orExpected(cells)),
  )
  let before: Row | null = null
  let source = -1
  let rows = 0
  for (const each of facts) {
    const row = rowOf(each)
    if (each.place.source !== source) before = null
    for (const [i, [name, { cells, expected }]] of NAMED.entries()) {
      const value = row[name]
      const usual = expected !== undefined && cells.same(expected(row, before), value)
      ;(writers[i] as ColumnWriter<unknown>).add(usual ? EXPECTED : value)
    }
    before = row
    source = each.place.source
    rows++
  }
  const columns: Record<string, string> = {}
  for (const [i, [name, column]] of NAMED.entries()) {
    const written = (writers[i] as ColumnWriter<unknown>).finish()
    const absent = absentCell(column)
    if (rows > 0 && (absent === null || written !== repeated(absent, rows))) columns[name] = written
  }
  return columns
}

/**
 * The facts behind columns, `counts[i]` of them of source `first + i`. Throws `ColumnError`, its message naming the column.
 */
export function decodeFacts(columns: FactColumns, counts: readonly number[], first: number): TrajectoryFacts[] {
  const rows = counts.reduce((sum, each) => sum + each, 0)
  // This column has a cell for each row: a file cannot claim more rows than it has room for.
  const hashes = columns.recordHash ?? ''
  if (hashes.includes('*') || (hashes === '' ? 0 : hashes.split(' ').length) !== rows) {
    throw new ColumnError(`recordHash does not have one cell for each of ${rows} rows`)
  }
  const readers = NAMED.map(([name, column]) => {
    const absent = absentCell(column)
    const written = columns[name] ?? (absent === null || rows === 0 ? '' : repeated(absent, rows))
    return new ColumnReader(orExpected(column.cells), written)
  })
  const facts: TrajectoryFacts[] = []
  for (const [index, number] of counts.entries()) {
    let before: Row | null = null
    for (let i = 0; i < number; i++) {
      before = readRow(readers, before)
      facts.push(factsOf(before, first + index))
    }
  }
  for (const [i, [name]] of NAMED.entries()) naming(name, () => (readers[i] as ColumnReader<unknown>).end())
  return facts
}

function readRow(readers: readonly ColumnReader<unknown>[], before: Row | null): Row {
  const row: Partial<Record<keyof Row, unknown>> = {}
  for (const [i, [name, { expected }]] of NAMED.entries()) {
    const cell = naming(name, () => (readers[i] as ColumnReader<unknown>).read())
    if (cell === EXPECTED && expected === undefined) {
      throw new ColumnError(`${name} leaves out a value that nothing else tells`)
    }
    const value = cell === EXPECTED ? expected?.(row as unknown as Row, before) : cell
    if (value !== undefined) row[name] = value
  }
  return row as unknown as Row
}

function naming<Result>(name: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw error instanceof ColumnError ? new ColumnError(`${name} ${error.message}`) : error
  }
}

/** What every cell of a column holds that is left out; null where none is. */
function absentCell({ cells, expected }: Column<unknown>): string | null {
  return expected === undefined ? (cells.absent ?? null) : '='
}

function repeated(cell: string, rows: number): string {
  return rows === 1 ? cell : `${cell}*${rows}`
}

function unrepeated<Value>(cells: Cells<Value>): Cells<Value> {
  return { ...cells, same: () => false }
}

function rowOf(facts: TrajectoryFacts): Row {
  const { place, strip: _, pairing, rewards, limits, ...rest } = plainFacts(facts)
  return {
    ...rest,
    record: place.record,
    part: place.part,
    rewardNames: rewards === null ? null : Object.keys(rewards),
    rewardValues: rewards === null ? null : Object.values(rewards),
    limitNames: limits === undefined ? undefined : (Object.keys(limits) as LimitName[]),
    limitValues: limits === undefined ? undefined : Object.values(limits),
    question: pairing?.question,
    questionIds: pairing?.questionIds,
    system: pairing?.system,
    tools: pairing?.tools,
    answer: pairing?.answer,
  }
}

function factsOf(row: Row, source: number): TrajectoryFacts {
  const { record, part, rewardNames, rewardValues, limitNames, limitValues, ...more } = row
  const { question, questionIds, system, tools, answer, ...rest } = more
  const rewards = entriesOf('reward', rewardNames, rewardValues)
  const limits = entriesOf('limit', limitNames ?? null, limitValues ?? null)
  const told = question !== undefined || system !== undefined || tools !== undefined || answer !== undefined
  return {
    ...rest,
    place: { source, record, part },
    rewards,
    ...(limits === null ? {} : { limits: limits }),
    ...(told
      ? {
          pairing: {
            question: question ?? null,
            ...(typeof questionIds === 'string' ? { questionIds } : {}),
            system: system ?? null,
            tools: tools ?? null,
            answer: answer ?? null,
          },
        }
      : {}),
    strip: NO_STRIP,
  }
}

const NO_STRIP = new Uint8Array(0)

function entriesOf(
  what: string,
  names: readonly string[] | null,
  values: readonly number[] | null,
): Record<string, number> | null {
  if (names?.length !== values?.length) throw new ColumnError(`${what}Names and ${what}Values are not equally many`)
  return names === null || values === null
    ? null
    : Object.fromEntries(names.map((name, i) => [name, values[i] as number]))
}
