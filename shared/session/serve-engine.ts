import type { WorkerPort } from './audit/audit-worker.ts'
import { SharedWork } from './audit/shared-work.ts'
import { makingComparison } from './comparison/comparison.ts'
import { compareHandlers } from './comparison/handlers.ts'
import { judgingOn } from './concluding/judging-on.ts'
import { transferables } from './detail.ts'
import { readingUnder, secondRunHandlers } from './engine/beside-handlers.ts'
import type { EngineHandlers } from './engine/handlers.ts'
import { lookHandlers, unopenedHandlers } from './engine/look-handlers.ts'
import { type EngineWorkerHost, OpenRuns } from './engine/open-runs.ts'
import { readingHandlers } from './engine/reading-handlers.ts'
import { exportHandlers } from './export-handlers.ts'
import { type GroupBook, gatheringGroups } from './groups/groups.ts'
import { groupHandlers } from './groups/handlers.ts'
import { labHandlers } from './lab/handlers.ts'
import type { EngineAnswer, EngineCall, EngineRequests, RequestName } from './protocol.ts'
import type { RunComparison } from './requests/compare.ts'
import { RESTS_ON_ALL, RESTS_ON_CONCLUSIONS, RESTS_ON_GROUPS, RESTS_ON_PAIRS } from './rests-on.ts'
import { rolloutHandlers, rolloutTransferables } from './rollout/handlers.ts'
import { readsSlower, sentence } from './sentence.ts'
import type { Session } from './session.ts'

/**
 * Answers a page in another thread: one session at a time, one answer for every call, progress in between. A call
 * that is cancelled is answered with a failure that says so; the page has stopped listening by then.
 */
export function serveEngine(port: WorkerPort, host: EngineWorkerHost): void {
  const answer = (message: EngineAnswer, transfer?: ArrayBuffer[]) => port.post(message, transfer)
  const onSlower = (reason: string) => answer({ kind: 'slower', sentence: readsSlower(reason) })
  const runs = new OpenRuns({ ...host, onSlower }, answer)
  const handlers = handlersOf(runs)
  const prepare = preparing(runs)
  const underWay = new Map<number, AbortController>()

  const answered = async ({ call, name, input }: EngineCall & { kind: 'call' }, signal: AbortSignal) => {
    if (!Object.hasOwn(handlers, name)) throw new Error(`The engine knows no request called ${String(name)}.`)
    const handler = handlers[name] as (
      input: unknown,
      signal: AbortSignal,
      tell: (partial: unknown) => void,
      call: number,
    ) => Promise<unknown>
    await prepare(name, { signal, tell: (share) => answer({ kind: 'share', call, share }) })
    signal.throwIfAborted()
    const tell = (partial: unknown) => {
      if (!signal.aborted) answer({ kind: 'partial', call, partial })
    }
    const output = await handler(input, signal, tell, call)
    signal.throwIfAborted()
    return output
  }

  port.onMessage(async (message) => {
    const call = message as EngineCall
    if (call.kind === 'cancel') {
      underWay.get(call.call)?.abort(new Error('Stopped.'))
      return
    }
    const controller = new AbortController()
    underWay.set(call.call, controller)
    try {
      const output = await answered(call, controller.signal)
      answer({ kind: 'answer', call: call.call, output }, transferred(call.name, output))
    } catch (error) {
      answer({ kind: 'failed', call: call.call, message: sentence(error) })
    } finally {
      underWay.delete(call.call)
    }
  })
}

function handlersOf(runs: OpenRuns): EngineHandlers {
  const current = () => runs.current()
  const beside = () => runs.beside()
  return {
    ...readingHandlers(runs),
    ...secondRunHandlers(runs),
    ...lookHandlers(runs),
    ...unopenedHandlers(runs),
    ...rolloutHandlers((run) => runs.of(run)),
    ...exportHandlers(current),
    ...groupHandlers(current),
    ...compareHandlers(current, beside),
    ...labHandlers({ current, reportsUnder: readingUnder(runs) }),
  }
}

/** What takes seconds of a million rollouts is made in steps, between which other calls are answered, before it is asked for. */
function preparing(runs: OpenRuns) {
  const books = new SharedWork<Session, GroupBook>()
  const comparisons = new SharedWork<Session, RunComparison>()
  return async (name: RequestName, hooks: { signal: AbortSignal; tell(share: number): void }) => {
    const { open } = runs
    if (open === null || !RESTS_ON_CONCLUSIONS.has(name)) return
    if (RESTS_ON_ALL.has(name)) await judgingOn(open, hooks)
    else await open.settled()
    const { second } = runs
    if (RESTS_ON_GROUPS.has(name)) await books.do(open, () => gatheringGroups(open), hooks)
    if (RESTS_ON_PAIRS.has(name) && second !== null)
      await comparisons.do(open, () => makingComparison(open, second), hooks)
  }
}

/** Buffers of an answer that were made for it alone. */
function transferred(name: RequestName, output: unknown): ArrayBuffer[] {
  if (name === 'trajectory') return transferables(output as EngineRequests['trajectory']['output'])
  if (name === 'search') return listTransferables(output as EngineRequests['search']['output'])
  return rolloutTransferables(name, output)
}

/** A list of a million rollouts is made for one answer. */
function listTransferables({ indices, hits }: EngineRequests['search']['output']): ArrayBuffer[] {
  const own = hits === null ? [indices] : [indices, hits.counts, hits.starts, hits.ends, hits.messages]
  return own.map(({ buffer }) => buffer as ArrayBuffer)
}
