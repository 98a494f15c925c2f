import type { ByteSource } from '../../shared/model/source.ts'
import type { SourceInput } from '../../shared/session/protocol.ts'

/** What a page sends, as bytes that the engine can read. Throws with a sentence when it is none of the three kinds. */
export function byteSource(input: SourceInput): ByteSource {
  if (input.kind === 'file') {
    if (!(input.file instanceof Blob)) throw new Error(`${input.name} did not arrive as a file. Drop it again.`)
    return blobSource(input.name, input.file)
  }
  if (input.kind === 'url') return urlSource(input.name, input.url, input.size)
  return blobSource(input.name, new Blob([input.bytes as Uint8Array<ArrayBuffer>]))
}

/** What an audit worker needs to read a file itself: the file, which is not copied when it is posted. */
export interface BlobElsewhere {
  readonly name: string
  readonly blob: Blob
}

/** What a scan worker needs to read a file by its address. */
export interface AddressElsewhere {
  readonly name: string
  readonly url: string
  readonly size: number
}

/** Reads a part of a file that a page sent, in any worker. */
export function readElsewhere(source: unknown, start: number, end: number): Promise<Uint8Array> {
  const { name, blob } = source as BlobElsewhere
  return reading(name, async () => new Uint8Array(await blob.slice(start, end).arrayBuffer()))
}

async function reading<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    // The browser gives up a file that changed or went away since it was chosen, with words only it understands.
    throw new Error(`${name} changed or was moved while it was being read. Open it again.`)
  }
}

function blobSource(name: string, blob: Blob): ByteSource {
  const elsewhere: BlobElsewhere = { name, blob }
  return {
    name,
    size: blob.size,
    elsewhere,
    slice: (start, end) => readElsewhere(elsewhere, start, end),
    stream(start = 0) {
      const reader = blob.slice(start).stream().getReader()
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await reading(name, () => reader.read())
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: (reason) => reader.cancel(reason),
      })
    },
  }
}

/** What our own server says of a file that it cannot open now; null where another one answers, with a page. */
async function sentenceIn(response: Response): Promise<string | null> {
  if (response.headers.get('content-type')?.startsWith('text/plain') !== true) return null
  return (await response.text()).trim()
}

export function urlSource(name: string, url: string, size: number): ByteSource {
  const unanswered = (): never => {
    // The browser's own word for it is a TypeError, as if the bytes were damaged.
    throw new Error(
      `${name} could not be read: what it is served by does not answer. Start it again and open the file anew.`,
    )
  }
  const fetchFrom = async (start: number, end: number): Promise<Response> => {
    const response = await fetch(url, { headers: { Range: `bytes=${start}-${end - 1}` } }).catch(unanswered)
    if (response.status === 206 || (response.status === 200 && start === 0 && end >= size)) return response
    const why = response.status === 503 ? await sentenceIn(response) : null
    if (why !== null) throw new Error(`${name} could not be read: ${why}`)
    await response.body?.cancel()
    throw new Error(
      response.ok
        ? `${name}: the server that holds it does not give parts of a file. Download it and open it from disk.`
        : `${name} could not be read (${response.status} ${response.statusText}). Check that the file is still there and open it again.`,
    )
  }
  return {
    name,
    size,
    elsewhere: { name, url, size } satisfies AddressElsewhere,
    isFar: true,
    async slice(start, end) {
      const last = Math.min(end, size)
      if (start >= last) return new Uint8Array(0)
      const response = await fetchFrom(start, last)
      return new Uint8Array(await response.arrayBuffer().catch(unanswered))
    },
    stream(start = 0) {
      let reader: ReadableStreamDefaultReader<Uint8Array> | null = null
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          if (start >= size) {
            controller.close()
            return
          }
          reader ??= ((await fetchFrom(start, size)).body as ReadableStream<Uint8Array>).getReader()
          const { done, value } = await reader.read().catch(unanswered)
          if (done) controller.close()
          else controller.enqueue(value)
        },
        async cancel(reason) {
          await reader?.cancel(reason)
        },
      })
    },
  }
}
