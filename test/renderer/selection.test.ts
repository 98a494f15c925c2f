import { expect, test } from 'vitest'
import {
  jumpAgain,
  jumpTo,
  jumpToFinding,
  moveRangeEnd,
  selectToken,
  selectUpTo,
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

test('a range reaches to the token that is asked for, from where marking began, and marking by key goes on from there', () => {
  const reached = (token: number) => {
    selectUpTo(token)
    const { token: free, range } = useSelection.getState()
    return [free, range]
  }
  selectToken(4)
  const { jump } = useSelection.getState()
  expect([6, 2, 4].map(reached)).toEqual([
    [6, [4, 7]],
    [2, [2, 5]],
    [4, [4, 5]],
  ])
  // It was clicked where it stands: nothing scrolls.
  expect(useSelection.getState().jump).toBe(jump)
  reached(6)
  expect(marked(1)).toEqual([[7, [4, 8]]])
  jumpToFinding({ tokens: [5, 8], fingerprint: 'x' })
  expect(reached(2)).toEqual([2, [2, 6]])
  expect(useSelection.getState().finding).toBeNull()
  selectToken(null)
  expect(reached(3)).toEqual([3, null])
})
