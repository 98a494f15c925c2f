import type { LogReport } from '../model/report.ts'
import { MergeError, type Part } from './merge-part.ts'
import { describing } from './run-context.ts'

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
      if (alone?.facts === together?.facts) continue
      const other = together ?? all.find((each) => !own.some(({ facts }) => facts === each.facts))
      throw new MergeError(
        'refused',
        `${name} was read ${alone === null ? `without ${other?.name}` : `with ${alone.name} alone`}, and read at once ${source.name} is ${
          together === null ? 'described by none of several files' : `described by ${together.name}`
        } (${other?.facts}). Inspect its files again beside ${other?.name}, both with --relative-to.`,
      )
    }
  }
}

function descriptionsOf(logs: readonly LogReport[]) {
  return logs
    .filter(({ kind }) => kind === 'metadata')
    .map(({ name, notes }) => ({ name, facts: notes.join(', ') || 'which says nothing' }))
}
