import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts.ts'
import type { PairingFacts } from '../../shared/checks/pairing.ts'
import type { SecondRun } from '../../shared/hypotheses/hypothesis.ts'
import { HYPOTHESES } from '../../shared/hypotheses/registry.ts'
import type { CheckResult, HypothesisId } from '../../shared/model/report.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { inputWith, resultOf } from './input.ts'

const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

const second = (facts: readonly TrajectoryFacts[], checks: readonly CheckResult[] = []): SecondRun => ({
  dump: dumpOf(facts),
  checks,
  streams: new Set(),
  tokenizer: 'qwen2.5',
})

function verdict(
  id: HypothesisId,
  facts: readonly TrajectoryFacts[],
  against: SecondRun | null,
  checks?: CheckResult[],
) {
  const input = { ...inputWith(dumpOf(facts), checks ? { checks } : {}), tokenizer: 'qwen2.5', against }
  return HYPOTHESES.find((each) => each.id === id)!.judge(input)
}

describe('H08', () => {
  const pair = (i: number, more: Partial<PairingFacts> = {}): PairingFacts => ({
    question: `q${i}`,
    system: 's',
    tools: 't',
    answer: `a${i}`,
    ...more,
  })
  const run = (more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
    rows(60, (i) => ({ pairing: pair(i), promptHash: `p${i}`, reward: 1, ...more(i) }))

  it('is contradicted by two runs that agree', () => {
    expect(verdict('H08', run(), second(run()))).toMatchObject({
      verdict: 'contradicted',
      confidence: 'high',
      missing: [],
    })
  })

  it.each([
    ['tools differ in one of twenty pairs', (i: number) => ({ pairing: pair(i, i % 20 ? {} : { tools: 'other' }) })],
    ['system texts differ', (i: number) => ({ systemHash: null, pairing: pair(i, { system: 'none' }) })],
    ['system turns differ in the ids', () => ({ systemHash: 'other' })],
    ['prompts are rendered otherwise', (i: number) => ({ promptHash: `other${i}` })],
    [
      'a third of the rollouts is cut',
      (i: number) => ({ endReason: i % 3 ? ('stop' as const) : ('cut-prose' as const) }),
    ],
    ['the same answers are scored otherwise', () => ({ reward: 0.8 })],
  ])('is supported where %s', (_, more) => {
    const first = run(() => ({ systemHash: 'one' }))
    const other = run((i) => ({ systemHash: 'one', ...more(i) }))
    expect(verdict('H08', first, second(other)).verdict).toBe('supported')
  })

  it('forgives one pair of sixty, other wording, and ends that differ by chance', () => {
    const other = run((i) => ({
      pairing: pair(i, i === 0 ? { tools: 'other' } : { answer: `another${i}` }),
      reward: 0,
      endReason: i === 7 ? 'cut-prose' : 'stop',
    }))
    expect(verdict('H08', run(), second(other)).verdict).toBe('contradicted')
  })

  it('needs a second run with questions of the first', () => {
    expect(verdict('H08', run(), null).missing).toEqual(['a second run of the same questions (--against)'])
    const strangers = second(run((i) => ({ pairing: pair(i + 1000) })))
    expect(verdict('H08', run(), strangers).verdict).toBe('not-checkable')
  })
})

describe('H06-library', () => {
  const run = (assistantTurns: number, reward: (step: number) => number, steps = 12) =>
    rows(steps * 4, (i) => ({ assistantTurns, step: i >> 2, reward: reward(i >> 2) + (i % 4) * 0.01 }))
  const rising = (step: number) => 0.2 + step * 0.04
  const flat = (step: number) => 0.5 + (step % 2) * 0.02

  it.each([
    ['contradicted', 'the single-turn run rises', rising, flat],
    ['supported', 'neither rises', flat, flat],
    ['inconclusive', 'only the run of several turns rises', flat, rising],
  ] as const)('is %s where %s', (expected, _, single, multi) => {
    expect(verdict('H06-library', run(3, multi), second(run(1, single))).verdict).toBe(expected)
    expect(verdict('H06-library', run(1, single), second(run(3, multi))).verdict).toBe(expected)
  })

  it('is not checkable without a second run, a single-turn run, or its steps', () => {
    expect(verdict('H06-library', run(1, rising), null).verdict).toBe('not-checkable')
    expect(verdict('H06-library', run(3, flat), second(run(2, flat))).missing).toEqual([
      'a single-turn run: both have rollouts of several assistant turns',
    ])
    expect(verdict('H06-library', run(3, flat), second(run(1, rising, 4))).verdict).toBe('not-checkable')
  })

  it('is inconclusive where nothing tells whether the other run rises', () => {
    const result = verdict('H06-library', run(3, flat, 4), second(run(1, flat)))
    expect(result).toMatchObject({ verdict: 'inconclusive', missing: [expect.stringMatching(/in the other run$/)] })
    expect(verdict('H06-library', run(3, flat, 4), second(run(1, rising))).verdict).toBe('contradicted')
  })
})

describe('H07', () => {
  const failing = resultOf('M01', { affected: 60, by_turn: { 1: 60, 2: 60 } })

  it('is supported by an error in the run of several turns that the single-turn run does not have', () => {
    const single = second(
      rows(60, () => ({ assistantTurns: 1 })),
      [resultOf('M01')],
    )
    expect(verdict('H07', rows(60), single, [failing])).toMatchObject({
      verdict: 'supported',
      because: [{ checks: ['M01'], value: 0.6 }],
    })
  })

  it('is not, where the single-turn run has it too or could not look', () => {
    const turns = () => ({ assistantTurns: 1 })
    for (const other of [failing, resultOf('M01', { status: 'not-checkable' })]) {
      expect(verdict('H07', rows(60), second(rows(60, turns), [other]), [failing]).verdict).toBe('contradicted')
    }
  })
})
