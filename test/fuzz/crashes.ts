import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plain } from './target.ts'

/** Inputs that once went wrong, a folder for each target; all of them are tried again by `test/hostile/crashes.test.ts`. */
export const CRASHES = fileURLToPath(new URL('../fixtures/crashes', import.meta.url))

export interface Crash {
  readonly target: string
  readonly path: string
}

export function keptCrashes(folder = CRASHES): Crash[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ['.bin', '.json'].includes(extname(entry.name)))
    .map(({ parentPath, name }) => ({ target: basename(parentPath), path: join(parentPath, name) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Writes an input to a file of its own, and gives its path. The same input has the same name. */
export function keepCrash(target: string, input: Plain, folder = CRASHES): string {
  const [kind, content] =
    input instanceof Uint8Array ? (['bin', input] as const) : (['json', `${textOf(input)}\n`] as const)
  const name = createHash('sha256').update(content).digest('hex').slice(0, 12)
  const path = join(folder, target, `${name}.${kind}`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

export function readCrash(path: string): Plain {
  const bytes = readFileSync(path)
  if (path.endsWith('.bin')) return new Uint8Array(bytes)
  return JSON.parse(bytes.toString('utf8'), (_key, value) =>
    typeof value?.base64 === 'string' ? new Uint8Array(Buffer.from(value.base64, 'base64')) : value,
  ) as Plain
}

function textOf(input: Plain): string {
  return JSON.stringify(
    input,
    (_key, value) => (value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value),
    2,
  )
}
