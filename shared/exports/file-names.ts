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
  return stems.map((name, index) =>
    uses.get(name.toLowerCase()) === 1 ? `${name}.${suffix}` : `${name}.${index}.${suffix}`,
  )
}

function stem(name: string): string {
  const base = name.split(/[\\/]/).at(-1) ?? ''
  const plain = base
    .replace(/\.(gz|gzip|zst)$/i, '')
    .replace(/\.(jsonl|ndjson|json|parquet|arrow|pkl|pt|bin|msgpack)$/i, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '_')
    .replace(/^[.]+/, '')
    .slice(0, 120)
  return plain === '' ? 'rollouts' : plain
}
