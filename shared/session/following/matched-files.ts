import type { FollowedFile, WatchedFile } from './followed-file.ts'

type Match = readonly [WatchedFile, FollowedFile | null]

/**
 * Each file with what is known of it: by its identity, else by its name. A file under a new name that holds what was read of another,
 * which holds it no longer or is gone, is that one: it was moved, or copied and emptied, by what rotates logs.
 */
export async function matchedFiles(
  watched: readonly WatchedFile[],
  files: readonly FollowedFile[],
): Promise<readonly Match[]> {
  const matches = new Map(byIdentityOrName(watched, files))
  const newcomers = watched.filter((now) => matches.get(now) === null)
  if (newcomers.length === 0) return [...matches]
  const places = new Map([...matches].map(([now, file]) => [file, now]))
  const left = new Set(files)
  for (let isMoved = true; isMoved && newcomers.length > 0; ) {
    isMoved = false
    for (const file of left) {
      const place = places.get(file) ?? null
      if (!(await file.hasLeft(place))) continue
      const now = await placeOf(file, newcomers)
      if (now === null) continue
      left.delete(file)
      newcomers.splice(newcomers.indexOf(now), 1)
      // What stood where this one stood may have moved on itself: `run.jsonl.1` became `.2`.
      if (place !== null) {
        matches.set(place, null)
        newcomers.push(place)
      }
      matches.set(now, file)
      isMoved = true
    }
  }
  return [...matches]
}

async function placeOf(file: FollowedFile, newcomers: readonly WatchedFile[]): Promise<WatchedFile | null> {
  for (const now of newcomers) if (await file.isIn(now.source)) return now
  return null
}

function byIdentityOrName(watched: readonly WatchedFile[], files: readonly FollowedFile[]): readonly Match[] {
  const free = new Set(files)
  const take = (which: (file: FollowedFile) => boolean): FollowedFile | null => {
    const file = [...free].find(which) ?? null
    if (file !== null) free.delete(file)
    return file
  }
  const same = new Map(
    watched.map((now) => [now, now.identity === null ? null : take(({ identity }) => identity === now.identity)]),
  )
  return watched.map((now) => [now, same.get(now) ?? take(({ name }) => name === now.source.name)])
}
