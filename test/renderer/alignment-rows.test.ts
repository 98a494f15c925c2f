import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AlignedRow, alignedRows, turnWords } from '../../renderer/views/compare/alignment-rows.ts'
import type { AlignedSide, Alignment } from '../../shared/session/requests/compare.ts'
import { alignIds } from '../../shared/session/rollout/align-ids.ts'

function side(units: readonly number[], turns: AlignedSide['turns'] = []): AlignedSide {
  const texts = units.map((unit) => `w${unit} `)
  const textOffsets = new Uint32Array(units.length + 1)
  for (const [at, text] of texts.entries()) textOffsets[at + 1] = (textOffsets[at] as number) + text.length
  return {
    of: { run: 'open', index: 0 },
    place: { source: 0, record: 0, part: 0 },
    id: 'one',
    reward: null,
    end: 'stop',
    from: 0,
    ids: Int32Array.from(units),
    states: new Uint8Array(units.length),
    text: texts.join(''),
    textOffsets,
    turns,
  }
}

function aligned(a: readonly number[], b: readonly number[], turns: AlignedSide['turns'] = []): Alignment {
  const hunks = alignIds(Int32Array.from(a), Int32Array.from(b), -1).map((hunk) => ({ left: hunk.a, right: hunk.b }))
  return { by: 'ids', left: side(a, turns), right: side(b, turns), prefix: hunks[0]?.left[0] ?? a.length, hunks }
}

const drawn = (rows: readonly AlignedRow[]) => rows.flatMap((row) => (row.kind === 'turn' ? [] : [row]))
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at)

describe('the lines of an alignment', () => {
  it('hold every unit of both sides once and in order, whatever is unfolded', () => {
    const row = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 300 })
    fc.assert(
      fc.property(row, row, fc.boolean(), (a, b, unfold) => {
        const alignment = aligned(a, b)
        const open = new Set(unfold ? numbers(300) : [])
        let [at, beside] = [0, 0]
        for (const { kind, left, right } of drawn(alignedRows(alignment, open))) {
          expect([left[0], right[0]]).toEqual([at, beside])
          if (kind !== 'differs') expect(left[1] - left[0]).toBe(right[1] - right[0])
          ;[at, beside] = [left[1], right[1]]
        }
        expect([at, beside]).toEqual([a.length, b.length])
      }),
    )
  })

  it('draw what stands behind a difference, also one at the start that only one side has', () => {
    const rows = alignedRows(aligned(numbers(200), [900, ...numbers(200)]), new Set())
    expect(rows).toEqual([
      { kind: 'differs', left: [0, 0], right: [0, 1] },
      { kind: 'same', left: [0, 24], right: [1, 25] },
      { kind: 'fold', left: [24, 200], right: [25, 201] },
    ])
  })

  it('fold what is the same far from any difference, until it is unfolded', () => {
    const alignment = aligned(
      [...numbers(200), 900, ...numbers(200, 300)],
      [...numbers(200), 901, ...numbers(200, 300)],
    )
    const rows = alignedRows(alignment, new Set())
    expect(rows.map(({ kind }) => kind)).toEqual(['fold', 'same', 'differs', 'same', 'fold'])
    expect(rows[0]).toEqual({ kind: 'fold', left: [0, 176], right: [0, 176] })
    expect(rows[2]).toEqual({ kind: 'differs', left: [200, 201], right: [200, 201] })
    const open = alignedRows(alignment, new Set([0]))
    expect(open.map(({ kind }) => kind)).toEqual(['same', 'same', 'differs', 'same', 'fold'])
  })

  it('begin anew with every turn, and name it', () => {
    const turns = [
      { start: 0, kind: 'user', role: 'user' },
      { start: 3, kind: 'assistant', role: 'assistant' },
    ] as const
    const rows = alignedRows(aligned([1, 2, 3, 4, 5], [1, 2, 3, 4, 6], turns), new Set())
    expect(rows).toEqual([
      { kind: 'turn', left: '0 user', right: '0 user' },
      { kind: 'same', left: [0, 3], right: [0, 3] },
      { kind: 'turn', left: '1 assistant', right: '1 assistant' },
      { kind: 'same', left: [3, 4], right: [3, 4] },
      { kind: 'differs', left: [4, 5], right: [4, 5] },
    ])
    expect(turnWords(side([1, 2, 3, 4], turns), 3)).toBe('turn 1, assistant')
    expect(turnWords(side([1, 2]), 1)).toBeNull()
  })
})
