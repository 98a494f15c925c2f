import fc from 'fast-check'
import { expect, test } from 'vitest'
import { biasedStd, correlation, mean, unbiasedStd } from '../../shared/checks/groups/statistics.ts'
import { audited, cleanRollout, lines, qwen } from '../session/dumps.ts'

/** Every place of a report that holds a number which is none. */
function oddNumbers(value: unknown, place = ''): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [`${place}: ${value}`]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => oddNumbers(inner, `${place}.${key}`))
}

async function judged(unit: number) {
  const tokenizer = await qwen()
  const rollouts = Array.from({ length: 32 }, (_, at) => {
    const reward = (((at * 7) % 8) / 8) * unit
    const rewards = { answer: reward * 0.75, format: reward * 0.25 }
    return cleanRollout(tokenizer, at, { group: String(at >> 3), groupSize: 8, reward, rewards })
  })
  const report = (await audited(lines(rollouts))).report()
  const verdicts = report.hypotheses.filter(({ id }) => id === 'H01' || id === 'H05')
  return {
    odd: oddNumbers({ hypotheses: report.hypotheses, findings: report.findings, checks: report.checks }),
    verdicts: verdicts.map(({ id, verdict, because }) => [id, verdict, because.map(({ measure }) => measure)]),
    faults: report.checks.filter(({ status }) => status === 'fail').map(({ code }) => code),
  }
}

test.each([1e150, 1e300, 1.7e308])('rewards of %d are judged as those of 1 are', async (unit) => {
  expect(await judged(unit)).toEqual({ ...(await judged(1)), odd: [] })
})

test('rewards that hardly differ from 0 are no reason for a number that is none', async () => {
  expect((await judged(1e-300)).odd).toEqual([])
})

test('statistics are the same in any unit', () => {
  const values = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 3, maxLength: 12 })
  fc.assert(
    fc.property(values, fc.constantFrom(1e160, 1e300), (plain, unit) => {
      const large = plain.map((value) => value * unit)
      const near = (a: number, b: number) => expect(a / unit).toBeCloseTo(b, 6)
      near(mean(large), mean(plain))
      near(unbiasedStd(large), unbiasedStd(plain))
      near(biasedStd(large), biasedStd(plain))
      const other = plain.map((value, at) => value * (at % 3))
      const [a, b] = [correlation(large, other), correlation(plain, other)]
      const [c, d] = [
        correlation(
          large,
          other.map((value) => value * unit),
        ),
        b,
      ]
      if (b === null) expect(a).toBeNull()
      else {
        expect(a).toBeCloseTo(b, 6)
        expect(c).toBeCloseTo(d as number, 6)
      }
    }),
    { numRuns: 300 },
  )
})
