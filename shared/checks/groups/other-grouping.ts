import { count } from '../../model/number-text.ts'
import { filtered, forEachOf, type Steps, within } from '../../model/steps.ts'
import type { DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { onceForDump } from '../once-for-dump.ts'
import { type AdvantageFit, candidates, isBatchScaled, residualOf } from './advantages.ts'
import { isInformative } from './informative.ts'
import { fitting } from './scaling.ts'
import { groupsByStep, measuringSteps } from './step-scales.ts'
import { overTornWindows } from './torn-windows.ts'
import { fittingCut, haveSeveralPrompts, haveWholeGroups, type OtherGrouping, type Part, type Rows } from './windows.ts'

interface Cut extends Pick<OtherGrouping, 'size' | 'stride'> {
  readonly windows: readonly Rows[]
}

/** Of two rewards that differ, every formula makes the same two advantages but for a factor. */
const FEWEST = 3

/**
 * The cut of each step's rows that a known formula fits where none fits the groups; null where none does. An array of rewards that was given the
 * wrong shape, or normalised along the wrong axis, or over another number of rollouts than were generated, leaves just this trace. So does one of which
 * rows were dropped before it was cut into groups. Where the groups of other steps are those of a formula, each step is asked by itself.
 */
export const otherGrouping = onceForDump(findOther)

function* findOther(view: DumpView): Steps<OtherGrouping | null> {
  const { facts, groups, groupSize: size } = view
  const columns = new FactColumns(facts)
  if (size === null || size < 2 || columns.isEmpty('promptHash') || columns.isEmpty('advantage')) return null
  const fit = yield* within(0, 0.4, fitting(view))
  if (fit !== null && givesAll(fit)) return null
  // Where the groups themselves are not of one prompt each, what advantages were taken over may be the groups.
  const pure = yield* within(
    0.4,
    0.5,
    filtered(groups, ({ members }) => !haveSeveralPrompts(members)),
  )
  if (pure.length * 2 < groups.length) return null
  const whole = fit === null || fit.accepted ? null : yield* within(0.5, 0.7, overOtherCut(view, size))
  return whole ?? (yield* within(0.7, 1, ofSteps(view, size, fit)))
}

function givesAll({ accepted, share, groups, comparable }: AdvantageFit): boolean {
  return accepted && share === 1 && groups === comparable
}

/** What advantages of single steps were taken over; the first one stands for all. */
function* ofSteps(view: DumpView, size: number, fit: AdvantageFit | null): Steps<OtherGrouping | null> {
  const { groups, settings } = view
  const byStep = yield* within(0, 0.2, groupsByStep(groups))
  const isGiven = fit?.accepted === true ? yield* within(0.2, 0.4, givenBy(fit, view)) : () => false
  const rows = yield* within(0.4, 0.5, rowsByStep(view.facts))
  let [first, looked]: [OtherGrouping | null, number] = [null, 0]
  const taken = new Set<GroupView>()
  for (const [step, own] of byStep) {
    yield 0.5 + looked++ / (2 * byStep.size)
    if (own.every(isGiven)) continue
    const part = { facts: rows.get(step) ?? [], groups: own, settings }
    const cut = byStep.size > 1 ? yield* overOtherCut(part, size) : null
    const other = cut ?? (yield* overTornWindows(part, size))
    if (other === null) continue
    first ??= other
    for (const group of other.groups) taken.add(group)
  }
  return first === null ? null : { ...first, groups: taken }
}

/** Whether a formula gives the advantages of a group, or the group cannot tell. */
function* givenBy(
  { scheme, eps, floor, factor }: AdvantageFit,
  { groups, settings: { thresholds } }: DumpView,
): Steps<(group: GroupView) => boolean> {
  const scaleOf = yield* measuringSteps(groups.filter(({ complete }) => complete))
  return (group) =>
    !group.complete ||
    !isInformative(group, thresholds) ||
    residualOf(group, scheme, eps ?? 0, scaleOf(group), factor, floor) <= thresholds['advantage-tolerance']
}

function* rowsByStep(facts: readonly TrajectoryFacts[]): Steps<ReadonlyMap<number | null, readonly TrajectoryFacts[]>> {
  const steps = new Map<number | null, TrajectoryFacts[]>()
  yield* forEachOf(facts, (row) => {
    const own = steps.get(row.step)
    if (own === undefined) steps.set(row.step, [row])
    else own.push(row)
  })
  return steps
}

function* overOtherCut(part: Part, size: number): Steps<OtherGrouping | null> {
  const { facts, groups, settings } = part
  if (groups.length * size !== facts.length) return null
  if (!groups.every(({ complete, members }) => complete && members.length === size)) return null
  const columns = new FactColumns(facts)
  if (columns.present('advantage').includes(0)) return null
  const rewards = columns.numbers('reward')
  const advantages = columns.numbers('advantage')
  const tried = candidates(settings.options.advantageEps).filter(
    ({ scheme }) => scheme !== 'none' && !isBatchScaled(scheme),
  )
  for (const make of cutsOf(rowsOfSteps(facts), size)) {
    yield 0.5
    const cut = make()
    if (cut === null) continue
    const best = yield* within(0.5, 1, fittingCut(cut.windows, tried, rewards, advantages, settings.thresholds))
    if (best !== null && isFault(cut, part, size))
      return { size: cut.size, stride: cut.stride, ...best, ofTraining: false, groups: new Set(groups) }
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
function isFault({ windows, size: own }: Cut, { facts, groups, settings }: Part, size: number): boolean {
  const at = (row: number | undefined) => facts[row as number] as TrajectoryFacts
  const areOfSeveral = (rows: Rows) => haveSeveralPrompts(Array.from(rows, at))
  if (2 * own !== size) return windows.every(areOfSeveral) && !haveWholeGroups(windows, facts, groups)
  const isDeclared = settings.options.groupSize !== undefined || !new FactColumns(facts).isEmpty('groupSize')
  const lastOf = new Map(groups.map(({ members }) => [members[0], members[size - 1]]))
  const isHalf = (rows: Rows, half: number) =>
    !areOfSeveral(rows) && (half % 2 === 1 || lastOf.get(at(rows[0])) === at(windows[half + 1]?.at(-1)))
  return isDeclared && windows.every(isHalf)
}

/** As a message says it. */
export function rowsText({ size, stride, ofTraining }: OtherGrouping): string {
  const of = ofTraining ? ' of those that train' : ''
  return stride === 1
    ? `every ${count(size)} rows in turn${of}`
    : `${count(size)} rows, each ${count(stride)} behind the one before`
}
