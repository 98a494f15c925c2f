import { describe, expect, it } from 'vitest'
import { savedSteps } from '../../renderer/views/charts/saved-steps.ts'
import {
  allPoints,
  exactWords,
  isAnyIn,
  middlesOf,
  nearestPoint,
  stepsQuery,
  stepsWords,
  valueAt,
  valueWords,
} from '../../renderer/views/charts/step-words.ts'

const merged = { name: null, steps: [1, 4, 7], to: [3, 6, 7], values: [0.1, 0.2, 0.3] }
const single = { name: null, steps: [1, 2, 4], values: [5, 6, null] }

describe('points of several steps', () => {
  it('are named, asked for and saved by their first and their last step', () => {
    expect(allPoints([merged]).map(stepsWords)).toEqual(['steps 1 to 3', 'steps 4 to 6', 'step 7'])
    expect(allPoints([merged]).map(stepsQuery)).toEqual(['step:1..3', 'step:4..6', 'step:7'])
    expect(savedSteps([{ title: 'mean reward', line: merged }])).toEqual({
      columns: ['first step', 'last step', 'mean reward'],
      rows: [
        [1, 3, 0.1],
        [4, 6, 0.2],
        [7, 7, 0.3],
      ],
    })
  })

  it('do not share a row with a step alone that begins as they do', () => {
    const columns = [
      { title: 'mean reward', line: merged },
      { title: 'reward, as logged', line: single },
    ]
    expect(savedSteps(columns).rows).toEqual([
      [1, 1, null, 5],
      [1, 3, 0.1, null],
      [2, 2, null, 6],
      [4, 4, null, null],
      [4, 6, 0.2, null],
      [7, 7, 0.3, null],
    ])
    expect(valueAt(merged, { from: 1, to: 1 })).toBeNull()
  })

  it('are drawn, and pointed at, in the middle of their steps', () => {
    expect(middlesOf(merged)).toEqual([2, 5, 7])
    expect(middlesOf(single)).toEqual([1, 2, 4])
    expect([1, 3, 4, 6, 7].map((step) => nearestPoint(allPoints([merged]), step))).toEqual([0, 0, 1, 1, 2])
    expect(nearestPoint([], 1)).toBeNull()
  })

  it('are of a run that has any of their steps', () => {
    const has = (steps: readonly number[]) => allPoints([merged]).map((point) => isAnyIn(steps, point))
    expect(has([3])).toEqual([true, false, false])
    expect(has([5, 6, 7])).toEqual([false, true, true])
    expect(has([0, 8])).toEqual([false, false, false])
    expect(has([])).toEqual([false, false, false])
  })
})

describe('a number that is rounded', () => {
  it.each([
    [0.123456, 'number', '0.1235', 'exactly 0.123456'],
    [0.1235, 'number', '0.1235', undefined],
    [-0.5, 'nats', '−0.5 nats', undefined],
    [1234567, 'tokens', '1.23e+6 tokens', 'exactly 1234567'],
    [123456, 'tokens', '123,456 tokens', undefined],
    [12345.678, 'tokens', '12,350 tokens', 'exactly 12345.678'],
    [1200, 'tokens', '1,200 tokens', undefined],
    [1234.56, 'number', '1,235', 'exactly 1234.56'],
    [0.31344, 'share', '31.3 %', 'exactly 0.31344'],
    [0.313, 'share', '31.3 %', undefined],
    [0.0004, 'share', '< 0.1 %', 'exactly 0.0004'],
    [null, 'number', '–', undefined],
    [-1 / 3, 'number', '−0.3333', 'exactly −0.3333333333333333'],
  ] as const)('%d in %s is shown as %s, and %s beside it', (value, unit, shown, exact) => {
    expect(valueWords(value, unit)).toBe(shown)
    expect(exactWords(value, unit)).toBe(exact)
  })
})

describe('points of one step each', () => {
  it('have one column of steps', () => {
    expect(savedSteps([{ title: 'loss', line: single }])).toEqual({
      columns: ['step', 'loss'],
      rows: [
        [1, 5],
        [2, 6],
        [4, null],
      ],
    })
  })
})
