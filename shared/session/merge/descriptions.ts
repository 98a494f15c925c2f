import type { LogReport } from '../../model/report.ts'
import { describing } from '../opening/run-context.ts'
import { MergeError, type Part } from './part.ts'

/** Logs of all parts; what several parts list as the same file, since each needed it, is listed once. */
export function logsOf(parts: readonly Part[]): LogReport[] {
  const known = new Set<string>()
  return parts.flatMap(({ logs }) => {
    const own = logs.map((log) => ({ log, key: JSON.stringify(log) }))
    const added = own.filter(({ key }) => !known.has(key))
    for (const { key } of own) known.add(key)
    return added.map(({ log }) => log)
  })
}

/**
 * Throws `MergeError` where a file that describes a run (its model, group size, limits) would have spoken for files of a part that was
 * read without it, or where two such files cannot be told apart by their names.
 */
export function refuseOtherDescriptions(parts: readonly Part[]): void {
  const all = descriptionsOf(logsOf(parts))
  for (const { name, sources, logs } of parts) {
    const own = descriptionsOf(logs)
    for (const source of sources) {
      const [alone, together] = [describing(source.name, own), describing(source.name, all)]
      if (factsIn(alone) === factsIn(together)) continue
      const isNew = (each: { readonly facts: string }) => !own.some(({ facts }) => facts === each.facts)
      const other = together.find(isNew) ?? together[0] ?? all.find(isNew)
      throw new MergeError(
        'refused',
        `${name} was read ${alone.length === 0 ? `without ${other?.name}` : `with ${namesIn(alone)} alone`}, and read at once ${source.name} is ${
          together.length === 0 ? 'described by none of several files' : `described by ${namesIn(together)}`
        } (${other?.facts}). Inspect its files again beside ${other?.name}, both with --relative-to.`,
      )
    }
  }
}

interface Described {
  readonly name: string
  readonly facts: string
}

const factsIn = (all: readonly Described[]) => all.map(({ facts }) => facts).join('; ')
const namesIn = (all: readonly Described[]) => all.map(({ name }) => name).join(', ')

function descriptionsOf(logs: readonly LogReport[]) {
  return logs
    .filter(({ kind, notes }) => kind === 'metadata' && notes.length > 0)
    .map(({ name, notes }) => ({ name, facts: notes.join(', ') }))
}
