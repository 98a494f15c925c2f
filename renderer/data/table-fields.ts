import { useEffect } from 'react'
import type { EngineRequests } from '../../shared/session/protocol.ts'
import { ask } from '../engine/engine.ts'
import { useFiles } from '../state/files.ts'
import { observable, useObservable } from './observable.ts'

type Fields = EngineRequests['tableFields']['output']

const NONE: Fields = { rewards: [], moreRewards: 0 }
const fields = observable<Fields>(NONE)

/** What only some dumps have columns for, as far as the dump has been read. */
export function useTableFields(): Fields {
  const phase = useFiles((files) => files.phase)
  const dump = useFiles((files) => files.dumpHash)
  const revision = useFiles((files) => files.revision)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another dump has other fields, and one that is read on may have more
  useEffect(() => {
    if (phase !== 'reading' && phase !== 'open') fields.set(NONE)
    else {
      ask('tableFields', {}).then(
        (known) => {
          const isSame = JSON.stringify(known) === JSON.stringify(fields.get())
          if (!isSame && useFiles.getState().dumpHash === dump) fields.set(known)
        },
        // The dump went away meanwhile, or what broke is told where rows are asked for.
        () => undefined,
      )
    }
  }, [phase, dump, revision])
  return useObservable(fields)
}
