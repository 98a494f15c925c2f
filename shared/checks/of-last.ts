/**
 * What was found out about the key that was asked for last. Rollouts are looked at one after another and every check asks the same of
 * each, so one entry does what a `WeakMap` would, without the work that an entry of one gives the collector.
 */
export class OfLast<K extends object, V> {
  private key: K | null = null
  private value: V | undefined

  /** Undefined where another key was asked for since. */
  get(key: K): V | undefined {
    return key === this.key ? this.value : undefined
  }

  set(key: K, value: V): void {
    this.key = key
    this.value = value
  }
}
