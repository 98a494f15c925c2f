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

test('an archive that is larger than any notebook is not read', async () => {
  const file = new File([], 'run.zip')
  Object.defineProperty(file, 'size', { value: (64 << 20) + 1 })
  file.arrayBuffer = () => Promise.reject(new Error('it was read'))
  const read = vi.spyOn(file, 'arrayBuffer')
  expect(await pagesOfZip({ name: 'run.zip', file })).toBeNull()
  expect(read).not.toHaveBeenCalled()
})
