import { describe, expect, it } from 'vitest'
import { IN_MANY_TURNS_ONLY } from '../../shared/hypotheses/h07.ts'
import { rows, second, verdict } from './beside.ts'
import { resultOf } from './input.ts'

describe('H07', () => {
  const failing = resultOf('M01', { affected: 60, by_turn: { 1: 60, 2: 60 } })

  it('is supported by an error in the run of several turns that the single-turn run does not have', () => {
    const single = second(
      rows(60, () => ({ assistantTurns: 1 })),
      [resultOf('M01')],
    )
    expect(verdict('H07', rows(60), single, [failing])).toMatchObject({
      verdict: 'supported',
      because: expect.arrayContaining([expect.objectContaining({ checks: ['M01'], value: 0.6, speaks: 'for' })]),
    })
  })

  it('is so beside a single-turn run with a row of nothing but padding as well', () => {
    const row = (i: number) =>
      i < 59 ? { assistantTurns: 1 } : { turns: 0, assistantTurns: 0, realLength: 0, trained: 0, masked: 0 }
    const single = second(rows(60, row), [resultOf('M01')])
    expect(verdict('H07', rows(60), single, [failing]).verdict).toBe('supported')
  })

  it('leads with what stands at later turns, and then with what is in most rollouts', () => {
    const found = [
      resultOf('C05', { affected: 17 }),
      resultOf('M15', { affected: 100 }),
      resultOf('M01', { affected: 60, by_turn: { 1: 60, 2: 50 } }),
      resultOf('T05', { affected: 60, by_turn: { 2: 60 } }),
    ]
    const clean = found.map(({ code }) => resultOf(code))
    const single = second(
      rows(60, () => ({ assistantTurns: 1 })),
      clean,
    )
    const many = rows(60, () => ({ assistantTurns: 2 }))
    const { because } = verdict('H07', many, single, found)
    const between = because.filter(({ measure }) => measure.endsWith(IN_MANY_TURNS_ONLY))
    // M15 is of the whole row, and M01 rarer from the second turn on: neither tells of turns, and M15 is in more rollouts.
    expect(between.map(({ checks }) => checks[0])).toEqual(['T05', 'M15', 'M01', 'C05'])
  })

  describe('beside a single-turn run', () => {
    const many = rows(60, () => ({ assistantTurns: 2, model: 'Qwen2.5-7B' }))
    const single = (codes: readonly string[], checked = 100, model = 'Qwen2.5-7B') =>
      second(
        rows(60, () => ({ assistantTurns: 1, model })),
        codes.map((code) => resultOf(code, { checked })),
      )
    const ofTwoRuns = ({ measure }: { readonly measure: string }) => measure.endsWith(IN_MANY_TURNS_ONLY)

    it.each([
      [1, 100_000, 'contradicted'],
      [9, 100, 'contradicted'],
      [10, 100, 'supported'],
      [99, 1, 'contradicted'],
      [100, 2, 'supported'],
    ] as const)('a fault of %i of 100 rollouts that none of %i others has: it is %s', (affected, checked, judged) => {
      const found = [resultOf('M01'), resultOf('C05', { affected })]
      const { verdict: own, because } = verdict('H07', many, single(['M01', 'C05'], checked), found)
      expect(own).toBe(judged)
      expect(because.filter(ofTwoRuns).map(({ speaks }) => speaks)).toEqual(judged === 'supported' ? ['for'] : [])
      if (judged === 'contradicted') expect(because).toEqual(verdict('H07', many, null, found).because)
    })

    it('says from which rate on chance does not explain it', () => {
      const found = [resultOf('C05', { affected: 60 })]
      const { because, would_change } = verdict('H07', many, single(['C05']), found)
      expect(because[0]).toMatchObject({ checks: ['C05'], value: 0.6, comparison: '>=', threshold: 0.1 })
      expect(would_change).toEqual([
        `contradicted if below 10 % (now 60 %): Truncation flag is wrong (C05): ${IN_MANY_TURNS_ONLY}`,
      ])
    })

    it('the faults of its own later turns stay what it rests on, and how surely', () => {
      const found = [
        resultOf('M15', { affected: 100 }),
        resultOf('T05', { affected: 100, by_turn: { 2: 60 } }),
        resultOf('L02', { affected: 100, by_turn: { 1: 60, 2: 60 } }),
      ]
      const alone = verdict('H07', many, null, found)
      const both = verdict('H07', many, single(['T05', 'M15', 'L02'], 100, 'Qwen2.5-3B'), found)
      expect(both).toMatchObject({ verdict: 'supported', confidence: 'high', missing: [] })
      expect(both.because.filter((line) => !ofTwoRuns(line))).toEqual(alone.because)
      expect(both.because[0]).toEqual(alone.because[0])
      expect(both.because.filter(ofTwoRuns).map(({ checks }) => checks[0])).toEqual(['T05', 'M15', 'L02'])
    })

    it('what two runs alone show is as sure as they are, and its own turns still say their part', () => {
      const found = [resultOf('L02', { affected: 100, by_turn: { 1: 60, 2: 60 } })]
      const both = verdict('H07', many, single(['L02'], 100, 'Qwen2.5-3B'), found)
      expect(both).toMatchObject({ verdict: 'supported', confidence: 'medium' })
      expect(both.because.map(({ speaks }) => speaks).slice(0, 2)).toEqual(['for', 'against'])
      expect(both.missing).toEqual([expect.stringMatching(/^a second run of the same model/)])
    })
  })

  it('is so by what only rollouts of several turns can have, of which the single-turn run has nothing to look at', () => {
    const turns = () => ({ assistantTurns: 1 })
    const beside = (code: string, status: 'not-applicable' | 'not-checkable') =>
      verdict('H07', rows(60), second(rows(60, turns), [resultOf(code, { status, checked: 0 })]), [
        resultOf(code, { affected: 60, by_turn: { 1: 60, 2: 60 } }),
      ]).verdict
    for (const code of ['M03', 'M05', 'T10']) expect(beside(code, 'not-applicable')).toBe('supported')
    expect(beside('M05', 'not-checkable')).toBe('contradicted')
    // Rows of one turn have padding as well, where the run pads any.
    expect(beside('M12', 'not-applicable')).toBe('contradicted')
  })

  it('is not, where the single-turn run has it too or could not look', () => {
    const turns = () => ({ assistantTurns: 1 })
    for (const other of [failing, resultOf('M01', { status: 'not-checkable' })]) {
      expect(verdict('H07', rows(60), second(rows(60, turns), [other]), [failing]).verdict).toBe('contradicted')
    }
  })
})
