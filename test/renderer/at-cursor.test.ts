import { beforeEach, expect, test } from 'vitest'
import { rolloutAtCursor, selectedInSight } from '../../renderer/commands/at-cursor.ts'
import { list } from '../../renderer/data/list.ts'
import { selectRollout } from '../../renderer/state/selection.ts'
import { show } from '../../renderer/state/view.ts'

beforeEach(() => list.set(Int32Array.of(4, 7, 2)))

test('a key in the table is about the selected rollout where it is listed, else about the first of the list', () => {
  show('rollouts')
  selectRollout(7)
  expect([selectedInSight(), rolloutAtCursor()]).toEqual([7, 7])
  selectRollout(5)
  expect([selectedInSight(), rolloutAtCursor()]).toEqual([null, 4])
  selectRollout(null)
  expect([selectedInSight(), rolloutAtCursor()]).toEqual([null, 4])
  list.set(new Int32Array(0))
  selectRollout(7)
  expect([selectedInSight(), rolloutAtCursor()]).toEqual([null, undefined])
})

test('inside a rollout it is about that one, listed or not', () => {
  show('rollout')
  selectRollout(5)
  expect([selectedInSight(), rolloutAtCursor()]).toEqual([5, 5])
})
