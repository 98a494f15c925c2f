import { describe, expect, it } from 'vitest'
import { recogniseDefects } from '../../shared/hypotheses/defects.ts'
import type { CheckResult } from '../../shared/model/report.ts'
import { dumpOf, factsOf } from '../helpers/facts.ts'
import { resultOf } from './input.ts'

/** 100 rollouts of three assistant turns. */
const facts = Array.from({ length: 100 }, (_, i) => factsOf(i, { assistantTurns: 3 }))
const defects = (...checks: CheckResult[]) => recogniseDefects(checks, dumpOf(facts))
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
    expect(defects(header)).toEqual([
      {
        id: 'V2',
        title: 'Assistant header missing after the first turn',
        checks: ['T05'],
        places: { checked: 200, affected: 199 },
      },
    ])
  })

  it('does not name V2 where first turns lack it too, or where few later turns do', () => {
    expect(ids(resultOf('T05', { affected: 100, by_turn: { 1: 100, 2: 100, 3: 100 } }))).toEqual([])
    expect(ids(resultOf('T05', { affected: 100, by_turn: { 2: 100, 3: 60 } }))).toEqual([])
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

  it('names V5 from headers after the first turn together with the newline', () => {
    const header = resultOf('M08', { affected: 100, by_turn: { 2: 100, 3: 100 } })
    const newline = resultOf('M11', { affected: 100 })
    expect(defects(header, newline)).toMatchObject([{ id: 'V5', checks: ['M08', 'M11'] }])
    expect(ids(header, resultOf('M11'))).toEqual([])
    expect(ids(newline)).toEqual([])
    expect(ids(resultOf('M08', { affected: 100, by_turn: { 1: 100, 2: 100, 3: 100 } }), newline)).toEqual([])
    expect(ids(resultOf('M08', { status: 'not-applicable' }), newline)).toEqual([])
  })

  it('names V5 by its headers where the template has no newline to train', () => {
    const header = resultOf('M08', { affected: 100, by_turn: { 2: 100, 3: 100 } })
    expect(defects(header, resultOf('M11', { status: 'not-applicable' }))).toMatchObject([
      { id: 'V5', checks: ['M08'] },
    ])
  })

  it('names V10 only where a flag denies the cut', () => {
    const cut = (isTruncated: boolean | null) =>
      recogniseDefects(
        [resultOf('C03', { affected: 1 })],
        dumpOf([...facts, factsOf(100, { endReason: 'cut-prose', reward: 0.5, isTruncated })]),
      )
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
