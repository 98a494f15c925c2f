import assert from 'node:assert/strict'
import fc from 'fast-check'
import { importFolder, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { type FolderFile, filesOf, folderOf } from '../../shared/notebook/markdown/folder-files.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { deedOf, minute, PLAIN_DEED } from '../notebook/edits.ts'
import { fixtureFiles } from '../notebook/fixture-folder.ts'
import { target } from './target.ts'

const FILES = fixtureFiles()

/** Cuts, overwritten, repeated and swapped pieces of the folder's own pages: nearly right is what breaks readers. */
const DAMAGE = fc.record({
  page: fc.nat({ max: FILES.length - 1 }),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat({ max: 200 }),
  kind: fc.constantFrom('cut', 'bytes', 'repeat', 'other'),
  bytes: fc.uint8Array({ maxLength: 40 }),
})

function damaged(damages: readonly { page: number; at: number; length: number; kind: string; bytes: Uint8Array }[]) {
  const files = FILES.map(({ path, bytes }) => ({ path, bytes }))
  for (const { page, at, length, kind, bytes } of damages) {
    const file = files[page]!
    const from = Math.floor(at * file.bytes.length)
    const head = file.bytes.subarray(0, from)
    const piece = file.bytes.subarray(from, from + length)
    const tail = file.bytes.subarray(from + length)
    const other = FILES[(page + 1) % FILES.length]!.bytes.subarray(0, length)
    const middle = kind === 'cut' ? [] : kind === 'bytes' ? [bytes] : kind === 'repeat' ? [piece, piece] : [other]
    file.bytes = Uint8Array.from([head, ...middle, tail].flatMap((part) => [...part]))
  }
  return files
}

/** Of a folder, the pages that are no longer as they were. */
type Changed = readonly { readonly path: string; readonly bytes: Uint8Array }[]

function folderWith(changed: Changed): FolderFile[] {
  const bytes = new Map(changed.map((page) => [page.path, page.bytes]))
  return FILES.map((file) => ({ path: file.path, bytes: bytes.get(file.path) ?? file.bytes }))
}

const damagedPages = (minLength: number, maxLength: number): fc.Arbitrary<Changed> =>
  fc.array(DAMAGE, { minLength, maxLength }).map((damages) => {
    return damaged(damages).filter(({ bytes }, at) => bytes !== FILES[at]?.bytes)
  })

function readAndWritten(changed: Changed): void {
  const files = folderWith(changed)
  const { folder } = folderOf(files, 'x', minute(0))!
  const { notebook } = importFolder(newNotebook(), folder)
  assert.deepEqual(writeFolder(notebook).pages, [])
  const bytes = new Map(files.map((file) => [file.path, file.bytes]))
  for (const file of filesOf(folder.pages)) assert.deepEqual(file.bytes, bytes.get(file.path))
}

/** A damaged folder is read without an error and goes out byte for byte. */
export const readFolder = target('folder', 'a damaged folder of Markdown', damagedPages(1, 6), readAndWritten)

/** A damaged folder takes edits without an error, and what was written reads back without one. */
export const editedFolder = target(
  'edited-folder',
  'a damaged folder of Markdown that is edited',
  fc.record({ changed: damagedPages(0, 4), deeds: fc.array(PLAIN_DEED, { minLength: 1, maxLength: 5 }) }),
  ({ changed, deeds }) => {
    const { folder } = folderOf(folderWith(changed), 'x', minute(0))!
    const { notebook } = importFolder(newNotebook(), folder)
    const edited = deeds.reduce((before, deed, at) => deedOf(deed)(before, minute(at + 1)), notebook)
    const { pages } = writeFolder(edited)
    const written = new Map(pages.map((page) => [page.path, page]))
    const next = folder.pages.map((page) => written.get(page.path) ?? page)
    const again = importFolder(newNotebook(), { ...folder, pages: next }).notebook
    assert.deepEqual(writeFolder(again).pages, [])
  },
)

const PAGE = fc.record({
  path: fc.constantFrom(...FILES.map(({ path }) => path)),
  bytes: fc.uint8Array({ maxLength: 400 }),
})

/** A page of random bytes throws nothing. */
export const randomPage = target('random-page', 'a folder with a page of random bytes', PAGE, (page) =>
  readAndWritten([page]),
)
