import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ByteSource } from '../../shared/model/source.ts'

const FOLDER = process.env.ROLLOUT_DATA ?? resolve(import.meta.dirname, '../../../shared/data')

/** The path of a published dump of another project, `folder/file`; null where the folder with them is not there. */
export function realData(name: string): string | null {
  const path = resolve(FOLDER, name)
  return existsSync(path) ? path : null
}

/** A file on disk as the engine reads it. */
export function fileSource(path: string): ByteSource {
  const read = (start: number, end: number) => {
    const file = openSync(path, 'r')
    try {
      const bytes = new Uint8Array(Math.max(0, Math.min(end, fstatSync(file).size) - start))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start))
    } finally {
      closeSync(file)
    }
  }
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  closeSync(file)
  return {
    name: path.split('/').at(-1) as string,
    size,
    slice: async (start, end) => read(start, end),
    stream(start = 0) {
      let at = start
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (at >= size) return controller.close()
          const chunk = read(at, at + (1 << 18))
          at += chunk.length
          controller.enqueue(chunk)
        },
      })
    },
  }
}
