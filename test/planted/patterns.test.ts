import { describe, expect, it } from 'vitest'
import { CHECKS } from '../../shared/checks/registry.ts'
import type { Pattern } from './plant.ts'
import { PLANTS } from './plants/all.ts'
import { CANNOT_BE } from './plants/one-pattern.ts'

const BOTH: readonly Pattern[] = ['systematic', 'sporadic']

describe.each(CHECKS)('$code', ({ code }) => {
  it('is planted everywhere and in two rollouts, or cannot be for a reason', () => {
    const own = PLANTS.filter((plant) => plant.code === code)
    const planted = BOTH.filter((pattern) => own.some(({ patterns = BOTH }) => patterns.includes(pattern)))
    const excused = CANNOT_BE[code]?.pattern
    expect(planted).toEqual(BOTH.filter((pattern) => pattern !== excused))
  })
})

it('reasons are those of codes that there are', () => {
  const codes = CHECKS.map(({ code }) => code)
  expect(Object.keys(CANNOT_BE).filter((code) => !codes.includes(code))).toEqual([])
})
