import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { pagesOfZip } from '../../renderer/data/notebook-zip.ts'
import { importFolder, writeFolder } from '../../shared/notebook/markdown/folder.ts'
import { filesOf, folderOf } from '../../shared/notebook/markdown/folder-files.ts'
import { newNotebook } from '../../shared/notebook/new-notebook.ts'
import { minute } from './edits.ts'

const OWN = ['README.md', 'hypotheses/h02-token-masking.md', 'notes/a..b.md', 'notes/.hidden.md']
const CLIMBING = [
  '../evil.md',
  'hypotheses/h03-x/../../../evil.md',
  'notes/../../evil.md',
  './evil.md',
  'notes//evil.md',
  '/etc/evil.md',
  'C:/evil.md',
  '..\\evil.md',
  'notes\\..\\evil.md',
]

const page = (path: string) => ({ path, bytes: strToU8('# H02: a page\n') })

describe('files that are named to lie outside of their folder', () => {
  test.each(['', 'run/', '../../', '/'])('are no pages of a notebook and written nowhere: below %j', (root) => {
    const { folder, told } = folderOf(
      [...OWN, ...CLIMBING].map((name) => page(root + name)),
      'shared',
      minute(0),
    )!
    expect(folder.pages.map(({ path }) => path)).toEqual(OWN)
    expect(told).toHaveLength(CLIMBING.length)
    expect(told[0]).toBe('../evil.md was left out: its name leads out of the folder.')
    expect(folder.name).toBe(root === 'run/' ? 'run' : 'shared')
    const { pages } = writeFolder(importFolder(newNotebook(), folder).notebook)
    for (const { path } of filesOf([...folder.pages, ...pages])) expect(path.split('/')).not.toContain('..')
  })

  test('in an archive are none of it either', async () => {
    const archive = zipSync(Object.fromEntries([...OWN, ...CLIMBING].map((name) => [name, page(name).bytes])))
    const dropped = (await pagesOfZip({ name: 'x.zip', file: new File([new Uint8Array(archive)], 'x.zip') })) ?? []
    const { folder } = folderOf(
      dropped.map(({ name }) => page(name)),
      'x',
      minute(0),
    )!
    // What begins with a dot is none of a person's pages.
    expect(folder.pages.map(({ path }) => path)).toEqual(OWN.filter((name) => !name.includes('.hidden')))
  })
})
