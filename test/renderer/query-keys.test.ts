import { describe, expect, it } from 'vitest'
import { type OffersShown, type QueryKeyAction, queryKeyAction } from '../../renderer/views/rollouts/query-keys.ts'

const NONE: OffersShown = { count: 0, at: -1, isUnfinished: false }
const THREE: OffersShown = { count: 3, at: -1, isUnfinished: false }

describe('the keys of the query line', () => {
  it.each<[string, OffersShown, QueryKeyAction | null]>([
    ['ArrowDown', NONE, { does: 'offer' }],
    ['ArrowDown', THREE, { does: 'choose', at: 0 }],
    ['ArrowDown', { ...THREE, at: 2 }, { does: 'choose', at: 0 }],
    ['ArrowUp', NONE, null],
    ['ArrowUp', THREE, { does: 'choose', at: 2 }],
    ['ArrowUp', { ...THREE, at: 2 }, { does: 'choose', at: 1 }],
    ['Tab', THREE, null],
    ['Tab', { ...THREE, isUnfinished: true }, { does: 'take', at: 0 }],
    ['Tab', { ...THREE, at: 1 }, { does: 'take', at: 1 }],
    ['Shift+Tab', { ...THREE, at: 1 }, null],
    ['Enter', THREE, { does: 'ask' }],
    ['Enter', { ...THREE, at: 1 }, { does: 'take', at: 1 }],
    ['Escape', THREE, { does: 'close' }],
    ['Escape', NONE, { does: 'take-back' }],
    ['a', { ...THREE, at: 1 }, null],
  ])('%s with %o', (keys, shown, action) => {
    const key = keys.replace('Shift+', '')
    expect(queryKeyAction({ key, shiftKey: key !== keys }, shown)).toEqual(action)
  })
})
