import { type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { GroupView } from '../check.ts'
import type { TrajectoryFacts } from '../facts/facts.ts'
import { type Candidate, candidates, isBatchScaled } from './advantages.ts'
import { trainingOf } from './baseline-rows.ts'
import { isZeroSum } from './statistics.ts'
import { fittingCut, haveSeveralPrompts, haveWholeGroups, type OtherGrouping, type Part, type Rows } from './windows.ts'

/**
 * Rows of a step one after the other, as many at a time as make a group, of which a formula gives all that hold several prompts: rows were dropped before
 * an array of rewards was cut into groups, or it was cut from another row on, the last of its groups closing with the first rows. Rows that train nothing are left out where they were dropped
 * and are still in the dump.
 */
export function* overTornWindows(part: Part, size: number): Steps<OtherGrouping | null> {
  const training = trainingOf(part.facts)
  const all = yield* within(0, 0.5, tornIn(part.facts, part, size))
  if (all !== null || training.length === part.facts.length) return all === null ? null : { ...all, ofTraining: false }
  const some = yield* within(0.5, 1, tornIn(training, part, size))
  return some === null ? null : { ...some, ofTraining: true }
}

function* tornIn(
  rows: readonly TrajectoryFacts[],
  { groups, settings }: Part,
  size: number,
): Steps<Omit<OtherGrouping, 'ofTraining'> | null> {
  const { thresholds, options } = settings
  if (rows.length < thresholds['shifted-windows'] * size) return null
  const [rewards, advantages] = [new Float64Array(rows.length), new Float64Array(rows.length)]
  for (const [at, { reward, advantage }] of rows.entries()) {
    if (reward === null || advantage === null) return null
    rewards[at] = reward
    advantages[at] = advantage
  }
  const tried = candidates(options.advantageEps).filter(sumsToZero)
  for (let shift = 0; shift < size; shift++) {
    yield shift / size
    for (const windows of cutsOf(rows.length, size, shift)) {
      if (!nearlyAllSumToZero(windows, advantages, thresholds)) break
      const torn = windows.filter((window) =>
        haveSeveralPrompts(Array.from(window, (at) => rows[at] as TrajectoryFacts)),
      )
      const best = yield* fittingCut(torn, tried, rewards, advantages, thresholds)
      if (best !== null && !haveWholeGroups(torn, rows, groups))
        return { size, stride: 1, ...best, groups: groupsIn(torn, rows, groups) }
    }
  }
  return null
}

/** Whether what a scheme gives sums to 0 over what it was taken over, whatever the rewards. */
function sumsToZero({ scheme }: Candidate): boolean {
  return scheme !== 'none' && scheme !== 'leave-one-out-std' && !isBatchScaled(scheme)
}

/** The whole windows from a row on; and these with the one that the rows before and behind them make, as where an array was rolled over its end. */
function cutsOf(rows: number, size: number, shift: number): readonly (readonly Rows[])[] {
  const plain = windowsOf(rows, size, shift)
  if (shift === 0 || rows % size !== 0) return [plain]
  return [plain, [...plain, Int32Array.from({ length: size }, (_, at) => (rows - size + shift + at) % rows)]]
}

function windowsOf(rows: number, size: number, shift: number): Rows[] {
  const windows: Rows[] = []
  for (let start = shift; start + size <= rows; start += size)
    windows.push(Int32Array.from({ length: size }, (_, at) => start + at))
  return windows
}

/** Before formulas are tried, which takes far longer. */
function nearlyAllSumToZero(windows: readonly Rows[], advantages: Float64Array, thresholds: Thresholds): boolean {
  let left = (1 - thresholds['factor-share']) * windows.length
  for (const window of windows) {
    let [sum, absolute] = [0, 0]
    for (const at of window) {
      sum += advantages[at] as number
      absolute += Math.abs(advantages[at] as number)
    }
    if (!isZeroSum(sum, absolute, thresholds) && --left < 0) return false
  }
  return true
}

function groupsIn(
  windows: readonly Rows[],
  rows: readonly TrajectoryFacts[],
  groups: readonly GroupView[],
): ReadonlySet<GroupView> {
  const held = new Set<TrajectoryFacts>()
  for (const window of windows) for (const at of window) held.add(rows[at] as TrajectoryFacts)
  return new Set(groups.filter(({ members }) => members.some((member) => held.has(member))))
}
