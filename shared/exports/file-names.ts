import type { SourceReport } from '../model/report.ts'

/**
 * A plain base name per source for the files of an export: no folders, no compression suffix, no character that a
 * file system refuses; sources of the same name are told apart by their number. `step_12.jsonl.gz` with
 * `selected.jsonl` gives `step_12.selected.jsonl`.
 */
export function exportFileNames(sources: readonly SourceReport[], suffix: string): string[] {
  const stems = sources.map((source) => stem(source.name))
  const uses = new Map<string, number>()
  for (const name of stems) uses.set(name.toLowerCase(), (uses.get(name.toLowerCase()) ?? 0) + 1)
  const isAlone = (name: string) => uses.get(name.toLowerCase()) === 1
  const taken = new Set(stems.filter(isAlone).map((name) => name.toLowerCase()))
  return stems.map((name, index) => {
    if (isAlone(name)) return `${name}.${suffix}`
    let numbered = `${name}.${index}`
    while (taken.has(numbered.toLowerCase())) numbered += '_'
    taken.add(numbered.toLowerCase())
    return `${numbered}.${suffix}`
  })
}

/** Names that are devices on Windows, whatever follows their first dot. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3]|conin\$|conout\$)(?=\.|$)/i

/**
 * A base name as every file system takes it: of at most `most` bytes of UTF-8, no half character, no device, no dot or space
 * at its end. Separators and control characters are the caller's to replace.
 */
export function portableName(name: string, most: number): string {
  const encoder = new TextEncoder()
  let bytes = 0
  let cut = ''
  for (const character of name.replace(/\p{Surrogate}/gu, '_')) {
    bytes += encoder.encode(character).length
    if (bytes > most) break
    cut += character
  }
  let end = cut.length
  while (end > 0 && (cut[end - 1] === '.' || cut[end - 1] === ' ')) end--
  return cut.slice(0, end).replace(DEVICE, '_$&')
}

function stem(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? ''
  const plain = base
    .replace(/\.(gz|gzip|zst)$/i, '')
    .replace(/\.(jsonl|ndjson|json|parquet|arrow|pkl|pt|bin|msgpack)$/i, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[.]+/, '')
  return portableName(plain, 120) || 'rollouts'
}
