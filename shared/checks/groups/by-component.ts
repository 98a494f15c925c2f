import { forEachOf, type Steps, within } from '../../model/steps.ts'
import type { Thresholds } from '../../model/thresholds/registry.ts'
import type { DumpView, GroupView } from '../check.ts'
import { FactColumns } from '../facts/fact-columns.ts'
import { DEFAULT_ADVANTAGE_EPS } from './advantages.ts'
import { dot, leastSquares } from './least-squares.ts'
import { mean, rewardsOf, unbiasedStd } from './statistics.ts'
import { groupsByStep, stepOf } from './step-scales.ts'

/** Components beyond these are mostly metrics, and no sum of so many says anything. */
const MOST_COMPONENTS = 16
/** Groups that weights are found from. */
const MOST_GROUPS = 2000
/** Free numbers to each weight, from which a sum that gives all of them is no chance. */
const EVIDENCE = 4

/** Weights and what divides each step are found in so many turns: what divides is near 1, and each turn leaves a small part of the error before. */
const TURNS = 8

/** What is stored of a group, [n], and each component of its rewards less its mean and over its std, [components][n]. */
interface Row {
  readonly group: GroupView
  readonly stored: readonly number[]
  readonly parts: readonly (readonly number[])[]
}

/** Whether the components give a group what is stored of it. */
export type GivenByComponents = (group: GroupView) => boolean

/**
 * Where stored advantages are the sum of what each reward component gives by itself, normalised within the group and weighted (GDPO, arXiv 2601.05242;
 * TRL, `multi_objective_aggregation`), which groups are given so. The weights are those of the whole dump; each step may have a factor of its own, since
 * sums are whitened over it. Null where the components do not give nearly all groups, or what is stored goes against the rewards.
 */
export function* givenByComponents(view: DumpView): Steps<GivenByComponents | null> {
  const columns = new FactColumns(view.facts)
  if (columns.isEmpty('rewards') || columns.isEmpty('advantage')) return null
  const names = [...columns.names('rewards').keys()]
  if (names.length < 2 || names.length > MOST_COMPONENTS) return null
  const complete = view.groups.filter((group) => group.complete)
  const { thresholds } = view.settings
  const rows = yield* within(0, 0.5, rowsOf(complete, names))
  const weights = weightsOf(rows)
  if (weights === null) return null
  const factors = yield* within(0.5, 1, factorsOf(complete, names, weights))
  const given = (row: Row | null) => row !== null && isSum(row, weights, factors, thresholds)
  return rows.filter(given).length >= thresholds['factor-share'] * rows.length
    ? (group) => given(rowOf(group, names))
    : null
}

/** Of groups at even distances. */
function* rowsOf(groups: readonly GroupView[], names: readonly string[]): Steps<readonly Row[]> {
  const every = Math.ceil(groups.length / MOST_GROUPS)
  const rows: Row[] = []
  yield* forEachOf(groups, (group, at) => {
    const row = at % every === 0 ? rowOf(group, names) : null
    if (row !== null) rows.push(row)
  })
  return rows
}

/** Null where an advantage or a component is not known, or nothing differs. */
function rowOf(group: GroupView, names: readonly string[]): Row | null {
  const stored: number[] = []
  for (const { advantage } of group.members) {
    if (advantage === null) return null
    stored.push(advantage)
  }
  const rewards = group.members.map((member) => member.rewards)
  const parts: number[][] = []
  for (const name of names) {
    const values = rewards.map((each) => each?.[name] ?? Number.NaN)
    if (!values.every(Number.isFinite)) return null
    parts.push(normalised(values))
  }
  return parts.some((part) => part.some((value) => value !== 0)) ? { group, stored, parts } : null
}

function normalised(values: readonly number[]): number[] {
  const centre = mean(values)
  const divisor = unbiasedStd(values) + DEFAULT_ADVANTAGE_EPS
  return values.map((value) => (value - centre) / divisor)
}

/** Advantages are high where rewards are; what is turned around follows no rewards, whatever it is the sum of. */
function followsRewards(rows: readonly Row[]): boolean {
  let together = 0
  for (const { group, stored } of rows) {
    const rewards = rewardsOf(group)
    const centre = mean(rewards)
    together += dot(
      rewards.map((reward) => reward - centre),
      stored,
    )
  }
  return together > 0
}

/**
 * One for each component, those that come nearest to what is stored. What a step's advantages are divided by is found in turns with them. Null where
 * there is too little to find them by, or what is stored goes against the rewards.
 */
function weightsOf(rows: readonly Row[]): readonly number[] | null {
  const columns = (rows[0]?.parts ?? []).map((_, at) => rows.flatMap(({ parts }) => parts[at] as readonly number[]))
  const varied = columns.filter((column) => column.some((value) => value !== 0)).length
  const steps = new Set(rows.map(({ group }) => stepOf(group))).size
  const free = rows.reduce((sum, { stored }) => sum + stored.length - 1, 0)
  if (varied < 2 || free < EVIDENCE * (varied + steps - 1) || !followsRewards(rows)) return null
  let factors: Factors = new Map()
  let weights: readonly number[] = []
  for (let turn = 0; turn < (steps > 1 ? TURNS : 1); turn++) {
    const undivided = rows.flatMap(({ group, stored }) => stored.map((each) => each / factorIn(factors, group)))
    weights = leastSquares(columns, undivided).weights
    factors = factorsAmong(rows, weights)
  }
  return weights
}

/** What the sums of a step were multiplied by; 1 where a dump has one step, whose factor is in the weights. */
type Factors = ReadonlyMap<number | null, number>

function factorIn(factors: Factors, group: GroupView): number {
  return factors.get(stepOf(group)) ?? 1
}

function factorsAmong(rows: readonly Row[], weights: readonly number[]): Factors {
  const sums = new Map<number | null, { products: number; squares: number }>()
  for (const row of rows) {
    const step = stepOf(row.group)
    let sum = sums.get(step)
    if (sum === undefined) sums.set(step, (sum = { products: 0, squares: 0 }))
    const made = madeOf(row, weights)
    sum.products += dot(made, row.stored)
    sum.squares += dot(made, made)
  }
  const factors = new Map<number | null, number>()
  for (const [step, { products, squares }] of sums) if (products > 0) factors.set(step, products / squares)
  return factors
}

/** Of all groups, step by step. */
function* factorsOf(
  groups: readonly GroupView[],
  names: readonly string[],
  weights: readonly number[],
): Steps<Factors> {
  const steps = yield* within(0, 0.1, groupsByStep(groups))
  const all = new Map<number | null, number>()
  for (const own of steps.values()) {
    for (const [step, factor] of factorsAmong(yield* rowsOf(own, names), weights)) all.set(step, factor)
  }
  return all
}

function madeOf({ parts, stored }: Row, weights: readonly number[]): number[] {
  return stored.map((_, at) => parts.reduce((sum, part, k) => sum + (weights[k] as number) * (part[at] as number), 0))
}

function isSum(row: Row, weights: readonly number[], factors: Factors, thresholds: Thresholds): boolean {
  const { group, stored } = row
  const slack = slackOf(stored, thresholds)
  const made = madeOf(row, weights)
  const factor = factorIn(factors, group)
  return stored.every((each, at) => Math.abs(each - factor * (made[at] as number)) <= slack)
}

/** How far a stored advantage of a group may be from what gives it. */
export function slackOf(stored: readonly number[], thresholds: Thresholds): number {
  const largest = stored.reduce((most, each) => Math.max(most, Math.abs(each)), 0)
  return Math.max(thresholds['advantage-tolerance'] * largest, thresholds['advantage-digits'])
}
