import { portableName } from '../../shared/exports/file-names.ts'
import { count } from './numbers.ts'
import { spelt } from './visible.ts'

/** A run by its files: `step_12.jsonl`, `16 · rank_0.jsonl`. The number stands first, since a long name may be cut. */
export function runName(sources: readonly { readonly name: string }[]): string {
  const [first] = sources
  if (first === undefined) return 'none'
  const base = spelt(first.name.split('/').at(-1) ?? first.name)
  return sources.length === 1 ? base : `${count(sources.length)} · ${base}`
}

/** A run by its first file, as the beginning of a file's name: `step_12`. Empty where nothing is open. */
export function runStem(sources: readonly { readonly name: string }[]): string {
  const base = sources[0]?.name.split('/').at(-1) ?? ''
  return portableName(base.replace(/(\.[a-z0-9]+)+$/i, '').replace(/[^\p{L}\p{N}._-]+/gu, '_'), 120)
}
