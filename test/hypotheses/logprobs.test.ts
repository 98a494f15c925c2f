import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import type { GapSums, KlSums } from '../../shared/checks/logprobs/sums.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { resultOf, verdictOf } from './input.ts'

const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts>) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

/** 100 tokens with this mean gap. */
const gapOf = (mean: number): GapSums => ({
  count: 100,
  sum: 0,
  absolute: 100 * mean,
  squares: 100 * mean * mean,
  largest: mean * 2,
  trainerSum: -50,
  samplerValues: 80,
  samplerHash: '0'.repeat(16),
})

/** Ten tokens, d = reference − trainer from -0.5 to 0.4; the stored KL follows `formula`. */
function klOf(
  formula: ((d: number) => number) | null,
  more: Partial<KlSums> = {},
  shift = 0,
  ds = Array.from({ length: 10 }, (_, k) => shift + (k - 5) / 10),
): KlSums {
  const each = ds.map((d) => [-d, (d * d) / 2, Math.exp(d) - d - 1, Math.exp(-d) + d - 1, Math.abs(d)])
  const sum = (of: (k: number) => number) => ds.reduce((total, _, k) => total + of(k), 0)
  const stored = formula === null ? [] : ds.map(formula)
  return {
    count: 10,
    formulas: [0, 1, 2, 3, 4].map((f) => sum((k) => each[k]![f]!)),
    largest: 0.2,
    largestToken: 3,
    trainerSum: -10,
    referenceSum: -11,
    stored:
      formula === null
        ? null
        : {
            count: 10,
            sum: sum((k) => stored[k]!),
            least: Math.min(...stored),
            leastToken: stored.indexOf(Math.min(...stored)),
            squares: sum((k) => stored[k]! ** 2),
            products: [0, 1, 2, 3, 4].map((f) => sum((k) => stored[k]! * each[k]![f]!)),
            formulaSquares: [0, 1, 2, 3, 4].map((f) => sum((k) => each[k]![f]! ** 2)),
          },
    declared: null,
    ...more,
  }
}

const k3 = (d: number) => Math.exp(d) - d - 1
const klDump = (kl: KlSums) => dumpOf(rows(60, () => ({ kl })))

describe('H03', () => {
  it.each([
    ['k3', k3, {}, 'contradicted'],
    ['k3 times beta', (d: number) => 0.04 * k3(d), {}, 'contradicted'],
    ['k3 with policy and reference exchanged', (d: number) => k3(-d), {}, 'supported'],
    ['k1 with its sign turned', (d: number) => d, {}, 'supported'],
    ['k1, and nothing declares which is meant', (d: number) => -d, {}, 'inconclusive'],
    ['k1, as declared', (d: number) => -d, { declared: 'k1' }, 'contradicted'],
    ['k2, declared as k3', (d: number) => (d * d) / 2, { declared: 'k3' }, 'supported'],
    ['abs, as declared', Math.abs, { declared: 'abs' }, 'contradicted'],
    ['abs, and nothing declares which is meant', Math.abs, {}, 'inconclusive'],
    ['abs, declared as k3', Math.abs, { declared: 'k3' }, 'supported'],
    ['k3, declared as abs', k3, { declared: 'abs' }, 'supported'],
    ['abs with its sign turned', (d: number) => -Math.abs(d), {}, 'supported'],
    ['half of it where the policy is surer alone', (d: number) => Math.max(0, -d), { declared: 'k1' }, 'inconclusive'],
    ['something that is negative and no k1', (d: number) => d * d * d - 0.1, {}, 'supported'],
    ['something that is negative, declared as k1', (d: number) => d * d * d - 0.1, { declared: 'k1' }, 'inconclusive'],
  ] as const)('%s', (_, formula, more, verdict) => {
    expect(verdictOf('H03', klDump(klOf(formula, more))).verdict).toBe(verdict)
  })

  it.each([
    ['nothing declares which is meant', {}, 'inconclusive'],
    ['k1 is declared', { declared: 'k1' }, 'contradicted'],
  ] as const)('takes differences that are all alike for k1 and for no k3 with its sign turned, where %s', (_, more, verdict) => {
    const alike = Array.from({ length: 10 }, (_, k) => (k === 3 ? 8e-5 : 0))
    expect(verdictOf('H03', klDump(klOf((d) => -d, more, 0, alike))).verdict).toBe(verdict)
  })

  it('is supported by a mean above 10, and inconclusive without a stored KL', () => {
    expect(verdictOf('H03', klDump(klOf(null, {}, 3))).verdict).toBe('supported')
    expect(verdictOf('H03', klDump(klOf(null)), { without: ['kl'] })).toMatchObject({
      verdict: 'inconclusive',
      missing: ['kl'],
    })
  })

  it('measures k3 by the logprobs, whatever is stored; a stored KL of no known formula speaks for it or not at all', () => {
    const lines = (formula: (d: number) => number) => verdictOf('H03', klDump(klOf(formula)))
    const own = 'mean KL over trained tokens that the model wrote (k3 of their logprobs), in nats'
    const stored = 'mean of the stored KL, which follows no known formula'
    const lineOf = ({ because }: ReturnType<typeof lines>, name: string) =>
      because.find((line) => line.measure === name)
    const k3Mean = [-5, -4, -3, -2, -1, 0, 1, 2, 3, 4].reduce((sum, k) => sum + k3(k / 10) / 10, 0)
    // Without its linear part: nearly −d where d is small.
    const bare = lines((d) => Math.exp(d) - 1)
    expect(bare.verdict).toBe('supported')
    expect(lineOf(bare, own)?.value).toBeCloseTo(k3Mean, 12)
    expect(lineOf(bare, stored)?.value).toBeLessThan(0)
    expect(lineOf(bare, stored)?.speaks).toBeUndefined()
    // L10 fails as well: what goes below 0 is no KL, whatever was meant.
    expect(bare.because.filter(({ speaks }) => speaks === 'for').flatMap(({ checks }) => checks)).toEqual(['L10'])
    const rounded = lines((d) => Math.round(k3(d) * 10) / 10)
    expect(rounded.verdict).toBe('inconclusive')
    expect(lineOf(rounded, own)?.value).toBeCloseTo(k3Mean, 12)
    const exploded = lines((d) => 1e5 + 1e4 * Math.cos(40 * d))
    expect(exploded.verdict).toBe('supported')
    expect(lineOf(exploded, stored)?.speaks).toBe('for')
  })

  it('is not checkable without the reference', () => {
    expect(verdictOf('H03', klDump(klOf(k3)), { without: ['logprobs.reference'] })).toMatchObject({
      verdict: 'not-checkable',
      missing: ['logprobs.reference'],
      recorded_by: [expect.stringMatching(/^logprobs\.reference: slime --save-debug-train-data/)],
    })
  })

  it('names the absolute distance that verl calls abs, and asks which formula is meant', () => {
    const { because, missing } = verdictOf('H03', klDump(klOf(Math.abs)))
    expect(because.find(({ measure }) => /^formula that the stored KL follows/.test(measure))?.value).toBe(
      'abs, the distance of the logprobs without its sign',
    )
    expect(missing).toEqual([expect.stringMatching(/^the formula that is meant/)])
  })

  it('takes it for no k1 turned round where it is declared and every token is less likely than in the reference', () => {
    const less = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
    const of = (more: Partial<KlSums>) => verdictOf('H03', klDump(klOf(Math.abs, more, 0, less))).verdict
    expect(of({ declared: 'abs' })).toBe('contradicted')
    expect(of({ declared: 'k1' })).toBe('supported')
  })

  it('judges reports of versions that knew four formulas as before', () => {
    const four = (kl: KlSums): KlSums => ({
      ...kl,
      formulas: kl.formulas.slice(0, 4),
      stored: kl.stored && {
        ...kl.stored,
        products: kl.stored.products.slice(0, 4),
        formulaSquares: kl.stored.formulaSquares.slice(0, 4),
      },
    })
    expect(verdictOf('H03', klDump(four(klOf(k3)))).verdict).toBe('contradicted')
    expect(verdictOf('H03', klDump(four(klOf((d) => k3(-d))))).verdict).toBe('supported')
  })
})

describe('H06-lora', () => {
  const dump = (gap: (step: number) => number, steps = 12) =>
    dumpOf(rows(60, (i) => ({ step: i % steps, gap: gapOf(gap(i % steps)) })))

  it.each([
    ['grows', (step: number) => 0.01 + 0.02 * step, 'supported'],
    ['is small and level', (step: number) => 0.01 + 0.001 * (step % 3), 'contradicted'],
    ['is large and level', (step: number) => 0.2 + 0.02 * (step % 3), 'inconclusive'],
    ['grows steadily and is still small', (step: number) => 0.002 + 0.001 * step, 'inconclusive'],
    ['rises steadily, by less than the data may drift', (step: number) => 0.008 + 0.0005 * step, 'contradicted'],
  ] as const)('the gap %s', (_, gap, verdict) => {
    expect(verdictOf('H06-lora', dump(gap)).verdict).toBe(verdict)
  })

  it.each([
    ['one engine of eight is stale', (i: number) => (i % 8 === 3 ? 0.09 : 0.009), 'inconclusive'],
    ['one rollout of many is odd', (i: number) => (i === 3 ? 0.09 : 0.009), 'contradicted'],
    [
      'one engine of eight is noisier, within what numerics leave',
      (i: number) => (i % 8 === 3 ? 0.03 : 0.009),
      'contradicted',
    ],
  ] as const)('the mean gap is small and level, and %s', (_, gap, verdict) => {
    const told = verdictOf('H06-lora', dumpOf(rows(240, (i) => ({ step: Math.floor(i / 20), gap: gapOf(gap(i)) }))))
    expect(told.verdict).toBe(verdict)
    const line = told.because.find(({ measure }) => /^share of rollouts whose sampler and trainer/.test(measure))
    expect(line?.speaks).toBe(verdict === 'contradicted' ? 'against' : undefined)
  })

  it('asks for more steps where the gap has only begun to grow, which no mean gap contradicts', () => {
    const told = verdictOf(
      'H06-lora',
      dump((step) => 0.005 + 0.002 * step),
    )
    expect(told.verdict).toBe('inconclusive')
    expect(told.missing).toEqual([
      'more training steps: over 12 steps the gap rose from 0.008 to 0.024, and only from 0.05 on do engines surely differ',
    ])
    expect(told.would_change[1]).toMatch(/^contradicted if below 0\.7 \(now 1.*\): rank correlation of the gap/)
  })

  it('is contradicted where a small gap rises only as the text grows less certain', () => {
    const less = (step: number) => ({ ...gapOf(0.002 + 0.001 * step), trainerSum: -100 * (0.2 + 0.1 * step) })
    const told = verdictOf('H06-lora', dumpOf(rows(60, (i) => ({ step: i % 12, gap: less(i % 12) }))))
    expect(told.verdict).toBe('contradicted')
  })

  it('says of a large gap that does not grow why it counts for nothing', () => {
    const { because } = verdictOf(
      'H06-lora',
      dump((step) => 0.2 + 0.02 * (step % 3)),
    )
    expect(because[0]).toMatchObject({ measure: expect.stringMatching(/it counts only where it grows with the step$/) })
    expect(because[0]?.speaks).toBeUndefined()
  })

  it('rests on the growth of the gap beside its size: neither L01 nor the size is enough', () => {
    const { because } = verdictOf(
      'H06-lora',
      dump((step) => 0.01 + 0.02 * step),
    )
    const speaking = because.filter(({ speaks }) => speaks === 'for').map(({ checks }) => checks.join(' '))
    expect(speaking.sort()).toEqual(['L01 L08', 'L08'])
  })

  it('takes the word of L08', () => {
    const checks = [resultOf('L08', { affected: 12 })]
    const result = verdictOf(
      'H06-lora',
      dump(() => 0.01, 3),
      { checks },
    )
    expect(result).toMatchObject({ verdict: 'supported', because: [{ value: 12, checks: ['L08'] }, {}] })
  })

  describe('where the logprobs of the sampler stand in both places', () => {
    const one = (values: number): GapSums => ({ ...gapOf(0), samplerValues: values })
    const judged = (gap: (i: number) => GapSums) =>
      verdictOf('H06-lora', dumpOf(rows(60, (i) => ({ step: i % 12, gap: gap(i) }))))

    it('is not checkable, also beside rollouts of few values', () => {
      const { verdict, missing } = judged((i) => one(i % 3 === 0 ? 4 : 80))
      expect(verdict).toBe('not-checkable')
      expect(missing).toEqual([
        "logprobs that the trainer computed by itself (in all of 60 rollouts they are the sampler's, bit by bit: L07)",
      ])
    })

    it('is told from rollouts that are all too short to tell', () => {
      expect(judged(() => one(4)).verdict).toBe('contradicted')
    })

    it('rests on the others where only some are like that', () => {
      const grows = judged((i) => (i % 5 < 2 ? one(80) : gapOf(0.01 + 0.02 * (i % 12))))
      expect(grows.verdict).toBe('supported')
      const { verdict, because } = judged((i) => (i % 5 === 0 ? gapOf(0.06) : one(i % 2 === 0 ? 80 : 4)))
      expect(verdict).not.toBe('contradicted')
      expect(because.find(({ measure }) => /^mean gap of sampler/.test(measure))?.value).toBeCloseTo(0.06)
    })
  })

  it('is not checkable without both streams, or without enough steps for a trend', () => {
    expect(
      verdictOf(
        'H06-lora',
        dump(() => 0.01, 6),
      ),
    ).toMatchObject({
      verdict: 'not-checkable',
      missing: ['rollouts of at least 8 training steps, for a trend (this dump has 6)'],
    })
    expect(
      verdictOf(
        'H06-lora',
        dump(() => 0.01),
        { without: ['logprobs.trainer'] },
      ).missing,
    ).toEqual(['logprobs.trainer'])
  })
})
