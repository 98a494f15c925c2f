import type {
  EngineAnswer,
  EngineCall,
  EngineRequests,
  PartialOf,
  Progress,
  RequestName,
} from '../../shared/session/protocol.ts'

/** The page's end of the engine: a worker in the app, a scripted port in tests. */
export interface EnginePort {
  post(message: EngineCall): void
  onMessage(listener: (message: EngineAnswer) => void): void
  /** The engine itself stopped; `message` is what the host knows about it. */
  onError(listener: (message: string) => void): void
  terminate(): void
}

/** A request that the engine could not fulfil. `message` is a sentence for people. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure'
}

/** A request that was taken back; nobody waits for its answer. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled'
}

interface Waiting {
  hear(partial: unknown): void
  hearShare(share: number): void
  resolve(output: unknown): void
  reject(error: Error): void
}

/**
 * Typed calls over one port. Every call is answered once or fails with a sentence; answers to cancelled calls are
 * dropped; when the engine stops, everything that waits fails at once and later calls fail too.
 */
export class EngineClient {
  private readonly waiting = new Map<number, Waiting>()
  private readonly progressListeners = new Set<(progress: Progress) => void>()
  private readonly slowerListeners = new Set<(message: string) => void>()
  private readonly stopListeners = new Set<(message: string) => void>()
  /** Calls that are to put something else in the place of what is open, and of which it is not known that they did. */
  private readonly opening = new Set<number>()
  /** What was told since: it is of what was open before, and counts only where that stays. */
  private held: Progress[] = []
  private next = 1
  private stopped: string | null = null

  constructor(private readonly port: EnginePort) {
    port.onMessage((message) => this.receive(message))
    port.onError((message) => this.stop(message))
  }

  /** True once the worker broke; a new client is needed. */
  get isStopped(): boolean {
    return this.stopped !== null
  }

  /** `onPartial` hears what the request tells before its answer, `onShare` how much of what that rests on is done (0 to 1). */
  call<Name extends RequestName>(
    name: Name,
    input: EngineRequests[Name]['input'],
    signal?: AbortSignal,
    onPartial?: (partial: PartialOf<Name>) => void,
    onShare?: (share: number) => void,
  ): Promise<EngineRequests[Name]['output']> {
    if (this.stopped !== null) return Promise.reject(new EngineFailure(this.stopped))
    if (signal?.aborted) return Promise.reject(new Cancelled())
    const call = this.next++
    return new Promise<unknown>((resolve, reject) => {
      const cancel = () => {
        if (!this.waiting.delete(call)) return
        this.port.post({ kind: 'cancel', call })
        reject(new Cancelled())
      }
      signal?.addEventListener('abort', cancel, { once: true })
      const settle = () => signal?.removeEventListener('abort', cancel)
      this.waiting.set(call, {
        hear: (partial) => onPartial?.(partial as PartialOf<Name>),
        hearShare: (share) => onShare?.(share),
        resolve: (output) => {
          settle()
          resolve(output)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      })
      if (putsInPlace(name, input)) this.opening.add(call)
      this.port.post({ kind: 'call', call, name, input })
    }) as Promise<EngineRequests[Name]['output']>
  }

  /** Returns the unsubscriber. */
  onProgress(listener: (progress: Progress) => void): () => void {
    this.progressListeners.add(listener)
    return () => this.progressListeners.delete(listener)
  }

  /** Hears, in a sentence, that reading takes longer from now on. */
  onSlower(listener: (message: string) => void): void {
    this.slowerListeners.add(listener)
  }

  /** Hears, in a sentence, that the engine broke; not that it was ended. */
  onStop(listener: (message: string) => void): void {
    this.stopListeners.add(listener)
  }

  /** Ends the engine; what waits is cancelled. */
  terminate(): void {
    this.stopped ??= 'The engine was closed. Open the files again.'
    this.port.terminate()
    for (const waiting of this.waiting.values()) waiting.reject(new Cancelled())
    this.waiting.clear()
  }

  private receive(message: EngineAnswer): void {
    if (message.kind === 'progress') {
      this.held.push(message.progress)
      this.passOn()
      return
    }
    if (message.kind === 'slower') {
      for (const listener of this.slowerListeners) listener(message.sentence)
      return
    }
    if (message.kind === 'began') {
      this.opening.delete(message.call)
      this.held = []
      return
    }
    if (message.kind === 'answer' || message.kind === 'failed') {
      this.opening.delete(message.call)
      this.passOn()
    }
    const waiting = this.waiting.get(message.call)
    if (waiting === undefined) return
    if (message.kind === 'partial') {
      waiting.hear(message.partial)
      return
    }
    if (message.kind === 'share') {
      waiting.hearShare(message.share)
      return
    }
    this.waiting.delete(message.call)
    if (message.kind === 'answer') waiting.resolve(message.output)
    else waiting.reject(new EngineFailure(message.message))
  }

  private passOn(): void {
    if (this.opening.size > 0) return
    const due = this.held
    this.held = []
    for (const progress of due) for (const listener of this.progressListeners) listener(progress)
  }

  private stop(message: string): void {
    // One that was ended, or broke before, has nothing to add.
    if (this.stopped !== null) return
    this.stopped = `The engine stopped (${message}). Open the files again; if it happens again with the same file, the file is the place to look.`
    this.port.terminate()
    for (const waiting of this.waiting.values()) waiting.reject(new EngineFailure(this.stopped))
    this.waiting.clear()
    for (const listener of this.stopListeners) listener(this.stopped)
  }
}

function putsInPlace<Name extends RequestName>(name: Name, input: EngineRequests[Name]['input']): boolean {
  return name === 'open' || name === 'reconfigure' || (name === 'follow' && (input as { on: boolean }).on)
}

/** One sentence for people, whatever was thrown. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message
  return 'Something failed without saying why. Open the files again.'
}
