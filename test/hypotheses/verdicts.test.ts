import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { recomputeAdvantages } from '../../shared/checks/groups/advantages.ts'
import { HYPOTHESES, judge } from '../../shared/hypotheses/registry.ts'
import { dumpOf, factsOf, groupFacts } from '../helpers/facts.ts'
import { inputWith, resultOf, verdictOf } from './input.ts'

const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

/** `tiny` groups with a gap of 0.01 among `count` groups of 4, the others with contrast; range 0.5, noise floor 0.025. */
function mixedRewards(count: number, tiny: number): number[][] {
  return Array.from({ length: count }, (_, i) => (i < tiny ? [0.6, 0.61, 0.6, 0.6] : [0.4, 0.9, 0.7, 0.5]))
}

const scaledBy = (scheme: 'group-std-unbiased' | 'centre', rewards: readonly (readonly number[])[]) =>
  groupFacts(rewards, (_, group, member) => ({
    advantage: recomputeAdvantages(scheme, rewards[group] as number[], 1e-4)[member] as number,
  }))

const SPEAKS = { supported: 'for', contradicted: 'against', inconclusive: undefined } as const

describe('H01', () => {
  it.each([
    ['supported', 20, 4],
    ['inconclusive', 20, 3],
    ['inconclusive', 20, 1],
    ['contradicted', 21, 1],
    ['contradicted', 20, 0],
  ] as const)('%s: advantages fit a scaled scheme, %i groups of which %s are tiny', (verdict, count, tiny) => {
    const result = verdictOf('H01', dumpOf(scaledBy('group-std-unbiased', mixedRewards(count, tiny))))
    expect(result.verdict).toBe(verdict)
    expect(result.because[0]?.measure).toMatch(/amplified 10 times/)
    expect(result.because[0]?.speaks).toBe(SPEAKS[verdict])
  })

  it('is supported where the scaling is given and nothing is stored', () => {
    const dump = dumpOf(groupFacts(mixedRewards(20, 10)), { options: { scaleRewards: 'group' } })
    expect(verdictOf('H01', dump)).toMatchObject({ verdict: 'supported', confidence: 'high', missing: [] })
  })

  it('is neither where no group has any spread: nothing is blown up, and nothing shows that it would not be', () => {
    const flat = dumpOf(groupFacts(Array.from({ length: 20 }, (_, i) => Array(4).fill(i % 2))))
    expect(verdictOf('H01', flat).verdict).toBe('inconclusive')
  })

  it('is contradicted by an unscaled scheme, however small the spreads', () => {
    const fitted = verdictOf('H01', dumpOf(scaledBy('centre', mixedRewards(20, 10))))
    expect(fitted.verdict).toBe('contradicted')
    expect(fitted.because[0]).toMatchObject({
      measure: 'advantage scheme',
      value: 'centre (fits 100 % of 20 groups, residual 0 % of the largest advantage)',
    })
    // Rewards range from 0.4 to 0.9.
    const bound = fitted.because.find(({ measure }) => /^bound of/.test(measure))
    expect(bound).toMatchObject({ measure: 'bound of |advantage| under this scheme, in groups of 4', value: 0.375 })
    const given = dumpOf(groupFacts(mixedRewards(20, 10)), { options: { scaleRewards: 'none' } })
    expect(verdictOf('H01', given).verdict).toBe('contradicted')
  })

  it('is inconclusive where small spreads may or may not be scaled, and says what is missing', () => {
    const dump = dumpOf(groupFacts(mixedRewards(20, 10)))
    expect(verdictOf('H01', dump, { without: ['advantages'] })).toMatchObject({
      verdict: 'inconclusive',
      missing: ['advantages'],
    })
  })

  it('is contradicted without a known scaling where no spread is small', () => {
    expect(verdictOf('H01', dumpOf(groupFacts(mixedRewards(20, 0)))).verdict).toBe('contradicted')
  })

  it('does not take groups without any spread for amplified ones', () => {
    const rewards = Array.from({ length: 20 }, (_, i) => (i % 2 ? [1, 1, 1, 1] : [0, 1, 0, 1]))
    expect(verdictOf('H01', dumpOf(scaledBy('group-std-unbiased', rewards))).verdict).toBe('contradicted')
  })

  it('is supported by any A03', () => {
    const dump = dumpOf(scaledBy('group-std-unbiased', mixedRewards(20, 0)))
    const result = verdictOf('H01', dump, { checks: [resultOf('A03', { affected: 1 })] })
    expect(result).toMatchObject({ verdict: 'supported', confidence: 'medium' })
    expect(result.because[0]).toMatchObject({ value: 1, comparison: '>', threshold: 0, checks: ['A03'] })
  })

  it('is not checkable without rewards, groups, or a complete group', () => {
    const dump = dumpOf(groupFacts(mixedRewards(3, 0)))
    expect(verdictOf('H01', dump, { without: ['rewards', 'group'] })).toMatchObject({
      verdict: 'not-checkable',
      missing: ['rewards', 'group'],
    })
    const partial = dumpOf(groupFacts(mixedRewards(3, 0)), { options: { groupSize: 8 } })
    expect(verdictOf('H01', partial)).toMatchObject({ verdict: 'not-checkable', confidence: 'low' })
  })
})

describe('H02', () => {
  const dump = dumpOf(rows(100))

  it.each(['M01', 'M15', 'T05', 'T07'])('is supported by a systematic %s', (code) => {
    const result = verdictOf('H02', dump, { checks: [resultOf('M02'), resultOf(code, { affected: 100 })] })
    expect(result).toMatchObject({ verdict: 'supported', confidence: 'high' })
    expect(result.because[0]).toMatchObject({ value: 100, comparison: '>', threshold: 0, checks: [code] })
  })

  it('is supported by a header that every turn but the first lacks', () => {
    const checks = [resultOf('T05', { affected: 90, pattern: 'sporadic', by_turn: { 2: 98 } })]
    expect(verdictOf('H02', dump, { checks }).verdict).toBe('supported')
  })

  it.each([
    [10, 'supported'],
    [9.9, 'inconclusive'],
    [1, 'inconclusive'],
    [0.9, 'contradicted'],
  ] as const)('with %f ‰ of the loss weight on foreign tokens it is %s', (unsampledWeight, verdict) => {
    expect(verdictOf('H02', dump, { unsampledWeight }).verdict).toBe(verdict)
  })

  it('is inconclusive with a sporadic error, whatever the weight', () => {
    const checks = [resultOf('M01', { affected: 3 })]
    const result = verdictOf('H02', dump, { checks })
    expect(result).toMatchObject({ verdict: 'inconclusive', confidence: 'medium' })
    expect(result.because[0]?.measure).toBe(
      'places with a sporadic fault, of 100 looked at, which alone does not support this: Tool output or prompt is trained (M01)',
    )
    expect(result.would_change).toContain(
      'supported if nearly all places have the fault (now 3 of 100): Tool output or prompt is trained (M01)',
    )
  })

  it.each([
    [5, 'inconclusive'],
    [4, 'contradicted'],
  ] as const)('with %i of 100 end tokens masked that nobody is known to have written it is %s', (affected, verdict) => {
    const checks = [resultOf('M02'), resultOf('M10', { affected, severity: 'warning' })]
    const result = verdictOf('H02', dump, { checks })
    expect(result.verdict).toBe(verdict)
    const lines = result.because.filter(({ checks: rest }) => rest.includes('M10'))
    expect(lines).toEqual([expect.objectContaining({ value: affected / 100, threshold: 0.05, checks: ['M10'] })])
    expect(result.missing).toEqual(verdict === 'contradicted' ? [] : ['logprobs or flags of the end tokens'])
  })

  const unfitIn = (count: number, more: Partial<TrajectoryFacts> = {}) =>
    dumpOf(rows(100).map((row, index) => (index < count ? { ...row, ...more, unfit: true } : row)))

  it('is not contradicted where arrays of rows do not fit, be their advantages no numbers besides', () => {
    const checks = [resultOf('M02'), resultOf('S03', { affected: 100 })]
    const brokenAdvantage = { value: 'NaN', token: null, tokens: 0 }
    expect(verdictOf('H02', unfitIn(100, { brokenAdvantage }), { checks }).verdict).toBe('inconclusive')
    expect(verdictOf('H02', unfitIn(5, { noNumbers: ['advantages'] }), { checks }).verdict).toBe('inconclusive')
    const merely = dumpOf(rows(100).map((row) => ({ ...row, brokenAdvantage })))
    expect(verdictOf('H02', merely, { checks }).verdict).toBe('contradicted')
  })

  it('is not contradicted where arrays of some rows do not fit together, and says so; a stray row decides nothing', () => {
    const of = (affected: number) =>
      verdictOf('H02', unfitIn(affected), { checks: [resultOf('M02'), resultOf('S03', { affected })] })
    const unfit = (value: number) => expect.objectContaining({ checks: ['S03'], value, threshold: 0.05 })
    expect(of(5).verdict).toBe('inconclusive')
    expect(of(5).because).toContainEqual(unfit(0.05))
    expect(of(1).verdict).toBe('contradicted')
    expect(of(1).because).toContainEqual(unfit(0.01))
    expect(of(0).verdict).toBe('contradicted')
    const wrong = [resultOf('M01', { affected: 100 }), resultOf('S03', { affected: 1 })]
    expect(verdictOf('H02', dump, { checks: wrong }).verdict).toBe('supported')
  })

  it('is not contradicted by a tokenizer that the ids are not of; a stray row decides nothing', () => {
    const of = (affected: number, lackOfTurns: string | null = 'no turn starts in these ids') =>
      verdictOf('H02', dump, { checks: [resultOf('M02'), resultOf('T17', { affected })], lackOfTurns })
    expect(of(100).verdict).toBe('inconclusive')
    expect(of(100, null).verdict).toBe('contradicted')
    // Where turns were found in some, as many of those that it names count as have none.
    const partly = (turnless: number) => {
      const facts = rows(100).map((row, at) => (at < turnless ? row : { ...row, edges: 1 }))
      return verdictOf('H02', dumpOf(facts), { checks: [resultOf('M02'), resultOf('T17', { affected: 33 })] }).verdict
    }
    expect([0, 1, 33].map(partly)).toEqual(['contradicted', 'contradicted', 'inconclusive'])
    expect(of(5).verdict).toBe('inconclusive')
    expect(of(1).verdict).toBe('contradicted')
    expect(of(0).verdict).toBe('contradicted')
  })

  it('is not contradicted where no check had turns to look at, whatever the dump says of sampled tokens', () => {
    const blind = { checks: [resultOf('M12')], untrainedShare: 0 }
    expect(
      verdictOf('H02', dump, { ...blind, lackOfTurns: 'turns in the ids: none', without: ['tokenizer'] }),
    ).toMatchObject({
      verdict: 'inconclusive',
      missing: ['turns in the ids: none'],
    })
    expect(verdictOf('H02', dump, { ...blind, without: ['tokenizer'] }).missing).toEqual(['tokenizer'])
    // Prompts of a stored length are all that M01 looks at without turns.
    expect(verdictOf('H02', dump, { ...blind, checks: [resultOf('M01')] }).verdict).toBe('inconclusive')
    const none = verdictOf('H02', dump, { ...blind, checks: [] })
    expect(none.because.filter(({ measure }) => measure.includes('fail at error level'))).toEqual([])
    expect(none.missing).toEqual(['turns in the ids'])
    expect(verdictOf('H02', dump, { ...blind, checks: [resultOf('M02')] }).verdict).toBe('contradicted')
    expect(verdictOf('H02', dump, { ...blind, unsampledWeight: 10 })).toMatchObject({
      verdict: 'supported',
      missing: [],
    })
  })

  it('lists lesser faults as present without deciding by them', () => {
    const checks = [resultOf('M02'), resultOf('M11', { affected: 100 }), resultOf('T04', { affected: 100 })]
    const result = verdictOf('H02', dump, { checks })
    expect(result.verdict).toBe('contradicted')
    expect(
      result.because.filter(({ measure }) => measure.startsWith('present:')).map(({ checks: [code] }) => code),
    ).toEqual(['M11', 'T04'])
  })

  it('is inconclusive beside a gap throughout, where no attention mask shows what the trainer attended to', () => {
    const blind = (affected: number, attention: Parameters<typeof resultOf>[1], turn = 1) => ({
      checks: [
        resultOf('M02'),
        resultOf('L02', { affected, by_turn: { [turn]: affected } }),
        resultOf('M15', attention),
      ],
    })
    const unlooked = { status: 'not-checkable' } as const
    const result = verdictOf('H02', dump, blind(100, unlooked))
    expect(result.verdict).toBe('inconclusive')
    expect(result.because).toContainEqual(expect.objectContaining({ checks: ['L02'], value: 1, comparison: '>=' }))
    expect(verdictOf('H02', dump, blind(100, {})).verdict).toBe('contradicted')
    expect(verdictOf('H02', dump, blind(60, unlooked)).verdict).toBe('contradicted')
    // The prompt was there: what differs came with the first reply.
    expect(verdictOf('H02', dump, blind(100, unlooked, 2)).verdict).toBe('contradicted')
  })

  it('does not count a fault that was lowered, or one that the policy intends', () => {
    const lowered = resultOf('M04', { affected: 100, severity: 'info' })
    const intended = resultOf('M03', { intended: 100, status: 'pass' })
    expect(verdictOf('H02', dump, { checks: [lowered, intended] }).verdict).toBe('contradicted')
  })

  it('is inconclusive while the alignment is undecided, but for what the ids themselves lack', () => {
    const undecided = dumpOf(rows(100), { alignmentUndecided: true })
    expect(verdictOf('H02', dump, { unsampledWeight: 0, untrainedShare: 0.4 }).verdict).toBe('inconclusive')
    expect(verdictOf('H02', dump, { unsampledWeight: 0, untrainedShare: 0.004 }).verdict).toBe('contradicted')
    const masks = verdictOf('H02', undecided, { checks: [resultOf('M10', { affected: 100 })], unsampledWeight: 50 })
    expect(masks.verdict).toBe('inconclusive')
    expect(masks.missing[0]).toMatch(/alignment/)
    expect(verdictOf('H02', undecided, {}).verdict).toBe('inconclusive')
    expect(verdictOf('H02', undecided, { checks: [resultOf('T07', { affected: 100 })] }).verdict).toBe('supported')
  })

  it('is not contradicted by masks that train nothing, whoever meant them to', () => {
    const nothing = { totalWeight: 0, unsampledWeight: 0 }
    const meant = resultOf('M04', { affected: 100, severity: 'info' })
    expect(verdictOf('H02', dump, { ...nothing, checks: [resultOf('M02'), meant] })).toMatchObject({
      verdict: 'inconclusive',
      missing: ['a token that is trained'],
    })
    const fault = resultOf('M04', { affected: 100 })
    expect(verdictOf('H02', dump, { ...nothing, checks: [fault] })).toMatchObject({ verdict: 'supported', missing: [] })
  })

  it('is not checkable without ids, mask or an oracle', () => {
    expect(verdictOf('H02', dump, { without: ['mask'] })).toMatchObject({ verdict: 'not-checkable', missing: ['mask'] })
    const blind = { checks: [resultOf('M01', { status: 'not-checkable' })], unsampledWeight: null }
    expect(verdictOf('H02', dump, { ...blind, without: ['tokenizer'] })).toMatchObject({
      verdict: 'not-checkable',
      missing: ['tokenizer'],
    })
  })
})

describe('a verdict without the checks that would decide it', () => {
  const only = (checks: readonly string[]) => dumpOf(rows(60), { options: { checks } })

  it('on masks is not checkable, or inconclusive where some were run', () => {
    const other = verdictOf('H02', only(['T01']), { checks: [resultOf('T01')] })
    expect(other).toMatchObject({ verdict: 'not-checkable', missing: [expect.stringMatching(/left out: M01, M02/)] })
    const some = verdictOf('H02', only(['M01', 'T05']), { checks: [resultOf('M01'), resultOf('T05')] })
    expect(some).toMatchObject({ verdict: 'inconclusive', missing: [expect.stringMatching(/left out: M02/)] })
    // What was found is found, whatever else was not looked for.
    const found = verdictOf('H02', only(['M01']), { checks: [resultOf('M01', { affected: 100 })] })
    expect(found.verdict).toBe('supported')
    expect(verdictOf('H02', only(['T01']), { checks: [], unsampledWeight: 300 }).verdict).toBe('supported')
  })

  it('by turn, or on explosions and stale weights, is no more than inconclusive', () => {
    expect(verdictOf('H07', only(['T17']), { checks: [resultOf('T17')] }).verdict).toBe('inconclusive')
    const scaled = dumpOf(scaledBy('group-std-unbiased', mixedRewards(20, 0)), { options: { checks: ['A02'] } })
    expect(verdictOf('H01', scaled, { checks: [resultOf('A02')] })).toMatchObject({
      verdict: 'inconclusive',
      missing: ['the checks that were left out: A03'],
    })
  })
})

describe('judge', () => {
  it('gives every verdict in order, or those asked for', () => {
    const dump = dumpOf(rows(3))
    expect(judge(inputWith(dump)).map(({ id }) => id)).toEqual([
      'H01',
      'H02',
      'H03',
      'H04',
      'H05',
      'H06-library',
      'H06-lora',
      'H07',
      'H08',
    ])
    const some = dumpOf(rows(3), { options: { hypotheses: ['H04'] } })
    expect(judge(inputWith(some)).map(({ id }) => id)).toEqual(['H04'])
    expect(HYPOTHESES.every(({ title, claim }) => title !== '' && claim !== '')).toBe(true)
  })

  it.each([
    [9, 'low'],
    [49, 'medium'],
    [50, 'high'],
  ] as const)('is of %i rollouts %s confidence', (count, confidence) => {
    expect(verdictOf('H02', dumpOf(rows(count))).confidence).toBe(confidence)
  })

  it('states only comparisons that hold', () => {
    const dump = dumpOf(scaledBy('group-std-unbiased', mixedRewards(20, 4)), { limits: { max_seq_len: 205 } })
    const checks = [resultOf('M01', { affected: 3, by_turn: { 1: 1, 2: 2 } }), resultOf('A03', { affected: 1 })]
    for (const { because } of judge(inputWith(dump, { checks, unsampledWeight: 5 }))) {
      for (const { value, comparison, threshold } of because) {
        if (threshold === null) continue
        const [a, b] = [value as number, threshold as number]
        const holds = { '>': a > b, '>=': a >= b, '<': a < b, '<=': a <= b, '=': a === b }[comparison]
        expect([value, comparison, threshold, holds]).toEqual([value, comparison, threshold, true])
      }
    }
  })
})
