import { expect, test, vi } from 'vitest'
import { fileResponse } from '../../cli/server/file-response.ts'

const failing = vi.hoisted(() => ({ code: '' }))
vi.mock(import('node:fs/promises'), async (original) => {
  const fs = await original()
  const open = (...input: Parameters<typeof fs.open>) =>
    failing.code === ''
      ? fs.open(...input)
      : Promise.reject(Object.assign(new Error(failing.code), { code: failing.code }))
  return { ...fs, open }
})

test.each([
  ['ENOENT', 404, 'is gone'],
  ['EACCES', 404, 'may not be read'],
  ['EMFILE', 503, 'Too many files and connections are open here'],
  ['ENFILE', 503, 'Too many files and connections are open here'],
  ['EIO', 503, 'is there and could not be opened (EIO)'],
])('a file that cannot be opened for %s is not told as what it is not', async (code, status, sentence) => {
  failing.code = code
  const response = await fileResponse({ method: 'GET', headers: new Headers() }, '/run.jsonl', 'text/plain')
  expect(response.status).toBe(status)
  expect(await response.text()).toContain(sentence)
})
