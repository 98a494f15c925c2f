import { checkPage } from '../exports/check-page.ts'
import { causeOrder } from '../hypotheses/causes.ts'
import type { AuditOptions } from '../model/policy.ts'
import type { ByteSource } from '../model/source.ts'
import type { WorkerPort } from './audit-worker.ts'
import { makingComparison } from './comparison.ts'
import { compareHandlers } from './comparison-handlers.ts'
import { transferables } from './detail.ts'
import { exportHandlers } from './export-handlers.ts'
import { findRecords, recordsOf } from './find-records.ts'
import type { Following } from './follow.ts'
import { type GroupBook, gatheringGroups } from './groups.ts'
import { groupHandlers } from './groups-handlers.ts'
import type { EngineHost } from './host.ts'
import { judgeAll, judgingOn } from './judging-on.ts'
import { labHandlers } from './lab/handlers.ts'
import { pageReport } from './page-report.ts'
import type { TokenizerReference } from './plan.ts'
import { proposeFields } from './propose-fields.ts'
import type {
  EngineAnswer,
  EngineCall,
  EngineRequests,
  OpenedDump,
  PartialOf,
  RequestName,
  SourceInput,
} from './protocol.ts'
import { recognise } from './recognise.ts'
import type { RunComparison, RunName } from './requests/compare.ts'
import { RESTS_ON_ALL, RESTS_ON_CONCLUSIONS, RESTS_ON_GROUPS, RESTS_ON_PAIRS } from './rests-on.ts'
import { rolloutHandlers, rolloutTransferables } from './rollout/handlers.ts'
import { runSteps } from './run-steps.ts'
import { sentence } from './sentence.ts'
import { Session } from './session.ts'
import { SharedWork } from './shared-work.ts'
import { tableFields } from './table-fields.ts'
import { type EndingFollow, followToTell } from './tell-following.ts'

/** A host that also knows how to turn what a page sends into bytes. */
export interface EngineWorkerHost extends EngineHost {
  byteSource(input: SourceInput): ByteSource
  /** How the files are seen that are open, as they are from now on. Throws with a sentence where that cannot be. */
  watch?(inputs: readonly SourceInput[], handles: readonly unknown[]): Promise<Following['look']>
}

type Handlers = {
  [Name in RequestName]: (
    input: EngineRequests[Name]['input'],
    signal: AbortSignal,
    tell: (partial: PartialOf<Name>) => void,
    call: number,
  ) => Promise<EngineRequests[Name]['output']>
}

/**
 * Answers a page in another thread: one session at a time, one answer for every call, progress in between. A call
 * that is cancelled is answered with a failure that says so; the page has stopped listening by then.
 */
export function serveEngine(port: WorkerPort, host: EngineWorkerHost): void {
  let sources: ByteSource[] = []
  let dataset: ByteSource[] = []
  let session: Session | null = null
  const tokenizers = new Map<string, TokenizerReference>()
  const answer = (message: EngineAnswer, transfer?: ArrayBuffer[]) => port.post(message, transfer)

  const current = (): Session => {
    if (session === null) throw new Error('Nothing is open.')
    return session
  }

  /** What is open or being opened, under which settings, and the second run that is being read beside it. */
  let under = new AbortController()
  let settings: AuditOptions = {}
  let comparing = new AbortController()
  /** Null where the files are read once. */
  let following: EndingFollow | null = null
  let given: readonly SourceInput[] = []
  let second: Session | null = null
  const beside = (): Session => {
    if (second === null)
      throw new Error('There is no second run to compare with. Choose one, or drop it on the lower part of the window.')
    return second
  }
  const runOf = (run: RunName = 'open'): Session => (run === 'second' ? beside() : current())
  /** What was asked last that puts something else in the place of what is open. */
  let asked = { instead: OVERTAKEN }
  /** Takes the turn; what is given throws once it was taken by another question, or the own one was taken back. */
  const taking = (instead = OVERTAKEN) => {
    const own = { instead }
    asked = own
    return (signal: AbortSignal) => {
      signal.throwIfAborted()
      if (asked !== own) throw new Error(asked.instead)
    }
  }
  const letGo = (why: string) => {
    under.abort(new Error(why))
    comparing.abort(new Error(why))
    session = null
    second = null
  }

  const start = async (
    options: AuditOptions,
    cancelled: AbortSignal,
    call: number,
    follow: EndingFollow | null = null,
  ): Promise<OpenedDump> => {
    following = follow
    letGo(OVERTAKEN)
    answer({ kind: 'began', call })
    settings = options
    const own = new AbortController()
    under = own
    cancelled.addEventListener('abort', () => own.abort(cancelled.reason), { once: true })
    const opened = await Session.open(sources, options, host, {
      addedTokenizers: [...tokenizers.values()],
      dataset,
      concludesInSteps: true,
      onProgress: (progress) => answer({ kind: 'progress', progress }),
      signal: own.signal,
      ...(follow === null ? {} : { follow: follow.following }),
    })
    follow?.judge(opened)
    // Closed with its session, in case the two crossed.
    own.signal.throwIfAborted()
    session = opened
    return { report: pageReport(opened.report()), unreadable: opened.unreadable, dumpHash: opened.dumpHash }
  }

  /** The files of a dataset. What is open stays open beside one that is none. */
  const prompted = async (inputs: readonly SourceInput[], options: AuditOptions, signal: AbortSignal) => {
    const prompts = inputs.map((input) => host.byteSource(input))
    if (prompts.length > 0) await Session.checkDataset(prompts, options, signal)
    return prompts
  }

  const handlers: Handlers = {
    async open({ sources: inputs, options, dataset: beside = [] }, signal, _, call) {
      const stillMine = taking()
      const prompts = await prompted(beside, options, signal)
      stillMine(signal)
      given = inputs
      sources = inputs.map((input) => host.byteSource(input))
      dataset = prompts
      return start(options, signal, call)
    },
    async reconfigure({ options, dataset: beside }, signal, _, call) {
      const stillMine = taking()
      if (beside !== undefined) {
        const prompts = await prompted(beside, options, signal)
        stillMine(signal)
        dataset = prompts
      }
      return start(options, signal, call, following?.again() ?? null)
    },
    async follow({ on, handles = [] }, signal, _, call) {
      if (on) {
        if (host.watch === undefined) throw new Error('Files cannot be followed here.')
        const stillMine = taking()
        const look = await host.watch(given, handles)
        stillMine(signal)
        return start(settings, signal, call, followToTell(look, answer))
      }
      const open = current()
      const followed = following
      followed?.end()
      await open.done
      // Whatever reads them again reads them as they are by now: a browser gives up a file that was written to since it was opened.
      const now = await followed?.following.look().catch(() => null)
      if (now && session === open) sources = now.map(({ source }) => source)
      return { report: pageReport(await open.settled()), unreadable: open.unreadable, dumpHash: open.dumpHash }
    },
    async stopReading() {
      const open = current()
      following?.endAtOnce()
      await open.done
      return { isWhole: open.isWhole }
    },
    async stopJudging() {
      const open = current()
      open.stopJudging()
      const report = pageReport(await open.settled())
      const isWhole = open.isJudged
      if (isWhole) open.judgeOn()
      return { report, isWhole }
    },
    async judgeOn() {
      judgeAll(current())
      return {}
    },
    async compare({ sources: inputs }, cancelled) {
      const first = current()
      comparing.abort(new Error('Another second run was chosen meanwhile.'))
      const own = new AbortController()
      comparing = own
      if (inputs === null) {
        first.compareWith(null)
        second = null
        return { report: pageReport(await first.settled()), second: null }
      }
      cancelled.addEventListener('abort', () => own.abort(cancelled.reason), { once: true })
      const others = inputs.map((input) => host.byteSource(input))
      if (following?.isOn) {
        throw new Error('The run is still followed. End following, then compare it with another one.')
      }
      // One after the other: two passes at once would only share the workers.
      await first.done
      const other = await Session.open(others, settings, host, {
        addedTokenizers: [...tokenizers.values()],
        concludesInSteps: true,
        onProgress: (progress) => answer({ kind: 'progress', progress: { ...progress, second: true } }),
        signal: own.signal,
      })
      await other.done
      own.signal.throwIfAborted()
      if (other.facts.length === 0 && other.logs.length === 0) throw new Error(nothingToCompare(other))
      first.compareWith(other.secondRun())
      second = other
      const ofOther = other.report()
      const { sources: compared, tokenizer } = ofOther
      return {
        report: pageReport(await first.settled()),
        second: {
          dumpHash: other.dumpHash,
          rollouts: other.facts.length,
          sources: compared,
          tokenizer: tokenizer.id,
          unreadable: other.unreadable,
          causes: causeOrder(ofOther),
        },
      }
    },
    proposeMapping: ({ source, name, options }, signal) =>
      proposeFields(host.byteSource(source), name, options, host, { added: [...tokenizers.values()], signal }),
    recognise: ({ sources: inputs, options }, signal) =>
      recognise(
        inputs.map((input) => host.byteSource(input)),
        options,
        signal,
      ),
    async report() {
      const open = current()
      // The page asks once progress is done; there it learns that it is not because of the end.
      if (open.failure !== null) throw open.failure
      return pageReport(await open.settled())
    },
    boundaries: async ({ run }) => runOf(run).boundaries(),
    lengths: async ({ of }) => current().lengths(of),
    findRecords: async (input) => findRecords(current().facts, input),
    recordsOf: async (input) => recordsOf(current().facts, input),
    search: (request, signal, tell) => current().search(request, { signal, tell }),
    queryValues: () => current().queryValues(),
    tableFields: async () => tableFields(current().facts),
    runSteps: async () => runSteps(current().facts),
    rows: async ({ indices }) => current().rows(indices),
    trajectory: async ({ run = 'open', index }, signal) => ({ ...(await runOf(run).detail(index, signal)), run }),
    token: ({ run, index, token }) => runOf(run).token(index, token),
    ...rolloutHandlers(runOf),
    checkPage: async ({ code }) => checkPage(code),
    async locate(place) {
      return { index: current().locate(place) }
    },
    async addTokenizer({ name, tokenizer, config }) {
      const reference: TokenizerReference = { kind: 'files', id: name, title: name, origin: 'file', tokenizer, config }
      await Session.checkTokenizer(reference, host)
      tokenizers.set(name, reference)
      return { id: name }
    },
    ...exportHandlers(current),
    ...groupHandlers(current),
    ...compareHandlers(current, beside),
    ...labHandlers({
      current,
      async reportsUnder(change, signal, tell) {
        const open = current()
        // It would wait until somebody ends that.
        if (following?.isOn) throw new Error('The run is still followed. End following, then try another policy.')
        await open.done
        if (!open.isWhole) throw new Error(PARTLY_READ)
        const stillOpen = () => {
          signal.throwIfAborted()
          if (session !== open) throw new Error(OVERTAKEN)
        }
        stillOpen()
        const other = await Session.open(sources, { ...settings, ...change }, host, {
          addedTokenizers: [...tokenizers.values()],
          dataset,
          // Verdicts that take two runs would else come out otherwise for want of the second.
          against: second?.secondRun() ?? null,
          concludesInSteps: true,
          signal,
          onProgress: ({ bytesRead, bytesTotal }) => tell({ done: bytesRead, of: bytesTotal }),
        })
        await other.done
        stillOpen()
        return { before: open.report(), after: other.report() }
      },
    }),
    async close() {
      taking(STOPPED)
      letGo(STOPPED)
      sources = []
      dataset = []
      return {}
    },
  }

  const books = new SharedWork<Session, GroupBook>()
  const comparisons = new SharedWork<Session, RunComparison>()
  /** What takes seconds of a million rollouts is made in steps, between which other calls are answered, before it is asked for. */
  const prepare = async (name: RequestName, hooks: { signal: AbortSignal; tell(share: number): void }) => {
    const open = session
    if (open === null || !RESTS_ON_CONCLUSIONS.has(name)) return
    if (RESTS_ON_ALL.has(name)) await judgingOn(open, hooks)
    else await open.settled()
    const other = second
    if (RESTS_ON_GROUPS.has(name)) await books.do(open, () => gatheringGroups(open), hooks)
    if (RESTS_ON_PAIRS.has(name) && other !== null)
      await comparisons.do(open, () => makingComparison(open, other), hooks)
  }

  const underWay = new Map<number, AbortController>()
  port.onMessage(async (message) => {
    const call = message as EngineCall
    if (call.kind === 'cancel') {
      underWay.get(call.call)?.abort(new Error('Stopped.'))
      return
    }
    const controller = new AbortController()
    underWay.set(call.call, controller)
    try {
      const handler = handlers[call.name] as (
        input: unknown,
        signal: AbortSignal,
        tell: (partial: unknown) => void,
        call: number,
      ) => Promise<unknown>
      if (!Object.hasOwn(handlers, call.name))
        throw new Error(`The engine knows no request called ${String(call.name)}.`)
      await prepare(call.name, {
        signal: controller.signal,
        tell: (share) => answer({ kind: 'share', call: call.call, share }),
      })
      controller.signal.throwIfAborted()
      const tell = (partial: unknown) => {
        if (!controller.signal.aborted) answer({ kind: 'partial', call: call.call, partial })
      }
      const output = await handler(call.input, controller.signal, tell, call.call)
      controller.signal.throwIfAborted()
      answer({ kind: 'answer', call: call.call, output }, transferred(call.name, output))
    } catch (error) {
      answer({ kind: 'failed', call: call.call, message: sentence(error) })
    } finally {
      underWay.delete(call.call)
    }
  })
}

const OVERTAKEN = 'Something else was opened meanwhile.'
const STOPPED = 'Reading was stopped.'
const PARTLY_READ =
  'Reading of the run was stopped, and another policy would be tried on all of it. Open the files again, then try it.'

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

function nothingToCompare({ unreadable }: Session): string {
  const why = unreadable.map(({ message }) => message).join(' ')
  return `No rollout of the second run could be read, so there is nothing to compare with. ${why}`.trimEnd()
}
