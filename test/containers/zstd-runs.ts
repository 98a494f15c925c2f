/** A Zstandard frame that declares no content: blocks of one byte each, that give `size` bytes. */
export function zstdRuns(blocks: number, size: number): Uint8Array {
  const parts = [Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58)]
  for (let i = 0; i < blocks; i++) {
    const header = (size << 3) | (1 << 1) | (i === blocks - 1 ? 1 : 0)
    parts.push(Uint8Array.of(header & 255, (header >> 8) & 255, (header >> 16) & 255, 0))
  }
  return new Uint8Array(Buffer.concat(parts))
}
