import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Verdicts } from '../../renderer/views/verdicts/verdicts-view.tsx'
import { report } from '../exports/report-fixture.ts'

const whole = report()
const totals = { ...whole.totals, trajectories: 0, tokens: { ...whole.totals.tokens, total: 0 } }
const shown = (reading: { following: boolean }) =>
  renderToStaticMarkup(createElement(Verdicts, { report: { ...whole, totals }, reading }))

test.each([false, true])('before the first rollout nothing is said to be missing (followed: %s)', (following) => {
  expect(shown({ following })).toContain('the first verdicts come with the first rollouts')
  expect(shown({ following })).not.toMatch(/What to do first|There are no token ids here/)
})
