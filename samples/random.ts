import { Hash64 } from '../shared/model/hash.ts'

/**
 * Seeded pseudo-random numbers: mulberry32 (Tommy Ettinger, public domain), seeded by a text. Every rollout draws from a
 * source of its own, named after what it decides, so that changing one decision does not move the others.
 */
export class Random {
  private state: number

  constructor(seed: string) {
    this.state = Number.parseInt(new Hash64().text(seed).digest().slice(0, 8), 16)
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from')
    return items[Math.floor(this.next() * items.length)] as T
  }

  /** A new array in random order (Fisher and Yates). */
  shuffle<T>(items: readonly T[]): T[] {
    const out = [...items]
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.integer(0, i)
      const kept = out[i] as T
      out[i] = out[j] as T
      out[j] = kept
    }
    return out
  }

  /** Mean 1. */
  exponential(): number {
    return -Math.log(1 - this.next())
  }

  /** Mean 0, standard deviation 1 (Box and Muller). */
  normal(): number {
    return Math.sqrt(2 * this.exponential()) * Math.cos(2 * Math.PI * this.next())
  }
}
