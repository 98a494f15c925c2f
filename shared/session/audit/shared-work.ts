import { inSteps, type Steps } from '../../model/steps.ts'
import { orAborted } from '../aborted.ts'

interface UnderWay<Result> {
  readonly result: Promise<Result>
  readonly tellers: Set<(share: number) => void>
  waiting: number
  stop(): void
}

/**
 * Long work that several questions rest on: it is done once, in steps, and given up once nobody waits for it any more. It keeps what it
 * makes itself.
 */
export class SharedWork<Of extends object, Result> {
  private readonly underWay = new WeakMap<Of, UnderWay<Result>>()

  /** Rejects with the signal's reason. `tell` hears what share is done. */
  async do(
    of: Of,
    make: () => Steps<Result>,
    { signal, tell }: { readonly signal: AbortSignal; tell(share: number): void },
  ): Promise<Result> {
    signal.throwIfAborted()
    let work = this.underWay.get(of)
    if (work === undefined) this.underWay.set(of, (work = this.begin(of, make())))
    const own = work
    own.waiting++
    own.tellers.add(tell)
    try {
      return await orAborted(own.result, signal)
    } finally {
      own.tellers.delete(tell)
      if (--own.waiting === 0) own.stop()
    }
  }

  private begin(of: Of, steps: Steps<Result>): UnderWay<Result> {
    const own = new AbortController()
    const tellers = new Set<(share: number) => void>()
    const forget = () => {
      if (this.underWay.get(of) === work) this.underWay.delete(of)
    }
    const result = inSteps(steps, {
      signal: own.signal,
      tell: (share) => {
        for (const tell of tellers) tell(share)
      },
    }).finally(forget)
    result.catch(() => undefined)
    const stop = () => {
      forget()
      own.abort(new Error('Stopped.'))
    }
    const work: UnderWay<Result> = { result, tellers, waiting: 0, stop }
    return work
  }
}
