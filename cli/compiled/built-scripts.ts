import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { Script } from 'node:vm'
import { budgetFlag } from '../engine-flags.ts'
import { codeFrom, storedCode } from './stored-code.ts'

interface LoadedScript {
  readonly script: Script
  readonly source: Buffer
  readonly module: { exports: unknown }
}

/** On the first line of the script, so that its lines keep their numbers. */
const BEFORE = '(function (exports, require, module, __filename, __dirname) { '
const BEHIND = '\n})'

/**
 * The scripts of a build (CommonJS, `dist/cli`), each run once, from code that V8 compiled before where there is some that fits (`dist/compiled`), else from
 * their source: reading, compiling and what V8 compiles at the first call is a fifth of `inspect` of a megabyte (docs/performance.md). Whoever may write
 * to the one folder may write to the other, so that what is kept is as trustworthy as the source beside it.
 */
export class BuiltScripts {
  private readonly loaded = new Map<string, LoadedScript>()
  private readonly ofNode: NodeJS.Require

  /** @param folder absolute path of the build; @param compiled of what was kept of it */
  constructor(
    private readonly folder: string,
    private readonly compiled: string,
  ) {
    this.ofNode = createRequire(join(folder, 'main.js'))
  }

  /** What a script of the build exports, by its path in the folder. */
  load(name: string): unknown {
    const file = join(this.folder, name)
    const before = this.loaded.get(file)
    if (before !== undefined) return before.module.exports
    const source = readFileSync(file)
    const cachedData = this.kept(file, source)
    const script = new Script(BEFORE + source.toString() + BEHIND, {
      filename: file,
      ...(cachedData && { cachedData }),
    })
    const module = { exports: {} }
    this.loaded.set(file, { script, source, module })
    const above = dirname(file)
    const require = (id: string) =>
      id.startsWith('.') ? this.load(relative(this.folder, join(above, id))) : this.ofNode(id)
    try {
      script.runInThisContext().call(module.exports, module.exports, require, module, file, above)
    } catch (error) {
      // Whoever loads it again is told the same.
      this.loaded.delete(file)
      throw error
    }
    return module.exports
  }

  /** Writes to another folder what V8 compiled of them until now, functions that were called included. */
  keep(compiled: string): void {
    for (const [file, { script, source }] of this.loaded) {
      const path = this.keptAt(file, compiled)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, storedCode(script.createCachedData(), source))
    }
  }

  private kept(file: string, source: Buffer): Buffer | null {
    let stored: Buffer
    try {
      stored = readFileSync(this.keptAt(file, this.compiled))
    } catch {
      // None was made of it, or it cannot be read: its source can.
      return null
    }
    return codeFrom(stored, source)
  }

  private keptAt(file: string, compiled: string): string {
    return join(compiled, `${relative(this.folder, file)}.code`)
  }
}

/** Where code is kept, in `dist/compiled`: V8 takes it in the state of its flags alone that it was kept in. */
export const KEPT = { alone: 'alone', besideThreads: budgetFlag(process.versions.v8) === null ? 'alone' : 'threads' }

/** The scripts of a build in `folder`, with what was kept of them. */
export function builtScripts(folder: string, kept: string): BuiltScripts {
  return new BuiltScripts(folder, join(dirname(folder), 'compiled', kept))
}
