import { decompressBrotli } from 'hyparquet-compressors/src/brotli.js'
import { BrotliOutput } from 'hyparquet-compressors/src/brotli.streams.js'

/**
 * Decompresses Brotli that gives `length` bytes at the most; throws where it is damaged or gives more.
 *
 * The library has no limit: it makes room for whatever a stream declares, megabytes for each of its bytes, and then gives back the
 * buffer that was too small. The only place that it leaves for a limit is the property in which it exchanges that buffer.
 */
export function brotli(bytes: Uint8Array, length: number): Uint8Array {
  return decompressBrotli(bytes, length)
}

const buffers = new WeakMap<object, Uint8Array>()

Object.defineProperty(BrotliOutput.prototype, 'buffer', {
  get(this: object) {
    return buffers.get(this)
  },
  set(this: object, buffer: Uint8Array) {
    const before = buffers.get(this)
    if (before !== undefined) throw new RangeError(`Brotli gives more than the ${before.length} bytes declared`)
    buffers.set(this, buffer)
  },
})
