/** Rollouts that every check goes through before the next one begins, at most. */
export const TOGETHER = 16

/**
 * What was found out about the keys that were asked for last, as many as are looked at together: every check asks the same of each. So few
 * entries do what a `WeakMap` would, without the work that one gives the collector.
 */
export class OfLast<K extends object, V> {
  private key: K | null = null
  private value: V | undefined
  private readonly found = new Map<K, V>()

  constructor() {
    all.push(() => {
      this.key = null
      this.value = undefined
      this.found.clear()
    })
  }

  /** Undefined where many others were asked for since. */
  get(key: K): V | undefined {
    return key === this.key ? this.value : this.found.get(key)
  }

  set(key: K, value: V): void {
    this.key = key
    this.value = value
    if (this.found.size >= TOGETHER) this.found.clear()
    this.found.set(key, value)
  }
}

const all: (() => void)[] = []

/** Lets go of everything that was found out: long rollouts take memory as long as they are keys. */
export function forgetLast(): void {
  for (const forget of all) forget()
}
