import { count } from '../../model/number-text.ts'
import { filtered, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView } from '../check.ts'
import { FactColumns } from '../fact-columns.ts'
import type { TrajectoryFacts } from '../facts.ts'
import { type AdvantageScheme, type Candidate, candidates, isBatchScaled, recomputeAdvantages } from './advantages.ts'
import { fitting } from './scaling.ts'
import { rangeOf } from './statistics.ts'

/** Rows that are not a group, over which a known formula gives the stored advantages. */
export interface OtherGrouping {
  /** How many rows each advantage was taken over. */
  readonly size: number
  /** Rows from one of them to the next: 1 where they stand together. */
  readonly stride: number
  readonly scheme: AdvantageScheme
  readonly eps: number | null
}

/** Rows of one step, as indices into the facts, that advantages may have been taken over. */
type Rows = Int32Array

interface Cut extends Pick<OtherGrouping, 'size' | 'stride'> {
  readonly windows: readonly Rows[]
}

/** Of two rewards that differ, every formula makes the same two advantages but for a factor. */
const FEWEST = 3

const found = new WeakMap<DumpView, OtherGrouping | null>()

/**
 * The cut of each step's rows that a known formula fits where none fits the groups; null where none does. An array of rewards that was given the
 * wrong shape, or normalised along the wrong axis, or over another number of rollouts than were generated, leaves just this trace.
 */
export function* otherGrouping(view: DumpView): Steps<OtherGrouping | null> {
  const known = found.get(view)
  if (known !== undefined) return known
  const other = yield* findOther(view)
  found.set(view, other)
  return other
}

function* findOther(view: DumpView): Steps<OtherGrouping | null> {
  const { facts, groups, groupSize: size, settings } = view
  if (size === null || size < 2 || groups.length * size !== facts.length) return null
  if (!groups.every(({ complete, members }) => complete && members.length === size)) return null
  const columns = new FactColumns(facts)
  if (columns.present('advantage').includes(0) || columns.isEmpty('promptHash')) return null
  const fit = yield* within(0, 0.5, fitting(view))
  if (fit === null || fit.accepted) return null
  // Where the groups themselves are not of one prompt each, what advantages were taken over may be the groups.
  const pure = yield* within(
    0.5,
    0.6,
    filtered(groups, ({ members }) => !haveSeveralPrompts(members)),
  )
  if (pure.length * 2 < groups.length) return null
  const rewards = columns.numbers('reward')
  const advantages = columns.numbers('advantage')
  const tried = candidates(settings.options.advantageEps).filter(
    ({ scheme }) => scheme !== 'none' && !isBatchScaled(scheme),
  )
  const steps = rowsOfSteps(facts)
  for (const make of cutsOf(steps, size)) {
    yield 0.6
    const cut = make()
    if (cut === null) continue
    const best = yield* within(0.6, 1, fittingCut(cut.windows, tried, rewards, advantages, settings.thresholds))
    if (best !== null && isFault(cut, view, size)) return { size: cut.size, stride: cut.stride, ...best }
  }
  return null
}

function rowsOfSteps(facts: readonly TrajectoryFacts[]): readonly Rows[] {
  const steps = new Map<number | null, number[]>()
  for (let i = 0; i < facts.length; i++) {
    const step = facts[i]?.step ?? null
    const rows = steps.get(step)
    if (rows === undefined) steps.set(step, [i])
    else rows.push(i)
  }
  return [...steps.values()].map((rows) => Int32Array.from(rows))
}

/**
 * Ways in which the rows of a step may have been cut otherwise: as columns where groups are rows, along the other axis, one after the other where
 * groups are interleaved, and into halves of groups. Every two groups are none: a mean over a batch or a step is meant by many.
 */
function cutsOf(steps: readonly Rows[], size: number): readonly (() => Cut | null)[] {
  const length = steps[0]?.length ?? 0
  const isEven = steps.every((rows) => rows.length === length)
  const strided = (stride: number): Cut | null =>
    stride < 2 || !isEven || length / stride < FEWEST
      ? null
      : { size: length / stride, stride, windows: steps.flatMap((rows) => columnsOf(rows, stride)) }
  const together = (of: number): Cut | null =>
    of < FEWEST || !Number.isInteger(of)
      ? null
      : { size: of, stride: 1, windows: steps.flatMap((rows) => piecesOf(rows, of)) }
  return [() => strided(length / size), () => strided(size), () => together(size), () => together(size / 2)]
}

function columnsOf(rows: Rows, stride: number): Rows[] {
  const length = rows.length / stride
  return Array.from({ length: stride }, (_, column) => {
    const own = new Int32Array(length)
    for (let at = 0; at < length; at++) own[at] = rows[at * stride + column] as number
    return own
  })
}

function piecesOf(rows: Rows, size: number): Rows[] {
  return Array.from({ length: Math.floor(rows.length / size) }, (_, at) => rows.subarray(at * size, (at + 1) * size))
}

/**
 * Whether it is the fault of the run that advantages were taken so. Rows of other prompts have nothing to do with each other, where they are
 * no whole groups; half a group of
 * one prompt is another number than was declared. Elsewhere groups may be told wrong, or a prompt may have come twice.
 */
function isFault({ windows, size: own }: Cut, { facts, groups, settings }: DumpView, size: number): boolean {
  const at = (row: number | undefined) => facts[row as number] as TrajectoryFacts
  const areOfSeveral = (rows: Rows) => haveSeveralPrompts(Array.from(rows, at))
  if (2 * own !== size) return windows.every(areOfSeveral) && !haveWholeGroups(windows, facts, groups)
  const isDeclared = settings.options.groupSize !== undefined || !new FactColumns(facts).isEmpty('groupSize')
  const lastOf = new Map(groups.map(({ members }) => [members[0], members[size - 1]]))
  const isHalf = (rows: Rows, half: number) =>
    !areOfSeveral(rows) && (half % 2 === 1 || lastOf.get(at(rows[0])) === at(windows[half + 1]?.at(-1)))
  return isDeclared && windows.every(isHalf)
}

/** Whether no group is torn by windows of rows: then they are parts of a batch, over which a baseline may be meant. */
export function haveWholeGroups(
  windows: readonly Int32Array[],
  facts: readonly TrajectoryFacts[],
  groups: DumpView['groups'],
): boolean {
  const groupOf = new Map(groups.flatMap((group) => group.members.map((member) => [member, group] as const)))
  return windows.every((rows) => {
    const counts = new Map<object, { group: DumpView['groups'][number]; rows: number }>()
    for (const row of rows) {
      const group = groupOf.get(facts[row] as TrajectoryFacts)
      if (group === undefined) return false
      const known = counts.get(group)
      if (known === undefined) counts.set(group, { group, rows: 1 })
      else known.rows++
    }
    return [...counts.values()].every(({ group, rows }) => rows === group.members.length)
  })
}

/** A prompt is the same whether its begin-of-sequence token is there once or twice (T01). */
function haveSeveralPrompts(rows: readonly TrajectoryFacts[]): boolean {
  const prompt = rows[0]?.oneBosHash ?? rows[0]?.promptHash
  return rows.some(({ oneBosHash, promptHash }) => (oneBosHash ?? promptHash) !== prompt)
}

/** The formula that gives the advantages of nearly all windows; null where none does, or too few have different rewards. */
function* fittingCut(
  windows: readonly Rows[],
  tried: readonly Candidate[],
  rewards: Float64Array,
  advantages: Float64Array,
  thresholds: Thresholds,
): Steps<Candidate | null> {
  const tolerance = thresholds['advantage-tolerance']
  const misses = new Float64Array(tried.length)
  const allowed = (1 - thresholds['factor-share']) * windows.length
  let left = tried.map((_, at) => at)
  let informative = 0
  for (let at = 0; at < windows.length && left.length > 0; at++) {
    const own = Array.from(windows[at] as Rows, (row) => rewards[row] as number)
    const stored = Array.from(windows[at] as Rows, (row) => advantages[row] as number)
    if (rangeOf(own) > thresholds['same-reward']) informative++
    const largest = stored.reduce((most, each) => Math.max(most, Math.abs(each)), 0)
    for (const i of left) {
      const { scheme, eps } = tried[i] as Candidate
      const made = recomputeAdvantages(scheme, own, eps ?? 0)
      if (made.some((each, row) => !(Math.abs(each - (stored[row] as number)) <= tolerance * largest + ROUNDING)))
        misses[i] = (misses[i] as number) + 1
    }
    left = left.filter((i) => (misses[i] as number) <= allowed)
    yield at / windows.length
  }
  if (informative < thresholds['shifted-windows']) return null
  const [best] = left.sort((a, b) => (misses[a] as number) - (misses[b] as number) || a - b)
  return best === undefined ? null : (tried[best] as Candidate)
}

/** What float64 leaves where nothing should be left: of rewards that are all the same. */
const ROUNDING = 1e-9

/** As a message says it. */
export function rowsText({ size, stride }: Pick<OtherGrouping, 'size' | 'stride'>): string {
  return stride === 1
    ? `every ${count(size)} rows in turn`
    : `${count(size)} rows, each ${count(stride)} behind the one before`
}
