import { EventEmitter } from 'node:events'
import type { WebContents } from 'electron'
import { expect, test } from 'vitest'
import { recoverPage } from '../../electron/crashed.ts'

test.each([
  ['crashed', true, ['gone', 'ask: The page of this window stopped.', 'reload']],
  ['crashed', false, ['gone', 'ask: The page of this window stopped.', 'close']],
  ['oom', true, ['gone', 'ask: This window ran out of memory.', 'reload']],
  ['clean-exit', true, ['gone']],
])('of a page that is gone (%s) a person says whether it is loaded again: %s', async (reason, isReload, expected) => {
  const done: string[] = []
  const contents = Object.assign(new EventEmitter(), { reload: () => void done.push('reload') })
  recoverPage(contents as unknown as WebContents, {
    gone: () => void done.push('gone'),
    async ask({ message }) {
      done.push(`ask: ${message}`)
      return isReload
    },
    isClosed: () => false,
    close: () => void done.push('close'),
  })
  contents.emit('render-process-gone', {}, { reason, exitCode: 1 })
  await expect.poll(() => done).toEqual(expected)
})

test('a window that was closed meanwhile is left alone', async () => {
  const done: string[] = []
  let isClosed = false
  const contents = Object.assign(new EventEmitter(), { reload: () => void done.push('reload') })
  const asked = new Promise<void>((resolve) => {
    recoverPage(contents as unknown as WebContents, {
      gone: () => undefined,
      async ask() {
        isClosed = true
        setImmediate(resolve)
        return true
      },
      isClosed: () => isClosed,
      close: () => void done.push('close'),
    })
  })
  contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 1 })
  await asked
  expect(done).toEqual([])
})
