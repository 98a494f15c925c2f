import { strToU8, zipSync } from 'fflate'
import { expect, test, vi } from 'vitest'
import { pagesOfZip } from '../../renderer/data/notebook-zip.ts'

const PAGES = { 'README.md': '# Run', '01-experiments-log.md': '# Log', 'hypotheses/h02-token-masking.md': '# H02' }

function zip(name: string, files: Readonly<Record<string, string>>) {
  const bytes = zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, strToU8(text)])))
  return { name, file: new File([new Uint8Array(bytes)], name) }
}

test('an archive of a notebook gives its pages under its name, and nothing else of it', async () => {
  const pages = await pagesOfZip(zip('search-debug.zip', { ...PAGES, 'curve.png': 'x' }))
  expect(pages?.map(({ name }) => name)).toEqual(Object.keys(PAGES).map((path) => `search-debug/${path}`))
  expect(await pages?.[2]?.file.text()).toBe('# H02')
})

test('what macOS adds to an archive, and pages beside the notebook, are none of it', async () => {
  const inside = Object.fromEntries(Object.entries(PAGES).map(([path, text]) => [`run/${path}`, text]))
  const added = Object.fromEntries(
    Object.keys(inside).map((path) => [`__MACOSX/${path.replace(/([^/]*)$/, '._$1')}`, 'x']),
  )
  const pages = await pagesOfZip(zip('run.zip', { ...added, ...inside, 'other/page.md': '# Other' }))
  expect(pages?.map(({ name }) => name)).toEqual(Object.keys(inside).map((path) => `run/${path}`))
  expect(await pagesOfZip(zip('added.zip', added))).toBeNull()
})

test('an archive of rollouts, a torn one and a file of another name are left to be opened', async () => {
  expect(await pagesOfZip(zip('run.zip', { 'README.md': '# Run', 'step_1.jsonl': '{}' }))).toBeNull()
  expect(await pagesOfZip({ name: 'torn.zip', file: new File(['PK\u0003\u0004 torn'], 'torn.zip') })).toBeNull()
  expect(await pagesOfZip(zip('notebook.cbz', PAGES))).toBeNull()
})

test('what a small archive would fill the memory with is left out, beside pages that are read', async () => {
  const zeros = new Uint8Array(40 << 20)
  const bytes = zipSync({
    ...Object.fromEntries(Object.entries(PAGES).map(([path, text]) => [path, strToU8(text)])),
    'notes/one.md': zeros,
    'notes/two.md': zeros,
    'notes/curve.png': zeros,
  })
  expect(bytes.length).toBeLessThan(1 << 20)
  const pages = await pagesOfZip({ name: 'run.zip', file: new File([new Uint8Array(bytes)], 'run.zip') })
  expect(pages?.map(({ name }) => name)).toEqual([...Object.keys(PAGES), 'notes/one.md'].map((path) => `run/${path}`))
})

/** An archive in which so many more names stand for the last file, each of which says that it is empty. */
function namedAgain(archive: Uint8Array, names: number): Uint8Array<ArrayBuffer> {
  const before = new DataView(archive.buffer, archive.byteOffset)
  const end = archive.length - 22
  const start = before.getUint32(end + 16, true)
  let last = start
  for (let at = start; at < end; at += 46 + before.getUint16(at + 28, true)) last = at
  const entry = archive.slice(last, end)
  new DataView(entry.buffer).setUint32(24, 0, true)
  const again = Array.from({ length: names }, (_, i) => {
    const copy = entry.slice()
    copy.set(strToU8(String(i).padStart(3, '0')), 46 + 'notes/'.length)
    return copy
  })
  const tail = archive.slice(end)
  const told = new DataView(tail.buffer)
  for (const at of [8, 10]) told.setUint16(at, told.getUint16(at, true) + names, true)
  told.setUint32(12, told.getUint32(12, true) + names * entry.length, true)
  const parts = [archive.slice(0, end), ...again, tail]
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

test('pages that are stored as they are count with what they hold, whatever they declare', async () => {
  const few = Object.fromEntries(Object.entries(PAGES).map(([path, text]) => [path, strToU8(text)]))
  const archive = zipSync({ ...few, 'notes/000.md': new Uint8Array(1 << 20) }, { level: 0 })
  const bytes = namedAgain(archive, 200)
  expect(bytes.length).toBeLessThan(2 << 20)
  const pages = await pagesOfZip({ name: 'run.zip', file: new File([bytes], 'run.zip') })
  const sizes = pages?.map(({ file }) => file.size) ?? []
  expect(sizes.length).toBeGreaterThan(40)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(64 << 20)
})

test('an archive that is larger than any notebook is not read', async () => {
  const file = new File([], 'run.zip')
  Object.defineProperty(file, 'size', { value: (64 << 20) + 1 })
  file.arrayBuffer = () => Promise.reject(new Error('it was read'))
  const read = vi.spyOn(file, 'arrayBuffer')
  expect(await pagesOfZip({ name: 'run.zip', file })).toBeNull()
  expect(read).not.toHaveBeenCalled()
})
