import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { WatchedFile } from '../shared/session/following/followed-file.ts'
import { NodeFileSource } from './byte-sources.ts'
import { type FoundFile, findAll } from './files.ts'
import { type CommandIo, UsageError } from './io.ts'
import { tellNamedAgain } from './named-again.ts'

/** A file to which nothing was written for so long is taken to be whole, unless it grows after all. Milliseconds. */
const QUIET_AFTER = 2000

export interface WatchedPaths {
  look(): Promise<readonly WatchedFile[]>
  /** Absolute paths of the files that were seen. */
  readonly paths: ReadonlySet<string>
}

/**
 * The files that a person named, as they are whenever one looks: those of folders and patterns that come later too, and those that were
 * renamed within their folder. Throws `UsageError` for a path that does not exist at first, and for what cannot be followed.
 */
export async function watchPaths(
  named: readonly string[],
  io: CommandIo,
  relativeTo: string | null,
): Promise<WatchedPaths> {
  if (named.includes('-')) {
    throw new UsageError(
      '--follow: standard input is read to its end. Follow the file that is written, or leave --follow out.',
    )
  }
  const { files, again } = await findAll(named, io, relativeTo)
  tellNamedAgain(again, io)
  const pipe = files.find((file) => file.pipe)
  if (pipe !== undefined) throw new UsageError(`--follow: ${pipe.name} is a pipe. Follow the file that is written.`)
  const paths = new Set(files.map(({ path }) => path))
  /** Where each file was when what was named led to it, by its identity: its name begins all that it is renamed to. */
  const seen = new Map<string, FoundFile>()
  /** Those of the last look, by path: what nothing was written to is not opened again. */
  let before = new Map<string, SeenFile>()
  return {
    paths,
    async look() {
      const found = (await findAll(named, io, relativeTo, { gone: 'left-out' })).files.filter((file) => !file.pipe)
      const watched: WatchedFile[] = []
      const here = new Set<string>()
      const opened = new Map<string, SeenFile>()
      const add = async (file: FoundFile, origin = file) => {
        const now = await watchedFile(file, before.get(file.path))
        if (now === null || here.has(now.identity)) return
        here.add(now.identity)
        paths.add(file.path)
        opened.set(file.path, now)
        seen.set(now.identity, origin)
        watched.push(now)
      }
      for (const file of found) await add(file)
      for (const [identity, file] of [...seen]) {
        if (here.has(identity)) continue
        seen.delete(identity)
        const renamed = await renamedTo(file, identity)
        if (renamed !== null) await add(renamed, file)
      }
      before = opened
      return watched
    },
  }
}

type SeenFile = WatchedFile & { readonly identity: string }

async function watchedFile(file: FoundFile, before: SeenFile | undefined): Promise<SeenFile | null> {
  try {
    const { dev, ino, size, mtimeMs } = await stat(file.path)
    const stamp = `${dev}:${ino}:${size}:${mtimeMs}`
    const isAsBefore = before !== undefined && before.stamp === stamp && before.source.name === file.name
    return {
      source: isAsBefore ? before.source : await NodeFileSource.open(file.path, file.name),
      identity: `${dev}:${ino}`,
      stamp,
      quiet: Date.now() - mtimeMs > QUIET_AFTER,
    }
  } catch {
    // Gone since the folder was read, or not to be read for now: the next look will tell.
    return null
  }
}

/** A log that was rotated is beside the new one and has its name at the beginning of its own (`run.jsonl.1`). */
async function renamedTo({ path, name }: FoundFile, identity: string): Promise<FoundFile | null> {
  const [folder, base] = [dirname(path), basename(path)]
  for (const other of await readdir(folder).catch(() => [])) {
    if (!other.startsWith(base)) continue
    const info = await stat(join(folder, other)).catch(() => null)
    if (info !== null && `${info.dev}:${info.ino}` === identity) {
      return { path: join(folder, other), name: name.slice(0, name.length - base.length) + other }
    }
  }
  return null
}
