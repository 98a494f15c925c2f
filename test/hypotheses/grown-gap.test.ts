import { expect, it } from 'vitest'
import { recogniseDefects } from '../helpers/at-once.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { resultOf } from './input.ts'

const COUNT = 100

/** Ten rollouts of each of ten steps, whose mean gaps between sampler and trainer are these. */
function run(meanAt: (step: number) => number) {
  const facts = Array.from({ length: 100 }, (_, i) => {
    const step = 1 + Math.floor(i / 10)
    const absolute = meanAt(step) * COUNT
    const gap = { count: COUNT, sum: 0, absolute, squares: absolute ** 2 / COUNT, largest: 1, trainerSum: -50 }
    return factsOf(i, { step, gap: { ...gap, samplerValues: COUNT, samplerHash: `${i}` } })
  })
  return dumpOf(facts)
}

/** Codes that the defect of a sampler that stays behind explains, where it stands from the sixth step on and L01 from another one. */
function explained(meanAt: (step: number) => number, from: number) {
  const dump = run(meanAt)
  const since = (first: number) => Uint8Array.from(dump.facts, ({ step }) => Number((step as number) >= first))
  const rows = new Map([
    ['L08', since(6)],
    ['L01', since(from)],
  ])
  const checks = [...rows].map(([code, has]) =>
    resultOf(code, { affected: has.reduce((sum, each) => sum + each, 0), checked: 100, pattern: 'sporadic' }),
  )
  const { defects, defectOf } = recogniseDefects(checks, dump, rows)
  return {
    symptoms: defects.flatMap(({ symptoms }) => symptoms.map(({ code, affected }) => `${code} ${affected}`)),
    // Of a rollout of the fifth step, which L08 does not name.
    owner: defectOf('L01', 45),
  }
}

const growing = (step: number) => 0.02 * step

it('explains what differs before the later half of the steps, where the gap had grown already', () => {
  expect(explained(growing, 4)).toEqual({ symptoms: ['L08 50', 'L01 70'], owner: 'L08' })
  expect(explained(growing, 6).symptoms).toEqual(['L08 50', 'L01 50'])
})

it('explains nothing that differs from the first step on, or where nothing grows', () => {
  expect(explained(growing, 1)).toEqual({ symptoms: [], owner: null })
  expect(explained(() => 0.2, 4)).toEqual({ symptoms: [], owner: null })
})
