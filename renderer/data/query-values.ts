import { type DumpValues, NO_DUMP_VALUES } from '../../shared/query/language/complete.ts'
import { ask } from '../engine/engine.ts'
import { useFiles } from '../state/files.ts'

let known: { readonly revision: number; readonly values: Promise<DumpValues> } | null = null

/** What completion may offer of the open dump, asked for once for each revision of it. */
export function queryValues(): Promise<DumpValues> {
  const { revision, phase } = useFiles.getState()
  if (phase !== 'reading' && phase !== 'open') return Promise.resolve(NO_DUMP_VALUES)
  if (known?.revision !== revision) {
    // Fields and operators are offered in any case; what fails here is told where the query is asked.
    const values = ask('queryValues', {}).catch(() => NO_DUMP_VALUES)
    known = { revision, values }
  }
  return known.values
}
