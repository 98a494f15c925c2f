import { unzipSync } from 'fflate'
import { notebookRoot } from '../../shared/notebook/markdown/recognise.ts'
import type { Dropped } from './dropped.ts'
import { NOISE } from './noise.ts'

/** A larger archive is none of a notebook, and is not read here. Bytes. */
const LARGEST_ZIP = 64 << 20
/** What its pages may come to, so that a small archive does not fill the memory. Bytes. */
const LARGEST_UNPACKED = 64 << 20

/** The pages of a notebook's folder that was saved as an archive, under its name; null for any other file. */
export async function pagesOfZip({ name, file }: Dropped['files'][number]): Promise<Dropped['files'] | null> {
  if (!/\.zip$/i.test(name) || file.size > LARGEST_ZIP) return null
  const folder = name.replace(/\.zip$/i, '').replace(/.*\//, '')
  try {
    const archive = new Uint8Array(await file.arrayBuffer())
    const names: string[] = []
    unzipSync(archive, {
      filter({ name: path }) {
        if (!NOISE.test(path)) names.push(path)
        return false
      },
    })
    const root = notebookRoot(names)
    if (root === null) return null
    const own = new Set(names.filter((path) => path.startsWith(root)))
    let room = LARGEST_UNPACKED
    const pages = unzipSync(archive, {
      filter({ name: path, size, originalSize }) {
        // What is stored as it is comes to the first, whatever it declares; what is inflated to the second.
        const bytes = Math.max(size, originalSize)
        if (!own.has(path) || !/\.(?:md|markdown)$/i.test(path) || bytes > room) return false
        room -= bytes
        return true
      },
    })
    return Object.entries(pages).map(([path, bytes]) => ({
      name: `${folder}/${path}`,
      file: new File([new Uint8Array(bytes)], path.replace(/.*\//, '')),
    }))
  } catch {
    // Whoever opens archives of rollouts says what is wrong with it.
    return null
  }
}
