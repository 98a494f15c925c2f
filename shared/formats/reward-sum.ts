/** A row with the scores of its reward functions, a silent one's as NaN, and its advantage. */
export interface ScoredRow {
  readonly group: string
  readonly scores: readonly number[]
  readonly advantage: number
}

/** Of the largest advantage of a group: what single precision and an epsilon leave between an advantage and its formula. */
const MOST_OFF = 1e-3

/** A plain sum of scores, as advantages show it. */
export interface PlainSum {
  /** Positions of those that say the same of every row: no advantage tells how they weigh, and none depends on it. */
  readonly constant: readonly number[]
}

/**
 * The plain sum of all scores, where the advantages are those of it: in each group they follow it, up to a factor and an offset, and what scores differ
 * there shows of each that it weighs as much as the others. A function that says the same of every row of a group, and not of all rows, may have any weight.
 * Null where they are not, or do not show it.
 */
export function plainSum(rows: readonly ScoredRow[]): PlainSum | null {
  const width = rows[0]?.scores.length ?? 0
  const groups = new Map<string, ScoredRow[]>()
  for (const row of rows) {
    const known = groups.get(row.group)
    if (known === undefined) groups.set(row.group, [row])
    else known.push(row)
  }
  /** By function, the first of those that are known to weigh as much. */
  const like = Array.from({ length: width }, (_, at) => at)
  const seen = new Set<number>()
  for (const members of groups.values()) {
    if (members.some(({ advantage }) => !Number.isFinite(advantage))) return null
    if (!followsSum(members)) return null
    const shown = shownTogether(members, width)
    const first = Math.min(...shown.map((at) => like[at] as number))
    const joined = new Set(shown.map((at) => like[at] as number))
    for (const at of shown) seen.add(at)
    for (const [at, name] of like.entries()) if (joined.has(name)) like[at] = first
  }
  const constant = [...like.keys()].filter((at) =>
    rows.every(({ scores }) => Object.is(scores[at], rows[0]?.scores[at])),
  )
  const same = new Set(constant)
  const differing = [...like.keys()].filter((at) => !same.has(at))
  const areShown =
    differing.length > 0 && differing.every((at) => seen.has(at) && like[at] === like[differing[0] as number])
  return width > 1 && areShown ? { constant } : null
}

/** As TRL adds up: a function that is silent on a row adds nothing. */
export function sumOf(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + (Number.isNaN(score) ? 0 : score), 0)
}

function followsSum(members: readonly ScoredRow[]): boolean {
  const sums = centred(members.map(({ scores }) => sumOf(scores)))
  const advantages = centred(members.map(({ advantage }) => advantage))
  const largest = Math.max(...members.map(({ advantage }) => Math.abs(advantage)))
  const squares = sums.reduce((total, sum) => total + sum * sum, 0)
  if (squares < 1e-12) return advantages.every((advantage) => Math.abs(advantage) <= MOST_OFF)
  const factor = sums.reduce((total, sum, at) => total + sum * (advantages[at] as number), 0) / squares
  if (!(factor > 0)) return false
  return sums.every((sum, at) => Math.abs((advantages[at] as number) - factor * sum) <= MOST_OFF * largest)
}

/** A score that is said to be the same differs by what adding leaves. */
const NO_SPREAD = 1e-6

/** Of what a score differs by, or the sum: less of its own shows nothing of its weight. */
const LEAST_OWN = 0.05

/** The functions that differ within a group, where each does so in a way of its own: no other weights of them give the same advantages. */
function shownTogether(members: readonly ScoredRow[], width: number): number[] {
  const columns = Array.from({ length: width }, (_, at) => {
    return centred(members.map(({ scores }) => sumOf([scores[at] as number])))
  })
  const differ = [...columns.keys()].filter((at) => lengthOf(columns[at] as number[]) > NO_SPREAD)
  const basis: number[][] = []
  // Where scores nearly cancel, what is left of them is the sum, and a little of their own shows in it.
  const sum = lengthOf(centred(members.map(({ scores }) => sumOf(scores))))
  for (const at of differ) {
    const column = columns[at] as number[]
    let left = column
    for (const known of basis) {
      const along = left.reduce((total, value, row) => total + value * (known[row] as number), 0)
      left = left.map((value, row) => value - along * (known[row] as number))
    }
    const length = lengthOf(left)
    // Two that say nearly the same of all rows may share their weight in any way.
    const least = sum < NO_SPREAD ? lengthOf(column) : Math.min(lengthOf(column), sum)
    if (length < LEAST_OWN * least) return []
    basis.push(left.map((value) => value / length))
  }
  return differ
}

function centred(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.map((value) => value - mean)
}

function lengthOf(values: readonly number[]): number {
  return Math.hypot(...values)
}
