import fc from 'fast-check'
import { expect } from 'vitest'
import { filesOf, folderOf, importFolder, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { DEED, minute } from '../notebook/edits.ts'
import { fixtureFiles } from '../notebook/fixture-folder.ts'

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

/** A damaged folder is read without an error and goes out byte for byte. */
export const readAndWritten = fc.property(fc.array(DAMAGE, { minLength: 1, maxLength: 6 }), (damages) => {
  const files = damaged(damages)
  const { folder } = folderOf(files, 'x', minute(0))!
  const { notebook } = importFolder(newNotebook(), folder)
  expect(writeFolder(notebook).pages).toEqual([])
  const bytes = new Map(files.map((file) => [file.path, file.bytes]))
  for (const file of filesOf(folder.pages)) expect(file.bytes).toEqual(bytes.get(file.path))
})

/** A damaged folder takes edits without an error, and what was written reads back without one. */
export const editedAndRead = fc.property(
  fc.array(DAMAGE, { maxLength: 4 }),
  fc.array(DEED, { minLength: 1, maxLength: 5 }),
  (damages, deeds) => {
    const { folder } = folderOf(damaged(damages), 'x', minute(0))!
    const { notebook } = importFolder(newNotebook(), folder)
    const changed = deeds.reduce((before, deed, at) => deed(before, minute(at + 1)), notebook)
    const { pages } = writeFolder(changed)
    const written = new Map(pages.map((page) => [page.path, page]))
    const next = folder.pages.map((page) => written.get(page.path) ?? page)
    const again = importFolder(newNotebook(), { ...folder, pages: next }).notebook
    expect(writeFolder(again).pages).toEqual([])
  },
)

/** A page of random bytes throws nothing. */
export const randomBytes = fc.property(
  fc.uint8Array({ maxLength: 400 }),
  fc.constantFrom(...FILES),
  (bytes, { path }) => {
    const files = FILES.map((file) => (file.path === path ? { path, bytes } : file))
    const read = folderOf(files, 'x', minute(0))!
    expect(writeFolder(importFolder(newNotebook(), read.folder).notebook).pages).toEqual([])
  },
)
