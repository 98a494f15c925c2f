import { joinBytes } from '../../shared/containers/join-bytes.ts'
import type { ExportRequest } from '../../shared/exports/export.ts'
import type { ByteSource } from '../../shared/model/source.ts'
import type { EngineWorkerHost } from '../../shared/session/engine/open-runs.ts'
import type { EngineAnswer, EngineRequests, Progress, RequestName, SourceInput } from '../../shared/session/protocol.ts'
import type { ExportPart, NamedBytes } from '../../shared/session/requests/export.ts'
import { serveEngine } from '../../shared/session/serve-engine.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from './test-host.ts'

type Answer = Extract<EngineAnswer, { kind: 'answer' | 'failed' }>

/** A page in this process: every message is cloned, what is transferred is detached, and all answers are kept. */
export function enginePage(
  given: ReadonlyMap<string, ByteSource> = new Map(),
  watch?: NonNullable<EngineWorkerHost['watch']>,
  more: Partial<EngineWorkerHost> = {},
) {
  let toEngine: (message: unknown) => void = () => undefined
  const answers: EngineAnswer[] = []
  const progress: Progress[] = []
  const waiting = new Map<number, (answer: Answer) => void>()
  serveEngine(
    {
      post(message, transfer = []) {
        const answer = structuredClone(message, { transfer: [...transfer] }) as EngineAnswer
        answers.push(answer)
        if (answer.kind === 'progress') progress.push(answer.progress)
        if (answer.kind === 'partial' && (answer.partial as Partial<ExportPart>).kind === 'files')
          void ask('exportGoesOn', { id: exports.get(answer.call) as number, bytes: Number.POSITIVE_INFINITY })
        // Shares and parts come before an answer, shares only where it takes a while.
        if (answer.kind === 'answer' || answer.kind === 'failed') waiting.get(answer.call)?.(answer)
      },
      onMessage(listener) {
        toEngine = listener
      },
    },
    {
      ...testHost(),
      ...more,
      ...(watch === undefined ? {} : { watch }),
      byteSource(input: SourceInput) {
        if (input.kind === 'bytes') return memorySource(input.bytes, 1 << 16, input.name)
        const source = given.get(input.name)
        if (source === undefined) throw new Error(`${input.name} did not arrive as a file. Drop it again.`)
        return source
      },
    },
  )
  let next = 1
  /** Exports under way, by their call. */
  const exports = new Map<number, number>()
  const post = (message: unknown) => toEngine(structuredClone(message))

  /** Sends a call; `answer` resolves with its answer, failures included. */
  function send(name: string, input: unknown) {
    const call = next++
    const answer = new Promise<Answer>((resolve) => waiting.set(call, resolve))
    post({ kind: 'call', call, name, input })
    return { call, answer, cancel: () => post({ kind: 'cancel', call }) }
  }

  async function ask<Name extends RequestName>(
    name: Name,
    input: EngineRequests[Name]['input'],
  ): Promise<EngineRequests[Name]['output']> {
    const answer = await send(name, input).answer
    if (answer.kind === 'failed') throw new Error(answer.message)
    return answer.output as EngineRequests[Name]['output']
  }

  /** Opens texts as files and waits until they are read. */
  async function open(
    files: Readonly<Record<string, string>>,
    options: EngineRequests['open']['input']['options'] = {},
  ) {
    const sources = Object.entries(files).map(
      ([name, text]): SourceInput => ({ kind: 'bytes', name, bytes: new TextEncoder().encode(text) }),
    )
    const opened = await ask('open', { sources, options })
    await done()
    return opened
  }

  /** The files of an export, all of whose bytes are taken as they come. */
  async function exported(request: ExportRequest & { readonly zip?: string }): Promise<NamedBytes[]> {
    const id = next
    const { call, answer } = send('export', { ...request, id })
    exports.set(call, id)
    const answered = await answer
    if (answered.kind === 'failed') throw new Error(answered.message)
    const files = new Map<string, Uint8Array[]>()
    for (const each of answers) {
      if (each.kind !== 'partial' || each.call !== call) continue
      const part = each.partial as ExportPart
      if (part.kind === 'files') for (const name of part.names) files.set(name, [])
      if (part.kind === 'bytes') files.get(part.name)?.push(part.bytes)
    }
    return [...files].map(([name, pieces]) => ({ name, bytes: joinBytes(pieces) }))
  }

  async function done(): Promise<void> {
    while (!progress.at(-1)?.done) await new Promise((resolve) => setTimeout(resolve, 2))
  }

  return { send, ask, open, exported, done, post, answers, progress }
}
