import { FACT_NAMES, FACT_PLACES } from './fact-names.ts'
import type { TrajectoryFacts } from './facts.ts'
import { joinColumns } from './join-columns.ts'
import { Column, cellAt, cellsOf, intoOneBuffer, type PackedColumn, packColumn, valueOfAll } from './packed-columns.ts'

/** The facts of consecutive rollouts in columns, a quarter of what they take as objects. Can be posted between threads. */
export interface PackedFacts {
  readonly rows: number
  /** In the order of `FACT_NAMES`. */
  readonly columns: readonly PackedColumn[]
  /** What their arrays lie in. */
  readonly buffer: ArrayBuffer
}

export function packFacts(facts: readonly TrajectoryFacts[]): PackedFacts {
  const columns = FACT_NAMES.map((name) => packColumn(cellsOf(facts, (each) => each[name])))
  return { rows: facts.length, columns, buffer: intoOneBuffer(columns) }
}

/** Columns as this thread keeps them, of one batch or of several that were joined. */
interface Table {
  readonly rows: number
  /** In the order of `FACT_NAMES`. */
  readonly columns: readonly Column[]
}

/** The rollouts of a batch: where their facts are kept, which changes when batches are joined. */
interface Block {
  readonly rows: number
  table: Table
  /** Row of the first in the table. */
  first: number
}

/** The facts of one rollout, each read from its column when it is asked for: facts in everything but that none is a field of its own. */
class KeptFacts {
  constructor(
    readonly block: Block,
    readonly row: number,
  ) {}
}
for (const [at, name] of FACT_NAMES.entries()) {
  Object.defineProperty(KeptFacts.prototype, name, {
    get(this: KeptFacts) {
      const { table, first } = this.block
      return cellAt(table.columns[at] as Column, first + this.row)
    },
  })
}

function factsAt(block: Block, row: number): TrajectoryFacts {
  return new KeptFacts(block, row) as unknown as TrajectoryFacts
}

/** Rollouts beside each other whose facts lie beside each other in the same columns. */
export interface FactRun {
  /** The first of them in the list that they are taken from. */
  readonly start: number
  readonly length: number
  /** Where they are kept; null where each is an object of its own. */
  readonly table: Table | null
  /** Row of the first in its columns. */
  readonly row: number
}

/** The same of one batch. */
interface BatchRun {
  readonly start: number
  readonly length: number
  /** Where the first is kept; null where each is an object of its own. */
  readonly kept: { readonly block: Block; readonly row: number } | null
}

/**
 * The runs of lists that only ever grow, found when they were last asked for or when rollouts were added: walking through a million
 * rollouts for each question would take longer than to answer it.
 */
const knownRuns = new WeakMap<readonly TrajectoryFacts[], BatchRun[]>()

/** Adds rollouts at the end of those that are gathered. */
export function addFacts(to: TrajectoryFacts[], added: readonly TrajectoryFacts[]): void {
  const from = to.length
  for (const facts of added) to.push(facts)
  const known = knownRuns.get(to)
  if (known !== undefined) addRuns(known, to, from)
  else if (from === 0) knownRuns.set(to, addRuns([], to, 0))
}

/** The same rollouts in a list of their own, which stays as it is while more are added. */
export function copyOfFacts(facts: readonly TrajectoryFacts[]): TrajectoryFacts[] {
  const copy = facts.slice()
  const known = knownRuns.get(facts)
  if (known !== undefined) knownRuns.set(copy, known.slice())
  return copy
}

/** The runs of which facts consist from a place on, as they are kept now. */
export function factRuns(facts: readonly TrajectoryFacts[], from: number): readonly FactRun[] {
  const known = knownRuns.get(facts) ?? []
  const end = endOfRuns(known)
  // All of them: rollouts that are objects of their own say nothing of those between them.
  const stand = end <= facts.length && known.every((run) => stillStands(run, facts))
  const all = stand ? addRuns(known, facts, end) : addRuns([], facts, 0)
  knownRuns.set(facts, all)
  const runs: FactRun[] = []
  for (const run of all) {
    const { start, length, kept } = run
    if (start + length <= from) continue
    const now = {
      start,
      length,
      table: kept?.block.table ?? null,
      row: kept === null ? 0 : kept.block.first + kept.row,
    }
    const own = partOfRun(now, Math.max(start, from), start + length)
    const last = runs.at(-1)
    if (last !== undefined && last.table === own.table && (own.table === null || last.row + last.length === own.row))
      runs[runs.length - 1] = { ...last, length: last.length + own.length }
    else runs.push(own)
  }
  return runs
}

function endOfRuns(runs: readonly BatchRun[]): number {
  const last = runs.at(-1)
  return last === undefined ? 0 : last.start + last.length
}

/** Rollouts may be given another source's number, all at once. */
function stillStands({ start, length, kept }: BatchRun, facts: readonly TrajectoryFacts[]): boolean {
  return [start, start + length - 1].every((at) => {
    const now = keptIn(facts[at] as TrajectoryFacts)
    return kept === null ? now === null : now?.block === kept.block && now.row === kept.row + at - start
  })
}

function addRuns(runs: BatchRun[], facts: readonly TrajectoryFacts[], from: number): BatchRun[] {
  for (let at = from; at < facts.length; ) {
    const kept = keptIn(facts[at] as TrajectoryFacts)
    let end = at + 1
    if (kept === null) while (end < facts.length && keptIn(facts[end] as TrajectoryFacts) === null) end++
    else {
      const { block, row } = kept
      // No field of facts that are objects is called so.
      const next = () => facts[end] as unknown as Partial<KeptFacts>
      while (end < facts.length && next().block === block && next().row === row + end - at) end++
    }
    runs.push({ start: at, length: end - at, kept })
    at = end
  }
  return runs
}

/** Its rollouts from one to another, exclusive. */
export function partOfRun(run: FactRun, from: number, to: number): FactRun {
  const { start, length, table, row } = run
  if (from === start && to === start + length) return run
  return { start: from, length: to - from, table, row: row + from - start }
}

/** The column of a run, null where each rollout is an object of its own. */
export function columnOfRun({ table }: FactRun, name: keyof TrajectoryFacts): Column | null {
  return table === null ? null : (table.columns[FACT_PLACES[name]] as Column)
}

/** Where facts are kept, null where they are an object of their own. */
function keptIn(facts: TrajectoryFacts): KeptFacts | null {
  return (facts as unknown) instanceof KeptFacts ? (facts as unknown as KeptFacts) : null
}

/** Of fewer rollouts the columns take more than objects do. */
const FEWEST = 4

/** Batches that were joined as often as each other are joined where there are so many. */
const MOST_OF_A_LEVEL = 16
/** Rollouts of batches that are joined no more: it takes some milliseconds, in which nothing else is answered. */
const ROWS_OF_A_TABLE = 1 << 13

/**
 * Makes facts of packed ones that are small enough to be kept for millions of rollouts. Columns of batches are joined as these come: a set
 * of columns weighs much beside the facts of a few hundred rollouts, and a query goes from one to the next.
 */
export class FactsKeeper {
  /** Columns of one value: most dumps have the same ones in every batch. */
  private readonly shared = new Map<unknown, Column>()
  /** What may be joined with what comes: batches, behind what some of them became, and so on. All follow each other, the last level first. */
  private readonly levels: Joinable[][] = []

  constructor(private readonly bounds = { mostOfALevel: MOST_OF_A_LEVEL, rowsOfATable: ROWS_OF_A_TABLE }) {}

  /**
   * Keeps those of a batch. What it returns makes an object for each rollout when it is called, which is once at the most: of two hundred thousand they take
   * ten megabytes, as much garbage may lie beside them, and a command that reads a dump asks for none before it judges.
   */
  keep({ columns, rows }: PackedFacts): () => TrajectoryFacts[] {
    const table = { rows, columns: columns.map((column) => this.once(new Column(column))) }
    const block = { rows, table, first: 0 }
    const made = () => Array.from({ length: rows }, (_, row) => factsAt(block, row))
    if (rows < FEWEST) return () => made().map(plainFacts)
    this.add({ table, blocks: [block] }, 0)
    return made
  }

  private add(joinable: Joinable, level: number): void {
    const own = (this.levels[level] ??= [])
    own.push(joinable)
    const all = this.levels.toReversed().flat()
    if (all.reduce((sum, { table }) => sum + table.rows, 0) >= this.bounds.rowsOfATable) {
      this.levels.length = 0
      this.joined(all)
    } else if (own.length === this.bounds.mostOfALevel) {
      this.levels[level] = []
      this.add(this.joined(own), level + 1)
    }
  }

  private joined(several: readonly Joinable[]): Joinable {
    const [only] = several as readonly [Joinable]
    if (several.length === 1) return only
    const columns = FACT_NAMES.map((_, at) =>
      this.once(joinColumns(several.map(({ table }) => ({ column: table.columns[at] as Column, rows: table.rows })))),
    )
    intoOneBuffer(columns)
    const table = { rows: several.reduce((sum, each) => sum + each.table.rows, 0), columns }
    let first = 0
    for (const { blocks } of several) {
      for (const block of blocks) {
        block.table = table
        block.first = first
        first += block.rows
      }
    }
    return { table, blocks: several.flatMap(({ blocks }) => blocks) }
  }

  private once(column: Column): Column {
    const common = valueOfAll(column)
    if (common === null) return column
    const known = this.shared.get(common.value)
    // Zeros are equal as keys, and not the same as values.
    if (known !== undefined && Object.is(known.values, common.value)) return known
    if (this.shared.size < MOST_SHARED) this.shared.set(common.value, column)
    return column
  }
}

/** A table, and the batches that it is made of. */
interface Joinable {
  readonly table: Table
  readonly blocks: readonly Block[]
}

const MOST_SHARED = 1 << 12

/** Facts as an object of their own, for whoever spreads or posts them. */
export function plainFacts(facts: TrajectoryFacts): TrajectoryFacts {
  if (keptIn(facts) === null) return facts
  const plain: Partial<Record<keyof TrajectoryFacts, unknown>> = {}
  for (const name of FACT_NAMES) {
    const value = facts[name]
    if (value !== undefined) plain[name] = name === 'strip' ? facts.strip.slice() : value
  }
  return plain as unknown as TrajectoryFacts
}

/** Facts of one source, as those of the source of another number. */
export function renumberedFacts(facts: readonly TrajectoryFacts[], source: number): TrajectoryFacts[] {
  const tables = new Map<Table, Table>()
  const renumbered = new Map<Block, Block>()
  return facts.map((each) => {
    const kept = keptIn(each)
    if (kept === null) return { ...each, place: { ...each.place, source } }
    let block = renumbered.get(kept.block)
    if (block === undefined) {
      const { rows, table, first } = kept.block
      let own = tables.get(table)
      if (own === undefined) tables.set(table, (own = withSource(table, source)))
      renumbered.set(kept.block, (block = { rows, table: own, first }))
    }
    return factsAt(block, kept.row)
  })
}

function withSource({ rows, columns }: Table, source: number): Table {
  const at = FACT_NAMES.indexOf('place')
  const places = Array.from({ length: rows }, (_, row) => ({
    ...(cellAt(columns[at] as Column, row) as TrajectoryFacts['place']),
    source,
  }))
  return { rows, columns: columns.with(at, packColumn(places)) }
}
