import { expect } from 'vitest'
import type { AlignedSide, Alignment, ComparedMeasure, RunComparison } from '../../shared/session/requests/compare.ts'

export function measureOf({ measures }: RunComparison, id: string): ComparedMeasure {
  const found = measures.find((measure) => measure.id === id)
  if (found === undefined)
    throw new Error(`There is no measure ${id} among ${measures.map((each) => each.id).join(', ')}`)
  return found
}

export function unitsOf({ text, textOffsets }: AlignedSide): string[] {
  return Array.from({ length: textOffsets.length - 1 }, (_, at) => text.slice(textOffsets[at], textOffsets[at + 1]))
}

/** What stands between the hunks is the same on both sides, and the hunks are in order. */
export function expectAligned({ left, right, hunks, prefix }: Alignment): void {
  const [a, b] = [unitsOf(left), unitsOf(right)]
  let [at, beside] = [0, 0]
  for (const hunk of [...hunks, { left: [a.length, a.length], right: [b.length, b.length] } as const]) {
    expect(hunk.left[0] - at).toBe(hunk.right[0] - beside)
    expect(a.slice(at, hunk.left[0])).toEqual(b.slice(beside, hunk.right[0]))
    ;[at, beside] = [hunk.left[1], hunk.right[1]]
  }
  expect(prefix).toBe(hunks[0]?.left[0] ?? a.length)
}
