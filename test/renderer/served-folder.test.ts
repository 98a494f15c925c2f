import { afterEach, expect, test, vi } from 'vitest'
import { choiceAgain, type ServedFolder } from '../../renderer/data/served-folder.ts'

afterEach(() => vi.unstubAllGlobals())

const file = (name: string) => ({ name, url: `/file/${name}`, size: 1 })
const folder: ServedFolder = { name: 'steps', key: 'a', files: ['step_1.jsonl', 'step_2.jsonl'].map(file) }

test.each([
  ['the same folder', { folder: null, key: 'a' }, ['step_1.jsonl'], true],
  ['the same folder, where it is gone', { folder: null, key: 'a' }, ['step_3.jsonl'], false],
  ['another folder with a file of that name', { folder: null, key: 'b' }, ['step_1.jsonl'], false],
  ['a folder that was not kept', { folder: null }, ['step_1.jsonl'], false],
  ['no served folder', undefined, ['step_1.jsonl'], false],
])('what was opened of %s is opened again only where it is the same', (_, served, names, isSame) => {
  const entry = { dumpHash: 'h', names, size: 1, openedAt: '2026-01-01T00:00:00Z', ...(served && { served }) }
  expect(choiceAgain(entry, folder)).toEqual(isSame ? { names, folder: null } : null)
})
