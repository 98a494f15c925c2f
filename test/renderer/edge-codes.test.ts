import { describe, expect, it } from 'vitest'
import { codesAt } from '../../renderer/views/verdicts/edge-codes.ts'
import { check } from '../exports/report-fixture.ts'

const found = (code: string, boundary: string, affected = 3) =>
  check(code, { status: 'fail', affected, by_boundary: { [boundary]: { checked: 12, affected } } })

describe('the codes of what is wrong at an edge', () => {
  it('are those that count there', () => {
    const checks = [found('T05', 'tool>assistant'), found('M05', 'tool>assistant')]
    expect(codesAt(checks, 'tool>assistant', 'header')).toEqual(['T05'])
    expect(codesAt(checks, 'tool>assistant', 'mask')).toEqual(['M05'])
    expect(codesAt(checks, 'user>assistant', 'mask')).toEqual([])
  })

  it('name the turn that the edge closes, whose mask is counted there too', () => {
    const checks = [found('M01', 'assistant>tool'), found('T05', 'assistant>tool')]
    expect(codesAt(checks, 'tool>end', 'mask')).toEqual(['M01'])
    expect(codesAt(checks, 'tool>assistant', 'mask')).toEqual(['M01'])
    // The header that is missing is that of the turn before.
    expect(codesAt(checks, 'tool>assistant', 'header')).toEqual([])
  })

  it('are none where the check is silent', () => {
    expect(codesAt([found('M01', 'assistant>tool', 0)], 'assistant>tool', 'mask')).toEqual([])
    expect(codesAt([], 'assistant>tool', 'mask')).toEqual([])
  })
})
