import { useEffect } from 'react'
import type { TokenDetail, TrajectoryDetail } from '../../shared/session/protocol.ts'
import { Cancelled, sentenceOf } from '../engine/client.ts'
import { ask } from '../engine/engine.ts'
import { observable, useObservable } from './observable.ts'

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'ready'; readonly value: T }
  | { readonly state: 'failed'; readonly message: string }

const LOADING = { state: 'loading' } as const

/** Rollouts kept, the last one looked at last: enough to go back and forth without waiting. */
const MOST_DETAILS = 4
const MOST_TOKENS = 2000

/** Answers kept by key outside React; the oldest is let go first. */
class Shelf<T> {
  private readonly kept = new Map<string, Loaded<T>>()
  readonly changes = observable(0)

  constructor(
    private readonly most: number,
    private readonly load: (key: string) => Promise<T>,
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
    }
    this.load(key).then(
      (value) => this.put(key, { state: 'ready', value }),
      (error: unknown) => {
        if (error instanceof Cancelled) this.kept.delete(key)
        else this.put(key, { state: 'failed', message: sentenceOf(error) })
      },
    )
  }

  /** What is here and ready, by key. */
  ready(): [string, T][] {
    return [...this.kept].flatMap(([key, known]) => (known.state === 'ready' ? [[key, known.value]] : []))
  }

  clear(): void {
    this.kept.clear()
    this.changes.set(this.changes.get() + 1)
  }

  private put(key: string, answer: Loaded<T>): void {
    if (!this.kept.has(key)) return
    this.kept.set(key, answer)
    this.changes.set(this.changes.get() + 1)
  }
}

// The revision is part of the key, so that an answer under older settings can never be taken for one under newer.
let revision = 0

const details = new Shelf<TrajectoryDetail>(MOST_DETAILS, (key) =>
  ask('trajectory', { index: Number(key.split(':')[1]) }),
)
const tokens = new Shelf<TokenDetail>(MOST_TOKENS, (key) => {
  const [, index, token] = key.split(':')
  return ask('token', { index: Number(index), token: Number(token) })
})

/** What was read before the dump was complete, shown until its final form arrives. By index. */
const unfinished = new Map<number, TrajectoryDetail>()

/** Forgets every rollout: another dump, or other settings. */
export function forgetDetails(): void {
  unfinished.clear()
  revision++
  details.clear()
  tokens.clear()
}

/** Asks again for what is on screen: findings that need the whole dump are known only at its end. */
export function refreshDetails(): void {
  for (const [, detail] of details.ready()) unfinished.set(detail.index, detail)
  revision++
  details.clear()
}

/** The rollout as far as it is here, without asking for it. */
export function knownDetail(index: number | null): TrajectoryDetail | null {
  if (index === null) return null
  const known = details.get(`${revision}:${index}`)
  return known.state === 'ready' ? known.value : (unfinished.get(index) ?? null)
}

export function useDetail(index: number): Loaded<TrajectoryDetail> {
  const changed = useObservable(details.changes)
  const key = `${revision}:${index}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a clear the same key has to be asked for again
  useEffect(() => details.want(key), [key, changed])
  const known = details.get(key)
  const before = known.state === 'loading' ? unfinished.get(index) : undefined
  return before === undefined ? known : { state: 'ready', value: before }
}

export function useToken(index: number, token: number): Loaded<TokenDetail> {
  const changed = useObservable(tokens.changes)
  const key = `${revision}:${index}:${token}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a clear the same key has to be asked for again
  useEffect(() => tokens.want(key), [key, changed])
  return tokens.get(key)
}
