import type { AlignedSide, Alignment } from '../../../shared/session/requests/compare.ts'

type Range = readonly [start: number, end: number]

/** A line of two rollouts that are laid side by side. Ranges are half-open, in units of either side. */
export type AlignedRow =
  | { readonly kind: 'turn'; readonly left: string | null; readonly right: string | null }
  | { readonly kind: 'same' | 'differs'; readonly left: Range; readonly right: Range }
  /** Units that are the same on both sides and are not drawn. */
  | { readonly kind: 'fold'; readonly left: Range; readonly right: Range }

/** Units that are drawn on either side of a difference. */
const CONTEXT = 24
/** Fewer than this are not worth folding. */
const LEAST_FOLD = 40
/** Units of one line: more are drawn in several. */
const MOST_IN_ROW = 120

/** The lines of an alignment. `open` holds the left starts of stretches that a person unfolded. */
export function alignedRows({ left, right, hunks }: Alignment, open: ReadonlySet<number>): AlignedRow[] {
  const rows: AlignedRow[] = []
  const turnsAt = { left: namesAt(left), right: namesAt(right) }
  const lengths = { left: left.textOffsets.length - 1, right: right.textOffsets.length - 1 }
  let [at, beside] = [0, 0]

  const addTurn = (a: number | null, b: number | null) => {
    const own = a === null ? null : (turnsAt.left.get(a) ?? null)
    const other = b === null ? null : (turnsAt.right.get(b) ?? null)
    if (own !== null || other !== null) rows.push({ kind: 'turn', left: own, right: other })
  }

  const addSame = (from: number, to: number) => {
    const shift = beside - at
    for (const [start, end] of pieces(from, to, (unit) => turnsAt.left.has(unit) || turnsAt.right.has(unit + shift))) {
      addTurn(start, start + shift)
      rows.push({ kind: 'same', left: [start, end], right: [start + shift, end + shift] })
    }
  }

  const addDifference = (a: Range, b: Range) => {
    const own = pieces(...a, (unit) => turnsAt.left.has(unit))
    const other = pieces(...b, (unit) => turnsAt.right.has(unit))
    for (let k = 0; k < Math.max(own.length, other.length); k++) {
      const [x, y] = [own[k] ?? ([a[1], a[1]] as const), other[k] ?? ([b[1], b[1]] as const)]
      addTurn(x[1] > x[0] ? x[0] : null, y[1] > y[0] ? y[0] : null)
      rows.push({ kind: 'differs', left: x, right: y })
    }
  }

  for (const [nth, hunk] of [...hunks, null].entries()) {
    const until = hunk?.left[0] ?? lengths.left
    const isFirst = nth === 0
    const isLast = hunk === null
    const keepBefore = isFirst ? 0 : Math.min(CONTEXT, until - at)
    const keepAfter = isLast ? 0 : Math.min(CONTEXT, until - at - keepBefore)
    const [from, to] = [at + keepBefore, until - keepAfter]
    if (to - from < LEAST_FOLD || open.has(from)) addSame(at, until)
    else {
      addSame(at, from)
      rows.push({ kind: 'fold', left: [from, to], right: [from + beside - at, to + beside - at] })
      addSame(to, until)
    }
    if (hunk === null) break
    addDifference(hunk.left, hunk.right)
    ;[at, beside] = [hunk.left[1], hunk.right[1]]
  }
  return rows
}

function namesAt({ turns }: AlignedSide): Map<number, string> {
  return new Map(turns.map(({ start, role }, index) => [start, `${index} ${role}`]))
}

/** A range in pieces that are short enough for a line and begin where `breaksAt` says. */
function pieces(start: number, end: number, breaksAt: (unit: number) => boolean): Range[] {
  const found: Range[] = []
  let from = start
  for (let unit = start + 1; unit <= end; unit++) {
    if (unit < end && unit - from < MOST_IN_ROW && !breaksAt(unit)) continue
    found.push([from, unit])
    from = unit
  }
  return found
}

/** The turn that holds a unit, in words; null where no turns are known. */
export function turnWords({ turns }: AlignedSide, unit: number): string | null {
  let found: string | null = null
  for (const [index, { start, role }] of turns.entries()) {
    if (start > unit) break
    found = `turn ${index}, ${role}`
  }
  return found
}
