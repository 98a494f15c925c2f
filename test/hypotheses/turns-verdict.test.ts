import { describe, expect, it } from 'vitest'
import type { TrajectoryFacts } from '../../shared/checks/facts/facts.ts'
import { measureText } from '../../shared/exports/phrases.ts'
import type { CheckResult } from '../../shared/model/report.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { resultOf, verdictOf } from './input.ts'

const rows = (count: number, more: (i: number) => Partial<TrajectoryFacts> = () => ({})) =>
  Array.from({ length: count }, (_, i) => factsOf(i, more(i)))

describe('H07', () => {
  const dump = dumpOf(rows(100, () => ({ assistantTurns: 3 })))

  it.each([
    [{ 2: 100, 3: 100 }, 'supported'],
    [{ 1: 10, 2: 50, 3: 50 }, 'supported'],
    [{ 1: 10, 2: 49, 3: 50 }, 'contradicted'],
    [{ 1: 30, 2: 30, 3: 30 }, 'contradicted'],
    [{ 1: 30 }, 'contradicted'],
    [{ 3: 1 }, 'inconclusive'],
  ] as const)('with an error at turns %o it is %s', (by_turn, verdict) => {
    expect(verdictOf('H07', dump, { checks: [resultOf('M01', { affected: 60, by_turn })] }).verdict).toBe(verdict)
  })

  it.each([
    ['two later turns of 200, where first turns are spared by chance', { 2: 2 }, 'inconclusive'],
    ['so many that a first turn would have had it', { 2: 18 }, 'supported'],
    ['as many beside a first turn', { 1: 1, 2: 18 }, 'inconclusive'],
    ['enough of them beside it', { 1: 1, 2: 15, 3: 15 }, 'supported'],
  ] as const)('of %s it is told by chance', (_, by_turn, verdict) => {
    const result = verdictOf('H07', dump, { checks: [resultOf('M01', { affected: 15, by_turn })] })
    expect(result.verdict).toBe(verdict)
    expect(result.would_change.some((way) => way.includes('than chance gives it'))).toBe(verdict === 'inconclusive')
  })

  it('counts turns behind the examples that every prompt begins with', () => {
    const told = (assistantTurns: number, by_turn: Record<number, number>, exampleTurns = 1) =>
      verdictOf('H07', dumpOf(rows(100, () => ({ assistantTurns, exampleTurns }))), {
        checks: [
          resultOf('M01', {
            affected: 60,
            by_turn,
            by_turn_checked: { 2: 100, ...(assistantTurns > 2 ? { 3: 100 } : {}) },
          }),
        ],
      })
    expect(told(2, {})).toMatchObject({ verdict: 'not-checkable', missing: ['a second assistant turn'] })
    expect(told(3, { 2: 60, 3: 60 }).verdict).toBe('contradicted')
    expect(told(3, { 3: 60 }).verdict).toBe('supported')
    // Rows by call have what was said before in their prompts, each another part of it.
    const byCall = dumpOf(rows(100, (at) => ({ assistantTurns: 1 + (at % 3), exampleTurns: at % 3 })))
    expect(verdictOf('H07', byCall, { checks: [resultOf('M01', { affected: 30, by_turn: { 2: 30 } })] }).verdict).toBe(
      'supported',
    )
  })

  it('is as sure of a fault of one kind of rollouts as of one that is here and there', () => {
    const found = { affected: 15, by_turn: { 2: 18 }, pattern: 'systematic' } as const
    const confidence = (more: Partial<CheckResult>) =>
      verdictOf('H07', dump, { checks: [resultOf('M01', { ...found, ...more })] }).confidence
    expect(confidence({})).toBe('high')
    expect(confidence({ systematic_in: { rollouts: { parallel_calls: true } } })).toBe('medium')
    expect(confidence({ pattern: 'sporadic' })).toBe('medium')
  })

  it('leaves nothing to chance where all later turns of a few rollouts have it', () => {
    const few = dumpOf(rows(3, () => ({ assistantTurns: 2 })))
    const checks = [resultOf('M01', { affected: 3, by_turn: { 2: 3 } })]
    expect(verdictOf('H07', few, { checks }).verdict).toBe('supported')
  })

  it('shows first the fault that later turns have oftenest, then what speaks against it', () => {
    const checks = [
      resultOf('M01', { affected: 20, by_turn: { 2: 20 } }),
      resultOf('M02', { affected: 90, by_turn: { 1: 90, 2: 90, 3: 90 } }),
      resultOf('T05', { affected: 100, by_turn: { 2: 100, 3: 100 } }),
    ]
    const { because } = verdictOf('H07', dump, { checks })
    expect(because.slice(0, 3).map(({ checks, speaks }) => [...checks, speaks])).toEqual([
      ['T05', 'for'],
      ['M01', 'for'],
      ['M02', 'against'],
    ])
  })

  it.each([
    ['ends with its second turn', 2, 0, 'inconclusive'],
    ['ends with its first or second turn, and has the fault as often there', 1, 50, 'contradicted'],
    ['ends with its first or second turn, and has the fault in the second alone', 1, 0, 'inconclusive'],
  ] as const)('a fault of the last token, where each row %s, supports nothing', (_, least, first, verdict) => {
    const ending = dumpOf(rows(100, (i) => ({ assistantTurns: i < 50 ? least : 2 })))
    const by_turn = { 1: first, 2: 50 }
    const checks = [resultOf('L05', { affected: 50, by_turn, by_turn_at_end: by_turn })]
    const result = verdictOf('H07', ending, { checks })
    expect(result.verdict).toBe(verdict)
    expect(result.because.some(({ measure }) => /L05.*at the end of rows/.test(measure))).toBe(true)
    expect(result.missing.length > 0).toBe(verdict === 'inconclusive')
    // What leaves it open leads, not the turns that have no such fault.
    expect(/L05.*at the end of rows/.test(result.because[0]?.measure ?? '')).toBe(verdict === 'inconclusive')
  })

  it('a fault of every turn is one at the end of rows, too, and makes no difference between turns', () => {
    const checks = [resultOf('M10', { affected: 100, by_turn: { 1: 100, 2: 100, 3: 100 }, by_turn_at_end: { 3: 100 } })]
    expect(verdictOf('H07', dump, { checks })).toMatchObject({ verdict: 'contradicted', missing: [] })
  })

  it('a fault at the end of some rows does not hide that later turns have it elsewhere', () => {
    const checks = [resultOf('M01', { affected: 100, by_turn: { 2: 100, 3: 100 }, by_turn_at_end: { 3: 60 } })]
    expect(verdictOf('H07', dump, { checks }).verdict).toBe('supported')
  })

  describe('divides by the turns that the check looked at', () => {
    const told = (code: string, counts: Partial<CheckResult>) => {
      const { verdict, because } = verdictOf('H07', dump, { checks: [resultOf(code, { affected: 100, ...counts })] })
      return { verdict, told: because.map((line) => measureText(line)).filter((line) => line.includes(code)) }
    }
    const ends = { by_turn_at_end: { 2: 13, 3: 59, 4: 24 }, by_turn_checked_at_end: { 2: 13, 3: 59, 4: 24 } }
    const everyTurn = { 1: 96, 2: 96, 3: 83, 4: 24 }

    it('of end tokens, none of which is trained, all that are not at the end of a row', () => {
      expect(told('M10', { by_turn: everyTurn, by_turn_checked: everyTurn, ...ends })).toEqual({
        verdict: 'contradicted',
        told: [
          'against: End-of-turn token is not trained (M10): as frequent from assistant turn 2 on as in turn 1: 1× (threshold < 5×)',
          'End-of-turn token is not trained (M10): rate in assistant turn 1: 100 %',
          'End-of-turn token is not trained (M10): rate from assistant turn 2 on: 100 %',
          'End-of-turn token is not trained (M10): rate at the end of rows that have a second assistant turn: 100 %',
        ],
      })
    })

    it('of a fault that no later turn has, in rates and not as so many times as frequent', () => {
      const looked = { 1: 96, 2: 96 }
      expect(told('M01', { by_turn: { 1: 12, 2: 0 }, by_turn_checked: looked })).toEqual({
        verdict: 'contradicted',
        told: [
          'against: Tool output or prompt is trained (M01): rate from assistant turn 2 on, and some in turn 1: 0 % (threshold < 62.5 %)',
          'Tool output or prompt is trained (M01): rate in assistant turn 1: 12.5 %',
        ],
      })
    })

    it('of end tokens that are trained in turn 1, and at the end of some rows', () => {
      const later = { by_turn: { 1: 0, 2: 96, 3: 83, 4: 0 }, by_turn_checked: everyTurn }
      expect(told('M10', { ...later, ...ends, by_turn_at_end: { 2: 13, 3: 59, 4: 0 } }).told.slice(0, 1)).toEqual([
        'for: End-of-turn token is not trained (M10): rate from assistant turn 2 on, and none in turn 1: 100 % (above 0 % is enough)',
      ])
    })

    it('of a gap that few rollouts can show, those that could', () => {
      const scored = { 1: 73, 2: 73, 3: 61 }
      expect(told('L02', { by_turn: scored, by_turn_checked: scored }).told.slice(1)).toEqual([
        "Trainer logprobs lie below the sampler's, as behind another context (L02): rate in assistant turn 1: 100 %",
        "Trainer logprobs lie below the sampler's, as behind another context (L02): rate from assistant turn 2 on: 100 %",
      ])
    })
  })

  const onlyLater = { affected: 100, by_turn: { 2: 100, 3: 100 } }

  it('is supported by errors alone, and not contradicted beside a warning that comes with the second turn', () => {
    const checks = [
      resultOf('M01'),
      resultOf('M08', onlyLater),
      resultOf('M11', { affected: 100, by_turn: { 1: 100, 2: 100, 3: 100 } }),
    ]
    const { verdict, because, would_change } = verdictOf('H07', dump, { checks })
    expect(verdict).toBe('inconclusive')
    expect(because[0]).toMatchObject({
      measure: 'Turn header is trained (M08, a warning): rate from assistant turn 2 on',
      value: 1,
    })
    expect(because.find(({ measure }) => measure === 'faults of error severity in assistant turns')).toMatchObject({
      value: 0,
      speaks: 'against',
    })
    expect(because.filter(({ checks }) => checks.includes('M11') && checks.length === 1)).toEqual([])
    expect(would_change).toContain(
      'contradicted if later assistant turns have it as rarely as first ones: Turn header is trained (M08, a warning)',
    )
  })

  it('is contradicted beside a note, which is no fault by itself', () => {
    expect(verdictOf('H07', dump, { checks: [resultOf('M01'), resultOf('S06', onlyLater)] }).verdict).toBe(
      'contradicted',
    )
  })

  it('compares a fault that the first turn has as well in one unit, times, and states both rates', () => {
    const checks = [resultOf('M01', { affected: 60, by_turn: { 1: 20, 2: 60, 3: 60 } })]
    const { because, would_change } = verdictOf('H07', dump, { checks })
    const told = because.map((line) => measureText(line)).filter((line) => line.includes('(M01)'))
    expect(told).toEqual([
      'against: Tool output or prompt is trained (M01): as frequent from assistant turn 2 on as in turn 1: 3× (threshold < 5×)',
      'Tool output or prompt is trained (M01): rate in assistant turn 1: 20 %',
      'Tool output or prompt is trained (M01): rate from assistant turn 2 on: 60 %',
    ])
    expect(would_change).toContain(
      'supported if 5× or more (now 3×): Tool output or prompt is trained (M01): as frequent from assistant turn 2 on as in turn 1',
    )
  })

  it.each([
    ['all turns alike', { 1: 100, 2: 100, 3: 100 }],
    ['first turns alone', { 1: 100 }],
  ])('says what would support it where a fault is too frequent in turn 1 for any later rate: in %s', (_, by_turn) => {
    const checks = [resultOf('M01', { affected: 100, by_turn })]
    const { verdict, would_change } = verdictOf('H07', dump, { checks })
    expect(verdict).toBe('contradicted')
    expect(would_change).toEqual([
      'supported if at most 20 % of first assistant turns have it, and later ones at least 5 times as often: Tool output or prompt is trained (M01)',
    ])
  })

  it('asks for a later rate alone where turn 1 leaves room for one', () => {
    const { would_change } = verdictOf('H07', dump, {
      checks: [resultOf('M01', { affected: 60, by_turn: { 1: 20, 2: 60, 3: 60 } })],
    })
    expect(would_change.some((way) => way.includes('of first assistant turns'))).toBe(false)
  })

  it('is not checkable without a second turn, a mask, or a check that could look', () => {
    expect(verdictOf('H07', dumpOf(rows(20, () => ({ assistantTurns: 1 }))))).toMatchObject({
      verdict: 'not-checkable',
      missing: ['a second assistant turn'],
    })
    const single = (last: Partial<TrajectoryFacts>) =>
      dumpOf(rows(20, (i) => (i < 19 ? { assistantTurns: 1 } : { turns: 0, assistantTurns: 0, ...last })))
    expect(verdictOf('H07', single({ realLength: 0 })).missing).toEqual(['a second assistant turn'])
    expect(verdictOf('H07', single({})).missing).toEqual([
      'turns in the ids of 1 rollout, where the tokenizer finds none',
    ])
    expect(verdictOf('H07', single({}), { without: ['tokenizer'] }).missing).toEqual(['tokenizer'])
    expect(verdictOf('H07', dump, { without: ['mask'] }).missing).toEqual(['mask'])
    expect(verdictOf('H07', dump, { checks: [resultOf('M01', { status: 'not-checkable' })] }).verdict).toBe(
      'not-checkable',
    )
  })
})
