import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { createSHA256, type IHasher } from 'hash-wasm'
import type { Sha256 } from '../../shared/session/host.ts'

/** SHA-256 in WebAssembly; null where this browser, or the policy of this worker, runs none. */
export async function fastSha256(): Promise<(() => Sha256) | null> {
  try {
    const hasher = await createSHA256()
    const turns: Turns = { current: null }
    return () => new SharedHash(hasher, turns)
  } catch {
    return null
  }
}

/** SHA-256 in the script, at half the speed. */
export function slowSha256(): Sha256 {
  const hash = sha256.create()
  return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) }
}

interface Turns {
  current: SharedHash | null
}

/** A run of thousands of files is hashed side by side: all share one hasher, in which one at a time has its state. */
class SharedHash implements Sha256 {
  /** Null before the first turn. */
  private state: Uint8Array | null = null

  constructor(
    private readonly hasher: IHasher,
    private readonly turns: Turns,
  ) {}

  update(bytes: Uint8Array): void {
    this.take()
    this.hasher.update(bytes)
  }

  digest(): string {
    this.take()
    this.turns.current = null
    return this.hasher.digest('hex')
  }

  private take(): void {
    const { hasher, turns } = this
    if (turns.current === this) return
    if (turns.current !== null) turns.current.state = hasher.save()
    if (this.state === null) hasher.init()
    else hasher.load(this.state)
    turns.current = this
  }
}
