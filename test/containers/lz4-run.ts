/** An LZ4 frame of one block that gives one byte again and again, `length` times. */
export function lz4Run(length: number): Uint8Array {
  const more = length - 25
  const block = [Uint8Array.of(0x1f, 97, 1, 0), new Uint8Array(Math.floor(more / 255)).fill(255)]
  block.push(Uint8Array.of(more % 255, 0x50, 1, 2, 3, 4, 5))
  const bytes = Buffer.concat(block)
  const size = new Uint8Array(Uint32Array.of(bytes.length).buffer)
  return new Uint8Array(
    Buffer.concat([Uint8Array.of(0x04, 0x22, 0x4d, 0x18, 0x40, 0x70, 0), size, bytes, new Uint8Array(4)]),
  )
}
