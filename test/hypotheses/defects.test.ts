import { describe, expect, it } from 'vitest'
import type { CheckResult } from '../../shared/model/report.ts'
import { recogniseDefects } from '../helpers/at-once.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { lookedAtAllTurns, resultOf } from './input.ts'

/** 100 rollouts of three assistant turns. */
const facts = Array.from({ length: 100 }, (_, i) => factsOf(i, { assistantTurns: 3 }))
const lookedAt = (checks: readonly CheckResult[]) => checks.map((check) => lookedAtAllTurns(check, { facts }))
const defects = (...checks: CheckResult[]) => recogniseDefects(lookedAt(checks), dumpOf(facts)).defects
const ids = (...checks: CheckResult[]) => defects(...checks).map(({ id }) => id)

describe('recogniseDefects', () => {
  it.each([
    ['V1', 'M15'],
    ['V4', 'T07'],
    ['V6', 'T01'],
  ])('names %s from a systematic %s, and not from a sporadic one', (id, code) => {
    expect(ids(resultOf(code, { affected: 100 }))).toEqual([id])
    expect(ids(resultOf(code, { affected: 20 }))).toEqual([])
  })

  it('names V2 once, with the turns that lack their header', () => {
    const header = resultOf('T05', { affected: 100, by_turn: { 2: 100, 3: 99 } })
    expect(defects(header)).toMatchObject([
      {
        id: 'V2',
        title: 'Assistant header missing after the first turn',
        checks: ['T05'],
        places: { checked: 200, affected: 199 },
        symptoms: [{ code: 'T05', affected: 100, places: { checked: 100, affected: 100 }, pattern: 'systematic' }],
      },
    ])
  })

  it('does not name V2 where first turns lack it too, or where few later turns do', () => {
    expect(ids(resultOf('T05', { affected: 100, by_turn: { 1: 100, 2: 100, 3: 100 } }))).toEqual([])
    expect(ids(resultOf('T05', { affected: 100, by_turn: { 2: 100, 3: 60 } }))).toEqual([])
  })

  it('takes a gap over whole turns for that of a sampler that stays behind, where it does', () => {
    const gap = resultOf('L02', { affected: 100 })
    expect(defects(resultOf('L08', { affected: 100 }), gap)).toMatchObject([
      { id: 'L08', symptoms: [{ code: 'L08' }, { code: 'L02' }] },
    ])
    expect(ids(gap)).not.toContain('L08')
  })

  it('takes a mismatch for that of another context, where rollouts have both', () => {
    const mismatch = resultOf('L01', { affected: 100 })
    expect(defects(resultOf('L02', { affected: 100 }), mismatch)).toMatchObject([
      { id: 'L02', symptoms: [{ code: 'L02' }, { code: 'L01' }] },
    ])
    expect(ids(resultOf('L02', { affected: 20 }), mismatch)).not.toContain('L02')
  })

  it('names V3 from the edges after assistant turns alone', () => {
    const edges = (after: number, other: number) =>
      resultOf('T04', {
        affected: 100,
        by_boundary: {
          'assistant>tool': { checked: 200, affected: after },
          'tool>assistant': { checked: 200, affected: other },
        },
      })
    expect(defects(edges(200, 0))).toMatchObject([{ id: 'V3', places: { checked: 200, affected: 200 } }])
    expect(ids(edges(200, 200))).toEqual([])
    expect(ids(edges(120, 0))).toEqual([])
  })

  it.each([
    ['all rollouts together show it, few by themselves', 60, ['T04', 'L02']],
    ['nothing shows in any other rollout', 30, ['T04']],
  ])('takes a gap of later turns for that of V3 where %s: %i', (_, denied, explained) => {
    const denies = (row: number) =>
      row < denied ? { laterDenials: { first: [10, 0], later: [20, 3], turn: 2, span: [40, 90] } as const } : {}
    const facts = Array.from({ length: 100 }, (_, i) => factsOf(i, { assistantTurns: 3, ...denies(i) }))
    const newline = resultOf('T04', {
      affected: 100,
      by_boundary: { 'assistant>tool': { checked: 200, affected: 200 } },
    })
    const gap = resultOf('L02', { affected: 30, by_turn: { 1: 0, 2: 30 } })
    const everywhere = new Uint8Array(100).fill(1)
    const rows = new Map([
      ['T04', everywhere],
      ['L02', everywhere.map((_, row) => (row < 30 ? 1 : 0))],
    ])
    const found = recogniseDefects(
      [newline, gap].map((check) => lookedAtAllTurns(check, { facts })),
      dumpOf(facts),
      rows,
    )
    expect(found.defects.find(({ id }) => id === 'V3')?.symptoms.map(({ code }) => code)).toEqual(explained)
  })

  it('names V5 from headers after the first turn together with the newline', () => {
    const header = resultOf('M08', { affected: 100, by_turn: { 2: 100, 3: 100 }, affected_tokens: 800 })
    const newline = resultOf('M11', { affected: 100 })
    expect(defects(header, newline)).toMatchObject([{ id: 'V5', checks: ['M08', 'M11'] }])
    expect(ids(header, resultOf('M11'))).toEqual([])
    expect(ids(newline)).toEqual([])
    expect(ids(resultOf('M08', { affected: 100, by_turn: { 1: 100, 2: 100, 3: 100 } }), newline)).toEqual([])
    expect(ids(resultOf('M08', { status: 'not-applicable' }), newline)).toEqual([])
    // The newline of each header alone.
    expect(ids({ ...header, affected_tokens: 200, places: { checked: 300, affected: 200 } }, newline)).toEqual([])
  })

  it('names V5 by its headers where the template has no newline to train', () => {
    const header = resultOf('M08', { affected: 100, by_turn: { 2: 100, 3: 100 }, affected_tokens: 800 })
    expect(defects(header, resultOf('M11', { status: 'not-applicable' }))).toMatchObject([
      { id: 'V5', checks: ['M08'] },
    ])
  })

  it('names V10 only where a flag denies the cut', () => {
    const cut = (isTruncated: boolean | null) =>
      recogniseDefects(
        [resultOf('C03', { affected: 1 })],
        dumpOf([...facts, factsOf(100, { endReason: 'cut-prose', reward: 0.5, isTruncated })]),
      ).defects
    expect(cut(false)).toMatchObject([{ id: 'V10', places: { checked: 1, affected: 1 } }])
    expect(cut(true)).toEqual([])
    expect(cut(null)).toEqual([])
  })

  it('names V11 and V12 from any row', () => {
    expect(ids(resultOf('C04', { affected: 1 }), resultOf('C12', { affected: 1 }))).toEqual(['V11', 'V12'])
  })

  it('names nothing that the policy intends', () => {
    expect(ids(resultOf('M15', { intended: 100, status: 'pass' }))).toEqual([])
  })
})

/** Rollouts of 100 from `from` up to `to`. */
const rowsIn = (from: number, to: number) => Uint8Array.from(facts, (_, row) => (row >= from && row < to ? 1 : 0))
const diagnosed = (rows: Readonly<Record<string, Uint8Array>>, ...checks: CheckResult[]) =>
  recogniseDefects(lookedAt(checks), dumpOf(facts), new Map(Object.entries(rows)))
const symptomsOf = (id: string, diagnosis: ReturnType<typeof diagnosed>) =>
  diagnosis.defects.find((defect) => defect.id === id)?.symptoms.map(({ code, affected }) => `${code} ${affected}`)

describe('the symptoms of a defect', () => {
  const forged = resultOf('T15', { affected: 3, checked: 3 })
  const open = (affected: number) => resultOf('C08', { affected })

  it('are codes whose rollouts have it', () => {
    const found = diagnosed({ T15: rowsIn(0, 3), C08: rowsIn(1, 3) }, forged, open(2))
    expect(symptomsOf('T15', found)).toEqual(['T15 3', 'C08 2'])
    expect([0, 1, 2, 3].map((row) => found.defectOf('C08', row))).toEqual(['T15', 'T15', 'T15', null])
    expect(found.defectOf('C09', 1)).toBeNull()
  })

  it('are not codes that other rollouts have as well', () => {
    const found = diagnosed({ T15: rowsIn(0, 3), C08: rowsIn(1, 8) }, forged, open(7))
    expect(found.defects).toEqual([])
    expect(found.defectOf('C08', 1)).toBeNull()
  })

  it('are left out where only sums are known, unless both are everywhere', () => {
    expect(defects(forged, open(2))).toEqual([])
    const mask = resultOf('M15', { affected: 100 })
    expect(defects(mask, resultOf('L02', { affected: 99 }))).toMatchObject([
      { id: 'V1', symptoms: [{ code: 'M15' }, { code: 'L02', affected: 99 }] },
    ])
    expect(defects(mask, resultOf('L02', { affected: 60 }))[0]?.symptoms).toHaveLength(1)
  })

  it('are gaps of the logprobs only where most rollouts have one, if all have the defect', () => {
    const mask = resultOf('M15', { affected: 100 })
    const all = rowsIn(0, 100)
    const few = diagnosed({ M15: all, L02: rowsIn(0, 9) }, mask, resultOf('L02', { affected: 9 }))
    expect(symptomsOf('V1', few)).toEqual(['M15 100'])
    const shared = diagnosed(
      { M15: all, L01: rowsIn(0, 40), L02: rowsIn(40, 70) },
      mask,
      resultOf('L01', { affected: 40 }),
      resultOf('L02', { affected: 30 }),
    )
    expect(symptomsOf('V1', shared)).toEqual(['M15 100', 'L01 40', 'L02 30'])
  })

  it('are turns that a growing drift leaves behind its own run, and not those of other rollouts', () => {
    const drift = resultOf('M07', { affected: 98, checked: 98 })
    const told = (from: number) =>
      diagnosed({ M07: rowsIn(0, 98), M03: rowsIn(from, from + 2) }, drift, resultOf('M03', { affected: 2 }))
    expect(symptomsOf('V7', told(40))).toEqual(['M07 98', 'M03 2'])
    expect(symptomsOf('V7', told(98))).toEqual(['M07 98'])
  })

  it('are gaps of later turns only, where the first turn is spared', () => {
    const header = resultOf('T05', { affected: 100, by_turn: { 2: 100, 3: 100 } })
    const all = rowsIn(0, 100)
    const gap = (by_turn: Record<string, number>) =>
      symptomsOf('V2', diagnosed({ T05: all, L02: all }, header, resultOf('L02', { affected: 100, by_turn })))
    expect(gap({ 2: 100 })).toEqual(['T05 100', 'L02 100'])
    expect(gap({ 1: 100, 2: 100 })).toEqual(['T05 100'])
  })

  it('are those of absent tools where no prompt describes any, and not where prompts describe others', () => {
    const all = rowsIn(0, 100)
    const check = resultOf('T07', { affected: 100 })
    const found = (toolsDiffer: boolean) =>
      recogniseDefects(
        [check],
        dumpOf(facts.map((row) => (toolsDiffer ? { ...row, toolsDiffer } : row))),
        new Map([['T07', all]]),
      ).defects.map(({ id }) => id)
    expect(found(false)).toEqual(['V4'])
    expect(found(true)).toEqual([])
  })

  it('of ids that are no words are what compares words, and not what looks at turns', () => {
    const all = rowsIn(0, 100)
    const codes = ['T17', 'T16', 'T09', 'M01', 'M10', 'T04']
    const found = diagnosed(
      Object.fromEntries(codes.map((code) => [code, all])),
      ...codes.map((code) => resultOf(code, { affected: 100 })),
    )
    expect(symptomsOf('T17', found)).toEqual(['T17 100', 'T09 100', 'T16 100'])
    expect(found.defectOf('M01', 0)).toBe(null)
  })

  it('of markers that are gone, or of a header that is there twice, are what reads the turns', () => {
    const all = rowsIn(0, 100)
    const found = (...codes: readonly string[]) =>
      diagnosed(
        Object.fromEntries(codes.map((code) => [code, all])),
        ...codes.map((code) => resultOf(code, { affected: 100 })),
      )
    expect(symptomsOf('T16', found('T16', 'C07', 'A06', 'M01'))).toEqual(['T16 100', 'C07 100', 'A06 100'])
    expect(symptomsOf('T06', found('T06', 'M08', 'M11'))).toEqual(['T06 100', 'M08 100'])
  })

  it('of a mask that runs on to the end are what is counted by it', () => {
    const all = rowsIn(0, 100)
    const found = diagnosed({ M05: all, A08: all }, ...['M05', 'A08'].map((code) => resultOf(code, { affected: 100 })))
    expect(symptomsOf('M05', found)).toEqual(['M05 100', 'A08 100'])
    const alone = diagnosed({ A08: all }, resultOf('M05'), resultOf('A08', { affected: 100 }))
    expect(alone.defectOf('A08', 0)).toBe(null)
  })

  it('belong to one defect each', () => {
    const all = rowsIn(0, 100)
    const { defects: found } = diagnosed(
      { M15: all, T07: all, L02: all },
      ...['M15', 'T07', 'L02'].map((code) => resultOf(code, { affected: 100 })),
    )
    expect(found.map(({ id, symptoms }) => `${id} ${symptoms.map(({ code }) => code).join(' ')}`)).toEqual([
      'V1 M15 L02',
      'V4 T07',
    ])
  })

  it('are those of all rollouts, where code and not data is the cause', () => {
    const shifted = resultOf('M06', { affected: 96 })
    const masked = resultOf('M03', { affected: 3 })
    const found = diagnosed({ M06: rowsIn(0, 96), M03: rowsIn(96, 99) }, shifted, masked)
    expect(symptomsOf('M06', found)).toEqual(['M06 96', 'M03 3'])
    // In rollouts that are known to lie off, a turn is masked beside it.
    const beside = diagnosed({ M06: rowsIn(0, 96), M03: rowsIn(0, 96) }, shifted, resultOf('M03', { affected: 96 }))
    expect(beside.defects).toEqual([])
    expect(
      diagnosed({ M06: rowsIn(0, 9), M03: rowsIn(96, 99) }, resultOf('M06', { affected: 9 }), masked).defects,
    ).toEqual([])
  })
})

describe('header and newline', () => {
  const header = resultOf('T05', { affected: 100, by_turn: { 2: 100, 3: 100 } })
  const newline = resultOf('T04', { affected: 100, by_boundary: { 'assistant>tool': { checked: 200, affected: 200 } } })

  it('are told as one where the same rollouts lack both', () => {
    expect(diagnosed({ T05: rowsIn(0, 100), T04: rowsIn(0, 100) }, header, newline).defects).toMatchObject([
      { id: 'V2', statement: 'Assistant header and newline missing from turn 2 on' },
      { id: 'V3', part_of: 'V2' },
    ])
  })

  it('are two where they do not', () => {
    const { defects: found } = diagnosed({ T05: rowsIn(0, 50), T04: rowsIn(50, 100) }, header, newline)
    expect(found.map(({ statement, part_of }) => [statement, part_of])).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })
})

it('does not take the trained headers of a displaced mask for a rendered prefix', () => {
  const header = resultOf('M08', { affected: 100, by_turn: { 2: 100, 3: 100 }, affected_tokens: 800 })
  const none = resultOf('M11', { status: 'not-applicable' })
  const all = rowsIn(0, 100)
  const named = (...more: CheckResult[]) =>
    diagnosed({ M08: all, T03: all }, header, none, ...more).defects.map(({ id }) => id)
  expect(named()).toEqual(['V5'])
  expect(named(resultOf('T03', { affected: 100 }))).toEqual(['T03'])
})
