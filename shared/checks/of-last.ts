/** Rollouts that every check goes through before the next one begins, at most. */
export const TOGETHER = 16

/**
 * What was found out about the keys that were asked for last, as many as are looked at together: every check asks the same of each, in one order. So few
 * entries do what a `WeakMap` would, without the work that one gives the collector, and the next one is mostly the one that is asked for: a `Map` would
 * have to look each up by a hash.
 */
export class OfLast<K extends object, V> {
  private readonly keys: (K | null)[] = new Array(TOGETHER).fill(null)
  private readonly values: (V | undefined)[] = new Array(TOGETHER).fill(undefined)
  private count = 0
  /** That of the key which was asked for last. */
  private at = 0

  constructor() {
    all.push(() => this.startAnew())
  }

  /** Undefined where many others were asked for since. */
  get(key: K): V | undefined {
    return this.keys[this.at] === key ? this.values[this.at] : this.find(key)
  }

  set(key: K, value: V): void {
    if (this.count >= TOGETHER) this.startAnew()
    this.keys[this.count] = key
    this.values[this.count] = value
    this.at = this.count++
  }

  private find(key: K): V | undefined {
    const { keys, count } = this
    for (let tried = 0, at = this.at + 1; tried < count; tried++, at++) {
      if (at >= count) at = 0
      if (keys[at] !== key) continue
      this.at = at
      return this.values[at]
    }
    return undefined
  }

  private startAnew(): void {
    if (this.count === 0) return
    this.keys.fill(null)
    this.values.fill(undefined)
    this.count = 0
    this.at = 0
  }
}

const all: (() => void)[] = []

/** Lets go of everything that was found out: long rollouts take memory as long as they are keys. */
export function forgetLast(): void {
  for (const forget of all) forget()
}
