import { expect, test } from 'vitest'
import { forgetKeptOfCompare, keepScroll, keptScroll } from '../../renderer/state/kept.ts'

test('another second run begins at the top of Compare, and moves nothing else', () => {
  keepScroll('compare measures', 300)
  keepScroll('verdicts', 200)
  forgetKeptOfCompare()
  expect([keptScroll('compare measures'), keptScroll('verdicts')]).toEqual([0, 200])
})
