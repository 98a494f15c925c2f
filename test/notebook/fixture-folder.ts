import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FolderFile } from '../../shared/notebook/markdown/folder-files.ts'

const ROOT = fileURLToPath(new URL('fixtures/search-debug', import.meta.url))

/** The folder of the framework's shape, with everything in it that people's folders have. */
export function fixtureFiles(): FolderFile[] {
  return readdirSync(ROOT, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return {
        path: path
          .slice(ROOT.length + 1)
          .split(sep)
          .join('/'),
        bytes: new Uint8Array(readFileSync(path)),
      }
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}
