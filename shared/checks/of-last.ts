/**
 * What was found out about the keys that were asked for last. Rollouts are looked at some at a time, and every check asks the same of
 * each, so few entries do what a `WeakMap` would, without the work that one gives the collector.
 */
export class OfLast<K extends object, V> {
  private key: K | null = null
  private value: V | undefined
  private readonly others = new Map<K, V>()

  /** Undefined where many others were asked for since. */
  get(key: K): V | undefined {
    return key === this.key ? this.value : this.others.get(key)
  }

  set(key: K, value: V): void {
    this.key = key
    this.value = value
    if (this.others.size >= MOST_KEPT) this.others.clear()
    this.others.set(key, value)
  }
}

/** More than are looked at together. */
const MOST_KEPT = 64
