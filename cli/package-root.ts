import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder, found upwards from this file, which may run from `cli/` or bundled in `dist/`. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  for (;;) {
    const file = join(folder, 'package.json')
    if (existsSync(file) && isOurs(file)) return folder
    const parent = dirname(folder)
    if (parent === folder) throw new Error('The package.json of rollout-inspector is missing. Install it again.')
    folder = parent
  }
}

function isOurs(file: string): boolean {
  return (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'rollout-inspector'
}
