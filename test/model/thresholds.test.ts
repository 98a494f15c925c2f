import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import {
  changedThresholds,
  DEFAULT_THRESHOLDS,
  resolveThresholds,
  THRESHOLD_IDS,
  THRESHOLDS,
  ThresholdError,
  thresholdsOf,
} from '../../shared/model/thresholds/registry.ts'
import { COUNTING_UNITS } from '../../shared/model/thresholds/threshold.ts'

const families = import.meta.glob<Record<string, Record<string, unknown>>>('../../shared/model/thresholds/*.ts', {
  eager: true,
})

describe('the registry', () => {
  it('has every threshold of every family once', () => {
    const ids = Object.values(families)
      .flatMap((module) => Object.entries(module))
      .flatMap(([name, value]) =>
        /_THRESHOLDS$/.test(name) && name !== 'DEFAULT_THRESHOLDS' ? Object.keys(value) : [],
      )
    expect([...ids].sort()).toEqual([...THRESHOLD_IDS].sort())
  })

  it.each(THRESHOLD_IDS)('%s can be typed, is in its own range, and says why and for whom', (id) => {
    const { value, unit, range, usedBy, reason } = THRESHOLDS[id]
    expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/)
    expect(range[0]).toBeLessThan(range[1])
    expect(value).toBeGreaterThanOrEqual(range[0])
    expect(value).toBeLessThanOrEqual(range[1])
    if (COUNTING_UNITS.some((each) => each === unit)) expect(Number.isInteger(value)).toBe(true)
    expect(reason).toMatch(/^[A-Z0-9].{20,}[.]$/)
    const judges = [...CHECKS.map(({ code }) => code), ...HYPOTHESES.map((hypothesis) => hypothesis.id as string)]
    if (usedBy !== 'every check') {
      expect(usedBy.length).toBeGreaterThan(0)
      expect(usedBy.filter((judge) => !judges.includes(judge))).toEqual([])
    }
  })

  it('finds the thresholds of a check, of a hypothesis, and those of all checks', () => {
    const ofA06 = thresholdsOf('A06')
    expect(ofA06).toEqual(expect.arrayContaining(['systematic-share', 'systematic-units', 'duplicate-tokens']))
    expect(ofA06).not.toContain('zeroed-rollouts')
    expect(thresholdsOf('H06-library')).toContain('h06-library-gain')
    expect(thresholdsOf('H06-library')).not.toContain('systematic-share')
  })
})

describe('what a person sets', () => {
  it('stands beside the defaults of the others, and survives the way to a worker', () => {
    const values = resolveThresholds({ 'near-limit-tokens': 0, 'noise-std': undefined })
    expect(values).toEqual({ ...DEFAULT_THRESHOLDS, 'near-limit-tokens': 0 })
    expect(structuredClone(values)).toEqual(values)
  })

  it('is told apart from the defaults', () => {
    expect(changedThresholds(DEFAULT_THRESHOLDS)).toEqual({})
    expect(changedThresholds(resolveThresholds({ 'same-reward': 0.1, 'near-limit-tokens': 10 }))).toEqual({
      'same-reward': { value: 0.1, default: 1e-6 },
    })
  })

  it.each([
    ['near-limt-tokens', 3, /^There is no threshold near-limt-tokens\. The nearest are near-limit-tokens, /],
    ['constructor', 1, /^There is no threshold constructor\./],
    ['%%', 1, /^There is no threshold %%\.$/],
    ['x'.repeat(10_000), 1, /^There is no threshold x{80}\.$/],
    [
      'near-limit-tokens',
      -1,
      /^The threshold near-limit-tokens cannot be -1: a whole number from 0 to 100000 .*\(tokens\)/,
    ],
    ['near-limit-tokens', 1.5, /a whole number from 0/],
    ['near-limit-tokens', Number.NaN, /cannot be NaN/],
    ['near-limit-tokens', Number.POSITIVE_INFINITY, /cannot be Infinity/],
    ['systematic-share', 95, /^The threshold systematic-share cannot be 95: from 0 to 1 is allowed \(share\)\.$/],
    ['systematic-share', '0.5' as unknown as number, /cannot be/],
  ])('is refused in a sentence: %.30s = %s', (id, value, message) => {
    expect(() => resolveThresholds({ [id]: value })).toThrow(ThresholdError)
    expect(() => resolveThresholds({ [id]: value })).toThrow(message)
  })
})
