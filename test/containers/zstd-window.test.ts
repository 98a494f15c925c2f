import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { decompressFrames } from '../../shared/containers/zstd/whole.ts'

/** A frame of unknown content whose one block is stored. Its window is 2 to the power of `window` bytes. */
function stored(content: Uint8Array, window: number): Uint8Array {
  const block = (content.length << 3) | 1
  const head = [0x28, 0xb5, 0x2f, 0xfd, 0, (window - 10) << 3, block & 255, (block >> 8) & 255, (block >> 16) & 255]
  return Uint8Array.of(...head, ...content)
}

test.each([1, 2, 1023, 1024, 1025, 100_000])('a frame of %i bytes is read, whatever window it asks for', (length) => {
  const content = Uint8Array.from({ length }, (_, i) => i % 251)
  for (const window of [17, 21, 27]) {
    const frame = stored(content, window)
    const given = frame.slice()
    expect(Buffer.compare(decompressFrames(frame, length), content)).toBe(0)
    expect(Buffer.compare(frame, given)).toBe(0)
  }
})

test('buffers of a few bytes that each ask for 128 MiB are read without them', () => {
  const frame = stored(Uint8Array.of(1, 2, 3), 27)
  const before = process.cpuUsage()
  for (let i = 0; i < 100; i++) decompressFrames(frame, 3)
  const { user, system } = process.cpuUsage(before)
  // Microseconds of the processor; 128 MiB are made and moved in some forty thousand.
  expect(user + system).toBeLessThan(1_000_000)
})
