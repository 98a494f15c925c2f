import type { Sha256, WorkerLink } from '../../shared/session/host.ts'
import type { ScanSha256 } from '../../shared/session/scan-worker.ts'

/** What a thread is to hash, in this order. */
export interface HashQueue {
  /** Where it lies. */
  readonly memory: WebAssembly.Memory
  /** Numbers as `AT` says, and the ring: a place and a length for each. */
  readonly numbers: Int32Array<SharedArrayBuffer>
}

/** Where in the numbers of a queue what is. */
const AT = {
  /** How much was ever asked, and how much of it is done. */
  asked: 0,
  done: 1,
  /** The last hash, as eight numbers. */
  digest: 2,
  ring: 10,
} as const
/** More than chunks can lie in the slots of a memory at once. */
const RING = 1024
/** In place of a length: what was handed over is all, its hash is wanted. */
const ENDS = -1

/**
 * Has another thread take SHA-256 of what lies in memory that both have, one source after the other. Here WebAssembly takes as long for it as for all
 * that else is done ahead of the thread that audits.
 */
export class HashesBehind {
  private readonly numbers = new Int32Array(new SharedArrayBuffer(4 * (AT.ring + 2 * RING)))
  private readonly broken: Promise<never>
  private why: Error | null = null

  constructor(link: WorkerLink, memory: WebAssembly.Memory) {
    this.broken = new Promise((_, reject) => {
      link.onError((reason) => {
        this.why = new Error(reason)
        reject(this.why)
      })
    })
    this.broken.catch(() => undefined)
    link.post({ memory, numbers: this.numbers } satisfies HashQueue)
  }

  createSha256(): ScanSha256 {
    return {
      update: ({ byteOffset, length }) => this.ask(byteOffset, length),
      through: () => this.through(),
      digest: async () => {
        this.ask(0, ENDS)
        await this.through()
        const words = this.numbers.subarray(AT.digest, AT.digest + 8)
        return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
      },
    }
  }

  private ask(place: number, length: number): void {
    if (this.why !== null) throw this.why
    const { numbers } = this
    const asked = numbers[AT.asked] as number
    const at = AT.ring + 2 * (asked % RING)
    numbers[at] = place
    numbers[at + 1] = length
    Atomics.store(numbers, AT.asked, asked + 1)
    Atomics.notify(numbers, AT.asked)
  }

  /** Resolves once all that was asked by now is done; rejects where it never will be. */
  private async through(): Promise<void> {
    const { numbers } = this
    const asked = numbers[AT.asked] as number
    for (;;) {
      const done = Atomics.load(numbers, AT.done)
      if (done >= asked) return
      await Promise.race([Atomics.waitAsync(numbers, AT.done, done).value, this.broken])
    }
  }
}

/** Runs in the thread that hashes, and does not come back. */
export function serveHashes({ memory, numbers }: HashQueue, createSha256: () => Sha256): never {
  let hash = createSha256()
  for (let done = 0; ; done++) {
    while (Atomics.load(numbers, AT.asked) === done) Atomics.wait(numbers, AT.asked, done)
    const at = AT.ring + 2 * (done % RING)
    const length = numbers[at + 1] as number
    if (length === ENDS) {
      const hex = hash.digest()
      for (let i = 0; i < 8; i++) numbers[AT.digest + i] = Number.parseInt(hex.slice(8 * i, 8 * i + 8), 16)
      hash = createSha256()
    } else hash.update(new Uint8Array(memory.buffer, numbers[at] as number, length))
    Atomics.store(numbers, AT.done, done + 1)
    Atomics.notify(numbers, AT.done)
  }
}
