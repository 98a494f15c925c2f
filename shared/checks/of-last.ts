/** Rollouts that every check goes through before the next one begins, at most. */
export const TOGETHER = 16

/**
 * What was found out about the keys that were asked for last, as many as are looked at together: every check asks the same of each. So few
 * entries do what a `WeakMap` would, without the work that one gives the collector.
 */
export class OfLast<K extends object, V> {
  private key: K | null = null
  private value: V | undefined
  private found = new Map<K, V>()

  constructor() {
    all.push(() => {
      this.key = null
      this.value = undefined
      this.startAnew()
    })
  }

  /** Undefined where many others were asked for since. */
  get(key: K): V | undefined {
    return key === this.key ? this.value : this.found.get(key)
  }

  set(key: K, value: V): void {
    this.key = key
    this.value = value
    if (this.found.size >= TOGETHER) this.startAnew()
    this.found.set(key, value)
  }

  /**
   * Never by `clear`: V8 then has the table that was cleared, whose entries it leaves in place, name the one that follows. Once one of them is old, all
   * that follow outlive every collection of what is young, with all rollouts that they ever held.
   */
  private startAnew(): void {
    if (this.found.size > 0) this.found = new Map()
  }
}

const all: (() => void)[] = []

/** Lets go of everything that was found out: long rollouts take memory as long as they are keys. */
export function forgetLast(): void {
  for (const forget of all) forget()
}
