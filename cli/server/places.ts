import { join } from 'node:path'
import { packageRoot } from '../package-root.ts'

/** Where the parts that a host hands out lie. */
export interface Places {
  /** The built page. */
  readonly page: string
  /** `preload.cjs`, for the desktop shell. */
  readonly preload: string
  /** `<id>/tokenizer.compact`. */
  readonly tokenizers: string
  /** Sample dumps, `*.jsonl.gz`. */
  readonly samples: string
}

export function findPlaces(): Places {
  const root = packageRoot()
  const dist = join(root, 'dist')
  return {
    page: join(dist, 'renderer'),
    preload: join(dist, 'preload', 'preload.cjs'),
    tokenizers: join(dist, 'tokenizers'),
    samples: join(root, 'samples'),
  }
}
