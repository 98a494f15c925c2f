import type { ByteSource } from '../model/source.ts'
import type { EngineHost } from './host.ts'

/** SHA-256 of a whole source, in lower-case hex. Stops in the middle of a read when the signal says so. */
export async function hashSource(source: ByteSource, host: EngineHost, signal: AbortSignal): Promise<string> {
  const hash = host.createSha256()
  signal.throwIfAborted()
  const reader = source.stream().getReader()
  const stop = () => void reader.cancel().catch(() => undefined)
  signal.addEventListener('abort', stop, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) return hash.digest()
      hash.update(value)
    }
  } finally {
    signal.removeEventListener('abort', stop)
    await reader.cancel().catch(() => undefined)
  }
}

const HEAD = 1 << 20

/**
 * Names a dump by its content, whatever its files are called: the first MiB and the size of each source. Of a source
 * whose bytes cannot be had only the size counts.
 */
export async function dumpHash(sources: readonly ByteSource[], host: EngineHost): Promise<string> {
  const hash = host.createSha256()
  for (const source of sources) {
    hash.update(await source.slice(0, Math.min(HEAD, source.size)).catch(() => new Uint8Array(0)))
    hash.update(new TextEncoder().encode(`\n${source.size}\n`))
  }
  return hash.digest().slice(0, 32)
}
