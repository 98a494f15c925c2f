import type { EngineRequests, PartialOf, RequestName } from '../protocol.ts'

/** Work that answers requests as `RequestHandlers` do, and may tell what it has before its answer. */
export type EngineHandlers<Name extends RequestName = RequestName> = {
  [Each in Name]: (
    input: EngineRequests[Each]['input'],
    signal: AbortSignal,
    tell: (partial: PartialOf<Each>) => void,
    /** The number of the call, for what is answered beside it. */
    call: number,
  ) => Promise<EngineRequests[Each]['output']>
}
