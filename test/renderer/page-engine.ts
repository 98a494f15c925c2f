import type { ByteSource } from '../../shared/model/source.ts'
import type { EngineWorkerHost } from '../../shared/session/engine/open-runs.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'
import { serveEngine } from '../../shared/session/serve-engine.ts'
import { memorySource } from '../containers/memory-source.ts'
import { testHost } from '../session/test-host.ts'

/** What the engines of a page can read and watch, and the workers that were started for it. */
export interface PageEngine {
  /** Sources that a page names as files. */
  readonly files: Map<string, ByteSource>
  watch: NonNullable<EngineWorkerHost['watch']>
  readonly workers: EngineWorker[]
}

/** Has the page's code in this process start its engine in this process. */
export function givePageEngine(): PageEngine {
  const engine: PageEngine = {
    files: new Map(),
    watch: async () => {
      throw new Error('Files cannot be followed here.')
    },
    workers: [],
  }
  globalThis.Worker = class extends EngineWorker {
    constructor() {
      super(engine)
      engine.workers.push(this)
    }
  } as unknown as typeof Worker
  return engine
}

/** A worker with the engine in it. Every message is cloned and comes in a task of its own. */
export class EngineWorker extends EventTarget {
  private toEngine: (message: unknown) => void = () => undefined
  private isAlive = true

  constructor(page: PageEngine) {
    super()
    serveEngine(
      {
        post: (message, transfer = []) => this.tell(structuredClone(message, { transfer: [...transfer] })),
        onMessage: (listener) => {
          this.toEngine = listener
        },
      },
      {
        ...testHost(),
        watch: (inputs, handles) => page.watch(inputs, handles),
        byteSource(input: SourceInput) {
          if (input.kind === 'bytes') return memorySource(input.bytes, 1 << 16, input.name)
          const source = page.files.get(input.name)
          if (source === undefined) throw new Error(`${input.name} did not arrive as a file. Drop it again.`)
          return source
        },
      },
    )
  }

  postMessage(message: unknown): void {
    const cloned = structuredClone(message)
    setImmediate(() => this.isAlive && this.toEngine(cloned))
  }

  terminate(): void {
    this.isAlive = false
  }

  /** Breaks, as one whose memory ran out. */
  break(why: string): void {
    this.dispatchEvent(Object.assign(new Event('error'), { message: why }))
  }

  private tell(data: unknown): void {
    setImmediate(() => this.isAlive && this.dispatchEvent(new MessageEvent('message', { data })))
  }
}

/** Keeps the answers of a worker from its page; other messages go on. */
export function holdAnswers(worker: EngineWorker): { readonly held: readonly Event[]; release(): void } {
  const held: Event[] = []
  const dispatch = worker.dispatchEvent.bind(worker)
  worker.dispatchEvent = (event) => {
    if ((event as MessageEvent<{ kind: string }>).data.kind !== 'answer') return dispatch(event)
    held.push(event)
    return true
  }
  return {
    held,
    release() {
      worker.dispatchEvent = dispatch
    },
  }
}
