import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The part of a bundler's plugin that this one uses. */
interface BundlePlugin {
  readonly name: string
  generateBundle(
    this: { emitFile(file: { type: 'asset'; fileName: string; source: string }): string },
    options: unknown,
    bundle: Readonly<Record<string, Chunk>>,
  ): void
}

interface Chunk {
  readonly name?: string
  readonly isEntry?: boolean
  readonly modules?: Readonly<Record<string, unknown>>
}

/**
 * Writes which npm packages a build carries, as `name@version`, to `packages/ENTRY.json` in it: their licences go with what is
 * shipped. The page's workers are builds of their own.
 */
export function bundledPackages(): BundlePlugin {
  return {
    name: 'bundled-packages',
    generateBundle(_options, bundle) {
      const folders = new Set<string>()
      for (const chunk of Object.values(bundle)) {
        for (const id of Object.keys(chunk.modules ?? {})) {
          const folder = packageFolder(id.replaceAll('\\', '/').replace(/^\0/, ''))
          if (folder !== null) folders.add(folder)
        }
      }
      const named = [...folders].map((folder) => {
        const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
          string,
          string
        >
        return `${name}@${version}`
      })
      const entry = Object.values(bundle).find(({ isEntry }) => isEntry)?.name ?? 'bundle'
      const fileName = `packages/${entry}.json`
      this.emitFile({ type: 'asset', fileName, source: `${JSON.stringify([...new Set(named)].sort(), null, 2)}\n` })
    },
  }
}

/** `…/node_modules/@scope/name` of a module's path, null for our own modules. */
function packageFolder(id: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? null
}
