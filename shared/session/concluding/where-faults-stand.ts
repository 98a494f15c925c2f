import { FactColumns } from '../../checks/facts/fact-columns.ts'
import type { TrajectoryFacts } from '../../checks/facts/facts.ts'
import { EDGE_NAMES } from '../../checks/oracles/edges.ts'
import { checkByCode } from '../../checks/registry.ts'
import type { FaultRows, RowSet } from '../../hypotheses/defects-evidence.ts'
import type { CheckResult, Count } from '../../model/report.ts'
import type { Steps } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import { conditionOf } from './conditions.ts'
import { looksAt } from './looked-at.ts'

/** Steps and environments that a check lists, those with the most affected rollouts first; a dump may name one for each rollout. */
const MOST_LISTED = 1024

/** A way in which rollouts are told apart. */
interface Parts {
  /** Number of the part of each rollout, -1 where nothing tells. */
  readonly of: Int32Array
  readonly names: readonly string[]
  /** Rollouts of each part. */
  readonly rollouts: Int32Array
}

/** How the rollouts of a dump are told apart; null where the dump does not tell. */
interface Slices {
  readonly sources: Parts
  readonly environments: Parts | null
  readonly steps: Parts | null
  /** The step of each rollout, NaN where it has none. */
  readonly step: Float64Array
}

/**
 * The results of checks, with the steps and environments in which their faults stand, and with those called systematic that stand in nearly
 * all rollouts of some files, environments or consecutive steps and in none of the others: runs of two settings that are opened together, an
 * environment that renders its own replies, a trainer that was changed on the way. Each such part would say so of itself, and reading them
 * together makes it no fault of the data. So are those that stand in all rollouts of one kind, such as those with parallel calls.
 */
export function* whereFaultsStand(
  checks: readonly CheckResult[],
  faults: FaultRows,
  facts: readonly TrajectoryFacts[],
  thresholds: Thresholds,
): Steps<CheckResult[]> {
  const told: CheckResult[] = []
  let slices: Slices | null = null
  for (const [at, check] of checks.entries()) {
    const rows = faults.get(check.code)
    if (check.status !== 'fail' || rows === undefined) told.push(check)
    else {
      slices ??= slicesOf(facts)
      told.push({ ...check, ...listed(rows, slices), ...subsetPattern(check, rows, facts, slices, thresholds) })
      yield (at + 1) / checks.length
    }
  }
  return told
}

/**
 * The rollouts in which the fault would be seen: those that the check looked at, and that have a turn and an edge of the kinds at which it stands anywhere.
 * Without the rest, a fault of all later turns would be in half of a file in which half of the rollouts have one turn.
 */
function ableRows(check: CheckResult, rows: RowSet, facts: readonly TrajectoryFacts[]): RowSet {
  const columns = new FactColumns(facts)
  const looked = columns.numbered('lookedAt', (text) => (text !== undefined && looksAt(text, check.code) ? 1 : 0))
  // What only the whole dump tells may stand in any rollout.
  if (!looked.includes(1)) return new Uint8Array(rows.length).fill(1)
  const turns = columns.numbers('assistantTurns')
  const edges = columns.numbers('edges')
  const [firstTurn, kinds] = [firstTurnOf(check), kindsOf(check)]
  return rows.map((has, row) => {
    if (has === 1) return 1
    if (looked[row] === 0 || (turns[row] as number) < firstTurn) return 0
    return kinds === 0 || ((edges[row] as number) & kinds) !== 0 ? 1 : 0
  })
}

/** The first of the model's turns that has the fault in any rollout; 1 where it may stand outside of turns. */
function firstTurnOf({ by_turn }: CheckResult): number {
  let first = Number.POSITIVE_INFINITY
  for (const turn in by_turn) if ((by_turn[turn] as number) > 0) first = Math.min(first, Number(turn))
  return Number.isFinite(first) ? Math.max(1, first) : 1
}

/** The kinds of edges that have the fault anywhere, as bits by `EDGE_NAMES`; 0 where it stands at something else. */
function kindsOf({ by_boundary, places }: CheckResult): number {
  const having = Object.entries(by_boundary).filter(([, { affected }]) => affected > 0)
  if (having.reduce((sum, [, { affected }]) => sum + affected, 0) < places.affected) return 0
  let bits = 0
  for (const [name] of having) {
    const bit = EDGE_NAMES.indexOf(name)
    if (bit < 0) return 0
    bits |= 1 << bit
  }
  return bits
}

function slicesOf(facts: readonly TrajectoryFacts[]): Slices {
  const columns = new FactColumns(facts)
  const step = columns.numbers('step')
  return {
    sources: partsBy(columns.numbered('place', ({ source }) => source)),
    environments: columns.isEmpty('environment') ? null : namedParts(columns),
    steps: columns.isEmpty('step') ? null : stepParts(step),
    step,
  }
}

function partsBy(of: Int32Array, names: readonly string[] = []): Parts {
  const rollouts = new Int32Array(of.reduce((most, part) => Math.max(most, part + 1), 0))
  for (const part of of) if (part >= 0) rollouts[part] = (rollouts[part] as number) + 1
  return { of, names, rollouts }
}

function namedParts(columns: FactColumns): Parts {
  const numbers = new Map<string, number>()
  const of = columns.numbered('environment', (name) => {
    if (name === undefined) return -1
    const known = numbers.get(name)
    if (known !== undefined) return known
    numbers.set(name, numbers.size)
    return numbers.size - 1
  })
  return partsBy(of, [...numbers.keys()])
}

function stepParts(step: Float64Array): Parts {
  const numbers = new Map<number, number>()
  const of = Int32Array.from(step, (value) => {
    if (Number.isNaN(value)) return -1
    const known = numbers.get(value)
    if (known !== undefined) return known
    numbers.set(value, numbers.size)
    return numbers.size - 1
  })
  return partsBy(of, [...numbers.keys()].map(String))
}

function listed(rows: RowSet, { steps, environments }: Slices): Pick<CheckResult, 'by_step' | 'by_environment'> {
  return {
    ...(steps === null ? {} : { by_step: countsOf(rows, steps) }),
    ...(environments === null ? {} : { by_environment: countsOf(rows, environments) }),
  }
}

function countsOf(rows: RowSet, parts: Parts): Record<string, Count> {
  const affected = affectedBy(rows, parts.of, parts.rollouts.length)
  return Object.fromEntries(
    [...affected.entries()]
      .filter(([, count]) => count > 0)
      .sort((a, b) => b[1] - a[1])
      .slice(0, MOST_LISTED)
      .map(([part, count]) => [
        parts.names[part] as string,
        { checked: parts.rollouts[part] as number, affected: count },
      ]),
  )
}

function affectedBy(rows: RowSet, of: Int32Array, parts: number): Int32Array {
  const counts = new Int32Array(parts)
  for (let i = rows.indexOf(1); i >= 0; i = rows.indexOf(1, i + 1)) {
    const part = of[i] as number
    if (part >= 0) counts[part] = (counts[part] as number) + 1
  }
  return counts
}

/** Nothing where the pattern is settled, or the fault stands in a part of every part that has it. */
function subsetPattern(
  check: CheckResult,
  rows: RowSet,
  facts: readonly TrajectoryFacts[],
  slices: Slices,
  thresholds: Thresholds,
): Pick<CheckResult, 'pattern' | 'systematic_in'> | null {
  if (check.pattern !== 'sporadic' || check.unit !== 'trajectory') return null
  // Files and environments of such a fault are those of its steps: a run that writes a file for each is no other than one that writes one.
  if (checkByCode(check.code)?.ofSteps) return null
  const within = stepsWith(rows, slices.step)
  const { environments } = slices
  const sources = slices.sources.rollouts.length < 2 ? null : slices.sources
  const named = environments === null || !isNamedThroughout(rows, environments) ? null : environments
  const ways = [
    ...(within === null ? [] : [[null, null] as const]),
    ...(sources === null ? [] : [[sources, null] as const]),
    ...(named === null ? [] : [[null, named] as const]),
    ...(sources === null || named === null ? [] : [[sources, named] as const]),
  ]
  const byCondition = isOfTurns(check)
  if (ways.length === 0 && !byCondition) return null
  const able = ableRows(check, rows, facts)
  for (const [files, kinds] of ways) {
    if (!isOfWholeParts(rows, able, files, kinds, slices.step, within, thresholds)) continue
    const having = (parts: Parts) =>
      [...affectedBy(rows, parts.of, parts.rollouts.length).entries()].filter(([, n]) => n > 0).map(([part]) => part)
    return {
      pattern: 'systematic',
      systematic_in: {
        ...(files === null ? {} : { sources: having(files) }),
        ...(kinds === null ? {} : { environments: having(kinds).map((part) => kinds.names[part] as string) }),
        ...(within === null ? {} : { steps: within }),
      },
    }
  }
  const rollouts = byCondition ? conditionOf(check, rows, able, facts, thresholds) : null
  return rollouts === null ? null : { pattern: 'systematic', systematic_in: { rollouts } }
}

/** A call of a tool that no prompt has is in all rollouts that call it. */
const OF_CALLS: ReadonlySet<string> = new Set(['T07', 'T08'])

/**
 * A fault of what is trained of turns (H02): who masks a turn, or renders it, knows what it calls and how many there were. What is cut stands in the longest
 * rollouts by itself, and what is said of whole rows in no turn.
 */
function isOfTurns({ code, by_turn }: CheckResult): boolean {
  if (OF_CALLS.has(code)) return false
  const hasTurn = Object.entries(by_turn).some(([turn, affected]) => turn !== '0' && affected > 0)
  return hasTurn && checkByCode(code)?.hypotheses.includes('H02') === true
}

/** The first and the last step with the fault; null where some of its rollouts have no step, or no step lies outside. */
function stepsWith(rows: RowSet, step: Float64Array): [number, number] | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = rows.indexOf(1); i >= 0; i = rows.indexOf(1, i + 1)) {
    const at = step[i] as number
    if (Number.isNaN(at)) return null
    first = Math.min(first, at)
    last = Math.max(last, at)
  }
  return step.some((at) => at < first || at > last) ? [first, last] : null
}

/** Its rollouts name their environments, and there are several. */
function isNamedThroughout(rows: RowSet, { of, rollouts }: Parts): boolean {
  if (rollouts.length < 2) return false
  for (let i = rows.indexOf(1); i >= 0; i = rows.indexOf(1, i + 1)) if ((of[i] as number) < 0) return false
  return true
}

/** Of the files, the environments, or the environments of each file, those that have it have it nearly throughout, within these steps. */
function isOfWholeParts(
  rows: RowSet,
  able: RowSet,
  files: Parts | null,
  kinds: Parts | null,
  step: Float64Array,
  within: readonly [number, number] | null,
  thresholds: Thresholds,
): boolean {
  const counts = new Map<number, { affected: number; rollouts: number }>()
  const kindCount = kinds?.rollouts.length ?? 1
  for (let i = 0; i < rows.length; i++) {
    const at = step[i] as number
    if (able[i] === 0 || (within !== null && !(at >= within[0] && at <= within[1]))) continue
    const kind = kinds === null ? 0 : (kinds.of[i] as number)
    if (kind < 0) continue
    const cell = (files === null ? 0 : (files.of[i] as number)) * kindCount + kind
    const known = counts.get(cell)
    if (known === undefined) counts.set(cell, { affected: rows[i] as number, rollouts: 1 })
    else {
      known.affected += rows[i] as number
      known.rollouts++
    }
  }
  let having = 0
  for (const { affected, rollouts } of counts.values()) {
    if (affected === 0) continue
    if (affected < thresholds['systematic-subset-units'] || affected < thresholds['systematic-share'] * rollouts)
      return false
    having += rollouts
  }
  return having > 0 && having >= thresholds['systematic-kind-share'] * rows.length
}
