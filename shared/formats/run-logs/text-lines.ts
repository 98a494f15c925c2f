import type { ByteSource } from '../../model/source.ts'

/** A longer line is cut: no line of a log is. */
const LONGEST = 1 << 20

/** The lines of a text, ended by newlines or carriage returns (progress bars), without escape sequences of terminals. */
export async function* textLines(source: ByteSource, signal?: AbortSignal): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  const reader = source.stream().getReader()
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split(/[\r\n]/)
      rest = done ? '' : (lines.pop() as string).slice(-LONGEST)
      for (const line of lines) if (line !== '') yield plain(line)
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told what to do by control characters
const ESCAPES = /\u001b(\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(\u0007|\u001b\\)|[@-_])/g

function plain(line: string): string {
  return line.slice(0, LONGEST).replace(ESCAPES, '')
}
