import { expect, test } from 'vitest'
import { forgetKeptOfCompare, keepScroll, keepShown, keptScroll, wasShown } from '../../renderer/state/kept.ts'

test('another second run begins at the top of Compare, and moves nothing else', () => {
  keepScroll('compare measures', 300)
  keepScroll('pair list', 100)
  keepShown('pair list', 7)
  keepScroll('verdicts', 200)
  forgetKeptOfCompare()
  expect([keptScroll('compare measures'), keptScroll('pair list'), keptScroll('verdicts')]).toEqual([0, 0, 200])
  expect(wasShown('pair list', 7)).toBe(false)
})
