import type { TrajectoryFacts } from './facts.ts'
import { Column, cellAt, cellsOf, intoOneBuffer, type PackedColumn, packColumn, valueOfAll } from './packed-columns.ts'

/** The facts of consecutive rollouts in columns, a quarter of what they take as objects. Can be posted between threads. */
export interface PackedFacts {
  readonly rows: number
  /** In the order of `NAMES`. */
  readonly columns: readonly PackedColumn[]
  /** What their arrays lie in. */
  readonly buffer: ArrayBuffer
}

/** A fact that is not here would be lost; the compiler asks for it. */
const EVERY: Record<keyof Required<TrajectoryFacts>, true> = {
  place: true,
  id: true,
  recordHash: true,
  line: true,
  branchOf: true,
  prefixBroken: true,
  group: true,
  groupSize: true,
  step: true,
  reward: true,
  rewards: true,
  advantage: true,
  maxAdvantage: true,
  advantageChangesAt: true,
  length: true,
  reconstructed: true,
  realLength: true,
  promptLength: true,
  trained: true,
  masked: true,
  padding: true,
  unknown: true,
  weight: true,
  turns: true,
  assistantTurns: true,
  toolTurns: true,
  edges: true,
  firstRole: true,
  lastToken: true,
  endsClosed: true,
  cutLeft: true,
  systemHash: true,
  promptDate: true,
  answerPlace: true,
  answerAt: true,
  trainedPrompt: true,
  endReason: true,
  finishReason: true,
  isTruncated: true,
  limits: true,
  excluded: true,
  gap: true,
  kl: true,
  rendersOtherwise: true,
  toolsDiffer: true,
  pairing: true,
  model: true,
  temperature: true,
  assistantLengths: true,
  toolReplyLengths: true,
  prefixHashes: true,
  drift: true,
  lost: true,
  cutReplies: true,
  supportingDocuments: true,
  idsHash: true,
  promptHash: true,
  strip: true,
}
const NAMES = Object.keys(EVERY) as readonly (keyof TrajectoryFacts)[]
const PLACES = Object.fromEntries(NAMES.map((name, at) => [name, at])) as Record<keyof TrajectoryFacts, number>

export function packFacts(facts: readonly TrajectoryFacts[]): PackedFacts {
  const columns = NAMES.map((name) => packColumn(cellsOf(facts, (each) => each[name])))
  return { rows: facts.length, columns, buffer: intoOneBuffer(columns) }
}

/** Packed facts as this thread keeps them. */
interface Block {
  readonly rows: number
  readonly columns: readonly Column[]
}

/** The facts of one rollout, each read from its column when it is asked for: facts in everything but that none is a field of its own. */
class KeptFacts {
  constructor(
    readonly block: Block,
    readonly row: number,
  ) {}
}
for (const [at, name] of NAMES.entries()) {
  Object.defineProperty(KeptFacts.prototype, name, {
    get(this: KeptFacts) {
      return cellAt(this.block.columns[at] as Column, this.row)
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
  /** Where the first is kept; null where each is an object of its own. */
  readonly kept: { readonly block: Block; readonly row: number } | null
}

/**
 * The runs of lists that only ever grow, found when they were last asked for or when rollouts were added: walking through a million
 * rollouts for each question would take longer than to answer it.
 */
const knownRuns = new WeakMap<readonly TrajectoryFacts[], FactRun[]>()

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

/** The runs of which facts consist from a place on. */
export function factRuns(facts: readonly TrajectoryFacts[], from: number): readonly FactRun[] {
  const known = knownRuns.get(facts) ?? []
  const end = endOfRuns(known)
  const stand = end <= facts.length && known.every((run) => stillStands(run, facts))
  const runs = stand ? addRuns(known, facts, end) : addRuns([], facts, 0)
  knownRuns.set(facts, runs)
  const first = runs.findIndex((run) => run.start + run.length > from)
  if (first < 0) return []
  const [cut, ...others] = runs.slice(first) as [FactRun, ...FactRun[]]
  return cut.start < from ? [partOfRun(cut, from, cut.start + cut.length), ...others] : [cut, ...others]
}

function endOfRuns(runs: readonly FactRun[]): number {
  const last = runs.at(-1)
  return last === undefined ? 0 : last.start + last.length
}

/** Rollouts may be given another source's number, all at once. */
function stillStands({ start, length, kept }: FactRun, facts: readonly TrajectoryFacts[]): boolean {
  return [start, start + length - 1].every((at) => {
    const now = keptIn(facts[at] as TrajectoryFacts)
    return kept === null ? now === null : now?.block === kept.block && now.row === kept.row + at - start
  })
}

function addRuns(runs: FactRun[], facts: readonly TrajectoryFacts[], from: number): FactRun[] {
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
  const { start, length, kept } = run
  if (from === start && to === start + length) return run
  return { start: from, length: to - from, kept: kept && { ...kept, row: kept.row + from - start } }
}

/** The columns of a run, null where each rollout is an object of its own. */
export function columnOfRun({ kept }: FactRun, name: keyof TrajectoryFacts): Column | null {
  return kept === null ? null : (kept.block.columns[PLACES[name]] as Column)
}

/** Where facts are kept, null where they are an object of their own. */
function keptIn(facts: TrajectoryFacts): KeptFacts | null {
  return (facts as unknown) instanceof KeptFacts ? (facts as unknown as KeptFacts) : null
}

/** Of fewer rollouts the columns take more than objects do. */
const FEWEST = 4

/** Makes facts of packed ones that are small enough to be kept for millions of rollouts. */
export class FactsKeeper {
  /** Columns of one value: most dumps have the same ones in every batch. */
  private readonly shared = new Map<unknown, Column>()

  unpack({ columns, rows }: PackedFacts): TrajectoryFacts[] {
    const block = { rows, columns: columns.map((column) => this.once(column)) }
    const facts = Array.from({ length: rows }, (_, row) => factsAt(block, row))
    return rows < FEWEST ? facts.map(plainFacts) : facts
  }

  private once(packed: PackedColumn): Column {
    const column = new Column(packed)
    const common = valueOfAll(column)
    if (common === null) return column
    const known = this.shared.get(common.value)
    // Zeros are equal as keys, and not the same as values.
    if (known !== undefined && Object.is(known.values, common.value)) return known
    if (this.shared.size < MOST_SHARED) this.shared.set(common.value, column)
    return column
  }
}

const MOST_SHARED = 1 << 12

/** Facts as an object of their own, for whoever spreads or posts them. */
export function plainFacts(facts: TrajectoryFacts): TrajectoryFacts {
  if (keptIn(facts) === null) return facts
  const plain: Partial<Record<keyof TrajectoryFacts, unknown>> = {}
  for (const name of NAMES) {
    const value = facts[name]
    if (value !== undefined) plain[name] = name === 'strip' ? facts.strip.slice() : value
  }
  return plain as unknown as TrajectoryFacts
}

/** Facts of one source, as those of the source of another number. */
export function renumberedFacts(facts: readonly TrajectoryFacts[], source: number): TrajectoryFacts[] {
  const renumbered = new Map<Block, Block>()
  return facts.map((each) => {
    const kept = keptIn(each)
    if (kept === null) return { ...each, place: { ...each.place, source } }
    let block = renumbered.get(kept.block)
    if (block === undefined) renumbered.set(kept.block, (block = withSource(kept.block, source)))
    return factsAt(block, kept.row)
  })
}

function withSource({ rows, columns }: Block, source: number): Block {
  const at = NAMES.indexOf('place')
  const places = Array.from({ length: rows }, (_, row) => ({
    ...(cellAt(columns[at] as Column, row) as TrajectoryFacts['place']),
    source,
  }))
  return { rows, columns: columns.with(at, packColumn(places)) }
}
