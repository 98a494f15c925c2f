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
  for (const file of files) {
    const place = places.get(file) ?? null
    if (newcomers.length === 0 || !(await file.hasLeft(place))) continue
    for (const now of newcomers) {
      if (!(await file.isIn(now.source))) continue
      newcomers.splice(newcomers.indexOf(now), 1)
      if (place !== null) matches.set(place, null)
      matches.set(now, file)
      break
    }
  }
  return [...matches]
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
