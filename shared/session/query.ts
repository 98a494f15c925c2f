import { END_REASONS, type TrajectoryFacts } from '../checks/facts.ts'
import { completionLength } from '../checks/limits.ts'
import { fitsFilter } from '../checks/rollout-filter.ts'
import type { Histogram, Row, RowQuery, SortColumn } from './protocol.ts'

export interface Queryable {
  readonly facts: readonly TrajectoryFacts[]
  codesOf(index: number): readonly string[]
  worstOf(index: number): Row['worst']
}

/** Indices of the rollouts that a query keeps, each once, in its order; rollouts without a value in the sorted column come last. */
export function queryRows({ facts, codesOf, worstOf }: Queryable, query: RowQuery): Int32Array {
  const wanted = query.findings?.length ? new Set(query.findings) : null
  const text = query.text?.trim().toLowerCase() ?? ''
  const candidates = query.only === undefined ? facts.keys() : new Set(query.only)
  const kept: number[] = []
  for (const index of candidates) {
    const row = facts[index]
    if (row === undefined) continue
    if (wanted !== null && !codesOf(index).some((code) => wanted.has(code))) continue
    if (query.where !== undefined && !fitsFilter(row, query.where, codesOf(index))) continue
    if (text !== '' && !`${row.id}\n${row.group ?? ''}`.toLowerCase().includes(text)) continue
    kept.push(index)
  }
  const column = query.sort ?? 'index'
  const indices = Int32Array.from(kept)
  if (column === 'index') {
    indices.sort()
    return query.descending ? indices.reverse() : indices
  }
  // Every value is compared many times; that of `findings` takes a while to make.
  const values = new Array<number | string | null>(facts.length)
  for (const index of kept) values[index] = sortValue(index, facts, { facts, codesOf, worstOf }, column)
  const direction = query.descending ? -1 : 1
  return indices.sort((a, b) => {
    const left = values[a] ?? null
    const right = values[b] ?? null
    if (left === null || right === null) return left === right ? a - b : left === null ? 1 : -1
    return compare(left, right) * direction || a - b
  })
}

/** Null where there is none: NaN has no place in an order. */
function sortValue(
  index: number,
  facts: readonly TrajectoryFacts[],
  { codesOf, worstOf }: Queryable,
  column: Exclude<SortColumn, 'index'>,
): number | string | null {
  const row = facts[index] as TrajectoryFacts
  switch (column) {
    case 'id':
      return row.id
    case 'group':
      return row.group
    case 'step':
      return numberOrNull(row.step)
    case 'reward':
      return numberOrNull(row.reward)
    case 'advantage':
      return numberOrNull(row.advantage)
    case 'tokens':
      return row.realLength
    case 'trained':
      return row.trained === null || row.realLength === 0 ? null : row.trained / row.realLength
    case 'turns':
      return row.turns
    case 'end':
      return END_REASONS.indexOf(row.endReason)
    case 'findings':
      return codesOf(index).length
    case 'source':
      return row.place.source
    case 'prompt':
      return row.promptLength === null || row.promptLength < 0 ? null : row.promptLength
    case 'completion':
      return row.promptLength === null || row.idsHash === null ? null : completionLength(row)
    case 'trainedTokens':
      return row.trained
    case 'worst':
      return SEVERITY_ORDER.indexOf(worstOf(index))
    case 'gap':
      return row.gap === undefined ? null : row.gap.absolute / row.gap.count
    case 'kl':
      return row.kl === undefined ? null : (row.kl.formulas[2] as number) / row.kl.count
    case 'lost':
      return row.lost
    case 'flag':
    case 'labels':
    case 'notes':
      return null
    default:
      return componentOf(row, column.slice('reward.'.length))
  }
}

function componentOf({ rewards }: TrajectoryFacts, name: string): number | null {
  return rewards !== null && Object.hasOwn(rewards, name) ? numberOrNull(rewards[name] ?? null) : null
}

const SEVERITY_ORDER: readonly Row['worst'][] = [null, 'info', 'warning', 'error']

function numberOrNull(value: number | null): number | null {
  return value === null || Number.isNaN(value) ? null : value
}

function compare(left: number | string, right: number | string): number {
  if (typeof left === 'string' || typeof right === 'string') return collator.compare(String(left), String(right))
  // Not the difference: that of two infinite rewards is no number.
  return left < right ? -1 : left > right ? 1 : 0
}

/** "q2" before "q10", whatever the machine's language. */
const collator = new Intl.Collator('en', { numeric: true })

const BINS = 48

/** At most 48 bins of a round width over the lengths, empty dumps give no bin. */
export function lengthHistogram(lengths: readonly number[]): Histogram {
  let max = 0
  for (const length of lengths) if (length > max) max = length
  let width = 1
  for (let step = 0; (max + 1) / width > BINS; step++)
    width = ([1, 2, 5][step % 3] as number) * 10 ** Math.floor(step / 3)
  const counts = new Array<number>(lengths.length === 0 ? 0 : Math.floor(max / width) + 1).fill(0)
  for (const length of lengths) {
    const bin = Math.floor(length / width)
    counts[bin] = (counts[bin] as number) + 1
  }
  return { from: 0, width, counts }
}

/** The lengths that a histogram draws: whole sequences without padding, prompts, assistant turns or tool replies. */
export function lengthsOf(
  facts: readonly TrajectoryFacts[],
  of: 'sequence' | 'prompt' | 'assistant-turn' | 'tool-reply',
): number[] {
  switch (of) {
    case 'sequence':
      return facts.filter(({ length }) => length > 0).map(({ realLength }) => realLength)
    case 'prompt':
      // A dump may declare any number.
      return facts.flatMap(({ promptLength }) => (promptLength === null || promptLength < 0 ? [] : promptLength))
    case 'assistant-turn':
      return facts.flatMap(({ assistantLengths }) => assistantLengths)
    case 'tool-reply':
      return facts.flatMap(({ toolReplyLengths }) => toolReplyLengths)
  }
}
