import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { ByteReader, ByteSource } from '../shared/model/source.ts'
import type { FileElsewhere } from './read-elsewhere.ts'

const STREAM_CHUNK = 1 << 20
/** How files are opened: a pipe that took a file's place would be waited for until somebody writes to it. */
export const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** The error of a file that was there when its name was looked up. */
export function readFailed(name: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ESTALE') return error
  return new Error(`${name} was removed or moved while it was being read. Put it back, or name files that stay.`, {
    cause: error,
  })
}

/**
 * A file on disk. It is opened for each read and closed again, so that a folder of thousands of files needs no
 * thousands of handles. The size is taken once: a dump that is still being written is read up to there.
 */
export class NodeFileSource implements ByteSource {
  private constructor(
    readonly name: string,
    readonly path: string,
    readonly size: number,
  ) {}

  /** Throws what the file system says when the file cannot be opened for reading. */
  static async open(path: string, name: string): Promise<NodeFileSource> {
    const handle = await open(path, WITHOUT_WAITING)
    try {
      return new NodeFileSource(name, path, (await handle.stat()).size)
    } finally {
      await handle.close()
    }
  }

  async slice(start: number, end: number): Promise<Uint8Array> {
    const handle = await this.openAgain()
    try {
      return await this.read(handle, start, end)
    } finally {
      await handle.close()
    }
  }

  get elsewhere(): FileElsewhere {
    return { path: this.path, name: this.name }
  }

  /** One chunk is read while the one before it is looked at. */
  reader(start = 0): ByteReader {
    // Node's own kind of array: it finds a byte several times faster.
    const buffers = [Buffer.allocUnsafeSlow(STREAM_CHUNK), Buffer.allocUnsafeSlow(STREAM_CHUNK)] as const
    let at = start
    let turn = 0
    let handle: FileHandle | null = null
    const fill = async (): Promise<Uint8Array | null> => {
      const buffer = buffers[turn++ & 1] as Buffer
      handle ??= await this.openAgain()
      const length = await this.fill(handle, buffer, at, this.size)
      at += length
      return length === 0 ? null : buffer.subarray(0, length)
    }
    let ahead: Promise<Uint8Array | null> | null = null
    return {
      async next() {
        const chunk = await (ahead ?? fill())
        ahead = chunk === null ? Promise.resolve(null) : fill()
        ahead.catch(() => undefined)
        return chunk
      },
      async close() {
        await ahead?.catch(() => undefined)
        await handle?.close()
        handle = null
      },
    }
  }

  stream(start = 0): ReadableStream<Uint8Array> {
    let at = start
    let handle: FileHandle | null = null
    const close = async () => {
      await handle?.close()
      handle = null
    }
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            handle ??= await this.openAgain()
            const chunk = await this.read(handle, at, at + STREAM_CHUNK)
            at += chunk.length
            if (chunk.length > 0) controller.enqueue(chunk)
            if (at < this.size && chunk.length > 0) return
          } catch (error) {
            await close()
            throw error
          }
          await close()
          controller.close()
        },
        cancel: close,
      },
      { highWaterMark: 2 },
    )
  }

  private async openAgain(): Promise<FileHandle> {
    try {
      return await open(this.path, WITHOUT_WAITING)
    } catch (error) {
      throw readFailed(this.name, error)
    }
  }

  /** Fewer bytes than asked for only where the file has become shorter. */
  private async read(handle: FileHandle, start: number, end: number): Promise<Uint8Array> {
    const from = Math.max(0, start)
    const bytes = new Uint8Array(Math.max(0, Math.min(end, this.size) - from))
    return bytes.subarray(0, await this.fill(handle, bytes, from, end))
  }

  /** Reads until `bytes` is full or `end` is reached; returns how many there were. */
  private async fill(handle: FileHandle, bytes: Uint8Array, start: number, end: number): Promise<number> {
    const wanted = Math.min(bytes.length, Math.min(end, this.size) - start)
    let filled = 0
    while (filled < wanted) {
      const { bytesRead } = await handle.read(bytes, filled, wanted - filled, start + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return filled
  }
}

/** Bytes that are already in memory, such as standard input. */
export class MemorySource implements ByteSource {
  readonly size: number
  private readonly bytes: Uint8Array

  constructor(
    readonly name: string,
    bytes: Uint8Array,
  ) {
    // A Buffer's `slice` shares memory with its pool, which must not be handed to a worker; a plain array's is a copy.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    this.size = bytes.length
  }

  async slice(start: number, end: number): Promise<Uint8Array> {
    return this.bytes.slice(Math.max(0, start), Math.max(0, end))
  }

  stream(start = 0): ReadableStream<Uint8Array> {
    let at = start
    return new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = this.bytes.slice(at, at + STREAM_CHUNK)
        at += chunk.length
        if (chunk.length > 0) controller.enqueue(chunk)
        if (at >= this.size) controller.close()
      },
    })
  }
}
