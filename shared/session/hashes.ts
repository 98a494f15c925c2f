import type { ByteSource } from '../model/source.ts'
import type { EngineHost, Sha256 } from './host.ts'

/** SHA-256 of a whole source, of which bytes that are read in any case need not be read for it alone. */
export class SourceHash {
  private readonly hash: Sha256
  private at = 0

  constructor(
    private readonly source: ByteSource,
    host: EngineHost,
  ) {
    this.hash = host.createSha256()
  }

  /** Takes the bytes from `start` on, where they are the next ones. */
  take(start: number, bytes: Uint8Array): void {
    if (start !== this.at) return
    this.hash.update(bytes)
    this.at += bytes.length
  }

  /**
   * Lower-case hex, once what was not taken is read; null where not all of it can be read any more. Stops in the middle of a read
   * when the signal says so, with its reason.
   */
  async digest(signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted()
    if (this.at < this.source.size) {
      await this.readRest(signal).catch(() => signal.throwIfAborted())
      if (this.at < this.source.size) return null
    }
    return this.hash.digest()
  }

  private async readRest(signal: AbortSignal): Promise<void> {
    const reader = this.source.stream(this.at).getReader()
    const stop = () => void reader.cancel().catch(() => undefined)
    signal.addEventListener('abort', stop, { once: true })
    try {
      for (;;) {
        const { done, value } = await reader.read()
        signal.throwIfAborted()
        if (done) return
        this.take(this.at, value)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      await reader.cancel().catch(() => undefined)
    }
  }
}

const HEAD = 1 << 20

/**
 * Names a dump by its content, whatever its files are called: the first MiB and the size of each source. Of a source
 * whose bytes cannot be had only the size counts.
 */
export async function dumpHash(
  sources: readonly Pick<ByteSource, 'size' | 'slice'>[],
  host: Pick<EngineHost, 'createSha256'>,
): Promise<string> {
  const hash = host.createSha256()
  for (const source of sources) {
    hash.update(await source.slice(0, Math.min(HEAD, source.size)).catch(() => new Uint8Array(0)))
    hash.update(new TextEncoder().encode(`\n${source.size}\n`))
  }
  return hash.digest().slice(0, 32)
}
