import { useEffect } from 'react'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { observable, useObservable } from './observable.ts'

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly message: string }

const LOADING = { state: 'loading' } as const

/** Answers kept by key outside React; the oldest is let go first. */
export class Shelf<T> {
  private readonly kept = new Map<string, Loaded<T>>()
  private readonly asked = new Map<string, AbortController>()
  /** What a person no longer waits for. It stays as it is until it is taken up again. */
  private readonly stopped = new Set<string>()
  readonly changes = observable(0)

  constructor(
    private readonly most: number,
    private readonly load: (key: string, signal: AbortSignal) => Promise<T>,
  ) {}

  get(key: string): Loaded<T> {
    return this.kept.get(key) ?? LOADING
  }

  want(key: string): void {
    const known = this.kept.get(key)
    if (known !== undefined) {
      this.kept.delete(key)
      this.kept.set(key, known)
      return
    }
    this.kept.set(key, LOADING)
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most) break
      this.kept.delete(oldest)
      this.stopped.delete(oldest)
    }
    const asking = new AbortController()
    this.asked.set(key, asking)
    const settle = () => {
      if (this.asked.get(key) === asking) this.asked.delete(key)
    }
    this.load(key, asking.signal).then(
      (value) => {
        settle()
        this.put(key, { state: 'ready', value })
      },
      (error: unknown) => {
        settle()
        if (asking.signal.aborted) return
        if (error instanceof Cancelled) this.kept.delete(key)
        else this.put(key, { state: 'failed', message: sentenceOf(error) })
      },
    )
  }

  /** Waits no longer for what was asked for. */
  stop(key: string): void {
    const asking = this.asked.get(key)
    if (asking === undefined) return
    this.stopped.add(key)
    asking.abort()
    this.asked.delete(key)
    this.changed()
  }

  /** Asks once more for what was stopped. */
  again(key: string): void {
    if (!this.stopped.delete(key)) return
    this.kept.delete(key)
    this.want(key)
    this.changed()
  }

  isStopped(key: string): boolean {
    return this.stopped.has(key)
  }

  /** What is here and ready, by key. */
  ready(): [string, T][] {
    return [...this.kept].flatMap(([key, known]) => (known.state === 'ready' ? [[key, known.value]] : []))
  }

  /** Forgets everything. What is still asked for is taken back: nobody would see the answer. */
  clear(): void {
    for (const asking of this.asked.values()) asking.abort()
    this.asked.clear()
    this.kept.clear()
    this.stopped.clear()
    this.changed()
  }

  private put(key: string, answer: Loaded<T>): void {
    if (!this.kept.has(key)) return
    this.kept.set(key, answer)
    this.changed()
  }

  private changed(): void {
    this.changes.set(this.changes.get() + 1)
  }
}

/** What a shelf has under a key, asked for where it has nothing. Null asks for nothing. */
export function useShelf<T>(shelf: Shelf<T>, key: string | null): Loaded<T> {
  const changed = useObservable(shelf.changes)
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a clear the same key has to be asked for again
  useEffect(() => {
    if (key !== null) shelf.want(key)
  }, [key, changed])
  return key === null ? LOADING : shelf.get(key)
}
