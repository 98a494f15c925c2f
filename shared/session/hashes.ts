import type { ByteSource } from '../model/source.ts'
import type { EngineHost } from './host.ts'

/** SHA-256 of a whole source, in lower-case hex. */
export async function hashSource(source: ByteSource, host: EngineHost, signal: AbortSignal): Promise<string> {
  const hash = host.createSha256()
  const reader = source.stream().getReader()
  try {
    for (;;) {
      signal.throwIfAborted()
      const { done, value } = await reader.read()
      if (done) return hash.digest()
      hash.update(value)
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const HEAD = 1 << 20

/** Names a dump by its content, whatever its files are called: the first MiB and the size of each source. */
export async function dumpHash(sources: readonly ByteSource[], host: EngineHost): Promise<string> {
  const hash = host.createSha256()
  for (const source of sources) {
    hash.update(await source.slice(0, Math.min(HEAD, source.size)))
    hash.update(new TextEncoder().encode(`\n${source.size}\n`))
  }
  return hash.digest().slice(0, 32)
}
