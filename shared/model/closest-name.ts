/** The name with the fewest edits from `given`, if it is near enough to be a slip. */
export function closestName(given: string, names: readonly string[]): string | null {
  return closestNames(given, names, 1)[0] ?? null
}

/** At most `most` names that are near enough to `given` to be meant, the nearest first. */
export function closestNames(given: string, names: readonly string[], most: number): string[] {
  const within = Math.max(2, Math.floor(given.length / 2))
  return names
    .map((name) => ({ name, distance: editDistance(given, name) }))
    .filter(({ distance }) => distance < within)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ name }) => name)
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substituted, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
