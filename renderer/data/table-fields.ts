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
  // biome-ignore lint/correctness/useExhaustiveDependencies: another dump has other fields
  useEffect(() => {
    let isWanted = true
    if (phase !== 'reading' && phase !== 'open') fields.set(NONE)
    else {
      ask('tableFields', {}).then(
        (known) => isWanted && fields.set(known),
        // The dump went away meanwhile, or what broke is told where rows are asked for.
        () => undefined,
      )
    }
    return () => {
      isWanted = false
    }
  }, [phase, dump])
  return useObservable(fields)
}
