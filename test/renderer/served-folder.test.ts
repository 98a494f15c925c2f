import { afterEach, expect, test, vi } from 'vitest'
import { choiceAgain, hashOfServed, onlyFile, type ServedFolder, sourcesOf } from '../../renderer/data/served-folder.ts'

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
  const openedAt = '2026-01-01T00:00:00Z'
  const entry = { key: 'k', dumpHashes: ['h'], names, size: 1, openedAt, ...(served && { served }) }
  expect(choiceAgain(entry, folder)).toEqual(isSame ? { names, folder: null } : null)
})

test('a folder of one file is that file, which is followed alone', () => {
  expect(onlyFile({ ...folder, files: [file('step_1.jsonl')] })).toEqual({ names: ['step_1.jsonl'], folder: null })
  expect(onlyFile(folder)).toBeNull()
})

/** A page of a host that answers so. */
function hosted(answer: () => Response): void {
  vi.stubGlobal('document', { baseURI: 'http://127.0.0.1:1/' })
  vi.stubGlobal('fetch', async () => answer())
}

test('chosen files are opened all or none, and those that are gone are named', async () => {
  hosted(() => Response.json({ files: [], folder, sample: null, notice: null }))
  const sources = await sourcesOf({ names: ['step_1.jsonl', 'step_2.jsonl'], folder: null })
  expect(sources.map(({ name }) => name)).toEqual(['step_1.jsonl', 'step_2.jsonl'])
  const gone = sourcesOf({ names: ['step_1.jsonl', 'step_3.jsonl', 'step_4.jsonl'], folder: null })
  await expect(gone).rejects.toThrow('step_3.jsonl and step_4.jsonl are no longer in the folder')
})

test.each([
  [
    'has stopped',
    () => {
      throw new TypeError('fetch failed')
    },
  ],
  ['was started anew and knows this page no more', () => new Response('', { status: 403 })],
])('a server that %s is no folder without files', async (_, answer) => {
  hosted(answer)
  const asked = sourcesOf({ names: ['step_1.jsonl'], folder: null })
  await expect(asked).rejects.toThrow('The server does not answer')
})

test('a file that is listed and cannot be read has no hash, rather than that of another one', async () => {
  vi.stubGlobal('document', { baseURI: 'http://127.0.0.1:1/' })
  vi.stubGlobal('fetch', async (url: URL | string) =>
    String(url).endsWith('session.json')
      ? Response.json({ files: [], folder, sample: null, notice: null })
      : new Response('', { status: 500 }),
  )
  await expect(hashOfServed({ names: ['step_1.jsonl'], folder: null })).rejects.toThrow('step_1.jsonl')
})
