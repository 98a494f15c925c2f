import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/** Finds them from wherever this code runs: from source in tests, or bundled at some depth under `dist/`. */
export function findPlaces(from = dirname(fileURLToPath(import.meta.url))): Places {
  const root = packageRoot(from)
  const dist = join(root, 'dist')
  return {
    page: join(dist, 'renderer'),
    preload: join(dist, 'preload', 'preload.cjs'),
    tokenizers: join(dist, 'tokenizers'),
    samples: join(root, 'samples'),
  }
}

function packageRoot(folder: string): string {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'rollout-inspector') return folder
  const above = dirname(folder)
  if (above === folder)
    throw new Error('The files of Rollout Inspector are not where they were installed. Install it again.')
  return packageRoot(above)
}
