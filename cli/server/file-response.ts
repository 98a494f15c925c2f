import { type FileHandle, open } from 'node:fs/promises'
import { WITHOUT_WAITING } from '../byte-sources.ts'
import { parseRange } from './byte-range.ts'
import { SECURITY_HEADERS } from './headers.ts'

const CHUNK = 1 << 20

/** A short answer: text and its media type. */
export function textResponse(
  status: number,
  text: string,
  type: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = new TextEncoder().encode(text)
  const length = String(bytes.length)
  return new Response(bytes, {
    status,
    headers: { ...SECURITY_HEADERS, 'content-type': type, 'content-length': length, ...headers },
  })
}

/** An answer of one sentence. */
export function plainResponse(
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return textResponse(status, `${sentence}\n`, 'text/plain; charset=utf-8', headers)
}

/** A file, or the part that the request's `Range` names (206; 416 when it lies outside). 404 when it is gone or no file, 503 when it cannot be opened now. */
export async function fileResponse(
  request: Pick<Request, 'method' | 'headers'>,
  path: string,
  type: string,
): Promise<Response> {
  let handle: FileHandle
  try {
    handle = await open(path, WITHOUT_WAITING)
  } catch (error) {
    return notOpened((error as NodeJS.ErrnoException).code ?? 'for no reason that is known')
  }
  const info = await handle.stat()
  if (!info.isFile()) {
    await handle.close()
    return plainResponse(404, 'This is not a file.')
  }
  const range = parseRange(request.headers.get('range'), info.size)
  if (range === 'unsatisfiable') {
    await handle.close()
    return plainResponse(416, `The file has ${info.size} bytes.`, { 'content-range': `bytes */${info.size}` })
  }
  const { start, end } = range ?? { start: 0, end: info.size }
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    'content-type': type,
    'content-length': String(end - start),
    'accept-ranges': 'bytes',
  }
  if (range !== null) headers['content-range'] = `bytes ${start}-${end - 1}/${info.size}`
  const status = range === null ? 200 : 206
  if (request.method === 'HEAD') {
    await handle.close()
    return new Response(null, { status, headers })
  }
  return new Response(bytesOf(handle, start, end), { status, headers })
}

/** What is no longer there is 404; what is there and cannot be opened is 503, so that nobody takes it for gone. */
function notOpened(code: string): Response {
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return plainResponse(404, 'The file is gone. Open it again where it lies now.')
  if (code === 'EACCES' || code === 'EPERM')
    return plainResponse(404, 'The file may not be read. Open it again where it lies now.')
  if (code === 'EMFILE' || code === 'ENFILE') {
    return plainResponse(503, 'Too many files and connections are open here. Close some, then open the file again.')
  }
  return plainResponse(503, `The file is there and could not be opened (${code}). Open it again.`)
}

/** The bytes in chunks, as they are asked for; the file is closed at the end, on an error, and when nobody listens any more. */
function bytesOf(handle: FileHandle, start: number, end: number): ReadableStream<Uint8Array> {
  let at = start
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const chunk = new Uint8Array(Math.min(CHUNK, end - at))
          const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
          at += bytesRead
          if (bytesRead > 0) controller.enqueue(chunk.subarray(0, bytesRead))
          if (at < end && bytesRead > 0) return
        } catch (error) {
          await handle.close()
          throw error
        }
        await handle.close()
        // A file that became shorter breaks the answer off: a client must not take the part for the whole.
        if (at < end) controller.error(new Error('The file became shorter while it was read.'))
        else controller.close()
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 1 },
  )
}
