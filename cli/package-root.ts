import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder, found upwards from this file, which may run from `cli/` or bundled at some depth in `dist/`. */
export function packageRoot(): string {
  return rootAbove(dirname(fileURLToPath(import.meta.url)))
}

function rootAbove(folder: string): string {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'rollout-inspector') return folder
  const above = dirname(folder)
  if (above === folder)
    throw new Error('The files of Rollout Inspector are not where they were installed. Install it again.')
  return rootAbove(above)
}
