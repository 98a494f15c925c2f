import { expect, test } from 'vitest'
import { endNotice, hush, say, useView } from '../../renderer/state/view.ts'

const notice = () => useView.getState().notice

test('a notice that was shown is over, and one that was said meanwhile is not', () => {
  say('one')
  const { said } = notice()
  say('two')
  endNotice(said)
  expect(notice()).toMatchObject({ text: 'two', isOver: false })
  endNotice(notice().said)
  expect(notice()).toMatchObject({ text: 'two', isOver: true })
  say('two')
  expect(notice().isOver).toBe(false)
  hush()
  expect(notice().text).toBe('')
})
