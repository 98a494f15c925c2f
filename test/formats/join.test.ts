import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinTrajectories } from '../../shared/formats/join.ts'
import { onTokensOf, ownIds } from '../../shared/formats/join-padding.ts'
import { emptyTrajectory, type Trajectory } from '../../shared/model/trajectory.ts'

describe('one rollout from two', () => {
  const length = 4
  const stream = fc.option(fc.float32Array({ minLength: length, maxLength: length }), { nil: null })
  const some = fc.record({
    reward: fc.option(fc.double({ noNaN: true }), { nil: null }),
    group: fc.option(fc.string(), { nil: null }),
    advantages: stream,
    entropy: stream,
    mask: fc.option(fc.uint8Array({ minLength: length, maxLength: length, max: 1 }), { nil: null }),
    excluded: fc.boolean(),
  })
  const made = (record: number, fields: Partial<Trajectory>): Trajectory => ({
    ...emptyTrajectory({ source: record, record, part: 0 }, `${record}`),
    ids: new Int32Array(length),
    ...fields,
  })

  it('lies on the tokens of the first, however either of them is padded', () => {
    const side = fc.nat(3)
    const padding = fc.record({ left: side, right: side })
    fc.assert(
      fc.property(fc.array(fc.nat(9), { minLength: 1 }), padding, padding, (ids, one, two) => {
        const padded = (place: number, { left, right }: { left: number; right: number }): Trajectory => {
          const row = [...Array(left).fill(77), ...ids, ...Array(right).fill(77)]
          const inside = (i: number) => i >= left && i < left + ids.length
          return {
            ...made(place, {}),
            ids: Int32Array.from(row),
            mask: Uint8Array.from(row, (_, i) => (inside(i) ? 1 : 0)),
            advantages: Float32Array.from(row, (_, i) => (inside(i) ? i - left : 99)),
            padding: { left, right },
          }
        }
        const [base, added] = [padded(0, one), padded(1, two)]
        expect(ownIds(base)).toEqual(ownIds(added))
        const fitted = onTokensOf(base, added)
        expect(fitted.mask).toEqual(base.mask)
        expect(fitted.advantages?.subarray(one.left, one.left + ids.length)).toEqual(
          Float32Array.from(ids, (_, i) => i),
        )
        expect(fitted.advantages).toHaveLength(base.ids?.length ?? -1)
      }),
    )
  })

  it('has everything of the first, and of the second what the first has not', () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        const [base, added] = [made(0, a), made(1, b)]
        const joined = joinTrajectories(base, added)
        expect(joined.place).toBe(base.place)
        expect(joined.recordHash).toBe('0')
        for (const name of ['reward', 'group', 'advantages', 'entropy'] as const) {
          expect(joined[name]).toBe(base[name] ?? added[name])
        }
        expect(joined.mask).toBe(base.excluded ? (base.mask ?? added.mask) : (added.mask ?? base.mask))
        expect(joined.excluded).toBe(base.excluded || added.excluded)
        expect(joined.ids).toBe(base.ids)
      }),
    )
  })
})
