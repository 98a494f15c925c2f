import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { columnOfRun, type FactRun, factRuns, partOfRun } from '../../checks/facts/kept-facts.ts'
import { cellAt, valueOfAll } from '../../checks/facts/packed-columns.ts'
import type { LimitName } from '../../model/streams.ts'
import { type Cells, ColumnError, ColumnReader, ColumnWriter, EXPECTED, orExpected } from './columns.ts'
import { type Column, DERIVED, type Derived, NAMED, type Row, type Telling } from './fact-columns.ts'

/** The facts of rollouts as a report keeps them: a text for each column, those that say nothing left out. */
export type FactColumns = Readonly<Record<string, string>>

/** Rows whose objects are held at once. */
const ROWS_AT_ONCE = 1 << 10

/** The facts of rollouts in report order. The number of their source is left to who reads them, as are the drawings of their rows. */
export function encodeFacts(facts: readonly TrajectoryFacts[]): FactColumns {
  const writers = NAMED.map(
    ([name, { cells }]) => new ColumnWriter(name === 'recordHash' ? unrepeated(cells) : orExpected(cells)),
  )
  let last: TellingRow | null = null
  for (const run of factRuns(facts, 0)) {
    const end = run.start + run.length
    for (let from = run.start; from < end; from += ROWS_AT_ONCE) {
      const piece = partOfRun(run, from, Math.min(end, from + ROWS_AT_ONCE))
      const rows = facts.slice(piece.start, piece.start + piece.length).map(rowOf)
      for (const [i, [name, column]] of NAMED.entries()) {
        addPiece(writers[i] as ColumnWriter<unknown>, name, column, { facts, run: piece, rows, last })
      }
      last = rows.at(-1) ?? last
    }
  }
  const columns: Record<string, string> = {}
  for (const [i, [name, column]] of NAMED.entries()) {
    const written = (writers[i] as ColumnWriter<unknown>).finish()
    const absent = absentCell(column)
    if (facts.length > 0 && (absent === null || written !== repeated(absent, facts.length))) columns[name] = written
  }
  return columns
}

type TellingRow = Telling & Derived & { readonly source: number }

/** Rows beside each other. */
interface Piece {
  readonly facts: readonly TrajectoryFacts[]
  readonly run: FactRun
  readonly rows: readonly TellingRow[]
  /** The row before them. */
  readonly last: TellingRow | null
}

/** Column by column, since most columns have one value in all rows. */
function addPiece(
  writer: ColumnWriter<unknown>,
  name: keyof Row,
  { cells, expected }: Column<unknown>,
  { facts, run, rows, last }: Piece,
): void {
  const isDerived = DERIVED.has(name)
  const kept = isDerived ? null : columnOfRun(run, name as keyof TrajectoryFacts)
  const common = kept === null || expected !== undefined || name === 'recordHash' ? null : valueOfAll(kept)
  if (common !== null) {
    writer.add(common.value, run.length)
    return
  }
  // Of most columns nearly all cells are as expected: those are counted, and written once.
  let asExpected = 0
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as TellingRow
    const value =
      kept !== null
        ? cellAt(kept, run.row + i)
        : isDerived
          ? row[name as keyof Derived]
          : facts[run.start + i]?.[name as keyof TrajectoryFacts]
    const previous = i > 0 ? (rows[i - 1] as TellingRow) : last
    const before = previous?.source === row.source ? previous : null
    if (expected !== undefined && cells.same(expected(row, before), value)) {
      asExpected++
      continue
    }
    if (asExpected > 0) writer.add(EXPECTED, asExpected)
    asExpected = 0
    writer.add(value)
  }
  if (asExpected > 0) writer.add(EXPECTED, asExpected)
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

function rowOf(facts: TrajectoryFacts): TellingRow {
  const { place, pairing, rewards, limits } = facts
  return {
    source: place.source,
    record: place.record,
    part: place.part,
    line: facts.line,
    advantage: facts.advantage,
    length: facts.length,
    padding: facts.padding,
    unknown: facts.unknown,
    trained: facts.trained,
    rewardNames: rewards === null ? null : Object.keys(rewards),
    rewardValues: rewards === null ? null : Object.values(rewards),
    limitNames: limits === undefined ? undefined : (Object.keys(limits) as LimitName[]),
    limitValues: limits === undefined ? undefined : Object.values(limits),
    question: pairing?.question,
    questionIds: pairing?.questionIds,
    idWords: pairing?.idWords,
    flatSystem: pairing?.flatSystem,
    questionSentences: pairing?.questionSentences,
    system: pairing?.system,
    tools: pairing?.tools,
    besideTools: pairing?.besideTools,
    opening: pairing?.opening,
    replyRoles: pairing?.replyRoles,
    answer: pairing?.answer,
  }
}

function factsOf(row: Row, source: number): TrajectoryFacts {
  const { record, part, rewardNames, rewardValues, limitNames, limitValues, ...more } = row
  const {
    question,
    questionIds,
    idWords,
    flatSystem,
    questionSentences,
    system,
    tools,
    besideTools,
    opening,
    replyRoles,
    answer,
    ...rest
  } = more
  const rewards = entriesOf('reward', rewardNames, rewardValues)
  const limits = entriesOf('limit', limitNames ?? null, limitValues ?? null)
  const told = question !== undefined || system !== undefined || tools !== undefined || answer !== undefined
  return {
    ...rest,
    place: { source, record, part },
    rewards,
    ...(limits === null ? {} : { limits }),
    ...(told
      ? {
          pairing: {
            question: question ?? null,
            ...(typeof questionIds === 'string' ? { questionIds } : {}),
            ...(typeof idWords === 'string' ? { idWords } : {}),
            ...(typeof flatSystem === 'string' ? { flatSystem } : {}),
            ...(typeof questionSentences === 'string' ? { questionSentences } : {}),
            system: system ?? null,
            tools: tools ?? null,
            ...(typeof besideTools === 'string' ? { besideTools } : {}),
            ...(typeof opening === 'string' ? { opening } : {}),
            ...(typeof replyRoles === 'string' ? { replyRoles } : {}),
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
