import { describe, expect, it } from 'vitest'
import type { Check, CheckTally } from '../../shared/checks/check.ts'
import { patternOf } from '../../shared/checks/reporting/systematic.ts'
import { addTally, createTally, fingerprint, TrajectoryReporter } from '../../shared/checks/reporting/tally.ts'
import { createView } from '../../shared/checks/view.ts'
import { DEFAULT_THRESHOLDS } from '../../shared/model/thresholds/registry.ts'
import { weightUnits } from '../../shared/model/weight.ts'
import { searchRow } from '../fixtures/checks/fixture.ts'
import { trajectoryOf } from '../helpers/conversation.ts'
import { testTokenizer } from '../helpers/tokenizers.ts'
import { settings } from './audit.ts'

const qwen2 = await testTokenizer('qwen2.5')
const row = searchRow(qwen2, 0)
const view = createView(trajectoryOf(row), { tokenizer: qwen2, settings: settings(), unsampledLogprob: null })!
const check: Check = {
  ...{ code: 'M99', name: 'test', title: 'Test', hypotheses: [], severity: 'error', unit: 'trajectory', needs: [] },
  ...{ looksAt: 'turns', why: '', fix: '', cite: '' },
}
const turns = view.segmentation!.turns

describe('the reporter of one trajectory', () => {
  it('has looked at nothing until something is reported', () => {
    expect(new TrajectoryReporter(check, view, settings()).finish()).toEqual({ tally: createTally(), findings: [] })
  })

  it('counts the trajectory once, each turn once and each token once', () => {
    const report = new TrajectoryReporter(check, view, settings())
    const { contentStart, contentEnd } = row.layout[2]!
    report.place(true, { turn: 1, boundary: 'assistant>tool' })
    report.place(false, { turn: 2, boundary: 'assistant>end' })
    report.fault({ turn: turns[2]!, tokens: { start: contentStart, end: contentStart + 4 }, message: 'a' })
    report.fault({ turn: turns[2]!, tokens: { start: contentStart + 2, end: contentEnd }, message: 'b' })
    report.fault({ turn: turns[0]!, tokens: { start: 0, end: 3 }, message: 'c' })
    const { tally, findings } = report.finish()
    expect(tally).toEqual({
      checked: 1,
      affected: 1,
      intended: 0,
      placesChecked: 2,
      placesAffected: 1,
      affectedTokens: contentEnd - contentStart + 3,
      affectedWeight: weightUnits(contentEnd - contentStart),
      byTurn: { 0: 1, 1: 1, 2: 0 },
      byTurnAtEnd: {},
      byTurnChecked: { 0: 1, 1: 1, 2: 1 },
      byTurnCheckedAtEnd: {},
      byBoundary: { 'assistant>tool': { checked: 1, affected: 1 }, 'assistant>end': { checked: 1, affected: 0 } },
    })
    expect(findings.map(({ message }) => message)).toEqual(['c', 'a', 'b'])
    expect(findings[0]).toMatchObject({ code: 'M99', severity: 'error', scope: 'tokens', tokens: [0, 3], turn: 0 })
  })

  it('counts loss weights and not tokens where the dump has weights', () => {
    const weights = new Float32Array(view.ids.length).fill(0.25)
    const report = new TrajectoryReporter(check, { ...view, weights }, settings())
    const { contentStart } = row.layout[2]!
    report.fault({ tokens: { start: contentStart - 2, end: contentStart + 2 }, message: 'a' })
    expect(report.finish().tally).toMatchObject({ affectedTokens: 4, affectedWeight: weightUnits(0.5) })
  })

  it('counts each turn that was looked at once, and apart where it saw the end of the row alone', () => {
    const looked = (tell: (report: TrajectoryReporter) => void) => {
      const report = new TrajectoryReporter(check, view, settings())
      tell(report)
      const { byTurnChecked, byTurnCheckedAtEnd } = report.finish().tally
      return [byTurnChecked, byTurnCheckedAtEnd]
    }
    const [first, last] = [row.layout[2]!.endToken, row.layout[4]!.endToken]
    const ends = (report: TrajectoryReporter) => {
      report.place(true, { turn: 1, token: first })
      report.place(false, { turn: 2, token: last })
    }
    expect(looked(ends)).toEqual([{ 1: 1, 2: 1 }, { 2: 1 }])
    const wholeTurns = (report: TrajectoryReporter) => {
      ends(report)
      report.place(false, { turn: 2 })
    }
    expect(looked(wholeTurns)).toEqual([{ 1: 1, 2: 1 }, { 2: 0 }])
    expect(looked((report) => report.place(false))).toEqual([{ 1: 1, 2: 1 }, {}])
    const atEnd = { turn: turns[4]!, tokens: { start: last, end: last + 1 }, message: 'a' }
    expect(looked((report) => report.fault(atEnd))).toEqual([{ 2: 1 }, { 2: 1 }])
    expect(looked((report) => report.fault({ ...atEnd, tokens: { start: first, end: last } }))).toEqual([{ 2: 1 }, {}])
  })

  it('keeps the turns of one check apart from those of the next', () => {
    const [one, other] = [createTally(), createTally()]
    const report = new TrajectoryReporter(check, view, settings(), one)
    report.place(false, { turn: 1 })
    report.finish()
    report.turnTo(check, other)
    report.place(false, { turn: 1 })
    report.finish()
    expect([one.byTurnChecked, other.byTurnChecked]).toEqual([{ 1: 1 }, { 1: 1 }])
  })

  it('keeps intended faults apart, unless another is not intended', () => {
    const report = new TrajectoryReporter(check, view, settings('rl', { intend: ['M99'] }))
    report.place(true, { boundary: 'x' })
    report.fault({ tokens: { start: 0, end: 3 }, message: 'a' })
    const { tally, findings } = report.finish()
    expect(tally).toMatchObject({ checked: 1, affected: 0, intended: 1, placesAffected: 0, affectedTokens: 0 })
    expect(findings[0]?.intended).toBe(true)
    const mixed = new TrajectoryReporter(check, view, settings())
    mixed.fault({ message: 'a', intended: true })
    mixed.fault({ message: 'b' })
    expect(mixed.finish().tally).toMatchObject({ affected: 1, intended: 0 })
  })

  it('tallies add up', () => {
    const report = new TrajectoryReporter(check, view, settings())
    report.place(true, { turn: 1, boundary: 'a>b' })
    report.fault({ turn: turns[2]!, tokens: { start: 3, end: 5 }, message: 'a' })
    const { tally } = report.finish()
    const sum = createTally()
    addTally(sum, tally)
    addTally(sum, tally)
    expect(sum).toMatchObject({ checked: 2, affected: 2, affectedTokens: 4, byTurn: { 1: 2 } })
    expect(sum.byBoundary).toEqual({ 'a>b': { checked: 2, affected: 2 } })
    expect(tally.byBoundary).toEqual({ 'a>b': { checked: 1, affected: 1 } })
  })
})

describe('a fingerprint', () => {
  it('is the same for the same fault and differs in each of its parts', () => {
    const tokens = { start: 3, end: 9 }
    const prints = [
      fingerprint('00aa', 0, 'M01', 2, tokens),
      fingerprint('00ab', 0, 'M01', 2, tokens),
      fingerprint('00aa', 1, 'M01', 2, tokens),
      fingerprint('00aa', 0, 'M02', 2, tokens),
      fingerprint('00aa', 0, 'M01', 3, tokens),
      fingerprint('00aa', 0, 'M01', 2, { start: 3, end: 10 }),
      fingerprint('00aa', 0, 'M01', null, null),
    ]
    expect(new Set(prints).size).toBe(prints.length)
    expect(fingerprint('00aa', 0, 'M01', 2, tokens)).toBe(prints[0])
  })
})

describe('a pattern', () => {
  const tally = (changes: Partial<CheckTally>): CheckTally => ({ ...createTally(), ...changes })

  const thirdTurns = (changes: Partial<CheckTally>) =>
    tally({
      ...{ checked: 96, affected: 83, placesChecked: 299, placesAffected: 83 },
      byTurn: { 1: 0, 2: 0, 3: 83, 4: 0 },
      byTurnChecked: { 1: 96, 2: 96, 3: 83, 4: 24 },
      ...changes,
    })

  it.each<[string, CheckTally, string | null]>([
    ['nothing affected', tally({ checked: 10 }), null],
    ['all places', tally({ checked: 10, affected: 10, placesChecked: 40, placesAffected: 40 }), 'systematic'],
    ['95 % of places', tally({ checked: 10, affected: 9, placesChecked: 40, placesAffected: 38 }), 'systematic'],
    ['94 % of places', tally({ checked: 10, affected: 9, placesChecked: 100, placesAffected: 94 }), 'sporadic'],
    ['one trajectory', tally({ checked: 1, affected: 1, placesChecked: 4, placesAffected: 4 }), 'sporadic'],
    ['no places, all units', tally({ checked: 3, affected: 3 }), 'systematic'],
    [
      'all edges of one kind',
      tally({
        ...{ checked: 9, affected: 9, placesChecked: 30, placesAffected: 20 },
        byBoundary: { 'user>assistant': { checked: 10, affected: 0 }, 'tool>assistant': { checked: 20, affected: 20 } },
      }),
      'systematic',
    ],
    [
      'a few odd edges',
      tally({
        ...{ checked: 90, affected: 2, placesChecked: 100, placesAffected: 2 },
        byBoundary: { 'user>assistant': { checked: 98, affected: 0 }, 'other>assistant': { checked: 2, affected: 2 } },
      }),
      'sporadic',
    ],
    ['all third turns and no other', thirdTurns({}), 'systematic'],
    ['94 % of third turns', thirdTurns({ byTurn: { 1: 0, 2: 0, 3: 78, 4: 0 }, affected: 78 }), 'sporadic'],
    ['all third turns, and some others', thirdTurns({ byTurn: { 1: 0, 2: 10, 3: 83, 4: 0 } }), 'sporadic'],
    [
      'all third turns, of which there are few',
      thirdTurns({
        ...{ affected: 9, placesAffected: 9 },
        ...{ byTurn: { 3: 9 }, byTurnChecked: { 1: 40, 2: 40, 3: 9 } },
      }),
      'sporadic',
    ],
    [
      'all ninth turns, of which there are few among many',
      thirdTurns({
        byTurn: { 9: 20 },
        byTurnChecked: { 1: 96, 2: 96, 3: 96, 9: 20 },
        affected: 20,
        placesAffected: 20,
      }),
      'sporadic',
    ],
    [
      'half of the prompts, of a check that looks at whole rows',
      tally({
        ...{ checked: 64, affected: 32, placesChecked: 64, placesAffected: 32 },
        ...{ byTurn: { 0: 32 }, byTurnChecked: { 0: 32, 1: 64, 2: 64, 3: 43 } },
      }),
      'sporadic',
    ],
    [
      'all prompts, of a check that looks at every turn',
      tally({
        ...{ checked: 64, affected: 60, placesChecked: 192, placesAffected: 62 },
        ...{ byTurn: { 0: 62, 1: 0, 2: 0 }, byTurnChecked: { 0: 64, 1: 64, 2: 64 } },
      }),
      'systematic',
    ],
    ['all third turns, which rows end with', thirdTurns({ byTurnAtEnd: { 3: 83 } }), 'sporadic'],
    [
      'all turns from the second on, those that rows end with as well',
      thirdTurns({
        ...{
          checked: 128,
          affected: 96,
          placesAffected: 203,
          byTurn: { 2: 96, 3: 83, 4: 24 },
          byTurnAtEnd: { 2: 13, 3: 59, 4: 24 },
        },
        byTurnCheckedAtEnd: { 2: 13, 3: 59, 4: 24 },
      }),
      'systematic',
    ],
    [
      'all turns from the second on amid rows, and half of those that rows end with',
      thirdTurns({
        ...{
          checked: 128,
          affected: 90,
          placesAffected: 154,
          byTurn: { 2: 89, 3: 53, 4: 12 },
          byTurnAtEnd: { 2: 6, 3: 29, 4: 12 },
        },
        byTurnCheckedAtEnd: { 2: 13, 3: 59, 4: 24 },
      }),
      'sporadic',
    ],
    [
      'all third turns, of which few stand amid rows',
      thirdTurns({ byTurnAtEnd: { 3: 74 }, byTurnCheckedAtEnd: { 3: 74 } }),
      'sporadic',
    ],
    [
      'all rows that end with their third turn, of a check that looks at the last one',
      thirdTurns({ placesChecked: 96, byTurnChecked: { 2: 13, 3: 83 }, affected: 83, byTurn: { 2: 0, 3: 83 } }),
      'sporadic',
    ],
  ])('%s', (_, given, pattern) => {
    expect(patternOf(given, DEFAULT_THRESHOLDS)).toBe(pattern)
  })
})
