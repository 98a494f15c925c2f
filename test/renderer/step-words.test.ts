import { describe, expect, it } from 'vitest'
import { savedSteps } from '../../renderer/views/charts/saved-steps.ts'
import { allPoints, isAnyIn, stepsQuery, stepsWords, valueAt } from '../../renderer/views/charts/step-words.ts'

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

  it('are of a run that has any of their steps', () => {
    const has = (steps: readonly number[]) => allPoints([merged]).map((point) => isAnyIn(steps, point))
    expect(has([3])).toEqual([true, false, false])
    expect(has([5, 6, 7])).toEqual([false, true, true])
    expect(has([0, 8])).toEqual([false, false, false])
    expect(has([])).toEqual([false, false, false])
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
