import { describe, expect, it } from 'vitest'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { withPatternsBySource } from '../../shared/session/pattern-by-source.ts'
import { resultOf } from '../hypotheses/input.ts'

/** What M15 is called where so many of so many rollouts of each file have it. */
function patternWith(...files: (readonly [affected: number, rollouts: number])[]) {
  const sourceOf = Int32Array.from(files.flatMap(([, rollouts], source) => Array<number>(rollouts).fill(source)))
  const rows = Uint8Array.from(
    files.flatMap(([affected, rollouts]) => Array.from({ length: rollouts }, (_, i) => Number(i < affected))),
  )
  const check = resultOf('M15', { affected: 96, checked: 192, pattern: 'sporadic' })
  return withPatternsBySource([check], new Map([['M15', rows]]), sourceOf, DEFAULT_THRESHOLDS)[0]?.pattern
}

describe('a fault in files that were opened together', () => {
  it('is systematic where all rollouts of one file have it and none of the other', () => {
    expect(patternWith([96, 96], [0, 96])).toBe('systematic')
    expect(patternWith([0, 50], [92, 96], [0, 50])).toBe('systematic')
  })

  it('is sporadic where it stands in a part of a file', () => {
    expect(patternWith([96, 96], [1, 96])).toBe('sporadic')
    expect(patternWith([91, 96], [0, 96])).toBe('sporadic')
    expect(patternWith([96, 192])).toBe('sporadic')
  })

  it('is sporadic where the files that have it are few rollouts, or few of many', () => {
    expect(patternWith([9, 9], [0, 9])).toBe('sporadic')
    expect(patternWith([1, 1], [1, 1], [0, 1], [0, 1])).toBe('sporadic')
    expect(patternWith([16, 16], [0, 784])).toBe('sporadic')
  })

  it('is left as it is where it is called systematic already, or is of groups', () => {
    const sourceOf = Int32Array.from([0, 1])
    const faults = new Map([['A05', Uint8Array.from([1, 0])]])
    const group = resultOf('A05', { affected: 1, pattern: 'sporadic' })
    const systematic = resultOf('M15', { affected: 100 })
    expect(withPatternsBySource([group, systematic], faults, sourceOf, DEFAULT_THRESHOLDS)).toEqual([group, systematic])
  })
})
