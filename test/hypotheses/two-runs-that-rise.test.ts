import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { checksToRun } from '../../shared/hypotheses/checks-to-run.ts'
import { STREAMS } from '../../shared/model/streams.ts'
import { rows, second, verdict } from './beside.ts'

describe('H06-library', () => {
  const run = (assistantTurns: number, reward: (step: number) => number, steps = 24) =>
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

  it.each([
    ['contradicted', 'one of them rises', rising, flat],
    ['contradicted', 'one of them rises and the other tells too little', rising, null],
    ['supported', 'neither rises', flat, flat],
    ['inconclusive', 'one does not rise and the other tells too little', flat, null],
  ] as const)('of two single-turn runs it is %s where %s, whichever is open', (expected, _, one, other) => {
    const [first, last] = [run(1, one), other === null ? run(1, flat, 4) : run(1, other)]
    const open = verdict('H06-library', first, second(last))
    const swapped = verdict('H06-library', last, second(first))
    expect([open.verdict, swapped.verdict]).toEqual([expected, expected])
    expect([open.because[0]?.measure, swapped.because[0]?.measure]).toEqual([
      'mean reward of the open run, first to last third of 24 steps',
      `mean reward of the ${one === other ? 'open' : 'second'} run, first to last third of 24 steps`,
    ])
    expect(swapped.missing).toEqual(
      expected === 'inconclusive' ? ['at least 8 training steps in the open run, which has 4'] : [],
    )
    if (expected !== 'contradicted')
      expect(open.would_change).toContain('contradicted if the mean reward of either run rises by more than chance')
  })

  describe('of a run that has nowhere to rise to', () => {
    const near = (step: number) => 0.96 + (step % 2) * 0.005
    const full = (step: number) => near(step) + 0.1

    it.each([
      ['the single-turn run is near 1 throughout', near, flat, 'the single-turn run begins at 0.978, and 1'],
      ['it is near the greatest reward, above 1', full, flat, 'the single-turn run begins at 1.077, and 1.095'],
      ['the other run is', flat, near, 'the other run begins at 0.978, and 1'],
    ] as const)('is inconclusive where %s', (_, single, multi, told) => {
      const { verdict: judged, missing, because } = verdict('H06-library', run(3, multi), second(run(1, single)))
      expect(judged).toBe('inconclusive')
      expect(missing).toEqual([`a task that leaves room to rise: the mean reward of ${told} is the greatest reward`])
      const lines = because.filter(({ value }) => /^has no room to rise, from/.test(String(value)))
      expect(lines.map(({ speaks }) => speaks)).toEqual([undefined])
    })

    it.each([
      ['it begins near 1 and falls', (step: number) => 0.97 - step * 0.02],
      ['it is level below that', (step: number) => 0.8 + (step % 2) * 0.01],
      ['every rollout has nothing', () => 0],
      ['a few rollouts show what there is beyond', (step: number) => (step === 3 ? 1.4 : 0.96)],
    ])('is supported where %s', (_, single) => {
      expect(verdict('H06-library', run(3, flat), second(run(1, single))).verdict).toBe('supported')
    })
  })

  describe('of a run that has nothing to learn from', () => {
    /** Groups of four, of which `some` have one rollout that is rewarded. */
    const grouped = (assistantTurns: number, some: number) =>
      rows(96, (i) => ({
        assistantTurns,
        step: i >> 2,
        group: `g${i >> 2}`,
        reward: i % 4 === 0 && i >> 2 < some ? 1 : 0,
      }))

    it.each([
      ['no group has contrast', 0],
      ['one group of 24 has', 1],
    ])('is inconclusive where %s in the single-turn run', (_, some) => {
      const { verdict: judged, missing, because } = verdict('H06-library', run(3, flat), second(grouped(1, some)))
      expect(judged).toBe('inconclusive')
      expect(missing).toEqual([
        `a task that leaves something to learn from: in ${some} of 24 groups of the single-turn run the rewards differ, and where they do not no trainer learns`,
      ])
      const lines = because.filter(({ value }) => /^is level, without contrast, from/.test(String(value)))
      expect(lines.map(({ speaks }) => speaks)).toEqual([undefined])
    })

    it('tells it by the steps where no groups are known', () => {
      const alike = run(1, flat).map((row) => ({ ...row, reward: 0 }))
      expect(verdict('H06-library', run(3, flat), second(alike)).missing[0]).toMatch(/in 0 of 24 steps of/)
    })

    it('is supported where some groups have contrast and nothing comes of it, also beside a run that has none', () => {
      const seldom = rows(192, (i) => ({
        ...{ assistantTurns: 1, step: i >> 3, group: `g${i >> 2}` },
        reward: i % 8 === 0 ? 1 : 0,
      }))
      const result = verdict('H06-library', grouped(3, 0), second(seldom))
      expect(result).toMatchObject({ verdict: 'supported', missing: [] })
      const [rare, none] = [seldom, grouped(1, 0)]
      expect(verdict('H06-library', none, second(rare)).verdict).toBe('supported')
      expect(verdict('H06-library', rare, second(none)).verdict).toBe('supported')
    })
  })

  describe('of a run that rises and is level from then on', () => {
    const noise = [0.03, -0.05, 0.01, -0.02, 0.04, -0.01, 0.02, -0.04, 0.05, 0, -0.03, 0.02]
    const learnt = (from: number) => (step: number) => Math.min(0.9, from + 0.15 * step) + noise[step % 12]!

    it('is contradicted, though the order of its level steps is that of the noise', () => {
      const { verdict: judged, because } = verdict('H06-library', run(3, flat), second(run(1, learnt(0.4))))
      expect(judged).toBe('contradicted')
      const value = (measure: RegExp) => because.find((line) => measure.test(line.measure))?.value
      expect(value(/^rank correlation of reward and step in the single-turn run/)).toBeLessThan(0.3)
      expect(value(/^the same of its first \d steps and all that follow, before it is level/)).toBeGreaterThan(0.8)
    })

    it('is not where a single step lay lower: that is no gain beyond chance', () => {
      const odd = (step: number) => 0.7 + noise[step % 12]! - (step === 0 ? 0.3 : 0)
      expect(verdict('H06-library', run(3, flat), second(run(1, odd))).verdict).not.toBe('contradicted')
    })
  })

  it('rests on rewards alone, and no check is said to speak for it', () => {
    expect(checksToRun({ hypotheses: ['H06-library'] })).toEqual([])
  })

  it('calls nothing level that chance may have kept from rising', () => {
    /** Means of rewards between 0 and 1 of eight rollouts a step; a rise of 0.3 over as many steps would be hard to see. */
    const noise = [0.06, -0.09, 0.02, -0.04, 0.11, -0.02, 0.05, -0.1, 0.08, 0, -0.07, 0.04]
    const noisy = (times: number, tilt: number) => (step: number) => 0.68 + tilt * step + times * noise[step % 12]!
    const of = (steps: number, times: number, tilt = 0.004) =>
      verdict('H06-library', run(3, noisy(times, tilt), steps), second(run(1, noisy(times, tilt), steps)))
    const short = of(8, 1)
    expect(short.verdict).toBe('inconclusive')
    expect(short.missing[0]).toBe(
      'at least 20 training steps in the single-turn run, which has 8, before it is known not to rise',
    )
    expect(short.because[0]?.value).toMatch(
      /^may rise or be level, from 0\.\d+ to 0\.\d+; [+−]0\.\d+ ± 0\.\d+ by the line/,
    )
    expect(short.because.some(({ speaks }) => speaks !== undefined)).toBe(false)
    const loud = of(24, 3)
    expect(loud.verdict).toBe('inconclusive')
    expect(loud.missing[0]).toMatch(/scatter too much to rule out that it gains 0\.1$/)
    expect(of(96, 0.5, 0).verdict).toBe('supported')
    expect(of(24, 0.5, 0.02).verdict).toBe('contradicted')
  })

  it('says of rewards that collapse that they fall', () => {
    const falling = (step: number) => 0.95 - step * 0.028
    const both = verdict('H06-library', run(3, falling), second(run(1, falling)))
    expect(both.verdict).toBe('supported')
    expect(both.because[0]?.value).toMatch(/^falls, from 0\.\d+ to 0\.\d+; −0\.644 ± 0\.000 by the line/)
    const one = verdict('H06-library', run(3, falling), second(run(1, flat)))
    expect(one.because.map(({ value }) => String(value).split(',')[0])).toEqual(
      expect.arrayContaining(['is level', 'falls']),
    )
    const short = verdict('H06-library', run(3, falling, 8), second(run(1, falling, 8)))
    expect(short.because[0]?.value).toMatch(/^falls, /)
    expect(short.would_change[0]).toBe(
      'supported if the mean reward of the single-turn run does not rise, and that of the other run neither',
    )
  })

  it('asks for an order of the steps, and for no less scatter, where rewards gain and do not rise step by step', () => {
    /** A gain as of a line through twelve steps down and twelve up again, far above. */
    const broken = (step: number) => (step < 12 ? 0.4 - step * 0.01 : 0.8 - step * 0.01)
    const { verdict: judged, missing } = verdict('H06-library', run(3, flat), second(run(1, broken)))
    expect(judged).toBe('inconclusive')
    expect(missing[0]).toMatch(
      /more steps .*in the single-turn run: its rewards gain .* over all, and do not rise in order/,
    )
  })

  it('does not take a jump of the noise for a rise', () => {
    const late = (step: number) => 0.6 + (step === 7 ? 0.1 : 0) + (step % 2) * 0.05
    expect(verdict('H06-library', run(3, late, 8), second(run(1, late, 8))).verdict).toBe('inconclusive')
  })

  it('is not checkable without a second run, a single-turn run, or its steps', () => {
    expect(verdict('H06-library', run(1, rising), null).verdict).toBe('not-checkable')
    expect(verdict('H06-library', run(3, flat), second(run(2, flat))).missing).toEqual([
      'a single-turn run: both have rollouts of several assistant turns',
    ])
    const lack = (single: readonly TrajectoryFacts[]) => verdict('H06-library', run(3, flat), second(single))
    expect(lack(run(1, rising, 4))).toMatchObject({
      verdict: 'not-checkable',
      missing: ['at least 8 training steps in the single-turn run, which has 4'],
    })
    // Rewards that are there are not asked for again.
    const stepless = lack(run(1, rising).map((row) => ({ ...row, step: null })))
    expect(stepless.missing).toEqual([
      expect.stringMatching(/^step of the rollouts of the single-turn run, which have/),
    ])
    const rewardless = lack(run(1, rising).map((row) => ({ ...row, reward: null })))
    expect(rewardless.missing).toEqual(['rewards of the single-turn run, over at least 8 training steps'])
  })

  it('takes no run for the single-turn one of which the turns are not known', () => {
    const texts = { turns: 0, assistantTurns: 0, toolTurns: 0, idsHash: null }
    const open = (more: Partial<TrajectoryFacts>, from = 0) =>
      run(1, rising).map((row, i) => (i >= from ? { ...row, ...more } : row))
    const text = verdict('H06-library', run(3, flat), second(open(texts)))
    expect(text).toMatchObject({
      verdict: 'not-checkable',
      missing: [expect.stringMatching(/^ids of the second run, whose texts may hold several turns each/)],
    })
    // One rollout is enough to doubt the rest, whichever run it stands in.
    expect(verdict('H06-library', open(texts, 95), second(run(3, flat))).missing).toEqual([
      expect.stringMatching(/^ids of the open run/),
    ])
    expect(verdict('H06-library', run(3, flat), second(open({ turns: 0, assistantTurns: 0 }))).missing).toEqual([
      expect.stringMatching(/^tokenizer of the second run/),
    ])
    expect(verdict('H06-library', run(3, flat), second(open(texts, 96))).verdict).toBe('contradicted')
    // Nor does a log beside it tell which is which.
    expect(verdict('H06-library', open(texts), second([])).missing).toEqual([
      expect.stringMatching(/^ids of the open run/),
    ])
  })

  it('a row of nothing but padding takes no turns away', () => {
    const last = (more: Partial<TrajectoryFacts>) =>
      run(1, rising).map((row, i) => (i === 95 ? { ...row, turns: 0, assistantTurns: 0, ...more } : row))
    const padded = last({ realLength: 0, reward: null })
    expect(verdict('H06-library', run(3, flat), second(padded)).verdict).toBe('contradicted')
    expect(verdict('H06-library', padded, second(run(3, flat))).verdict).toBe('contradicted')
    const known = { ...second(last({})), streams: new Set(STREAMS) }
    expect(verdict('H06-library', run(3, flat), known).missing).toEqual([
      'turns in the ids of 1 rollout of the second run, where its tokenizer finds none: nothing else tells whether it is the single-turn run',
    ])
    const empty = second(run(1, rising).map((row) => ({ ...row, turns: 0, assistantTurns: 0, realLength: 0 })))
    expect(verdict('H06-library', run(3, flat), empty).missing).toEqual([
      'assistant turns in the second run, which has none',
    ])
  })

  it('is inconclusive where nothing tells whether the other run rises', () => {
    const result = verdict('H06-library', run(3, flat, 4), second(run(1, flat)))
    expect(result).toMatchObject({
      verdict: 'inconclusive',
      missing: ['at least 8 training steps in the other run, which has 4'],
    })
    expect(verdict('H06-library', run(3, flat, 4), second(run(1, rising))).verdict).toBe('contradicted')
  })
})
