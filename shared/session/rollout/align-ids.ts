import { diffArrays } from 'diff'

/** Half-open ranges of two rows of ids that differ where everything around them is the same. */
export interface Hunk {
  readonly a: readonly [start: number, end: number]
  readonly b: readonly [start: number, end: number]
}

/** Insertions and deletions after which two rows count as different texts: the time grows with their square. */
const MOST_EDITS = 1000
/** Of all turns of a row, as the sum of the squares of their edits: every turn may be that of another tokenizer. */
const MOST_SQUARED_EDITS = 4 * MOST_EDITS ** 2
/** Two differences with fewer tokens than this between them are one. */
const JOINED_ACROSS = 3

/**
 * Where two rows of ids differ. What they begin and end with alike is taken off first; what is left is aligned turn by turn where it
 * differs too much to be aligned as a whole.
 *
 * @param turnStart the id that opens a turn, -1 where there is none
 */
export function alignIds(a: Int32Array, b: Int32Array, turnStart: number): Hunk[] {
  let start = 0
  const shorter = Math.min(a.length, b.length)
  while (start < shorter && a[start] === b[start]) start++
  let tail = 0
  while (tail < shorter - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const left = a.subarray(start, a.length - tail)
  const right = b.subarray(start, b.length - tail)
  return joined(between(left, right, turnStart)).map((hunk) => ({
    a: [hunk.a[0] + start, hunk.a[1] + start],
    b: [hunk.b[0] + start, hunk.b[1] + start],
  }))
}

function between(a: Int32Array, b: Int32Array, turnStart: number): Hunk[] {
  if (a.length === 0 && b.length === 0) return []
  const whole: Hunk = { a: [0, a.length], b: [0, b.length] }
  if (a.length === 0 || b.length === 0) return [whole]
  return edits(a, b)?.hunks ?? byTurns(a, b, turnStart) ?? [whole]
}

/** Where they differ, and by how many insertions and deletions; null where it takes more than `most`. */
function edits(a: Int32Array, b: Int32Array, most = MOST_EDITS): { hunks: Hunk[]; count: number } | null {
  const changes = diffArrays(Array.from(a), Array.from(b), { maxEditLength: most })
  if (changes === undefined) return null
  const hunks: Hunk[] = []
  let edited = 0
  let at = 0
  let beside = 0
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      at += count
      beside += count
      continue
    }
    edited += count
    const last = hunks.at(-1)
    const own: Hunk = removed
      ? { a: [at, at + count], b: [beside, beside] }
      : { a: [at, at], b: [beside, beside + count] }
    if (last !== undefined && last.a[1] === at && last.b[1] === beside) {
      hunks[hunks.length - 1] = { a: [last.a[0], own.a[1]], b: [last.b[0], own.b[1]] }
    } else hunks.push(own)
    if (removed) at += count
    else beside += count
  }
  return { hunks, count: edited }
}

/** Turn against turn in order; null where there are no turns to go by. A surplus on either side is a difference of its own. */
function byTurns(a: Int32Array, b: Int32Array, turnStart: number): Hunk[] | null {
  const left = turnStarts(a, turnStart)
  const right = turnStarts(b, turnStart)
  if (left.length + right.length <= 2) return null
  const pairs = Math.min(left.length, right.length)
  const hunks: Hunk[] = []
  let squaresLeft = MOST_SQUARED_EDITS
  for (let turn = 0; turn < pairs; turn++) {
    const isLast = turn === pairs - 1
    const from = [left[turn] as number, right[turn] as number] as const
    const to = isLast
      ? ([a.length, b.length] as const)
      : ([left[turn + 1] as number, right[turn + 1] as number] as const)
    const own = a.subarray(from[0], to[0])
    const other = b.subarray(from[1], to[1])
    // What a turn leaves of its share is for those after it.
    const most = Math.min(MOST_EDITS, Math.floor(Math.sqrt(squaresLeft / (pairs - turn))))
    const found = edits(own, other, most)
    squaresLeft -= (found?.count ?? most) ** 2
    const whole: Hunk = { a: [0, own.length], b: [0, other.length] }
    for (const hunk of found?.hunks ?? [whole]) {
      hunks.push({
        a: [hunk.a[0] + from[0], hunk.a[1] + from[0]],
        b: [hunk.b[0] + from[1], hunk.b[1] + from[1]],
      })
    }
  }
  return hunks
}

/** Where turns begin, the beginning of the row among them. */
function turnStarts(ids: Int32Array, turnStart: number): number[] {
  const starts = [0]
  if (turnStart < 0) return starts
  for (let at = ids.indexOf(turnStart, 1); at >= 0; at = ids.indexOf(turnStart, at + 1)) starts.push(at)
  return starts
}

function joined(hunks: readonly Hunk[]): Hunk[] {
  const found: Hunk[] = []
  for (const hunk of hunks) {
    const last = found.at(-1)
    if (last !== undefined && hunk.a[0] - last.a[1] < JOINED_ACROSS && hunk.b[0] - last.b[1] < JOINED_ACROSS) {
      found[found.length - 1] = { a: [last.a[0], hunk.a[1]], b: [last.b[0], hunk.b[1]] }
    } else found.push(hunk)
  }
  return found
}
