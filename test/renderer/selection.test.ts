import { expect, test } from 'vitest'
import {
  jumpAgain,
  jumpTo,
  jumpToFinding,
  moveRangeEnd,
  selectToken,
  useSelection,
} from '../../renderer/state/selection.ts'

/** The selected token and what is marked after each of these steps through ten tokens. */
function marked(...steps: readonly (1 | -1)[]) {
  return steps.map((step) => {
    moveRangeEnd(step, 10)
    const { token, range } = useSelection.getState()
    return [token, range]
  })
}

test('one end of what is marked moves, also past the other and no further than the rollout', () => {
  selectToken(1)
  expect(marked(1, -1, -1, -1, 1)).toEqual([
    [2, [1, 3]],
    [1, [1, 2]],
    [0, [0, 2]],
    [0, [0, 2]],
    [1, [1, 2]],
  ])
  jumpTo(9)
  expect(marked(1, -1)).toEqual([
    [9, [9, 10]],
    [8, [8, 10]],
  ])
})

test('the range of a finding is gone on with at its end, and is that of the finding no more', () => {
  jumpToFinding({ tokens: [3, 6], fingerprint: 'x' })
  expect(marked(1, -1, -1)).toEqual([
    [6, [3, 7]],
    [5, [3, 6]],
    [4, [3, 5]],
  ])
  expect(useSelection.getState().finding).toBeNull()
})

test('the range of a note, a link or a search hit is gone on with at its end too', () => {
  jumpTo(3, [3, 6])
  expect(marked(1, -1, -1)).toEqual([
    [6, [3, 7]],
    [5, [3, 6]],
    [4, [3, 5]],
  ])
  jumpTo(3, [3, 6])
  expect(marked(-1)).toEqual([[4, [3, 5]]])
  jumpTo(5, [5, 999_999_999])
  expect(marked(-1)).toEqual([[8, [5, 9]]])
})

test('what was marked backwards is gone on with there, also where the rollout is shown again', () => {
  selectToken(5)
  marked(-1, -1)
  jumpAgain(10)
  expect(marked(-1, 1)).toEqual([
    [2, [2, 6]],
    [3, [3, 6]],
  ])
  selectToken(7)
  expect(marked(1)).toEqual([[8, [7, 9]]])
})
